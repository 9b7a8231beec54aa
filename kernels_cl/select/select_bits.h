/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the bits of a tile and counts them, for every source of marks. */
#ifndef SCANRT_CL_SELECT_BITS_H
#define SCANRT_CL_SELECT_BITS_H

#include "lib/bits.h"
#include "select/select_tile.h"

/* Declares the variables that the kernels begin with. */
#define OPEN(type)                                                                                                     \
  GLOBAL const type *marks = (GLOBAL const type *)MEMORY(marks);                                                       \
  const scanrt_u64 items = SELECT_N(), first = (scanrt_u64)GROUP() * TILE_ITEMS;                                       \
  GLOBAL scanrt_u32 *words = (GLOBAL scanrt_u32 *)MEMORY(segment_flags) + first / 32;                                  \
  GLOBAL scanrt_u64 *counts = (GLOBAL scanrt_u64 *)MEMORY(workspace)

#if SCAN_GROUP_ITEMS == 1
/* Makes the words of a tile and its count. WORD_AT is the word of the elements from i on, without bits past the
 * last. */
#define MARK_TILE(WORD_AT)                                                                                             \
  const scanrt_u64 end = first + scanrt_select_items(first, items);                                                    \
  scanrt_u32 count = 0;                                                                                                \
  for (scanrt_u64 i = first; i < end; i += 32) {                                                                       \
    const scanrt_u32 word = WORD_AT;                                                                                   \
    words[(i - first) / 32] = word;                                                                                    \
    count += BIT_COUNT(word);                                                                                          \
  }                                                                                                                    \
  counts[GROUP()] = count
#else
/* The marks of a tile as bytes, which work-items set side by side; each word is then made by one work-item. */
typedef union scanrt_select_bytes {
  scanrt_u8 byte[SELECT_TILE_ITEMS];
  scanrt_u32 byte4[SELECT_TILE_ITEMS / 4];
} scanrt_select_bytes;

/* Makes the words of a tile of `items` elements; returns the number of kept elements in this work-item's words. */
FUNC scanrt_u32 scanrt_select_store(GLOBAL scanrt_u32 *words, scanrt_u32 items, LOCAL const scanrt_u32 *byte4) {
  scanrt_u32 count = 0;
  for (scanrt_u32 w = ITEM(); w * 32 < items; w += SCAN_GROUP_ITEMS) {
    scanrt_u32 word = 0;
    UNROLL
    for (scanrt_u32 k = 0; k < 8; k++) word |= BITS_OF(byte4[w * 8 + k]) << (4 * k);
    words[w] = word;
    count += BIT_COUNT(word);
  }
  return count;
}

/* Makes the words of a tile and its count. KEPT_AT is 1 if element i exists and is kept. */
#define MARK_TILE(KEPT_AT)                                                                                             \
  for (scanrt_u32 e = ITEM(); e < TILE_ITEMS; e += SCAN_GROUP_ITEMS) {                                                 \
    const scanrt_u64 i = first + e;                                                                                    \
    tile->byte[e] = (scanrt_u8)(KEPT_AT);                                                                              \
  }                                                                                                                    \
  BARRIER();                                                                                                           \
  const scanrt_u32 own = scanrt_select_store(words, scanrt_select_items(first, items), tile->byte4);                   \
  const scanrt_u32 count = scanrt_select_sum(own, sums);                                                               \
  if (ITEM() == 0) counts[GROUP()] = count
#endif
#endif
