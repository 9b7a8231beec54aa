/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines in a work-group, a warp each: the warp walks its line by strips of rows held in its registers, a sub-tile at
 * the most, and meets nobody. Short lines, of up to one row, are several to a warp. Lines of built-in types are
 * contiguous; those of types from source may have any steps. */
#include "batch/lines.h"

#define STRIP_ITEMS (ROWS * ROW_ITEMS)
#if SUBTILE_ROWS % ROWS != 0
#error "a warp holds more than a sub-tile"
#endif

#ifndef VECTOR_FLIP
#define VECTOR_FLIP(job, raw) (raw)
#endif

/* The line as a scan by itself; past the last line an empty one. */
FUNC scan_job line_job(const scan_lines *l, scan_u64 line, scan_u32 flags) {
  scan_i64 in, out;
  line_place(l, line < l->count ? line : 0, &in, &out);
  return LINE_JOB(l, job_make(l->in + in, 0, l->out + out, 0, line < l->count ? l->n : 0, flags), flags);
}

#if SCAN_TYPE == 0
FUNC void strip_load(const scan_job *job, scan_u64 first, tile_state *t) {
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) t->raw[i] = vector_load_guarded(job, first + i * ROW_ITEMS);
}

FUNC void strip_store(const scan_job *job, scan_u64 first, stored_t result, scan_u32 i) {
  vector_store_guarded(job, first + i * ROW_ITEMS, result);
}

FUNC raw_t short_load(const scan_job *job, scan_u64 first) { return vector_load_guarded(job, first); }
#else
FUNC void strip_load(const scan_job *job, scan_u64 first, tile_state *t) {
  GLOBAL const raw_t *in = (GLOBAL const raw_t *)(job->in + first);
  if (!job->vectors_in) {
    UNROLL
    for (scan_u32 i = 0; i < ROWS; i++) t->raw[i] = vector_load_guarded(job, first + i * ROW_ITEMS);
    return;
  }
  const scan_u32 whole = vectors_whole(job, first, ROWS);
  if (whole == ROWS) {
    UNROLL
    for (scan_u32 i = 0; i < ROWS; i++) t->raw[i] = LOAD_STREAM(in + i * ROW_VECS);
    return;
  }
  const raw_t part = vector_load_guarded(job, first + whole * ROW_ITEMS);
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) {
    t->raw[i] = i == whole ? part : vector_identity();
    if (i < whole) t->raw[i] = LOAD_STREAM(in + i * ROW_VECS);
  }
}

FUNC void strip_store(const scan_job *job, scan_u64 first, scan_raw16 result, scan_u32 i) {
  const scan_u64 at = first + i * ROW_ITEMS;
  result = VECTOR_FLIP(job, result);
  if (job->vectors_out && at + VEC_ITEMS <= job->n)
    *(GLOBAL scan_raw16 *)(job->out + at) = result;
  else
    vector_store_guarded(job, at, result);
}

FUNC raw_t short_load(const scan_job *job, scan_u64 first) {
  if (job->vectors_in && first + VEC_ITEMS <= job->n) return LOAD_STREAM((GLOBAL const raw_t *)(job->in + first));
  return vector_load_guarded(job, first);
}
#endif

KERNEL(scan_rows)(SCAN_PARAMETERS) {
#if !SCAN_SHUFFLE
  LOCAL_ARRAY(tile_scratch, scratch, 1);
#endif
  const scan_lines lines = LINES();
  (void)tile_capacity, (void)spin_limit;
  for (scan_u64 block = GROUP(); block * WARPS < lines.count; block += GROUPS()) {
    const scan_job job = line_job(&lines, block * WARPS + ITEM() / 32, flags);
    line_prefix p = line_start(LINE_SEED());
    for (scan_u64 strip = 0; strip < lines.n; strip += STRIP_ITEMS) {
      const scan_u64 first = strip + ITEM() % 32 * VEC_ITEMS;
      tile_state t;
      strip_load(&job, first, &t);
      UNROLL
      for (scan_u32 i = 0; i < ROWS; i++) t.raw[i] = VECTOR_FLIP(&job, t.raw[i]);
#if !SCAN_SHUFFLE
      rows_scan(&t, scratch);
#endif
      UNROLL
      for (scan_u32 i = 0; i < ROWS; i++) {
        value_t total;
#if SCAN_SHUFFLE
        const value_t before = row_scan(vector_fold(t.raw[i]), &total);
#else
        const value_t before = t.before[i];
        total = scratch->rows[ITEM() / 32 * ROWS + i];
#endif
        strip_store(&job, first, vector_scan(&job, t.raw[i], line_before(&p, before)), i);
        line_push(&p, total);
      }
      line_close(&p, ROWS, lines.subtiles);
    }
#if !SCAN_SHUFFLE
    BARRIER(); /* the totals have been read */
#endif
  }
}

/* The vectors of a short line, `lanes` of them side by side: what precedes each in its line. */
#if SCAN_SHUFFLE
FUNC value_t lanes_before(value_t x, scan_u32 lanes) {
  const scan_u32 lane = ITEM() % 32 & (lanes - 1);
  UNROLL
  for (scan_u32 d = 1; d < 32; d <<= 1) {
    const value_t y = shuffle_up(x, d);
    x = COMBINE_WHERE(d < lanes && lane >= d, y, x, 0);
  }
  const value_t y = shuffle_up(x, 1);
  return lane ? y : IDENTITY;
}
#endif

/* Vectors, each of another line, that a work-item has at once. Half of ROWS: half of the code and of the registers. */
#define SHORT_LINES 4
KERNEL(scan_rows_short)(SCAN_PARAMETERS) {
#if !SCAN_SHUFFLE
  LOCAL_ARRAY(value_t, values, SCAN_GROUP_ITEMS);
#endif
  const scan_lines lines = LINES();
  const scan_u32 lanes = (scan_u32)lines.words[LINES_LANES], lane = ITEM() & (lanes - 1);
  const scan_u32 slot = SCAN_GROUP_ITEMS / lanes; /* lines at once */
  const value_t start = combine(LINE_SEED(), IDENTITY);
  (void)tile_capacity, (void)spin_limit;
  for (scan_u64 block = GROUP(); block * slot * SHORT_LINES < lines.count; block += GROUPS()) {
    scan_job job[SHORT_LINES];
    raw_t raw[SHORT_LINES];
    UNROLL
    for (scan_u32 i = 0; i < SHORT_LINES; i++) {
      job[i] = line_job(&lines, (block * SHORT_LINES + i) * slot + ITEM() / lanes, flags);
      raw[i] = short_load(&job[i], lane * VEC_ITEMS);
    }
    UNROLL
    for (scan_u32 i = 0; i < SHORT_LINES; i++) {
      raw[i] = VECTOR_FLIP(&job[i], raw[i]);
      value_t x = vector_fold(raw[i]);
#if SCAN_SHUFFLE
      x = lanes_before(x, lanes);
#else
      for (scan_u32 d = 1; d < lanes; d <<= 1) {
        BARRIER(); /* what was there has been read */
        values[ITEM()] = x;
        BARRIER();
        if (lane >= d) x = combine(values[ITEM() - d], x);
      }
      BARRIER();
      values[ITEM()] = x;
      BARRIER();
      x = lane ? values[ITEM() - 1] : IDENTITY;
#endif
      strip_store(&job[i], lane * VEC_ITEMS, vector_scan(&job[i], raw[i], combine(start, x)), 0);
    }
  }
}
