/* SPDX-License-Identifier: BSD-2-Clause */
/* Any n with a scan of one tile, tile_scan(), as GPU Gems 3, chapter 39 has it: tiles are scanned, their totals are
 * scanned (here by one work-group that walks them, so that one level is enough), and what comes before a tile is added
 * to it. Reads and writes the elements twice. The workspace holds a value a tile: its total, then what comes before. */
#ifndef SCANRT_CL_SCAN_THEN_ADD_H
#define SCANRT_CL_SCAN_THEN_ADD_H

#include "gallery/gallery.h"

#define TILE (PER_ITEM * SCAN_GROUP_ITEMS)

KERNEL(GALLERY(tiles))(SCAN_PARAMETERS) {
  LOCAL_ARRAY(group_scratch, scratch, 1);
  const scan_job job = JOB();
  const scan_u64 first = (scan_u64)GROUP() * TILE + ITEM();
  (void)seed_bits, (void)tile_capacity, (void)spin_limit;
  value_t x[PER_ITEM], total;
  UNROLL
  for (scan_u32 k = 0; k < PER_ITEM; k++) x[k] = element_get(&job, first + k * SCAN_GROUP_ITEMS);
  tile_scan(x, job.inclusive, &total, scratch);
  UNROLL
  for (scan_u32 k = 0; k < PER_ITEM; k++) element_put(&job, first + k * SCAN_GROUP_ITEMS, x[k]);
  if (ITEM() == 0) ((GLOBAL output_t *)workspace)[GROUP()] = (output_t)total;
}

KERNEL(GALLERY(totals))(SCAN_PARAMETERS) {
  LOCAL_ARRAY(group_scratch, scratch, 1);
  const scan_job job = JOB();
  const scan_u32 tiles = tiles_of(&job, TILE);
  GLOBAL output_t *totals = (GLOBAL output_t *)workspace;
  (void)tile_capacity, (void)spin_limit;
  if (ITEM() == 0) scratch->carry = BITS_VALUE(seed_bits);
  for (scan_u32 first = 0; first < tiles; first += TILE) {
    value_t x[PER_ITEM], total;
    UNROLL
    for (scan_u32 k = 0; k < PER_ITEM; k++) {
      const scan_u32 tile = first + k * SCAN_GROUP_ITEMS + ITEM();
      x[k] = tile < tiles ? (value_t)totals[tile] : IDENTITY;
    }
    tile_scan(x, 0, &total, scratch);
    UNROLL
    for (scan_u32 k = 0; k < PER_ITEM; k++) {
      const scan_u32 tile = first + k * SCAN_GROUP_ITEMS + ITEM();
      const value_t before = combine(scratch->carry, x[k]);
      if (tile < tiles) totals[tile] = (output_t)before;
    }
    BARRIER();
    if (ITEM() == 0) scratch->carry = combine(scratch->carry, total);
    BARRIER();
  }
}

KERNEL(GALLERY(add))(SCAN_PARAMETERS) {
  const scan_job job = JOB();
  const scan_u64 first = (scan_u64)GROUP() * TILE + ITEM();
  const value_t before = (value_t)((GLOBAL const output_t *)workspace)[GROUP()];
  (void)seed_bits, (void)tile_capacity, (void)spin_limit;
  UNROLL
  for (scan_u32 k = 0; k < PER_ITEM; k++) {
    const scan_u64 i = first + k * SCAN_GROUP_ITEMS;
    if (i < job.n) job.out[i] = (output_t)combine(before, (value_t)job.out[i]);
  }
}
#endif
