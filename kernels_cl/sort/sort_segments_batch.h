/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by segments where work-groups have one work-item: ROW_LANES segments at once, each in a column
 * (sort_rows.h). */
#ifndef SCANRT_CL_SORT_SEGMENTS_BATCH_H
#define SCANRT_CL_SORT_SEGMENTS_BATCH_H

#include "sort/sort_ranges_part.h"
#include "sort/sort_rows.h"

/* The most keys of a segment that is sorted in a column. */
#define BATCH_BLOCKS (HAS_VALUES ? 32u : 64u)
#define BATCH_MOST (BATCH_BLOCKS * ROWS_BLOCK)
/* Up to so many rows, columns are sorted whatever part of them is keys; else at least half of them have to be. */
#define BATCH_ALWAYS 128

/* The memory of all keys and values, and where they go to. */
typedef struct scanrt_segment_ends {
  GLOBAL const KEY_T *in;
  GLOBAL KEY_T *out, *spare;
#if HAS_VALUES
  GLOBAL const scanrt_sort_value *values_in;
  GLOBAL scanrt_sort_value *values_out, *values_spare;
  scanrt_u32 makes_indices;
#endif
} scanrt_segment_ends;

/* Segments that are sorted together: a segment a column, where it begins and its keys. */
typedef struct scanrt_segment_batch {
  scanrt_rows block[BATCH_BLOCKS];
#if HAS_VALUES
  KEY_T key[ROW_LANES * BATCH_MOST];
  scanrt_sort_value value[ROW_LANES * BATCH_MOST];
#endif
  scanrt_u64 begin[ROW_LANES];
  scanrt_u32 items[ROW_LANES];
  scanrt_u32 count, rows; /* columns in use, and the most keys of one */
} scanrt_segment_batch;

/* Sorts a segment by digits. */
FUNC_CALLED void scanrt_segment_by_digits(scanrt_segment_ends ends, scanrt_u64 begin, scanrt_u32 items,
                                          scanrt_ranges_order order) {
  GLOBAL const KEY_T *keys = ends.in + begin;
  scanrt_ranges_part part;
  part.keys[0] = ends.out + begin;
  part.keys[1] = ends.spare + begin;
  part.n = items;
  part.at = 0;
  part.next = 1;
  for (scanrt_u32 i = 0; i < items; i++) part.keys[0][i] = RANGES_FLIP(keys[i], order);
#if HAS_VALUES
  part.values[0] = ends.values_out + begin;
  part.values[1] = ends.values_spare + begin;
  if (ends.makes_indices) {
    for (scanrt_u32 i = 0; i < items; i++) part.values[0][i] = (scanrt_sort_value)(begin + i);
  } else {
    RANGES_COPY(scanrt_sort_value, part.values[0], ends.values_in + begin, items)
  }
#endif
  scanrt_ranges_sort(&part, order);
}

/* Stores keys `first` to `first` + ROW_LANES - 1 of a segment as integers; missing ones are the largest integers. */
FUNC void scanrt_batch_load(scanrt_segment_batch *batch, scanrt_u32 lane, scanrt_u32 first, scanrt_lane *rank,
                            scanrt_lane *number, scanrt_segment_ends ends, scanrt_ranges_order order) {
  const scanrt_u32 items = batch->items[lane], at = lane * BATCH_MOST + first;
#if HAS_VALUES
  const KEY_T *keys = batch->key + at;
#else
  GLOBAL const KEY_T *keys = ends.in + batch->begin[lane] + first;
#endif
  for (scanrt_u32 i = 0; i < ROW_LANES; i++) {
    scanrt_lane own = LANE_ALL;
#if !HAS_VALUES
    if (first + i < items) own = RANGES_FLIP(keys[i], order);
#elif ROW_HAS_NUMBERS
    number[i] = first + i < items ? at + i : LANE_ALL;
    if (first + i < items) own = scanrt_ranges_bits(keys[i], order);
#else
    if (first + i < items) own = (scanrt_lane)scanrt_ranges_bits(keys[i], order) << 32 | (at + i);
#endif
    rank[i] = own;
  }
  (void)number, (void)at;
}

/* Writes keys `first` to `first` + ROW_LANES - 1 of a sorted segment. */
FUNC void scanrt_batch_store(const scanrt_segment_batch *batch, scanrt_u32 lane, scanrt_u32 first,
                             const scanrt_lane *rank, scanrt_segment_ends ends, scanrt_ranges_order order) {
  const scanrt_u32 items = batch->items[lane];
  GLOBAL KEY_T *keys = ends.out + batch->begin[lane] + first;
#if HAS_VALUES
  GLOBAL scanrt_sort_value *values = ends.values_out + batch->begin[lane] + first;
  for (scanrt_u32 i = 0; i < ROW_LANES; i++)
    if (first + i < items) {
      keys[i] = batch->key[(scanrt_u32)rank[i]];
      values[i] = batch->value[(scanrt_u32)rank[i]];
    }
#else
  for (scanrt_u32 i = 0; i < ROW_LANES; i++)
    if (first + i < items) keys[i] = RANGES_FLIP_BACK((KEY_T)rank[i], order);
#endif
}

