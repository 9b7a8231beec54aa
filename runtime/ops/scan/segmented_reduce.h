/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_SEGMENTED_REDUCE_H
#define SCANRT_SEGMENTED_REDUCE_H

#include <scanrt/scan_reduce.h>

#include "core/buffers.h"
#include "core/plan.h"

/* A segmented reduction: its problem, which has the memory of segments and results, and its values. */
typedef struct scan_segmented_run {
  scan_problem problem;
  scan_mem values;
  uint64_t n;
  const struct scan_opencl_events *opencl;
} scan_segmented_run;

/* Copies a caller's spec, and refuses what no segmented reduction takes. */
scan_status scan_segmented_reduce_spec_copy_in(scan_ctx *ctx, const scan_spec *given, scan_spec *spec);

/* Refuses an operator that emits, or has members in arrays of their own; `problem` is what scan_spec_check made of the
 * spec. */
scan_status scan_segmented_reduce_source_check(scan_ctx *ctx, const scan_spec *spec, const scan_problem *problem);

/* Makes the problem of such a spec, of segments by offsets. */
scan_status scan_segmented_reduce_spec_check(scan_ctx *ctx, const scan_spec *given, scan_problem *problem);

/* Checks the memory of a run whose problem and n are set, and adds it. With stageable, host memory stays as the caller
 * named it. */
scan_status scan_segmented_reduce_args_check(scan_ctx *ctx, const scan_segmented_reduce_args *given, int stageable,
                                             scan_segmented_run *run);

/* Lists the buffers of a run. */
void scan_segmented_reduce_list(scan_segmented_run *run, scan_buffer_list *list);

/* Sets the sizes of the regions of a plan's workspace. */
void scan_segmented_reduce_prepare(scan_plan *plan);

/* Adds the arguments of kernels that scans do not have. */
void scan_segmented_reduce_bind(const scan_plan *plan, const scan_problem *problem, scan_kernel_args *args);

/* Adds the arguments of SCAN_STRATEGY_MARKED_REDUCE. */
void scan_marked_reduce_bind(const scan_plan *plan, const scan_problem *problem, scan_kernel_args *args);

#endif
