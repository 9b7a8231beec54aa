/* SPDX-License-Identifier: BSD-2-Clause */
/* A row, which has a value in each of 32 lanes, and the trees of several rows at once, by shuffles. Included by
 * tile_group.h. */
#ifndef SCANRT_CL_ROW_TREES_H
#define SCANRT_CL_ROW_TREES_H

/* Returns what precedes each vector of a row; in the first lane, the vector itself. Sets *total to the row's total.
 * `whole` is 1 if all vectors exist. */
FUNC scanrt_value_t scanrt_row_doubling(scanrt_value_t x, scanrt_value_t *total, scanrt_u32 whole) {
  const scanrt_u32 lane = ITEM() % 32;
  (void)whole;
#ifdef ROW_DOUBLING
  if (whole) return ROW_DOUBLING(x, total);
#endif
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) {
    const scanrt_value_t y = WHOLE_SHUFFLE(scanrt_shuffle_up, x, d, whole);
    x = COMBINE_WHERE(lane >= d, y, x, whole);
  }
  const scanrt_value_t y = WHOLE_SHUFFLE(scanrt_shuffle_up, x, 1, whole);
  *total = WHOLE_SHUFFLE(scanrt_shuffle_from, x, 31, whole);
  return y;
}

/* Returns the exclusive prefixes of a row's vectors; sets *total to the row's total. */
FUNC scanrt_value_t scanrt_row_scan(scanrt_value_t x, scanrt_value_t *total, scanrt_u32 whole) {
  const scanrt_value_t y = scanrt_row_doubling(x, total, whole);
  return ITEM() % 32 ? y : IDENTITY;
}

/* Returns what precedes each vector of a row when `run` precedes the row; sets *total to the row's own total. */
FUNC scanrt_value_t scanrt_row_scan_after(scanrt_value_t run, scanrt_value_t x, scanrt_value_t *total,
                                          scanrt_u32 whole) {
  const scanrt_value_t y = scanrt_row_doubling(x, total, whole);
  return ROW_BEFORE(run, y, ITEM() % 32, whole);
}

/* Returns the total of a row in the first lane, by the balanced tree of the last lane of scanrt_row_scan. */
FUNC scanrt_value_t scanrt_row_total(scanrt_value_t x, scanrt_u32 whole) {
  (void)whole;
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) x = TREE_STEP(x, d, whole);
  return x;
}

/* One step of scanrt_trees_fold: each lane keeps `kept` of twice as many rows. */
FUNC void scanrt_trees_step(scanrt_value_t *x, scanrt_u32 kept, scanrt_u32 d, scanrt_u32 whole) {
  const scanrt_u32 lane = ITEM() % 32;
  (void)whole;
  UNROLL
  for (scanrt_u32 i = 0; i < kept; i++) {
    const scanrt_value_t keep = VALUE_SELECT(lane & d, x[i + kept], x[i]),
                         give = VALUE_SELECT(lane & d, x[i], x[i + kept]);
    const scanrt_value_t other = WHOLE_SHUFFLE(scanrt_shuffle_xor, give, d, whole);
    x[i] = COMBINE_SWAPPED(lane & d, keep, other);
  }
}

/* Folds the trees over `rows` rows, 4 or 8, at once: each step halves the rows that a lane keeps, so that eight trees
 * take 9 exchanges. The total of row r ends in x[0] of lane scanrt_tree_lane(r, rows); x is overwritten. For types from
 * source the steps are written out: if the operator is long, compilers keep a loop of steps, and the rows in memory. */
FUNC void scanrt_trees_fold(scanrt_value_t *x, scanrt_u32 rows, scanrt_u32 whole) {
  const scanrt_u32 lane = ITEM() % 32;
#if SCAN_TYPE == 0
  if (rows == 8) scanrt_trees_step(x, 4, 1, whole);
  scanrt_trees_step(x, 2, rows / 4, whole);
  scanrt_trees_step(x, 1, rows / 2, whole);
#else
  UNROLL
  for (scanrt_u32 kept = rows / 2, d = 1; kept > 0; kept >>= 1, d <<= 1) scanrt_trees_step(x, kept, d, whole);
#endif
  UNROLL
  for (scanrt_u32 d = rows; d < 32; d <<= 1) {
    const scanrt_value_t other = WHOLE_SHUFFLE(scanrt_shuffle_xor, x[0], d, whole);
    x[0] = COMBINE_SWAPPED(lane & d, x[0], other);
  }
}

/* Returns the lane of row r's total: the binary digits of r in reverse order. */
FUNC scanrt_u32 scanrt_tree_lane(scanrt_u32 r, scanrt_u32 rows) {
  scanrt_u32 lane = 0;
  UNROLL
  for (scanrt_u32 d = 1; d < rows; d <<= 1) lane |= r & d ? rows / 2 / d : 0;
  return lane;
}

/* Returns the total of a sub-tile held by a warp, in every lane; x is overwritten. */
FUNC scanrt_value_t scanrt_subtile_fold(scanrt_value_t x[SUBTILE_ROWS], scanrt_u32 whole) {
  scanrt_trees_fold(x, SUBTILE_ROWS, whole);
  scanrt_value_t sub = WHOLE_SHUFFLE(scanrt_shuffle_from, x[0], 0, whole);
  UNROLL
  for (scanrt_u32 r = 1; r < SUBTILE_ROWS; r++)
    sub = scanrt_combine(sub, WHOLE_SHUFFLE(scanrt_shuffle_from, x[0], scanrt_tree_lane(r, SUBTILE_ROWS), whole));
  return sub;
}
#endif
