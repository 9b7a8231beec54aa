/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by segments: writes the values of a sorted tile. */
#ifndef SCANRT_CL_SORT_SEGMENTS_WRITE_H
#define SCANRT_CL_SORT_SEGMENTS_WRITE_H

#include "sort/sort_move.h"
#include "sort/sort_tile.h"

/* Returns the place in the tile of the key that local memory has as key i. */
FUNC scanrt_u64 scanrt_segments_place(LOCAL const scanrt_sort_tile *tile, scanrt_u32 i, scanrt_u32 is_long) {
  return is_long ? i : tile->counter[i];
}
/* Moves the tile's values to the places of their keys. */
#define MOVE_VALUES(T)                                                                                                 \
  {                                                                                                                    \
    NO_UNROLL                                                                                                          \
    for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)                                                      \
      MOVE_VALUE(T, ends.first + scanrt_segments_place(tile, i, is_long), tile->number[i]);                            \
  }

/* Moves the tile's values where the output may be the input: by parts no larger than a key, which take the keys' local
 * memory. */
FUNC void scanrt_segments_values_over(LOCAL scanrt_sort_tile *tile, scanrt_u32 items, scanrt_u32 is_long,
                                      scanrt_sort_ends ends) {
  const scanrt_u32 bytes = ends.value_bytes < KEY_BYTES ? ends.value_bytes : KEY_BYTES;
  const scanrt_u32 parts = ends.value_bytes / bytes;
  NO_UNROLL
  for (scanrt_u32 p = 0; p < parts; p++) {
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
      const scanrt_u64 at = (ends.first + tile->number[i]) * parts + p;
      tile->key[i] = bytes == KEY_BYTES ? ((GLOBAL const KEY_T *)ends.values)[at]
                                        : (KEY_T)((GLOBAL const scanrt_u32 *)ends.values)[at];
    }
    FENCE();
    BARRIER();
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
      const scanrt_u64 at = (ends.first + scanrt_segments_place(tile, i, is_long)) * parts + p;
      if (bytes == KEY_BYTES)
        ((GLOBAL KEY_T *)ends.values_to)[at] = tile->key[i];
      else
        ((GLOBAL scanrt_u32 *)ends.values_to)[at] = (scanrt_u32)tile->key[i];
    }
    BARRIER();
  }
}

/* Writes the tile's values to the places of their keys. `in_place` is 1 if the output may be the input. */
FUNC void scanrt_segments_write_values(LOCAL scanrt_sort_tile *tile, scanrt_u32 items, scanrt_u32 is_long,
                                       scanrt_sort_ends ends, scanrt_u32 in_place) {
  BARRIER();
  if (ends.value_bytes != 0 && in_place && !ends.makes_indices)
    scanrt_segments_values_over(tile, items, is_long, ends);
  else if (ends.value_bytes == 4)
    MOVE_VALUES(scanrt_u32)
  else if (ends.value_bytes == 8)
    MOVE_VALUES(scanrt_u64)
  BARRIER();
}
#endif
