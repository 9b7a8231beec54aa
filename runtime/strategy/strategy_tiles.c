/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of tiles (scan_tiles.h): the first launch of reduce_then_scan. */
#include "strategy/strategy.h"

static void schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  scan_strategy_reduce_then_scan.schedule(caps, problem, n, s);
  s->step_count = 1;
}

static uint64_t limit(const scan_caps *caps, const scan_problem *problem) {
  return scan_strategy_reduce_then_scan.limit(caps, problem);
}

static uint64_t workspace_bytes(const scan_problem *problem, uint64_t max_n) {
  return scan_strategy_reduce_then_scan.workspace_bytes(problem, max_n);
}

const scan_strategy_ops scan_strategy_tiles = { .id = SCAN_STRATEGY_TILES,
                                                .refusal = scan_refuse_host,
                                                .limit = limit,
                                                .schedule = schedule,
                                                .workspace_bytes = workspace_bytes,
                                                .cost = scan_cost_reduced,
                                                .scans_backward = 1,
                                                .is_canonical = 1 };
