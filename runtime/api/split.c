/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits and histograms: a call checks, finds its plan and goes, as a sort. */
#include "core/split_check.h"

/* ---- what both have in common ---- */

static scan_status run_now(scan_ctx *ctx, const scan_sort_form *form, scan_sort_run *run) {
  scan_opencl_events events;
  scan_plan *plan = NULL;
  SCAN_TRY(scan_events_take(ctx, run->memory.opencl, &events));
  if (run->n > 0) SCAN_TRY(scan_sort_lookup(ctx, form, run->n, &plan));
  return scan_sort_go(ctx, plan, run, &events);
}

static scan_status run_planned(scan_plan *plan, scan_sort_run *run) {
  scan_opencl_events events;
  SCAN_TRY(scan_events_take(plan->ctx, run->memory.opencl, &events));
  return scan_sort_go(plan->ctx, run->n > 0 ? plan : NULL, run, &events);
}

/* ---- split ---- */

scan_status scan_split(scan_ctx *ctx, const scan_split_spec *spec, uint64_t n, const scan_split_args *args) {
  scan_sort_form form;
  scan_sort_run run;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_split"));
  SCAN_TRY(scan_split_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_split_args_check(ctx, &form, n, args, 1, &run));
  return run_now(ctx, &form, &run);
}

scan_status scan_plan_create_split(scan_ctx *ctx, const scan_split_spec *spec, uint64_t max_n, scan_plan **plan) {
  scan_sort_form form;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_split"));
  if (plan == NULL) REFUSE("scan_plan_create_split: plan is NULL");
  SCAN_TRY(scan_split_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_sort_count_check(ctx, &form, max_n, "max_n"));
  return scan_sort_plan_make(ctx, &form, max_n, plan);
}

scan_status scan_plan_run_split(scan_plan *plan, uint64_t n, const scan_split_args *args) {
  scan_sort_run run;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_split"));
  SCAN_TRY(scan_sort_plan_check(plan, "split", n));
  SCAN_TRY(scan_split_args_check(plan->ctx, &plan->sort->form, n, args, 0, &run));
  return run_planned(plan, &run);
}

/* ---- histogram ---- */

scan_status scan_histogram(scan_ctx *ctx, const scan_histogram_spec *spec, uint64_t n,
                           const scan_histogram_args *args) {
  scan_sort_form form;
  scan_sort_run run;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_histogram"));
  SCAN_TRY(scan_histogram_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_histogram_args_check(ctx, &form, n, args, 1, &run));
  return run_now(ctx, &form, &run);
}

scan_status scan_plan_create_histogram(scan_ctx *ctx, const scan_histogram_spec *spec, uint64_t max_n,
                                       scan_plan **plan) {
  scan_sort_form form;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_histogram"));
  if (plan == NULL) REFUSE("scan_plan_create_histogram: plan is NULL");
  SCAN_TRY(scan_histogram_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_sort_count_check(ctx, &form, max_n, "max_n"));
  return scan_sort_plan_make(ctx, &form, max_n, plan);
}

scan_status scan_plan_run_histogram(scan_plan *plan, uint64_t n, const scan_histogram_args *args) {
  scan_sort_run run;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_histogram"));
  SCAN_TRY(scan_sort_plan_check(plan, "histogram", n));
  SCAN_TRY(scan_histogram_args_check(plan->ctx, &plan->sort->form, n, args, 0, &run));
  return run_planned(plan, &run);
}
