/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals of lines whose elements lie apart, by one work-item: a strip of neighbouring lines is read element by element,
 * so that memory is read in runs of up to STRIP_BYTES. */
#ifndef SCANRT_CL_TOTALS_ITEM_H
#define SCANRT_CL_TOTALS_ITEM_H

#include "batch/lines_item.h"

#if SCAN_TYPE != 0
#if VALUE_IS_FLOAT
#define STRIP_BYTES 768 /* the sums of a line's row take five times as much memory, and its prefix 13 times */
#else
#define STRIP_BYTES 8192
#endif
#if SCAN_ENDS_LOOPS
#define STRIP_LINES 1
#else
#define STRIP_LINES (STRIP_BYTES / VALUE_BYTES)
#endif

typedef struct scanrt_line_strip {
  GLOBAL const scanrt_u8 *in; /* the first element of the first line */
  GLOBAL scanrt_u8 *out;
  scanrt_i64 in_across, out_across; /* bytes to the next line */
  scanrt_u32 count;
} scanrt_line_strip;

/* Returns a strip of lines along the innermost axis, at most `most`; if they lie apart from each other, a block. */
FUNC scanrt_line_strip scanrt_strip_make(const scanrt_lines *l, scanrt_u64 first, scanrt_u64 most) {
  const scanrt_line_place_t place = scanrt_line_place(l, first);
  const scanrt_u64 extent = l->words[LINES_AXES] ? l->words[LINES_AXIS] : 1, rest = extent - first % extent;
  scanrt_line_strip s;
  s.in = l->in + place.in;
  s.out = l->out + place.out;
  s.in_across = extent > 1 ? (scanrt_i64)l->words[LINES_AXIS + 1] : 0;
  s.out_across = extent > 1 ? (scanrt_i64)l->words[LINES_AXIS + 2] : 0;
  if (rest < most) most = rest;
  if (most > LINE_BLOCK && s.in_across != INPUT_BYTES) most = LINE_BLOCK;
  s.count = most < STRIP_LINES ? (scanrt_u32)most : STRIP_LINES;
  return s;
}

/* Combines element i of each line after acc. */
FUNC void scanrt_strip_step(const scanrt_lines *l, const scanrt_line_strip *s, scanrt_u64 i,
                            scanrt_value_t acc[STRIP_LINES]) {
  GLOBAL const scanrt_u8 *in = s->in + (scanrt_i64)i * l->in_step;
  const scanrt_u32 count = s->count;
  if (s->in_across == INPUT_BYTES) {
    GLOBAL const scanrt_input_t *x = (GLOBAL const scanrt_input_t *)in;
    for (scanrt_u32 j = 0; j < count; j++) acc[j] = scanrt_combine(acc[j], (scanrt_value_t)x[j]);
  } else {
    for (scanrt_u32 j = 0; j < count; j++, in += s->in_across)
      acc[j] = scanrt_combine(acc[j], (scanrt_value_t)(*(GLOBAL const scanrt_input_t *)in));
  }
}

FUNC void scanrt_strip_store(const scanrt_line_strip *s, const scanrt_value_t acc[STRIP_LINES]) {
  for (scanrt_u32 j = 0; j < s->count; j++)
    *(GLOBAL scanrt_output_t *)(s->out + (scanrt_i64)j * s->out_across) = OUTPUT_OF(acc[j]);
}

FUNC void scanrt_strip_fill(scanrt_value_t acc[STRIP_LINES], scanrt_value_t x) {
  for (scanrt_u32 j = 0; j < STRIP_LINES; j++) acc[j] = x;
}

#if VALUE_IS_FLOAT
#define STRIP_LEVELS 5

/* Folds a vector of each line. */
FUNC void scanrt_strip_vector(const scanrt_lines *l, const scanrt_line_strip *s, scanrt_u64 first,
                              scanrt_value_t x[STRIP_LINES]) {
  GLOBAL const scanrt_u8 *in = s->in + (scanrt_i64)first * l->in_step;
  const scanrt_i64 step = l->in_step, across = s->in_across;
  const scanrt_u32 count = s->count, is_side = across == INPUT_BYTES;
#define STRIP_ELEMENT(j, k, across)                                                                                    \
  ((scanrt_value_t)(*(GLOBAL const scanrt_input_t *)(in + (scanrt_i64)(j) * (across) + (k)*step)))
#define STRIP_VECTOR(across)                                                                                           \
  for (scanrt_u32 j = 0; j < count; j++) {                                                                             \
    scanrt_value_t sum = STRIP_ELEMENT(j, 0, across);                                                                  \
    UNROLL                                                                                                             \
    for (scanrt_u32 k = 1; k < VEC_ITEMS; k++) sum = scanrt_combine(sum, STRIP_ELEMENT(j, k, across));                 \
    x[j] = sum;                                                                                                        \
  }
  if (is_side) {
    STRIP_VECTOR(INPUT_BYTES)
  } else {
    STRIP_VECTOR(across)
  }
#undef STRIP_ELEMENT
#undef STRIP_VECTOR
}

