/* SPDX-License-Identifier: BSD-2-Clause */
/* The total alone: reduce_then_scan without its last launch, but for the last tile, which `block` scans by itself from
 * its prefix: the last element's bits come about as in the whole scan. What goes between the launches is total.c's. */
#include "base/canonical.h"
#include "strategy/strategy.h"

static uint64_t limit(const scan_caps *caps, const scan_problem *problem) {
  const uint64_t tile = scan_strategy_block.limit(caps, problem);
  if (canon_small_items(scan_problem_bytes(problem)) > tile) return tile;
  return scan_strategy_reduce_then_scan.limit(caps, problem);
}

static void schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  const scan_step last = { "block.cl", "scan_block", 1, caps->tuning.group_items, 0, 0 };
  scan_strategy_reduce_then_scan.schedule(caps, problem, n, s);
  s->steps[2] = last;
  if (s->tiles > 1) return;
  s->steps[0] = last;
  s->step_count = 1;
  s->carry_after_tiles = 0;
}

static uint64_t workspace_bytes(const scan_problem *problem, uint64_t max_n) {
  return scan_strategy_reduce_then_scan.workspace_bytes(problem, max_n);
}

static scan_cost cost(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  (void)caps;
  return scan_cost_total(problem, n);
}

const scan_strategy_ops scan_strategy_total = { .id = SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                                .refusal = scan_refuse_host,
                                                .limit = limit,
                                                .schedule = schedule,
                                                .workspace_bytes = workspace_bytes,
                                                .cost = cost,
                                                .is_canonical = 1 };

/* ---- the host, whose threads do all of it in one launch ---- */

static uint64_t host_limit(const scan_caps *caps, const scan_problem *problem) {
  return scan_strategy_threads.limit(caps, problem);
}

static void host_schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  scan_schedule_tiles(problem, n, s);
  s->steps[0] = (scan_step){ "threads", "scan_total", caps->info.compute_units, 1, 0, 0 };
  s->step_count = 1;
}

const scan_strategy_ops scan_strategy_total_host = { .id = SCAN_STRATEGY_THREADS,
                                                     .refusal = scan_refuse_nothing,
                                                     .limit = host_limit,
                                                     .schedule = host_schedule,
                                                     .workspace_bytes = scan_no_workspace,
                                                     .cost = cost,
                                                     .is_canonical = 1 };
