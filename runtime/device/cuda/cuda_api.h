/* SPDX-License-Identifier: BSD-2-Clause */
/* The CUDA driver API, opened at run time. Types and numbers as the CUDA Driver API reference gives them; no header of
 * the toolkit is needed to build. */
#ifndef SCANRT_CUDA_API_H
#define SCANRT_CUDA_API_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef int cuda_result; /* CUresult */
typedef int cuda_device; /* CUdevice */
typedef unsigned long long cuda_ptr;
typedef struct CUctx_st *cuda_context;
typedef struct CUstream_st *cuda_stream;
typedef struct CUmod_st *cuda_module;
typedef struct CUfunc_st *cuda_function;
typedef struct CUevent_st *cuda_event;

enum {
  CUDA_OK = 0,
  CUDA_INVALID_VALUE = 1,
  CUDA_OUT_OF_MEMORY = 2,
  CUDA_INVALID_IMAGE = 200,
  CUDA_NO_BINARY_FOR_GPU = 209,
  CUDA_INVALID_PTX = 218,
  CUDA_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_NOT_FOUND = 500,
  CUDA_CAPTURE_FIRST =
      900, /* first of the errors of calls that stream capture forbids; CUDA_CAPTURE_LAST is the last */
  CUDA_CAPTURE_IMPLICIT = 906,
  CUDA_CAPTURE_LAST = 908,

  CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CUDA_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,

  CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CUDA_ATTRIBUTE_CLUSTER_LAUNCH = 120,

  CUDA_FUNCTION_ATTRIBUTE_MAX_DYNAMIC_SHARED_BYTES = 8,
  CUDA_FUNCTION_ATTRIBUTE_NON_PORTABLE_CLUSTER = 14,

  CUDA_STREAM_NON_BLOCKING = 1,
  CUDA_CAPTURE_NONE = 0,         /* CUstreamCaptureStatus */
  CUDA_CAPTURE_MODE_RELAXED = 2, /* CUstreamCaptureMode */
  CUDA_EVENT_DISABLE_TIMING = 2
};

/* CUDA_STREAM_LEGACY, like NULL, names the context's default stream; CUDA_STREAM_PER_THREAD names each thread's own. */
#define CUDA_STREAM_LEGACY ((cuda_stream)(uintptr_t)1)
#define CUDA_STREAM_PER_THREAD ((cuda_stream)(uintptr_t)2)

/* CUDA_FUNCTION(member, exported name, parameters) */
#define CUDA_FUNCTIONS(CUDA_FUNCTION)                                                                                  \
  CUDA_FUNCTION(init, cuInit, (unsigned))                                                                              \
  CUDA_FUNCTION(driver_version, cuDriverGetVersion, (int *))                                                           \
  CUDA_FUNCTION(device_count, cuDeviceGetCount, (int *))                                                               \
  CUDA_FUNCTION(device_get, cuDeviceGet, (cuda_device *, int))                                                         \
  CUDA_FUNCTION(device_name, cuDeviceGetName, (char *, int, cuda_device))                                              \
  CUDA_FUNCTION(device_attribute, cuDeviceGetAttribute, (int *, int, cuda_device))                                     \
  CUDA_FUNCTION(device_memory, cuDeviceTotalMem_v2, (size_t *, cuda_device))                                           \
  CUDA_FUNCTION(primary_retain, cuDevicePrimaryCtxRetain, (cuda_context *, cuda_device))                               \
  CUDA_FUNCTION(primary_release, cuDevicePrimaryCtxRelease_v2, (cuda_device))                                          \
  CUDA_FUNCTION(ctx_push, cuCtxPushCurrent_v2, (cuda_context))                                                         \
  CUDA_FUNCTION(ctx_pop, cuCtxPopCurrent_v2, (cuda_context *))                                                         \
  CUDA_FUNCTION(ctx_current, cuCtxGetCurrent, (cuda_context *))                                                        \
  CUDA_FUNCTION(ctx_device, cuCtxGetDevice, (cuda_device *))                                                           \
  CUDA_FUNCTION(ctx_sync, cuCtxSynchronize, (void))                                                                    \
  CUDA_FUNCTION(mem_alloc, cuMemAlloc_v2, (cuda_ptr *, size_t))                                                        \
  CUDA_FUNCTION(mem_free, cuMemFree_v2, (cuda_ptr))                                                                    \
  CUDA_FUNCTION(mem_set, cuMemsetD8Async, (cuda_ptr, unsigned char, size_t, cuda_stream))                              \
  CUDA_FUNCTION(mem_write, cuMemcpyHtoDAsync_v2, (cuda_ptr, const void *, size_t, cuda_stream))                        \
  CUDA_FUNCTION(mem_read, cuMemcpyDtoHAsync_v2, (void *, cuda_ptr, size_t, cuda_stream))                               \
  CUDA_FUNCTION(mem_copy, cuMemcpyDtoDAsync_v2, (cuda_ptr, cuda_ptr, size_t, cuda_stream))                             \
  CUDA_FUNCTION(module_load, cuModuleLoadData, (cuda_module *, const void *))                                          \
  CUDA_FUNCTION(module_unload, cuModuleUnload, (cuda_module))                                                          \
  CUDA_FUNCTION(module_function, cuModuleGetFunction, (cuda_function *, cuda_module, const char *))                    \
  CUDA_FUNCTION(function_attribute, cuFuncGetAttribute, (int *, int, cuda_function))                                   \
  CUDA_FUNCTION(function_set_attribute, cuFuncSetAttribute, (cuda_function, int, int))                                 \
  CUDA_FUNCTION(launch, cuLaunchKernel,                                                                                \
                (cuda_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cuda_stream,     \
                 void **, void **))                                                                                    \
  CUDA_FUNCTION(stream_create, cuStreamCreate, (cuda_stream *, unsigned))                                              \
  CUDA_FUNCTION(stream_destroy, cuStreamDestroy_v2, (cuda_stream))                                                     \
  CUDA_FUNCTION(stream_sync, cuStreamSynchronize, (cuda_stream))                                                       \
  CUDA_FUNCTION(stream_context, cuStreamGetCtx, (cuda_stream, cuda_context *))                                         \
  CUDA_FUNCTION(stream_capturing, cuStreamIsCapturing, (cuda_stream, int *))                                           \
  CUDA_FUNCTION(capture_mode, cuThreadExchangeStreamCaptureMode, (int *))                                              \
  CUDA_FUNCTION(stream_wait, cuStreamWaitEvent, (cuda_stream, cuda_event, unsigned))                                   \
  CUDA_FUNCTION(event_create, cuEventCreate, (cuda_event *, unsigned))                                                 \
  CUDA_FUNCTION(event_destroy, cuEventDestroy_v2, (cuda_event))                                                        \
  CUDA_FUNCTION(event_record, cuEventRecord, (cuda_event, cuda_stream))                                                \
  CUDA_FUNCTION(event_sync, cuEventSynchronize, (cuda_event))                                                          \
  CUDA_FUNCTION(host_alloc, cuMemHostAlloc, (void **, size_t, unsigned))                                               \
  CUDA_FUNCTION(host_free, cuMemFreeHost, (void *))                                                                    \
  CUDA_FUNCTION(host_register, cuMemHostRegister_v2, (void *, size_t, unsigned))                                       \
  CUDA_FUNCTION(host_unregister, cuMemHostUnregister, (void *))                                                        \
  CUDA_FUNCTION(host_flags, cuMemHostGetFlags, (unsigned *, void *))                                                   \
  CUDA_FUNCTION(error_name, cuGetErrorName, (cuda_result, const char **))                                              \
  CUDA_FUNCTION(error_text, cuGetErrorString, (cuda_result, const char **))