/* The rows that ROW_LANES rows of a batch, from `row` on, are exchanged by: those of the numbers, if there are any. */
#if ROW_HAS_NUMBERS
#define BATCH_NUMBERS(batch, row) ((batch)->block[(row) / ROWS_BLOCK].number + (row) % ROWS_BLOCK)
#else
#define BATCH_NUMBERS(batch, row) BATCH_RANKS(batch, row)
#endif
#define BATCH_RANKS(batch, row) ((batch)->block[(row) / ROWS_BLOCK].rank + (row) % ROWS_BLOCK)

/* Sorts the columns of a batch. */
FUNC void scanrt_batch_by_rows(scanrt_segment_batch *batch, scanrt_segment_ends ends, scanrt_ranges_order order) {
  const scanrt_u32 blocks = (batch->rows + ROWS_BLOCK - 1) / ROWS_BLOCK;
#if HAS_VALUES
  for (scanrt_u32 lane = 0; lane < batch->count; lane++) {
    const scanrt_u64 begin = batch->begin[lane];
    const scanrt_u32 items = batch->items[lane];
    KEY_T *key = batch->key + lane * BATCH_MOST;
    scanrt_sort_value *value = batch->value + lane * BATCH_MOST;
    for (scanrt_u32 i = 0; i < items; i++) key[i] = ends.in[begin + i];
    if (ends.makes_indices) {
      for (scanrt_u32 i = 0; i < items; i++) value[i] = (scanrt_sort_value)(begin + i);
    } else {
      for (scanrt_u32 i = 0; i < items; i++) value[i] = ends.values_in[begin + i];
    }
  }
#endif
  for (scanrt_u32 row = 0; row < blocks * ROWS_BLOCK; row += ROW_LANES) {
    for (scanrt_u32 lane = 0; lane < ROW_LANES; lane++)
      scanrt_batch_load(batch, lane, row, (scanrt_lane *)(BATCH_RANKS(batch, row) + lane),
                        (scanrt_lane *)(BATCH_NUMBERS(batch, row) + lane), ends, order);
    scanrt_rows_transpose(BATCH_RANKS(batch, row));
    if (ROW_HAS_NUMBERS) scanrt_rows_transpose(BATCH_NUMBERS(batch, row));
  }
  scanrt_rows_sort(batch->block, blocks);
  for (scanrt_u32 row = 0; row < blocks * ROWS_BLOCK; row += ROW_LANES) {
    scanrt_rows_transpose(BATCH_NUMBERS(batch, row));
    for (scanrt_u32 lane = 0; lane < ROW_LANES; lane++)
      scanrt_batch_store(batch, lane, row, (const scanrt_lane *)(BATCH_NUMBERS(batch, row) + lane), ends, order);
  }
}

FUNC void scanrt_batch_clear(scanrt_segment_batch *batch) {
  for (scanrt_u32 lane = 0; lane < ROW_LANES; lane++) batch->items[lane] = 0;
  batch->count = batch->rows = 0;
}

/* Sorts the segments of a batch, and empties it. */
FUNC_CALLED void scanrt_batch_sort(scanrt_segment_batch *batch, scanrt_segment_ends ends, scanrt_ranges_order order) {
  scanrt_u32 keys = 0;
  for (scanrt_u32 lane = 0; lane < batch->count; lane++) keys += batch->items[lane];
  if (batch->rows <= BATCH_ALWAYS || 2 * keys >= batch->rows * ROW_LANES) {
    scanrt_batch_by_rows(batch, ends, order);
  } else {
    for (scanrt_u32 lane = 0; lane < batch->count; lane++)
      scanrt_segment_by_digits(ends, batch->begin[lane], batch->items[lane], order);
  }
  scanrt_batch_clear(batch);
}

/* Adds a segment of up to BATCH_MOST keys to a batch, which is sorted once it is full. */
FUNC void scanrt_batch_add(scanrt_segment_batch *batch, scanrt_u64 begin, scanrt_u32 items, scanrt_segment_ends ends,
                           scanrt_ranges_order order) {
  batch->begin[batch->count] = begin;
  batch->items[batch->count] = items;
  batch->rows = items > batch->rows ? items : batch->rows;
  if (++batch->count == ROW_LANES) scanrt_batch_sort(batch, ends, order);
}
#endif
