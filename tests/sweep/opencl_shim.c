/* SPDX-License-Identifier: BSD-2-Clause */
/* A library between the library under test and the OpenCL loader; $SCANRT_LIBOPENCL names it. It counts calls and
 * objects, and makes calls fail. A failing call does nothing: a failing release keeps its reference. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "sweep/opencl_shim.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static fault_plan faults;
static atomic_long objects;

EXPORT fault_plan *opencl_shim_faults(void) { return &faults; }
EXPORT long opencl_shim_objects(void) { return atomic_load(&objects); }

/* Returns the loader's function of this name. */
static void *find(const char *name) {
  static _Atomic(void *) loader;
  void *library = atomic_load(&loader);
  if (library == NULL) {
    library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    atomic_store(&loader, library);
  }
  void *symbol = library != NULL ? dlsym(library, name) : NULL;
  if (symbol == NULL) {
    fprintf(stderr, "the OpenCL shim: there is no %s\n", name);
    abort();
  }
  return symbol;
}

/* ISO C has no cast from an object to a function pointer. */
#define REAL(name)                                                                                                     \
  __typeof__(name) *real = NULL;                                                                                       \
  void *symbol_ = find(#name);                                                                                         \
  memcpy(&real, &symbol_, sizeof real)

static int count(cl_int result, int made) {
  if (result == CL_SUCCESS) atomic_fetch_add(&objects, made);
  return result;
}

/* SHIM(name, objects made, parameters, arguments): a function that returns a status. */
#define SHIM(name, made, parameters, arguments)                                                                        \
  EXPORT cl_int name parameters {                                                                                      \
    REAL(name);                                                                                                        \
    return fault_is_due(&faults, #name) ? CL_OUT_OF_RESOURCES : count(real arguments, (made));                         \
  }

/* MAKE(type, name, parameters, arguments): a function that makes an object and has a status as its last argument. */
#define MAKE(type, name, parameters, arguments)                                                                        \
  EXPORT type name parameters {                                                                                        \
    REAL(name);                                                                                                        \
    if (fault_is_due(&faults, #name)) {                                                                                \
      if (result != NULL) *result = CL_OUT_OF_RESOURCES;                                                               \
      return NULL;                                                                                                     \
    }                                                                                                                  \
    type made = real arguments;                                                                                        \
    if (made != NULL) atomic_fetch_add(&objects, 1);                                                                   \
    return made;                                                                                                       \
  }

/* WORK(name, parameters, arguments): a function that enqueues work and may return an event. */
#define WORK(name, parameters, arguments)                                                                              \
  EXPORT cl_int name parameters {                                                                                      \
    REAL(name);                                                                                                        \
    return fault_is_due(&faults, #name) ? CL_OUT_OF_RESOURCES : count(real arguments, event != NULL);                  \
  }

/* ---- platforms and devices ---- */

SHIM(clGetPlatformIDs, 0, (cl_uint room, cl_platform_id *ids, cl_uint *found), (room, ids, found))
SHIM(clGetPlatformInfo, 0, (cl_platform_id id, cl_platform_info which, size_t room, void *value, size_t *bytes),
     (id, which, room, value, bytes))
SHIM(clGetDeviceIDs, 0, (cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *found),
     (id, type, room, ids, found))
SHIM(clGetDeviceInfo, 0, (cl_device_id id, cl_device_info which, size_t room, void *value, size_t *bytes),
     (id, which, room, value, bytes))

EXPORT void *clGetExtensionFunctionAddressForPlatform(cl_platform_id id, const char *name) {
  REAL(clGetExtensionFunctionAddressForPlatform);
  return fault_is_due(&faults, "clGetExtensionFunctionAddressForPlatform") ? NULL : real(id, name);
}

/* ---- contexts and queues ---- */

MAKE(cl_context, clCreateContext,
     (const cl_context_properties *properties, cl_uint devices, const cl_device_id *ids,
      void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *result),
     (properties, devices, ids, notify, data, result))
SHIM(clRetainContext, 1, (cl_context context), (context))
SHIM(clReleaseContext, -1, (cl_context context), (context))
MAKE(cl_command_queue, clCreateCommandQueue,
     (cl_context context, cl_device_id id, cl_command_queue_properties properties, cl_int *result),
     (context, id, properties, result))
SHIM(clRetainCommandQueue, 1, (cl_command_queue queue), (queue))
SHIM(clReleaseCommandQueue, -1, (cl_command_queue queue), (queue))
SHIM(clGetCommandQueueInfo, 0,
     (cl_command_queue queue, cl_command_queue_info which, size_t room, void *value, size_t *bytes),
     (queue, which, room, value, bytes))

/* ---- memory ---- */

MAKE(cl_mem, clCreateBuffer, (cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *result),
     (context, flags, bytes, host, result))
SHIM(clReleaseMemObject, -1, (cl_mem memory), (memory))
SHIM(clGetMemObjectInfo, 0, (cl_mem memory, cl_mem_info which, size_t room, void *value, size_t *bytes),
     (memory, which, room, value, bytes))
WORK(clEnqueueFillBuffer,
     (cl_command_queue queue, cl_mem memory, const void *pattern, size_t pattern_bytes, size_t offset, size_t bytes,
      cl_uint waits, const cl_event *list, cl_event *event),
     (queue, memory, pattern, pattern_bytes, offset, bytes, waits, list, event))
WORK(clEnqueueWriteBuffer,
     (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t bytes, const void *from,
      cl_uint waits, const cl_event *list, cl_event *event),
     (queue, memory, blocking, offset, bytes, from, waits, list, event))
WORK(clEnqueueReadBuffer,
     (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t bytes, void *to, cl_uint waits,
      const cl_event *list, cl_event *event),
     (queue, memory, blocking, offset, bytes, to, waits, list, event))
WORK(clEnqueueCopyBuffer,
     (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes, cl_uint waits,
      const cl_event *list, cl_event *event),
     (queue, from, to, from_offset, to_offset, bytes, waits, list, event))

/* ---- programs and kernels ---- */

MAKE(cl_program, clCreateProgramWithSource,
     (cl_context context, cl_uint texts, const char **text, const size_t *bytes, cl_int *result),
     (context, texts, text, bytes, result))
MAKE(cl_program, clCreateProgramWithBinary,
     (cl_context context, cl_uint devices, const cl_device_id *ids, const size_t *bytes, const unsigned char **binaries,
      cl_int *each, cl_int *result),
     (context, devices, ids, bytes, binaries, each, result))
SHIM(clBuildProgram, 0,
     (cl_program program, cl_uint devices, const cl_device_id *ids, const char *options,
      void(CL_CALLBACK *notify)(cl_program, void *), void *data),
     (program, devices, ids, options, notify, data))
SHIM(clGetProgramInfo, 0, (cl_program program, cl_program_info which, size_t room, void *value, size_t *bytes),
     (program, which, room, value, bytes))
SHIM(clGetProgramBuildInfo, 0,
     (cl_program program, cl_device_id id, cl_program_build_info which, size_t room, void *value, size_t *bytes),
     (program, id, which, room, value, bytes))
SHIM(clReleaseProgram, -1, (cl_program program), (program))
MAKE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *result), (program, name, result))
SHIM(clReleaseKernel, -1, (cl_kernel kernel), (kernel))
SHIM(clSetKernelArg, 0, (cl_kernel kernel, cl_uint index, size_t bytes, const void *value),
     (kernel, index, bytes, value))

/* ---- work and waiting ---- */

WORK(clEnqueueNDRangeKernel,
     (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *items,
      const size_t *group, cl_uint waits, const cl_event *list, cl_event *event),
     (queue, kernel, dimensions, offset, items, group, waits, list, event))
WORK(clEnqueueMarkerWithWaitList, (cl_command_queue queue, cl_uint waits, const cl_event *list, cl_event *event),
     (queue, waits, list, event))
WORK(clEnqueueBarrierWithWaitList, (cl_command_queue queue, cl_uint waits, const cl_event *list, cl_event *event),
     (queue, waits, list, event))
SHIM(clWaitForEvents, 0, (cl_uint waits, const cl_event *list), (waits, list))
SHIM(clReleaseEvent, -1, (cl_event event), (event))
SHIM(clFlush, 0, (cl_command_queue queue), (queue))
SHIM(clFinish, 0, (cl_command_queue queue), (queue))

__attribute__((constructor)) static void begin(void) { fault_arm_from(&faults, "SCANRT_FAULT_OPENCL"); }
__attribute__((destructor)) static void end(void) { fault_report(&faults); }
