/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by segments: sorts a tile of segments in a work-group's local memory. */
#ifndef SCANRT_CL_SORT_SEGMENTS_TILE_H
#define SCANRT_CL_SORT_SEGMENTS_TILE_H

#include "sort/sort_segments_find.h"
#include "sort/sort_tile.h"

/* ---- a tile by four bits, as in sort_tile.h, in less code ---- */

#define SEGMENTS_BITS 4u

/* Sorts the tile by `digits`, which work-items have set for each other's keys; keys past `items` stay behind. */
FUNC void scanrt_segments_by(LOCAL scanrt_sort_tile *tile, LOCAL const scanrt_u8 *digits, scanrt_u32 items) {
  KEY_T key[ITEM_KEYS];
  scanrt_u32 moved[ITEM_KEYS]; /* the number, the digit, and the work-item's keys before with that digit */
  LOCAL scanrt_u16 *counter = tile->counter + ITEM();
  NO_UNROLL
  for (scanrt_u32 k = 0; k < NIBBLES; k++) counter[k * SCAN_GROUP_ITEMS] = 0;
  BARRIER();
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = ITEM() * ITEM_KEYS + k, own = i < items ? digits[i] : NIBBLES - 1;
    key[k] = tile->key[i];
    moved[k] = tile->number[i] | own << 16 | (scanrt_u32)counter[own * SCAN_GROUP_ITEMS]++ << 24;
  }
  BARRIER();
  scanrt_sort_sum(tile);
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 at = counter[(moved[k] >> 16 & 255) * SCAN_GROUP_ITEMS] + (moved[k] >> 24);
    tile->key[at] = key[k];
    tile->number[at] = (scanrt_u16)moved[k];
  }
  BARRIER();
}
/* Sets `digits` to the bits of each key's digit from `shift` on. */
FUNC void scanrt_segments_by_digit(LOCAL const scanrt_sort_tile *tile, LOCAL scanrt_u8 *digits, scanrt_u32 items,
                                   scanrt_sort_order order, scanrt_u32 shift) {
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)
    digits[i] = (scanrt_u8)(scanrt_sort_digit(tile->key[i], order) >> shift & ((1u << SEGMENTS_BITS) - 1));
}

/* ---- small segments: a tile of them ---- */

#define TILE_SEGMENTS_WORDS (TILE_KEYS / 32)

/* A bit for each key of the tile, after a word without bits: 1 if the key begins a segment. */
typedef struct scanrt_tile_segments {
  scanrt_u32 word[TILE_SEGMENTS_WORDS + 2];
  scanrt_u32 before[TILE_SEGMENTS_WORDS]; /* bits set in the words before */
  scanrt_u32 differ[2];                   /* bits in which keys differ */
  scanrt_u32 is_long;
} scanrt_tile_segments;

/* Returns the bits of the 32 keys up to key i, which has the highest bit. */
FUNC scanrt_u32 scanrt_segments_up_to(LOCAL const scanrt_tile_segments *segment_bits, scanrt_u32 i) {
  const scanrt_u64 both = (scanrt_u64)segment_bits->word[i / 32 + 1] << 32 | segment_bits->word[i / 32];
  return (scanrt_u32)(both >> (i % 32 + 1));
}
/* Returns the bits of the 32 keys after key i. */
FUNC scanrt_u32 scanrt_segments_behind(LOCAL const scanrt_tile_segments *segment_bits, scanrt_u32 i) {
  const scanrt_u64 both = (scanrt_u64)segment_bits->word[i / 32 + 2] << 32 | segment_bits->word[i / 32 + 1];
  return (scanrt_u32)(both >> (i % 32 + 1));
}

/* Returns the number of a key's segment among those of the tile. */
FUNC scanrt_u32 scanrt_segments_number(LOCAL const scanrt_tile_segments *segment_bits, scanrt_u32 i) {
  return segment_bits->before[i / 32] + BITS_SET(segment_bits->word[i / 32 + 1] & ((2u << i % 32) - 1)) - 1;
}

