/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of partition into three: each checks its arguments, finds its plans and executes. */
#include "ops/select/partition.h"

scan_status scan_partition3(scan_ctx *ctx, const scan_partition3_spec *spec, uint64_t n,
                            const scan_partition3_args *args) {
  scan_partition_forms forms;
  scan_partition_run run;
  scan_opencl_events events;
  scan_plan *first = NULL, *second = NULL;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_partition3"));
  SCAN_TRY(scan_partition_spec_check(ctx, spec, &forms));
  SCAN_TRY(scan_partition_args_check(ctx, &forms, n, args, 1, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.memory.opencl, &events));
  if (n > 0) SCAN_TRY(scan_partition_lookup(ctx, &forms, n, &first, &second));
  return scan_partition_execute(ctx, first, second, &run, &events);
}

scan_status scan_plan_create_partition3(scan_ctx *ctx, const scan_partition3_spec *spec, uint64_t max_n,
                                        scan_plan **plan) {
  scan_partition_forms forms;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_partition3"));
  if (plan == NULL) FAIL_INVALID("scan_plan_create_partition3: plan is NULL");
  SCAN_TRY(scan_partition_spec_check(ctx, spec, &forms));
  SCAN_TRY(scan_select_count_check(ctx, &forms.pass[0], max_n, "max_n"));
  return scan_partition_plan_make(ctx, &forms, max_n, plan);
}

scan_status scan_plan_run_partition3(scan_plan *plan, uint64_t n, const scan_partition3_args *args) {
  scan_partition_run run;
  scan_opencl_events events;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_partition3"));
  scan_ctx *ctx = plan->ctx;
  SCAN_TRY(scan_select_plan_check(plan, "partition3", n));
  const scan_partition_forms forms = scan_partition_forms_of(plan);
  SCAN_TRY(scan_partition_args_check(ctx, &forms, n, args, 0, &run));
  SCAN_TRY(scan_events_copy_in(ctx, run.memory.opencl, &events));
  return scan_partition_execute(ctx, n > 0 ? plan : NULL, plan->inner, &run, &events);
}
