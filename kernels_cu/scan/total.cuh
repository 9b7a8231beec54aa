/* SPDX-License-Identifier: BSD-2-Clause */
/* A total of many tiles in one launch, in which no work-group waits for another: the work-groups reduce the tiles, and
 * the one that finishes last folds their values in the canonical order. The last tile's value is the fold of its
 * vectors before the one of element n - 1. The claim of the look-back state counts the finished work-groups. The tiles'
 * values lie behind the descriptors, which stay as they are.
 *
 * If the input is larger than the cache, every second launch goes through each work-group's tiles from the last one to
 * the first, so that totals of one array find in the cache what the launch before read last. */
#include "scan/scan_tile.h"
#include "lib/descriptor.h"
#include "scan/total.h"

#undef SCAN_GROUPS_PER_UNIT
#define SCAN_GROUPS_PER_UNIT TOTAL_UNIT_GROUPS

/* Tiles of a group that a lane folds, and groups that a work-group folds at once. */
#define LANE_TILES (GROUP_TILES / 32)
#define WARP_GROUPS 8
#define FOLD_GROUPS (WARP_GROUPS * WARPS)

/* Tiles of 32 KiB that stay in the cache, 48 MiB. Launches read 16 and 32 MiB from it in any order (H200). */
#define TOTAL_CACHED_TILES 1536
#define TOTAL_EPOCH 1 /* index in 32-bit words of the claim's high half */

/* Returns the place of a tile's value. The values that lane l folds are l, l + 32, ... of their group's. */
FUNC scanrt_u32 scanrt_total_place(scanrt_u32 tile) {
  return tile / GROUP_TILES * GROUP_TILES + tile % LANE_TILES * 32 + tile % GROUP_TILES / LANE_TILES;
}

/* Returns the fold of a lane's tiles among the first `count` tiles of a group. */
FUNC scanrt_value_t scanrt_total_lane(GLOBAL const scanrt_value_t *tiles, scanrt_u32 count) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_value_t x[LANE_TILES];
  UNROLL
  for (scanrt_u32 k = 0; k < LANE_TILES; k++) x[k] = lane * LANE_TILES + k < count ? tiles[k * 32 + lane] : IDENTITY;
  UNROLL
  for (scanrt_u32 d = 1; d < LANE_TILES; d <<= 1) {
    UNROLL
    for (scanrt_u32 k = 0; k < LANE_TILES; k += 2 * d) x[k] = scanrt_combine(x[k], x[k + d]);
  }
  return x[0];
}

/* Returns what precedes tile `last`: the groups before from left to right, and the tree of its own group. */
FUNC scanrt_value_t scanrt_total_before(GLOBAL const scanrt_value_t *tiles, scanrt_u32 last, scanrt_value_t seed,
                                        LOCAL scanrt_value_t *groups) {
  const scanrt_u32 own = last / GROUP_TILES, lane = ITEM() % 32;
  NO_UNROLL
  for (scanrt_u32 first = 0; first <= own; first += FOLD_GROUPS) {
    scanrt_value_t x[WARP_GROUPS];
    UNROLL
    for (scanrt_u32 k = 0; k < WARP_GROUPS; k++) {
      const scanrt_u32 g = first + k * WARPS + ITEM() / 32;
      const scanrt_u32 count = g < own ? (scanrt_u32)GROUP_TILES : g == own ? last % GROUP_TILES : 0;
      x[k] = scanrt_total_lane(tiles + g * GROUP_TILES, count);
    }
    scanrt_trees_fold(x, WARP_GROUPS, 0);
    if (first > 0) BARRIER(); /* all have read the groups before */
    if (lane < WARP_GROUPS) groups[scanrt_tree_lane(lane, WARP_GROUPS) * WARPS + ITEM() / 32] = x[0];
    BARRIER();
    /* Loads eight groups at once; those after `own` are the identity. */
    NO_UNROLL
    for (scanrt_u32 g = 0; g < FOLD_GROUPS && g <= own - first; g += 8) {
      UNROLL
      for (scanrt_u32 k = 0; k < 8; k++) x[k] = groups[g + k];
      UNROLL
      for (scanrt_u32 k = 0; k < 8; k++) seed = scanrt_combine(seed, x[k]);
    }
  }
  return seed;
}