/* Sets the bits of `items` keys from key `first` on, by the segments of the range. If many more segments begin than
 * there are keys, each key searches for one. */
FUNC void scanrt_segments_mark(LOCAL scanrt_tile_segments *segment_bits, GLOBAL const scanrt_u8 *offsets,
                               scanrt_segment_range range, scanrt_u64 first, scanrt_u32 items, scanrt_u64 all,
                               scanrt_u32 flags) {
  NO_UNROLL
  for (scanrt_u32 w = ITEM(); w < TILE_SEGMENTS_WORDS + 2; w += SCAN_GROUP_ITEMS) segment_bits->word[w] = w == 1;
  if (ITEM() < 2) segment_bits->differ[ITEM()] = 0;
  if (ITEM() == 0) segment_bits->is_long = 0;
  BARRIER();
  if (range.end - range.begin <= 4 * TILE_KEYS) {
    NO_UNROLL
    for (scanrt_u64 s = range.begin + ITEM(); s < range.end; s += SCAN_GROUP_ITEMS) {
      const scanrt_u64 at = scanrt_segment_offset(offsets, s, all, flags) - first;
      if (at < items) ATOMIC_OR_LOCAL(&segment_bits->word[at / 32 + 1], 1u << at % 32);
    }
  } else {
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
      const scanrt_u64 s = scanrt_segment_search(offsets, range.begin, range.end, first + i, all, flags);
      if (s < range.end && scanrt_segment_offset(offsets, s, all, flags) == first + i)
        ATOMIC_OR_LOCAL(&segment_bits->word[i / 32 + 1], 1u << i % 32);
    }
  }
  BARRIER();
}

/* Returns 1, in all work-items, if a segment has more keys than are compared. */
FUNC scanrt_u32 scanrt_segments_are_long(LOCAL scanrt_tile_segments *segment_bits, scanrt_u32 items) {
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)
    if (scanrt_segments_up_to(segment_bits, i) == 0) segment_bits->is_long = 1;
  BARRIER();
  return segment_bits->is_long;
}

/* ---- segments whose keys are compared ---- */

/* Sets the counters to the keys' places. */
FUNC void scanrt_segments_compare(LOCAL scanrt_sort_tile *tile, LOCAL const scanrt_tile_segments *segment_bits,
                                  scanrt_u32 items, scanrt_sort_order order, KEY_T bits) {
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
    const scanrt_u32 behind = scanrt_segments_behind(segment_bits, i);
    const scanrt_u32 begin = i + LAST_BIT(scanrt_segments_up_to(segment_bits, i)) - 31;
    const scanrt_u32 end = behind != 0 ? i + 1 + LAST_BIT(behind & (0 - behind)) : items;
    const KEY_T own = (KEY_T)(scanrt_sort_ordered(tile->key[i], order) & bits);
    scanrt_u32 place = begin;
    NO_UNROLL
    for (scanrt_u32 j = begin; j < i; j++) place += (KEY_T)(scanrt_sort_ordered(tile->key[j], order) & bits) <= own;
    NO_UNROLL
    for (scanrt_u32 j = i + 1; j < end; j++) place += (KEY_T)(scanrt_sort_ordered(tile->key[j], order) & bits) < own;
    tile->counter[i] = (scanrt_u16)place;
  }
  BARRIER();
}

/* ---- longer ones, by digits ---- */

