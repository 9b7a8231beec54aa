/* SPDX-License-Identifier: BSD-2-Clause */
/* scan_cuda.h: contexts, memory and streams that an application shares with CUDA. */
#include <scanrt/scan_cuda.h>

#include "api/shared.h"

scan_status scan_cuda_ctx_create(const scan_ctx_options *options, struct CUctx_st *context, struct CUstream_st *stream,
                                 scan_ctx **ctx) {
  const scan_adoption adoption = { context, stream, 1 };
  return scan_ctx_make("scan_cuda_ctx_create", options, SCAN_BACKEND_CUDA, &adoption, ctx);
}

scan_mem scan_cuda_mem(unsigned long long ptr, uint64_t bytes) {
  return (scan_mem){ .kind = SCAN_MEM_CUDA, .handle = (void *)(uintptr_t)ptr, .size_bytes = bytes };
}

unsigned long long scan_cuda_ptr(scan_mem mem) {
  if (mem.kind == SCAN_MEM_CUDA) return scan_mem_address(mem);
  const scan_memory *m = mem.kind == SCAN_MEM_ALLOCATED ? mem.handle : NULL;
  if (m == NULL || m->ctx->ops->id != SCAN_BACKEND_CUDA) return 0;
  return (uintptr_t)m->handle + mem.offset_bytes;
}

scan_status scan_cuda_stream(scan_ctx *ctx, struct CUstream_st **stream) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_cuda_stream"));
  if (stream == NULL) FAIL_INVALID("scan_cuda_stream: stream is NULL");
  if (ctx->ops->id != SCAN_BACKEND_CUDA)
    FAIL_INVALID("scan_cuda_stream: the context is on %s, not on CUDA", ctx->caps.info.selector);
  *stream = ctx->ops->queue(ctx->device);
  return SCAN_SUCCESS;
}
