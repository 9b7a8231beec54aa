/* SPDX-License-Identifier: BSD-2-Clause */
/* The carry: one value that a scan begins with (scan_args.carry_in) and one that it leaves (scan_args.carry_out), so
 * that scans chain without the host. The scan's own kernels read the one and write the other. Nothing here waits, but
 * for carries in host memory, which only scan_run takes. */
#ifndef SCANRT_CARRY_H
#define SCANRT_CARRY_H

#include "core/plan.h"

/* Whether a scan of no elements has something to leave: a carry, or a total. */
static inline int scan_carry_has_places(const scan_problem *problem) {
  return scan_problem_carries(problem) || problem->kind == SCAN_TOTAL;
}

/* Whether scan_run reads or writes a carry in host memory for a device that has its own. */
int scan_carry_is_staged(const scan_ctx *ctx, const scan_problem *problem);

/* Whether the carry that the scan leaves is in the same memory as the one that it takes. */
int scan_carry_is_replaced(const scan_problem *problem);

/* Checks the carries of a scan of n elements. `in` and `out` are checked, and not looked at where n is 0. */
scan_status scan_carry_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n, int stageable, scan_mem in,
                             scan_mem out);

/* Says what workspace a plan's carries need. */
void scan_carry_prepare(scan_plan *plan);

/* Writes what a plan's scans of no elements leave; the workspace is there. Waits. */
scan_status scan_carry_finish_plan(scan_plan *plan);

/* Before the steps of a scan of n >= 1 elements: says to the kernels where its carries are, and what they keep. */
scan_status scan_carry_begin(scan_plan *plan, const scan_problem *problem, scan_kernel_args *args,
                             scan_placement *placement);

/* Puts copies of carries around a strategy's steps, as the problem's placement wants them. */
void scan_carry_schedule(const scan_problem *problem, scan_schedule *schedule);

/* A scan of no elements: what is left is the seed, which is the total, too. */
scan_status scan_carry_pass(scan_plan *plan, const scan_problem *problem, scan_mem out);

#endif
