/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cuda_driver.h
 * @brief The CUDA driver API for the application's side of a test. It is opened at run time, so that tests build
 * without CUDA and are skipped where there is no driver.
 */
#ifndef SCANRT_TESTS_CUDA_DRIVER_H
#define SCANRT_TESTS_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

struct CUctx_st;
struct CUstream_st;
struct CUmod_st;
struct CUfunc_st;
struct CUevent_st;
typedef struct CUgraph_st *graph;
typedef struct CUgraphExec_st *graph_exec;

enum { CUDA_DRIVER_NOT_READY = 600, CUDA_DRIVER_NON_BLOCKING = 1 };

/** Special stream handles, and the capture modes of CUstreamCaptureMode. */
#define CUDA_DRIVER_LEGACY ((struct CUstream_st *)(uintptr_t)1)
#define CUDA_DRIVER_PER_THREAD ((struct CUstream_st *)(uintptr_t)2)
enum { CUDA_DRIVER_GLOBAL, CUDA_DRIVER_THREAD_LOCAL, CUDA_DRIVER_RELAXED, CUDA_DRIVER_MODES };

/** CUDA_DRIVER(member, exported name, parameters), declared as in the CUDA Driver API reference. */
#define CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER)                                                                             \
  CUDA_DRIVER(init, cuInit, (unsigned))                                                                                \
  CUDA_DRIVER(device_count, cuDeviceGetCount, (int *))                                                                 \
  CUDA_DRIVER(retain, cuDevicePrimaryCtxRetain, (struct CUctx_st **, int))                                             \
  CUDA_DRIVER(release, cuDevicePrimaryCtxRelease_v2, (int))                                                            \
  CUDA_DRIVER(primary_state, cuDevicePrimaryCtxGetState, (int, unsigned *, int *))                                     \
  CUDA_DRIVER(ctx_create, cuCtxCreate_v2, (struct CUctx_st **, unsigned, int))                                         \
  CUDA_DRIVER(ctx_destroy, cuCtxDestroy_v2, (struct CUctx_st *))                                                       \
  CUDA_DRIVER(push, cuCtxPushCurrent_v2, (struct CUctx_st *))                                                          \
  CUDA_DRIVER(pop, cuCtxPopCurrent_v2, (struct CUctx_st **))                                                           \
  CUDA_DRIVER(current, cuCtxGetCurrent, (struct CUctx_st **))                                                          \
  CUDA_DRIVER(stream_create, cuStreamCreate, (struct CUstream_st **, unsigned))                                        \
  CUDA_DRIVER(stream_destroy, cuStreamDestroy_v2, (struct CUstream_st *))                                              \
  CUDA_DRIVER(stream_sync, cuStreamSynchronize, (struct CUstream_st *))                                                \
  CUDA_DRIVER(stream_query, cuStreamQuery, (struct CUstream_st *))                                                     \
  CUDA_DRIVER(stream_wait, cuStreamWaitEvent, (struct CUstream_st *, struct CUevent_st *, unsigned))                   \
  CUDA_DRIVER(event_create, cuEventCreate, (struct CUevent_st **, unsigned))                                           \
  CUDA_DRIVER(event_destroy, cuEventDestroy_v2, (struct CUevent_st *))                                                 \
  CUDA_DRIVER(event_record, cuEventRecord, (struct CUevent_st *, struct CUstream_st *))                                \
  CUDA_DRIVER(alloc, cuMemAlloc_v2, (unsigned long long *, size_t))                                                    \
  CUDA_DRIVER(alloc_managed, cuMemAllocManaged, (unsigned long long *, size_t, unsigned))                              \
  CUDA_DRIVER(alloc_async, cuMemAllocAsync, (unsigned long long *, size_t, struct CUstream_st *))                      \
  CUDA_DRIVER(free, cuMemFree_v2, (unsigned long long))                                                                \
  CUDA_DRIVER(free_async, cuMemFreeAsync, (unsigned long long, struct CUstream_st *))                                  \
  CUDA_DRIVER(write, cuMemcpyHtoDAsync_v2, (unsigned long long, const void *, size_t, struct CUstream_st *))           \
  CUDA_DRIVER(read, cuMemcpyDtoHAsync_v2, (void *, unsigned long long, size_t, struct CUstream_st *))                  \
  CUDA_DRIVER(capture_begin, cuStreamBeginCapture_v2, (struct CUstream_st *, int))                                     \
  CUDA_DRIVER(capture_end, cuStreamEndCapture, (struct CUstream_st *, graph *))                                        \
  CUDA_DRIVER(instantiate, cuGraphInstantiateWithFlags, (graph_exec *, graph, unsigned long long))                     \
  CUDA_DRIVER(graph_launch, cuGraphLaunch, (graph_exec, struct CUstream_st *))                                         \
  CUDA_DRIVER(exec_destroy, cuGraphExecDestroy, (graph_exec))                                                          \
  CUDA_DRIVER(graph_destroy, cuGraphDestroy, (graph))                                                                  \
  CUDA_DRIVER(module_load, cuModuleLoadData, (struct CUmod_st **, const void *))                                       \
  CUDA_DRIVER(module_unload, cuModuleUnload, (struct CUmod_st *))                                                      \
  CUDA_DRIVER(module_function, cuModuleGetFunction, (struct CUfunc_st **, struct CUmod_st *, const char *))            \
  CUDA_DRIVER(launch, cuLaunchKernel,                                                                                  \
              (struct CUfunc_st *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,               \
               struct CUstream_st *, void **, void **))

struct cuda_driver {
#define CUDA_DRIVER_MEMBER(member, name, parameters) int(*member) parameters;
  CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_MEMBER)
#undef CUDA_DRIVER_MEMBER
};

/** The open driver; valid after cuda_driver_load. */
extern struct cuda_driver cu;

/** Opens the driver, $SCANRT_LIBCUDA or the real one, and returns the number of its devices. Without a driver or a
 * device the program ends with 77 and a notice; if the driver lacks a function, with 1. */
int cuda_driver_load(void);

/** Calls cuda_driver_load and retains the device's primary context. Without that device the program ends with 77. */
struct CUctx_st *cuda_driver_open(int device);

/** Fails the running test unless a driver call returned 0. */
void cuda_ok(int result, const char *call);

/** Makes a context by cuCtxCreate that is current in no thread. */
struct CUctx_st *cuda_context_make(int device);

/** Retains a device's primary context. */
struct CUctx_st *cuda_context_primary(int device);

/** Makes a stream of a context; destroys one. The thread's current context stays. */
struct CUstream_st *cuda_stream_make(struct CUctx_st *context, unsigned flags);
void cuda_stream_drop(struct CUctx_st *context, struct CUstream_st *stream);

/** Ends a stream's capture. Returns the graph, which the test destroys. */
graph_exec cuda_end_capture(struct CUstream_st *stream);

/** 1 if the driver is tests/fake_cuda. */
int cuda_driver_is_fake(void);

/** Returns a misuse that the fake driver noted, or else the contexts, memory, modules, streams and graphs that are left
 * in it. Returns "" if there are none, and for a real driver. */
const char *cuda_driver_fault(void);

/** A test's teardown: prints cuda_driver_fault. Returns 1 if there is one. */
int cuda_driver_teardown(void **state);

#endif
