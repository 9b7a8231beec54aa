/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines scanned by one work-item, for processors. Contiguous lines go one by one, as a tile after the other; all others
 * go LINE_BLOCK at a time, side by side, so that neighbouring lines are read by whole cache lines and each loop over
 * them is one of vector instructions. */
#ifndef SCANRT_CL_LINES_ITEM_H
#define SCANRT_CL_LINES_ITEM_H

#include "batch/lines.h"

#if SCAN_ENDS_LOOPS /* a work-item's turns of loops are counted: one line at a time */
#define LINE_BLOCK 1
#else
#define LINE_BLOCK 16
#endif

/* A line by itself: contiguous, but of types from source. */
FUNC scan_job line_job(const scan_lines *l, scan_u64 line, scan_u32 flags) {
  scan_i64 in, out;
  line_place(l, line, &in, &out);
  scan_job job = LINE_JOB(l, job_make(l->in + in, 0, l->out + out, 0, l->n, flags), flags);
  job.streaming = job.vectors_out && !(flags & FLAG_IN_PLACE) &&
                  l->n * VALUE_BYTES >= STREAMING_BYTES / l->count; /* of all lines */
  return job;
}

FUNC void line_scan(const scan_job *job, value_t seed) {
  scan_prefix prefix = prefix_start(seed);
  for (scan_u32 tile = 0; tile < job->tiles; tile++) {
#if VALUE_IS_ORDERED
    prefix_push(&prefix, tile_write(job, tile, prefix_value(&prefix)));
#else
    const scan_u64 first = tile * TILE_ITEMS;
    prefix.groups = span_write(job, first, tile_count(job, tile), prefix.groups);
#endif
  }
}

#if SCAN_TYPE != 0
/* Lines side by side. */
typedef struct line_block {
  GLOBAL const scan_u8 *in[LINE_BLOCK];
  GLOBAL scan_u8 *out[LINE_BLOCK];
  scan_u32 count;
  scan_u32 side; /* the block is full, and its lines lie element by element beside each other */
} line_block;

FUNC line_block block_make(const scan_lines *l, scan_u64 first) {
  line_block b;
  b.count = l->count - first < LINE_BLOCK ? (scan_u32)(l->count - first) : LINE_BLOCK;
  b.side = b.count == LINE_BLOCK;
  for (scan_u32 j = 0; j < LINE_BLOCK; j++) {
    scan_i64 in, out;
    line_place(l, first + (j < b.count ? j : 0), &in, &out);
    b.in[j] = l->in + in;
    b.out[j] = l->out + out;
    b.side = b.side && b.in[j] == b.in[0] + j * INPUT_BYTES && b.out[j] == b.out[0] + j * sizeof(output_t);
  }
  return b;
}

#define LINE_IN(l, b, j, i) (*(GLOBAL const input_t *)((b)->in[j] + (scan_i64)(i) * (l)->in_step))
#define LINE_OUT(l, b, j, i) (*(GLOBAL output_t *)((b)->out[j] + (scan_i64)(i) * (l)->out_step))

#if VALUE_IS_FLOAT
FUNC void row_gather(const scan_lines *l, const line_block *b, scan_u64 first, scan_u32 count,
                     value_t x[ROW_ITEMS * LINE_BLOCK]) {
  if (b->side) {
    for (scan_u32 i = 0; i < count; i++) {
      GLOBAL const input_t *in = &LINE_IN(l, b, 0, first + i);
      for (scan_u32 j = 0; j < LINE_BLOCK; j++) x[i * LINE_BLOCK + j] = (value_t)in[j];
    }
  } else {
    for (scan_u32 j = 0; j < LINE_BLOCK; j++)
      for (scan_u32 i = 0; i < count; i++)
        x[i * LINE_BLOCK + j] = j < b->count ? (value_t)LINE_IN(l, b, j, first + i) : IDENTITY;
  }
  for (scan_u32 i = count * LINE_BLOCK; i < ROW_ITEMS * LINE_BLOCK; i++) x[i] = IDENTITY;
}

FUNC void row_scatter(const scan_lines *l, const line_block *b, scan_u64 first, scan_u32 count,
                      const value_t x[ROW_ITEMS * LINE_BLOCK]) {
  if (b->side) {
    for (scan_u32 i = 0; i < count; i++) {
      GLOBAL output_t *out = &LINE_OUT(l, b, 0, first + i);
      for (scan_u32 j = 0; j < LINE_BLOCK; j++) out[j] = x[i * LINE_BLOCK + j];
    }
    return;
  }
  for (scan_u32 j = 0; j < b->count; j++)
    for (scan_u32 i = 0; i < count; i++) LINE_OUT(l, b, j, first + i) = x[i * LINE_BLOCK + j];
}

