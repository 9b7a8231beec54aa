/* SPDX-License-Identifier: BSD-2-Clause */
/* scan_opencl.h: contexts, memory, queues and events that an application shares with OpenCL. */
#include <scanrt/scan_opencl.h>

#include "api/context.h"
#include "api/run.h"
#include "core/carry.h"
#include "device/opencl/opencl_interop.h"

scan_status scan_opencl_ctx_create(const scan_ctx_options *options, struct _cl_context *context,
                                   struct _cl_command_queue *queue, scan_ctx **ctx) {
  const scan_adoption adoption = { context, queue, 1 };
  const scan_caps caps = { .info = { .backend = SCAN_BACKEND_OPENCL } };
  scan_error *error = scan_thread_error();
  scan_ctx_options checked;
  if (ctx == NULL) return scan_fail(error, SCAN_INVALID_ARGUMENT, "scan_opencl_ctx_create: ctx is NULL");
  const scan_status status = scan_ctx_options_check(options, &checked, error);
  return status != SCAN_SUCCESS ? status : scan_ctx_open(&checked, &caps, &adoption, ctx);
}

scan_mem scan_opencl_mem(struct _cl_mem *buffer, uint64_t offset_bytes) {
  return (scan_mem){ .kind = SCAN_MEM_OPENCL, .handle = buffer, .offset_bytes = offset_bytes };
}

struct _cl_mem *scan_opencl_buffer(scan_mem mem) {
  if (mem.kind == SCAN_MEM_OPENCL) return mem.handle;
  const scan_memory *m = mem.kind == SCAN_MEM_ALLOCATED ? mem.handle : NULL;
  return m != NULL && m->ctx->ops->id == SCAN_BACKEND_OPENCL ? m->handle : NULL;
}

scan_status scan_opencl_queue(scan_ctx *ctx, struct _cl_command_queue **queue) {
  const scan_status status = scan_ctx_enter(ctx, "scan_opencl_queue");
  if (status != SCAN_SUCCESS) return status;
  if (queue == NULL) return scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT, "scan_opencl_queue: queue is NULL");
  if (ctx->ops->id != SCAN_BACKEND_OPENCL)
    return scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT, "scan_opencl_queue: the context is on %s, not on OpenCL",
                     ctx->caps.info.selector);
  *queue = opencl_device_queue(ctx->device);
  return SCAN_SUCCESS;
}

static scan_status enqueue_with_events(scan_plan *plan, uint64_t n, scan_mem in, scan_mem out, uint32_t wait_count,
                                       struct _cl_event *const *waits, struct _cl_event **event) {
  scan_ctx *ctx = plan->ctx;
  uint32_t flags;
  scan_status status = scan_plan_run_check(plan, n, &in, &out, &flags);
  if (status != SCAN_SUCCESS) return status; /* before anything is in the queue */
  if (wait_count > 0) status = opencl_device_wait(ctx->device, wait_count, waits, &ctx->error);
  if (status != SCAN_SUCCESS) return status;
  status =
      n > 0 ? scan_plan_launch(plan, &plan->problem, n, in, out, flags) : scan_carry_pass(plan, &plan->problem, out);
  if (status != SCAN_SUCCESS || event == NULL) return status;
  return opencl_device_mark(ctx->device, event, &ctx->error);
}

scan_status scan_opencl_plan_run(scan_plan *plan, uint64_t n, scan_mem in, scan_mem out, uint32_t wait_count,
                                 struct _cl_event *const *wait_list, struct _cl_event **event) {
  const scan_status status = scan_plan_enter(plan, "scan_opencl_plan_run");
  if (status != SCAN_SUCCESS) return status;
  if ((wait_count == 0) != (wait_list == NULL))
    return scan_fail(&plan->ctx->error, SCAN_INVALID_ARGUMENT,
                     "scan_opencl_plan_run: wait_count is %u and wait_list is %sNULL", wait_count,
                     wait_list ? "not " : "");
  if (plan->ctx->ops->id != SCAN_BACKEND_OPENCL)
    return scan_fail(&plan->ctx->error, SCAN_INVALID_ARGUMENT,
                     "scan_opencl_plan_run: the plan's context is on %s, not on OpenCL", plan->ctx->caps.info.selector);
  return enqueue_with_events(plan, n, in, out, wait_count, wait_list, event);
}
