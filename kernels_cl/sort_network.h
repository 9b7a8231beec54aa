/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of keys in the registers of a warp's lanes, each of which has eight: in order by bitonic merges whose first step
 * compares mirrored places, so that all of it ascends (Batcher, 1968). RUN_SORTER makes the functions for a form T that
 * a key has there: LESS(a, b) tells the order of two, XOR(x, mask) is the x of another lane. */
#ifndef SCANRT_CL_SORT_NETWORK_H
#define SCANRT_CL_SORT_NETWORK_H

#include "dialect.h"

#define RUN_ITEM_KEYS 8u
#define RUN_MOST (32 * RUN_ITEM_KEYS)

#define RUN_FUNCTION(name, what) name##_##what

/* name_pair: of two keys the lesser goes first. name_pairs: of a lane's keys those whose places differ by `mask`, up to
 * its highest bit. name_sort: the keys of `lanes` lanes, 1, 2, 4, ... 32, one beside the other; all lanes of a warp do
 * this. */
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
