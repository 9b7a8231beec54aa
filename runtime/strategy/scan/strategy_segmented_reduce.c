/* SPDX-License-Identifier: BSD-2-Clause */
/* Segmented reductions (scan_reduce.h). Threads, and work-groups with room for a tile in local memory, read the values
 * once (host_segments.c, segment_totals.cl), and so do single work-items (segment_item.cl). Elsewhere all elements are
 * scanned, and segment_gather copies the last one of each segment. */
#include "base/canonical.h"
#include "device/arguments.h"
#include "kernels_cl/lib/arguments.h"
#include "kernels_cl/scan/segment_marked.h"
#include "kernels_cl/scan/segment_state.h"
#include "kernels_cl/select/select.h"
#include "strategy/strategy.h"

static const scan_argument_list edges_arguments = SCAN_ARGUMENTS(SEGMENT_EDGES_ARGUMENTS);
static const scan_argument_list marked_arguments = SCAN_ARGUMENTS(SEGMENT_MARKED_ARGUMENTS);
static const scan_argument_list alone_arguments = SCAN_ARGUMENTS(SEGMENT_ALONE_ARGUMENTS);
static const scan_argument_list totals_arguments = SCAN_ARGUMENTS(SEGMENT_TOTALS_ARGUMENTS);

/* LEAST_LOCAL_BYTES: a tile of 32 KiB and the scratch of its scan. Gathering: MOST_WORK_ITEMS of one-work-item groups,
 * else GROUPS_PER_UNIT for each compute unit. ITEMS_PER_UNIT: single work-items that fold tiles, for each compute unit;
 * drivers hand out half of what is left, so that many even out the load. */
enum { LEAST_LOCAL_BYTES = 48 << 10, MOST_WORK_ITEMS = 4096, GROUPS_PER_UNIT = 8, ITEMS_PER_UNIT = 64 };
/* Segments that are folded one by one: MEAN_ROWS: the most rows of them in the mean. WARP_ROWS: the most of a warp in
 * the mean. UNIT_SEGMENTS: the most for each compute unit. UNIT_WARPS: warps that share them, for each compute unit.
 * H200, f32, segments of 1,000, 2^20 elements, 1, 2, 4, 8 warps a segment: 5.3, 5.4, 6.3, 8.1 us;
 * 2^18: 6.7, 5.6, 5.0, 4.4. */
enum { MEAN_ROWS = 16, WARP_ROWS = 8, UNIT_SEGMENTS = 64, UNIT_WARPS = 16 };
/* Many tiles in one launch (segment_ranges.h): RANGE_ITEMS: the fewest elements of a segment in the mean.
 * RANGE_SUBTILES: sub-tiles of a tile, one a warp. */
enum { RANGE_ITEMS = 32, RANGE_SUBTILES = 8 };

scan_segments_method scan_segments_method_of(const scan_caps *caps, const scan_problem *problem) {
  if (caps->info.backend == SCAN_BACKEND_HOST) return SCAN_SEGMENTS_BY_THREADS;
  if (problem->checks || caps->loop_limit != 0) return SCAN_SEGMENTS_SCANNED;
  if (caps->tuning.group_items == 1) return SCAN_SEGMENTS_BY_ITEMS;
  return caps->info.local_memory_bytes >= LEAST_LOCAL_BYTES ? SCAN_SEGMENTS_STAGED : SCAN_SEGMENTS_SCANNED;
}

static uint64_t reduce_limit(const scan_caps *caps, const scan_problem *problem) {
  if (caps->info.backend == SCAN_BACKEND_HOST) return scan_no_limit(caps, problem);
  return scan_strategy_reduce_then_scan.limit(caps, problem);
}

static void schedule_threads(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  scan_schedule_tiles(caps, problem, n, s);
  scan_schedule_launch(s, "segment_totals.cl", "segment_totals", &totals_arguments, caps->info.compute_units, 1);
}

static int are_few(uint64_t tiles) { return tiles <= (uint64_t)SEGMENT_ALONE_GROUPS * CANON_GROUP_TILES; }

