/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by look-back: keys as unsigned integers of their order, and values. The first pass turns keys into these
 * integers, and the last one turns them back. Keys of the numeric order stay unchanged, since no integer of that order
 * says which NaN or zero a key is. SCAN_TYPE is the unsigned integer that keys are read as; SCAN_IN_TYPE is that of
 * values, of 4 or 8 bytes, or of 1 if there are none. */
#ifndef SCANRT_CL_SORT_LOOK_KEYS_H
#define SCANRT_CL_SORT_LOOK_KEYS_H

#include "sort/sort_ranks.h"

#if SCAN_GROUP_ITEMS < 256 || SCAN_GROUP_ITEMS % 32 != 0
#error "a work-group has a work-item for each digit, and whole warps"
#endif

#if SCAN_IN_TYPE == 8
#define VALUE_BYTES 8
typedef scanrt_u64 scanrt_sort_value;
#elif SCAN_IN_TYPE == 6
#define VALUE_BYTES 4
typedef scanrt_u32 scanrt_sort_value;
#elif SCAN_IN_TYPE == 2
#define VALUE_BYTES 0
typedef scanrt_u32 scanrt_sort_value;
#else
#error "values are 4 or 8 bytes, or not there"
#endif

#define LOOK_KEYS ((scanrt_u32)SORT_LOOK_KEYS(KEY_BYTES, VALUE_BYTES))
#define LOOK_TILE (LOOK_KEYS * SCAN_GROUP_ITEMS)

/* ---- keys as unsigned integers of their order, and back ---- */

/* Swaps the two words of a key whose first word is the more significant one. `flipped` is the same for both words. */
FUNC KEY_T scanrt_sort_swap(KEY_T key, scanrt_sort_order order) {
#if KEY_BYTES == 8
  if (order.swap != 0) return SWAP_HALVES(key);
#endif
  return key;
}
/* Returns a key as an unsigned integer of its order. */
FUNC KEY_T scanrt_sort_flip(KEY_T key, scanrt_sort_order order) {
  const KEY_T is_negative = (KEY_T)(0 - (key >> (8 * KEY_BYTES - 1)));
  return scanrt_sort_swap((KEY_T)(key ^ order.flipped ^ (is_negative & order.negative)), order);
}
/* Inverts scanrt_sort_flip. */
FUNC KEY_T scanrt_sort_flip_back(KEY_T key, scanrt_sort_order order) {
  const KEY_T flipped = (KEY_T)(key ^ order.flipped), is_negative = (KEY_T)(0 - (flipped >> (8 * KEY_BYTES - 1)));
  return scanrt_sort_swap((KEY_T)(flipped ^ (is_negative & order.negative)), order);
}
#ifdef SORT_NUMERIC_KEYS
#define LOOK_BITS(key) scanrt_sort_ordered((key), order)
#define LOOK_IS_FLIPPED(order) 0
#define LOOK_PAD scanrt_sort_last(order)
#else
#define LOOK_BITS(key) (key)
#define LOOK_IS_FLIPPED(order) (((order).flipped | (order).negative) != 0 || (order).swap != 0)
#define LOOK_PAD KEY_ALL
#endif
#define LOOK_DIGIT(key) ((scanrt_u32)(LOOK_BITS(key) >> order.shift) & order.mask)

/* Returns the order for keys that scanrt_sort_flip has flipped. */
FUNC scanrt_sort_order scanrt_sort_look_order(scanrt_u32 flags, scanrt_u32 first_bit, scanrt_u32 end_bit,
                                              scanrt_u32 pass) {
  scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, pass);
  order.shift ^= order.mask != 0 ? order.swap : 0;
  return order;
}

/* Counts a key's digits of all passes. A digit has `copies` counters, for different lanes; `copy` is the lane's. */
FUNC void scanrt_sort_count_key(LOCAL scanrt_u32 *counter, KEY_T key, scanrt_sort_order order, const scanrt_u32 *shift,
                                const scanrt_u32 *mask, scanrt_u32 passes, scanrt_u32 copies, scanrt_u32 copy) {
#ifdef SORT_NUMERIC_KEYS
  const KEY_T flipped = scanrt_sort_ordered(key, order);
#else
  const KEY_T flipped = scanrt_sort_flip(key, order);
#endif
  UNROLL
  for (scanrt_u32 p = 0; p < KEY_PASSES; p++) {
    if (p >= passes) break;
    const scanrt_u32 digit = (scanrt_u32)(flipped >> shift[p]) & mask[p];
    ATOMIC_INC_LOCAL(&counter[(p * SORT_DIGITS + digit) * copies + copy]);
  }
}
#endif
