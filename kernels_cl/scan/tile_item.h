/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile walked by one work-item, for processors: it is read twice, the second time from the cache. The host backend
 * compiles this file as C11. */
#ifndef SCANRT_CL_TILE_ITEM_H
#define SCANRT_CL_TILE_ITEM_H

#include "lib/tile.h"

typedef struct scanrt_tile_state {
  scanrt_value_t aggregate;
} scanrt_tile_state;

typedef struct scanrt_tile_scratch {
  scanrt_u32 claim;
} scanrt_tile_scratch;

/* Element i of the row or span that begins with element `first`, at `in` and `out`. */
#if SCAN_BACKWARD || (SCAN_TYPE == 0 && (SCAN_STEPS || SCAN_SOURCE_INPUTS || SCAN_SOURCE_OUTPUTS))
#define ROW_IN(job, first, in, i) ELEMENT_IN(job, (first) + (i))
#define ROW_OUT(job, first, out, i) ELEMENT_OUT(job, (first) + (i))
#define ROW_PUT(job, first, out, i, value) ELEMENT_PUT(job, (first) + (i), value)
#else
#define ROW_IN(job, first, in, i) ((in)[i])
#define ROW_OUT(job, first, out, i) ((out)[i])
#define ROW_PUT(job, first, out, i, value) ((out)[i] = (value))
#endif

#if SCAN_TYPE == 0 && !SCAN_ENDS_LOOPS
#include "scan/tile_item_source.h"
#endif

#if VALUE_IS_ORDERED
#define ROW_ELEMENT(job, first, in, i) ELEMENT(job, ROW_IN(job, first, in, i), (first) + (i))

/* The number of vectors of a whole row. Mesa 25's rusticl unrolls loops with a known count, and then loses members of
 * the structs in an array: for types from source it gets a count that it does not know. */
#if SCAN_TYPE == 0 && SCAN_ENDS_LOOPS
#define ROW_VECS_OF(job, first) ((job)->n - (first) < ROW_ITEMS ? 0 : ROW_VECS)
#else
#define ROW_VECS_OF(job, first) ROW_VECS
#endif

/* Folds each vector of a row left to right. */
#define ROW_VECTORS(job, first, in, vec)                                                                               \
  for (scanrt_u32 l = 0; l < ROW_VECS_OF(job, first); l++) {                                                           \
    scanrt_value_t sum = ROW_ELEMENT(job, first, in, l * VEC_ITEMS);                                                   \
    UNROLL                                                                                                             \
    for (scanrt_u32 k = 1; k < VEC_ITEMS; k++)                                                                         \
      sum = scanrt_combine(sum, ROW_ELEMENT(job, first, in, l * VEC_ITEMS + k));                                       \
    (vec)[l] = sum;                                                                                                    \
  }

/* Folds the vectors of a row that n ends, as far as they have elements; returns their number. The identity, which pads
 * the row, changes no bits. */
FUNC_CALLED scanrt_u32 scanrt_row_vectors_part(const scanrt_job *job, scanrt_u64 first, scanrt_value_t vec[ROW_VECS]) {
  const scanrt_u32 count = (scanrt_u32)(job->n - first), vectors = (count + VEC_ITEMS - 1) / VEC_ITEMS;
  GLOBAL const JOB_IN_T *in = job->in + first;
  vec[0] = IDENTITY; /* there is a vector, which compilers do not know */
  for (scanrt_u32 l = 0; l < vectors; l++) {
    scanrt_value_t sum = ROW_ELEMENT(job, first, in, l * VEC_ITEMS);
    for (scanrt_u32 k = 1; k < VEC_ITEMS && l * VEC_ITEMS + k < count; k++)
      sum = scanrt_combine(sum, ROW_ELEMENT(job, first, in, l * VEC_ITEMS + k));
    vec[l] = sum;
  }
  return vectors;
}