int scan_segments_are_direct(const scan_caps *caps, const scan_problem *problem) {
  return scan_segments_method_of(caps, problem) == SCAN_SEGMENTS_STAGED &&
         (caps->info.backend == SCAN_BACKEND_CUDA || caps->tuning.exchange == SCAN_EXCHANGE_PTX);
}

uint64_t scan_segments_most_ranged(const scan_problem *problem) {
  const uint64_t bytes = scan_problem_bytes(problem);
  if (canon_most_subtiles(bytes) != RANGE_SUBTILES) return 0;
  return (uint64_t)SEGMENT_RANGES_GROUPS * CANON_GROUP_TILES * canon_small_items(bytes);
}

/* Returns the work-groups of segment_ranges, for many tiles; 0 if other launches reduce them. */
static uint32_t range_groups(const scan_caps *caps, const scan_problem *problem, uint64_t n, uint64_t tiles) {
  const uint64_t most = (uint64_t)caps->info.compute_units * SEGMENT_RANGES_UNIT;
  if (n > scan_segments_most_ranged(problem) || n / problem->segments.count < RANGE_ITEMS) return 0;
  return (uint32_t)(tiles < most ? tiles : most);
}

/* Work-groups fold segments one by one (segment_direct.h) where these are few and have a few rows in the mean. Several
 * warps share a segment while there are fewer warps than the device needs. */
uint32_t scan_segments_groups(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  const uint64_t bytes = scan_problem_bytes(problem), tiles = canon_tiles(n, bytes), count = problem->segments.count;
  const uint64_t row = canon_subtile_items(bytes) / 8, warps = caps->tuning.group_items / 32;
  const uint64_t units = caps->info.compute_units;
  uint64_t each = 1;
  if (!scan_segments_are_direct(caps, problem)) return 0;
  if (!are_few(tiles)) return range_groups(caps, problem, n, tiles);
  if (count > units * UNIT_SEGMENTS || n / count > MEAN_ROWS * row) return 0;
  while (each < warps && n > count * row * each && 2 * count * each <= units * UNIT_WARPS) each *= 2;
  if (n > count * row * WARP_ROWS * each) return 0;
  return (uint32_t)((count * each + warps - 1) / warps);
}

static void schedule_staged(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  const uint32_t items = caps->tuning.group_items;
  scan_schedule_tiles(caps, problem, n, s);
  const uint32_t groups = problem->placement.segment_groups;
  const int few = are_few(s->tiles);
  if (groups > 0 && (few || n <= scan_segments_most_ranged(problem))) {
    scan_schedule_launch(s, "segment_totals.cl", few ? "segment_direct" : "segment_ranges", &totals_arguments,
                         few && s->tiles > 1 ? groups + s->tiles : groups, items);
    return;
  }
  if (few) {
    scan_schedule_launch(s, "segment_totals.cl", "segment_alone", &totals_arguments, s->tiles, items);
    return;
  }
  scan_schedule_launch(s, "segment_bits.cl", "segment_edges", &edges_arguments, s->tiles / items + 1, items)
      ->builds_segment_bits = 1;
  scan_schedule_launch(s, "segment_totals.cl", "segment_totals", &totals_arguments, s->tiles, items);
  scan_schedule_launch(s, "segment_totals.cl", "segment_groups", &totals_arguments,
                       (s->tiles - 1) / CANON_GROUP_TILES + 1, items);
  scan_schedule_launch(s, "segment_totals.cl", "segment_finish", &totals_arguments, (s->tiles - 1) / items + 1, items);
}

/* Number of single work-items that walk over tiles. */
static uint64_t walkers(const scan_caps *caps, uint64_t tiles) {
  const uint64_t most = (uint64_t)caps->info.compute_units * ITEMS_PER_UNIT;
  return tiles < most ? tiles : most;
}

static void schedule_items(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  scan_schedule_tiles(caps, problem, n, s);
  scan_schedule_launch(s, "segment_item.cl", "segment_item_totals", &totals_arguments, walkers(caps, s->tiles), 1);
  scan_schedule_launch(s, "segment_item.cl", "segment_item_finish", &totals_arguments, 1, 1);
}

