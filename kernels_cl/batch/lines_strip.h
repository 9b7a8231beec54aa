/* SPDX-License-Identifier: BSD-2-Clause */
/* A strip of 32 neighbouring lines whose elements lie apart: lane l of every warp of the strip has line l. Each step
 * takes one row of all lines: work-item (w, l) holds vectors w, w + warps, ... of line l in registers and reads and
 * writes each element once. Only the vectors' sums pass through local memory, where each warp scans some of the lines.
 * The next row is loaded meanwhile. `warps`, a constant in every call, is the number of warps of a strip. */
#ifndef SCANRT_CL_LINES_STRIP_H
#define SCANRT_CL_LINES_STRIP_H

#include "batch/lines.h"

#if SCAN_TYPE == 0 && VALUE_BYTES > 4 /* two strips do not fit local memory */
#define MOST_STRIPS 1
#else
#define MOST_STRIPS 2
#endif
#define MOST_SLOTS (ROW_VECS / WARPS * MOST_STRIPS)
#define SLOTS(warps) (ROW_VECS / (warps))
#define STRIP_WARP(warps) (ITEM() / 32 % (warps))
#if ROW_VECS % WARPS != 0 || WARPS % 2 != 0
#error "the work-group does not fit the row"
#endif

typedef struct scanrt_lines_scratch {
  scanrt_value_t sums[ROW_VECS * 33]; /* 32 lines for each vector, padded so that a vector, and also a line, lies in 32
                                       * banks */
  scanrt_value_t totals[32];
} scanrt_lines_scratch;

typedef struct scanrt_lines_row {
  scanrt_raw_t raw[MOST_SLOTS];
} scanrt_lines_row;

/* Returns the index of the first element of slot m, in the row that begins at `row`. */
FUNC scanrt_u64 scanrt_slot_first(scanrt_u64 row, scanrt_u32 m, scanrt_u32 warps) {
  return row + (m * warps + STRIP_WARP(warps)) * VEC_ITEMS;
}

#if SCAN_TYPE == 0
/* The work-item's line as a job, empty past the last line. */
typedef scanrt_job scanrt_lines_at;
#define LINE_AT(l, line) scanrt_line_of((l), (line), flags)
#define AT_JOB(at, job) (at)

FUNC void scanrt_row_load(const scanrt_lines *l, const scanrt_lines_at *at, scanrt_u64 row, scanrt_lines_row *r,
                          scanrt_u32 warps) {
  const scanrt_u32 rest = (scanrt_u32)(l->n - row < ROW_ITEMS ? l->n - row : ROW_ITEMS);
  if (row + ROW_ITEMS <= at->n) {
    UNROLL
    for (scanrt_u32 m = 0; m < SLOTS(warps); m++)
      r->raw[m] = scanrt_vector_load_apart(at, scanrt_slot_first(row, m, warps));
  } else {
    UNROLL
    for (scanrt_u32 m = 0; m < SLOTS(warps); m++)
      r->raw[m] = VECTOR_LOAD_CUT(at, row, (scanrt_u32)scanrt_slot_first(0, m, warps), rest);
  }
}

FUNC void scanrt_slot_store(const scanrt_lines *l, const scanrt_lines_at *at, scanrt_u64 row, scanrt_u32 m,
                            scanrt_stored_t result, scanrt_u32 warps) {
  (void)l;
  CHECKED_TOTAL_PUT(at, scanrt_slot_first(row, m, warps), result);
  scanrt_vector_store_guarded(at, scanrt_slot_first(row, m, warps), result);
}
#else
/* The work-item's line. */
typedef struct scanrt_lines_at {
  GLOBAL const scanrt_u8 *in;
  GLOBAL scanrt_u8 *out;
  scanrt_u64 n; /* 0 past the last line */
} scanrt_lines_at;

FUNC scanrt_lines_at scanrt_line_at(const scanrt_lines *l, scanrt_u64 line) {
  const scanrt_line_place_t place = scanrt_line_place(l, line < l->count ? line : 0);
  scanrt_lines_at at;
  at.in = l->in + place.in;
  at.out = l->out + place.out;
  at.n = line < l->count ? l->n : 0;
  return at;
}
#define LINE_AT(l, line) scanrt_line_at((l), (line))
#define AT_JOB(at, job) (job)

FUNC void scanrt_row_load(const scanrt_lines *l, const scanrt_lines_at *at, scanrt_u64 row, scanrt_lines_row *r,
                          scanrt_u32 warps) {
  const scanrt_u32 whole = row + ROW_ITEMS <= at->n;
  UNROLL
  for (scanrt_u32 m = 0; m < SLOTS(warps); m++) {
    const scanrt_u64 first = scanrt_slot_first(row, m, warps);
    GLOBAL const scanrt_u8 *in = at->in + (scanrt_i64)first * l->in_step;
    scanrt_input_vector v;
    v.raw = scanrt_vector_identity();
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
      if (whole || first + k < at->n)
        v.x[k] = LOAD_STREAM((GLOBAL const scanrt_input_t *)(in + (scanrt_i64)k * l->in_step));
    r->raw[m] = v.raw;
  }
}

