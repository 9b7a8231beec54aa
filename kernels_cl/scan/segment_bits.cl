/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns offsets of segments' first elements (SCAN_TYPE: 32 or 64 bits) into a bit an element. Offsets ascend; equal
 * offsets mean empty segments. `count` is the number of offsets. Each work-group makes consecutive words: it finds its
 * first offset by binary search, then passes over the offsets once. */
#include "lib/arguments.h"
#include "lib/bits.h"
#include "lib/dialect.h"

#if SCAN_TYPE == 8
typedef scanrt_u64 scanrt_offset_t;
#else
typedef scanrt_u32 scanrt_offset_t;
#endif

/* Returns the index of the first offset from `at` on that is not below `least`; `count` if all are below. */
FUNC scanrt_u64 scanrt_offset_search(GLOBAL const scanrt_offset_t *offsets, scanrt_u64 at, scanrt_u64 count,
                                     scanrt_u64 least) {
  scanrt_u64 end = count;
  while (at < end) {
    const scanrt_u64 middle = at + (end - at) / 2;
    if (offsets[middle] < least)
      at = middle + 1;
    else
      end = middle;
  }
  return at;
}

#if SCAN_GROUP_ITEMS > 1
/* A byte for each element of a turn, 32 elements a work-item. */
typedef struct scanrt_marked_bytes {
  scanrt_u32 byte4[SCAN_GROUP_ITEMS * 8];
} scanrt_marked_bytes;

/* Offsets that a work-item loads at once after the first load of a turn: with short segments, single loads would wait
 * for one another. */
#define OFFSETS_READS 8

/* Marks the elements at which segments begin, for `most` offsets of each work-item from `at` on, a work-group apart. */
FUNC void scanrt_offsets_mark_step(GLOBAL const scanrt_offset_t *offsets, scanrt_u64 at, scanrt_u64 count,
                                   scanrt_u64 begin, scanrt_u64 end, LOCAL scanrt_u8 *byte, scanrt_u32 most) {
  scanrt_u64 offset[OFFSETS_READS];
  UNROLL
  for (scanrt_u32 k = 0; k < most; k++) {
    const scanrt_u64 own = at + k * SCAN_GROUP_ITEMS + ITEM();
    offset[k] = own < count ? offsets[own] : end;
  }
  UNROLL
  for (scanrt_u32 k = 0; k < most; k++)
    if (offset[k] - begin < end - begin) byte[offset[k] - begin] = 1;
}

/* Marks the elements of a turn that begin segments; returns the index of the next turn's first offset. It skips a run
 * of equal offsets by binary search. */
FUNC scanrt_u64 scanrt_offsets_mark(GLOBAL const scanrt_offset_t *offsets, scanrt_u64 at, scanrt_u64 count,
                                    scanrt_u64 begin, scanrt_u64 end, LOCAL scanrt_u8 *byte) {
  scanrt_u64 step = SCAN_GROUP_ITEMS;
  scanrt_offsets_mark_step(offsets, at, count, begin, end, byte, 1);
  while (at + step <= count && offsets[at + (step - 1)] < end) {
    const scanrt_u64 offset = offsets[at + (step - 1)];
    at = offsets[at] == offset ? scanrt_offset_search(offsets, at + step, count, offset + 1) : at + step;
    step = OFFSETS_READS * SCAN_GROUP_ITEMS;
    scanrt_offsets_mark_step(offsets, at, count, begin, end, byte, OFFSETS_READS);
  }
  return scanrt_offset_search(offsets, at, at + step < count ? at + step : count, end);
}

FUNC scanrt_u32 scanrt_bits_of_bytes(LOCAL const scanrt_u32 *byte4) {
  scanrt_u32 word = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < 8; k++) word |= BITS_OF(byte4[ITEM() * 8 + k]) << (4 * k);
  return word;
}

