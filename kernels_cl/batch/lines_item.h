/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines scanned by one work-item, for processors. It scans contiguous lines one by one, tile after tile, and other
 * lines LINE_BLOCK at a time: neighbouring lines are then read by whole cache lines, and each loop over them compiles
 * to vector instructions. */
#ifndef SCANRT_CL_LINES_ITEM_H
#define SCANRT_CL_LINES_ITEM_H

#include "batch/lines.h"

#if SCAN_ENDS_LOOPS /* the device counts loop iterations: one line at a time */
#define LINE_BLOCK 1
#else
#define LINE_BLOCK 16
#endif

/* Returns the job of one line, which is contiguous or, for types from source, has any step. */
FUNC scanrt_job scanrt_line_job(const scanrt_lines *l, scanrt_u64 line, scanrt_u32 flags) {
  scanrt_job job = scanrt_line_sink(scanrt_line_of(l, line, flags), flags);
  job.streaming = job.vectors_out && !(flags & FLAG_IN_PLACE) &&
                  l->n * VALUE_BYTES >= STREAMING_BYTES / l->count; /* the bytes of all lines */
  return job;
}

/* Writes the total of a line, which is reduced up to its last tile. */
FUNC void scanrt_line_total(const scanrt_job *job, scanrt_value_t seed) {
  scanrt_prefix prefix = scanrt_prefix_start(seed);
  for (scanrt_u32 tile = 0; tile + 1 < job->tiles; tile++) {
#if VALUE_IS_ORDERED
    scanrt_prefix_push(&prefix, scanrt_tile_reduce(job, tile));
#else
    prefix.groups = scanrt_combine(prefix.groups, scanrt_tile_reduce(job, tile));
#endif
  }
  scanrt_tile_write_last(job, job->tiles - 1, scanrt_prefix_value(&prefix));
}

FUNC void scanrt_line_scan(const scanrt_job *job, scanrt_value_t seed) {
  if (SKIPS(job)) {
    scanrt_line_total(job, seed);
    return;
  }
  scanrt_prefix prefix = scanrt_prefix_start(seed);
  for (scanrt_u32 tile = 0; tile < job->tiles; tile++) {
#if SCAN_CHECKS
    if (TILE_WRITES_LAST(job, tile)) scanrt_tile_write_last(job, tile, scanrt_prefix_value(&prefix));
#endif
#if VALUE_IS_ORDERED
    scanrt_prefix_push(&prefix, scanrt_tile_write(job, tile, scanrt_prefix_value(&prefix)));
#else
    const scanrt_u64 first = tile * TILE_ITEMS;
    prefix.groups = scanrt_span_write(job, first, scanrt_tile_count(job, tile), prefix.groups);
#endif
  }
}

#if SCAN_TYPE != 0
/* Up to LINE_BLOCK lines that are scanned together. */
typedef struct scanrt_line_block {
  GLOBAL const scanrt_u8 *in[LINE_BLOCK];
  GLOBAL scanrt_u8 *out[LINE_BLOCK];
  scanrt_u32 count;
  scanrt_u32 side; /* 1 if the block is full and its lines lie beside each other, element by element */
} scanrt_line_block;

FUNC scanrt_line_block scanrt_block_make(const scanrt_lines *l, scanrt_u64 first) {
  scanrt_line_block b;
  b.count = l->count - first < LINE_BLOCK ? (scanrt_u32)(l->count - first) : LINE_BLOCK;
  b.side = b.count == LINE_BLOCK;
  for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) {
    const scanrt_line_place_t place = scanrt_line_place(l, first + (j < b.count ? j : 0));
    b.in[j] = l->in + place.in;
    b.out[j] = l->out + place.out;
    b.side =
        b.side && b.in[j] == b.in[0] + j * INPUT_BYTES &&
        (l->out_step == 0 || b.out[j] == b.out[0] + j * sizeof(scanrt_output_t)); /* 0: totals, stored one by one */
  }
  return b;
}

#define LINE_IN(l, b, j, i) (*(GLOBAL const scanrt_input_t *)((b)->in[j] + (scanrt_i64)(i) * (l)->in_step))
#define LINE_OUT(l, b, j, i) (*(GLOBAL scanrt_output_t *)((b)->out[j] + (scanrt_i64)(i) * (l)->out_step))

#if VALUE_IS_FLOAT
FUNC void scanrt_row_gather(const scanrt_lines *l, const scanrt_line_block *b, scanrt_u64 first, scanrt_u32 count,
                            scanrt_value_t x[ROW_ITEMS * LINE_BLOCK]) {
  if (b->side) {
    for (scanrt_u32 i = 0; i < count; i++) {
      GLOBAL const scanrt_input_t *in = &LINE_IN(l, b, 0, first + i);
      for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) x[i * LINE_BLOCK + j] = (scanrt_value_t)in[j];
    }
  } else {
    for (scanrt_u32 j = 0; j < LINE_BLOCK; j++)
      for (scanrt_u32 i = 0; i < count; i++)
        x[i * LINE_BLOCK + j] = j < b->count ? (scanrt_value_t)LINE_IN(l, b, j, first + i) : IDENTITY;
  }
  for (scanrt_u32 i = count * LINE_BLOCK; i < ROW_ITEMS * LINE_BLOCK; i++) x[i] = IDENTITY;
}

