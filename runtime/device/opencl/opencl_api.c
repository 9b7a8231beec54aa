/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/opencl/opencl_api.h"

#include <stddef.h>
#include <stdio.h>

#include "base/library.h"

static const library_function functions[] = {
#define OPENCL_ENTRY(name) { #name, offsetof(opencl_api, name), 0 },
  OPENCL_FUNCTIONS(OPENCL_ENTRY)
#undef OPENCL_ENTRY
#define OPENCL_ENTRY(name, parameters) { #name, offsetof(opencl_api, name), 1 },
      OPENCL_LATER_FUNCTIONS(OPENCL_ENTRY)
#undef OPENCL_ENTRY
};

const opencl_api *scan_opencl_api_get(char *note, size_t note_bytes) {
  static library_loader loader = { .lock = PTHREAD_MUTEX_INITIALIZER };
  static opencl_api api;
  const size_t count = sizeof functions / sizeof functions[0];
  return scan_library_load(&loader, "SCANRT_LIBOPENCL", "libOpenCL.so.1", functions, count, &api, note, note_bytes)
             ? &api
             : NULL;
}

static const struct {
  cl_int code;
  const char *name;
} names[] = {
#define NAME(code)                                                                                                     \
  { code, #code }
  NAME(CL_DEVICE_NOT_FOUND),         NAME(CL_DEVICE_NOT_AVAILABLE),
  NAME(CL_COMPILER_NOT_AVAILABLE),   NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
  NAME(CL_OUT_OF_RESOURCES),         NAME(CL_OUT_OF_HOST_MEMORY),
  NAME(CL_BUILD_PROGRAM_FAILURE),    NAME(CL_INVALID_VALUE),
  NAME(CL_INVALID_DEVICE),           NAME(CL_INVALID_CONTEXT),
  NAME(CL_INVALID_QUEUE_PROPERTIES), NAME(CL_INVALID_COMMAND_QUEUE),
  NAME(CL_INVALID_MEM_OBJECT),       NAME(CL_INVALID_BUILD_OPTIONS),
  NAME(CL_INVALID_PROGRAM),          NAME(CL_INVALID_PROGRAM_EXECUTABLE),
  NAME(CL_INVALID_KERNEL_NAME),      NAME(CL_INVALID_KERNEL),
  NAME(CL_INVALID_ARG_INDEX),        NAME(CL_INVALID_ARG_VALUE),
  NAME(CL_INVALID_ARG_SIZE),         NAME(CL_INVALID_KERNEL_ARGS),
  NAME(CL_INVALID_WORK_GROUP_SIZE),  NAME(CL_INVALID_GLOBAL_WORK_SIZE),
  NAME(CL_INVALID_EVENT_WAIT_LIST),  NAME(CL_INVALID_BUFFER_SIZE),
  NAME(CL_MEM_COPY_OVERLAP),         NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
  NAME(CL_INVALID_OPERATION),        { OPENCL_NO_PLATFORM, "CL_PLATFORM_NOT_FOUND_KHR" },
#undef NAME
};

static scan_status status_of(cl_int result) {
  switch (result) {
  case CL_MEM_OBJECT_ALLOCATION_FAILURE:
  case CL_OUT_OF_HOST_MEMORY:
  case CL_INVALID_BUFFER_SIZE: return SCAN_OUT_OF_MEMORY;
  case CL_BUILD_PROGRAM_FAILURE:
  case CL_COMPILER_NOT_AVAILABLE:
  case CL_INVALID_BUILD_OPTIONS: return SCAN_BUILD_FAILED;
  case CL_INVALID_MEM_OBJECT:
  case CL_MISALIGNED_SUB_BUFFER_OFFSET:
  case CL_INVALID_EVENT_WAIT_LIST: return SCAN_INVALID_ARGUMENT;
  default: return SCAN_DEVICE_ERROR;
  }
}

const char *scan_opencl_result_name(cl_int result) {
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].code == result) return names[i].name;
  return "unknown error";
}

scan_status scan_opencl_fail(scan_error *error, const char *call, cl_int result) {
  return scan_fail(error, status_of(result), "%s failed: %s (%d)", call, scan_opencl_result_name(result), result);
}
