/* SPDX-License-Identifier: BSD-2-Clause */
/* What a call does: check, find the plan, launch; host memory is copied in before and out after. */
#include <inttypes.h>

#include "api/run.h"
#include "core/carry.h"
#include "base/log.h"
#include "core/array_run.h"
#include "core/events.h"
#include "core/plan.h"

/* Buffers of the device for a scan over host memory; host data is copied in. */
static scan_status stage_in(scan_ctx *ctx, const scan_problem *problem, uint64_t n, scan_mem *in, scan_mem *out) {
  const uint64_t in_bytes = n * scan_problem_input_bytes(problem);
  const uint64_t out_bytes = scan_problem_out_items(problem, n) * scan_problem_output_bytes(problem);
  const scan_mem source = *in;
  scan_status status = SCAN_SUCCESS;
  if (scan_mem_is_staged(ctx, *out)) status = scan_staging_reserve(ctx, &ctx->out, out_bytes, out);
  if (status == SCAN_SUCCESS && scan_mem_is_staged(ctx, source)) {
    status = scan_staging_reserve(ctx, &ctx->in, in_bytes, in);
    if (status == SCAN_SUCCESS)
      status =
          ctx->ops->write(ctx->device, *in, (const char *)source.handle + source.offset_bytes, in_bytes, &ctx->error);
  }
  return status;
}

/* Scans again, without waits between work-groups, what a look-back did not finish. The buffers are apart, so that the
 * input is as it was. */
static scan_status second_try(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t n,
                              scan_mem in, scan_mem out, uint32_t flags) {
  scan_plan *plan = NULL;
  scan_log(SCAN_LOG_INFO, "%s; scanning again", ctx->error.text);
  if (strategy != SCAN_STRATEGY_AUTO) strategy = SCAN_STRATEGY_REDUCE_THEN_SCAN; /* AUTO takes it by itself now */
  scan_status status = scan_plan_lookup(ctx, problem, strategy, n, &plan);
  if (status == SCAN_SUCCESS) status = scan_plan_launch(plan, problem, n, in, out, flags);
  if (status == SCAN_SUCCESS) status = scan_plans_wait(ctx);
  if (status == SCAN_SUCCESS) ctx->error.text[0] = '\0';
  return status;
}

/* A scan over host memory, start to end. Only here is a second try safe: nobody has used the output, and the fault is
 * this scan's, as no other was under way. */
static scan_status run_staged(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t n,
                              scan_plan *plan, scan_mem in, scan_mem out, uint32_t flags) {
  const scan_mem host_out = out;
  const uint64_t bytes = scan_problem_out_items(problem, n) * scan_problem_output_bytes(problem);
  const int passes = scan_mem_is_staged(ctx, in) || scan_mem_is_staged(ctx, out); /* not only the carry */
  if (passes) flags &= ~(uint32_t)SCAN_KERNEL_IN_PLACE; /* each side passes through memory of its own */
  const int is_alone = scan_plans_are_checked(ctx) && !plan->recordable && !(flags & SCAN_KERNEL_IN_PLACE) &&
                       !scan_carry_is_replaced(problem);
  scan_status status = stage_in(ctx, problem, n, &in, &out);
  if (status == SCAN_SUCCESS) status = scan_plan_launch(plan, problem, n, in, out, flags);
  if (status == SCAN_SUCCESS) status = scan_plans_wait(ctx);
  if (status == SCAN_NO_PROGRESS && is_alone) status = second_try(ctx, problem, strategy, n, in, out, flags);
  if ((status != SCAN_SUCCESS && status != SCAN_OVERFLOW) || !scan_mem_is_staged(ctx, host_out)) return status;
  const scan_status copied =
      ctx->ops->read(ctx->device, out, (char *)host_out.handle + host_out.offset_bytes, bytes, &ctx->error);
  return copied != SCAN_SUCCESS ? copied : status;
}

static scan_status run_planned(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t n,
                               scan_plan *plan, scan_mem in, scan_mem out, uint32_t flags, int waits) {
  if (n == 0) return scan_carry_pass(plan, problem, out);
  if (scan_mem_is_staged(ctx, in) || scan_mem_is_staged(ctx, out) || scan_carry_is_staged(ctx, problem))
    return run_staged(ctx, problem, strategy, n, plan, in, out, flags);
  if (ctx->ops->id == SCAN_BACKEND_CUDA) plan->recordable = 1;
  const scan_status status = scan_plan_launch(plan, problem, n, in, out, flags);
  return status == SCAN_SUCCESS && problem->checks && waits ? scan_plans_check(ctx) : status;
}

static scan_status run_checked(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t n,
                               scan_mem in, scan_mem out, const scan_opencl_events *events) {
  uint32_t flags = 0;
  scan_plan *plan = NULL;
  const int waits = in.kind == SCAN_MEM_HOST || out.kind == SCAN_MEM_HOST; /* on the host backend, too */
  const int is_empty = n == 0 && problem->kind != SCAN_TOTAL;              /* a total is written, of nothing, too */
  scan_status status = is_empty ? SCAN_SUCCESS : scan_buffers_check(ctx, problem, n, 1, &in, &out, &flags);
  if (status == SCAN_SUCCESS) status = scan_carry_check(ctx, problem, n, 1, in, out);
  const int launches = n > 0 || scan_carry_has_places(problem);
  if (status == SCAN_SUCCESS && launches) status = scan_plan_lookup(ctx, problem, strategy, n, &plan);
  if (status != SCAN_SUCCESS) return status;
  status = scan_events_wait(ctx, events);
  if (status == SCAN_SUCCESS && launches) status = run_planned(ctx, problem, strategy, n, plan, in, out, flags, waits);
  if (status != SCAN_SUCCESS) return status;
  return scan_events_leave(ctx, events);
}

