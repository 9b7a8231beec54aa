/* SPDX-License-Identifier: BSD-2-Clause */
/* Three launches, in which no work-group waits for another: tiles are reduced, one work-group scans the aggregates,
 * tiles are scanned (for a total only the last one). The workspace holds a value a tile: its aggregate, then its
 * exclusive prefix. To get the totals of groups of tiles, rts_groups takes the place of the second and third launch and
 * writes them after the tiles' values. */
#include "scan/scan_tile.h"
#if SCAN_GROUP_ITEMS > 1
#include "scan/group_tree.h"
#endif

KERNEL(rts_reduce)(PARAMETERS(TILE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);
  const scanrt_job job = JOB();
  const scanrt_u32 tile = GROUP();
  scanrt_tile_state state;
  if (IS_PAST(&job, tile)) return;
  scanrt_tile_load(&job, tile, &state);
  scanrt_tile_fold(&job, tile, &state, scratch);
  if (ITEM() == 0) ((GLOBAL scanrt_kept_t *)MEMORY(workspace))[tile] = KEPT_OF(state.aggregate);
  KERNEL_END();
}

KERNEL(rts_scan)(PARAMETERS(TILE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);
  const scanrt_job job = JOB();
  const scanrt_u32 tile = LAUNCH_FIRST(&job) + GROUP();
  scanrt_tile_state state;
  FINISH_EMPTY(&job, SEED());
  if (IS_PAST(&job, tile)) return;
  scanrt_tile_load(&job, tile, &state);
  scanrt_tile_fold(&job, tile, &state, scratch);
  scanrt_tile_scan(&job, tile, &state);
  scanrt_tile_sink(&job, tile, &state, PREFIX_OF(((GLOBAL const scanrt_kept_t *)MEMORY(workspace))[tile], tile));
  KERNEL_END();
}

#if SCAN_GROUP_ITEMS == 1
KERNEL(rts_spine)(PARAMETERS(TILE_ARGUMENTS)) {
  const scanrt_job job = JOB();
  GLOBAL scanrt_kept_t *tiles = (GLOBAL scanrt_kept_t *)MEMORY(workspace);
  scanrt_prefix prefix = scanrt_prefix_start(SEED());
  for (scanrt_u32 tile = 0; tile < job.tiles; tile++) {
    const scanrt_value_t aggregate = VALUE_KEPT(tiles[tile]);
    tiles[tile] = KEPT_OF(scanrt_prefix_value(&prefix));
    scanrt_prefix_push(&prefix, aggregate);
  }
}

#if ORDER_SHOWS
KERNEL(rts_groups)(PARAMETERS(TILE_ARGUMENTS)) {
  const scanrt_job job = JOB();
  GLOBAL scanrt_kept_t *tiles = (GLOBAL scanrt_kept_t *)MEMORY(workspace);
  GLOBAL const scanrt_kept_t *own = tiles + (scanrt_u64)GROUP() * GROUP_TILES;
  scanrt_prefix prefix = scanrt_prefix_start(IDENTITY);
  for (scanrt_u32 j = 0; j < GROUP_TILES - 1; j++) scanrt_prefix_push(&prefix, VALUE_KEPT(own[j]));
  tiles[job.tiles + GROUP()] = KEPT_OF(scanrt_prefix_group_total(&prefix, VALUE_KEPT(own[GROUP_TILES - 1])));
}
#endif
#else
KERNEL(rts_spine)(PARAMETERS(TILE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_value_t, tree, 2 * GROUP_TILES);
  const scanrt_job job = JOB();
  GLOBAL scanrt_kept_t *tiles = (GLOBAL scanrt_kept_t *)MEMORY(workspace);
  scanrt_value_t groups = SEED();
  const scanrt_u32 j = ITEM();
  for (scanrt_u32 first = 0; first < job.tiles; first += GROUP_TILES) {
    if (j < GROUP_TILES) tree[j] = first + j < job.tiles ? VALUE_KEPT(tiles[first + j]) : IDENTITY;
    scanrt_tree_grow(tree);
    const scanrt_value_t before = scanrt_tree_before(tree);
    if (j < GROUP_TILES && first + j < job.tiles) tiles[first + j] = KEPT_OF(scanrt_combine(groups, before));
    groups = scanrt_combine(groups, tree[LEVEL_FIRST(GROUP_LEVELS)]);
    BARRIER();
  }
}

#if ORDER_SHOWS
KERNEL(rts_groups)(PARAMETERS(TILE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_value_t, tree, 2 * GROUP_TILES);
  const scanrt_job job = JOB();
  GLOBAL scanrt_kept_t *tiles = (GLOBAL scanrt_kept_t *)MEMORY(workspace);
  if (ITEM() < GROUP_TILES) tree[ITEM()] = VALUE_KEPT(tiles[(scanrt_u64)GROUP() * GROUP_TILES + ITEM()]);
  scanrt_tree_grow(tree);
  if (ITEM() == 0) tiles[job.tiles + GROUP()] = KEPT_OF(tree[LEVEL_FIRST(GROUP_LEVELS)]);
}
#endif
#endif
