/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans any n by a scan of one tile, scanrt_tile_scan(), as in GPU Gems 3, chapter 39: tiles are scanned, then their
 * totals (by one work-group that walks them, so that one level is enough), and each tile's prefix is added to its
 * elements. Elements are read and written twice. The workspace holds a value a tile: its total, then its prefix. */
#ifndef SCANRT_CL_SCAN_THEN_ADD_H
#define SCANRT_CL_SCAN_THEN_ADD_H

#include "textbook/textbook.h"

#define TILE (PER_ITEM * SCAN_GROUP_ITEMS)
#ifndef TILE_SCRATCH /* the local memory of a scan of a tile, with the carry of the walk over the totals */
#define TILE_SCRATCH scanrt_group_scratch
#endif

KERNEL(TEXTBOOK(tiles))(PARAMETERS(TEXTBOOK_ARGUMENTS)) {
  LOCAL_ARRAY(TILE_SCRATCH, scratch, 1);
  const scanrt_job job = JOB();
  const scanrt_u64 first = (scanrt_u64)GROUP() * TILE + ITEM();
  scanrt_value_t x[PER_ITEM], total;
  UNROLL
  for (scanrt_u32 k = 0; k < PER_ITEM; k++) x[k] = scanrt_element_get(&job, first + k * SCAN_GROUP_ITEMS);
  scanrt_tile_scan(x, job.inclusive, &total, scratch);
  UNROLL
  for (scanrt_u32 k = 0; k < PER_ITEM; k++) scanrt_element_put(&job, first + k * SCAN_GROUP_ITEMS, x[k]);
  if (ITEM() == 0) ((GLOBAL scanrt_output_t *)MEMORY(workspace))[GROUP()] = (scanrt_output_t)total;
}

KERNEL(TEXTBOOK(totals))(PARAMETERS(TEXTBOOK_ARGUMENTS)) {
  LOCAL_ARRAY(TILE_SCRATCH, scratch, 1);
  const scanrt_job job = JOB();
  const scanrt_u32 tiles = scanrt_tiles_of(&job, TILE);
  GLOBAL scanrt_output_t *totals = (GLOBAL scanrt_output_t *)MEMORY(workspace);
  if (ITEM() == 0) scratch->carry = BITS_VALUE(seed_bits);
  for (scanrt_u32 first = 0; first < tiles; first += TILE) {
    scanrt_value_t x[PER_ITEM], total;
    UNROLL
    for (scanrt_u32 k = 0; k < PER_ITEM; k++) {
      const scanrt_u32 tile = first + k * SCAN_GROUP_ITEMS + ITEM();
      x[k] = tile < tiles ? (scanrt_value_t)totals[tile] : IDENTITY;
    }
    scanrt_tile_scan(x, 0, &total, scratch);
    UNROLL
    for (scanrt_u32 k = 0; k < PER_ITEM; k++) {
      const scanrt_u32 tile = first + k * SCAN_GROUP_ITEMS + ITEM();
      const scanrt_value_t before = scanrt_combine(scratch->carry, x[k]);
      if (tile < tiles) totals[tile] = (scanrt_output_t)before;
    }
    BARRIER();
    if (ITEM() == 0) scratch->carry = scanrt_combine(scratch->carry, total);
    BARRIER();
  }
}

KERNEL(TEXTBOOK(add))(PARAMETERS(TEXTBOOK_ARGUMENTS)) {
  const scanrt_job job = JOB();
  const scanrt_u64 first = (scanrt_u64)GROUP() * TILE + ITEM();
  const scanrt_value_t before = (scanrt_value_t)((GLOBAL const scanrt_output_t *)MEMORY(workspace))[GROUP()];
  UNROLL
  for (scanrt_u32 k = 0; k < PER_ITEM; k++) {
    const scanrt_u64 i = first + k * SCAN_GROUP_ITEMS;
    if (i < job.n) job.out[i] = OUTPUT_OF(scanrt_combine(before, (scanrt_value_t)job.out[i]));
  }
}
#endif
