/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile walked by one work-item, for processors: it is read twice, the second time out of the cache. The host backend
 * compiles this file as C11. */
#ifndef SCANRT_CL_TILE_ITEM_H
#define SCANRT_CL_TILE_ITEM_H

#include "scan_element.h"

typedef struct tile_state {
  value_t aggregate;
} tile_state;

typedef struct tile_scratch {
  scan_u32 claim;
} tile_scratch;

#if VALUE_IS_ORDERED
#if SCAN_TYPE == 0 && SCAN_STEPS
#define ROW_IN(job, first, in, i) ELEMENT_IN(job, (first) + (i))
#define ROW_OUT(job, first, out, i) ELEMENT_OUT(job, (first) + (i))
#else
#define ROW_IN(job, first, in, i) ((in)[i])
#define ROW_OUT(job, first, out, i) ((out)[i])
#endif
#define ROW_ELEMENT(job, first, in, i) ELEMENT(job, ROW_IN(job, first, in, i), (first) + (i))

/* The row's vectors, each folded left to right. */
#define ROW_VECTORS(job, first, in, vec)                                                                               \
  for (scan_u32 l = 0; l < ROW_VECS; l++) {                                                                            \
    value_t sum = ROW_ELEMENT(job, first, in, l * VEC_ITEMS);                                                          \
    UNROLL                                                                                                             \
    for (scan_u32 k = 1; k < VEC_ITEMS; k++) sum = combine(sum, ROW_ELEMENT(job, first, in, l * VEC_ITEMS + k));       \
    (vec)[l] = sum;                                                                                                    \
  }

/* The first vectors of a row that ends at n, which are all that have elements; returns how many. The identity, which
 * pads the row, changes no bits. */
FUNC scan_u32 row_vectors_part(const scan_job *job, scan_u64 first, value_t vec[ROW_VECS]) {
  const scan_u32 count = (scan_u32)(job->n - first), vectors = (count + VEC_ITEMS - 1) / VEC_ITEMS;
  GLOBAL const input_t *in = job->in + first;
  vec[0] = IDENTITY; /* there is one; compilers do not see it */
  for (scan_u32 l = 0; l < vectors; l++) {
    value_t sum = ROW_ELEMENT(job, first, in, l * VEC_ITEMS);
    for (scan_u32 k = 1; k < VEC_ITEMS && l * VEC_ITEMS + k < count; k++)
      sum = combine(sum, ROW_ELEMENT(job, first, in, l * VEC_ITEMS + k));
    vec[l] = sum;
  }
  return vectors;
}

/* The last lane of the recursive doubling is the balanced tree over the row. */
FUNC value_t row_total(value_t vec[ROW_VECS], scan_u32 vectors) {
  for (; vectors > 1; vectors = (vectors + 1) / 2) {
    for (scan_u32 l = 0; l < vectors / 2; l++) vec[l] = combine(vec[2 * l], vec[2 * l + 1]);
    if (vectors % 2) vec[vectors / 2] = vec[vectors - 1];
  }
  return vec[0];
}

/* Recursive doubling, out of place in each step so that it vectorises; turns vec into where each vector starts. */
FUNC void row_starts(value_t vec[ROW_VECS], scan_u32 vectors, value_t prefix, value_t sub_before, value_t row_before) {
  value_t other[ROW_VECS];
  for (scan_u32 d = 1; d < vectors; d <<= 1) {
    for (scan_u32 l = d; l < vectors; l++) other[l] = combine(vec[l - d], vec[l]);
    for (scan_u32 l = d; l < vectors; l++) vec[l] = other[l];
  }
  for (scan_u32 l = vectors - 1; l > 0; l--)
    vec[l] = combine(prefix, combine(sub_before, combine(row_before, vec[l - 1])));
  vec[0] = combine(prefix, combine(sub_before, row_before));
}

/* A whole row, where tile_vector.h does not bring it. */
#if SCAN_IN_TYPE != SCAN_TYPE || SCAN_TYPE == 0
FUNC value_t row_reduce(const scan_job *job, scan_u64 first) {
  GLOBAL const input_t *in = job->in + first;
  value_t vec[ROW_VECS];
  ROW_VECTORS(job, first, in, vec)
  return row_total(vec, ROW_VECS);
}

