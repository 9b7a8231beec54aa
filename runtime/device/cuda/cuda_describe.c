/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a CUDA device from its driver's answers. */
#include <stdio.h>
#include <stdlib.h>

#include "device/caps.h"
#include "device/cuda/cuda_device.h"

enum { OLDEST_CAPABILITY = 75 };

/* A device that is being queried, and the first call that failed. */
typedef struct inquiry {
  const cuda_api *api;
  cuda_device device;
  const char *call;
  cuda_result result;
} inquiry;

static void note_result(inquiry *q, const char *call, cuda_result result) {
  if (q->result != CUDA_OK || result == CUDA_OK) return;
  q->call = call;
  q->result = result;
}

/* Queries an attribute; attributes are never negative. */
static int attribute(inquiry *q, int which) {
  int value = 0;
  const cuda_result result = q->api->device_attribute(&value, which, q->device);
  note_result(q, "cuDeviceGetAttribute", result);
  return result == CUDA_OK && value > 0 ? value : 0;
}

/* Queries an attribute that older drivers do not know. Their CUDA_INVALID_VALUE counts as the answer 0. */
static int optional_attribute(inquiry *q, int which) {
  int value = 0;
  const cuda_result result = q->api->device_attribute(&value, which, q->device);
  if (result != CUDA_INVALID_VALUE) note_result(q, "cuDeviceGetAttribute", result);
  return result == CUDA_OK ? value : 0;
}

/* A part of the compute capability; 0 if the answer is implausible. */
static uint32_t capability_part(inquiry *q, int which) {
  const int part = attribute(q, which);
  return part < 100 ? (uint32_t)part : 0;
}

static void ask_all(inquiry *q, scan_caps *caps) {
  scan_device_info *info = &caps->info;
  size_t memory = 0;
  int version = 0;
  note_result(q, "cuDeviceGetName", q->api->device_name(info->name, (int)sizeof info->name - 1, q->device));
  note_result(q, "cuDeviceTotalMem", q->api->device_memory(&memory, q->device));
  note_result(q, "cuDriverGetVersion", q->api->driver_version(&version));
  const uint32_t capability = 10 * capability_part(q, CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                              capability_part(q, CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  snprintf(info->vendor, sizeof info->vendor, "NVIDIA");
  snprintf(info->driver, sizeof info->driver, "CUDA %d.%d, compute capability %u.%u", version / 1000,
           version % 1000 / 10, capability / 10, capability % 10);
  info->facts.compute_capability = capability;
  info->memory_bytes = info->max_alloc_bytes = memory;
  info->local_memory_bytes = (uint64_t)attribute(q, CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  info->compute_units = (uint32_t)attribute(q, CUDA_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info->max_group_items = (uint32_t)attribute(q, CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info->has_fp64 = 1;
  info->facts.sub_group_items = 32;
  info->facts.local_memory_optin_bytes = (uint32_t)attribute(q, CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  caps->clusters = optional_attribute(q, CUDA_ATTRIBUTE_CLUSTER_LAUNCH) != 0;
}

scan_status scan_cuda_describe(const cuda_api *api, cuda_device device, int index, scan_caps *caps, scan_error *error) {
  inquiry q = { .api = api, .device = device, .result = CUDA_OK };
  scan_device_info *info = &caps->info;
  *caps = (scan_caps){ .index = index };
  info->backend = SCAN_BACKEND_CUDA;
  snprintf(info->selector, sizeof info->selector, "cuda:%d", index);
  ask_all(&q, caps);
  if (q.result != CUDA_OK) return scan_cuda_fail(api, error, q.call, q.result);
  if (info->facts.compute_capability < OLDEST_CAPABILITY)
    return scan_fail(error, SCAN_UNSUPPORTED, "%s has compute capability %u.%u, and 7.5 or later is needed",
                     info->selector, info->facts.compute_capability / 10, info->facts.compute_capability % 10);
  if (info->compute_units == 0 || info->max_group_items < TUNE_GROUP_ITEMS)
    return scan_fail(error, SCAN_UNSUPPORTED, "%s has %u multiprocessors and blocks of %u threads, says its driver",
                     info->selector, info->compute_units, info->max_group_items);
  scan_caps_derive(caps, secure_getenv("SCANRT_TUNE"));
  return SCAN_SUCCESS;
}