/* Sets each word's number of bits in the words before; returns the number of all bits. */
FUNC scanrt_u32 scanrt_segments_sum(LOCAL scanrt_sort_tile *tile, LOCAL scanrt_tile_segments *segment_bits) {
  const scanrt_u32 own = ITEM() < TILE_SEGMENTS_WORDS ? BITS_SET(segment_bits->word[ITEM() + 1]) : 0;
  tile->sum[ITEM()] = own;
  BARRIER();
  NO_UNROLL
  for (scanrt_u32 d = 1; d < SCAN_GROUP_ITEMS; d *= 2) {
    const scanrt_u32 other = ITEM() >= d ? tile->sum[ITEM() - d] : 0;
    BARRIER();
    tile->sum[ITEM()] += other;
    BARRIER();
  }
  if (ITEM() < TILE_SEGMENTS_WORDS) segment_bits->before[ITEM()] = tile->sum[ITEM()] - own;
  const scanrt_u32 all = tile->sum[SCAN_GROUP_ITEMS - 1];
  BARRIER();
  return all;
}

/* Returns the bits in which keys differ. */
FUNC scanrt_u64 scanrt_segments_differ(LOCAL const scanrt_sort_tile *tile, LOCAL scanrt_tile_segments *segment_bits,
                                       scanrt_u32 items, scanrt_sort_order order, KEY_T bits) {
  const KEY_T other = scanrt_sort_ordered(tile->key[0], order);
  KEY_T differ = 0;
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)
    differ |= (KEY_T)(scanrt_sort_ordered(tile->key[i], order) ^ other);
  const scanrt_u64 own = differ & bits;
  if ((scanrt_u32)own != 0) ATOMIC_OR_LOCAL(&segment_bits->differ[0], (scanrt_u32)own);
  if (own >> 32 != 0) ATOMIC_OR_LOCAL(&segment_bits->differ[1], (scanrt_u32)(own >> 32));
  BARRIER();
  return (scanrt_u64)segment_bits->differ[1] << 32 | segment_bits->differ[0];
}

/* Sets `digits` to the bits of the segments' numbers from `shift` on. */
FUNC void scanrt_segments_by_number(LOCAL scanrt_sort_tile *tile, LOCAL const scanrt_tile_segments *segment_bits,
                                    LOCAL scanrt_u8 *digits, scanrt_u32 items, scanrt_u32 shift) {
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)
    digits[i] =
        (scanrt_u8)(scanrt_segments_number(segment_bits, tile->number[i]) >> shift & ((1u << SEGMENTS_BITS) - 1));
}

/* Sorts the tile's segments: by those bits of digits in which keys differ, then by the segments' numbers. */
FUNC void scanrt_segments_sort(LOCAL scanrt_sort_tile *tile, LOCAL scanrt_tile_segments *segment_bits,
                               LOCAL scanrt_u8 *digits, scanrt_u32 items, scanrt_u32 flags, scanrt_u32 first_bit,
                               scanrt_u32 end_bit) {
  const scanrt_u32 each = SORT_DIGIT_BITS / SEGMENTS_BITS, turns = each * SORT_PASSES(first_bit, end_bit);
  const scanrt_u32 segments = scanrt_segments_sum(tile, segment_bits);
  const scanrt_u64 differ = scanrt_segments_differ(tile, segment_bits, items, scanrt_sort_order_of(flags, 0, 1, 0),
                                                   KEY_BITS(first_bit, end_bit));
  NO_UNROLL
  for (scanrt_u32 h = 0;; h++) {
    const scanrt_u32 by_number = h >= turns, shift = (by_number ? h - turns : h % each) * SEGMENTS_BITS;
    const scanrt_u32 bit = first_bit + h * SEGMENTS_BITS;
    if (by_number && (segments - 1) >> shift == 0) break;
    if (!by_number && (bit >= end_bit || (differ >> bit & ((1u << SEGMENTS_BITS) - 1)) == 0)) continue;
    if (by_number)
      scanrt_segments_by_number(tile, segment_bits, digits, items, shift);
    else
      scanrt_segments_by_digit(tile, digits, items, scanrt_sort_order_of(flags, first_bit, end_bit, h / each), shift);
    scanrt_segments_by(tile, digits, items);
  }
}
#endif
