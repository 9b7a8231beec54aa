/* SPDX-License-Identifier: BSD-2-Clause */
/* An open CUDA device. */
#ifndef SCANRT_CUDA_DEVICE_H
#define SCANRT_CUDA_DEVICE_H

#include "device/backend.h"
#include "device/cuda/cuda_api.h"

struct scan_device {
  cuda_objects cuda;
  cuda_device device;
  uint32_t image; /* scan_tuning's image */
  uint32_t capability;
  int owns_context, owns_stream;
  int last_capture; /* state of the stream's capture at the last launch, a CUstreamCaptureStatus */
  scan_program *modules;
  struct cuda_background *background; /* compilations on threads of their own */
};

static inline cuda_ptr cuda_pointer(scan_mem mem) { return (cuda_ptr)(uintptr_t)mem.handle + mem.offset_bytes; }

/* Queries all facts. Fails if the driver does not answer or if scans cannot run on the device. */
scan_status scan_cuda_describe(const cuda_api *api, cuda_device device, int index, scan_caps *caps, scan_error *error);

#endif
