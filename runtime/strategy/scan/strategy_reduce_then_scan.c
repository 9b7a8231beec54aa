/* SPDX-License-Identifier: BSD-2-Clause */
/* reduce_then_scan, and its first launches as strategies of their own: the values of tiles, and of groups of tiles
 * (scan_tiles.h). */
#include "strategy/strategy.h"

#include "base/canonical.h"
#include "device/arguments.h"
#include "kernels_cl/lib/arguments.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(TILE_ARGUMENTS);

/* The spine is one work-item's loop over tiles, each with loops over the tree's levels. Every tile has a work-item of
 * its own. */
static uint64_t reduce_then_scan_limit(const scan_caps *caps, const scan_problem *problem) {
  const uint64_t bytes = scan_problem_bytes(problem), walk_items = scan_source_walk_items(caps, problem);
  if (problem->source != NULL && canon_small_items(bytes) > walk_items) return scan_loop_limited(caps, walk_items);
  return scan_loop_limited(caps, caps->loop_limit / (4 * CANON_GROUP_LEVELS) * canon_subtile_items(bytes));
}

static void schedule_tiles(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  scan_schedule_tiles(caps, problem, n, s);
  scan_schedule_launch(s, "reduce_then_scan.cl", "rts_reduce", &arguments, s->tiles, caps->tuning.group_items);
}

static void schedule_groups(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  schedule_tiles(caps, problem, n, s);
  scan_schedule_launch(s, "reduce_then_scan.cl", "rts_groups", &arguments, n / s->tile_items / CANON_GROUP_TILES,
                       caps->tuning.group_items);
}

static void reduce_then_scan_schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n,
                                      scan_schedule *s) {
  schedule_tiles(caps, problem, n, s);
  scan_schedule_launch(s, "reduce_then_scan.cl", "rts_spine", &arguments, 1, caps->tuning.group_items);
  const uint32_t scanned =
      problem->kind == SCAN_TOTAL && !problem->checks ? 1 : (uint32_t)s->tiles; /* a total scans the last tile alone */
  scan_schedule_launch(s, "reduce_then_scan.cl", "rts_scan", &arguments, scanned, caps->tuning.group_items);
}

/* scanrt_kept_t of value_source.h. */
uint64_t scan_kept_bytes(const scan_problem *problem) {
  const uint64_t bytes = scan_problem_value_bytes(problem);
  if (problem->segments.kind == SCAN_SEGMENTS_NONE) return bytes;
  const uint64_t align = problem->source->align > 4 ? problem->source->align : 4;
  return ((bytes + 3) / 4 * 4 + 4 + align - 1) / align * align;
}

static uint64_t reduce_then_scan_workspace_bytes(const scan_problem *problem, uint64_t max_n) {
  return canon_tile_capacity(max_n, scan_problem_bytes(problem)) * scan_kept_bytes(problem);
}

/* Bytes of a value a tile and a value a group. */
static uint64_t groups_workspace_bytes(const scan_problem *problem, uint64_t max_n) {
  const uint64_t tiles = canon_tile_capacity(max_n, scan_problem_bytes(problem));
  return (tiles + tiles / CANON_GROUP_TILES) * scan_kept_bytes(problem);
}

const scan_strategy_ops scan_strategy_reduce_then_scan = { .id = SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                                           .refusal = scan_refuse_host,
                                                           .limit = reduce_then_scan_limit,
                                                           .schedule = reduce_then_scan_schedule,
                                                           .workspace_bytes = reduce_then_scan_workspace_bytes,
                                                           .cost = scan_cost_reduced,
                                                           .scans_backward = 1,
                                                           .is_canonical = 1 };

const scan_strategy_ops scan_strategy_tiles = { .id = SCAN_STRATEGY_TILES,
                                                .refusal = scan_refuse_host,
                                                .limit = reduce_then_scan_limit,
                                                .schedule = schedule_tiles,
                                                .workspace_bytes = reduce_then_scan_workspace_bytes,
                                                .cost = scan_cost_reduced,
                                                .scans_backward = 1,
                                                .is_canonical = 1 };

const scan_strategy_ops scan_strategy_groups = { .id = SCAN_STRATEGY_GROUPS,
                                                 .refusal = scan_refuse_host,
                                                 .limit = reduce_then_scan_limit,
                                                 .schedule = schedule_groups,
                                                 .workspace_bytes = groups_workspace_bytes,
                                                 .cost = scan_cost_reduced,
                                                 .scans_backward = 1,
                                                 .is_canonical = 1 };
