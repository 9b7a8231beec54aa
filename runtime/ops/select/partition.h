/* SPDX-License-Identifier: BSD-2-Clause */
/* Partition into three parts: two compactions, of which the second one goes over what the first one has left, in place.
 * How much that is, the first one leaves in its plan's workspace. */
#ifndef SCANRT_PARTITION_H
#define SCANRT_PARTITION_H

#include <scanrt/scan_partition.h>

#include "ops/select/select_run.h"

/* Both compactions' forms. */
typedef struct scan_partition_forms {
  scan_select_form pass[2];
} scan_partition_forms;

/* A run, checked. */
typedef struct scan_partition_run {
  const scan_partition_forms *forms; /* live as long as the run */
  scan_partition3_args memory;
  scan_select_run pass[2];
  scan_plan *second; /* the plan of the second pass; NULL where n is 0 */
} scan_partition_run;

scan_status scan_partition_spec_check(scan_ctx *ctx, const scan_partition3_spec *given, scan_partition_forms *forms);
scan_status scan_partition_args_check(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t n,
                                      const scan_partition3_args *given, int stageable, scan_partition_run *run);

/* Makes a plan for the first pass, whose `inner` is that of the second one. */
scan_status scan_partition_plan_make(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t max_n,
                                     scan_plan **result);

/* Executes a checked run by the plans of the passes; both NULL where n is 0. */
scan_status scan_partition_execute(scan_ctx *ctx, scan_plan *first, scan_plan *second, scan_partition_run *run,
                                   const scan_opencl_events *events);

#endif
