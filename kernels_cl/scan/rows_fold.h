/* SPDX-License-Identifier: BSD-2-Clause */
/* Folds the rows of a sub-tile at once in registers of 64 bytes, each with four canonical vectors, for floating-point
 * types on OpenCL's processors. Compilers split the registers where the processor has smaller ones. Each level of the
 * rows' trees combines two registers, which halves their number. */
#ifndef SCANRT_CL_ROWS_FOLD_H
#define SCANRT_CL_ROWS_FOLD_H

#include "lib/tile.h"

typedef WIDE_T scanrt_wide_t;

FUNC scanrt_wide_t scanrt_wide_combine(scanrt_wide_t a, scanrt_wide_t b) { return OP_ROW(REG_COMBINE_, SCAN_OP)(a, b); }

/* BY_LANES takes four of the eight lanes of a and b, BY_ITEMS the same items of each lane: of a's if the number is
 * below VEC_ITEMS, else of b's. */
#if VEC_ITEMS == 4
#define LANE(l) 4 * (l), 4 * (l) + 1, 4 * (l) + 2, 4 * (l) + 3
#define ITEM_AT(k, l) ((k) / 4 * 16 + (k) % 4 + 4 * (l))
#define ITEMS_AT(l, k0, k1, k2, k3) ITEM_AT(k0, l), ITEM_AT(k1, l), ITEM_AT(k2, l), ITEM_AT(k3, l)
#define EVEN_ITEMS 0, 2, 4, 6
#define ODD_ITEMS 1, 3, 5, 7
#else
#define LANE(l) 2 * (l), 2 * (l) + 1
#define ITEM_AT(k, l) ((k) / 2 * 8 + (k) % 2 + 2 * (l))
#define ITEMS_AT(l, k0, k1) ITEM_AT(k0, l), ITEM_AT(k1, l)
#define EVEN_ITEMS 0, 2
#define ODD_ITEMS 1, 3
#endif
#define BY_LANES(a, b, l0, l1, l2, l3) REG_SHUFFLE(a, b, LANE(l0), LANE(l1), LANE(l2), LANE(l3))
#define BY_ITEMS(a, b, ...)                                                                                            \
  REG_SHUFFLE(a, b, ITEMS_AT(0, __VA_ARGS__), ITEMS_AT(1, __VA_ARGS__), ITEMS_AT(2, __VA_ARGS__),                      \
              ITEMS_AT(3, __VA_ARGS__))

/* A level of trees: combines neighbouring lanes of a and of b, or neighbouring items of each lane. */
FUNC scanrt_wide_t scanrt_lanes_join(scanrt_wide_t a, scanrt_wide_t b) {
  return scanrt_wide_combine(BY_LANES(a, b, 0, 2, 4, 6), BY_LANES(a, b, 1, 3, 5, 7));
}

FUNC scanrt_wide_t scanrt_items_join(scanrt_wide_t a, scanrt_wide_t b) {
  return scanrt_wide_combine(BY_ITEMS(a, b, EVEN_ITEMS), BY_ITEMS(a, b, ODD_ITEMS));
}

/* Folds the vectors of VEC_ITEMS registers. Item i of lane l is vector 4 * i + l. */
FUNC scanrt_wide_t scanrt_wide_fold(GLOBAL const scanrt_value_t *in) {
  const scanrt_wide_t a = WIDE_LOAD(in), b = WIDE_LOAD(in + WIDE_ITEMS);
#if VEC_ITEMS == 4
  const scanrt_wide_t c = WIDE_LOAD(in + 2 * WIDE_ITEMS), d = WIDE_LOAD(in + 3 * WIDE_ITEMS);
  const scanrt_wide_t ab_low = BY_ITEMS(a, b, 0, 4, 1, 5), ab_high = BY_ITEMS(a, b, 2, 6, 3, 7);
  const scanrt_wide_t cd_low = BY_ITEMS(c, d, 0, 4, 1, 5), cd_high = BY_ITEMS(c, d, 2, 6, 3, 7);
  scanrt_wide_t sum = BY_ITEMS(ab_low, cd_low, 0, 1, 4, 5);
  sum = scanrt_wide_combine(sum, BY_ITEMS(ab_low, cd_low, 2, 3, 6, 7));
  sum = scanrt_wide_combine(sum, BY_ITEMS(ab_high, cd_high, 0, 1, 4, 5));
  return scanrt_wide_combine(sum, BY_ITEMS(ab_high, cd_high, 2, 3, 6, 7));
#else
  return scanrt_wide_combine(BY_ITEMS(a, b, 0, 2), BY_ITEMS(a, b, 1, 3));
#endif
}

