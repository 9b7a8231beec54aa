/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of splits and histograms: each checks its arguments, finds its plan and executes as a sort. */
#include "ops/sort/split_check.h"

/* ---- split ---- */

scan_status scan_split(scan_ctx *ctx, const scan_split_spec *spec, uint64_t n, const scan_split_args *args) {
  scan_sort_form form;
  scan_sort_run run;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_split"));
  SCAN_TRY(scan_split_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_split_args_check(ctx, &form, n, args, 1, &run));
  return scan_sort_run_now(ctx, &form, &run);
}

scan_status scan_plan_create_split(scan_ctx *ctx, const scan_split_spec *spec, uint64_t max_n, scan_plan **plan) {
  scan_sort_form form;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_split"));
  if (plan == NULL) FAIL_INVALID("scan_plan_create_split: plan is NULL");
  SCAN_TRY(scan_split_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_sort_count_check(ctx, &form, max_n, "max_n"));
  return scan_sort_plan_make(ctx, &form, max_n, plan);
}

scan_status scan_plan_run_split(scan_plan *plan, uint64_t n, const scan_split_args *args) {
  scan_sort_run run;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_split"));
  SCAN_TRY(scan_sort_plan_check(plan, "split", n));
  SCAN_TRY(scan_split_args_check(plan->ctx, &scan_sort_plan_of(plan)->form, n, args, 0, &run));
  return scan_sort_run_planned(plan, &run);
}

/* ---- histogram ---- */

scan_status scan_histogram(scan_ctx *ctx, const scan_histogram_spec *spec, uint64_t n,
                           const scan_histogram_args *args) {
  scan_sort_form form;
  scan_sort_run run;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_histogram"));
  SCAN_TRY(scan_histogram_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_histogram_args_check(ctx, &form, n, args, 1, &run));
  return scan_sort_run_now(ctx, &form, &run);
}

scan_status scan_plan_create_histogram(scan_ctx *ctx, const scan_histogram_spec *spec, uint64_t max_n,
                                       scan_plan **plan) {
  scan_sort_form form;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_histogram"));
  if (plan == NULL) FAIL_INVALID("scan_plan_create_histogram: plan is NULL");
  SCAN_TRY(scan_histogram_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_sort_count_check(ctx, &form, max_n, "max_n"));
  return scan_sort_plan_make(ctx, &form, max_n, plan);
}

scan_status scan_plan_run_histogram(scan_plan *plan, uint64_t n, const scan_histogram_args *args) {
  scan_sort_run run;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_histogram"));
  SCAN_TRY(scan_sort_plan_check(plan, "histogram", n));
  SCAN_TRY(scan_histogram_args_check(plan->ctx, &scan_sort_plan_of(plan)->form, n, args, 0, &run));
  return scan_sort_run_planned(plan, &run);
}
