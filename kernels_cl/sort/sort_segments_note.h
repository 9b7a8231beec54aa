/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by segments: enters segments that no tile holds in the table. */
#ifndef SCANRT_CL_SORT_SEGMENTS_NOTE_H
#define SCANRT_CL_SORT_SEGMENTS_NOTE_H

#include "sort/sort_segments_table.h"

/* Enters a segment in the table, as tiles of `tile_keys` keys and rows of `part_tiles` tiles. All work-items call it.
 * Returns its first row, or most_rows or more if there is no room. */
FUNC scanrt_u32 scanrt_segments_note(scanrt_segment_table table, LOCAL scanrt_u32 *found, scanrt_u64 begin,
                                     scanrt_u64 items, scanrt_u32 tile_keys, scanrt_u32 part_tiles) {
  const scanrt_u64 segment_tiles = items / tile_keys + (items % tile_keys != 0);
  const scanrt_u32 parts = (scanrt_u32)((segment_tiles - 1) / part_tiles) + 1;
  if (ITEM() == 0) {
    scanrt_u32 row, base;
    scanrt_segment_take(table, parts, segment_tiles, &row, &base);
    found[0] = row;
    found[1] = base;
  }
  BARRIER();
  const scanrt_u32 row = found[0], base = found[1];
  BARRIER();
  if (row >= table.most_rows) return row;
  NO_UNROLL
  for (scanrt_u32 p = ITEM(); p < parts; p += SCAN_GROUP_ITEMS) {
    const scanrt_u64 before = (scanrt_u64)p * part_tiles, left = segment_tiles - before;
    const scanrt_u64 row_tiles = left < part_tiles ? left : part_tiles, skipped = before * tile_keys;
    const scanrt_u64 row_items = items - skipped < row_tiles * tile_keys ? items - skipped : row_tiles * tile_keys;
    scanrt_segment_set(table, row + p, begin + skipped, row_items, base + before, row_tiles, p, parts);
  }
  NO_UNROLL
  for (scanrt_u64 t = ITEM(); t < segment_tiles; t += SCAN_GROUP_ITEMS)
    table.tiles[base + t] = (row + t / part_tiles) << 32 | t % part_tiles;
  return row;
}
#endif
