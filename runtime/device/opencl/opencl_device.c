/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding and probing OpenCL devices. */
#include "device/caps.h"
#include "device/opencl/opencl_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLATFORMS = 32, MOST_DEVICES = 64 };

/* Queries that the headers of OpenCL 1.2 lack, from OpenCL 3.0 and 2.1, cl_intel_required_subgroup_size,
 * cl_nv_device_attribute_query and cl_amd_device_attribute_query. */
enum {
  ATOMIC_MEMORY_CAPABILITIES = 0x1063,
  MAX_NUM_SUB_GROUPS = 0x105C,
  INTEL_SUB_GROUP_SIZES = 0x4108,
  NV_COMPUTE_CAPABILITY_MAJOR = 0x4000,
  NV_COMPUTE_CAPABILITY_MINOR = 0x4001,
  NV_WARP_SIZE = 0x4003,
  AMD_WAVEFRONT_WIDTH = 0x4043
};

/* Appends a platform's devices; returns the new count. */
static int list_platform(const opencl_api *api, cl_platform_id platform, opencl_place *places, int count,
                         opencl_silence *silence) {
  cl_device_id devices[MOST_DEVICES] = { NULL }; /* a driver may count more devices than it returns */
  cl_uint there = 0;
  const cl_int result = api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &there);
  if (result != CL_SUCCESS) {
    if (silence->platform == NULL || result != CL_DEVICE_NOT_FOUND) *silence = (opencl_silence){ platform, result };
    return count;
  }
  for (cl_uint d = 0; d < there && d < MOST_DEVICES && count < OPENCL_MOST_DEVICES; d++)
    if (devices[d] != NULL) places[count++] = (opencl_place){ platform, devices[d] };
  return count;
}

int scan_opencl_list(const opencl_api *api, opencl_place places[OPENCL_MOST_DEVICES], opencl_silence *silence) {
  cl_platform_id platforms[MOST_PLATFORMS] = { NULL };
  cl_uint platform_count = 0;
  int count = 0;
  *silence = (opencl_silence){ NULL, api->clGetPlatformIDs(MOST_PLATFORMS, platforms, &platform_count) };
  if (silence->result != CL_SUCCESS) return 0;
  for (cl_uint p = 0; p < platform_count && p < MOST_PLATFORMS; p++)
    if (platforms[p] != NULL) count = list_platform(api, platforms[p], places, count, silence);
  return count;
}

/* A device that is being queried, and the first question that its driver failed to answer. */
typedef struct inquiry {
  const opencl_api *api;
  cl_device_id device;
  char *fault;
  size_t fault_bytes;
  int *lacks_memory; /* set to 1 if the library had no memory for an answer */
} inquiry;

static void note_fault(const inquiry *q, const char *name, cl_int result) {
  if (q->fault[0] == '\0')
    snprintf(q->fault, q->fault_bytes, "clGetDeviceInfo(%s) fails: %s (%d)", name, scan_opencl_result_name(result),
             result);
}

/* 1 if the driver answers. For an optional question CL_INVALID_VALUE is no fault. */
static int device_ask(const inquiry *q, cl_device_info which, const char *name, int is_optional, size_t room,
                      void *value, size_t *bytes) {
  const cl_int result = q->api->clGetDeviceInfo(q->device, which, room, value, bytes);
  if (result != CL_SUCCESS && !(is_optional && result == CL_INVALID_VALUE)) note_fault(q, name, result);
  return result == CL_SUCCESS;
}

static cl_ulong number_of(const inquiry *q, cl_device_info which, const char *name, int is_optional) {
  cl_ulong value = 0; /* zeroed, so that narrower little-endian answers are right too */
  return device_ask(q, which, name, is_optional, sizeof value, &value, NULL) ? value : 0;
}
#define NUMBER(q, which) number_of((q), (which), #which, 0)
#define OPTIONAL_NUMBER(q, which) number_of((q), (which), #which, 1)

static void text_of(const inquiry *q, cl_device_info which, const char *name, char *value, size_t bytes) {
  char whole[1024] = "";
  (void)device_ask(q, which, name, 0, sizeof whole - 1, whole, NULL);
  snprintf(value, bytes, "%.*s", (int)(bytes - 1), whole);
}
#define TEXT(q, which, value) text_of((q), (which), #which, (value), sizeof(value))

static int is_embedded(const inquiry *q) {
  char profile[32];
  TEXT(q, CL_DEVICE_PROFILE, profile);
  return strcmp(profile, "EMBEDDED_PROFILE") == 0;
}

/* Returns the list of extensions, to be freed; NULL, with a fault noted, if it cannot be read. */
static char *extensions_of(const inquiry *q) {
  static const char name[] = "CL_DEVICE_EXTENSIONS";
  size_t bytes = 0;
  if (!device_ask(q, CL_DEVICE_EXTENSIONS, name, 0, 0, NULL, &bytes)) return NULL;
  if (bytes > OPENCL_MOST_TEXT_BYTES) {
    note_fault(q, name, CL_OUT_OF_HOST_MEMORY);
    return NULL;
  }
  char *all = calloc(bytes + 1, 1);
  if (all == NULL) {
    *q->lacks_memory = 1;
  } else if (bytes > 0 && !device_ask(q, CL_DEVICE_EXTENSIONS, name, 0, bytes, all, NULL)) {
    free(all);
    all = NULL;
  }
  return all;
}

