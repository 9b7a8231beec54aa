/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of scans: each checks its arguments, finds its plan and launches. Only calls without a
 * plan stage host memory. */
#include <inttypes.h>

#include "api/shared.h"
#include "ops/scan/carry.h"
#include "ops/array/array_run.h"
#include "core/execute.h"
#include "ops/select/select_run.h"
#include "ops/sort/sort_run.h"
#include "core/progress.h"
#include "ops/scan/validate.h"
#include "ops/scan/scan_plan.h"

/* A scan and the plan that executes it. */
typedef struct call {
  scan_problem *problem;
  scan_strategy strategy;
  uint64_t n;                   /* number of elements; for an array, of all its lines */
  const scan_array_form *array; /* NULL: the scan is one line */
  scan_plan *plan;
} call;

/* A call with its memory, for the executor. */
typedef struct executed_call {
  call call;
  scan_mem in, out;
  int in_place;
} executed_call;

/* ---- calls with hidden plans and with the caller's plans ---- */

/* Resolves and checks the memory. With n == 0 only a total's output is checked. */
static inline scan_status check_memory(scan_ctx *ctx, const call *c, int stageable, scan_mem *in, scan_mem *out,
                                       int *in_place) {
  if (c->array != NULL && c->n > 0)
    SCAN_TRY(scan_array_buffers_check(ctx, c->problem, c->array, stageable, in, out, in_place));
  if (c->array == NULL && (c->n > 0 || c->problem->kind == SCAN_TOTAL))
    SCAN_TRY(scan_buffers_check(ctx, c->problem, c->n, stageable, in, out, in_place));
  if (c->problem->reads_n && c->n > 0) SCAN_TRY(scan_n_from_check_memory(ctx, c->problem, c->n, *out));
  if (!scan_carry_has_places(c->problem)) return SCAN_SUCCESS; /* most scans */
  return scan_carry_check(ctx, c->problem, c->n, stageable, *in, *out);
}

static inline scan_status run_launch(const call *c, scan_mem in, scan_mem out, int in_place) {
  if (c->n == 0) return scan_carry_pass(c->plan, c->problem, out);
  if (c->array != NULL) return scan_array_launch(c->plan, c->problem, in, out, in_place);
  return scan_plan_launch(c->plan, c->problem, c->n, in, out, in_place);
}

/* ---- hidden plans ---- */

static scan_status find_plan(scan_ctx *ctx, call *c) {
  if (c->array != NULL) return scan_array_lookup(ctx, c->problem, c->array, &c->plan);
  return scan_plan_lookup(ctx, c->problem, c->strategy, c->n, &c->plan);
}

/* The range of bytes that the scan touches of its input or output, relative to element 0. */
static array_span span_of(const call *c, int is_out) {
  if (c->array != NULL) return is_out ? c->array->lines.out : c->array->lines.in;
  const uint64_t bytes = is_out ? scan_problem_out_items(c->problem, c->n) * scan_problem_output_bytes(c->problem)
                                : c->n * scan_problem_input_bytes(c->problem);
  return (array_span){ 0, (int64_t)bytes };
}

/* Outputs of one item, and those of an item for each element. */
enum { PART_ONE, PART_LINE };

static void list_side(const call *c, int is_out, scan_mem *mem, scan_buffer_list *list) {
  const array_span span = span_of(c, is_out);
  const uint64_t bytes = (uint64_t)(span.end - span.first);
  const int is_line = c->array == NULL && c->problem->kind != SCAN_TOTAL;
  const int has_gaps =
      c->array != NULL && !scan_array_is_dense(&c->array->lines, scan_problem_output_bytes(c->problem));
  scan_buffers_add(list, &(scan_buffer){ .mem = mem,
                                         .bytes = bytes,
                                         .item_bytes = is_line ? scan_problem_output_bytes(c->problem) : bytes,
                                         .part = is_line ? PART_LINE : PART_ONE,
                                         .first = span.first,
                                         .is_output = is_out != 0,
                                         .is_filled = has_gaps != 0 });
}

static void list_carry(const call *c, int is_out, scan_mem *mem, scan_buffer_list *list) {
  const uint64_t bytes = scan_problem_value_bytes(c->problem);
  if (mem->kind != SCAN_MEM_NONE)
    scan_buffers_add(list, &(scan_buffer){ .mem = mem, .bytes = bytes, .item_bytes = bytes, .is_output = is_out != 0 });
}

static void list_buffers(scan_operation *op, scan_buffer_list *list) {
  executed_call *e = op->run;
  list->count = 0;
  list_side(&e->call, 0, &e->in, list);
  list_side(&e->call, 1, &e->out, list);
  list_carry(&e->call, 0, &e->call.problem->carry_in, list);
  list_carry(&e->call, 1, &e->call.problem->carry_out, list);
}

static uint64_t run_items(const scan_operation *op, uint32_t part) { return part == PART_LINE ? op->n : 1; }

/* 1 if the launch is in place. In-place host memory is not, once it is staged to two buffers. */
static int is_in_place(const executed_call *e) { return e->in_place && scan_mem_same(e->in, e->out); }

