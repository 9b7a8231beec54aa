/* SPDX-License-Identifier: BSD-2-Clause */
/* An OpenCL driver with one device, for behaviour that is rare in real drivers. It aborts if two threads are in it
 * before its first context is made, fails to answer a query, or gives false sizes.
 *
 *   FAKE_OPENCL_FAILS=NUMBER         clGetDeviceInfo of this query returns CL_OUT_OF_HOST_MEMORY
 *   FAKE_OPENCL_UNKNOWN=NUMBER       clGetDeviceInfo of this query returns CL_INVALID_VALUE
 *   FAKE_OPENCL_BYTES=NUMBER         a false size of texts and lists
 *   FAKE_OPENCL_COUNT=NUMBER         a false number of platforms and devices
 *   FAKE_OPENCL_DEVICES=3,1          number of devices at the first listing, at the second, ...; the last number stays.
 *                                    Default 1
 *   FAKE_OPENCL_MOST_BYTES=NUMBER    largest allocation; larger ones return CL_INVALID_BUFFER_SIZE. Default 1 MiB
 *   FAKE_OPENCL_UNENDED=1            texts have no NUL: they fill the caller's buffer
 *   FAKE_OPENCL_VENDOR=nvidia        the device of vendors.c: nvidia, amd, intel. Default: one of no vendor
 *   FAKE_OPENCL_CLANG=PROGRAM        programs are checked by this clang (compiler.c). Default: every build fails */
#include "vendors.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  NV_COMPUTE_CAPABILITY_MAJOR = 0x4000,
  NV_COMPUTE_CAPABILITY_MINOR = 0x4001,
  NV_WARP_SIZE = 0x4003,
  ATOMIC_MEMORY_CAPABILITIES = 0x1063,
  ALL_ORDERS_AND_SCOPES = 0x7f,
  AMD_WAVEFRONT_WIDTH = 0x4043,
  INTEL_SUB_GROUP_SIZES = 0x4108,
  MOST_WRITTEN = 4096
};

/* The objects that handles point to. */
enum { MOST_DEVICES = 4 };
static int platform, devices[MOST_DEVICES], context, queue;

/* ---- first use ---- */

static atomic_int inside;

/* Enters a call, and aborts if another thread is in one. Sleeps so that concurrent threads meet here. */
static void enter(void) {
  const struct timespec a_while = { .tv_nsec = 2000000 };
  if (atomic_fetch_add(&inside, 1) != 0) abort();
  (void)nanosleep(&a_while, NULL);
}

static cl_int leave(cl_int result) {
  atomic_fetch_sub(&inside, 1);
  return result;
}

/* ---- answers ---- */

static unsigned long long wish(const char *name) {
  const char *text = getenv(name);
  return text != NULL ? strtoull(text, NULL, 0) : 0;
}

/* Writes as much of the value as fits. */
static cl_int answer(const void *value, size_t bytes, size_t room, void *to, size_t *size) {
  if (to != NULL) memcpy(to, value, bytes < room ? bytes : room);
  if (size != NULL) *size = bytes;
  return CL_SUCCESS;
}

cl_int fake_answer_long(const void *value, size_t bytes, size_t room, void *to, size_t *size) {
  const size_t known = (size_t)wish("FAKE_OPENCL_BYTES");
  if (known == 0) return answer(value, bytes, room, to, size);
  if (to != NULL && room > bytes) memset(to, 'x', room < MOST_WRITTEN ? room : MOST_WRITTEN);
  (void)answer(value, bytes, room, to, NULL);
  if (size != NULL) *size = known;
  return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t room, void *to, size_t *size) {
  if (wish("FAKE_OPENCL_UNENDED") == 0) return answer(text, strlen(text) + 1, room, to, size);
  if (to != NULL) memset(to, 'x', room);
  if (size != NULL) *size = room;
  return CL_SUCCESS;
}

static const char *text_of(cl_device_info which) {
  switch (which) {
  case CL_DEVICE_NAME: return "fake";
  case CL_DEVICE_VENDOR: return fake_vendor_now()->vendor;
  case CL_DEVICE_PROFILE: return "FULL_PROFILE";
  case CL_DEVICE_VERSION: return fake_vendor_now()->version;
  case CL_DEVICE_OPENCL_C_VERSION: return "OpenCL C 1.2 fake";
  case CL_DRIVER_VERSION: return "1";
  case CL_DEVICE_EXTENSIONS: return fake_vendor_now()->extensions;
  default: return NULL;
  }
}

static cl_ulong most_bytes(void) {
  const cl_ulong most = wish("FAKE_OPENCL_MOST_BYTES");
  return most != 0 ? most : 1 << 20;
}