/* Stores what precedes the vector of element n - 1 in the last tile. */
FUNC void scanrt_total_put_last(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t,
                                GLOBAL scanrt_value_t *place) {
  scanrt_u64 first = scanrt_vector_first(tile, 0);
  scanrt_value_t own = IDENTITY, run = IDENTITY;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    scanrt_value_t total;
    const scanrt_value_t before = scanrt_row_scan_after(run, scanrt_vector_fold(t->raw[i]), &total, 0);
    run = scanrt_combine(run, total);
    if (scanrt_vector_first(tile, i) < job->n) {
      first = scanrt_vector_first(tile, i);
      own = before;
    }
  }
  if (job->n - first <= VEC_ITEMS) *place = scanrt_combine(t->sub_before, own); /* one work-item has element n - 1 */
}

/* Writes the total from the values of all tiles. */
FUNC void scanrt_total_write(const scanrt_job *job, GLOBAL const scanrt_value_t *tiles, scanrt_value_t seed,
                             LOCAL scanrt_value_t *groups) {
  const scanrt_u32 last = job->tiles - 1;
  const scanrt_u64 first = (job->n - 1) / VEC_ITEMS * VEC_ITEMS;
  const scanrt_raw_t raw = VECTOR_FLIP(job, scanrt_vector_load_guarded(job, first));
  const scanrt_value_t own = tiles[scanrt_total_place(last)];
  const scanrt_value_t prefix = scanrt_total_before(tiles, last, seed, groups);
  if (ITEM() == 0) scanrt_vector_write_last(job, first, raw, scanrt_combine(prefix, own));
}

KERNEL(scan_total)(PARAMETERS(LOOKBACK_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 2);
  LOCAL_ARRAY(scanrt_value_t, groups, FOLD_GROUPS);
  const scanrt_job job = JOB();
  const scanrt_u32 last = job.tiles - 1;
  scanrt_lookback_state lookback = scanrt_lookback_state_open(MEMORY(workspace), tile_capacity, spin_limit, 1);
  GLOBAL scanrt_value_t *tiles = (GLOBAL scanrt_value_t *)(lookback.tiles + lookback.words);
  const scanrt_u32 own_tiles = (last - GROUP()) / GROUPS() + 1;
  const scanrt_u32 backward = job.tiles > TOTAL_CACHED_TILES && (ATOMIC_LOAD(lookback.control + TOTAL_EPOCH) & 1);
  scanrt_tile_state state;
  NO_UNROLL
  for (scanrt_u32 i = 0; i < own_tiles; i++) {
    const scanrt_u32 tile = GROUP() + (backward ? own_tiles - 1 - i : i) * GROUPS();
    scanrt_tile_load(&job, tile, &state);
    scanrt_tile_fold(&job, tile, &state, scratch + i % 2); /* the next tile's values do not overtake a reader */
    GLOBAL scanrt_value_t *place = tiles + scanrt_total_place(tile);
    if (tile == last)
      scanrt_total_put_last(&job, tile, &state, place);
    else if (ITEM() == 0)
      *place = state.aggregate;
  }
  BARRIER(); /* the last tile's value is stored, too */
  if (ITEM() == 0) {
    FENCE();
    scratch->claim = scanrt_lookback_claim(&lookback, GROUPS());
  }
  BARRIER();
  const scanrt_u64 claim = scratch->claim;
  lookback.epoch = (scanrt_u32)(claim >> 32);
  if ((scanrt_u32)claim + 1 == GROUPS()) {
    FENCE();
    scanrt_total_write(&job, tiles, SEED(), groups);
  }
  if (ITEM() == 0) scanrt_lookback_finish_launch(&lookback, own_tiles, job.tiles);
}
