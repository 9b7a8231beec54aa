/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: a call checks, finds its plan and goes. */
#include <scanrt/scan_sort.h>

#include "core/sort_run.h"

scan_status scan_sort(scan_ctx *ctx, const scan_sort_spec *spec, uint64_t n, const scan_sort_args *args) {
  scan_sort_form form;
  scan_sort_run run;
  scan_opencl_events events;
  scan_plan *plan = NULL;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_sort"));
  SCAN_TRY(scan_sort_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_sort_args_check(ctx, &form, n, args, 1, &run));
  SCAN_TRY(scan_events_take(ctx, run.memory.opencl, &events));
  if (n > 0) SCAN_TRY(scan_sort_lookup(ctx, &form, n, &plan));
  return scan_sort_go(ctx, plan, &run, &events);
}

scan_status scan_plan_create_sort(scan_ctx *ctx, const scan_sort_spec *spec, uint64_t max_n, scan_plan **plan) {
  scan_sort_form form;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_sort"));
  if (plan == NULL) REFUSE("scan_plan_create_sort: plan is NULL");
  SCAN_TRY(scan_sort_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_sort_count_check(ctx, &form, max_n, "max_n"));
  return scan_sort_plan_make(ctx, &form, max_n, plan);
}

scan_status scan_plan_run_sort(scan_plan *plan, uint64_t n, const scan_sort_args *args) {
  scan_sort_run run;
  scan_opencl_events events;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_sort"));
  scan_ctx *ctx = plan->ctx;
  SCAN_TRY(scan_sort_plan_check(plan, "sort", n));
  SCAN_TRY(scan_sort_args_check(ctx, &plan->sort->form, n, args, 0, &run));
  SCAN_TRY(scan_events_take(ctx, run.memory.opencl, &events));
  return scan_sort_go(ctx, n > 0 ? plan : NULL, &run, &events);
}
