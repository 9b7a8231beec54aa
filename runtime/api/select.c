/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of compaction: each checks its arguments, finds its plan and executes. */
#include <scanrt/scan_select.h>

#include "ops/select/select_run.h"

scan_status scan_select(scan_ctx *ctx, const scan_select_spec *spec, uint64_t n, const scan_select_args *args) {
  scan_select_form form;
  scan_select_run run;
  scan_opencl_events events;
  scan_plan *plan = NULL;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_select"));
  SCAN_TRY(scan_select_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_select_args_check(ctx, &form, n, args, 1, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.memory.opencl, &events));
  if (n > 0) SCAN_TRY(scan_select_lookup(ctx, &form, NULL, n, &plan));
  return scan_select_execute(ctx, plan, &run, &events);
}

scan_status scan_plan_create_select(scan_ctx *ctx, const scan_select_spec *spec, uint64_t max_n, scan_plan **plan) {
  scan_select_form form;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_select"));
  if (plan == NULL) FAIL_INVALID("scan_plan_create_select: plan is NULL");
  SCAN_TRY(scan_select_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_select_count_check(ctx, &form, max_n, "max_n"));
  return scan_select_plan_make(ctx, &form, NULL, max_n, plan);
}

scan_status scan_plan_run_select(scan_plan *plan, uint64_t n, const scan_select_args *args) {
  scan_select_run run;
  scan_opencl_events events;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_select"));
  scan_ctx *ctx = plan->ctx;
  SCAN_TRY(scan_select_plan_check(plan, "select", n));
  SCAN_TRY(scan_select_args_check(ctx, &scan_select_plan_of(plan)->form, n, args, 0, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.memory.opencl, &events));
  return scan_select_execute(ctx, n > 0 ? plan : NULL, &run, &events);
}