FUNC void scanrt_row_scatter(const scanrt_lines *l, const scanrt_line_block *b, scanrt_u64 first, scanrt_u32 count,
                             const scanrt_value_t x[ROW_ITEMS * LINE_BLOCK]) {
  if (b->side) {
    for (scanrt_u32 i = 0; i < count; i++) {
      GLOBAL scanrt_output_t *out = &LINE_OUT(l, b, 0, first + i);
      for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) out[j] = x[i * LINE_BLOCK + j];
    }
    return;
  }
  for (scanrt_u32 j = 0; j < b->count; j++)
    for (scanrt_u32 i = 0; i < count; i++) LINE_OUT(l, b, j, first + i) = x[i * LINE_BLOCK + j];
}

/* Folds the vectors of a row, then scans them by recursive doubling. */
FUNC void scanrt_rows_double(const scanrt_value_t x[ROW_ITEMS * LINE_BLOCK],
                             scanrt_value_t vec[ROW_VECS * LINE_BLOCK]) {
  for (scanrt_u32 v = 0; v < ROW_VECS; v++) {
    const scanrt_value_t *from = x + v * VEC_ITEMS * LINE_BLOCK;
    scanrt_value_t *to = vec + v * LINE_BLOCK;
    for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) to[j] = from[j];
    for (scanrt_u32 k = 1; k < VEC_ITEMS; k++)
      for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) to[j] = scanrt_combine(to[j], from[k * LINE_BLOCK + j]);
  }
  for (scanrt_u32 d = 1; d < ROW_VECS; d <<= 1)
    for (scanrt_u32 v = ROW_VECS - 1; v >= d; v--)
      for (scanrt_u32 j = 0; j < LINE_BLOCK; j++)
        vec[v * LINE_BLOCK + j] = scanrt_combine(vec[(v - d) * LINE_BLOCK + j], vec[v * LINE_BLOCK + j]);
}

/* Replaces the elements of a row by their results. */
FUNC void scanrt_rows_finish(scanrt_value_t x[ROW_ITEMS * LINE_BLOCK], const scanrt_value_t vec[ROW_VECS * LINE_BLOCK],
                             const scanrt_line_prefix p[LINE_BLOCK], scanrt_u32 inclusive) {
  for (scanrt_u32 v = 0; v < ROW_VECS; v++) {
    scanrt_value_t acc[LINE_BLOCK];
    for (scanrt_u32 j = 0; j < LINE_BLOCK; j++)
      acc[j] = scanrt_line_before(&p[j], v ? vec[(v - 1) * LINE_BLOCK + j] : IDENTITY);
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      scanrt_value_t *at = x + (v * VEC_ITEMS + k) * LINE_BLOCK;
      for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) {
        const scanrt_value_t next = scanrt_combine(acc[j], at[j]);
        at[j] = OUTPUT_OF(inclusive ? next : acc[j]);
        acc[j] = next;
      }
    }
  }
}

FUNC void scanrt_block_scan(const scanrt_lines *l, const scanrt_line_block *b, scanrt_value_t seed,
                            scanrt_u32 inclusive) {
  scanrt_value_t x[ROW_ITEMS * LINE_BLOCK], vec[ROW_VECS * LINE_BLOCK];
  scanrt_line_prefix p[LINE_BLOCK];
  for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) p[j] = scanrt_line_start(seed);
  for (scanrt_u64 first = 0; first < l->n; first += ROW_ITEMS) {
    const scanrt_u32 count = l->n - first < ROW_ITEMS ? (scanrt_u32)(l->n - first) : ROW_ITEMS;
    scanrt_row_gather(l, b, first, count, x);
    scanrt_rows_double(x, vec);
    scanrt_rows_finish(x, vec, p, inclusive);
    scanrt_row_scatter(l, b, first, count, x);
    for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) {
      scanrt_line_push(&p[j], vec[(ROW_VECS - 1) * LINE_BLOCK + j]);
      scanrt_line_close(&p[j], 1, l->subtiles);
    }
  }
}
#else
/* Scans the lines of a block element by element: integers need no canonical order. */
FUNC void scanrt_block_scan(const scanrt_lines *l, const scanrt_line_block *b, scanrt_value_t seed,
                            scanrt_u32 inclusive) {
  if (b->side) {
    scanrt_value_t acc[LINE_BLOCK];
    for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) acc[j] = seed;
    for (scanrt_u64 i = 0; i < l->n; i++) {
      GLOBAL const scanrt_input_t *in = &LINE_IN(l, b, 0, i);
      GLOBAL scanrt_output_t *out = &LINE_OUT(l, b, 0, i);
      scanrt_value_t x[LINE_BLOCK];
      for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) x[j] = scanrt_combine(acc[j], (scanrt_value_t)in[j]);
      for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) out[j] = (scanrt_output_t)(inclusive ? x[j] : acc[j]);
      for (scanrt_u32 j = 0; j < LINE_BLOCK; j++) acc[j] = x[j];
    }
    return;
  }
  for (scanrt_u32 j = 0; j < b->count; j++) {
    scanrt_value_t acc = seed;
    for (scanrt_u64 i = 0; i < l->n; i++) {
      const scanrt_value_t next = scanrt_combine(acc, (scanrt_value_t)LINE_IN(l, b, j, i));
      LINE_OUT(l, b, j, i) = (scanrt_output_t)(inclusive ? next : acc);
      acc = next;
    }
  }
}
#endif
#endif
#endif