/* In place is right because each element is read before it is overwritten. */
FUNC value_t row_write(const scan_job *job, scan_u64 first, value_t prefix, value_t sub_before, value_t row_before) {
  GLOBAL const input_t *in = job->in + first;
  GLOBAL output_t *out = job->out + first;
  const scan_u32 inclusive = job->inclusive;
  value_t start[ROW_VECS], tree[ROW_VECS];
  ROW_VECTORS(job, first, in, start)
  for (scan_u32 l = 0; l < ROW_VECS; l++) tree[l] = start[l];
  const value_t total = row_total(tree, ROW_VECS);
  row_starts(start, ROW_VECS, prefix, sub_before, row_before);
  for (scan_u32 l = 0; l < ROW_VECS; l++) {
    value_t acc = start[l];
    UNROLL
    for (scan_u32 k = 0; k < VEC_ITEMS; k++) {
      const input_t x = ROW_IN(job, first, in, l * VEC_ITEMS + k);
      const value_t element = ELEMENT(job, x, first + l * VEC_ITEMS + k), next = combine(acc, element);
      const output_t result = RESULT(job, inclusive, element, next, acc, x, first + l * VEC_ITEMS + k);
      if (STORES(job)) ROW_OUT(job, first, out, l * VEC_ITEMS + k) = result;
      acc = next;
    }
  }
  return total;
}
#endif

/* The last row, which ends before it is full. */
FUNC value_t row_reduce_part(const scan_job *job, scan_u64 first) {
  value_t vec[ROW_VECS];
  const scan_u32 vectors = row_vectors_part(job, first, vec);
  return row_total(vec, vectors);
}

FUNC value_t row_write_part(const scan_job *job, scan_u64 first, value_t prefix, value_t sub_before,
                            value_t row_before) {
  value_t start[ROW_VECS];
  const value_t total = row_reduce_part(job, first);
  const scan_u32 count = (scan_u32)(job->n - first), vectors = row_vectors_part(job, first, start);
  row_starts(start, vectors, prefix, sub_before, row_before);
  for (scan_u32 l = 0; l < vectors; l++) {
    value_t acc = start[l];
    for (scan_u32 i = l * VEC_ITEMS; i < count && i < (l + 1) * VEC_ITEMS; i++) {
      const input_t x = ELEMENT_IN(job, first + i);
      const value_t element = ELEMENT(job, x, first + i), next = combine(acc, element);
      const output_t result = RESULT(job, job->inclusive, element, next, acc, x, first + i);
      if (STORES(job)) ELEMENT_OUT(job, first + i) = result;
      acc = next;
    }
  }
  return total;
}

FUNC value_t tile_reduce(const scan_job *job, scan_u32 tile) {
  value_t all = IDENTITY;
  for (scan_u32 q = 0; q < SCAN_SUBTILES; q++) {
    value_t sub = IDENTITY;
    for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
      const scan_u64 first = tile * TILE_ITEMS + (scan_u64)(q * SUBTILE_ROWS + r) * ROW_ITEMS;
      if (first >= job->n) break;
      sub = combine(sub, first + ROW_ITEMS <= job->n ? row_reduce(job, first) : row_reduce_part(job, first));
    }
    all = combine(all, sub);
  }
  return all;
}

/* Keeps what the scan leaves, of the row that n ends. */
FUNC void row_keep(const scan_job *job, scan_u64 first, value_t prefix, value_t sub_before, value_t row_before) {
  value_t start[ROW_VECS];
  const scan_u32 vectors = row_vectors_part(job, first, start);
  row_starts(start, vectors, prefix, sub_before, row_before);
  value_t acc = start[vectors - 1];
  for (scan_u64 i = first + (vectors - 1) * VEC_ITEMS; i < job->n; i++) {
    const input_t x = ELEMENT_IN(job, i);
    const value_t element = ELEMENT(job, x, i), next = combine(acc, element);
    if (i + 1 == job->n) LAST_VALUE(job, next, RESULT(job, job->inclusive, element, next, acc, x, i));
    acc = next;
  }
}

