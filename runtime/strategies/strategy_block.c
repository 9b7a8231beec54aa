/* SPDX-License-Identifier: BSD-2-Clause */
#include "canonical.h"
#include "strategy.h"

/* A work-item may walk every element twice, and rows and tiles besides. */
static uint64_t limit(const scan_caps *caps, const scan_problem *problem) {
  (void)problem;
  return scan_loop_limited(caps, caps->loop_limit / 4);
}

/* A tile that is not full may be a smaller one: what is left out are identities. The fewer rows a warp has, the sooner
 * it is done (H200, from a graph: 1.2 us for 1,024 int32, 1.6 for 4,096, 2.1 for 8,192). */
static uint32_t subtiles(const scan_caps *caps, uint64_t bytes) {
  if (caps->tuning.group_items == 1 || bytes > CANON_HALF_BYTES) return 8;
  return bytes > CANON_SUBTILE_BYTES ? 4 : 1;
}

static void schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  const uint64_t bytes = n * scan_type_bytes(problem->type);
  scan_schedule_tiles(problem, n, s);
  if (bytes <= CANON_SMALL_BYTES && !problem->backward) s->subtiles = subtiles(caps, bytes);
  s->steps[0] = (scan_step){ "block.cl", "scan_block", 1, caps->tuning.group_items, 0 };
  s->step_count = 1;
}

static scan_cost cost(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  (void)caps;
  return scan_cost_canonical(problem, n, 0, 1);
}

const scan_strategy_ops scan_strategy_block = { .id = SCAN_STRATEGY_BLOCK,
                                                .refusal = scan_refuse_host,
                                                .limit = limit,
                                                .schedule = schedule,
                                                .workspace_bytes = scan_no_workspace,
                                                .cost = cost,
                                                .scans_backward = 1,
                                                .is_canonical = 1 };
