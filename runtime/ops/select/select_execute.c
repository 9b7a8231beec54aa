/* SPDX-License-Identifier: BSD-2-Clause */
/* The executor's operations of compactions. */
#include "core/execute.h"
#include "ops/select/select_run.h"
#include "core/regions.h"

scan_status scan_select_kept_read(scan_plan *plan, const scan_select_run *run, uint64_t *kept) {
  return scan_number_read(plan->ctx, scan_mem_or(run->memory.count, scan_region_of(plan, SCAN_REGION_COUNT)), kept);
}

static void select_list(scan_operation *op, scan_buffer_list *list) {
  scan_select_run *run = op->run;
  scan_select_buffers(run->form, run, list);
}

static scan_status select_launch(scan_ctx *ctx, scan_operation *op) {
  (void)ctx;
  return scan_select_launch(op->plan, op->run);
}

static scan_status select_count(scan_ctx *ctx, scan_operation *op) {
  (void)ctx;
  return scan_select_kept_read(op->plan, op->run, &op->kept[0]);
}

static uint64_t select_items(const scan_operation *op, uint32_t part) {
  const scan_select_run *run = op->run;
  const int is_rest = part == SCAN_SELECT_PART_REST;
  const uint64_t room = is_rest ? run->memory.rest_capacity : run->memory.capacity;
  const uint64_t kept = run->form->rest == SCAN_REST_BEHIND ? op->n : op->kept[0];
  const uint64_t written = is_rest ? op->n - op->kept[0] : kept;
  return written < room ? written : room;
}

/* Only a reduction by key can be repeated, because its scan has a method without look-back. */
static int is_repeatable(const scan_operation *op) {
  const scan_select_run *run = op->run;
  return run->reduced != NULL;
}

static scan_status select_retry(scan_ctx *ctx, scan_operation *op) {
  const scan_plan *inner = op->plan->inner;
  if (inner == NULL || inner->fallback == NULL) return SCAN_NO_PROGRESS;
  return select_launch(ctx, op);
}

static const scan_operation_ops select_ops = { .list = select_list,
                                               .launch = select_launch,
                                               .count = select_count,
                                               .items = select_items,
                                               .is_repeatable = is_repeatable,
                                               .retry = select_retry };

scan_status scan_select_execute(scan_ctx *ctx, scan_plan *plan, scan_select_run *run,
                                const scan_opencl_events *events) {
  scan_operation op = { .ops = &select_ops, .plan = plan, .run = run, .n = run->n, .n_from = run->memory.n_from };
  return scan_execute(ctx, &op, events);
}
