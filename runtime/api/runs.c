/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of run-length encoding and reduction by key: each checks its arguments, finds its plan and executes. */
#include <scanrt/scan_runs.h>

#include "ops/select/runs_check.h"
#include "core/progress.h"

/* ---- run-length encoding ---- */

scan_status scan_run_length_encode(scan_ctx *ctx, const scan_run_length_spec *spec, uint64_t n,
                                   const scan_run_length_args *args) {
  scan_select_form form;
  scan_select_run run;
  scan_opencl_events events;
  scan_plan *plan = NULL;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_run_length_encode"));
  SCAN_TRY(scan_run_length_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_run_length_args_check(ctx, &form, n, args, 1, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.memory.opencl, &events));
  if (n > 0) SCAN_TRY(scan_select_lookup(ctx, &form, NULL, n, &plan));
  return scan_select_execute(ctx, plan, &run, &events);
}

scan_status scan_plan_create_run_length(scan_ctx *ctx, const scan_run_length_spec *spec, uint64_t max_n,
                                        scan_plan **plan) {
  scan_select_form form;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_run_length"));
  if (plan == NULL) FAIL_INVALID("scan_plan_create_run_length: plan is NULL");
  SCAN_TRY(scan_run_length_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_select_count_check(ctx, &form, max_n, "max_n"));
  return scan_select_plan_make(ctx, &form, NULL, max_n, plan);
}

scan_status scan_plan_run_run_length(scan_plan *plan, uint64_t n, const scan_run_length_args *args) {
  scan_select_run run;
  scan_opencl_events events;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_run_length"));
  scan_ctx *ctx = plan->ctx;
  SCAN_TRY(scan_select_plan_check(plan, "run_length", n));
  SCAN_TRY(scan_run_length_args_check(ctx, &scan_select_plan_of(plan)->form, n, args, 0, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.memory.opencl, &events));
  return scan_select_execute(ctx, n > 0 ? plan : NULL, &run, &events);
}

/* ---- reduction by key ---- */

scan_status scan_reduce_by_key(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const scan_reduce_by_key_args *args) {
  scan_reduced reduced;
  scan_select_form form;
  scan_select_run run;
  scan_opencl_events events;
  scan_plan *plan = NULL;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_reduce_by_key"));
  SCAN_TRY(scan_reduce_by_key_spec_check(ctx, spec, &reduced, &form));
  SCAN_TRY(scan_reduce_by_key_args_check(ctx, &form, &reduced.problem, n, args, 1, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.memory.opencl, &events));
  if (n > 0) SCAN_TRY(scan_select_lookup(ctx, &form, &reduced, n, &plan));
  const scan_status status = scan_select_execute(ctx, plan, &run, &events);
  const int reports = reduced.problem.checks && ctx->ops->id == SCAN_BACKEND_HOST; /* the call has waited */
  return status == SCAN_SUCCESS && reports ? scan_plans_check(ctx) : status;
}

scan_status scan_plan_create_reduce_by_key(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n, scan_plan **plan) {
  scan_reduced reduced;
  scan_select_form form;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_reduce_by_key"));
  if (plan == NULL) FAIL_INVALID("scan_plan_create_reduce_by_key: plan is NULL");
  SCAN_TRY(scan_reduce_by_key_spec_check(ctx, spec, &reduced, &form));
  SCAN_TRY(scan_reduce_by_key_count_check(ctx, &form, &reduced, max_n, "max_n"));
  return scan_select_plan_make(ctx, &form, &reduced, max_n, plan);
}

scan_status scan_plan_run_reduce_by_key(scan_plan *plan, uint64_t n, const scan_reduce_by_key_args *args) {
  scan_select_run run;
  scan_opencl_events events;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_reduce_by_key"));
  scan_ctx *ctx = plan->ctx;
  SCAN_TRY(scan_select_plan_check(plan, "reduce_by_key", n));
  SCAN_TRY(scan_reduce_by_key_args_check(ctx, &scan_select_plan_of(plan)->form, &scan_select_plan_of(plan)->reduced, n,
                                         args, 0, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.memory.opencl, &events));
  return scan_select_execute(ctx, n > 0 ? plan : NULL, &run, &events);
}
