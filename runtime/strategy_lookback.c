/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy.h"

#include "canonical.h"

/* Polls of a descriptor before a work-group reduces the missing tile itself; a poll takes 0.5 to 1 us on a GPU. In
 * place the tile may be gone, so a longer wait ends in SCAN_NO_PROGRESS instead. */
enum { SPIN_LIMIT = 1 << 14, SPIN_LIMIT_IN_PLACE = 1 << 26 };

static const char *refusal(const scan_caps *caps, const scan_problem *problem) {
  if (caps->info.backend == SCAN_BACKEND_HOST) return scan_refuse_host(caps, problem);
  return caps->info.has_int64_atomics ? NULL : "it needs 64-bit atomics, which this device does not have";
}

/* A persistent work-item may walk any number of tiles. */
static uint64_t limit(const scan_caps *caps, const scan_problem *problem) {
  (void)problem;
  return scan_loop_limited(caps, caps->loop_limit / 4);
}

static void schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  scan_schedule_tiles(problem, n, s);
  const uint64_t resident = (uint64_t)caps->info.compute_units * caps->tuning.groups_per_unit;
  const uint32_t groups = scan_groups_for(caps, s->tiles, resident);
  s->steps[0] = (scan_step){ "lookback.cl", "scan_lookback", groups, caps->tuning.group_items, 0 };
  s->step_count = 1;
  s->spin_limit = SPIN_LIMIT;
  s->spin_limit_in_place = SPIN_LIMIT_IN_PLACE;
}

/* The control block, a descriptor a tile and one a group of tiles: one 64-bit word each, two for 8-byte values. */
static uint64_t workspace_bytes(const scan_problem *problem, uint64_t max_n) {
  const uint64_t bytes = scan_type_bytes(problem->type);
  const uint64_t capacity = canon_tile_capacity(max_n, bytes);
  const uint64_t words = bytes > 4 ? 2 : 1;
  return SCAN_CONTROL_BYTES + (capacity + capacity / CANON_GROUP_TILES + 1) * words * 8;
}

/* A single work-item keeps the running prefix; a work-group looks back for each tile. */
static scan_cost cost(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  return scan_cost_canonical(problem, n, 1, caps->tuning.group_items == 1);
}

const scan_strategy_ops scan_strategy_lookback = { .id = SCAN_STRATEGY_LOOKBACK,
                                                   .refusal = refusal,
                                                   .limit = limit,
                                                   .schedule = schedule,
                                                   .workspace_bytes = workspace_bytes,
                                                   .cost = cost,
                                                   .is_canonical = 1,
                                                   .has_control_block = 1 };
