/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the CUDA driver API that transports call, opened at run time. Types and numbers as the CUDA Driver
 * API reference gives them. */
#ifndef SCANRT_MPI_CUDA_DRIVER_H
#define SCANRT_MPI_CUDA_DRIVER_H

#include <stddef.h>

struct CUctx_st;
struct CUstream_st;
typedef struct CUctx_st *gpu_context;
typedef struct CUstream_st *gpu_stream;
typedef unsigned long long gpu_pointer;

/* Names a piece of device memory to other processes. */
typedef struct gpu_ipc_handle {
  char bytes[64];
} gpu_ipc_handle;

enum {
  GPU_OK = 0,
  GPU_OUT_OF_MEMORY = 2,
  GPU_PEER_ACCESS_ALREADY_ENABLED = 704,
  GPU_POINTER_CONTEXT = 1, /* CUpointer_attribute */
  GPU_STREAM_NON_BLOCKING = 1,
  GPU_HIGHEST_PRIORITY = -100, /* the driver takes the highest one that there is */
  GPU_IPC_LAZY_PEER_ACCESS = 1
};

/* GPU_FUNCTION(member, exported name, parameters); all return a CUresult. */
#define GPU_FUNCTIONS(GPU_FUNCTION)                                                                                    \
  GPU_FUNCTION(ctx_push, cuCtxPushCurrent_v2, (gpu_context))                                                           \
  GPU_FUNCTION(ctx_pop, cuCtxPopCurrent_v2, (gpu_context *))                                                           \
  GPU_FUNCTION(ctx_device, cuCtxGetDevice, (int *))                                                                    \
  GPU_FUNCTION(pointer_attribute, cuPointerGetAttribute, (void *, int, gpu_pointer))                                   \
  GPU_FUNCTION(mem_alloc, cuMemAlloc_v2, (gpu_pointer *, size_t))                                                      \
  GPU_FUNCTION(mem_free, cuMemFree_v2, (gpu_pointer))                                                                  \
  GPU_FUNCTION(mem_write, cuMemcpyHtoDAsync_v2, (gpu_pointer, const void *, size_t, gpu_stream))                       \
  GPU_FUNCTION(mem_read, cuMemcpyDtoHAsync_v2, (void *, gpu_pointer, size_t, gpu_stream))                              \
  GPU_FUNCTION(mem_copy, cuMemcpyDtoDAsync_v2, (gpu_pointer, gpu_pointer, size_t, gpu_stream))                         \
  GPU_FUNCTION(mem_copy_peer, cuMemcpyPeerAsync,                                                                       \
               (gpu_pointer, gpu_context, gpu_pointer, gpu_context, size_t, gpu_stream))                               \
  GPU_FUNCTION(can_access_peer, cuDeviceCanAccessPeer, (int *, int, int))                                              \
  GPU_FUNCTION(enable_peer, cuCtxEnablePeerAccess, (gpu_context, unsigned))                                            \
  GPU_FUNCTION(ipc_handle, cuIpcGetMemHandle, (gpu_ipc_handle *, gpu_pointer))                                         \
  GPU_FUNCTION(ipc_open, cuIpcOpenMemHandle_v2, (gpu_pointer *, gpu_ipc_handle, unsigned))                             \
  GPU_FUNCTION(ipc_close, cuIpcCloseMemHandle, (gpu_pointer))                                                          \
  GPU_FUNCTION(host_alloc, cuMemHostAlloc, (void **, size_t, unsigned))                                                \
  GPU_FUNCTION(host_free, cuMemFreeHost, (void *))                                                                     \
  GPU_FUNCTION(stream_create, cuStreamCreateWithPriority, (gpu_stream *, unsigned, int))                               \
  GPU_FUNCTION(stream_destroy, cuStreamDestroy_v2, (gpu_stream))                                                       \
  GPU_FUNCTION(stream_sync, cuStreamSynchronize, (gpu_stream))                                                         \
  GPU_FUNCTION(error_name, cuGetErrorName, (int, const char **))

typedef struct gpu_driver {
#define GPU_MEMBER(member, name, parameters) int(*member) parameters;
  GPU_FUNCTIONS(GPU_MEMBER)
#undef GPU_MEMBER
} gpu_driver;

#endif
