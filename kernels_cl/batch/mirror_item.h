/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile of a scan from the last element to the first, walked by one work-item: element i of the job lies i elements
 * before its begin. After tile_item.h. */
#ifndef SCANRT_CL_MIRROR_ITEM_H
#define SCANRT_CL_MIRROR_ITEM_H

#include "tile_item.h"

#undef scanrt_tile_reduce
#undef scanrt_tile_write
#undef scanrt_tile_fold
#undef scanrt_tile_keep
#undef scanrt_tile_sink
#undef scanrt_tile_store

/* From the last element on. */
FUNC scanrt_job scanrt_job_turned(scanrt_job job) {
  job.in += job.n - 1;
  job.out += job.n - 1;
  job.streaming = 0;
  return job;
}
#undef JOB
#define JOB() scanrt_job_turned(JOB_MADE())

#if VALUE_IS_FLOAT
/* A row, turned over; past n there is the identity. */
FUNC scanrt_u32 scanrt_row_turn(const scanrt_job *job, scanrt_u64 first, scanrt_value_t x[ROW_ITEMS]) {
  const scanrt_u32 count = job->n - first < ROW_ITEMS ? (scanrt_u32)(job->n - first) : ROW_ITEMS;
  GLOBAL const scanrt_input_t *in = job->in - first;
  for (scanrt_u32 i = 0; i < count; i++) x[i] = (scanrt_value_t) * (in - i);
  for (scanrt_u32 i = count; i < ROW_ITEMS; i++) x[i] = IDENTITY;
  return count;
}

FUNC scanrt_value_t scanrt_row_turned_total(const scanrt_value_t x[ROW_ITEMS]) {
  scanrt_value_t vec[ROW_VECS];
  ROW_VECTORS(0, 0, x, vec) /* built-in elements ask neither for the job nor for their place */
  return scanrt_row_total(vec, ROW_VECS);
}

FUNC scanrt_value_t scanrt_row_turned_write(const scanrt_job *job, scanrt_u64 first, scanrt_value_t prefix,
                                            scanrt_value_t sub_before, scanrt_value_t scanrt_row_before) {
  scanrt_value_t x[ROW_ITEMS], start[ROW_VECS];
  const scanrt_u32 count = scanrt_row_turn(job, first, x);
  const scanrt_value_t total = scanrt_row_turned_total(x);
  ROW_VECTORS(0, 0, x, start)
  scanrt_row_starts(start, ROW_VECS, prefix, sub_before, scanrt_row_before);
  for (scanrt_u32 l = 0; l < ROW_VECS; l++) {
    scanrt_value_t acc = start[l];
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      const scanrt_value_t next = scanrt_combine(acc, x[l * VEC_ITEMS + k]);
      x[l * VEC_ITEMS + k] = job->inclusive ? next : acc;
      acc = next;
    }
  }
  GLOBAL scanrt_output_t *out = job->out - first;
  for (scanrt_u32 i = 0; i < count; i++) *(out - i) = x[i];
  return total;
}

FUNC scanrt_value_t scanrt_tile_reduce(const scanrt_job *job, scanrt_u32 tile) {
  scanrt_value_t all = IDENTITY;
  for (scanrt_u32 q = 0; q < SCAN_SUBTILES; q++) {
    scanrt_value_t sub = IDENTITY;
    for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
      const scanrt_u64 first = tile * TILE_ITEMS + (scanrt_u64)(q * SUBTILE_ROWS + r) * ROW_ITEMS;
      scanrt_value_t x[ROW_ITEMS];
      if (first >= job->n) break;
      (void)scanrt_row_turn(job, first, x);
      sub = scanrt_combine(sub, scanrt_row_turned_total(x));
    }
    all = scanrt_combine(all, sub);
  }
  return all;
}

FUNC scanrt_value_t scanrt_tile_write(const scanrt_job *job, scanrt_u32 tile, scanrt_value_t prefix) {
  scanrt_value_t sub_before = IDENTITY;
  for (scanrt_u32 q = 0; q < SCAN_SUBTILES; q++) {
    scanrt_value_t scanrt_row_before = IDENTITY;
    for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
      const scanrt_u64 first = tile * TILE_ITEMS + (scanrt_u64)(q * SUBTILE_ROWS + r) * ROW_ITEMS;
      if (first >= job->n) break;
      scanrt_row_before =
          scanrt_combine(scanrt_row_before, scanrt_row_turned_write(job, first, prefix, sub_before, scanrt_row_before));
    }
    sub_before = scanrt_combine(sub_before, scanrt_row_before);
  }
  return sub_before;
}

