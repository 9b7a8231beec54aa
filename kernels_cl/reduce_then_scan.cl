/* SPDX-License-Identifier: BSD-2-Clause */
/* Three launches, in which no work-group waits for another: tiles are reduced, one work-group scans the aggregates,
 * tiles are scanned; of a total the last one alone. The workspace holds a value a tile: its aggregate, then its
 * exclusive prefix. */
#include "scan_tile.h"

KERNEL(rts_reduce)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(tile_scratch, scratch, 1);
  const scan_job job = JOB();
  (void)seed_bits, (void)tile_capacity, (void)spin_limit;
  const scan_u32 tile = GROUP();
  tile_state state;
  tile_load(&job, tile, &state);
  tile_fold(&job, tile, &state, scratch);
  if (ITEM() == 0) ((GLOBAL kept_t *)workspace)[tile] = KEPT_OF(state.aggregate);
}

KERNEL(rts_scan)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(tile_scratch, scratch, 1);
  const scan_job job = JOB();
  (void)seed_bits, (void)tile_capacity, (void)spin_limit;
  const scan_u32 tile = job.tiles - GROUPS() + GROUP();
  tile_state state;
  tile_load(&job, tile, &state);
  tile_fold(&job, tile, &state, scratch);
  tile_scan(&job, tile, &state);
  tile_sink(&job, tile, &state, PREFIX_OF(((GLOBAL const kept_t *)workspace)[tile], tile));
}

#if SCAN_GROUP_ITEMS == 1
KERNEL(rts_spine)(SCAN_PARAMETERS) {
  const scan_job job = JOB();
  (void)spin_limit;
  GLOBAL kept_t *tiles = (GLOBAL kept_t *)workspace;
  scan_prefix prefix = prefix_start(SEED());
  for (scan_u32 tile = 0; tile < job.tiles; tile++) {
    const value_t aggregate = VALUE_KEPT(tiles[tile]);
    tiles[tile] = KEPT_OF(prefix_value(&prefix));
    prefix_push(&prefix, aggregate);
  }
}
#else
/* A group of 128 tiles at a time: the tree's levels in local memory, level k from LEVEL_FIRST(k) on. */
#define LEVEL_FIRST(k) (2 * GROUP_TILES - (2 * GROUP_TILES >> (k)))
KERNEL(rts_spine)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(value_t, tree, 2 * GROUP_TILES);
  const scan_job job = JOB();
  (void)spin_limit;
  GLOBAL kept_t *tiles = (GLOBAL kept_t *)workspace;
  value_t groups = SEED();
  const scan_u32 j = ITEM();
  for (scan_u32 first = 0; first < job.tiles; first += GROUP_TILES) {
    if (j < GROUP_TILES) tree[j] = first + j < job.tiles ? VALUE_KEPT(tiles[first + j]) : IDENTITY;
    BARRIER();
    UNROLL
    for (scan_u32 k = 1; k <= GROUP_LEVELS; k++) {
      if (j < GROUP_TILES >> k)
        tree[LEVEL_FIRST(k) + j] = combine(tree[LEVEL_FIRST(k - 1) + 2 * j], tree[LEVEL_FIRST(k - 1) + 2 * j + 1]);
      BARRIER();
    }
    value_t before = IDENTITY;
    UNROLL
    for (scan_u32 k = 0; k < GROUP_LEVELS; k++)
      if ((j >> k) & 1u) before = combine(tree[LEVEL_FIRST(k) + (j >> k) - 1], before);
    if (j < GROUP_TILES && first + j < job.tiles) tiles[first + j] = KEPT_OF(combine(groups, before));
    groups = combine(groups, tree[LEVEL_FIRST(GROUP_LEVELS)]);
    BARRIER();
  }
}
#endif
