/* SPDX-License-Identifier: BSD-2-Clause */
/* Partition into three parts by two compactions. The second one compacts, in place, the elements that the first one did
 * not keep. The first one leaves their number in its plan's workspace. */
#ifndef SCANRT_PARTITION_H
#define SCANRT_PARTITION_H

#include <scanrt/scan_partition.h>

#include "ops/select/select_run.h"

/* The forms of both compactions. */
typedef struct scan_partition_forms {
  scan_select_form pass[2];
} scan_partition_forms;

/* A checked run of a partition. */
typedef struct scan_partition_run {
  const scan_partition_forms *forms; /* outlives the run */
  scan_partition3_args memory;
  scan_select_run pass[2];
  scan_plan *second; /* the plan of the second pass; not used if n is 0 */
} scan_partition_run;

/* Checks the spec and makes the forms of both passes. */
scan_status scan_partition_spec_check(scan_ctx *ctx, const scan_partition3_spec *given, scan_partition_forms *forms);

/* Checks and copies the memory of a run over n elements. With stageable, host memory stays as it is. */
scan_status scan_partition_args_check(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t n,
                                      const scan_partition3_args *given, int stageable, scan_partition_run *run);

/* Makes the plan of the first pass. Its `inner` is the plan of the second pass. */
scan_status scan_partition_plan_make(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t max_n,
                                     scan_plan **result);

/* Executes a checked run with the plans of both passes. If n is 0, `first` must be NULL, and `second` is not used. */
scan_status scan_partition_execute(scan_ctx *ctx, scan_plan *first, scan_plan *second, scan_partition_run *run,
                                   const scan_opencl_events *events);

#endif
