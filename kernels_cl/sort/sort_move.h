/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: moves keys of a tile, and their values, to their places. */
#ifndef SCANRT_CL_SORT_MOVE_H
#define SCANRT_CL_SORT_MOVE_H

#include "sort/sort_keys.h"

/* The sources and destinations of a tile's keys and values. */
typedef struct scanrt_sort_ends {
  GLOBAL const scanrt_u8 *values;
  GLOBAL KEY_T *to;
  GLOBAL scanrt_u8 *values_to;
  scanrt_u64 first; /* the tile's first key */
  scanrt_u32 makes_indices, value_bytes;
} scanrt_sort_ends;
/* Moves the value of type T of the tile's key i to place `at`. */
#define MOVE_VALUE(T, at, i)                                                                                           \
  ((GLOBAL T *)ends.values_to)[at] =                                                                                   \
      ends.makes_indices ? (T)(ends.first + (i)) : ((GLOBAL const T *)ends.values)[ends.first + (i)]

#define SORT_ENDS(route, tile_first)                                                                                   \
  {                                                                                                                    \
    SORT_PLACE((route).from, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare)),                             \
        (GLOBAL KEY_T *)SORT_PLACE((route).to, MEMORY(in), MEMORY(out), MEMORY(keys_spare)),                           \
        SORT_PLACE((route).to, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare)), (tile_first),             \
        (scanrt_u32)((route).is_first && (flags & SORT_INDICES) != 0),                                                 \
        (flags & SORT_VALUES) == 0        ? 0u                                                                         \
        : (flags & SORT_WIDE_VALUES) != 0 ? 8u                                                                         \
                                          : 4u                                                                         \
  }

#if SCAN_GROUP_ITEMS == 1
/* Moves each key to the place of its digit, and advances that place. */
FUNC void scanrt_sort_scatter(GLOBAL const KEY_T *keys, scanrt_u32 items, scanrt_sort_order order, scanrt_u64 *place,
                              scanrt_sort_ends ends) {
  if (ends.value_bytes == 0) {
    for (scanrt_u32 i = 0; i < items; i++) MOVE_KEY(ends.to + place[KEY_DIGIT(keys + i, order)]++, keys + i);
  } else if (ends.value_bytes == 4) {
    for (scanrt_u32 i = 0; i < items; i++) {
      const scanrt_u64 at = place[KEY_DIGIT(keys + i, order)]++;
      MOVE_KEY(ends.to + at, keys + i);
      MOVE_VALUE(scanrt_u32, at, i);
    }
  } else {
    for (scanrt_u32 i = 0; i < items; i++) {
      const scanrt_u64 at = place[KEY_DIGIT(keys + i, order)]++;
      MOVE_KEY(ends.to + at, keys + i);
      MOVE_VALUE(scanrt_u64, at, i);
    }
  }
}

/* Counts the tile's digits of all passes; returns a bit for each pass, 1 if it orders. */
FUNC scanrt_u32 scanrt_sort_tile_digits(GLOBAL const KEY_T *keys, scanrt_u32 items, scanrt_u32 *count, scanrt_u32 flags,
                                        scanrt_u32 first_bit, scanrt_u32 end_bit) {
  const scanrt_u32 passes = SORT_PASSES(first_bit, end_bit);
  scanrt_u32 orders = 0;
  for (scanrt_u32 i = 0; i < passes * SORT_DIGITS; i++) count[i] = 0;
  for (scanrt_u32 p = 0; p < passes; p++) {
    const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, p);
    for (scanrt_u32 i = 0; i < items; i++) count[p * SORT_DIGITS + KEY_DIGIT(keys + i, order)]++;
    if (items > 0 && count[p * SORT_DIGITS + KEY_DIGIT(keys, order)] != items) orders |= 1u << p;
  }
  return orders;
}
#endif
#endif
