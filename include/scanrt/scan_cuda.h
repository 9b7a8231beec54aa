/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_cuda.h
 * @brief Use scanrt with a CUDA context, stream and memory that the application owns.
 *
 * No CUDA header is needed: the structs are declared as the CUDA driver API declares them, so CUcontext, CUstream,
 * cudaStream_t and CUdeviceptr values pass unchanged. The calling thread's current context is never changed, and there
 * need be none.
 *
 * CUDA graphs. What is captured from the context's stream holds runs of plans over memory of the device (scan_plan_run
 * and its like, and scan_run and its like where an earlier call has made their plan), and scan_copy; in every mode of
 * capture. Calls that allocate, load kernels, copy from or to the host, or wait (scan_plan_create, scan_alloc,
 * scan_free, scan_write, scan_read, scan_sync, scan_run over host memory or for the first time ...) return
 * SCAN_INVALID_ARGUMENT while the stream is captured: they do nothing, and the capture goes on. A scan_run that is
 * recorded waits for kernels that are being compiled in the background, so that the graph has the fastest ones. On
 * other streams, and in other threads, the library's calls neither end anybody's capture nor fail by it; but the
 * default stream takes nothing while a stream that waits for it is captured (capture one made with
 * CU_STREAM_NON_BLOCKING).
 *
 * A plan stays until no graph with its runs is launched any more. Launches of a plan's graphs, and its other runs, come
 * one after the other, on whatever streams; different plans may run at once. Once the application has waited for its
 * graphs, the next scan_sync or scan_read reports their errors (SCAN_OVERFLOW, SCAN_NO_PROGRESS).
 */
#ifndef SCANRT_SCAN_CUDA_H
#define SCANRT_SCAN_CUDA_H

#include <scanrt/scan.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUctx_st;
struct CUstream_st;

/**
 * Creates a context on the application's CUDA context and stream.
 * @param options       as for scan_ctx_create; `device` is ignored.
 * @param context       a CUcontext that outlives ctx, primary or made by cuCtxCreate; NULL: the thread's current one.
 *                      No other one is made or becomes active.
 * @param stream        the stream that scans are enqueued on, of that context, and which outlives ctx. NULL and
 *                      CU_STREAM_LEGACY: the context's default stream, also where the application was compiled with
 *                      default streams of threads. CU_STREAM_PER_THREAD: the calling thread's default stream; only
 *                      that thread can use ctx then, and any can destroy it.
 * @param[out] ctx      destroy with scan_ctx_destroy; neither context nor stream is destroyed with it.
 * @return SCAN_INVALID_ARGUMENT where there is no context, or the stream is of another one; SCAN_UNSUPPORTED below
 *         compute capability 7.5.
 */
SCAN_API scan_status scan_cuda_ctx_create(const scan_ctx_options *options, struct CUctx_st *context,
                                          struct CUstream_st *stream, scan_ctx **ctx);

/** Names device memory of the application's: of cuMemAlloc, cuMemAllocManaged, or in stream order cuMemAllocAsync.
 *  @param ptr a CUdeviceptr. @param bytes its size, 0: unchecked. */
SCAN_API scan_mem scan_cuda_mem(unsigned long long ptr, uint64_t bytes);

/** The CUdeviceptr behind memory of scan_alloc of a CUDA context, offset included; 0 if it is something else. */
SCAN_API unsigned long long scan_cuda_ptr(scan_mem mem);

/** The stream that the context's scans run on. @return SCAN_INVALID_ARGUMENT if ctx is not a CUDA context. */
SCAN_API scan_status scan_cuda_stream(scan_ctx *ctx, struct CUstream_st **stream);

#ifdef __cplusplus
}
#endif
#endif