/* Returns a row's total by the balanced tree, which the last lane of the recursive doubling is, too. */
FUNC scanrt_value_t scanrt_row_total(scanrt_value_t vec[ROW_VECS], scanrt_u32 vectors) {
  for (; vectors > 1; vectors = (vectors + 1) / 2) {
    for (scanrt_u32 l = 0; l < vectors / 2; l++) vec[l] = scanrt_combine(vec[2 * l], vec[2 * l + 1]);
    if (vectors % 2) vec[vectors / 2] = vec[vectors - 1];
  }
  return vec[0];
}

/* Replaces the vectors by their starts, by recursive doubling; each step is out of place, so that it vectorises. */
FUNC_CALLED void scanrt_row_starts(scanrt_value_t vec[ROW_VECS], scanrt_u32 vectors, scanrt_value_t prefix,
                                   scanrt_value_t sub_before, scanrt_value_t scanrt_row_before) {
  scanrt_value_t other[ROW_VECS];
  for (scanrt_u32 d = 1; d < vectors; d <<= 1) {
    for (scanrt_u32 l = d; l < vectors; l++) other[l] = scanrt_combine(vec[l - d], vec[l]);
    for (scanrt_u32 l = d; l < vectors; l++) vec[l] = other[l];
  }
  for (scanrt_u32 l = vectors - 1; l > 0; l--)
    vec[l] = scanrt_combine(prefix, scanrt_combine(sub_before, scanrt_combine(scanrt_row_before, vec[l - 1])));
  vec[0] = scanrt_combine(prefix, scanrt_combine(sub_before, scanrt_row_before));
}

/* Whole rows, unless tile_vector.h or tile_item_source.h defines them. */
#if !defined(SCANRT_CL_TILE_VECTOR_H) && !defined(SCANRT_CL_TILE_ITEM_SOURCE_H)
FUNC scanrt_value_t scanrt_row_reduce(const scanrt_job *job, scanrt_u64 first) {
  GLOBAL const JOB_IN_T *in = job->in + first;
  scanrt_value_t vec[ROW_VECS];
  ROW_VECTORS(job, first, in, vec)
  return scanrt_row_total(vec, ROW_VECS_OF(job, first));
}

#ifndef RESULT_PLAIN
#define RESULT_PLAIN RESULT
#define ROW_SHOW_NANS(job, first, out, ends)
#else
/* Makes a row's NaNs canonical. The value after a vector is a NaN if any result in the vector is. */
#define ROW_SHOW_NANS(job, first, out, ends)                                                                           \
  do {                                                                                                                 \
    scanrt_u32 nans = 0;                                                                                               \
    for (scanrt_u32 l = 0; l < ROW_VECS; l++) nans |= (ends)[l] != (ends)[l];                                          \
    if (nans)                                                                                                          \
      for (scanrt_u32 i = 0; i < ROW_ITEMS; i++) ROW_OUT(job, first, out, i) = OUTPUT_OF(ROW_OUT(job, first, out, i)); \
  } while (0)
#endif

/* Writes a row and returns its total. It works in place, since each element is read before it is overwritten. */
FUNC scanrt_value_t scanrt_row_write(const scanrt_job *job, scanrt_u64 first, scanrt_value_t prefix,
                                     scanrt_value_t sub_before, scanrt_value_t scanrt_row_before) {
  GLOBAL const JOB_IN_T *in = job->in + first;
  GLOBAL JOB_OUT_T *out = job->out + first;
  const scanrt_u32 inclusive = job->inclusive;
  scanrt_value_t start[ROW_VECS], tree[ROW_VECS];
  ROW_VECTORS(job, first, in, start)
  for (scanrt_u32 l = 0; l < ROW_VECS_OF(job, first); l++) tree[l] = start[l];
  const scanrt_value_t total = scanrt_row_total(tree, ROW_VECS_OF(job, first));
  scanrt_row_starts(start, ROW_VECS_OF(job, first), prefix, sub_before, scanrt_row_before);
  for (scanrt_u32 l = 0; l < ROW_VECS_OF(job, first); l++) {
    scanrt_value_t acc = start[l];
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      const scanrt_input_t x = ROW_IN(job, first, in, l * VEC_ITEMS + k);
      const scanrt_value_t element = ELEMENT(job, x, first + l * VEC_ITEMS + k), next = scanrt_combine(acc, element);
      const scanrt_output_t result = RESULT_PLAIN(job, inclusive, element, next, acc, x, first + l * VEC_ITEMS + k);
      if (STORES(job)) ROW_PUT(job, first, out, l * VEC_ITEMS + k, result);
      acc = next;
    }
    start[l] = acc;
  }
  ROW_SHOW_NANS(job, first, out, start);
  return total;
}
#endif