#define FOLD_ITEMS (VEC_ITEMS * WIDE_ITEMS) /* items of a fold of vectors */

#if VEC_ITEMS == 4
/* Folds the fours of vectors of two rows: row r has lanes 2r and 2r + 1, in order. */
FUNC scanrt_wide_t scanrt_rows_fours(GLOBAL const scanrt_value_t *row, GLOBAL const scanrt_value_t *next) {
  return scanrt_lanes_join(scanrt_lanes_join(scanrt_wide_fold(row), scanrt_wide_fold(row + FOLD_ITEMS)),
                           scanrt_lanes_join(scanrt_wide_fold(next), scanrt_wide_fold(next + FOLD_ITEMS)));
}
#define ROW_TOTAL_AT(r) ((r) % 2 * 4 + (r) / 2)
#else
FUNC scanrt_wide_t scanrt_row_fours(GLOBAL const scanrt_value_t *row) {
  return scanrt_lanes_join(
      scanrt_lanes_join(scanrt_wide_fold(row), scanrt_wide_fold(row + FOLD_ITEMS)),
      scanrt_lanes_join(scanrt_wide_fold(row + 2 * FOLD_ITEMS), scanrt_wide_fold(row + 3 * FOLD_ITEMS)));
}

/* Folds the eights of vectors of two rows: item r of each lane, in order. */
FUNC scanrt_wide_t scanrt_rows_eights(GLOBAL const scanrt_value_t *row, GLOBAL const scanrt_value_t *next) {
  return scanrt_items_join(scanrt_row_fours(row), scanrt_row_fours(next));
}
#define ROW_TOTAL_AT(r) (r)
#endif

/* Folds whole rows of a sub-tile left to right. Rows that are not there are read as the first one and left out. */
FUNC_CALLED scanrt_value_t scanrt_rows_reduce(const scanrt_job *job, scanrt_u64 first, scanrt_u32 rows) {
  GLOBAL const scanrt_value_t *row[SUBTILE_ROWS];
  scanrt_value_t total[WIDE_ITEMS], all = IDENTITY;
  if (rows == 0) return all;
  UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) row[r] = job->in + first + (r < rows ? r : 0) * ROW_ITEMS;
#if VEC_ITEMS == 4
  const scanrt_wide_t a = scanrt_items_join(scanrt_rows_fours(row[0], row[1]), scanrt_rows_fours(row[2], row[3]));
  const scanrt_wide_t b = scanrt_items_join(scanrt_rows_fours(row[4], row[5]), scanrt_rows_fours(row[6], row[7]));
  const scanrt_wide_t halves = scanrt_items_join(a, b);
  WIDE_STORE_PRIVATE(total, scanrt_lanes_join(halves, halves));
#else
  const scanrt_wide_t a = scanrt_lanes_join(scanrt_rows_eights(row[0], row[1]), scanrt_rows_eights(row[2], row[3]));
  const scanrt_wide_t b = scanrt_lanes_join(scanrt_rows_eights(row[4], row[5]), scanrt_rows_eights(row[6], row[7]));
  WIDE_STORE_PRIVATE(total, scanrt_lanes_join(a, b));
#endif
  for (scanrt_u32 r = 0; r < rows; r++) all = scanrt_combine(all, total[ROW_TOTAL_AT(r)]);
  return all;
}
#endif