scan_status scan_run_problem(scan_ctx *ctx, scan_problem *problem, scan_strategy strategy, uint64_t n,
                             const scan_args *args) {
  scan_opencl_events events;
  SCAN_TRY(scan_args_take(ctx, strategy, n, args, problem));
  SCAN_TRY(scan_events_take(ctx, args->opencl, &events));
  return run_checked(ctx, problem, strategy, n, args->in, args->out, &events);
}

static scan_status run_args(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const scan_args *args) {
  scan_problem problem;
  scan_strategy strategy;
  SCAN_TRY(scan_spec_check(ctx, spec, &problem, &strategy));
  return scan_run_problem(ctx, &problem, strategy, n, args);
}

scan_status scan_run(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem out) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_run"));
  return run_args(ctx, spec, n, &(scan_args)SCAN_ARGS_INIT(in, out));
}

scan_status scan_run_args(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const scan_args *args) {
  scan_args own = { 0 };
  SCAN_TRY(scan_ctx_enter(ctx, "scan_run_args"));
  SCAN_TRY(scan_args_copy(ctx, args, &own));
  return run_args(ctx, spec, n, &own);
}

/* Refuses what both calls on plans refuse; else in, out and flags are as scan_buffers_check gives them (not for n = 0).
 */
static scan_status plan_run_check(scan_plan *plan, const scan_problem *problem, uint64_t n, scan_mem *in, scan_mem *out,
                                  uint32_t *flags) {
  if (n > plan->max_n)
    return scan_fail(&plan->ctx->error, SCAN_INVALID_ARGUMENT,
                     "n is %" PRIu64 ", but the plan was created for at most %" PRIu64, n, plan->max_n);
  const int is_empty = n == 0 && problem->kind != SCAN_TOTAL;
  if (!is_empty) SCAN_TRY(scan_buffers_check(plan->ctx, problem, n, 0, in, out, flags));
  return scan_carry_check(plan->ctx, problem, n, 0, *in, *out);
}

/* Refuses plans of arrays, which have a call of their own, and plans whose runs need more than two buffers. */
static scan_status short_form_check(const scan_plan *plan, uint64_t n) {
  scan_ctx *ctx = plan->ctx;
  if (plan->array != NULL) REFUSE("the plan was made by scan_plan_create_array; run it with scan_plan_run_array");
  scan_problem problem = plan->problem;
  return scan_args_take(ctx, plan->forced, n, &(scan_args){ 0 }, &problem);
}

scan_status scan_plan_run(scan_plan *plan, uint64_t n, scan_mem in, scan_mem out) {
  uint32_t flags = 0;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run"));
  if (plan->needs_args) SCAN_TRY(short_form_check(plan, n));
  SCAN_TRY(plan_run_check(plan, &plan->problem, n, &in, &out, &flags));
  if (n == 0) return scan_carry_pass(plan, &plan->problem, out);
  return scan_plan_launch(plan, &plan->problem, n, in, out, flags);
}

/* Launches between the events that the caller names; everything has been checked. */
static scan_status launch_between(scan_plan *plan, const scan_problem *problem, uint64_t n, scan_mem in, scan_mem out,
                                  uint32_t flags, const scan_opencl_events *events) {
  scan_ctx *ctx = plan->ctx;
  SCAN_TRY(scan_events_wait(ctx, events));
  SCAN_TRY(n == 0 ? scan_carry_pass(plan, problem, out) : scan_plan_launch(plan, problem, n, in, out, flags));
  return scan_events_leave(ctx, events);
}

scan_status scan_plan_run_args(scan_plan *plan, uint64_t n, const scan_args *args) {
  uint32_t flags = 0;
  scan_args own = { 0 };
  scan_opencl_events events;
  scan_status status = scan_plan_enter(plan, "scan_plan_run_args");
  if (status == SCAN_SUCCESS) status = scan_args_copy(plan->ctx, args, &own);
  if (status == SCAN_SUCCESS) status = scan_events_take(plan->ctx, own.opencl, &events);
  if (status != SCAN_SUCCESS) return status;
  if (plan->array != NULL) return scan_array_plan_run(plan, n, &own, &events);
  scan_problem problem = plan->problem;
  status = scan_args_take(plan->ctx, plan->forced, n, &own, &problem);
  if (status == SCAN_SUCCESS) status = plan_run_check(plan, &problem, n, &own.in, &own.out, &flags);
  return status == SCAN_SUCCESS ? launch_between(plan, &problem, n, own.in, own.out, flags, &events) : status;
}

scan_status scan_sync(scan_ctx *ctx) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_sync"));
  return scan_plans_wait(ctx);
}
