/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of scans: each checks its arguments, finds its plan and launches. Only calls without a
 * plan stage host memory. */
#include <inttypes.h>

#include "api/shared.h"
#include "ops/scan/carry.h"
#include "ops/scan/operands.h"
#include "ops/array/array_run.h"
#include "core/execute.h"
#include "ops/select/select_run.h"
#include "ops/sort/sort_run.h"
#include "core/progress.h"
#include "ops/scan/validate.h"
#include "ops/scan/scan_plan.h"

/* A scan, its memory, and the plan that executes it. */
typedef struct call {
  scan_operands operands;
  scan_strategy strategy;
  const scan_array_form *array; /* NULL: the scan is one line */
  scan_plan *plan;
} call;

/* Checks n, resolves the memory and checks it. */
static inline scan_status check_memory(scan_ctx *ctx, call *c, int stageable) {
  scan_operands *o = &c->operands;
  const int writes = c->array == NULL || scan_array_writes(c->array);
  if (c->array != NULL && writes)
    SCAN_TRY(scan_array_buffers_check(ctx, o->problem, c->array, stageable, &o->in, &o->out, &o->in_place));
  if (c->array == NULL) SCAN_TRY(scan_count_check(ctx, o->problem, o->n, "n"));
  SCAN_TRY(scan_operands_check(ctx, o, stageable));
  return writes && scan_carry_has_places(o->problem) ? scan_carry_check(ctx, o->problem, o->n) : SCAN_SUCCESS;
}

static inline scan_status launch(const call *c, int in_place) {
  const scan_operands *o = &c->operands;
  if (c->array != NULL) return scan_array_writes(c->array) ? scan_array_launch(c->plan, o, in_place) : SCAN_SUCCESS;
  return o->n == 0 ? scan_carry_pass(c->plan, o->problem, o->out) : scan_plan_launch(c->plan, o, in_place);
}

/* ---- hidden plans ---- */

static scan_status find_plan(scan_ctx *ctx, call *c) {
  if (c->array != NULL) return scan_array_lookup(ctx, c->operands.problem, c->array, &c->plan);
  return scan_plan_lookup(ctx, c->operands.problem, c->strategy, c->operands.n, &c->plan);
}

static void list_buffers(scan_operation *op, scan_buffer_list *list) {
  call *c = op->run;
  scan_operands_list(&c->operands, list);
}

static uint64_t run_items(const scan_operation *op, uint32_t part) { return part == SCAN_PART_LINE ? op->n : 1; }

static scan_status launch_call(scan_ctx *ctx, scan_operation *op) {
  const call *c = op->run;
  (void)ctx;
  return launch(c, scan_operands_are_in_place(&c->operands));
}

static int is_repeatable(const scan_operation *op) {
  const call *c = op->run;
  return !scan_operands_are_in_place(&c->operands) && !scan_carry_is_replaced(c->operands.problem);
}

/* Scans again without look-back: AUTO does not choose it any more, and other strategies become reduce_then_scan. */
static scan_status call_retry(scan_ctx *ctx, scan_operation *op) {
  call *c = op->run;
  if (c->strategy != SCAN_STRATEGY_AUTO) c->strategy = SCAN_STRATEGY_REDUCE_THEN_SCAN;
  SCAN_TRY(find_plan(ctx, c));
  return launch(c, 0);
}

static const scan_operation_ops scan_ops = {
  .list = list_buffers, .launch = launch_call, .items = run_items, .is_repeatable = is_repeatable, .retry = call_retry
};

static scan_status run_call(scan_ctx *ctx, call *c, const scan_args *args) {
  scan_opencl_events events;
  scan_operands *o = &c->operands;
  SCAN_TRY(scan_events_copy_in(ctx, args->opencl, &events));
  SCAN_TRY(check_memory(ctx, c, 1));
  if (o->n > 0 || scan_carry_has_places(o->problem)) SCAN_TRY(find_plan(ctx, c));
  scan_operation op = {
    .ops = &scan_ops, .plan = c->plan, .run = c, .n = o->n, .n_from = o->n > 0 ? o->problem->n_from : SCAN_NO_MEM
  };
  SCAN_TRY(scan_execute(ctx, &op, &events));
  const int names_host = args->in.kind == SCAN_MEM_HOST || args->out.kind == SCAN_MEM_HOST;
  const int reports = o->problem->checks && o->n > 0 && names_host && ctx->ops->id == SCAN_BACKEND_HOST;
  return reports ? scan_plans_check(ctx) : SCAN_SUCCESS;
}

scan_status scan_run_problem(scan_ctx *ctx, scan_problem *problem, scan_strategy strategy, uint64_t n,
                             const scan_args *args) {
  SCAN_TRY(scan_args_copy_in(ctx, strategy, n, args, problem));
  const scan_operands operands = { .problem = problem, .in = args->in, .out = args->out, .n = n };
  return run_call(ctx, &(call){ .operands = operands, .strategy = strategy }, args);
}

static scan_status call_run(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const scan_args *args) {
  scan_problem problem;
  scan_strategy strategy;
  SCAN_TRY(scan_spec_check(ctx, spec, &problem, &strategy));
  return scan_run_problem(ctx, &problem, strategy, n, args);
}

scan_status scan_run(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem out) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_run"));
  return call_run(ctx, spec, n, &(scan_args)SCAN_ARGS_INIT(in, out));
}

scan_status scan_run_args(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const scan_args *args) {
  scan_args own = { 0 };
  SCAN_TRY(scan_ctx_enter(ctx, "scan_run_args"));
  SCAN_TRY(scan_args_copy(ctx, args, &own));
  return call_run(ctx, spec, n, &own);
}

