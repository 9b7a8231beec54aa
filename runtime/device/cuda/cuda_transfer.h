/* SPDX-License-Identifier: BSD-2-Clause */
/* What cuda_transfer.c and interop with applications need of an open device. */
#ifndef SCANRT_CUDA_TRANSFER_H
#define SCANRT_CUDA_TRANSFER_H

#include "device/cuda/cuda_api.h"
#include "device/transfer.h"

typedef struct cuda_objects {
  const cuda_api *api;
  cuda_context context;
  cuda_stream stream;
} cuda_objects;

cuda_objects scan_cuda_device_objects(const scan_device *device);

#endif
