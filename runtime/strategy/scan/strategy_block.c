/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/canonical.h"
#include "strategy/strategy.h"
#include "device/arguments.h"
#include "kernels_cl/lib/arguments.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(WALK_ARGUMENTS);

/* A work-item may walk every element twice, besides rows and tiles. */
static uint64_t block_limit(const scan_caps *caps, const scan_problem *problem) {
  if (problem->source != NULL) return scan_loop_limited(caps, scan_source_walk_items(caps, problem) / 2);
  return scan_loop_limited(caps, caps->loop_limit / 4);
}

/* Sub-tiles of a tile that n does not fill: a smaller tile gives the same bits, because it only leaves out identities.
 * Fewer rows a warp are faster (H200, from a graph: 1.2 us for 1,024 int32, 1.6 for 4,096, 2.1 for 8,192). */
static uint32_t subtiles(uint64_t n, uint64_t item_bytes) {
  enum { HALF = 4 };
  const uint32_t most = canon_most_subtiles(item_bytes);
  const uint64_t subtile_items = canon_subtile_items(item_bytes);
  if (n > HALF * subtile_items) return most;
  if (n <= subtile_items) return 1;
  return most < HALF ? most : HALF;
}

static void block_schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  const uint64_t item_bytes = scan_problem_bytes(problem);
  scan_schedule_tiles(caps, problem, n, s);
  if (s->subtiles != 0 && n <= canon_small_items(item_bytes) && !problem->backward)
    s->subtiles = subtiles(n, item_bytes);
  scan_schedule_launch(s, scan_schedule_file(s, "block.cl"), "scan_block", &arguments, 1, caps->tuning.group_items);
}

const scan_strategy_ops scan_strategy_block = { .id = SCAN_STRATEGY_BLOCK,
                                                .refusal = scan_refuse_host,
                                                .limit = block_limit,
                                                .schedule = block_schedule,
                                                .workspace_bytes = scan_no_workspace,
                                                .cost = scan_cost_walked,
                                                .scans_backward = 1,
                                                .is_canonical = 1 };
