/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: a tile in the local memory of a work-group. Each work-item counts its own consecutive keys in counters of
 * its own, whose prefix sums are places. */
#ifndef SCANRT_CL_SORT_TILE_H
#define SCANRT_CL_SORT_TILE_H

#include "sort/sort_keys.h"

#define NIBBLES 16u
#define COUNTERS (NIBBLES * SCAN_GROUP_ITEMS)

typedef struct scanrt_sort_tile {
  KEY_T key[TILE_KEYS];
  scanrt_u16 number[TILE_KEYS]; /* each key's number in the unsorted tile */
  scanrt_u16 counter[COUNTERS]; /* for each value of half a digit, and each work-item */
  scanrt_u32 sum[SCAN_GROUP_ITEMS];
} scanrt_sort_tile;

/* Replaces the counters by the sums of those before, in the order of half digits, then of work-items. */
FUNC void scanrt_sort_sum(LOCAL scanrt_sort_tile *tile) {
  LOCAL scanrt_u16 *own = tile->counter + ITEM() * NIBBLES;
  scanrt_u32 all = 0;
  for (scanrt_u32 k = 0; k < NIBBLES; k++) all += own[k];
  tile->sum[ITEM()] = all;
  BARRIER();
  for (scanrt_u32 d = 1; d < SCAN_GROUP_ITEMS; d *= 2) {
    const scanrt_u32 other = ITEM() >= d ? tile->sum[ITEM() - d] : 0;
    BARRIER();
    tile->sum[ITEM()] += other;
    BARRIER();
  }
  scanrt_u32 before = tile->sum[ITEM()] - all;
  for (scanrt_u32 k = 0; k < NIBBLES; k++) {
    const scanrt_u32 count = own[k];
    own[k] = (scanrt_u16)before;
    before += count;
  }
  BARRIER();
}

/* Sorts the tile's keys by one half of their digits; keys past `items` stay behind all others. */
FUNC void scanrt_sort_half(LOCAL scanrt_sort_tile *tile, scanrt_u32 items, scanrt_sort_order order, scanrt_u32 shift) {
  KEY_T key[ITEM_KEYS];
  scanrt_u16 number[ITEM_KEYS], rank[ITEM_KEYS];
  for (scanrt_u32 k = 0; k < NIBBLES; k++) tile->counter[k * SCAN_GROUP_ITEMS + ITEM()] = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = ITEM() * ITEM_KEYS + k;
    key[k] = tile->key[i];
    number[k] = tile->number[i];
    const scanrt_u32 nibble = i < items ? scanrt_sort_digit(key[k], order) >> shift & (NIBBLES - 1) : NIBBLES - 1;
    rank[k] = tile->counter[nibble * SCAN_GROUP_ITEMS + ITEM()]++;
  }
  BARRIER();
  scanrt_sort_sum(tile);
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = ITEM() * ITEM_KEYS + k;
    const scanrt_u32 nibble = i < items ? scanrt_sort_digit(key[k], order) >> shift & (NIBBLES - 1) : NIBBLES - 1;
    const scanrt_u32 at = tile->counter[nibble * SCAN_GROUP_ITEMS + ITEM()] + rank[k];
    tile->key[at] = key[k];
    tile->number[at] = number[k];
  }
  BARRIER();
}

/* Subtracts from each digit's place where its keys begin in the tile. */
FUNC void scanrt_sort_subtract_starts(LOCAL scanrt_sort_tile *tile, LOCAL scanrt_u64 *place, scanrt_u32 items,
                                      scanrt_sort_order order) {
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
    const scanrt_u32 digit = scanrt_sort_digit(tile->key[i], order);
    if (i == 0 || scanrt_sort_digit(tile->key[i - 1], order) != digit) place[digit] -= i;
  }
  BARRIER();
}

/* Loads the tile's keys, in their order in memory. */
FUNC void scanrt_sort_load(LOCAL scanrt_sort_tile *tile, GLOBAL const KEY_T *keys, scanrt_u32 items) {
  const KEY_T none = KEY_NONE;
  for (scanrt_u32 i = ITEM(); i < TILE_KEYS; i += SCAN_GROUP_ITEMS) {
    tile->key[i] = i < items ? keys[i] : none;
    tile->number[i] = (scanrt_u16)i;
  }
  BARRIER();
}

FUNC void scanrt_sort_tile_by(LOCAL scanrt_sort_tile *tile, scanrt_u32 items, scanrt_sort_order order) {
  NO_UNROLL
  for (scanrt_u32 shift = 0; shift < SORT_DIGIT_BITS; shift += SORT_DIGIT_BITS / 2)
    scanrt_sort_half(tile, items, order, shift);
}
#endif