/* Replaces b by a combined with b. */
FUNC void scanrt_strip_combine(const scanrt_line_strip *s, const scanrt_value_t a[STRIP_LINES],
                               scanrt_value_t b[STRIP_LINES]) {
  const scanrt_u32 count = s->count;
  for (scanrt_u32 j = 0; j < count; j++) b[j] = scanrt_combine(a[j], b[j]);
}

/* Folds `vectors`, a power of two, from element `first` on by the balanced tree: level k holds 2^k vectors. */
FUNC void scanrt_strip_tree(const scanrt_lines *l, const scanrt_line_strip *s, scanrt_u64 first, scanrt_u32 vectors,
                            scanrt_value_t x[STRIP_LINES]) {
  scanrt_value_t run[STRIP_LEVELS][STRIP_LINES];
  for (scanrt_u32 v = 0; v < vectors; v++) {
    scanrt_u32 level = 0;
    scanrt_strip_vector(l, s, first + v * VEC_ITEMS, x);
    for (; v >> level & 1; level++) scanrt_strip_combine(s, run[level], x);
    if (v + 1 == vectors) return;
    for (scanrt_u32 j = 0; j < STRIP_LINES; j++) run[level][j] = x[j];
  }
}

/* Writes the totals of a strip. Recursive doubling folds the c whole vectors before element n - 1 in the last row by
 * trees over as many as the digits of c say, the smallest first; the tree over a whole row is the case c = 32. */
FUNC void scanrt_strip_total(const scanrt_lines *l, const scanrt_line_strip *s, scanrt_value_t seed) {
  scanrt_value_t x[STRIP_LINES], all[STRIP_LINES];
  scanrt_line_prefix p[STRIP_LINES];
  scanrt_u64 at = 0;
  for (scanrt_u32 j = 0; j < STRIP_LINES; j++) p[j] = scanrt_line_start(seed);
  for (scanrt_u64 row = 0; row < l->n; row += ROW_ITEMS) {
    const scanrt_u32 is_last = l->n - row <= ROW_ITEMS;
    const scanrt_u32 vectors = is_last ? (scanrt_u32)(l->n - 1 - row) / VEC_ITEMS : ROW_VECS;
    scanrt_strip_fill(all, IDENTITY);
    at = row;
    for (scanrt_u32 k = 1; k <= vectors; k <<= 1) {
      if (!(vectors & k)) continue;
      scanrt_strip_tree(l, s, at, k, x);
      for (scanrt_u32 j = 0; j < s->count; j++) all[j] = scanrt_combine(all[j], x[j]);
      at += k * VEC_ITEMS;
    }
    for (scanrt_u32 j = 0; j < s->count && !is_last; j++) {
      scanrt_line_push(&p[j], all[j]);
      scanrt_line_close(&p[j], 1, l->subtiles);
    }
  }
  for (scanrt_u32 j = 0; j < s->count; j++) all[j] = scanrt_line_before(&p[j], all[j]);
  for (; at < l->n; at++) scanrt_strip_step(l, s, at, all);
  scanrt_strip_store(s, all);
}
#else
/* Writes the totals of a strip: integers need no canonical order. */
FUNC void scanrt_strip_total(const scanrt_lines *l, const scanrt_line_strip *s, scanrt_value_t seed) {
  scanrt_value_t acc[STRIP_LINES];
  scanrt_strip_fill(acc, seed);
  for (scanrt_u64 i = 0; i < l->n; i++) scanrt_strip_step(l, s, i, acc);
  scanrt_strip_store(s, acc);
}
#endif

/* Writes the totals of `count` lines from line `first` on. */
FUNC void scanrt_lines_total(const scanrt_lines *l, scanrt_u64 first, scanrt_u64 count, scanrt_value_t seed) {
  while (count > 0) {
    const scanrt_line_strip s = scanrt_strip_make(l, first, count);
    scanrt_strip_total(l, &s, seed);
    first += s.count;
    count -= s.count;
  }
}
#endif
#endif
