/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators from source on CUDA: NVRTC compiles the kernels around the operator's text. */
#ifndef SCANRT_CUDA_SOURCE_H
#define SCANRT_CUDA_SOURCE_H

#include "device/backend.h"

/* Compiles the key's file for a compute capability (90): to machine code if NVRTC knows it, else to PTX for the newest
 * one before it. tuned_image: scan_tuning's. The caller frees the image. Returns SCAN_UNSUPPORTED without NVRTC. */
scan_status scan_cuda_source_compile(const scan_kernel_key *key, uint32_t capability, uint32_t tuned_image,
                                     char **image, size_t *image_bytes, scan_error *error);

/* Returns the image that scan_cuda_source_compile would find on disk, which the caller frees; NULL: it would compile.
 */
char *scan_cuda_source_load(const scan_kernel_key *key, uint32_t capability, uint32_t tuned_image);

#endif
