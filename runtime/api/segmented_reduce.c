/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of segmented reductions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/execute.h"
#include "core/progress.h"
#include "core/regions.h"
#include "ops/scan/carry.h"
#include "ops/scan/scan_plan.h"
#include "ops/scan/segmented_reduce.h"
#include "ops/scan/validate.h"
#include "ops/select/runs_check.h"

static void list_buffers(scan_operation *op, scan_buffer_list *list) { scan_segmented_reduce_list(op->run, list); }

/* Launches the scan in segments, whose output is a region of the workspace. */
static scan_status launch_run(scan_ctx *ctx, scan_operation *op) {
  const scan_segmented_run *run = op->run;
  scan_problem problem = run->problem;
  const scan_operands operands = { .problem = &problem,
                                   .in = run->values,
                                   .out =
                                       scan_mem_or(scan_region_of(op->plan, SCAN_REGION_VALUES), op->plan->workspace),
                                   .n = run->n };
  (void)ctx;
  return scan_plan_launch(op->plan, &operands, 0);
}

static uint64_t run_items(const scan_operation *op, uint32_t part) {
  const scan_segmented_run *run = op->run;
  (void)part;
  return run->problem.segments.count;
}

static const scan_operation_ops operation_ops = { .list = list_buffers, .launch = launch_run, .items = run_items };

/* Writes the results of segments that all have no elements, because there are none. */
static scan_status write_empty(scan_ctx *ctx, const scan_problem *problem) {
  enum { MOST_ITEMS = 1024 };
  const uint64_t bytes = scan_problem_output_bytes(problem), count = problem->segments.count;
  uint64_t empty[1 + SCAN_SEED_MORE_WORDS] = { 0 };
  if (count == 0 || !scan_problem_has_start(problem)) return SCAN_SUCCESS;
  scan_seed_output(problem, problem->seed, empty);
  unsigned char *all = malloc(MOST_ITEMS * bytes);
  if (all == NULL) return scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for results");
  for (uint64_t i = 0; i < MOST_ITEMS; i++) memcpy(all + i * bytes, empty, bytes);
  scan_status status = SCAN_SUCCESS;
  for (uint64_t i = 0; i < count && status == SCAN_SUCCESS; i += MOST_ITEMS) {
    const uint64_t items = count - i < MOST_ITEMS ? count - i : MOST_ITEMS;
    const scan_mem at = scan_offset(problem->totals, i * bytes);
    if (at.kind == SCAN_MEM_HOST)
      memcpy(scan_mem_bytes(at), all, items * bytes);
    else
      status = ctx->ops->write(ctx->device, at, all, items * bytes, &ctx->error);
  }
  free(all);
  return status;
}

static scan_status execute(scan_ctx *ctx, scan_plan *plan, scan_segmented_run *run, const scan_opencl_events *events) {
  scan_operation op = { .ops = &operation_ops, .plan = plan, .run = run, .n = run->n };
  if (plan != NULL && run->problem.segments.count > 0) return scan_execute(ctx, &op, events);
  SCAN_TRY(scan_events_wait(ctx, events));
  SCAN_TRY(write_empty(ctx, &run->problem));
  return scan_events_leave(ctx, events);
}

/* Returns the status of a call that reduced, or else of the overflows that it noted on the host, where it has waited.
 */
static scan_status report(scan_ctx *ctx, const scan_problem *problem, scan_status status) {
  const int reports = problem->checks && ctx->ops->id == SCAN_BACKEND_HOST;
  return status == SCAN_SUCCESS && reports ? scan_plans_check(ctx) : status;
}

/* ---- segments by offsets ---- */

static scan_status reduce_offsets(scan_ctx *ctx, const scan_spec *spec, uint64_t n,
                                  const scan_segmented_reduce_args *args) {
  scan_segmented_run run = { .n = n };
  scan_opencl_events events;
  scan_plan *plan = NULL;
  SCAN_TRY(scan_segmented_reduce_spec_check(ctx, spec, &run.problem));
  SCAN_TRY(scan_segmented_reduce_args_check(ctx, args, 1, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.opencl, &events));
  if (n > 0 && run.problem.segments.count > 0)
    SCAN_TRY(scan_plan_lookup(ctx, &run.problem, SCAN_STRATEGY_SEGMENTED_REDUCE, n, &plan));
  return report(ctx, &run.problem, execute(ctx, plan, &run, &events));
}

