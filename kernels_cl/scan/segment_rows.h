/* SPDX-License-Identifier: BSD-2-Clause */
/* The recursive doubling of rows that segments cut, by shuffles. All values exist. */
#ifndef SCANRT_CL_SEGMENT_ROWS_H
#define SCANRT_CL_SEGMENT_ROWS_H

#include "scan/scan_tile.h"

/* The recursive doubling of a row; `lanes` has a bit for each lane in whose vector a segment begins. */
FUNC scanrt_bare_t scanrt_cut_doubling(scanrt_bare_t x, scanrt_u32 lanes) {
#if defined(SHUFFLE_BELOW) && VALUE_WORDS == 1
  const scanrt_u32 lane = ITEM() % 32, first = LAST_BIT((lanes & (0xffffffffu >> (31 - lane))) | 1u);
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) {
    scanrt_u32 is_there;
    scanrt_value_words y = scanrt_words_of(x);
    y.word[0] = SHUFFLE_BELOW(y.word[0], d, first, &is_there);
    if (is_there) x = SCAN_SOURCE_COMBINE(y.v, x);
  }
  return x;
#else
  return scanrt_bare_doubling(x, scanrt_segment_reach(lanes));
#endif
}

/* Rows that are scanned at once. */
#define ROWS_AT_ONCE 2

/* The recursive doubling of ROWS_AT_ONCE rows, as scanrt_cut_doubling. */
FUNC void scanrt_cut_doublings(scanrt_bare_t *x, const scanrt_u32 *lanes) {
#if defined(SHUFFLE_BELOW) && VALUE_WORDS == 1
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_u32 first[ROWS_AT_ONCE];
  UNROLL
  for (scanrt_u32 j = 0; j < ROWS_AT_ONCE; j++) first[j] = LAST_BIT((lanes[j] & (0xffffffffu >> (31 - lane))) | 1u);
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) {
    UNROLL
    for (scanrt_u32 j = 0; j < ROWS_AT_ONCE; j++) {
      scanrt_u32 is_there;
      scanrt_value_words y = scanrt_words_of(x[j]);
      y.word[0] = SHUFFLE_BELOW(y.word[0], d, first[j], &is_there);
      if (is_there) x[j] = SCAN_SOURCE_COMBINE(y.v, x[j]);
    }
  }
#else
  UNROLL
  for (scanrt_u32 j = 0; j < ROWS_AT_ONCE; j++) x[j] = scanrt_bare_doubling(x[j], scanrt_segment_reach(lanes[j]));
#endif
}

/* The step of scanrt_trees_step, for bare values. */
FUNC void scanrt_bare_trees_step(scanrt_bare_t *x, scanrt_u32 kept, scanrt_u32 d) {
  const scanrt_u32 swapped = ITEM() % 32 & d;
  UNROLL
  for (scanrt_u32 i = 0; i < kept; i++) {
    const scanrt_bare_t keep = scanrt_bare_select(swapped, x[i + kept], x[i]),
                        give = scanrt_bare_select(swapped, x[i], x[i + kept]);
    const scanrt_bare_t other = scanrt_bare_shuffle_xor(give, d);
    x[i] = SCAN_SOURCE_COMBINE(scanrt_bare_select(swapped, other, keep), scanrt_bare_select(swapped, keep, other));
  }
}

FUNC scanrt_bare_t scanrt_bare_tree_step(scanrt_bare_t x, scanrt_u32 d) {
  const scanrt_u32 swapped = ITEM() % 32 & d;
  const scanrt_bare_t other = scanrt_bare_shuffle_xor(x, d);
  return SCAN_SOURCE_COMBINE(scanrt_bare_select(swapped, other, x), scanrt_bare_select(swapped, x, other));
}

/* Returns the totals of 8 rows that no segment cuts: that of row r in each lane whose last three digits are those of
 * scanrt_tree_lane(r, 8); x is overwritten. */
FUNC scanrt_bare_t scanrt_bare_trees(scanrt_bare_t *x) {
  scanrt_bare_trees_step(x, 4, 1);
  scanrt_bare_trees_step(x, 2, 2);
  scanrt_bare_trees_step(x, 1, 4);
  return scanrt_bare_tree_step(scanrt_bare_tree_step(x[0], 8), 16);
}
#endif