/* Folds whole rows left to right, unless rows_fold.h does. */
#ifndef SCANRT_CL_TILE_ITEM_SOURCE_H
#ifndef SCANRT_CL_ROWS_FOLD_H
FUNC_CALLED scanrt_value_t scanrt_rows_reduce(const scanrt_job *job, scanrt_u64 first, scanrt_u32 rows) {
  scanrt_value_t all = IDENTITY;
  for (scanrt_u32 r = 0; r < rows; r++)
    all = scanrt_combine(all, scanrt_row_reduce(job, first + (scanrt_u64)r * ROW_ITEMS));
  return all;
}
#endif

#ifndef SCANRT_CL_TILE_VECTOR_H
FUNC scanrt_value_t scanrt_rows_write(const scanrt_job *job, scanrt_u64 first, scanrt_u32 rows, scanrt_value_t prefix,
                                      scanrt_value_t sub_before) {
  scanrt_value_t all = IDENTITY;
  for (scanrt_u32 r = 0; r < rows; r++)
    all = scanrt_combine(all, scanrt_row_write(job, first + (scanrt_u64)r * ROW_ITEMS, prefix, sub_before, all));
  return all;
}
#endif
#endif

/* Reduces the last row, which is not full. */
FUNC_CALLED scanrt_value_t scanrt_row_reduce_part(const scanrt_job *job, scanrt_u64 first) {
  scanrt_value_t vec[ROW_VECS];
  const scanrt_u32 vectors = scanrt_row_vectors_part(job, first, vec);
  return scanrt_row_total(vec, vectors);
}

FUNC scanrt_value_t scanrt_row_write_part(const scanrt_job *job, scanrt_u64 first, scanrt_value_t prefix,
                                          scanrt_value_t sub_before, scanrt_value_t scanrt_row_before) {
  scanrt_value_t start[ROW_VECS];
  const scanrt_value_t total = scanrt_row_reduce_part(job, first);
  const scanrt_u32 count = (scanrt_u32)(job->n - first), vectors = scanrt_row_vectors_part(job, first, start);
  scanrt_row_starts(start, vectors, prefix, sub_before, scanrt_row_before);
  for (scanrt_u32 l = 0; l < vectors; l++) {
    scanrt_value_t acc = start[l];
    for (scanrt_u32 i = l * VEC_ITEMS; i < count && i < (l + 1) * VEC_ITEMS; i++) {
      const scanrt_input_t x = ELEMENT_IN(job, first + i);
      const scanrt_value_t element = ELEMENT(job, x, first + i), next = scanrt_combine(acc, element);
      const scanrt_output_t result = RESULT(job, job->inclusive, element, next, acc, x, first + i);
      if (STORES(job)) ELEMENT_PUT(job, first + i, result);
      acc = next;
    }
  }
  return total;
}

#define SUBTILE_ITEMS (SUBTILE_ROWS * ROW_ITEMS)
/* Returns the number of whole rows of a sub-tile. */
FUNC scanrt_u32 scanrt_rows_whole(const scanrt_job *job, scanrt_u64 first) {
  return job->n - first >= SUBTILE_ITEMS ? SUBTILE_ROWS : (scanrt_u32)(job->n - first) / ROW_ITEMS;
}

