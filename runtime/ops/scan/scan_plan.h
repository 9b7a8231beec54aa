/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_SCAN_PLAN_H
#define SCANRT_SCAN_PLAN_H

#include "core/plan.h"

/* Compiles and allocates. */
scan_status scan_plan_make(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t max_n,
                           scan_plan **result);

/* Launches a scan of checked buffers. `problem` gives kind and seed; its types and operator are the plan's. */
scan_status scan_plan_launch(scan_plan *plan, const scan_problem *problem, uint64_t n, scan_mem in, scan_mem out,
                             int in_place);

/* What the problem says to kernels, built in or given with each launch. */
static inline uint32_t scan_problem_flags(const scan_problem *problem) {
  return (problem->kind != SCAN_EXCLUSIVE ? SCAN_KERNEL_INCLUSIVE : 0u) |
         (scan_problem_has_seed(problem) ? SCAN_KERNEL_SEED : 0u);
}

/* What the build of a step's kernel depends on. `primitive` as in scan_strategy_ops. */
scan_kernel_key scan_plan_kernel_key(const scan_problem *problem, const scan_schedule *schedule, const scan_step *step,
                                     const char *primitive);

/* What all launches of a scan are given, the problem's seed among it. spin_limit is 1: who waits sets his own. */
void scan_plan_args(const scan_plan *plan, const scan_problem *problem, uint64_t n, scan_mem in, scan_mem out,
                    int in_place, scan_kernel_args *args);

/* What hidden plans of scans are found by; those of arrays add their lines. */
void scan_problem_key(const scan_problem *problem, scan_strategy strategy, scan_key *key);

/* The same for a problem; made when there is none. */
scan_status scan_plan_lookup(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t n,
                             scan_plan **result);

#endif
