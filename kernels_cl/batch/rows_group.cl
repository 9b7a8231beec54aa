/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans lines by warps of a work-group. A warp exchanges nothing with other warps, and takes several lines of up to one
 * row. */
#include "batch/rows.h"

KERNEL(scan_rows)(PARAMETERS(TILE_ARGUMENTS)) {
#if !SCAN_SHUFFLE
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);
#endif
  const scanrt_lines lines = LINES();
  for (scanrt_u64 block = GROUP(); block * WARPS < lines.count; block += GROUPS()) {
    const scanrt_job job = scanrt_row_of(&lines, block * WARPS + ITEM() / 32, flags);
    scanrt_line_prefix p = scanrt_line_start(LINE_SEED());
    for (scanrt_u64 strip = 0; strip < lines.n; strip += STRIP_ITEMS) {
      const scanrt_u64 first = strip + ITEM() % 32 * VEC_ITEMS;
      scanrt_strip_state t;
      scanrt_strip_load(&job, strip, lines.n, &t);
      UNROLL
      for (scanrt_u32 i = 0; i < ROWS; i++) t.raw[i] = VECTOR_FLIP(&job, t.raw[i]);
#if !SCAN_SHUFFLE
      scanrt_rows_scan(&job, 0, &t, scratch);
#endif
      UNROLL
      for (scanrt_u32 i = 0; i < ROWS; i++) {
        scanrt_value_t total;
#if SCAN_SHUFFLE
        const scanrt_value_t before =
            scanrt_row_scan(VECTOR_FOLD(t.raw[i], VECTORS_ARE_FILLED), &total, VECTORS_ARE_FILLED);
#else
        const scanrt_value_t before = t.before[i];
        total = scratch->rows[ITEM() / 32 * ROWS + i];
#endif
        scanrt_strip_store(&job, first, VECTOR_SCAN(&job, t.raw[i], scanrt_line_before(&p, before), VECTORS_ARE_FILLED),
                           i);
        scanrt_line_push(&p, total);
      }
      scanrt_line_close(&p, ROWS, lines.subtiles);
    }
#if !SCAN_SHUFFLE
    BARRIER(); /* the totals have been read */
#endif
  }
}

KERNEL(scan_rows_short)(PARAMETERS(TILE_ARGUMENTS)) {
#if !SCAN_SHUFFLE
  LOCAL_ARRAY(scanrt_value_t, values, SCAN_GROUP_ITEMS);
#endif
  const scanrt_lines lines = LINES();
  const scanrt_u32 lanes = (scanrt_u32)lines.words[LINES_LANES], lane = ITEM() & (lanes - 1);
  const scanrt_u32 slot = SCAN_GROUP_ITEMS / lanes; /* lines that the work-group scans at once */
  const scanrt_value_t start = scanrt_combine(LINE_SEED(), IDENTITY);
  for (scanrt_u64 block = GROUP(); block * slot * SHORT_LINES < lines.count; block += GROUPS()) {
    scanrt_job job[SHORT_LINES];
    scanrt_raw_t raw[SHORT_LINES];
    UNROLL
    for (scanrt_u32 i = 0; i < SHORT_LINES; i++) {
      job[i] = scanrt_row_of(&lines, (block * SHORT_LINES + i) * slot + ITEM() / lanes, flags);
      raw[i] = scanrt_short_load(&job[i], lane * VEC_ITEMS, lines.n);
    }
    UNROLL
    for (scanrt_u32 i = 0; i < SHORT_LINES; i++) {
      raw[i] = VECTOR_FLIP(&job[i], raw[i]);
      const scanrt_value_t x = LANES_BEFORE(VECTOR_FOLD(raw[i], VECTORS_ARE_FILLED), lanes, values);
      scanrt_strip_store(&job[i], lane * VEC_ITEMS,
                         VECTOR_SCAN(&job[i], raw[i], scanrt_combine(start, x), VECTORS_ARE_FILLED), 0);
    }
  }
}
