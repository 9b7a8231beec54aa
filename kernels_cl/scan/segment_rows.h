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
#endif