static scan_status plan_offsets(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n, scan_plan **plan) {
  scan_problem problem;
  SCAN_TRY(scan_segmented_reduce_spec_check(ctx, spec, &problem));
  SCAN_TRY(scan_count_check(ctx, &problem, max_n, "max_n"));
  return scan_plan_make(ctx, &problem, SCAN_STRATEGY_SEGMENTED_REDUCE, max_n, plan);
}

static scan_status run_offsets(scan_plan *plan, uint64_t n, const scan_segmented_reduce_args *args) {
  scan_ctx *ctx = plan->ctx;
  scan_opencl_events events;
  scan_segmented_run run = { .problem = plan->problem, .n = n };
  if (n > plan->max_n) FAIL_INVALID("n is %" PRIu64 ", but the plan was created for at most %" PRIu64, n, plan->max_n);
  SCAN_TRY(scan_segmented_reduce_args_check(ctx, args, 0, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.opencl, &events));
  return execute(ctx, n > 0 ? plan : NULL, &run, &events);
}

/* ---- segments by flags or bits: compactions of the scan's values at the segments' last elements ---- */

static scan_status reduce_marked(scan_ctx *ctx, const scan_spec *spec, uint64_t n,
                                 const scan_segmented_reduce_args *args) {
  scan_reduced reduced;
  scan_select_form form;
  scan_select_run run;
  scan_opencl_events events;
  scan_plan *plan = NULL;
  SCAN_TRY(scan_marked_reduce_spec_check(ctx, spec, &reduced, &form));
  SCAN_TRY(scan_marked_reduce_args_check(ctx, &form, &reduced.problem, n, args, 1, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.memory.opencl, &events));
  if (n > 0) SCAN_TRY(scan_select_lookup(ctx, &form, &reduced, n, &plan));
  return report(ctx, &reduced.problem, scan_select_execute(ctx, plan, &run, &events));
}

static scan_status plan_marked(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n, scan_plan **plan) {
  scan_reduced reduced;
  scan_select_form form;
  SCAN_TRY(scan_marked_reduce_spec_check(ctx, spec, &reduced, &form));
  SCAN_TRY(scan_reduce_by_key_count_check(ctx, &form, &reduced, max_n, "max_n"));
  return scan_select_plan_make(ctx, &form, &reduced, max_n, plan);
}

static scan_status run_marked(scan_plan *plan, uint64_t n, const scan_segmented_reduce_args *args) {
  const scan_select_plan *select = scan_select_plan_of(plan);
  scan_ctx *ctx = plan->ctx;
  scan_select_run run;
  scan_opencl_events events;
  SCAN_TRY(scan_select_plan_check(plan, "segmented_reduce", n));
  SCAN_TRY(scan_marked_reduce_args_check(ctx, &select->form, &select->reduced, n, args, 0, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.memory.opencl, &events));
  return scan_select_execute(ctx, n > 0 ? plan : NULL, &run, &events);
}

/* ---- the calls ---- */

scan_status scan_segmented_reduce(scan_ctx *ctx, const scan_spec *given, uint64_t n,
                                  const scan_segmented_reduce_args *args) {
  scan_spec spec;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_segmented_reduce"));
  SCAN_TRY(scan_segmented_reduce_spec_copy_in(ctx, given, &spec));
  return (spec.segments == SCAN_SEGMENTS_OFFSETS ? reduce_offsets : reduce_marked)(ctx, &spec, n, args);
}

scan_status scan_plan_create_segmented_reduce(scan_ctx *ctx, const scan_spec *given, uint64_t max_n, scan_plan **plan) {
  scan_spec spec;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_segmented_reduce"));
  if (plan == NULL) FAIL_INVALID("scan_plan_create_segmented_reduce: plan is NULL");
  SCAN_TRY(scan_segmented_reduce_spec_copy_in(ctx, given, &spec));
  return (spec.segments == SCAN_SEGMENTS_OFFSETS ? plan_offsets : plan_marked)(ctx, &spec, max_n, plan);
}

scan_status scan_plan_run_segmented_reduce(scan_plan *plan, uint64_t n, const scan_segmented_reduce_args *args) {
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_segmented_reduce"));
  scan_ctx *ctx = plan->ctx;
  if (scan_select_plan_of(plan) != NULL) return run_marked(plan, n, args);
  if (plan->forced != SCAN_STRATEGY_SEGMENTED_REDUCE)
    FAIL_INVALID("scan_plan_run_segmented_reduce: the plan was made by another call than "
                 "scan_plan_create_segmented_reduce; run it as it was made");
  return run_offsets(plan, n, args);
}