static cl_ulong number_of(cl_device_info which) {
  switch (which) {
  case CL_DEVICE_TYPE: return CL_DEVICE_TYPE_GPU;
  case CL_DEVICE_MAX_COMPUTE_UNITS: return 4;
  case CL_DEVICE_MAX_WORK_GROUP_SIZE: return fake_vendor_now()->group_items;
  case NV_COMPUTE_CAPABILITY_MAJOR: return fake_vendor_now()->capability_major;
  case NV_COMPUTE_CAPABILITY_MINOR: return 0;
  case ATOMIC_MEMORY_CAPABILITIES: return ALL_ORDERS_AND_SCOPES;
  case NV_WARP_SIZE: return fake_vendor_now()->sub_group_items;
  case AMD_WAVEFRONT_WIDTH: return fake_vendor_now()->sub_group_items;
  case CL_DEVICE_MEM_BASE_ADDR_ALIGN: return 1024;
  case CL_DEVICE_LOCAL_MEM_TYPE: return CL_LOCAL;
  case CL_DEVICE_COMPILER_AVAILABLE: return CL_TRUE;
  case CL_DEVICE_SINGLE_FP_CONFIG: return CL_FP_DENORM;
  case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return most_bytes();
  default: return 1 << 20;
  }
}

EXPORT cl_int clGetDeviceInfo(cl_device_id id, cl_device_info which, size_t room, void *value, size_t *size) {
  static const size_t sizes[] = { 32 };
  const char *text = text_of(which);
  const cl_ulong number = number_of(which);
  (void)id;
  if (which == wish("FAKE_OPENCL_FAILS")) return CL_OUT_OF_HOST_MEMORY;
  if (which == wish("FAKE_OPENCL_UNKNOWN")) return CL_INVALID_VALUE;
  if (which == INTEL_SUB_GROUP_SIZES) {
    if (wish("FAKE_OPENCL_BYTES") == 0) return answer(sizes, sizeof sizes, room, value, size);
    (void)answer(sizes, sizeof sizes, room, value, NULL);
    if (size != NULL) *size = (size_t)1 << 16; /* larger than any list, but small enough for a stack */
    return CL_SUCCESS;
  }
  if (which == CL_DEVICE_EXTENSIONS) return fake_answer_long(text, strlen(text) + 1, room, value, size);
  if (text != NULL) return answer_text(text, room, value, size);
  return answer(&number, room < sizeof number ? room : sizeof number, room, value, size);
}

EXPORT cl_int clGetPlatformInfo(cl_platform_id id, cl_platform_info which, size_t room, void *value, size_t *size) {
  (void)id, (void)which;
  return answer_text("fake", room, value, size);
}

/* ---- devices, contexts, queues ---- */

/* Returns FAKE_OPENCL_COUNT, a false count, or else `count`. */
static cl_uint known(cl_uint count) {
  const unsigned long long wished = wish("FAKE_OPENCL_COUNT");
  return wished != 0 ? (cl_uint)wished : count;
}

EXPORT cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *ids, cl_uint *count) {
  enter();
  if (wish("FAKE_OPENCL_FAILS") == 1) return leave(CL_OUT_OF_HOST_MEMORY);
  if (ids != NULL && room > 0) ids[0] = (cl_platform_id)(void *)&platform;
  if (count != NULL) *count = known(1);
  return leave(CL_SUCCESS);
}

/* Returns the first number of FAKE_OPENCL_DEVICES, and removes it from the variable unless it is the last. */
static cl_uint devices_now(void) {
  const char *text = getenv("FAKE_OPENCL_DEVICES");
  if (text == NULL) return 1;
  const cl_uint now = (cl_uint)(text[0] - '0');
  if (text[1] == ',') {
    char rest[16];
    snprintf(rest, sizeof rest, "%s", text + 2);
    (void)setenv("FAKE_OPENCL_DEVICES", rest, 1);
  }
  return now <= MOST_DEVICES ? now : MOST_DEVICES;
}

EXPORT cl_int clGetDeviceIDs(cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *count) {
  (void)id, (void)type;
  enter();
  const cl_uint now = devices_now();
  for (cl_uint i = 0; ids != NULL && i < room && i < now; i++) ids[i] = (cl_device_id)(void *)&devices[i];
  if (count != NULL) *count = known(now);
  return leave(now == 0 ? CL_DEVICE_NOT_FOUND : CL_SUCCESS);
}

EXPORT cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
                                  void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                                  cl_int *result) {
  (void)properties, (void)count, (void)ids, (void)notify, (void)data;
  enter();
  *result = leave(CL_SUCCESS);
  return (cl_context)(void *)&context;
}

EXPORT cl_command_queue clCreateCommandQueue(cl_context of, cl_device_id id, cl_command_queue_properties properties,
                                             cl_int *result) {
  (void)of, (void)id, (void)properties;
  enter();
  *result = leave(CL_SUCCESS);
  return (cl_command_queue)(void *)&queue;
}

/* ---- memory: buffers without storage, each at an address of its own ---- */

EXPORT cl_mem clCreateBuffer(cl_context of, cl_mem_flags flags, size_t bytes, void *from, cl_int *result) {
  (void)of, (void)flags, (void)from;
  char *buffer = bytes <= most_bytes() ? malloc(1) : NULL;
  *result = buffer != NULL ? CL_SUCCESS : CL_INVALID_BUFFER_SIZE;
  return (cl_mem)(void *)buffer;
}

EXPORT cl_int clReleaseMemObject(cl_mem mem) {
  free(mem);
  return CL_SUCCESS;
}
