/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts runs of keys in the registers of a warp's lanes, eight keys a lane, by bitonic merges (Batcher, 1968). The
 * first step of a merge compares mirrored places, so that all runs ascend. RUN_SORTER makes the functions for a form T
 * of a key: LESS(a, b) compares two, XOR(x, mask) is the x of another lane. */
#ifndef SCANRT_CL_SORT_NETWORK_H
#define SCANRT_CL_SORT_NETWORK_H

#include "lib/dialect.h"

#define RUN_ITEM_KEYS 8u
#define RUN_MOST (32 * RUN_ITEM_KEYS)

#define RUN_FUNCTION(name, what) name##_##what

/* name_pair puts the lesser one of two keys first. name_pairs does so for a lane's keys whose places differ by `mask`,
 * whose highest bit is `highest`. name_sort sorts the keys of each `lanes` neighbouring lanes, 1, 2, 4, ... 32; all
 * lanes of a warp call it. */
#define RUN_SORTER(name, T, LESS, XOR)                                                                                 \
  FUNC void RUN_FUNCTION(name, pair)(T * low, T * high) {                                                              \
    const T a = *low, b = *high;                                                                                       \
    const scanrt_u32 turns = LESS(b, a);                                                                               \
    *low = turns ? b : a;                                                                                              \
    *high = turns ? a : b;                                                                                             \
  }                                                                                                                    \
  FUNC void RUN_FUNCTION(name, pairs)(T * x, scanrt_u32 mask, scanrt_u32 highest) {                                    \
    UNROLL                                                                                                             \
    for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++)                                                                     \
      if ((u & highest) == 0) RUN_FUNCTION(name, pair)(&x[u], &x[u ^ mask]);                                           \
  }                                                                                                                    \
  FUNC void RUN_FUNCTION(name, lane_merge)(T * x) {                                                                    \
    RUN_FUNCTION(name, pairs)(x, 4, 4);                                                                                \
    RUN_FUNCTION(name, pairs)(x, 2, 2);                                                                                \
    RUN_FUNCTION(name, pairs)(x, 1, 1);                                                                                \
  }                                                                                                                    \
  FUNC void RUN_FUNCTION(name, lane_sort)(T * x) {                                                                     \
    RUN_FUNCTION(name, pairs)(x, 1, 1);                                                                                \
    RUN_FUNCTION(name, pairs)(x, 3, 2);                                                                                \
    RUN_FUNCTION(name, pairs)(x, 1, 1);                                                                                \
    RUN_FUNCTION(name, pairs)(x, 7, 4);                                                                                \
    RUN_FUNCTION(name, pairs)(x, 2, 2);                                                                                \
    RUN_FUNCTION(name, pairs)(x, 1, 1);                                                                                \
  }                                                                                                                    \
  FUNC T RUN_FUNCTION(name, choose)(T own, T other, scanrt_u32 is_low) {                                               \
    return (LESS(other, own) != 0) == (is_low != 0) ? other : own;                                                     \
  }                                                                                                                    \
  FUNC void RUN_FUNCTION(name, sort)(T * x, scanrt_u32 lane, scanrt_u32 lanes) {                                       \
    RUN_FUNCTION(name, lane_sort)(x);                                                                                  \
    NO_UNROLL                                                                                                          \
    for (scanrt_u32 width = 2; width <= lanes; width *= 2) {                                                           \
      const scanrt_u32 is_low = (lane & (width / 2)) == 0;                                                             \
      UNROLL                                                                                                           \
      for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS / 2; u++) {                                                             \
        const scanrt_u32 v = RUN_ITEM_KEYS - 1 - u;                                                                    \
        const T to_low = XOR(x[v], width - 1), to_high = XOR(x[u], width - 1);                                         \
        x[u] = RUN_FUNCTION(name, choose)(x[u], to_low, is_low);                                                       \
        x[v] = RUN_FUNCTION(name, choose)(x[v], to_high, is_low);                                                      \
      }                                                                                                                \
      NO_UNROLL                                                                                                        \
      for (scanrt_u32 d = width / 4; d > 0; d /= 2) {                                                                  \
        UNROLL                                                                                                         \
        for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++)                                                                 \
          x[u] = RUN_FUNCTION(name, choose)(x[u], XOR(x[u], d), (lane & d) == 0);                                      \
      }                                                                                                                \
      RUN_FUNCTION(name, lane_merge)(x);                                                                               \
    }                                                                                                                  \
  }
#endif
