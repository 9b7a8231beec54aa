/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_cuda_api.h @brief The driver functions that bench_cuda.c uses, as the CUDA Driver API reference
 * declares them. tests/fake_cuda implements them, too. */
#ifndef SCANRT_CLI_BENCH_CUDA_API_H
#define SCANRT_CLI_BENCH_CUDA_API_H

#include <stddef.h>

struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUmod_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphExec_st;

/* BENCH_CUDA_FUNCTION(member, exported name, parameters) */
#define BENCH_CUDA_FUNCTIONS(BENCH_CUDA_FUNCTION)                                                                      \
  BENCH_CUDA_FUNCTION(init, cuInit, (unsigned))                                                                        \
  BENCH_CUDA_FUNCTION(device_get, cuDeviceGet, (int *, int))                                                           \
  BENCH_CUDA_FUNCTION(primary_retain, cuDevicePrimaryCtxRetain, (struct CUctx_st **, int))                             \
  BENCH_CUDA_FUNCTION(primary_release, cuDevicePrimaryCtxRelease_v2, (int))                                            \
  BENCH_CUDA_FUNCTION(ctx_push, cuCtxPushCurrent_v2, (struct CUctx_st *))                                              \
  BENCH_CUDA_FUNCTION(ctx_pop, cuCtxPopCurrent_v2, (struct CUctx_st **))                                               \
  BENCH_CUDA_FUNCTION(stream_create, cuStreamCreate, (struct CUstream_st **, unsigned))                                \
  BENCH_CUDA_FUNCTION(stream_destroy, cuStreamDestroy_v2, (struct CUstream_st *))                                      \
  BENCH_CUDA_FUNCTION(stream_sync, cuStreamSynchronize, (struct CUstream_st *))                                        \
  BENCH_CUDA_FUNCTION(copy_in, cuMemcpyHtoDAsync_v2, (unsigned long long, const void *, size_t, struct CUstream_st *)) \
  BENCH_CUDA_FUNCTION(copy_out, cuMemcpyDtoHAsync_v2, (void *, unsigned long long, size_t, struct CUstream_st *))      \
  BENCH_CUDA_FUNCTION(event_create, cuEventCreate, (struct CUevent_st **, unsigned))                                   \
  BENCH_CUDA_FUNCTION(event_destroy, cuEventDestroy_v2, (struct CUevent_st *))                                         \
  BENCH_CUDA_FUNCTION(event_record, cuEventRecord, (struct CUevent_st *, struct CUstream_st *))                        \
  BENCH_CUDA_FUNCTION(event_sync, cuEventSynchronize, (struct CUevent_st *))                                           \
  BENCH_CUDA_FUNCTION(event_elapsed, cuEventElapsedTime, (float *, struct CUevent_st *, struct CUevent_st *))          \
  BENCH_CUDA_FUNCTION(module_load, cuModuleLoadData, (struct CUmod_st **, const void *))                               \
  BENCH_CUDA_FUNCTION(module_unload, cuModuleUnload, (struct CUmod_st *))                                              \
  BENCH_CUDA_FUNCTION(module_function, cuModuleGetFunction, (struct CUfunc_st **, struct CUmod_st *, const char *))    \
  BENCH_CUDA_FUNCTION(launch, cuLaunchKernel,                                                                          \
                      (struct CUfunc_st *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,       \
                       struct CUstream_st *, void **, void **))                                                        \
  BENCH_CUDA_FUNCTION(capture_begin, cuStreamBeginCapture_v2, (struct CUstream_st *, int))                             \
  BENCH_CUDA_FUNCTION(capture_end, cuStreamEndCapture, (struct CUstream_st *, struct CUgraph_st **))                   \
  BENCH_CUDA_FUNCTION(graph_instantiate, cuGraphInstantiateWithFlags,                                                  \
                      (struct CUgraphExec_st **, struct CUgraph_st *, unsigned long long))                             \
  BENCH_CUDA_FUNCTION(graph_launch, cuGraphLaunch, (struct CUgraphExec_st *, struct CUstream_st *))                    \
  BENCH_CUDA_FUNCTION(exec_destroy, cuGraphExecDestroy, (struct CUgraphExec_st *))                                     \
  BENCH_CUDA_FUNCTION(graph_destroy, cuGraphDestroy, (struct CUgraph_st *))                                            \
  BENCH_CUDA_FUNCTION(error_name, cuGetErrorName, (int, const char **))                                                \
  BENCH_CUDA_FUNCTION(error_text, cuGetErrorString, (int, const char **))

typedef struct bench_cuda_api {
#define BENCH_CUDA_MEMBER(member, name, parameters) int(*member) parameters;
  BENCH_CUDA_FUNCTIONS(BENCH_CUDA_MEMBER)
#undef BENCH_CUDA_MEMBER
} bench_cuda_api;

#endif
