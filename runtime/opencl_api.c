/* SPDX-License-Identifier: BSD-2-Clause */
#include "embedded.h"

#if SCANRT_HAVE_OPENCL
#include "opencl_api.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#include "backend.h"
#include "library.h"

static struct {
  pthread_mutex_t lock;
  int tried, usable;
  opencl_api api;
  char note[256];
} loader = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const struct {
  const char *name;
  size_t offset;
} functions[] = {
#define OPENCL_ENTRY(name) { #name, offsetof(opencl_api, name) },
  OPENCL_FUNCTIONS(OPENCL_ENTRY)
#undef OPENCL_ENTRY
};

/* Called once, under the lock. The library stays open: drivers do not survive being unloaded. */
static int load(void) {
  void *library =
      library_open(scan_library_name("SCANRT_LIBOPENCL", "libOpenCL.so.1"), loader.note, sizeof loader.note);
  if (library == NULL) return 0;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (!library_symbol(library, functions[i].name, (char *)&loader.api + functions[i].offset, loader.note,
                        sizeof loader.note))
      return 0;
  return 1;
}

const opencl_api *opencl_api_get(char *note, size_t note_bytes) {
  pthread_mutex_lock(&loader.lock);
  if (!loader.tried) loader.usable = load();
  loader.tried = 1;
  pthread_mutex_unlock(&loader.lock);
  if (loader.usable) return &loader.api;
  snprintf(note, note_bytes, "%s", loader.note);
  return NULL;
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
  NAME(CL_MEM_COPY_OVERLAP),         { -1001, "CL_PLATFORM_NOT_FOUND_KHR" },
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
  case CL_INVALID_EVENT_WAIT_LIST: return SCAN_INVALID_ARGUMENT;
  default: return SCAN_DEVICE_ERROR;
  }
}

scan_status opencl_fail(scan_error *error, const char *call, cl_int result) {
  const char *name = "unknown error";
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].code == result) name = names[i].name;
  return scan_fail(error, status_of(result), "%s failed: %s (%d)", call, name, result);
}
#endif
