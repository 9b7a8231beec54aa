/* SPDX-License-Identifier: BSD-2-Clause */
/* Folds the segments of a sub-tile by one work-item, each by itself, in the canonical order. A segment's vectors are
 * folded from left to right, those of a row by the balanced tree that ends with the last one. */
#ifndef SCANRT_CL_SEGMENT_ITEM_H
#define SCANRT_CL_SEGMENT_ITEM_H

#include "scan/segment_results.h"

#define SUB_VECS (SUBTILE_ROWS * ROW_VECS)
/* The most vectors before the last one of a segment that is folded without a loop over its elements. */
#define SHORT_VECS 8

/* The values of a sub-tile. Those that a map makes are in private memory. */
#if SCAN_SOURCE_MAPS
typedef const scanrt_bare_t *scanrt_values_t;
#else
typedef GLOBAL const scanrt_input_t *scanrt_values_t;
#endif
#define COMBINE_BARE(a, b) SCAN_SOURCE_COMBINE((a), (b))

/* A sub-tile. `vec` has a row's pad and the folds of vectors; all are values that exist. */
typedef struct scanrt_sub {
  scanrt_values_t x;
  scanrt_bare_t *vec;
  scanrt_value_t seed;
  scanrt_u32 whole;      /* whole vectors */
  scanrt_u32 unseeded;   /* as `whole`; 0 with a seed */
  scanrt_u32 are_folded; /* 1: `vec` has the folds of all vectors */
} scanrt_sub;
#define VEC_FOLD(sub, v) (sub)->vec[ROW_VECS + (v)]

/* Returns the first value of a segment. */
FUNC scanrt_bare_t scanrt_sub_first(const scanrt_sub *sub, scanrt_u32 i) {
  return sub->seed.there ? COMBINE_BARE(sub->seed.v, sub->x[i]) : sub->x[i];
}

/* Combines `sum` with elements i up to, without it, end. */
FUNC scanrt_bare_t scanrt_sub_walk(const scanrt_sub *sub, scanrt_bare_t sum, scanrt_u32 i, scanrt_u32 end) {
  NO_UNROLL
  for (; i < end; i++) sum = COMBINE_BARE(sum, sub->x[i]);
  return sum;
}

/* Folds whole vectors. */
FUNC_CALLED void scanrt_sub_vectors(const scanrt_sub *sub, scanrt_u32 from, scanrt_u32 to) {
  scanrt_values_t x = sub->x;
  scanrt_bare_t *vec = sub->vec + ROW_VECS;
  NO_UNROLL
  for (scanrt_u32 v = from; v < to; v++) {
    scanrt_bare_t sum = x[v * VEC_ITEMS];
    UNROLL
    for (scanrt_u32 k = 1; k < VEC_ITEMS; k++) sum = COMBINE_BARE(sum, x[v * VEC_ITEMS + k]);
    vec[v] = sum;
  }
}

/* A level of a balanced tree over vec[0] to vec[2 * pairs - 1], of which the first `missing` are passed over. Each
 * entry stands for `span` vectors. */
FUNC void scanrt_tree_level(const scanrt_bare_t *vec, scanrt_bare_t *to, scanrt_u32 pairs, scanrt_u32 span,
                            scanrt_u32 missing) {
  NO_UNROLL
  for (scanrt_u32 i = 0; i < pairs; i++) {
    const scanrt_bare_t last = vec[2 * i + 1], both = COMBINE_BARE(vec[2 * i], last);
    to[i] = scanrt_bare_select((2 * i + 1) * span > missing, both, last);
  }
}

/* Folds the `count` vectors before number `end`, which are in one row. */
FUNC_CALLED scanrt_bare_t scanrt_row_fold_part(const scanrt_sub *sub, scanrt_u32 end, scanrt_u32 count) {
  scanrt_bare_t a[ROW_VECS / 2], b[ROW_VECS / 4];
  if (count == 1) return VEC_FOLD(sub, end - 1);
  if (count > SHORT_VECS) {
    const scanrt_u32 missing = ROW_VECS - count;
    scanrt_tree_level(sub->vec + end, a, 16, 1, missing);
    scanrt_tree_level(a, b, 8, 2, missing);
    scanrt_tree_level(b, a, 4, 4, missing);
    scanrt_tree_level(a, b, 2, 8, missing);
    scanrt_tree_level(b, a, 1, 16, missing);
    return a[0];
  }
  const scanrt_u32 missing = SHORT_VECS - count;
  scanrt_tree_level(sub->vec + (ROW_VECS - SHORT_VECS) + end, a, 4, 1, missing);
  scanrt_tree_level(a, b, 2, 2, missing);
  scanrt_tree_level(b, a, 1, 4, missing);
  return a[0];
}