static void read_extensions(const inquiry *q, scan_device_info *info) {
  char *all = extensions_of(q);
  if (all == NULL) return;
  scan_caps_read_extensions(info, all);
  info->facts.lacks_int64 = is_embedded(q) && strstr(all, "cles_khr_int64") == NULL;
  if (strstr(all, "cl_nv_device_attribute_query") != NULL) {
    info->facts.compute_capability = (uint32_t)(10 * OPTIONAL_NUMBER(q, NV_COMPUTE_CAPABILITY_MAJOR) +
                                                OPTIONAL_NUMBER(q, NV_COMPUTE_CAPABILITY_MINOR));
    info->facts.sub_group_items = (uint32_t)OPTIONAL_NUMBER(q, NV_WARP_SIZE);
  }
  if (strstr(all, "cl_amd_device_attribute_query") != NULL)
    info->facts.sub_group_items = (uint32_t)OPTIONAL_NUMBER(q, AMD_WAVEFRONT_WIDTH);
  free(all);
}

int scan_opencl_has_extension(const opencl_api *api, cl_device_id device, const char *name) {
  char fault[128] = "";
  int lacks_memory = 0;
  const inquiry q = { api, device, fault, sizeof fault, &lacks_memory };
  char *all = extensions_of(&q);
  const size_t length = strlen(name);
  int is_there = 0;
  for (const char *at = all; at != NULL && !is_there && (at = strstr(at, name)) != NULL; at += length)
    is_there = (at == all || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0');
  free(all);
  return is_there;
}

/* Returns the sum of the sub-group sizes. They are powers of two, so that the sum names them all. */
static uint32_t sub_group_sizes(const inquiry *q) {
  size_t sizes[16] = { 0 };
  uint32_t sum = 0;
  if (!device_ask(q, INTEL_SUB_GROUP_SIZES, "INTEL_SUB_GROUP_SIZES", 1, sizeof sizes, sizes, NULL)) return 0;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) sum |= (uint32_t)sizes[i];
  return sum;
}

static void probe_facts(const inquiry *q, scan_device_info *info) {
  char version[64];
  scan_device_facts *facts = &info->facts;
  read_extensions(q, info);
  TEXT(q, CL_DEVICE_VERSION, version);
  facts->opencl_version = scan_caps_version(version, "OpenCL ");
  TEXT(q, CL_DEVICE_OPENCL_C_VERSION, version);
  facts->opencl_c_version = scan_caps_version(version, "OpenCL C ");
  const cl_ulong type = NUMBER(q, CL_DEVICE_TYPE);
  info->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  facts->is_accelerator = (type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU)) == 0;
  facts->lacks_compiler = NUMBER(q, CL_DEVICE_COMPILER_AVAILABLE) == 0;
  if (facts->opencl_version >= 300) {
    facts->atomic_capabilities = (uint32_t)NUMBER(q, ATOMIC_MEMORY_CAPABILITIES);
    facts->has_sub_groups |= OPTIONAL_NUMBER(q, MAX_NUM_SUB_GROUPS) != 0;
  } else {
    facts->has_sub_groups |= facts->opencl_version >= 210;
  }
  if (facts->has_required_sub_group_size) facts->sub_group_sizes = sub_group_sizes(q);
  facts->local_memory_is_global = NUMBER(q, CL_DEVICE_LOCAL_MEM_TYPE) == CL_GLOBAL;
  facts->base_align_bytes = (uint32_t)NUMBER(q, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  facts->has_unified_memory = OPTIONAL_NUMBER(q, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
}

static void device_probe(const inquiry *q, scan_device_info *info) {
  info->memory_bytes = NUMBER(q, CL_DEVICE_GLOBAL_MEM_SIZE);
  info->max_alloc_bytes = NUMBER(q, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info->local_memory_bytes = NUMBER(q, CL_DEVICE_LOCAL_MEM_SIZE);
  info->compute_units = (uint32_t)NUMBER(q, CL_DEVICE_MAX_COMPUTE_UNITS);
  info->max_group_items = (uint32_t)NUMBER(q, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  info->has_fp64 = OPTIONAL_NUMBER(q, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  info->flushes_denormals = (NUMBER(q, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_DENORM) == 0;
  probe_facts(q, info);
}

scan_status scan_opencl_describe(const opencl_api *api, opencl_place place, int index, scan_caps *caps, cl_int *named,
                                 scan_error *error) {
  int lacks_memory = 0;
  char platform_name[64] = "", vendor[64], version[64], driver[60];
  *caps = (scan_caps){ .index = index, .id = place.device };
  scan_device_info *info = &caps->info;
  const inquiry q = { api, place.device, caps->fault, sizeof caps->fault, &lacks_memory };
  info->backend = SCAN_BACKEND_OPENCL;
  snprintf(info->selector, sizeof info->selector, "opencl:%d", index);
  const cl_int result =
      api->clGetPlatformInfo(place.platform, CL_PLATFORM_NAME, sizeof platform_name - 1, platform_name, NULL);
  if (named != NULL) *named = result;
  TEXT(&q, CL_DEVICE_NAME, info->name);
  if (info->name[0] == '\0') snprintf(info->name, sizeof info->name, "device without a name");
  TEXT(&q, CL_DEVICE_VENDOR, vendor);
  TEXT(&q, CL_DEVICE_VERSION, version);
  TEXT(&q, CL_DRIVER_VERSION, driver);
  snprintf(info->vendor, sizeof info->vendor, "%s, %.62s", platform_name, vendor);
  snprintf(info->driver, sizeof info->driver, "%.62s, driver %.50s", version, driver);
  device_probe(&q, info);
  if (lacks_memory)
    return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for the extensions of %s", info->selector);
  scan_caps_derive(caps, secure_getenv("SCANRT_TUNE"));
  return SCAN_SUCCESS;
}