static void schedule_scanned(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  const uint32_t items = caps->tuning.group_items;
  scan_strategy_reduce_then_scan.schedule(caps, problem, n, s);
  scan_schedule_launch(s, "segment_gather.cl", "segment_gather", &totals_arguments,
                       items == 1 ? MOST_WORK_ITEMS : (uint64_t)caps->info.compute_units * GROUPS_PER_UNIT, items);
}

static void reduce_schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  static void (*const schedules[])(const scan_caps *, const scan_problem *, uint64_t, scan_schedule *) = {
    [SCAN_SEGMENTS_SCANNED] = schedule_scanned,
    [SCAN_SEGMENTS_BY_THREADS] = schedule_threads,
    [SCAN_SEGMENTS_BY_ITEMS] = schedule_items,
    [SCAN_SEGMENTS_STAGED] = schedule_staged,
  };
  schedules[scan_segments_method_of(caps, problem)](caps, problem, n, s);
}

enum { STATE_BYTES = SEGMENT_STATE_BYTES };

/* Bytes of the state, of two values a tile, its aggregate and what precedes the end of the segment that is open at its
 * beginning, and of the groups' totals. */
static uint64_t reduce_workspace_bytes(const scan_problem *problem, uint64_t max_n) {
  const uint64_t tiles = canon_tile_capacity(max_n, scan_problem_bytes(problem));
  return STATE_BYTES + (2 * tiles + tiles / CANON_GROUP_TILES + 1) * scan_kept_bytes(problem);
}

const scan_strategy_ops scan_strategy_segmented_reduce = { .id = SCAN_STRATEGY_SEGMENTED_REDUCE,
                                                           .refusal = scan_refuse_nothing,
                                                           .limit = reduce_limit,
                                                           .schedule = reduce_schedule,
                                                           .workspace_bytes = reduce_workspace_bytes,
                                                           .cost = scan_cost_reduced,
                                                           .is_canonical = 1 };

/* ---- segments whose ends are bits ---- */

/* Bytes of scanrt_open_result (kernels_cl/scan/segment_marked_group.h). */
enum { OPEN_BYTES = 16 };

uint64_t scan_marked_scratch_bytes(const scan_caps *caps, const scan_problem *problem, uint64_t max_n) {
  const uint64_t bytes = scan_problem_bytes(problem);
  if (caps->tuning.group_items > 1) return 0;
  return walkers(caps, canon_tile_capacity(max_n, bytes)) * canon_subtile_items(bytes) *
         scan_problem_output_bytes(problem);
}

int scan_marked_is_alone(const scan_caps *caps, uint64_t n) {
  return caps->tuning.group_items == 1 && n > 0 && n <= SELECT_TILE_ITEMS;
}

static void schedule_marked_launch(const char *kernel, uint64_t groups, uint32_t items, scan_schedule *s) {
  scan_schedule_launch(s, "segment_marked.cl", kernel, &marked_arguments, groups, items);
}

static void schedule_marked(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  const uint32_t items = caps->tuning.group_items;
  scan_schedule_tiles(caps, problem, n, s);
  if (problem->placement.segment_groups > 0) {
    scan_schedule_launch(s, "segment_marked.cl", "segment_marked_alone", &alone_arguments, 1, items);
    return;
  }
  if (items <= 1) {
    schedule_marked_launch("segment_marked_totals", walkers(caps, s->tiles), items, s);
    schedule_marked_launch("segment_marked_finish", 1, items, s);
    return;
  }
  schedule_marked_launch("segment_marked_totals", s->tiles, items, s);
  schedule_marked_launch("segment_marked_finish", (s->tiles - 1) / CANON_GROUP_TILES + 1, items, s);
}

static uint64_t marked_workspace_bytes(const scan_problem *problem, uint64_t max_n) {
  return reduce_workspace_bytes(problem, max_n) + OPEN_BYTES * canon_tile_capacity(max_n, scan_problem_bytes(problem));
}

const scan_strategy_ops scan_strategy_marked_reduce = { .id = SCAN_STRATEGY_MARKED_REDUCE,
                                                        .refusal = scan_refuse_nothing,
                                                        .limit = scan_no_limit,
                                                        .schedule = schedule_marked,
                                                        .workspace_bytes = marked_workspace_bytes,
                                                        .cost = scan_cost_reduced,
                                                        .is_canonical = 1 };