/* The row that n ends, and the tile that has it. */
FUNC void scanrt_row_turned_keep(const scanrt_job *job, scanrt_u64 first, scanrt_value_t prefix,
                                 scanrt_value_t sub_before, scanrt_value_t scanrt_row_before) {
  scanrt_value_t x[ROW_ITEMS], start[ROW_VECS];
  const scanrt_u32 count = scanrt_row_turn(job, first, x), l = (count - 1) / VEC_ITEMS;
  ROW_VECTORS(0, 0, x, start)
  scanrt_row_starts(start, ROW_VECS, prefix, sub_before, scanrt_row_before);
  scanrt_value_t acc = start[l];
  for (scanrt_u32 i = l * VEC_ITEMS; i < count; i++) acc = scanrt_combine(acc, x[i]);
  LAST_VALUE(job, acc, OUTPUT_OF(acc));
}

FUNC void scanrt_tile_keep(const scanrt_job *job, scanrt_u32 tile, scanrt_value_t prefix) {
  scanrt_value_t sub_before = IDENTITY, x[ROW_ITEMS];
  for (scanrt_u32 q = 0; q < SCAN_SUBTILES; q++) {
    scanrt_value_t scanrt_row_before = IDENTITY;
    for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
      const scanrt_u64 first = tile * TILE_ITEMS + (scanrt_u64)(q * SUBTILE_ROWS + r) * ROW_ITEMS;
      if (first + ROW_ITEMS >= job->n) {
        scanrt_row_turned_keep(job, first, prefix, sub_before, scanrt_row_before);
        return;
      }
      (void)scanrt_row_turn(job, first, x);
      scanrt_row_before = scanrt_combine(scanrt_row_before, scanrt_row_turned_total(x));
    }
    sub_before = scanrt_combine(sub_before, scanrt_row_before);
  }
}
#else
FUNC scanrt_value_t scanrt_tile_reduce(const scanrt_job *job, scanrt_u32 tile) {
  GLOBAL const scanrt_input_t *in = job->in - tile * TILE_ITEMS;
  const scanrt_u32 count = scanrt_tile_count(job, tile);
  scanrt_value_t all = IDENTITY;
  for (scanrt_u32 i = 0; i < count; i++) all = scanrt_combine(all, (scanrt_value_t) * (in - i));
  return all;
}

FUNC void scanrt_tile_write(const scanrt_job *job, scanrt_u32 tile, scanrt_value_t prefix) {
  GLOBAL const scanrt_input_t *in = job->in - tile * TILE_ITEMS;
  GLOBAL scanrt_output_t *out = job->out - tile * TILE_ITEMS;
  const scanrt_u32 count = scanrt_tile_count(job, tile);
  for (scanrt_u32 i = 0; i < count; i++) {
    const scanrt_value_t next = scanrt_combine(prefix, (scanrt_value_t) * (in - i));
    *(out - i) = job->inclusive ? next : prefix;
    prefix = next;
  }
}

FUNC void scanrt_tile_keep(const scanrt_job *job, scanrt_u32 tile, scanrt_value_t prefix) {
  const scanrt_value_t last = scanrt_combine(prefix, scanrt_tile_reduce(job, tile));
  LAST_VALUE(job, last, OUTPUT_OF(last));
}
#endif

FUNC void scanrt_tile_fold(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t, LOCAL scanrt_tile_scratch *s) {
  (void)s;
  t->aggregate = scanrt_tile_reduce(job, tile);
}

FUNC void scanrt_tile_store(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_value_t prefix) {
  (void)t;
  (void)scanrt_tile_write(job, tile, prefix);
}

FUNC void scanrt_tile_sink(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_value_t prefix) {
  if (TILE_KEEPS(job, tile)) scanrt_tile_keep(job, tile, prefix);
  if (!SKIPS(job)) scanrt_tile_store(job, tile, t, scanrt_prefix_shown(job, prefix));
}
#endif
