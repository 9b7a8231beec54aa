/* SPDX-License-Identifier: BSD-2-Clause */
/* Partition into three parts: by one launch (kernels_cu/select/select_partition.cuh) if the same predicate serves both
 * parts of few elements, else by two compactions. The second one compacts, in place, the elements that the first one
 * did not keep. The first one leaves their number in its plan's workspace. */
#ifndef SCANRT_PARTITION_H
#define SCANRT_PARTITION_H

#include <scanrt/scan_partition.h>

#include "ops/select/select_run.h"

/* The forms of both compactions, and of one launch. */
typedef struct scan_partition_forms {
  scan_select_form pass[2], both;
} scan_partition_forms;

/* A checked run of a partition. */
typedef struct scan_partition_run {
  const scan_partition_forms *forms; /* outlives the run */
  scan_partition3_args memory;
  scan_select_run pass[2];
  scan_plan *second; /* the plan of the second pass; NULL: there is one launch; not used if n is 0 */
} scan_partition_run;

/* Checks the spec and makes the forms of both passes. */
scan_status scan_partition_spec_check(scan_ctx *ctx, const scan_partition3_spec *given, scan_partition_forms *forms);

/* Checks and copies the memory of a run over n elements. With stageable, host memory stays as it is. */
scan_status scan_partition_args_check(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t n,
                                      const scan_partition3_args *given, int stageable, scan_partition_run *run);

/* Finds or makes the hidden plans of n elements. *second becomes NULL if one launch does. */
scan_status scan_partition_lookup(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t n, scan_plan **first,
                                  scan_plan **second);

/* Makes the plan of one launch, or of the first pass, whose `inner` is then the plan of the second pass. */
scan_status scan_partition_plan_make(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t max_n,
                                     scan_plan **result);

/* The forms of a plan that scan_partition_plan_make made. */
scan_partition_forms scan_partition_forms_of(const scan_plan *plan);

/* Executes a checked run with the plans of both passes, or of one launch and NULL. If n is 0, `first` must be NULL, and
 * `second` is not used. */
scan_status scan_partition_execute(scan_ctx *ctx, scan_plan *first, scan_plan *second, scan_partition_run *run,
                                   const scan_opencl_events *events);

#endif
