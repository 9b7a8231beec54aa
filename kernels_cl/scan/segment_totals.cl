/* SPDX-License-Identifier: BSD-2-Clause */
/* A segmented reduction that reads the values once, in work-groups. segment_totals scans a tile by itself, in local
 * memory, and stores the results of the segments that begin and end in it. At most one segment ends in a tile without
 * beginning there. What precedes the vector of its last element within the tile goes to the workspace, behind the
 * tiles' aggregates; segment_groups makes prefixes of these, and segment_finish combines both. No work-group waits for
 * another. */
#include "scan/group_tree.h"
#include "scan/segment_results.h"

/* What precedes vector i of the work-item within its tile. */
#if VECTORS_ARE_FILLED
#define STAGED_START(t, i) scanrt_tile_start((t), scanrt_value_none(), (i))
#else
#define STAGED_START(t, i) TILE_BEFORE(t, i)
#endif

/* Scans the tile into `stage`. Keeps what precedes the vector that has element `open` of the tile, if that exists. */
FUNC void scanrt_tile_stage(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_u64 open,
                            GLOBAL scanrt_kept_t *before, LOCAL scanrt_output_vector *stage) {
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_u32 vector = (ITEM() / 32 * ROWS + i) * ROW_VECS + ITEM() % 32;
    const scanrt_value_t start = STAGED_START(t, i);
    stage[vector].raw = scanrt_vector_scan(job, TILE_VECTOR(job, tile, t, i), start);
    if (open / VEC_ITEMS == vector) before[tile] = KEPT_OF(start);
  }
}

KERNEL(segment_totals)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);
  LOCAL_ARRAY(scanrt_output_vector, stage, TILE_ROWS *ROW_VECS);
  const scanrt_job job = JOB();
  GLOBAL scanrt_kept_t *tiles = (GLOBAL scanrt_kept_t *)MEMORY(workspace);
  GLOBAL const scanrt_u64 *edges = (GLOBAL const scanrt_u64 *)MEMORY(places);
  GLOBAL scanrt_output_t *to = (GLOBAL scanrt_output_t *)MEMORY(totals);
  const scanrt_u32 tile = GROUP();
  const scanrt_u64 first = edges[tile], end = edges[tile + 1], tile_begin = tile * TILE_ITEMS;
  scanrt_tile_state state;
  scanrt_tile_load(&job, tile, &state);
  scanrt_u64 open = TILE_ITEMS;
  if (first < end) {
    const scanrt_span span = SPAN_READ(first);
    if (span.begin < tile_begin && span.end > tile_begin) open = span.end - 1 - tile_begin;
  }
  scanrt_tile_fold(&job, tile, &state, scratch);
  scanrt_tile_scan(&job, tile, &state);
  if (ITEM() == 0) tiles[tile] = KEPT_OF(state.aggregate);
  scanrt_tile_stage(&job, tile, &state, open, tiles + job.tiles, stage);
  BARRIER();
  for (scanrt_u64 i = first + ITEM(); i < end; i += SCAN_GROUP_ITEMS) {
    const scanrt_span span = SPAN_READ(i);
    const scanrt_u64 last = span.end - 1 - tile_begin;
    if (span.begin >= span.end) {
      if (flags & FLAG_STARTS) to[i] = scanrt_output_empty(&job);
    } else if (span.begin >= tile_begin && last < TILE_ITEMS) {
      to[i] = stage[last / VEC_ITEMS].x[last % VEC_ITEMS];
    }
  }
}

/* Replaces the aggregates of a group of 128 tiles by what precedes each in the group; behind the tiles' values it writes
 * the group's total. */
KERNEL(segment_groups)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_value_t, tree, 2 * GROUP_TILES);
  const scanrt_job job = JOB();
  GLOBAL scanrt_kept_t *tiles = (GLOBAL scanrt_kept_t *)MEMORY(workspace);
  const scanrt_u64 tile = (scanrt_u64)GROUP() * GROUP_TILES + ITEM();
  const scanrt_u32 is_there = ITEM() < GROUP_TILES && tile < job.tiles;
  (void)count;
  if (ITEM() < GROUP_TILES) tree[ITEM()] = is_there ? VALUE_KEPT(tiles[tile]) : IDENTITY;
  scanrt_tree_grow(tree);
  if (is_there) tiles[tile] = KEPT_OF(scanrt_tree_before(tree));
  if (ITEM() == 0) tiles[2 * (scanrt_u64)job.tiles + GROUP()] = KEPT_OF(tree[LEVEL_FIRST(GROUP_LEVELS)]);
}

/* Returns the fold of all groups before the work-item's tile. Every work-item of the work-group calls it. */
FUNC scanrt_value_t scanrt_groups_before(GLOBAL const scanrt_kept_t *totals, scanrt_u64 tile, scanrt_value_t seed,
                                         LOCAL scanrt_value_t *part) {
  const scanrt_u64 own = tile / GROUP_TILES, last = (tile - ITEM() + (SCAN_GROUP_ITEMS - 1)) / GROUP_TILES;
  scanrt_value_t before = seed;
  for (scanrt_u64 first = 0; first < last; first += GROUP_TILES) {
    BARRIER();
    if (ITEM() < GROUP_TILES && first + ITEM() < last) part[ITEM()] = VALUE_KEPT(totals[first + ITEM()]);
    BARRIER();
    for (scanrt_u32 k = 0; k < GROUP_TILES && first + k < own; k++) before = scanrt_combine(before, part[k]);
  }
  return before;
}

KERNEL(segment_finish)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_value_t, part, GROUP_TILES);
  const scanrt_job job = JOB();
  GLOBAL const scanrt_kept_t *tiles = (GLOBAL const scanrt_kept_t *)MEMORY(workspace);
  GLOBAL const scanrt_u64 *edges = (GLOBAL const scanrt_u64 *)MEMORY(places);
  GLOBAL scanrt_output_t *to = (GLOBAL scanrt_output_t *)MEMORY(totals);
  const scanrt_u64 tile = (scanrt_u64)GROUP() * SCAN_GROUP_ITEMS + ITEM();
  const scanrt_value_t groups = scanrt_groups_before(tiles + 2 * (scanrt_u64)job.tiles, tile, SEED(), part);
  if (tile >= job.tiles) return;
  const scanrt_u64 first = edges[tile], tile_begin = tile * TILE_ITEMS;
  if (first == edges[tile + 1]) return;
  const scanrt_span span = SPAN_READ(first);
  if (span.begin >= tile_begin || span.end <= tile_begin) return;
  const scanrt_value_t prefix = scanrt_combine(groups, VALUE_KEPT(tiles[tile]));
  const scanrt_value_t start = scanrt_combine(prefix, VALUE_KEPT(tiles[(scanrt_u64)job.tiles + tile]));
  scanrt_output_vector vector;
  const scanrt_u64 last = span.end - 1;
  vector.raw = scanrt_vector_scan(&job, scanrt_vector_load_guarded(&job, last / VEC_ITEMS * VEC_ITEMS), start);
  to[first] = vector.x[last % VEC_ITEMS];
}
