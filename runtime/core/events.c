/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/events.h"

#include "base/structs.h"

scan_status scan_events_copy_in(scan_ctx *ctx, const scan_opencl_events *given, scan_opencl_events *events) {
  *events = (scan_opencl_events)SCAN_OPENCL_EVENTS_INIT;
  if (given == NULL) return SCAN_SUCCESS;
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_opencl_events, events, given, "args->opencl", &ctx->error));
  if ((events->wait_count == 0) != (events->wait_list == NULL))
    FAIL_INVALID("args->opencl->wait_count is %u and wait_list is %sNULL", events->wait_count,
                 events->wait_list ? "not " : "");
  if (ctx->ops->events_wait == NULL)
    FAIL_INVALID("args->opencl: the context is on %s, not on OpenCL", ctx->caps.info.selector);
  return SCAN_SUCCESS;
}

scan_status scan_events_wait(scan_ctx *ctx, const scan_opencl_events *events) {
  if (events->wait_count == 0) return SCAN_SUCCESS;
  return ctx->ops->events_wait(ctx->device, events->wait_count, events->wait_list, &ctx->error);
}

scan_status scan_events_leave(scan_ctx *ctx, const scan_opencl_events *events) {
  if (events->event == NULL) return SCAN_SUCCESS;
  return ctx->ops->event_mark(ctx->device, events->event, &ctx->error);
}
