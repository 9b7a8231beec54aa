/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile of a scan from the last element to the first, walked by one work-item: element i of the job lies i elements
 * before its begin. After tile_item.h. */
#ifndef SCANRT_CL_MIRROR_ITEM_H
#define SCANRT_CL_MIRROR_ITEM_H

#include "tile_item.h"

#undef tile_reduce
#undef tile_write
#undef tile_fold
#undef tile_keep
#undef tile_sink
#undef tile_store

/* From the last element on. */
FUNC scan_job job_turned(scan_job job) {
  job.in += job.n - 1;
  job.out += job.n - 1;
  job.streaming = 0;
  return job;
}
#undef JOB
#define JOB() job_turned(JOB_MADE())

#if VALUE_IS_FLOAT
/* A row, turned over; past n there is the identity. */
FUNC scan_u32 row_turn(const scan_job *job, scan_u64 first, value_t x[ROW_ITEMS]) {
  const scan_u32 count = job->n - first < ROW_ITEMS ? (scan_u32)(job->n - first) : ROW_ITEMS;
  GLOBAL const input_t *in = job->in - first;
  for (scan_u32 i = 0; i < count; i++) x[i] = (value_t) * (in - i);
  for (scan_u32 i = count; i < ROW_ITEMS; i++) x[i] = IDENTITY;
  return count;
}

FUNC value_t row_turned_total(const value_t x[ROW_ITEMS]) {
  value_t vec[ROW_VECS];
  ROW_VECTORS(0, 0, x, vec) /* built-in elements ask neither for the job nor for their place */
  return row_total(vec, ROW_VECS);
}

FUNC value_t row_turned_write(const scan_job *job, scan_u64 first, value_t prefix, value_t sub_before,
                              value_t row_before) {
  value_t x[ROW_ITEMS], start[ROW_VECS];
  const scan_u32 count = row_turn(job, first, x);
  const value_t total = row_turned_total(x);
  ROW_VECTORS(0, 0, x, start)
  row_starts(start, ROW_VECS, prefix, sub_before, row_before);
  for (scan_u32 l = 0; l < ROW_VECS; l++) {
    value_t acc = start[l];
    UNROLL
    for (scan_u32 k = 0; k < VEC_ITEMS; k++) {
      const value_t next = combine(acc, x[l * VEC_ITEMS + k]);
      x[l * VEC_ITEMS + k] = job->inclusive ? next : acc;
      acc = next;
    }
  }
  GLOBAL output_t *out = job->out - first;
  for (scan_u32 i = 0; i < count; i++) *(out - i) = x[i];
  return total;
}

FUNC value_t tile_reduce(const scan_job *job, scan_u32 tile) {
  value_t all = IDENTITY;
  for (scan_u32 q = 0; q < SCAN_SUBTILES; q++) {
    value_t sub = IDENTITY;
    for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
      const scan_u64 first = tile * TILE_ITEMS + (scan_u64)(q * SUBTILE_ROWS + r) * ROW_ITEMS;
      value_t x[ROW_ITEMS];
      if (first >= job->n) break;
      (void)row_turn(job, first, x);
      sub = combine(sub, row_turned_total(x));
    }
    all = combine(all, sub);
  }
  return all;
}

FUNC value_t tile_write(const scan_job *job, scan_u32 tile, value_t prefix) {
  value_t sub_before = IDENTITY;
  for (scan_u32 q = 0; q < SCAN_SUBTILES; q++) {
    value_t row_before = IDENTITY;
    for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
      const scan_u64 first = tile * TILE_ITEMS + (scan_u64)(q * SUBTILE_ROWS + r) * ROW_ITEMS;
      if (first >= job->n) break;
      row_before = combine(row_before, row_turned_write(job, first, prefix, sub_before, row_before));
    }
    sub_before = combine(sub_before, row_before);
  }
  return sub_before;
}

/* The row that n ends, and the tile that has it. */
FUNC void row_turned_keep(const scan_job *job, scan_u64 first, value_t prefix, value_t sub_before, value_t row_before) {
  value_t x[ROW_ITEMS], start[ROW_VECS];
  const scan_u32 count = row_turn(job, first, x), l = (count - 1) / VEC_ITEMS;
  ROW_VECTORS(0, 0, x, start)
  row_starts(start, ROW_VECS, prefix, sub_before, row_before);
  value_t acc = start[l];
  for (scan_u32 i = l * VEC_ITEMS; i < count; i++) acc = combine(acc, x[i]);
  LAST_VALUE(job, acc, OUTPUT_OF(acc));
}

FUNC void tile_keep(const scan_job *job, scan_u32 tile, value_t prefix) {
  value_t sub_before = IDENTITY, x[ROW_ITEMS];
  for (scan_u32 q = 0; q < SCAN_SUBTILES; q++) {
    value_t row_before = IDENTITY;
    for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
      const scan_u64 first = tile * TILE_ITEMS + (scan_u64)(q * SUBTILE_ROWS + r) * ROW_ITEMS;
      if (first + ROW_ITEMS >= job->n) {
        row_turned_keep(job, first, prefix, sub_before, row_before);
        return;
      }
      (void)row_turn(job, first, x);
      row_before = combine(row_before, row_turned_total(x));
    }
    sub_before = combine(sub_before, row_before);
  }
}
#else
FUNC value_t tile_reduce(const scan_job *job, scan_u32 tile) {
  GLOBAL const input_t *in = job->in - tile * TILE_ITEMS;
  const scan_u32 count = tile_count(job, tile);
  value_t all = IDENTITY;
  for (scan_u32 i = 0; i < count; i++) all = combine(all, (value_t) * (in - i));
  return all;
}

FUNC void tile_write(const scan_job *job, scan_u32 tile, value_t prefix) {
  GLOBAL const input_t *in = job->in - tile * TILE_ITEMS;
  GLOBAL output_t *out = job->out - tile * TILE_ITEMS;
  const scan_u32 count = tile_count(job, tile);
  for (scan_u32 i = 0; i < count; i++) {
    const value_t next = combine(prefix, (value_t) * (in - i));
    *(out - i) = job->inclusive ? next : prefix;
    prefix = next;
  }
}

FUNC void tile_keep(const scan_job *job, scan_u32 tile, value_t prefix) {
  const value_t last = combine(prefix, tile_reduce(job, tile));
  LAST_VALUE(job, last, OUTPUT_OF(last));
}
#endif

FUNC void tile_fold(const scan_job *job, scan_u32 tile, tile_state *t, LOCAL tile_scratch *s) {
  (void)s;
  t->aggregate = tile_reduce(job, tile);
}

FUNC void tile_store(const scan_job *job, scan_u32 tile, const tile_state *t, value_t prefix) {
  (void)t;
  (void)tile_write(job, tile, prefix);
}

FUNC void tile_sink(const scan_job *job, scan_u32 tile, const tile_state *t, value_t prefix) {
  if (TILE_KEEPS(job, tile)) tile_keep(job, tile, prefix);
  if (!SKIPS(job)) tile_store(job, tile, t, prefix_shown(job, prefix));
}
#endif
