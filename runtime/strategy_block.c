/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy.h"

/* A work-item may walk every element twice, and rows and tiles besides. */
static uint64_t limit(const scan_caps *caps, const scan_problem *problem) {
  (void)problem;
  return scan_loop_limited(caps, caps->loop_limit / 4);
}

static void schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  scan_schedule_tiles(problem, n, s);
  s->steps[0] = (scan_step){ "block.cl", "scan_block", 1, caps->group_items, 0 };
  s->step_count = 1;
}

const scan_strategy_ops scan_strategy_block = { .id = SCAN_STRATEGY_BLOCK,
                                                .refusal = scan_refuse_host,
                                                .limit = limit,
                                                .schedule = schedule,
                                                .workspace_bytes = scan_no_workspace };