FUNC void scanrt_slot_store(const scanrt_lines *l, const scanrt_lines_at *at, scanrt_u64 row, scanrt_u32 m,
                            scanrt_raw16 result, scanrt_u32 warps) {
  const scanrt_u32 whole = row + ROW_ITEMS <= at->n;
  const scanrt_u64 first = scanrt_slot_first(row, m, warps);
  GLOBAL scanrt_u8 *out = at->out + (scanrt_i64)first * l->out_step;
  scanrt_output_vector o;
  o.raw = result;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (whole || first + k < at->n) *(GLOBAL scanrt_output_t *)(out + (scanrt_i64)k * l->out_step) = o.x[k];
}
#endif

/* Replaces each vector's sum by what precedes the vector in its row, and sets the rows' totals. */
FUNC void scanrt_sums_scan(LOCAL scanrt_lines_scratch *s, scanrt_u32 warps) {
#if SCAN_SHUFFLE
  LOCAL scanrt_value_t *sum = s->sums + ITEM() % 32 * 33 + STRIP_WARP(warps);
  scanrt_value_t x[MOST_SLOTS], total[MOST_SLOTS];
  UNROLL
  for (scanrt_u32 i = 0; i < 32 / warps; i++) x[i] = sum[i * warps];
  UNROLL
  for (scanrt_u32 i = 0; i < 32 / warps; i++) x[i] = scanrt_row_scan(x[i], &total[i], VECTORS_ARE_FILLED);
  UNROLL
  for (scanrt_u32 i = 0; i < 32 / warps; i++) {
    sum[i * warps] = x[i];
    if (ITEM() % 32 == 0) s->totals[STRIP_WARP(warps) + i * warps] = total[i];
  }
#else
  if (STRIP_WARP(warps) == 0) {
    const scanrt_u32 lane = ITEM() % 32;
    scanrt_value_t x[ROW_VECS];
    UNROLL
    for (scanrt_u32 v = 0; v < ROW_VECS; v++) x[v] = s->sums[v * 33 + lane];
    UNROLL
    for (scanrt_u32 d = 1; d < ROW_VECS; d <<= 1) {
      UNROLL
      for (scanrt_u32 v = ROW_VECS - 1; v >= d; v--) x[v] = scanrt_combine(x[v - d], x[v]);
    }
    UNROLL
    for (scanrt_u32 v = 1; v < ROW_VECS; v++) s->sums[v * 33 + lane] = x[v - 1];
    s->sums[lane] = IDENTITY;
    s->totals[lane] = x[ROW_VECS - 1];
  }
#endif
}

/* Scans the strip of 32 lines from `first` on by `warps` warps. All strips of a work-group have the same number of
 * rows. */
FUNC void scanrt_strip_scan(const scanrt_lines *lines, const scanrt_job *job, scanrt_u64 first, scanrt_value_t seed,
                            LOCAL scanrt_lines_scratch *s, scanrt_u32 flags, scanrt_u32 warps) {
  LOCAL scanrt_value_t *sums = s->sums + STRIP_WARP(warps) * 33 + ITEM() % 32;
  const scanrt_lines_at at = LINE_AT(lines, first + ITEM() % 32);
  scanrt_line_prefix p = scanrt_line_start(seed);
  scanrt_lines_row next;
  scanrt_row_load(lines, &at, 0, &next, warps);
  for (scanrt_u64 row = 0; row < lines->n; row += ROW_ITEMS) {
    scanrt_lines_row r = next;
    if (row + ROW_ITEMS < lines->n) scanrt_row_load(lines, &at, row + ROW_ITEMS, &next, warps);
    UNROLL
    for (scanrt_u32 m = 0; m < SLOTS(warps); m++) {
      r.raw[m] = VECTOR_FLIP(job, r.raw[m]);
      sums[m * warps * 33] = VECTOR_FOLD(r.raw[m], VECTORS_ARE_FILLED);
    }
    BARRIER();
    scanrt_sums_scan(s, warps);
    BARRIER();
    UNROLL
    for (scanrt_u32 m = 0; m < SLOTS(warps); m++) {
      const scanrt_stored_t result =
          VECTOR_SCAN(AT_JOB(&at, job), r.raw[m], scanrt_line_before(&p, sums[m * warps * 33]), VECTORS_ARE_FILLED);
      scanrt_slot_store(lines, &at, row, m, VECTOR_FLIP(job, result), warps);
    }
    scanrt_line_push(&p, s->totals[ITEM() % 32]); /* the totals stay until the next barrier */
    scanrt_line_close(&p, 1, lines->subtiles);
  }
}
#endif
