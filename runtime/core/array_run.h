/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan's part for arrays (array_run.c). */
#ifndef SCANRT_ARRAY_RUN_H
#define SCANRT_ARRAY_RUN_H

#include "strategy/array.h"
#include "base/canonical.h"
#include "core/events.h"
#include "core/plan.h"

struct scan_array_plan {
  scan_array array; /* as the caller described it, for messages */
  array_lines lines;
  array_method method;
  scan_kernel *kernel; /* NULL where each line is a scan of its own */
  scan_plan *each;     /* which does that; one of the context's plans */
};

/* Runs a plan of an array by the general call; the struct is checked, and the events are. */
scan_status scan_array_plan_run(scan_plan *plan, uint64_t n, const scan_args *args, const scan_opencl_events *events);

/* Takes the caller's description: a copy of the array, the checked problem, the lines. `args` is NULL where a plan is
 * made. */
scan_status scan_array_check(scan_ctx *ctx, const scan_spec *spec, const scan_array *given, const scan_args *args,
                             scan_array *array, scan_problem *problem, array_lines *lines);

/* The memory of a run over so many elements, besides in and out. */
scan_status scan_array_args_take(scan_ctx *ctx, uint64_t items, const scan_args *args, scan_problem *problem);

/* Checks the buffers of one scan of an array, as scan_buffers_check does for a plain one. */
scan_status scan_array_buffers_check(scan_ctx *ctx, const scan_problem *problem, const scan_array *array,
                                     const array_lines *lines, int stageable, scan_mem *in, scan_mem *out,
                                     uint32_t *flags);

#endif
