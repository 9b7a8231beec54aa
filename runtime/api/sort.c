/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of sorting: each checks its arguments, finds its plan and executes. */
#include <scanrt/scan_sort.h>

#include "ops/sort/sort_run.h"

scan_status scan_sort(scan_ctx *ctx, const scan_sort_spec *spec, uint64_t n, const scan_sort_args *args) {
  scan_sort_form form;
  scan_sort_run run;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_sort"));
  SCAN_TRY(scan_sort_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_sort_args_check(ctx, &form, n, scan_sort_hidden_n(ctx, &form, n), args, 1, &run));
  return scan_sort_run_now(ctx, &form, &run);
}

scan_status scan_sort_scratch_bytes(scan_ctx *ctx, const scan_sort_spec *spec, uint64_t n, uint64_t *bytes) {
  scan_sort_form form;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_sort_scratch_bytes"));
  if (bytes == NULL) FAIL_INVALID("scan_sort_scratch_bytes: bytes is NULL");
  SCAN_TRY(scan_sort_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_sort_count_check(ctx, &form, n, "n"));
  *bytes = scan_sort_scratch_of(&form, n, scan_sort_hidden_n(ctx, &form, n));
  return SCAN_SUCCESS;
}

scan_status scan_plan_create_sort(scan_ctx *ctx, const scan_sort_spec *spec, uint64_t max_n, scan_plan **plan) {
  scan_sort_form form;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_sort"));
  if (plan == NULL) FAIL_INVALID("scan_plan_create_sort: plan is NULL");
  SCAN_TRY(scan_sort_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_sort_count_check(ctx, &form, max_n, "max_n"));
  return scan_sort_plan_make(ctx, &form, max_n, plan);
}

scan_status scan_plan_run_sort(scan_plan *plan, uint64_t n, const scan_sort_args *args) {
  scan_sort_run run;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_sort"));
  SCAN_TRY(scan_sort_plan_check(plan, "sort", n));
  SCAN_TRY(scan_sort_args_check(plan->ctx, &scan_sort_plan_of(plan)->form, n, plan->max_n, args, 0, &run));
  return scan_sort_run_planned(plan, &run);
}