FUNC_CALLED scanrt_value_t scanrt_tile_reduce(const scanrt_job *job, scanrt_u32 tile) {
  scanrt_value_t all = IDENTITY;
  for (scanrt_u32 q = 0; q < SUBTILES(job); q++) {
    const scanrt_u64 first = tile * JOB_TILE_ITEMS(job) + (scanrt_u64)q * SUBTILE_ITEMS;
    if (first >= job->n) break;
    const scanrt_u32 rows = scanrt_rows_whole(job, first);
    const scanrt_u64 rest = first + (scanrt_u64)rows * ROW_ITEMS;
    scanrt_value_t sub = scanrt_rows_reduce(job, first, rows);
    if (rows < SUBTILE_ROWS && rest < job->n) sub = scanrt_combine(sub, scanrt_row_reduce_part(job, rest));
    all = scanrt_combine(all, sub);
  }
  return all;
}

/* Writes the carry-out and the total, from the row that n ends. */
FUNC void scanrt_row_write_last(const scanrt_job *job, scanrt_u64 first, scanrt_value_t prefix,
                                scanrt_value_t sub_before, scanrt_value_t scanrt_row_before) {
  scanrt_value_t start[ROW_VECS];
  const scanrt_u32 vectors = scanrt_row_vectors_part(job, first, start);
  scanrt_row_starts(start, vectors, prefix, sub_before, scanrt_row_before);
  scanrt_value_t acc = start[vectors - 1];
  for (scanrt_u64 i = first + (vectors - 1) * VEC_ITEMS; i < job->n; i++) {
    const scanrt_input_t x = ELEMENT_IN(job, i);
    const scanrt_value_t element = ELEMENT(job, x, i), next = scanrt_combine(acc, element);
    if (i + 1 == job->n) LAST_VALUE(job, next, RESULT(job, job->inclusive, element, next, acc, x, i));
    acc = next;
  }
}

/* Writes the carry-out and the total; called for the last tile. */
FUNC_CALLED void scanrt_tile_write_last(const scanrt_job *job, scanrt_u32 tile, scanrt_value_t prefix) {
  scanrt_value_t sub_before = IDENTITY;
  for (scanrt_u32 q = 0; q < SUBTILES(job); q++) {
    const scanrt_u64 first = tile * JOB_TILE_ITEMS(job) + (scanrt_u64)q * SUBTILE_ITEMS;
    const scanrt_u32 is_last = job->n - first <= SUBTILE_ITEMS;
    const scanrt_u32 rows = is_last ? (scanrt_u32)(job->n - first - 1) / ROW_ITEMS : SUBTILE_ROWS;
    const scanrt_value_t before = scanrt_rows_reduce(job, first, rows);
    if (is_last) {
      scanrt_row_write_last(job, first + (scanrt_u64)rows * ROW_ITEMS, prefix, sub_before, before);
      return;
    }
    sub_before = scanrt_combine(sub_before, before);
  }
}

/* Writes a tile and returns its aggregate, so that a walk over all tiles need not reduce them first. */
FUNC_CALLED scanrt_value_t scanrt_tile_write(const scanrt_job *job, scanrt_u32 tile, scanrt_value_t prefix) {
  /* A copy, which the output cannot overwrite. Otherwise loops load the job's fields again and again (PoCL, float32 by
   * flags, 2^22: processor time 10.6 ms, 8.0 with the copy, 7.4 if all is inlined). */
  scanrt_job own = *job;
#if ORDER_SHOWS && defined(SCANRT_CL_TILE_VECTOR_H)
  if (prefix != prefix) own.streaming = 0; /* results are read again */
#endif
  job = &own;
  scanrt_value_t sub_before = IDENTITY;
  for (scanrt_u32 q = 0; q < SUBTILES(job); q++) {
    const scanrt_u64 first = tile * JOB_TILE_ITEMS(job) + (scanrt_u64)q * SUBTILE_ITEMS;
    if (first >= job->n) break;
    const scanrt_u32 rows = scanrt_rows_whole(job, first);
    const scanrt_u64 rest = first + (scanrt_u64)rows * ROW_ITEMS;
    scanrt_value_t sub = scanrt_rows_write(job, first, rows, prefix, sub_before);
    if (rows < SUBTILE_ROWS && rest < job->n)
      sub = scanrt_combine(sub, scanrt_row_write_part(job, rest, prefix, sub_before, sub));
    sub_before = scanrt_combine(sub_before, sub);
  }
  return sub_before;
}
#else /* integers: any order gives the same bits, and compilers vectorise the plainest loops */
FUNC scanrt_u32 scanrt_tile_count(const scanrt_job *job, scanrt_u32 tile) {
  const scanrt_u64 first = tile * JOB_TILE_ITEMS(job);
  return (scanrt_u32)(job->n - first < JOB_TILE_ITEMS(job) ? job->n - first : JOB_TILE_ITEMS(job));
}

