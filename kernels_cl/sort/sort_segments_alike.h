/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by segments where work-groups have one work-item: what the kernels of small segments share. */
#ifndef SCANRT_CL_SORT_SEGMENTS_ALIKE_H
#define SCANRT_CL_SORT_SEGMENTS_ALIKE_H

#include "sort/sort_segments_table.h"

/* Returns the last of the segments that begin with the same key as `segment`. */
FUNC scanrt_u64 scanrt_segment_last_alike(GLOBAL const scanrt_u8 *offsets, scanrt_u64 segment, scanrt_u64 count,
                                          scanrt_u64 key, scanrt_u64 all, scanrt_u32 flags) {
  scanrt_u64 low = segment, step = 1;
  while (step <= count - low && scanrt_segment_offset(offsets, low + step, all, flags) <= key) {
    low += step;
    step *= 2;
  }
  return scanrt_segment_search(offsets, low + 1, low + step <= count ? low + step : count + 1, key + 1, all, flags) - 1;
}

/* Enters a segment in the table. */
FUNC void scanrt_segment_enter(scanrt_segment_table table, scanrt_u64 begin, scanrt_u64 items, scanrt_u32 tile_items,
                               scanrt_u32 most_rows) {
  const scanrt_u32 tiles = (scanrt_u32)(items / tile_items) + (items % tile_items != 0);
  scanrt_u32 row, base;
  scanrt_segment_take(table, 1, tiles, &row, &base);
  if (row < most_rows) scanrt_segment_set(table, row, begin, items, base, tiles, 0, 1);
  for (scanrt_u32 t = 0; t < tiles && row < most_rows; t++)
    table.tiles[(scanrt_u64)base + t] = (scanrt_u64)row << 32 | t;
}
#endif