FUNC void scanrt_offsets_to_bits(GLOBAL const scanrt_offset_t *offsets, scanrt_u64 count, scanrt_u64 n,
                                 GLOBAL scanrt_u32 *words, scanrt_u64 w, scanrt_u64 last,
                                 LOCAL scanrt_marked_bytes *marked) {
  scanrt_u64 at = scanrt_offset_search(offsets, 0, count, w * 32);
  for (; w < last; w += SCAN_GROUP_ITEMS) {
    const scanrt_u64 begin = w * 32, most = begin + SCAN_GROUP_ITEMS * 32, end = most < n ? most : n;
    UNROLL
    for (scanrt_u32 k = 0; k < 8; k++) marked->byte4[k * SCAN_GROUP_ITEMS + ITEM()] = 0;
    BARRIER();
    at = scanrt_offsets_mark(offsets, at, count, begin, end, (LOCAL scanrt_u8 *)marked->byte4);
    BARRIER();
    if (w + ITEM() < last) words[w + ITEM()] = scanrt_bits_of_bytes(marked->byte4);
    BARRIER();
  }
}
#else
FUNC void scanrt_offsets_to_bits(GLOBAL const scanrt_offset_t *offsets, scanrt_u64 count, scanrt_u64 n,
                                 GLOBAL scanrt_u32 *words, scanrt_u64 w, scanrt_u64 last) {
  scanrt_u64 at = scanrt_offset_search(offsets, 0, count, w * 32);
  for (; w < last; w++) {
    const scanrt_u64 end = w * 32 + 32 < n ? w * 32 + 32 : n;
    scanrt_u32 word = 0;
    while (at < count && offsets[at] < end) {
      const scanrt_u64 offset = offsets[at++];
      word |= 1u << (offset % 32);
      if (at < count && offsets[at] == offset) at = scanrt_offset_search(offsets, at, count, offset + 1);
    }
    words[w] = word;
  }
}
#endif

KERNEL(segment_bits_of_offsets)(PARAMETERS(SEGMENT_BITS_ARGUMENTS)) {
  GLOBAL const scanrt_offset_t *offsets = (GLOBAL const scanrt_offset_t *)MEMORY(marks);
  GLOBAL scanrt_u32 *words = (GLOBAL scanrt_u32 *)MEMORY(segment_flags);
  const scanrt_u64 all = (n + 31) / 32, turns = (all + SCAN_GROUP_ITEMS - 1) / SCAN_GROUP_ITEMS;
  const scanrt_u64 share = (turns + GROUPS() - 1) / GROUPS() * SCAN_GROUP_ITEMS, first = GROUP() * share;
  const scanrt_u64 last = first + share < all ? first + share : all;
#if SCAN_GROUP_ITEMS > 1
  LOCAL_ARRAY(scanrt_marked_bytes, marked, 1);
  scanrt_offsets_to_bits(offsets, count, n, words, first, last, marked);
#else
  scanrt_offsets_to_bits(offsets, count, n, words, first, last);
#endif
}

#if SCAN_GROUP_ITEMS > 1
/* As scanrt_offset_search from 0 on, by seven offsets at once: a third as many loads wait for one another. */
#define OFFSETS_PROBED 7
FUNC scanrt_u64 scanrt_offset_find(GLOBAL const scanrt_offset_t *offsets, scanrt_u64 count, scanrt_u64 least) {
  scanrt_u64 at = 0, end = count;
  while (at < end) {
    const scanrt_u64 step = (end - at) / (OFFSETS_PROBED + 1) + 1;
    scanrt_u64 probe = at + (step - 1);
    scanrt_u32 below = 0;
    UNROLL
    for (scanrt_u32 k = 0; k < OFFSETS_PROBED; k++, probe += step)
      if (probe < end) below += offsets[probe] < least;
    at += below * step;
    if (end - at >= step) end = at + (step - 1);
  }
  return at;
}

/* Writes how many segments end before each tile, and behind the last tile how many there are. `ends` ascend. */
KERNEL(segment_edges)(PARAMETERS(SEGMENT_EDGES_ARGUMENTS)) {
  GLOBAL const scanrt_offset_t *from = (GLOBAL const scanrt_offset_t *)MEMORY(ends);
  GLOBAL scanrt_u64 *edges = (GLOBAL scanrt_u64 *)MEMORY(places);
  const scanrt_u64 tiles = (n + (tile_items - 1)) / tile_items;
  const scanrt_u64 tile = (scanrt_u64)GROUP() * SCAN_GROUP_ITEMS + ITEM();
  if (tile > tiles) return;
  if (tile == 0 || tile == tiles)
    edges[tile] = tile == 0 ? 0 : count;
  else
    edges[tile] = scanrt_offset_find(from, count, tile * tile_items + 1);
}
#endif