/* Spans of elements, unless tile_vector.h defines them. scanrt_span_write returns `acc` combined with the elements. */
#ifndef SCANRT_CL_TILE_VECTOR_H
FUNC scanrt_value_t scanrt_span_reduce(const scanrt_job *job, scanrt_u64 first, scanrt_u32 count) {
  GLOBAL const JOB_IN_T *in = job->in + first;
  scanrt_value_t all = IDENTITY;
  for (scanrt_u32 i = 0; i < count; i++) all = scanrt_combine(all, (scanrt_value_t)ROW_IN(job, first, in, i));
  return all;
}

FUNC scanrt_value_t scanrt_span_write(const scanrt_job *job, scanrt_u64 first, scanrt_u32 count, scanrt_value_t acc) {
  GLOBAL const JOB_IN_T *in = job->in + first;
  GLOBAL JOB_OUT_T *out = job->out + first;
  if (job->inclusive) {
    for (scanrt_u32 i = 0; i < count; i++)
      ROW_OUT(job, first, out, i) = acc = scanrt_combine(acc, (scanrt_value_t)ROW_IN(job, first, in, i));
  } else {
    for (scanrt_u32 i = 0; i < count; i++) {
      const scanrt_value_t x = (scanrt_value_t)ROW_IN(job, first, in, i);
      ROW_OUT(job, first, out, i) = acc;
      acc = scanrt_combine(acc, x);
    }
  }
  return acc;
}
#endif

FUNC_CALLED scanrt_value_t scanrt_tile_reduce(const scanrt_job *job, scanrt_u32 tile) {
  return scanrt_span_reduce(job, tile * JOB_TILE_ITEMS(job), scanrt_tile_count(job, tile));
}

FUNC void scanrt_tile_write(const scanrt_job *job, scanrt_u32 tile, scanrt_value_t prefix) {
  (void)scanrt_span_write(job, tile * JOB_TILE_ITEMS(job), scanrt_tile_count(job, tile), prefix);
}

FUNC void scanrt_tile_write_last(const scanrt_job *job, scanrt_u32 tile, scanrt_value_t prefix) {
  const scanrt_value_t last = scanrt_combine(prefix, scanrt_tile_reduce(job, tile));
  LAST_VALUE(job, last, OUTPUT_OF(last));
}
#endif

/* The interface of tile_group.h. */
FUNC void scanrt_tile_load(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t) {
  (void)job, (void)tile, (void)t;
}

FUNC void scanrt_tile_fold(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t, LOCAL scanrt_tile_scratch *s) {
  (void)s;
  t->aggregate = scanrt_tile_reduce(job, tile);
}

FUNC void scanrt_tile_scan(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t) {
  (void)job, (void)tile, (void)t;
}

FUNC void scanrt_tile_store(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_value_t prefix) {
  (void)t;
  (void)scanrt_tile_write(job, tile, prefix);
}

FUNC void scanrt_tile_sink(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_value_t prefix) {
  if (TILE_WRITES_LAST(job, tile))
    scanrt_tile_write_last(job, tile, prefix); /* first: in place, the tile is gone afterwards */
  if (!SKIPS(job)) scanrt_tile_store(job, tile, t, scanrt_prefix_shown(job, prefix));
}
#endif