/* Keeps what the scan leaves; called for the last tile. */
FUNC void tile_keep(const scan_job *job, scan_u32 tile, value_t prefix) {
  value_t sub_before = IDENTITY;
  for (scan_u32 q = 0; q < SCAN_SUBTILES; q++) {
    value_t row_before = IDENTITY;
    for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
      const scan_u64 first = tile * TILE_ITEMS + (scan_u64)(q * SUBTILE_ROWS + r) * ROW_ITEMS;
      if (first + ROW_ITEMS >= job->n) {
        row_keep(job, first, prefix, sub_before, row_before);
        return;
      }
      row_before = combine(row_before, row_reduce(job, first));
    }
    sub_before = combine(sub_before, row_before);
  }
}

/* Returns the tile's aggregate, so that whoever walks all tiles in order need not reduce them first. */
FUNC value_t tile_write(const scan_job *job, scan_u32 tile, value_t prefix) {
  value_t sub_before = IDENTITY;
  for (scan_u32 q = 0; q < SCAN_SUBTILES; q++) {
    value_t row_before = IDENTITY;
    for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
      const scan_u64 first = tile * TILE_ITEMS + (scan_u64)(q * SUBTILE_ROWS + r) * ROW_ITEMS;
      if (first >= job->n) break;
      row_before =
          combine(row_before, first + ROW_ITEMS <= job->n ? row_write(job, first, prefix, sub_before, row_before)
                                                          : row_write_part(job, first, prefix, sub_before, row_before));
    }
    sub_before = combine(sub_before, row_before);
  }
  return sub_before;
}
#else /* integers: any order gives the same bits, so the plainest loops, which compilers vectorise */
FUNC scan_u32 tile_count(const scan_job *job, scan_u32 tile) {
  const scan_u64 first = tile * TILE_ITEMS;
  return (scan_u32)(job->n - first < TILE_ITEMS ? job->n - first : TILE_ITEMS);
}

/* Spans of elements, where tile_vector.h does not bring them; span_write returns acc and the elements combined. */
#if SCAN_IN_TYPE != SCAN_TYPE
FUNC value_t span_reduce(const scan_job *job, scan_u64 first, scan_u32 count) {
  GLOBAL const input_t *in = job->in + first;
  value_t all = IDENTITY;
  for (scan_u32 i = 0; i < count; i++) all = combine(all, (value_t)in[i]);
  return all;
}

FUNC value_t span_write(const scan_job *job, scan_u64 first, scan_u32 count, value_t acc) {
  GLOBAL const input_t *in = job->in + first;
  GLOBAL output_t *out = job->out + first;
  if (job->inclusive) {
    for (scan_u32 i = 0; i < count; i++) out[i] = acc = combine(acc, (value_t)in[i]);
  } else {
    for (scan_u32 i = 0; i < count; i++) {
      const value_t x = (value_t)in[i];
      out[i] = acc;
      acc = combine(acc, x);
    }
  }
  return acc;
}
#endif

FUNC value_t tile_reduce(const scan_job *job, scan_u32 tile) {
  return span_reduce(job, tile * TILE_ITEMS, tile_count(job, tile));
}

FUNC void tile_write(const scan_job *job, scan_u32 tile, value_t prefix) {
  (void)span_write(job, tile * TILE_ITEMS, tile_count(job, tile), prefix);
}

FUNC void tile_keep(const scan_job *job, scan_u32 tile, value_t prefix) {
  const value_t last = combine(prefix, tile_reduce(job, tile));
  LAST_VALUE(job, last, OUTPUT_OF(last));
}
#endif

/* The interface of tile_group.h. */
FUNC void tile_load(const scan_job *job, scan_u32 tile, tile_state *t) { (void)job, (void)tile, (void)t; }

FUNC void tile_fold(const scan_job *job, scan_u32 tile, tile_state *t, LOCAL tile_scratch *s) {
  (void)s;
  t->aggregate = tile_reduce(job, tile);
}

FUNC void tile_scan(const scan_job *job, scan_u32 tile, tile_state *t) { (void)job, (void)tile, (void)t; }

FUNC void tile_store(const scan_job *job, scan_u32 tile, const tile_state *t, value_t prefix) {
  (void)t;
  (void)tile_write(job, tile, prefix);
}

FUNC void tile_sink(const scan_job *job, scan_u32 tile, const tile_state *t, value_t prefix) {
  if (TILE_KEEPS(job, tile)) tile_keep(job, tile, prefix); /* in place the tile is gone afterwards */
  if (!SKIPS(job)) tile_store(job, tile, t, prefix_shown(job, prefix));
}
#endif
