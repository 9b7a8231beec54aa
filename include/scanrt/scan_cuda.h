/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_cuda.h
 * @brief Use scanrt with a CUDA context, stream and memory that the application owns.
 *
 * No CUDA header is needed: the structs are declared as the CUDA driver API declares them, so CUcontext, CUstream,
 * cudaStream_t and CUdeviceptr values pass unchanged. The calling thread's current context is never changed.
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
 * @param context       a CUcontext that outlives ctx; NULL: the calling thread's current context.
 * @param stream        the stream that scans are enqueued on; NULL: the context's default stream.
 * @param[out] ctx      destroy with scan_ctx_destroy; neither context nor stream is destroyed with it.
 * @note Scans may be captured into a CUDA graph on that stream through scan_plan_run.
 */
SCAN_API scan_status scan_cuda_ctx_create(const scan_ctx_options *options, struct CUctx_st *context,
                                          struct CUstream_st *stream, scan_ctx **ctx);

/** Names device memory of the application's. @param ptr a CUdeviceptr. @param bytes its size, 0: unchecked. */
SCAN_API scan_mem scan_cuda_mem(unsigned long long ptr, uint64_t bytes);

/** The CUdeviceptr behind memory of scan_alloc of a CUDA context, offset included; 0 if it is something else. */
SCAN_API unsigned long long scan_cuda_ptr(scan_mem mem);

/** The stream that the context's scans run on. @return SCAN_INVALID_ARGUMENT if ctx is not a CUDA context. */
SCAN_API scan_status scan_cuda_stream(scan_ctx *ctx, struct CUstream_st **stream);

#ifdef __cplusplus
}
#endif
#endif
