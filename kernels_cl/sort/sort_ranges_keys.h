/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by ranges: values, the order of keys, and loops over consecutive keys. SCAN_TYPE is the unsigned integer that
 * keys are read as; SCAN_IN_TYPE is that of values, of 4 or 8 bytes, or of 1 if there are none. */
#ifndef SCANRT_CL_SORT_RANGES_KEYS_H
#define SCANRT_CL_SORT_RANGES_KEYS_H

#include "sort/sort_keys.h"
#include "sort/sort_ranges.h"

#if SCAN_GROUP_ITEMS != 1
#error "a work-group has one work-item"
#endif
#if SCAN_IN_TYPE == 8
#define HAS_VALUES 1
typedef scanrt_u64 scanrt_sort_value;
#elif SCAN_IN_TYPE == 6
#define HAS_VALUES 1
typedef scanrt_u32 scanrt_sort_value;
#elif SCAN_IN_TYPE == 2
#define HAS_VALUES 0
typedef scanrt_u8 scanrt_sort_value;
#else
#error "values are 4 or 8 bytes, or not there"
#endif

/* Keys that a loop looks at before it decides whether to go on. */
#define RANGES_BLOCK 512

/* ---- the order ---- */

/* `mask` has the bits that are sorted by, and `bits` the same from bit 0 on. `swapped` has the bits of a word if the
 * words of keys are exchanged. */
typedef struct scanrt_ranges_order {
  scanrt_sort_order of;
  KEY_T bits, mask, swapped;
  scanrt_u32 first_bit;
  scanrt_u32 is_exact; /* 1: keys that compare equal have the same bits */
} scanrt_ranges_order;

FUNC scanrt_ranges_order scanrt_ranges_order_of(scanrt_u32 flags, scanrt_u32 first_bit, scanrt_u32 end_bit) {
  scanrt_ranges_order order;
  order.of = scanrt_sort_order_of(flags, first_bit, end_bit, 0);
  order.bits = (KEY_T)(KEY_ALL >> (8 * KEY_BYTES - (end_bit - first_bit)));
  order.mask = (KEY_T)(order.bits << first_bit);
  order.swapped = order.of.swap != 0 ? (KEY_T)0xffffffffu : 0;
  order.first_bit = first_bit;
  order.is_exact = !SORT_IS_NUMERIC && end_bit - first_bit == 8 * KEY_BYTES;
  return order;
}
#define RANGES_ORDER() scanrt_ranges_order_of(flags, first_bit, end_bit)

/* Exchanges the words of two-word keys whose first word is the more significant one. Vectorizes, unlike SWAP_HALVES. */
FUNC KEY_T scanrt_ranges_swap(KEY_T key, scanrt_ranges_order order) {
#if KEY_BYTES == 8
  const KEY_T differ = (key >> 32 ^ key) & order.swapped;
  return key ^ (differ | differ << 32);
#else
  return key;
#endif
}

/* Returns the unsigned integer that a key is sorted by. */
FUNC KEY_T scanrt_ranges_bits(KEY_T key, scanrt_ranges_order order) {
  const KEY_T ordered = scanrt_ranges_swap(scanrt_sort_ordered(key, order.of), order);
  return (KEY_T)(ordered >> order.first_bit) & order.bits;
}

/* Keys in ranges are unsigned integers of their order, of which all bits are kept. Keys of the numeric order stay as
 * they are, since no integer of that order says which NaN or zero a key is. */
#ifdef SORT_NUMERIC_KEYS
#define RANGES_FLIP(key, order) (key)
#define RANGES_FLIP_BACK(key, order) (key)
#define RANGES_ARE_FLIPPED(order) 0
#define RANGES_FLIPPED_BITS(key, order) scanrt_ranges_bits((key), (order))
#else
#define RANGES_FLIP(key, order) scanrt_ranges_flip((key), (order))
#define RANGES_FLIP_BACK(key, order) scanrt_ranges_flip_back((key), (order))
#define RANGES_ARE_FLIPPED(order) (((order).of.flipped | (order).of.negative) != 0 || (order).of.swap != 0)
#define RANGES_FLIPPED_BITS(key, order) ((KEY_T)((key) & (order).mask))
FUNC KEY_T scanrt_ranges_flip(KEY_T key, scanrt_ranges_order order) {
  return scanrt_ranges_swap(scanrt_sort_ordered(key, order.of), order);
}
FUNC KEY_T scanrt_ranges_flip_back(KEY_T flipped, scanrt_ranges_order order) {
  return scanrt_sort_unordered(scanrt_ranges_swap(flipped, order), order.of);
}
#endif