static scan_status run_array(scan_ctx *ctx, const scan_spec *spec, const scan_array *array, const scan_args *args) {
  scan_problem problem;
  scan_array_form form = { 0 };
  SCAN_TRY(scan_array_check(ctx, spec, array, args, &form, &problem));
  const scan_operands operands = {
    .problem = &problem, .in = args->in, .out = args->out, .n = scan_array_items(&form), .lines = &form.lines
  };
  return run_call(ctx, &(call){ .operands = operands, .array = &form }, args);
}

scan_status scan_run_array(scan_ctx *ctx, const scan_spec *spec, const scan_array *array, scan_mem in, scan_mem out) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_run_array"));
  return run_array(ctx, spec, array, &(scan_args)SCAN_ARGS_INIT(in, out));
}

scan_status scan_run_array_args(scan_ctx *ctx, const scan_spec *spec, const scan_array *array, const scan_args *args) {
  scan_args own = { 0 };
  SCAN_TRY(scan_ctx_enter(ctx, "scan_run_array_args"));
  SCAN_TRY(scan_args_copy(ctx, args, &own));
  return run_array(ctx, spec, array, &own);
}

/* ---- the caller's plans ---- */

/* Refuses plans of compactions, sorts and segmented reductions. */
static scan_status scans_check(const scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  const scan_sort_plan *sort = scan_sort_plan_of(plan);
  const scan_select_plan *select = scan_select_plan_of(plan);
  if (plan->forced == SCAN_STRATEGY_SEGMENTED_REDUCE)
    FAIL_INVALID("the plan was made by scan_plan_create_segmented_reduce; run it with scan_plan_run_segmented_reduce");
  if (select == NULL && sort == NULL) return SCAN_SUCCESS;
  const char *made = sort != NULL ? scan_sort_call(&sort->form) : scan_select_call(&select->form);
  FAIL_INVALID("the plan was made by scan_plan_create_%s; run it with scan_plan_run_%s", made, made);
  return SCAN_SUCCESS;
}

/* Refuses plans that scan_plan_run cannot run: those of arrays, compactions and sorts, and those whose runs need more
 * memory than in and out. */
static scan_status short_form_check(const scan_plan *plan, uint64_t n) {
  scan_ctx *ctx = plan->ctx;
  if (scan_array_form_of(plan) != NULL)
    FAIL_INVALID("the plan was made by scan_plan_create_array; run it with scan_plan_run_array");
  SCAN_TRY(scans_check(plan));
  scan_problem problem = plan->problem;
  return scan_args_copy_in(ctx, plan->forced, n, &(scan_args){ 0 }, &problem);
}

static scan_status count_check(const scan_plan *plan, uint64_t n) {
  scan_ctx *ctx = plan->ctx;
  const scan_array_form *array = scan_array_form_of(plan);
  if (array == NULL && n > plan->max_n)
    FAIL_INVALID("n is %" PRIu64 ", but the plan was created for at most %" PRIu64, n, plan->max_n);
  if (array != NULL && n != scan_array_items(array))
    FAIL_INVALID("n is %" PRIu64 ", but the plan's array has %" PRIu64 " elements", n, scan_array_items(array));
  return SCAN_SUCCESS;
}

scan_status scan_plan_run(scan_plan *plan, uint64_t n, scan_mem in, scan_mem out) {
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run"));
  if (plan->needs_args) SCAN_TRY(short_form_check(plan, n));
  call c = { .operands = { .problem = &plan->problem, .in = in, .out = out, .n = n }, .plan = plan };
  SCAN_TRY(count_check(plan, n));
  SCAN_TRY(check_memory(plan->ctx, &c, 0));
  return launch(&c, c.operands.in_place);
}

/* Runs a plan with the memory of its args, between the events of args->opencl. */
static scan_status run_plan(scan_plan *plan, uint64_t n, const scan_args *args) {
  scan_ctx *ctx = plan->ctx;
  scan_opencl_events events;
  scan_problem problem = plan->problem;
  const scan_array_form *array = scan_array_form_of(plan);
  call c = { .operands = { .problem = &problem, .in = args->in, .out = args->out, .n = n },
             .array = array,
             .plan = plan };
  if (array != NULL) c.operands.lines = &array->lines;
  SCAN_TRY(scan_events_copy_in(ctx, args->opencl, &events));
  SCAN_TRY(count_check(plan, n));
  SCAN_TRY(array != NULL ? scan_array_args_copy_in(ctx, n, args, &problem)
                         : scan_args_copy_in(ctx, plan->forced, n, args, &problem));
  SCAN_TRY(check_memory(ctx, &c, 0));
  SCAN_TRY(scan_events_wait(ctx, &events));
  SCAN_TRY(launch(&c, c.operands.in_place));
  return scan_events_leave(ctx, &events);
}

scan_status scan_plan_run_args(scan_plan *plan, uint64_t n, const scan_args *args) {
  scan_args own = { 0 };
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_args"));
  SCAN_TRY(scans_check(plan));
  SCAN_TRY(scan_args_copy(plan->ctx, args, &own));
  return run_plan(plan, n, &own);
}

scan_status scan_plan_run_array(scan_plan *plan, scan_mem in, scan_mem out) {
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_array"));
  scan_ctx *ctx = plan->ctx;
  SCAN_TRY(scans_check(plan));
  if (scan_array_form_of(plan) == NULL)
    FAIL_INVALID("scan_plan_run_array: the plan was made by scan_plan_create; run it with scan_plan_run");
  return run_plan(plan, scan_array_items(scan_array_form_of(plan)), &(scan_args)SCAN_ARGS_INIT(in, out));
}

scan_status scan_sync(scan_ctx *ctx) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_sync"));
  SCAN_TRY(ctx->ops->sync(ctx->device, &ctx->error));
  return scan_plans_report(ctx);
}
