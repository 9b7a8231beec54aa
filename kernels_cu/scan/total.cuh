/* SPDX-License-Identifier: BSD-2-Clause */
/* A total of many tiles in one launch, in which no work-group waits for another: the work-groups reduce all tiles but
 * the last one, and the one that finishes last folds their values in the canonical order and scans the last tile. The
 * claim of the look-back state counts the finished work-groups. The tiles' values lie behind the descriptors, which
 * stay as they are. */
#include "scan/scan_tile.h"
#include "lib/descriptor.h"
#include "scan/total.h"

#undef SCAN_GROUPS_PER_UNIT
#define SCAN_GROUPS_PER_UNIT TOTAL_UNIT_GROUPS

/* Tiles of a group that a lane folds. */
#define LANE_TILES (GROUP_TILES / 32)

/* Returns the fold of the first `count` tiles of a group, in the first lane of a warp. */
FUNC scanrt_value_t scanrt_total_group(GLOBAL const scanrt_value_t *tiles, scanrt_u32 count) {
  scanrt_value_t x[LANE_TILES];
  UNROLL
  for (scanrt_u32 k = 0; k < LANE_TILES; k++) {
    const scanrt_u32 tile = ITEM() % 32 * LANE_TILES + k;
    x[k] = tile < count ? tiles[tile] : IDENTITY;
  }
  UNROLL
  for (scanrt_u32 d = 1; d < LANE_TILES; d <<= 1) {
    UNROLL
    for (scanrt_u32 k = 0; k < LANE_TILES; k += 2 * d) x[k] = scanrt_combine(x[k], x[k + d]);
  }
  return scanrt_row_total(x[0], 0);
}

/* Returns what precedes tile `last`: the groups before from left to right, and the tree of its own group. */
FUNC scanrt_value_t scanrt_total_before(GLOBAL const scanrt_value_t *tiles, scanrt_u32 last, scanrt_value_t seed,
                                        LOCAL scanrt_value_t *groups) {
  const scanrt_u32 own = last / GROUP_TILES;
  NO_UNROLL
  for (scanrt_u32 g = ITEM() / 32; g <= own; g += SCAN_GROUP_ITEMS / 32) {
    const scanrt_value_t total =
        scanrt_total_group(tiles + g * GROUP_TILES, g < own ? (scanrt_u32)GROUP_TILES : last % GROUP_TILES);
    if (ITEM() % 32 == 0) groups[g] = total;
  }
  BARRIER();
  for (scanrt_u32 g = 0; g < own; g++) seed = scanrt_combine(seed, groups[g]);
  return scanrt_combine(seed, groups[own]);
}

/* Writes the total from the last tile, a row at a time: registers are for the loop over tiles. */
FUNC void scanrt_total_write(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t,
                             scanrt_value_t prefix) {
  scanrt_u64 first = scanrt_vector_first(tile, 0);
  scanrt_raw_t raw = t->raw[0];
  scanrt_value_t own = IDENTITY, run = IDENTITY;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    scanrt_value_t total;
    const scanrt_value_t before = scanrt_row_scan_after(run, scanrt_vector_fold(t->raw[i]), &total, 0);
    run = scanrt_combine(run, total);
    if (scanrt_vector_first(tile, i) < job->n) {
      first = scanrt_vector_first(tile, i);
      raw = t->raw[i];
      own = before;
    }
  }
  if (job->n - first <= VEC_ITEMS) /* one work-item has element n - 1 */
    scanrt_vector_write_last(job, first, raw, scanrt_combine(prefix, scanrt_combine(t->sub_before, own)));
}

KERNEL(scan_total)(PARAMETERS(LOOKBACK_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 2);
  LOCAL_ARRAY(scanrt_value_t, groups, TOTAL_GROUPS);
  const scanrt_job job = JOB();
  const scanrt_u32 last = job.tiles - 1;
  scanrt_lookback_state lookback = scanrt_lookback_state_open(MEMORY(workspace), tile_capacity, spin_limit, 1);
  GLOBAL scanrt_value_t *tiles = (GLOBAL scanrt_value_t *)(lookback.tiles + lookback.words);
  scanrt_tile_state state;
  scanrt_u32 done = 0;
  NO_UNROLL
  for (scanrt_u32 tile = GROUP(); tile < last; tile += GROUPS()) {
    scanrt_tile_load(&job, tile, &state);
    scanrt_tile_fold(&job, tile, &state, scratch + done++ % 2); /* the next tile's values do not overtake a reader */
    if (ITEM() == 0) tiles[tile] = state.aggregate;
  }
  if (ITEM() == 0) {
    FENCE();
    scratch->claim = scanrt_lookback_claim(&lookback, GROUPS());
  }
  BARRIER();
  const scanrt_u64 claim = scratch->claim;
  lookback.epoch = (scanrt_u32)(claim >> 32);
  if ((scanrt_u32)claim + 1 == GROUPS()) {
    FENCE();
    scanrt_tile_load(&job, last, &state);
    const scanrt_value_t prefix = scanrt_total_before(tiles, last, SEED(), groups);
    scanrt_tile_fold(&job, last, &state, scratch + 1);
    scanrt_total_write(&job, last, &state, prefix);
    done++;
  }
  if (ITEM() == 0) scanrt_lookback_finish_launch(&lookback, done, job.tiles);
}