/* ---- loops ---- */

/* Returns 1 if no key is above the next one, or with `falls` 1 if each is. */
FUNC scanrt_u32 scanrt_ranges_are_ordered(GLOBAL const KEY_T *keys, scanrt_u32 n, scanrt_u32 falls,
                                          scanrt_ranges_order order) {
  for (scanrt_u32 i = 1; i < n; i += RANGES_BLOCK) {
    const scanrt_u32 end = n - i < RANGES_BLOCK ? n : i + RANGES_BLOCK;
    scanrt_u32 fails = 0;
    if (falls) {
      for (scanrt_u32 j = i; j < end; j++)
        fails |= scanrt_ranges_bits(keys[j - 1], order) <= scanrt_ranges_bits(keys[j], order);
    } else {
      for (scanrt_u32 j = i; j < end; j++)
        fails |= scanrt_ranges_bits(keys[j - 1], order) > scanrt_ranges_bits(keys[j], order);
    }
    if (fails) return 0;
  }
  return 1;
}

/* Counts the keys of each value. Returns 0 if there is a key of another value. */
FUNC scanrt_u32 scanrt_ranges_count_values(GLOBAL const KEY_T *keys, scanrt_u32 n, const KEY_T *values,
                                           scanrt_u32 value_count, scanrt_u32 *count) {
  for (scanrt_u32 v = 0; v < value_count; v++) count[v] = 0;
  for (scanrt_u32 i = 0; i < n; i += RANGES_BLOCK) {
    const scanrt_u32 end = n - i < RANGES_BLOCK ? n : i + RANGES_BLOCK;
    scanrt_u32 found = 0;
    for (scanrt_u32 v = 0; v < value_count; v++) {
      const KEY_T value = values[v];
      scanrt_u32 here = 0;
      for (scanrt_u32 j = i; j < end; j++) here += keys[j] == value;
      count[v] += here;
      found += here;
    }
    if (found != end - i) return 0;
  }
  return 1;
}

/* Copies n elements of type T from `from` to `to`, unless these are the same memory. */
#define RANGES_COPY(T, to_memory, from_memory, n)                                                                      \
  {                                                                                                                    \
    GLOBAL T *copy_to = (to_memory);                                                                                   \
    GLOBAL const T *copy_from = (from_memory);                                                                         \
    if (copy_to != copy_from)                                                                                          \
      for (scanrt_u32 c_ = 0; c_ < (n); c_++) copy_to[c_] = copy_from[c_];                                             \
  }

/* Writes elements `first` to `end` - 1 of n in reverse: element i is element n - 1 - i of `from`. If `to` is `from`,
 * elements of the lower half are exchanged with those of the upper one. */
#define RANGES_REVERSE(T, to_memory, from_memory, n, first, end)                                                       \
  {                                                                                                                    \
    GLOBAL T *to_ = (to_memory);                                                                                       \
    GLOBAL const T *from_ = (from_memory);                                                                             \
    if (to_ != from_) {                                                                                                \
      for (scanrt_u32 r_ = (first); r_ < (end); r_++) to_[r_] = from_[(n)-1 - r_];                                     \
    } else {                                                                                                           \
      const scanrt_u32 middle_ = (end) < (n) / 2 ? (end) : (n) / 2;                                                    \
      for (scanrt_u32 r_ = (first); r_ < middle_; r_++) {                                                              \
        const T element_ = to_[r_];                                                                                    \
        to_[r_] = to_[(n)-1 - r_];                                                                                     \
        to_[(n)-1 - r_] = element_;                                                                                    \
      }                                                                                                                \
    }                                                                                                                  \
  }
#endif
