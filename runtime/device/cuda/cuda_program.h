/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a kernel with an operator from source, as NVRTC compiles it at run time and nvcc in advance. */
#ifndef SCANRT_CUDA_PROGRAM_H
#define SCANRT_CUDA_PROGRAM_H

#include "device/backend.h"

/* What follows a kernel's name; in units of several programs their numbers come behind it (SCAN_SUFFIX). */
#define CUDA_SOURCE_SUFFIX "_source"

/* The operator's part, which is the same for all of its programs, and the kernels' part, which follows it: parameters
 * and an #include of the file of the key. tuned_image: scan_tuning's. The caller frees both; NULL: no memory. */
char *scan_cuda_program_operator(const scan_kernel_key *key);
char *scan_cuda_program_kernels(const scan_kernel_key *key, uint32_t tuned_image);

/* Both parts. */
char *scan_cuda_program(const scan_kernel_key *key, uint32_t tuned_image);

#endif
