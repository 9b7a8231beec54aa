/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines in a work-group, a warp each: the warp walks its line by strips of rows held in its registers, a sub-tile at
 * the most, and meets nobody. Short lines, of up to one row, are several to a warp. Lines of built-in types are
 * contiguous; those of types from source may have any steps. */
#include "batch/lines.h"

#define STRIP_ITEMS (ROWS * ROW_ITEMS)
#if SUBTILE_ROWS % ROWS != 0
#error "a warp holds more than a sub-tile"
#endif

#if SCAN_TYPE == 0
FUNC void scanrt_strip_load(const scanrt_job *job, scanrt_u64 first, scanrt_tile_state *t) {
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) t->raw[i] = scanrt_vector_load_guarded(job, first + i * ROW_ITEMS);
}

FUNC void scanrt_strip_store(const scanrt_job *job, scanrt_u64 first, scanrt_stored_t result, scanrt_u32 i) {
  scanrt_vector_store_guarded(job, first + i * ROW_ITEMS, result);
}

FUNC scanrt_raw_t scanrt_short_load(const scanrt_job *job, scanrt_u64 first) {
  return scanrt_vector_load_guarded(job, first);
}
#else
FUNC void scanrt_strip_load(const scanrt_job *job, scanrt_u64 first, scanrt_tile_state *t) {
  GLOBAL const scanrt_raw_t *in = (GLOBAL const scanrt_raw_t *)(job->in + first);
  if (!job->vectors_in) {
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++) t->raw[i] = scanrt_vector_load_guarded(job, first + i * ROW_ITEMS);
    return;
  }
  const scanrt_u32 whole = scanrt_vectors_whole(job, first, ROWS);
  if (whole == ROWS) {
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++) t->raw[i] = LOAD_STREAM(in + i * ROW_VECS);
    return;
  }
  const scanrt_raw_t part = scanrt_vector_load_guarded(job, first + whole * ROW_ITEMS);
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    t->raw[i] = i == whole ? part : scanrt_vector_identity();
    if (i < whole) t->raw[i] = LOAD_STREAM(in + i * ROW_VECS);
  }
}

FUNC void scanrt_strip_store(const scanrt_job *job, scanrt_u64 first, scanrt_raw16 result, scanrt_u32 i) {
  const scanrt_u64 at = first + i * ROW_ITEMS;
  result = VECTOR_FLIP(job, result);
  if (job->vectors_out && at + VEC_ITEMS <= job->n)
    *(GLOBAL scanrt_raw16 *)(job->out + at) = result;
  else
    scanrt_vector_store_guarded(job, at, result);
}

FUNC scanrt_raw_t scanrt_short_load(const scanrt_job *job, scanrt_u64 first) {
  if (job->vectors_in && first + VEC_ITEMS <= job->n)
    return LOAD_STREAM((GLOBAL const scanrt_raw_t *)(job->in + first));
  return scanrt_vector_load_guarded(job, first);
}
#endif

KERNEL(scan_rows)(PARAMETERS(TILE_ARGUMENTS)) {
#if !SCAN_SHUFFLE
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);
#endif
  const scanrt_lines lines = LINES();
  for (scanrt_u64 block = GROUP(); block * WARPS < lines.count; block += GROUPS()) {
    const scanrt_job job = scanrt_line_of(&lines, block * WARPS + ITEM() / 32, flags);
    scanrt_line_prefix p = scanrt_line_start(LINE_SEED());
    for (scanrt_u64 strip = 0; strip < lines.n; strip += STRIP_ITEMS) {
      const scanrt_u64 first = strip + ITEM() % 32 * VEC_ITEMS;
      scanrt_tile_state t;
      scanrt_strip_load(&job, first, &t);
      UNROLL
      for (scanrt_u32 i = 0; i < ROWS; i++) t.raw[i] = VECTOR_FLIP(&job, t.raw[i]);
#if !SCAN_SHUFFLE
      scanrt_rows_scan(&t, scratch);
#endif
      UNROLL
      for (scanrt_u32 i = 0; i < ROWS; i++) {
        scanrt_value_t total;
#if SCAN_SHUFFLE
        const scanrt_value_t before = scanrt_row_scan(scanrt_vector_fold(t.raw[i]), &total);
#else
        const scanrt_value_t before = t.before[i];
        total = scratch->rows[ITEM() / 32 * ROWS + i];
#endif
        scanrt_strip_store(&job, first, scanrt_vector_scan(&job, t.raw[i], scanrt_line_before(&p, before)), i);
        scanrt_line_push(&p, total);
      }
      scanrt_line_close(&p, ROWS, lines.subtiles);
    }
#if !SCAN_SHUFFLE
    BARRIER(); /* the totals have been read */
#endif
  }
}

/* The vectors of a short line, `lanes` of them side by side: what precedes each in its line. */
#if SCAN_SHUFFLE
FUNC scanrt_value_t scanrt_lanes_before(scanrt_value_t x, scanrt_u32 lanes) {
  const scanrt_u32 lane = ITEM() % 32 & (lanes - 1);
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) {
    const scanrt_value_t y = scanrt_shuffle_up(x, d);
    x = COMBINE_WHERE(d < lanes && lane >= d, y, x, 0);
  }
  const scanrt_value_t y = scanrt_shuffle_up(x, 1);
  return lane ? y : IDENTITY;
}
#endif

/* Vectors, each of another line, that a work-item has at once. Half of ROWS: half of the code and of the registers. */
#define SHORT_LINES 4
KERNEL(scan_rows_short)(PARAMETERS(TILE_ARGUMENTS)) {
#if !SCAN_SHUFFLE
  LOCAL_ARRAY(scanrt_value_t, values, SCAN_GROUP_ITEMS);
#endif
  const scanrt_lines lines = LINES();
  const scanrt_u32 lanes = (scanrt_u32)lines.words[LINES_LANES], lane = ITEM() & (lanes - 1);
  const scanrt_u32 slot = SCAN_GROUP_ITEMS / lanes; /* lines at once */
  const scanrt_value_t start = scanrt_combine(LINE_SEED(), IDENTITY);
  for (scanrt_u64 block = GROUP(); block * slot * SHORT_LINES < lines.count; block += GROUPS()) {
    scanrt_job job[SHORT_LINES];
    scanrt_raw_t raw[SHORT_LINES];
    UNROLL
    for (scanrt_u32 i = 0; i < SHORT_LINES; i++) {
      job[i] = scanrt_line_of(&lines, (block * SHORT_LINES + i) * slot + ITEM() / lanes, flags);
      raw[i] = scanrt_short_load(&job[i], lane * VEC_ITEMS);
    }
    UNROLL
    for (scanrt_u32 i = 0; i < SHORT_LINES; i++) {
      raw[i] = VECTOR_FLIP(&job[i], raw[i]);
      scanrt_value_t x = scanrt_vector_fold(raw[i]);
#if SCAN_SHUFFLE
      x = scanrt_lanes_before(x, lanes);
#else
      for (scanrt_u32 d = 1; d < lanes; d <<= 1) {
        BARRIER(); /* what was there has been read */
        values[ITEM()] = x;
        BARRIER();
        if (lane >= d) x = scanrt_combine(values[ITEM() - d], x);
      }
      BARRIER();
      values[ITEM()] = x;
      BARRIER();
      x = lane ? values[ITEM() - 1] : IDENTITY;
#endif
      scanrt_strip_store(&job[i], lane * VEC_ITEMS, scanrt_vector_scan(&job[i], raw[i], scanrt_combine(start, x)), 0);
    }
  }
}
