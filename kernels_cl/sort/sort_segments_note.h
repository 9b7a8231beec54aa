/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by segments: enters segments that no tile holds in the table. */
#ifndef SCANRT_CL_SORT_SEGMENTS_NOTE_H
#define SCANRT_CL_SORT_SEGMENTS_NOTE_H

#include "sort/sort_segments_table.h"

/* Enters a segment that no tile holds in the table. All work-items call it. */
FUNC void scanrt_segments_note(scanrt_segment_table table, LOCAL scanrt_u32 *found, scanrt_u64 begin,
                               scanrt_u64 items) {
  const scanrt_u64 segment_tiles = items / TILE_KEYS + (items % TILE_KEYS != 0);
  if (ITEM() == 0) {
    scanrt_u32 row, base;
    scanrt_segment_add(table, begin, items, segment_tiles, &row, &base);
    found[0] = row;
    found[1] = base;
  }
  BARRIER();
  const scanrt_u32 row = found[0], base = found[1];
  BARRIER();
  if (row >= table.most_rows) return;
  NO_UNROLL
  for (scanrt_u32 t = ITEM(); t < segment_tiles; t += SCAN_GROUP_ITEMS)
    table.tiles[(scanrt_u64)base + t] = (scanrt_u64)row << 32 | t;
}
#endif
