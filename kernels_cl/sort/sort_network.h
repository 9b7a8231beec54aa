/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts 32-bit words in the registers of a warp's lanes, RUN_ITEM_KEYS words a lane. A lane sorts its own words by
 * odd-even merges; lanes merge theirs by bitonic merges (both Batcher, 1968). The first step of a bitonic merge
 * compares mirrored places, so that all runs ascend. */
#ifndef SCANRT_CL_SORT_NETWORK_H
#define SCANRT_CL_SORT_NETWORK_H

#include "lib/dialect.h"

#ifndef RUN_ITEM_KEYS
#define RUN_ITEM_KEYS 8u /* 8 or 16 */
#endif
#define RUN_MOST (32 * RUN_ITEM_KEYS)

/* Puts the lesser one of two words first. */
FUNC void scanrt_words_pair(scanrt_u32 *low, scanrt_u32 *high) {
  const scanrt_u32 a = *low, b = *high;
  *low = b < a ? b : a;
  *high = b < a ? a : b;
}

/* Orders the pairs of places `distance` apart, in a step of an odd-even merge to runs of 2 * width words. Places from
 * `count` on hold no words. */
FUNC void scanrt_words_step(scanrt_u32 *x, scanrt_u32 count, scanrt_u32 width, scanrt_u32 distance) {
  UNROLL
  for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++) {
    const scanrt_u32 v = u + distance;
    const scanrt_u32 is_low =
        distance == width ? (u & distance) == 0 : (u & distance) != 0 && ((u ^ v) & 2 * width) == 0;
    if (v < count && is_low) scanrt_words_pair(&x[u], &x[v < RUN_ITEM_KEYS ? v : 0]);
  }
}

/* Sorts the first `count` of a lane's words. */
FUNC void scanrt_words_lane_sort(scanrt_u32 *x, scanrt_u32 count) {
  scanrt_words_step(x, count, 1, 1);
  scanrt_words_step(x, count, 2, 2);
  scanrt_words_step(x, count, 2, 1);
  if (count > 4) {
    scanrt_words_step(x, count, 4, 4);
    scanrt_words_step(x, count, 4, 2);
    scanrt_words_step(x, count, 4, 1);
  }
  if (count > 8) {
    scanrt_words_step(x, count, 8, 8);
    scanrt_words_step(x, count, 8, 4);
    scanrt_words_step(x, count, 8, 2);
    scanrt_words_step(x, count, 8, 1);
  }
}

/* Sorts a lane's words, which are bitonic. */
FUNC void scanrt_words_lane_merge(scanrt_u32 *x) {
  UNROLL
  for (scanrt_u32 distance = RUN_ITEM_KEYS / 2; distance > 0; distance /= 2) {
    UNROLL
    for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++)
      if ((u & distance) == 0) scanrt_words_pair(&x[u], &x[u | distance]);
  }
}

/* Returns the lesser one of two words if `is_low`, else the greater one. */
FUNC scanrt_u32 scanrt_words_choose(scanrt_u32 own, scanrt_u32 other, scanrt_u32 is_low) {
  return (other < own) == (is_low != 0) ? other : own;
}

/* Sorts the words of each `lanes` neighbouring lanes, 1, 2, 4, ... 32; all lanes of a warp call it. If `lanes` is 1,
 * the words are the first `count` of a lane. */
FUNC void scanrt_words_sort(scanrt_u32 *x, scanrt_u32 count, scanrt_u32 lane, scanrt_u32 lanes) {
  scanrt_words_lane_sort(x, count);
  NO_UNROLL
  for (scanrt_u32 width = 2; width <= lanes; width *= 2) {
    const scanrt_u32 is_low = (lane & (width / 2)) == 0;
    UNROLL
    for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS / 2; u++) {
      const scanrt_u32 v = RUN_ITEM_KEYS - 1 - u;
      const scanrt_u32 to_low = scanrt_shuffle_xor_u32(x[v], width - 1),
                       to_high = scanrt_shuffle_xor_u32(x[u], width - 1);
      x[u] = scanrt_words_choose(x[u], to_low, is_low);
      x[v] = scanrt_words_choose(x[v], to_high, is_low);
    }
    NO_UNROLL
    for (scanrt_u32 d = width / 4; d > 0; d /= 2) {
      UNROLL
      for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++)
        x[u] = scanrt_words_choose(x[u], scanrt_shuffle_xor_u32(x[u], d), (lane & d) == 0);
    }
    scanrt_words_lane_merge(x);
  }
}
#endif
