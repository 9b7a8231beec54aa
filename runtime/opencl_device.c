/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding and probing OpenCL devices. */
#include "embedded.h"

#if SCANRT_HAVE_OPENCL
#include "opencl_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLATFORMS = 32, MOST_DEVICES = 64, LLVMPIPE_LOOP_LIMIT = 65535 };

int opencl_visit(const opencl_api *api, opencl_visitor *visit, void *data) {
  cl_platform_id platforms[MOST_PLATFORMS];
  cl_device_id devices[MOST_DEVICES];
  cl_uint platform_count = 0;
  int index = 0, answer = 0;
  if (api->clGetPlatformIDs(MOST_PLATFORMS, platforms, &platform_count) != CL_SUCCESS) return 0;
  if (platform_count > MOST_PLATFORMS) platform_count = MOST_PLATFORMS;
  for (cl_uint p = 0; p < platform_count && answer == 0; p++) {
    cl_uint count = 0;
    if (api->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &count) != CL_SUCCESS) continue;
    if (count > MOST_DEVICES) count = MOST_DEVICES;
    for (cl_uint d = 0; d < count && answer == 0; d++) answer = visit(api, platforms[p], devices[d], index++, data);
  }
  return answer;
}

static cl_ulong number(const opencl_api *api, cl_device_id device, cl_device_info which) {
  cl_ulong value = 0; /* little-endian: serves narrower answers too */
  return api->clGetDeviceInfo(device, which, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static void text(const opencl_api *api, cl_device_id device, cl_device_info which, char *value, size_t bytes) {
  char whole[1024] = "";
  (void)api->clGetDeviceInfo(device, which, sizeof whole - 1, whole, NULL);
  snprintf(value, bytes, "%.*s", (int)(bytes - 1), whole);
}

static int has_extension(const opencl_api *api, cl_device_id device, const char *name) {
  size_t bytes = 0;
  if (api->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes) != CL_SUCCESS || bytes == 0) return 0;
  char *all = calloc(bytes + 1, 1);
  if (all == NULL) return 0;
  (void)api->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, all, NULL);
  const int found = strstr(all, name) != NULL;
  free(all);
  return found;
}

/* Vendors whose GPUs are known to schedule started work-groups fairly, and processors, whose threads the system
 * schedules; llvmpipe, which ends loops silently, is neither. No OpenCL query answers the question. */
static int fair_progress(const scan_device_info *info) {
  static const char *const gpus[] = { "NVIDIA", "Advanced Micro Devices", "AMD", "Intel" };
  if (strstr(info->name, "llvmpipe") != NULL || strstr(info->vendor, "Oclgrind") != NULL) return 0;
  if (info->is_cpu) return 1;
  for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
    if (strstr(info->vendor, gpus[i]) != NULL) return 1;
  return 0;
}

/* A device whose work-groups are too small for the work-group form gets the other. */
static scan_tuning tune(const scan_device_info *info) {
  scan_tuning tuning = scan_tuning_for(info->is_cpu ? SCAN_CLASS_CPU : SCAN_CLASS_GPU);
  if (info->max_group_items < tuning.group_items) tuning.group_items = 1;
  return tuning;
}

static void probe(const opencl_api *api, cl_device_id device, scan_device_info *info) {
  info->memory_bytes = number(api, device, CL_DEVICE_GLOBAL_MEM_SIZE);
  info->max_alloc_bytes = number(api, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info->local_memory_bytes = number(api, device, CL_DEVICE_LOCAL_MEM_SIZE);
  info->compute_units = (uint32_t)number(api, device, CL_DEVICE_MAX_COMPUTE_UNITS);
  info->max_group_items = (uint32_t)number(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  info->is_cpu = (number(api, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
  info->has_fp64 = number(api, device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  info->has_int64_atomics = has_extension(api, device, "cl_khr_int64_base_atomics") &&
                            has_extension(api, device, "cl_khr_int64_extended_atomics");
  /* cl_nv_device_attribute_query: 0x4000 is CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV; shfl.sync needs 7.0 here. */
  info->has_shuffles = has_extension(api, device, "cl_nv_device_attribute_query") && number(api, device, 0x4000) >= 7;
  info->flushes_denormals = (number(api, device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_DENORM) == 0;
}

void opencl_describe(const opencl_api *api, cl_platform_id platform, cl_device_id device, int index, scan_caps *caps) {
  char platform_name[64] = "", vendor[64], version[64], driver[60];
  *caps = (scan_caps){ .index = index };
  scan_device_info *info = &caps->info;
  info->backend = SCAN_BACKEND_OPENCL;
  snprintf(info->selector, sizeof info->selector, "opencl:%d", index);
  (void)api->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name - 1, platform_name, NULL);
  text(api, device, CL_DEVICE_NAME, info->name, sizeof info->name);
  text(api, device, CL_DEVICE_VENDOR, vendor, sizeof vendor);
  text(api, device, CL_DEVICE_VERSION, version, sizeof version);
  text(api, device, CL_DRIVER_VERSION, driver, sizeof driver);
  snprintf(info->vendor, sizeof info->vendor, "%s, %.62s", platform_name, vendor);
  snprintf(info->driver, sizeof info->driver, "%.62s, driver %.50s", version, driver);
  probe(api, device, info);
  info->has_fair_progress = (uint32_t)fair_progress(info);
  caps->tuning = tune(info);
  if (!info->has_int64_atomics || caps->tuning.descriptors == 32) caps->descriptors = SCAN_DESCRIPTORS_SPLIT;
  if (strstr(info->name, "llvmpipe") != NULL) caps->loop_limit = LLVMPIPE_LOOP_LIMIT;
}
#endif
