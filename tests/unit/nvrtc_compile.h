/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles kernels of operators from source by NVRTC, which needs no GPU. */
#ifndef SCANRT_TESTS_NVRTC_COMPILE_H
#define SCANRT_TESTS_NVRTC_COMPILE_H

#include "device/cuda/cuda_source.h"

/* Ends the program as skipped if there is no NVRTC. */
void nvrtc_require(void);

/* Compiles a kernel with an operator from source and checks that the image holds the kernel. image: receives the image,
 * which the caller frees; NULL: not needed. */
scan_status nvrtc_compile(const scan_op_source *from, const scan_kernel_key *wanted, uint32_t capability, char **image,
                          scan_error *error);

#endif
