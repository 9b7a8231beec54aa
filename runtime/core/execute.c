/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/execute.h"

#include <string.h>

#include "base/log.h"
#include "core/progress.h"

/* Launches a run and waits. If its look-back gives up, launches it once more without look-back, unless an earlier run
 * may have caused the failure: no run may be unchecked. Success restores the previous message. */
static scan_status launch_and_wait(scan_ctx *ctx, scan_operation *op) {
  const scan_operation_ops *ops = op->ops;
  const int is_repeatable =
      ops->is_repeatable != NULL && scan_plans_are_checked(ctx) && !op->plan->recordable && ops->is_repeatable(op);
  scan_error before;
  scan_error_copy(&before, &ctx->error);
  SCAN_TRY(ops->launch(ctx, op));
  scan_status status = scan_plans_wait(ctx);
  if (status != SCAN_NO_PROGRESS || !is_repeatable) return status;
  scan_log(SCAN_LOG_INFO, "%s; running again without look-back", ctx->error.text);
  SCAN_TRY(ops->retry(ctx, op));
  status = scan_plans_wait(ctx);
  if (status == SCAN_SUCCESS) scan_error_copy(&ctx->error, &before);
  return status;
}

/* Lowers the run's n to the number in n_from. This precedes the run, which may write the count to n_from. */
static scan_status read_n(scan_ctx *ctx, scan_operation *op) {
  uint64_t n;
  if (op->n_from.kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  SCAN_TRY(scan_number_read(ctx, op->n_from, &n));
  if (n < op->n) op->n = n;
  return SCAN_SUCCESS;
}

/* Executes a run over host memory. After an overflow the results are copied back, too: those before the first overflow
 * are right. */
static scan_status execute_staged(scan_ctx *ctx, scan_operation *op, scan_buffer_list *list) {
  SCAN_TRY(read_n(ctx, op));
  SCAN_TRY(scan_buffers_stage(ctx, list));
  const scan_status status = launch_and_wait(ctx, op);
  if (status != SCAN_SUCCESS && status != SCAN_OVERFLOW) return status;
  if (op->ops->count != NULL) SCAN_TRY(op->ops->count(ctx, op));
  for (int i = 0; i < list->count; i++) {
    const scan_buffer *b = &list->of[i];
    if (b->is_output) SCAN_TRY(scan_buffers_read_back(ctx, list, i, b->is_count ? 1 : op->ops->items(op, b->part)));
  }
  return status;
}

/* Writes the counts of a run of no elements. */
static scan_status clear_counts(scan_ctx *ctx, const scan_buffer_list *list) {
  for (int i = 0; i < list->count; i++) {
    const scan_buffer *b = &list->of[i];
    if (!b->is_count) continue;
    if (b->mem->kind == SCAN_MEM_HOST)
      memset(scan_mem_bytes(*b->mem), 0, (size_t)b->bytes);
    else
      SCAN_TRY(ctx->ops->fill(ctx->device, *b->mem, 0, b->bytes, &ctx->error));
  }
  return SCAN_SUCCESS;
}

/* Functions of their own, not inlined, so that a list takes stack only in calls that need it: the host's loops take
 * much of the stack. */
static __attribute__((noinline)) scan_status execute_nothing(scan_ctx *ctx, scan_operation *op) {
  scan_buffer_list list;
  op->ops->list(op, &list);
  return clear_counts(ctx, &list);
}

static __attribute__((noinline)) scan_status execute_on_device(scan_ctx *ctx, scan_operation *op) {
  scan_buffer_list list;
  op->ops->list(op, &list);
  if (scan_buffers_are_staged(ctx, &list)) return execute_staged(ctx, op, &list);
  if (ctx->ops->id == SCAN_BACKEND_CUDA) op->plan->recordable = 1;
  return op->ops->launch(ctx, op);
}

static scan_status launches_execute(scan_ctx *ctx, scan_operation *op) {
  if (op->plan == NULL) return execute_nothing(ctx, op);
  return ctx->ops->id == SCAN_BACKEND_HOST ? op->ops->launch(ctx, op) : execute_on_device(ctx, op);
}

scan_status scan_execute(scan_ctx *ctx, scan_operation *op, const scan_opencl_events *events) {
  SCAN_TRY(scan_events_wait(ctx, events));
  SCAN_TRY(launches_execute(ctx, op));
  return scan_events_leave(ctx, events);
}
