/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of a CUDA device: found in images or compiled, loaded, and created. The functions are those of
 * scan_backend_ops. */
#ifndef SCANRT_CUDA_KERNELS_H
#define SCANRT_CUDA_KERNELS_H

#include "device/arguments.h"
#include "device/cuda/cuda_device.h"

struct scan_kernel {
  cuda_function function;
  scan_argument_list arguments;
  uint32_t local_bytes;
  uint32_t flags; /* as in cuda_instance */
  uint64_t flip;
};

scan_status scan_cuda_kernel_create(scan_device *d, const scan_kernel_key *key, scan_kernel **result,
                                    scan_error *error);
void scan_cuda_kernel_destroy(scan_device *d, scan_kernel *kernel);
void scan_cuda_kernels_prepare(scan_device *d, const scan_kernel_key *keys, int count);
int scan_cuda_kernels_are_kept(scan_device *d, const scan_kernel_key *keys, int count);
int scan_cuda_kernels_begin(scan_device *d, const scan_kernel_key *keys, int count);
scan_compile_state scan_cuda_kernels_take(scan_device *d, const scan_kernel_key *keys, int count,
                                          scan_kernel **kernels);
int scan_cuda_has_kernel(const scan_kernel_key *key);
int scan_cuda_is_compiled(const scan_device *d, const scan_kernel_key *key);
int scan_cuda_has_compiler(void);

#endif
