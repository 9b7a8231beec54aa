/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_SCAN_PLAN_H
#define SCANRT_SCAN_PLAN_H

#include "core/plan.h"
#include "ops/scan/operands.h"

/* Makes a plan for a checked problem: compiles its kernels and allocates its workspace. */
scan_status scan_plan_make(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t max_n,
                           scan_plan **result);

/* Makes a hidden plan, or the inner plan of one. quick_n: elements of its first scan, which is answered before all
 * kernels are compiled, if that is possible; 0: the plan waits for all. */
scan_status scan_plan_make_hidden(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t max_n,
                                  uint64_t quick_n, scan_plan **result);

/* Launches a scan of checked operands. Their problem gives kind, seed and memory; types and operator are the plan's. */
scan_status scan_plan_launch(scan_plan *plan, const scan_operands *operands, int in_place);

/* The kernel flags of the problem's kind and seed, which are built into a kernel or passed with each launch. */
static inline uint32_t scan_problem_flags(const scan_problem *problem) {
  return (problem->kind != SCAN_EXCLUSIVE ? SCAN_KERNEL_INCLUSIVE : 0u) |
         (scan_problem_has_seed(problem) ? SCAN_KERNEL_SEED : 0u);
}

/* The build key of the kernel of a scan's launch. */
scan_kernel_key scan_plan_launch_key(const scan_plan *plan, const scan_launch *launch);

/* Fills the arguments that all launches of a scan share, including the seed. Sets spin_limit to 1; scan_plan_launch
 * replaces it with the launches' limit. */
void scan_plan_args(const scan_plan *plan, const scan_operands *operands, int in_place, scan_kernel_args *args);

/* Makes the key that a scan's hidden plan is found by. Plans of arrays append their lines. */
void scan_problem_key(const scan_problem *problem, scan_strategy strategy, scan_key *key);

/* Finds the hidden plan of a scan of n elements, or makes it. */
scan_status scan_plan_lookup(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t n,
                             scan_plan **result);

#endif