/* Combines `sum` with whole rows, from left to right. The trees of all rows are computed side by side. */
FUNC_CALLED scanrt_value_t scanrt_rows_fold(const scanrt_sub *sub, scanrt_value_t sum, scanrt_u32 row,
                                            scanrt_u32 rows) {
  scanrt_bare_t a[SUB_VECS / 2], b[SUB_VECS / 4];
  scanrt_tree_level(sub->vec + ROW_VECS + row * ROW_VECS, a, 16 * rows, 1, 0);
  scanrt_tree_level(a, b, 8 * rows, 2, 0);
  scanrt_tree_level(b, a, 4 * rows, 4, 0);
  scanrt_tree_level(a, b, 2 * rows, 8, 0);
  scanrt_tree_level(b, a, rows, 16, 0);
  for (scanrt_u32 r = 0; r < rows; r++) sum = scanrt_combine(sum, scanrt_value_from(a[r], 1));
  return sum;
}

/* Folds the vectors from `from` up to, without it, `to`: rows from left to right, the last part of a row by itself. */
FUNC scanrt_bare_t scanrt_sub_rows(const scanrt_sub *sub, scanrt_u32 from, scanrt_u32 to) {
  const scanrt_u32 last = to / ROW_VECS;
  scanrt_u32 row = from / ROW_VECS;
  scanrt_value_t sum = IDENTITY;
  if (row == last) return scanrt_row_fold_part(sub, to, to - from);
  if (from % ROW_VECS != 0) {
    row++;
    sum = scanrt_value_from(scanrt_row_fold_part(sub, row * ROW_VECS, row * ROW_VECS - from), 1);
  }
  if (row < last) sum = scanrt_rows_fold(sub, sum, row, last - row);
  if (to % ROW_VECS == 0) return sum.v;
  return COMBINE_BARE(sum.v, scanrt_row_fold_part(sub, to, to % ROW_VECS));
}

/* Folds a segment's vectors from number `vector` up to, without it, `last`; the part of the first one is `head`. */
FUNC_CALLED scanrt_bare_t scanrt_sub_many(const scanrt_sub *sub, scanrt_bare_t head, scanrt_u32 vector,
                                          scanrt_u32 last) {
  if (!sub->are_folded && last > vector + 1) scanrt_sub_vectors(sub, vector + 1, last);
  VEC_FOLD(sub, vector) = head;
  return scanrt_sub_rows(sub, vector, last);
}

/* Returns the fold of elements `begin` up to, without it, `end`, by selections in place of branches. They are in
 * several vectors: `last` is the last one, SHORT_VECS or more are before it, and those with elements are in one row. */
FUNC scanrt_bare_t scanrt_sub_short(const scanrt_sub *sub, scanrt_u32 begin, scanrt_u32 end, scanrt_u32 last) {
  scanrt_bare_t a[SHORT_VECS], b[SHORT_VECS / 2];
  const scanrt_u32 base = (last - SHORT_VECS) * VEC_ITEMS, missing = (begin - base) / VEC_ITEMS;
  scanrt_values_t x = sub->x + base;
  NO_UNROLL
  for (scanrt_u32 v = 0; v < SHORT_VECS; v++) {
    scanrt_bare_t sum = x[v * VEC_ITEMS];
    UNROLL
    for (scanrt_u32 k = 1; k < VEC_ITEMS; k++) {
      const scanrt_bare_t here = x[v * VEC_ITEMS + k], both = COMBINE_BARE(sum, here);
      sum = scanrt_bare_select(v * VEC_ITEMS + k > begin - base, both, here);
    }
    a[v] = sum;
  }
  scanrt_tree_level(a, b, 4, 1, missing);
  scanrt_tree_level(b, a, 2, 2, missing);
  scanrt_tree_level(a, b, 1, 4, missing);
  scanrt_bare_t sum = b[0];
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
    const scanrt_bare_t both = COMBINE_BARE(sum, sub->x[last * VEC_ITEMS + k]);
    sum = scanrt_bare_select(last * VEC_ITEMS + k < end, both, sum);
  }
  return sum;
}

/* Returns the result of a segment that lies in the sub-tile. */
FUNC scanrt_bare_t scanrt_sub_within(const scanrt_sub *sub, scanrt_u32 begin, scanrt_u32 end) {
  const scanrt_u32 vector = begin / VEC_ITEMS, last = (end - 1) / VEC_ITEMS;
  if (vector == last) return scanrt_sub_walk(sub, scanrt_sub_first(sub, begin), begin + 1, end);
  if (last - vector <= SHORT_VECS && vector / ROW_VECS == (last - 1) / ROW_VECS && last >= SHORT_VECS &&
      last < sub->unseeded)
    return scanrt_sub_short(sub, begin, end, last);
  const scanrt_bare_t head = scanrt_sub_walk(sub, scanrt_sub_first(sub, begin), begin + 1, (vector + 1) * VEC_ITEMS);
  return scanrt_sub_walk(sub, scanrt_sub_many(sub, head, vector, last), last * VEC_ITEMS, end);
}

