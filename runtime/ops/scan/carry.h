/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries: the value that a scan begins with (scan_args.carry_in) and the value that it leaves (scan_args.carry_out).
 * They chain scans without the host, because the scan's own kernels read and write them. */
#ifndef SCANRT_CARRY_H
#define SCANRT_CARRY_H

#include "core/plan.h"

/* 1 if the scan has carries or is a total: it may then write memory even if n is 0. */
static inline int scan_carry_has_places(const scan_problem *problem) {
  return scan_problem_carries(problem) || problem->kind == SCAN_TOTAL;
}

/* Sets the output of a total of no elements, whose value is the seed's. */
void scan_seed_output(const scan_problem *problem, const void *seed, void *output);

/* 1 if carry_out is the same memory as carry_in, or has the same handle. */
int scan_carry_is_replaced(const scan_problem *problem);

/* Refuses a scan of no elements that has no value to leave. */
scan_status scan_carry_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n);

/* Sets the bytes of the workspace regions that carries need. */
void scan_carry_prepare(scan_plan *plan);

/* Writes the seed to SCAN_REGION_SEED of the allocated workspace; scans of no elements leave it. Waits. */
scan_status scan_carry_finish_plan(scan_plan *plan);

/* Sets the kernel arguments and the placement of a scan's carries, before the steps of a scan of n >= 1 elements. */
void scan_carry_begin(const scan_plan *plan, const scan_problem *problem, scan_kernel_args *args,
                      scan_placement *placement);

/* Adds the copy of carry_in to a strategy's steps if the problem's placement requires it. */
void scan_carry_schedule(const scan_problem *problem, scan_schedule *schedule);

/* Executes a scan of no elements: writes its seed to carry_out and, for a total, to `out`. */
scan_status scan_carry_pass(scan_plan *plan, const scan_problem *problem, scan_mem out);

#endif
