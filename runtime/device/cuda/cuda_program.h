/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a kernel with an operator from source, as NVRTC compiles it at run time and nvcc in advance. */
#ifndef SCANRT_CUDA_PROGRAM_H
#define SCANRT_CUDA_PROGRAM_H

#include "device/backend.h"

/* Suffix of a kernel's name. In units of several programs the program's number follows it (SCAN_SUFFIX). */
#define CUDA_SOURCE_SUFFIX "_source"

/* The operator's part of the text, the same for all of its programs. The caller frees it; NULL: no memory. */
char *scan_cuda_program_operator(const scan_kernel_key *key);

/* The kernels' part, which follows the operator's: parameters, and an #include of the key's file. tuned_image:
 * scan_tuning's. The caller frees it; NULL: no memory. */
char *scan_cuda_program_kernels(const scan_kernel_key *key, uint32_t tuned_image);

/* Both parts joined. The caller frees it; NULL: no memory. */
char *scan_cuda_program(const scan_kernel_key *key, uint32_t tuned_image);

#endif