/* Returns the value before the vector of element end - 1, within the sub-tile, of a segment that begins before it. */
FUNC scanrt_value_t scanrt_sub_until(const scanrt_sub *sub, scanrt_u32 end) {
  const scanrt_u32 last = (end - 1) / VEC_ITEMS;
  if (last == 0) return IDENTITY;
  return scanrt_value_from(scanrt_sub_many(sub, scanrt_sub_walk(sub, sub->x[0], 1, VEC_ITEMS), 0, last), 1);
}

/* Returns the fold of a whole sub-tile from element `begin` on, whose value is `first`. */
FUNC scanrt_bare_t scanrt_sub_rest(const scanrt_sub *sub, scanrt_bare_t first, scanrt_u32 begin) {
  const scanrt_u32 vector = begin / VEC_ITEMS;
  return scanrt_sub_many(sub, scanrt_sub_walk(sub, first, begin + 1, (vector + 1) * VEC_ITEMS), vector, SUB_VECS);
}

/* The state from sub-tile to sub-tile of a tile. `before` is the fold of the tile's elements so far that are in the
 * segment that goes on, with STARTS_WITHIN if that segment begins in the tile. `open` is the value, within the tile,
 * before the vector in which a segment ends that began before the tile. */
typedef struct scanrt_fold_state {
  scanrt_value_t before, open;
} scanrt_fold_state;

/* Finds the result of a segment that ends in the sub-tile and begins before it. Returns 0 if that depends on the tiles
 * before: `open` is then set. */
FUNC scanrt_u32 scanrt_sub_finish(const scanrt_sub *sub, scanrt_u32 end, scanrt_fold_state *fold,
                                  scanrt_bare_t *result) {
  const scanrt_value_t sum = scanrt_combine(fold->before, scanrt_sub_until(sub, end));
  if (!(fold->before.there & STARTS_WITHIN)) {
    fold->open = sum;
    return 0;
  }
  *result = scanrt_sub_walk(sub, sum.v, (end - 1) / VEC_ITEMS * VEC_ITEMS, end);
  return 1;
}

/* Passes a whole sub-tile, in which a segment goes on that begins with element `begin` of it, or before it (`is_new` is
 * 0). */
FUNC void scanrt_sub_pass(const scanrt_sub *sub, scanrt_u32 begin, scanrt_u32 is_new, scanrt_fold_state *fold) {
  const scanrt_bare_t first = is_new ? scanrt_sub_first(sub, begin) : sub->x[0];
  const scanrt_value_t rest = scanrt_value_from(scanrt_sub_rest(sub, first, is_new ? begin : 0), 1);
  fold->before = is_new ? scanrt_value_from(rest.v, 1 | STARTS_WITHIN) : scanrt_combine(fold->before, rest);
}

/* Opens the sub-tile of `items` elements from `first` on. `values` has room for SUBTILE_ITEMS values of a map. */
FUNC void scanrt_sub_open(const scanrt_job *job, scanrt_u64 first, scanrt_u32 items, scanrt_bare_t *values,
                          scanrt_sub *sub) {
  GLOBAL const scanrt_input_t *in = (GLOBAL const scanrt_input_t *)job->in + first;
#if SCAN_SOURCE_MAPS
  NO_UNROLL
  for (scanrt_u32 i = 0; i < items; i++) values[i] = SCAN_SOURCE_MAP(in[i], PLACE(job, first + i));
  sub->x = values;
#else
  (void)values;
  sub->x = in;
#endif
  sub->whole = items / VEC_ITEMS;
  sub->unseeded = sub->seed.there ? 0 : sub->whole;
  sub->are_folded = 0;
}

/* Asks for the lines that the next sub-tile of `bytes` begins with. */
FUNC void scanrt_sub_ahead(GLOBAL const scanrt_input_t *next, scanrt_u32 bytes) {
#ifdef READ_AHEAD
  for (scanrt_u32 b = 0; b < bytes; b += 64) READ_AHEAD(ADDRESS(next) + b);
#else
  (void)next, (void)bytes;
#endif
}

/* Combines what precedes the vector of element `last` with that vector's elements up to it. */
FUNC scanrt_value_t scanrt_tail_fold(const scanrt_job *job, scanrt_value_t sum, scanrt_u64 last) {
  GLOBAL const scanrt_input_t *in = (GLOBAL const scanrt_input_t *)job->in;
  for (scanrt_u64 e = last / VEC_ITEMS * VEC_ITEMS; e <= last; e++)
    sum = scanrt_combine(sum, MAPPED(in[e], PLACE(job, e)));
  return sum;
}

/* Makes all entries of `vec` values that exist, which operators may get. */
FUNC void scanrt_sub_clear(const scanrt_sub *sub, scanrt_bare_t *vec) {
  for (scanrt_u32 v = 0; v < ROW_VECS + SUB_VECS; v++) vec[v] = sub->x[0];
}
#endif
