/* SPDX-License-Identifier: BSD-2-Clause */
/* Folds of the tiles before a tile of a segmented reduction, from the aggregates of all tiles. The workspace has two
 * values a tile: its aggregate, and what precedes the vector, within the tile, in which the segment ends that begins
 * before the tile. Behind them are the totals of groups of 128 tiles. */
#ifndef SCANRT_CL_SEGMENT_GROUPS_H
#define SCANRT_CL_SEGMENT_GROUPS_H

#include "scan/group_tree.h"
#include "scan/scan_tile.h"

/* 1: each warp has a sub-tile, whose elements all exist (segment_warp.h). */
#define REDUCES_BY_WARPS (VECTORS_ARE_FILLED && WARP_HAS_SUBTILE)

/* Replaces the aggregates of a group of 128 tiles by what precedes each in the group; writes the group's total. */
FUNC void scanrt_group_prefixes(const scanrt_job *job, GLOBAL scanrt_kept_t *tiles, LOCAL scanrt_value_t *tree) {
  const scanrt_u64 tile = (scanrt_u64)GROUP() * GROUP_TILES + ITEM();
  const scanrt_u32 is_there = ITEM() < GROUP_TILES && tile < job->tiles;
  if (ITEM() < GROUP_TILES) tree[ITEM()] = is_there ? VALUE_KEPT(tiles[tile]) : IDENTITY;
  scanrt_tree_grow(tree);
  if (is_there) tiles[tile] = KEPT_OF(scanrt_tree_before(tree));
  if (ITEM() == 0) tiles[2 * (scanrt_u64)job->tiles + GROUP()] = KEPT_OF(tree[LEVEL_FIRST(GROUP_LEVELS)]);
}

/* Counts `own` of `all` parts as finished. Returns 1 in the work-group that finishes the last one, which then sees what
 * all have written. */
FUNC scanrt_u32 scanrt_is_last_part(GLOBAL scanrt_u32 *finished, scanrt_u32 own, scanrt_u32 all,
                                    LOCAL scanrt_u32 *found) {
  FENCE();
  BARRIER();
  if (ITEM() == 0) {
    *found = ATOMIC_ADD(finished, own) + own == all;
    if (*found) ATOMIC_STORE(finished, 0u);
  }
  BARRIER();
  FENCE();
  return *found;
}

/* Returns the fold of `before` and the first `count` values of `part`. */
#define GROUPS_AT_ONCE 8
FUNC scanrt_value_t scanrt_part_fold(scanrt_value_t before, LOCAL const scanrt_value_t *part, scanrt_u32 count) {
  scanrt_u32 k = 0;
  for (; k + GROUPS_AT_ONCE <= count; k += GROUPS_AT_ONCE) {
    scanrt_value_t next[GROUPS_AT_ONCE];
    UNROLL
    for (scanrt_u32 j = 0; j < GROUPS_AT_ONCE; j++) next[j] = part[k + j];
    UNROLL
    for (scanrt_u32 j = 0; j < GROUPS_AT_ONCE; j++) before = scanrt_combine(before, next[j]);
  }
  for (; k < count; k++) before = scanrt_combine(before, part[k]);
  return before;
}

/* Returns the fold of all groups before the work-item's tile. Every work-item of the work-group calls it. */
FUNC scanrt_value_t scanrt_groups_before(GLOBAL const scanrt_kept_t *totals, scanrt_u64 tile, scanrt_value_t seed,
                                         LOCAL scanrt_value_t *part) {
  const scanrt_u64 own = tile / GROUP_TILES, last = (tile - ITEM() + (SCAN_GROUP_ITEMS - 1)) / GROUP_TILES;
  scanrt_value_t before = seed;
  for (scanrt_u64 first = 0; first < last; first += GROUP_TILES) {
    const scanrt_u32 count = own - first < GROUP_TILES ? (scanrt_u32)(own - first) : GROUP_TILES;
    BARRIER();
    if (ITEM() < GROUP_TILES && first + ITEM() < last) part[ITEM()] = VALUE_KEPT(totals[first + ITEM()]);
    BARRIER();
    before = scanrt_part_fold(before, part, count);
  }
  return before;
}

/* Returns the result of a segment, in segment_finish: `start` precedes the vector of its last element. */
FUNC scanrt_output_t scanrt_segment_result(const scanrt_job *job, scanrt_raw_t raw, scanrt_value_t start,
                                           scanrt_u64 last) {
  scanrt_output_vector vector;
  raw.segment_bits = scanrt_segment_bits_from(0, VEC_ITEMS); /* no segment begins before the last element */
  vector.raw = scanrt_vector_scan(job, raw, start);
  return vector.x[last % VEC_ITEMS];
}
#endif