/* The vectors of a row folded, and their recursive doubling. */
FUNC void rows_double(const value_t x[ROW_ITEMS * LINE_BLOCK], value_t vec[ROW_VECS * LINE_BLOCK]) {
  for (scan_u32 v = 0; v < ROW_VECS; v++) {
    const value_t *from = x + v * VEC_ITEMS * LINE_BLOCK;
    value_t *to = vec + v * LINE_BLOCK;
    for (scan_u32 j = 0; j < LINE_BLOCK; j++) to[j] = from[j];
    for (scan_u32 k = 1; k < VEC_ITEMS; k++)
      for (scan_u32 j = 0; j < LINE_BLOCK; j++) to[j] = combine(to[j], from[k * LINE_BLOCK + j]);
  }
  for (scan_u32 d = 1; d < ROW_VECS; d <<= 1)
    for (scan_u32 v = ROW_VECS - 1; v >= d; v--)
      for (scan_u32 j = 0; j < LINE_BLOCK; j++)
        vec[v * LINE_BLOCK + j] = combine(vec[(v - d) * LINE_BLOCK + j], vec[v * LINE_BLOCK + j]);
}

/* Turns the elements into their results. */
FUNC void rows_finish(value_t x[ROW_ITEMS * LINE_BLOCK], const value_t vec[ROW_VECS * LINE_BLOCK],
                      const line_prefix p[LINE_BLOCK], scan_u32 inclusive) {
  for (scan_u32 v = 0; v < ROW_VECS; v++) {
    value_t acc[LINE_BLOCK];
    for (scan_u32 j = 0; j < LINE_BLOCK; j++) acc[j] = line_before(&p[j], v ? vec[(v - 1) * LINE_BLOCK + j] : IDENTITY);
    for (scan_u32 k = 0; k < VEC_ITEMS; k++) {
      value_t *at = x + (v * VEC_ITEMS + k) * LINE_BLOCK;
      for (scan_u32 j = 0; j < LINE_BLOCK; j++) {
        const value_t next = combine(acc[j], at[j]);
        at[j] = inclusive ? next : acc[j];
        acc[j] = next;
      }
    }
  }
}

FUNC void block_scan(const scan_lines *l, const line_block *b, value_t seed, scan_u32 inclusive) {
  value_t x[ROW_ITEMS * LINE_BLOCK], vec[ROW_VECS * LINE_BLOCK];
  line_prefix p[LINE_BLOCK];
  for (scan_u32 j = 0; j < LINE_BLOCK; j++) p[j] = line_start(seed);
  for (scan_u64 first = 0; first < l->n; first += ROW_ITEMS) {
    const scan_u32 count = l->n - first < ROW_ITEMS ? (scan_u32)(l->n - first) : ROW_ITEMS;
    row_gather(l, b, first, count, x);
    rows_double(x, vec);
    rows_finish(x, vec, p, inclusive);
    row_scatter(l, b, first, count, x);
    for (scan_u32 j = 0; j < LINE_BLOCK; j++) {
      line_push(&p[j], vec[(ROW_VECS - 1) * LINE_BLOCK + j]);
      line_close(&p[j], 1, l->subtiles);
    }
  }
}
#else
/* Integers: element after element. */
FUNC void block_scan(const scan_lines *l, const line_block *b, value_t seed, scan_u32 inclusive) {
  if (b->side) {
    value_t acc[LINE_BLOCK];
    for (scan_u32 j = 0; j < LINE_BLOCK; j++) acc[j] = seed;
    for (scan_u64 i = 0; i < l->n; i++) {
      GLOBAL const input_t *in = &LINE_IN(l, b, 0, i);
      GLOBAL output_t *out = &LINE_OUT(l, b, 0, i);
      value_t x[LINE_BLOCK];
      for (scan_u32 j = 0; j < LINE_BLOCK; j++) x[j] = combine(acc[j], (value_t)in[j]);
      for (scan_u32 j = 0; j < LINE_BLOCK; j++) out[j] = (output_t)(inclusive ? x[j] : acc[j]);
      for (scan_u32 j = 0; j < LINE_BLOCK; j++) acc[j] = x[j];
    }
    return;
  }
  for (scan_u32 j = 0; j < b->count; j++) {
    value_t acc = seed;
    for (scan_u64 i = 0; i < l->n; i++) {
      const value_t next = combine(acc, (value_t)LINE_IN(l, b, j, i));
      LINE_OUT(l, b, j, i) = (output_t)(inclusive ? next : acc);
      acc = next;
    }
  }
}
#endif
#endif
#endif
