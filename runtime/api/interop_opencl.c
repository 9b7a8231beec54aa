/* SPDX-License-Identifier: BSD-2-Clause */
/* scan_opencl.h: contexts, memory, queues and events that an application shares with OpenCL. */
#include <scanrt/scan_opencl.h>

#include "api/shared.h"

scan_status scan_opencl_ctx_create(const scan_ctx_options *options, struct _cl_context *context,
                                   struct _cl_command_queue *queue, scan_ctx **ctx) {
  const scan_adoption adoption = { context, queue, 1 };
  return scan_ctx_make("scan_opencl_ctx_create", options, SCAN_BACKEND_OPENCL, &adoption, ctx);
}

scan_mem scan_opencl_mem(struct _cl_mem *buffer, uint64_t offset_bytes) {
  return (scan_mem){ .kind = SCAN_MEM_OPENCL, .handle = buffer, .offset_bytes = offset_bytes };
}

scan_mem scan_opencl_svm(void *pointer, uint64_t bytes) {
  return (scan_mem){ .kind = SCAN_MEM_SVM, .handle = pointer, .size_bytes = bytes };
}

scan_mem scan_opencl_usm(void *pointer, uint64_t bytes) {
  return (scan_mem){ .kind = SCAN_MEM_USM, .handle = pointer, .size_bytes = bytes };
}

struct _cl_mem *scan_opencl_buffer(scan_mem mem) {
  if (mem.kind == SCAN_MEM_OPENCL) return mem.handle;
  const scan_memory *m = mem.kind == SCAN_MEM_ALLOCATED ? mem.handle : NULL;
  return m != NULL && m->ctx->ops->id == SCAN_BACKEND_OPENCL ? m->handle : NULL;
}

scan_status scan_opencl_queue(scan_ctx *ctx, struct _cl_command_queue **queue) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_opencl_queue"));
  if (queue == NULL) FAIL_INVALID("scan_opencl_queue: queue is NULL");
  if (ctx->ops->id != SCAN_BACKEND_OPENCL)
    FAIL_INVALID("scan_opencl_queue: the context is on %s, not on OpenCL", ctx->caps.info.selector);
  *queue = ctx->ops->queue(ctx->device);
  return SCAN_SUCCESS;
}
