/* SPDX-License-Identifier: BSD-2-Clause */
/** @file kernels_device.h @brief The functions of a kind of device (host, OpenCL, CUDA) that kernels.c calls. */
#ifndef SCANRT_EXAMPLE_KERNELS_DEVICE_H
#define SCANRT_EXAMPLE_KERNELS_DEVICE_H

#include <stddef.h>

#include "kernels.h"

/** Functions return 0, or -1 after saying what failed. */
typedef struct app_device {
  size_t state_bytes; /**< Size of the state that `open` fills; it is zero before. */
  int (*open)(void *state, scan_ctx *ctx, const char *text, const app_kernel *kernels, int count);
  int (*launch)(void *state, int which, uint32_t groups, const app_argument *arguments, int count);
  void (*close)(void *state);
  int (*record_begin)(void *state); /**< With the next two functions; NULL: sequences call `enqueue` in each run. */
  int (*record_end)(void *state, void **recorded);
  int (*replay)(void *state, void *recorded);
  void (*forget)(void *state, void *recorded);
} app_device;

extern const app_device app_device_host, app_device_opencl, app_device_cuda;

/** Stores a function's address, as dlsym gives it, in a pointer to a function. @return 0, or -1 after reporting the
 * fault */
int app_symbol(void *library, const char *name, void *function);

#endif
