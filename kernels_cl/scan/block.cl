/* SPDX-License-Identifier: BSD-2-Clause */
/* One work-group walks all tiles in order: one launch, no global state. */
#include "scan/scan_tile.h"

KERNEL(scan_block)(PARAMETERS(WALK_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);
  const scanrt_job job = JOB();
  scanrt_prefix prefix = scanrt_prefix_start(SEED());
  for (scanrt_u32 tile = 0; tile < job.tiles; tile++) {
    scanrt_tile_state state;
    scanrt_tile_load(&job, tile, &state);
    scanrt_tile_fold(&job, tile, &state, scratch);
    if (TILE_WANTED(&job, tile)) {
      scanrt_tile_scan(&job, tile, &state);
      scanrt_tile_sink(&job, tile, &state, scanrt_prefix_value(&prefix));
    }
    scanrt_prefix_push(&prefix, state.aggregate);
    BARRIER(); /* before the next tile's totals */
  }
  FINISH_EMPTY(&job, SEED());
}