static scan_status launch_call(scan_ctx *ctx, scan_operation *op) {
  const executed_call *e = op->run;
  (void)ctx;
  return run_launch(&e->call, e->in, e->out, is_in_place(e));
}

static int is_repeatable(const scan_operation *op) {
  const executed_call *e = op->run;
  return !is_in_place(e) && !scan_carry_is_replaced(e->call.problem);
}

/* Scans again without look-back: AUTO does not choose it any more, and other strategies become reduce_then_scan. */
static scan_status retry(scan_ctx *ctx, scan_operation *op) {
  executed_call *e = op->run;
  if (e->call.strategy != SCAN_STRATEGY_AUTO) e->call.strategy = SCAN_STRATEGY_REDUCE_THEN_SCAN;
  SCAN_TRY(find_plan(ctx, &e->call));
  return run_launch(&e->call, e->in, e->out, 0);
}

static const scan_operation_ops scan_ops = {
  .list = list_buffers, .launch = launch_call, .items = run_items, .is_repeatable = is_repeatable, .retry = retry
};

static scan_status run_call(scan_ctx *ctx, call *c, const scan_args *args) {
  scan_opencl_events events;
  executed_call e = { .in = args->in, .out = args->out };
  SCAN_TRY(scan_events_copy_in(ctx, args->opencl, &events));
  SCAN_TRY(check_memory(ctx, c, 1, &e.in, &e.out, &e.in_place));
  if (c->n > 0 || scan_carry_has_places(c->problem)) SCAN_TRY(find_plan(ctx, c));
  e.call = *c;
  scan_operation op = {
    .ops = &scan_ops, .plan = c->plan, .run = &e, .n = c->n, .n_from = c->n > 0 ? c->problem->n_from : SCAN_NO_MEM
  };
  SCAN_TRY(scan_execute(ctx, &op, &events));
  const int names_host = args->in.kind == SCAN_MEM_HOST || args->out.kind == SCAN_MEM_HOST;
  const int reports = c->problem->checks && c->n > 0 && names_host && ctx->ops->id == SCAN_BACKEND_HOST;
  return reports ? scan_plans_check(ctx) : SCAN_SUCCESS;
}

scan_status scan_run_problem(scan_ctx *ctx, scan_problem *problem, scan_strategy strategy, uint64_t n,
                             const scan_args *args) {
  SCAN_TRY(scan_args_copy_in(ctx, strategy, n, args, problem));
  return run_call(ctx, &(call){ .problem = problem, .strategy = strategy, .n = n }, args);
}

static scan_status run(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const scan_args *args) {
  scan_problem problem;
  scan_strategy strategy;
  SCAN_TRY(scan_spec_check(ctx, spec, &problem, &strategy));
  return scan_run_problem(ctx, &problem, strategy, n, args);
}

scan_status scan_run(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem out) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_run"));
  return run(ctx, spec, n, &(scan_args)SCAN_ARGS_INIT(in, out));
}

scan_status scan_run_args(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const scan_args *args) {
  scan_args own = { 0 };
  SCAN_TRY(scan_ctx_enter(ctx, "scan_run_args"));
  SCAN_TRY(scan_args_copy(ctx, args, &own));
  return run(ctx, spec, n, &own);
}

static scan_status run_array(scan_ctx *ctx, const scan_spec *spec, const scan_array *array, const scan_args *args) {
  scan_problem problem;
  scan_array_form form = { 0 };
  SCAN_TRY(scan_array_check(ctx, spec, array, args, &form, &problem));
  return run_call(ctx, &(call){ .problem = &problem, .n = scan_array_items(&form), .array = &form }, args);
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

/* Refuses plans of compactions and of sorts. */
static scan_status scans_check(const scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  const scan_sort_plan *sort = scan_sort_plan_of(plan);
  const scan_select_plan *select = scan_select_plan_of(plan);
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
  int in_place = 0;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run"));
  if (plan->needs_args) SCAN_TRY(short_form_check(plan, n));
  const call c = { .problem = &plan->problem, .n = n, .plan = plan };
  SCAN_TRY(count_check(plan, n));
  SCAN_TRY(check_memory(plan->ctx, &c, 0, &in, &out, &in_place));
  return run_launch(&c, in, out, in_place);
}

/* Runs a plan with the memory of its args, between the events of args->opencl. */
static scan_status run_plan(scan_plan *plan, uint64_t n, scan_args *args) {
  scan_ctx *ctx = plan->ctx;
  int in_place = 0;
  scan_opencl_events events;
  scan_problem problem = plan->problem;
  const call c = { .problem = &problem, .n = n, .array = scan_array_form_of(plan), .plan = plan };
  SCAN_TRY(scan_events_copy_in(ctx, args->opencl, &events));
  SCAN_TRY(count_check(plan, n));
  SCAN_TRY(scan_array_form_of(plan) != NULL ? scan_array_args_copy_in(ctx, n, args, &problem)
                                            : scan_args_copy_in(ctx, plan->forced, n, args, &problem));
  SCAN_TRY(check_memory(ctx, &c, 0, &args->in, &args->out, &in_place));
  SCAN_TRY(scan_events_wait(ctx, &events));
  SCAN_TRY(run_launch(&c, args->in, args->out, in_place));
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