typedef struct cuda_api {
#define CUDA_MEMBER(member, name, parameters) cuda_result(*member) parameters;
  CUDA_FUNCTIONS(CUDA_MEMBER)
#undef CUDA_MEMBER
} cuda_api;

/* Returns the driver, opened once per process; NULL, with the reason in `note`, if there is none. */
const cuda_api *scan_cuda_api_get(char *note, size_t note_bytes);

/* Words a failed driver call: "cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)". */
scan_status scan_cuda_fail(const cuda_api *api, scan_error *error, const char *call, cuda_result result);

/* The parts of an open device that calls in its context need. */
typedef struct cuda_objects {
  const cuda_api *api;
  cuda_context context;
  cuda_stream stream; /* the stream of the scans */
  pthread_t thread;   /* owner of the stream, if that is CUDA_STREAM_PER_THREAD */
} cuda_objects;

/* The kind of a call with respect to a stream that the application may be capturing into a graph. */
typedef enum cuda_manner {
  CUDA_ENQUEUES, /* puts work on the stream; a graph may record it */
  CUDA_ACTS,     /* allocates, loads, copies from or to the host, or waits; refused while the stream is captured */
  CUDA_ALWAYS    /* queries, or frees what no graph uses any more; never refused */
} cuda_manner;

/* The state to restore after a call in the context, between scan_cuda_enter and scan_cuda_leave. */
typedef struct cuda_visit {
  int capture_mode; /* the thread's mode before; -1: it was not changed */
} cuda_visit;

/* 1 if the stream is another thread's CUDA_STREAM_PER_THREAD. Waiting for its work then means waiting for the whole
 * CUDA context. */
int scan_cuda_is_foreign(const cuda_objects *cuda);

/* Makes the context current, such that a call of this kind neither invalidates a capture nor fails because of another
 * stream's capture. Refuses a call that the stream cannot take; then there is nothing to undo. */
scan_status scan_cuda_enter(const cuda_objects *cuda, cuda_manner manner, cuda_visit *visit, scan_error *error);

/* Restores the thread's context and capture mode. */
void scan_cuda_exit(const cuda_objects *cuda, const cuda_visit *visit);

/* Calls scan_cuda_exit, and words the fault if the call's result is one. */
scan_status scan_cuda_leave(const cuda_objects *cuda, const cuda_visit *visit, const char *call, cuda_result result,
                            scan_error *error);

/* Makes a call that needs no context or runs inside the current one. If the call fails, the function returns. */
#define CUDA_TRY(api, error, call, result)                                                                             \
  do {                                                                                                                 \
    const cuda_result result_ = (result);                                                                              \
    if (result_ != CUDA_OK) return scan_cuda_fail((api), (error), (call), result_);                                    \
  } while (0)

/* Makes a call in the context. If it fails, the function returns. */
#define CUDA_TRY_IN(cuda, manner, error, call, result)                                                                 \
  do {                                                                                                                 \
    cuda_visit visit_;                                                                                                 \
    scan_status status_ = scan_cuda_enter((cuda), (manner), &visit_, (error));                                         \
    if (status_ == SCAN_SUCCESS) status_ = scan_cuda_leave((cuda), &visit_, (call), (result), (error));                \
    if (status_ != SCAN_SUCCESS) return status_;                                                                       \
  } while (0)

#endif
