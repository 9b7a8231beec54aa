/* SPDX-License-Identifier: BSD-2-Clause */
/* One work-group walks all tiles in order: one launch, no global state. */
#include "scan_tile.h"

KERNEL(scan_block)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(tile_scratch, scratch, 1);
  const scan_job job = JOB();
  (void)tile_capacity, (void)spin_limit;
  scan_prefix prefix = prefix_start(SEED());
  for (scan_u32 tile = 0; tile < job.tiles; tile++) {
    tile_state state;
    tile_load(&job, tile, &state);
    tile_fold(&job, tile, &state, scratch);
    if (TILE_WANTED(&job, tile)) {
      tile_scan(&job, tile, &state);
      tile_sink(&job, tile, &state, prefix_value(&prefix));
    }
    prefix_push(&prefix, state.aggregate);
    BARRIER(); /* before the next tile's totals */
  }
}
