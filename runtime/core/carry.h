/* SPDX-License-Identifier: BSD-2-Clause */
/* The carry: one element that a scan begins with (spec->carry_in) and one that it leaves (spec->carry_out), so that
 * scans chain without the host. Nothing here waits, but for carries in host memory, which only scan_run takes. */
#ifndef SCANRT_CARRY_H
#define SCANRT_CARRY_H

#include "core/plan.h"

/* Whether the scan takes or leaves a carry. */
static inline int scan_carries(const scan_problem *problem) {
  return problem->carry_in.kind != SCAN_MEM_NONE || problem->carry_out.kind != SCAN_MEM_NONE;
}

/* Whether a plan's workspace needs places for carries, or for a total. */
static inline int scan_carry_has_places(const scan_problem *problem) {
  return scan_carries(problem) || problem->kind == SCAN_TOTAL;
}

/* Whether scan_run reads or writes a carry in host memory for a device that has its own. */
int scan_carry_is_staged(const scan_ctx *ctx, const scan_problem *problem);

/* Whether the carry that the scan leaves is in the same memory as the one that it takes. */
int scan_carry_is_replaced(const scan_problem *problem);

/* Refuses what the carries of a problem contradict. */
scan_status scan_carry_take(scan_ctx *ctx, const scan_problem *problem);

/* Checks the carries of a scan of n elements. `in` and `out` are checked, and not looked at where n is 0. Most scans
 * have none, and are not asked for more. */
scan_status scan_carry_check_places(scan_ctx *ctx, const scan_problem *problem, uint64_t n, int stageable, scan_mem in,
                                    scan_mem out);
static inline scan_status scan_carry_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n, int stageable,
                                           scan_mem in, scan_mem out) {
  if (!scan_carry_has_places(problem)) return SCAN_SUCCESS;
  return scan_carry_check_places(ctx, problem, n, stageable, in, out);
}

/* The bytes of a workspace in which there is a place for the seed, too. */
uint64_t scan_carry_room_bytes(const scan_plan *plan, const scan_schedule *schedule, uint64_t bytes);

/* Adds to the plan's workspace what the carries need besides; says in `last`, if the plan leaves a carry, how the one
 * element that was kept is scanned, else it has no steps. */
void scan_carry_prepare(scan_plan *plan, scan_schedule *last);

/* Writes what a plan's scans of no elements leave; the workspace is there. Waits. */
scan_status scan_carry_finish_plan(scan_plan *plan);

/* Before and after the launches of a scan of n >= 1 elements. */
scan_status scan_carry_begin(scan_plan *plan, const scan_problem *problem, const scan_schedule *schedule, uint64_t n,
                             scan_mem in, uint32_t *flags);
scan_status scan_carry_end(scan_plan *plan, const scan_problem *problem, uint64_t n, scan_mem out);

/* A scan of no elements: what is left is the seed, which is the total, too. */
scan_status scan_carry_pass(scan_plan *plan, const scan_problem *problem, scan_mem out);

/* Computes the total of n >= 1 elements (total.c). */
scan_status scan_total_launch(scan_plan *plan, const scan_problem *problem, const scan_schedule *schedule, uint64_t n,
                              scan_mem in, scan_mem out);

/* Where most kernels of the plan find a carry: memory for both carries of a chain that only this plan scans, which
 * saves the copy to there. */
scan_mem scan_carry_home(const scan_plan *plan);

/* The places of a plan for a total: what is on its way from one place to another, and room for a tile. */
scan_mem scan_carry_way(const scan_plan *plan);
scan_mem scan_carry_tile(const scan_plan *plan);

/* Copies from device memory to a carry, of the host or of the device. */
scan_status scan_carry_deliver(scan_ctx *ctx, scan_mem from, uint64_t bytes, scan_mem carry);

#endif
