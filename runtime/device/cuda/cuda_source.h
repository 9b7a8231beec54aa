/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators from source on CUDA: the kernels around the text, compiled by NVRTC. */
#ifndef SCANRT_CUDA_SOURCE_H
#define SCANRT_CUDA_SOURCE_H

#include "device/backend.h"

/* Compiles the file of the key for a compute capability (90): machine code where NVRTC knows it, else PTX for the
 * newest before it. tuned_image: scan_tuning's image. The image is freed by the caller. SCAN_UNSUPPORTED where there is
 * no NVRTC. */
scan_status scan_cuda_source_compile(const scan_kernel_key *key, uint32_t capability, uint32_t tuned_image,
                                     char **image, size_t *image_bytes, scan_error *error);

#endif
