/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts ROW_LANES columns of integers at once by one work-item: a row is a vector with an integer of each column.
 * Blocks of ROWS_BLOCK rows are sorted in registers by odd-even merges, and blocks are merged by bitonic merges (both
 * Batcher, 1968), whose first step compares mirrored rows, so that all runs ascend. No branch depends on the integers.
 */
#ifndef SCANRT_CL_SORT_ROWS_H
#define SCANRT_CL_SORT_ROWS_H

#include "sort/sort_ranges_keys.h"

/* Keys that have values are sorted with their numbers, which makes the sort stable: the number is in the lower half of
 * the integer, or beside a key of 8 bytes. */
#define ROW_HAS_NUMBERS (HAS_VALUES && KEY_BYTES == 8)
#if HAS_VALUES || KEY_BYTES == 8
#define ROW_LANES 8u
typedef scanrt_u64 scanrt_lane;
typedef ulong8 scanrt_lanes;
#else
#define ROW_LANES 16u
typedef scanrt_u32 scanrt_lane;
typedef uint16 scanrt_lanes;
#endif
#define LANE_ALL ((scanrt_lane) ~(scanrt_lane)0)

#define ROWS_BLOCK 16u
typedef struct scanrt_rows {
  scanrt_lanes rank[ROWS_BLOCK];
#if ROW_HAS_NUMBERS
  scanrt_lanes number[ROWS_BLOCK];
#endif
} scanrt_rows;

/* Moves the lesser integer of each lane to row a of `low`, and the other one to row b of `high`. */
FUNC void scanrt_rows_pair(scanrt_rows *low, scanrt_u32 a, scanrt_rows *high, scanrt_u32 b) {
  const scanrt_lanes x = low->rank[a], y = high->rank[b];
#if ROW_HAS_NUMBERS
  const scanrt_lanes m = low->number[a], n = high->number[b];
  const long8 is_above = (x > y) | ((x == y) & (m > n));
  low->rank[a] = select(x, y, is_above);
  high->rank[b] = select(y, x, is_above);
  low->number[a] = select(m, n, is_above);
  high->number[b] = select(n, m, is_above);
#else
  low->rank[a] = min(x, y);
  high->rank[b] = max(x, y);
#endif
}

/* Orders the pairs of rows `distance` apart, in a step of an odd-even merge to runs of 2 * width rows. */
FUNC void scanrt_rows_step(scanrt_rows *rows, scanrt_u32 width, scanrt_u32 distance) {
  UNROLL
  for (scanrt_u32 u = 0; u + distance < ROWS_BLOCK; u++) {
    const scanrt_u32 v = u + distance;
    if (distance == width ? (u & distance) == 0 : (u & distance) != 0 && ((u ^ v) & 2 * width) == 0)
      scanrt_rows_pair(rows, u, rows, v);
  }
}

FUNC void scanrt_rows_sort_block(scanrt_rows *memory) {
  scanrt_rows rows = *memory;
  scanrt_rows_step(&rows, 1, 1);
  scanrt_rows_step(&rows, 2, 2);
  scanrt_rows_step(&rows, 2, 1);
  scanrt_rows_step(&rows, 4, 4);
  scanrt_rows_step(&rows, 4, 2);
  scanrt_rows_step(&rows, 4, 1);
  scanrt_rows_step(&rows, 8, 8);
  scanrt_rows_step(&rows, 8, 4);
  scanrt_rows_step(&rows, 8, 2);
  scanrt_rows_step(&rows, 8, 1);
  *memory = rows;
}

/* Sorts a block whose columns are bitonic. */
FUNC void scanrt_rows_merge_block(scanrt_rows *memory) {
  scanrt_rows rows = *memory;
  UNROLL
  for (scanrt_u32 distance = ROWS_BLOCK / 2; distance > 0; distance /= 2) {
    UNROLL
    for (scanrt_u32 u = 0; u < ROWS_BLOCK; u++)
      if ((u & distance) == 0) scanrt_rows_pair(&rows, u, &rows, u | distance);
  }
  *memory = rows;
}

/* Sorts the columns of `blocks` blocks. Missing blocks up to a power of two are ones of the largest integers. */
FUNC_CALLED void scanrt_rows_sort(scanrt_rows *block, scanrt_u32 blocks) {
  for (scanrt_u32 b = 0; b < blocks; b++) scanrt_rows_sort_block(&block[b]);
  for (scanrt_u32 width = 1; width < blocks; width *= 2) {
    for (scanrt_u32 i = 0; i < blocks; i++) {
      const scanrt_u32 mirrored = i ^ (2 * width - 1);
      if ((i & width) == 0 && mirrored < blocks)
        for (scanrt_u32 r = 0; r < ROWS_BLOCK; r++)
          scanrt_rows_pair(&block[i], r, &block[mirrored], ROWS_BLOCK - 1 - r);
    }
    for (scanrt_u32 distance = width / 2; distance > 0; distance /= 2)
      for (scanrt_u32 i = 0; i + distance < blocks; i++)
        if ((i & distance) == 0)
          for (scanrt_u32 r = 0; r < ROWS_BLOCK; r++) scanrt_rows_pair(&block[i], r, &block[i + distance], r);
    for (scanrt_u32 b = 0; b < blocks; b++) scanrt_rows_merge_block(&block[b]);
  }
}

/* Exchanges rows and columns of ROW_LANES rows. */
FUNC void scanrt_rows_transpose(scanrt_lanes *rows) {
  scanrt_lanes x[ROW_LANES], y[ROW_LANES];
  UNROLL
  for (scanrt_u32 i = 0; i < ROW_LANES; i++) x[i] = rows[i];
  UNROLL
  for (scanrt_u32 round = 1; round < ROW_LANES; round *= 2) {
    UNROLL
    for (scanrt_u32 i = 0; i < ROW_LANES / 2; i++) {
      y[2 * i].even = x[i].lo;
      y[2 * i].odd = x[i + ROW_LANES / 2].lo;
      y[2 * i + 1].even = x[i].hi;
      y[2 * i + 1].odd = x[i + ROW_LANES / 2].hi;
    }
    UNROLL
    for (scanrt_u32 i = 0; i < ROW_LANES; i++) x[i] = y[i];
  }
  UNROLL
  for (scanrt_u32 i = 0; i < ROW_LANES; i++) rows[i] = x[i];
}
#endif
