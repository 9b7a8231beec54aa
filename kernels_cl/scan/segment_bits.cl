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

/* A byte for each element of a turn, 32 elements a work-item. */
typedef struct scanrt_marked_bytes {
  scanrt_u32 byte4[SCAN_GROUP_ITEMS * 8];
} scanrt_marked_bytes;

/* Offsets that a work-item holds, twice. */
#define OFFSETS_HELD (SCAN_TYPE == 8 ? 4 : 8)
#define OFFSETS_WINDOW (OFFSETS_HELD * SCAN_GROUP_ITEMS)

/* OFFSETS_WINDOW consecutive offsets, those of a work-item a work-group apart. Past the end the last offset is
 * repeated. */
typedef struct scanrt_offsets {
  scanrt_offset_t own[OFFSETS_HELD], first, last;
} scanrt_offsets;

FUNC scanrt_offsets scanrt_offsets_load(GLOBAL const scanrt_offset_t *offsets, scanrt_u64 at, scanrt_u64 count) {
  scanrt_offsets window;
  if (at + OFFSETS_WINDOW <= count) {
    GLOBAL const scanrt_offset_t *from = offsets + at;
    UNROLL
    for (scanrt_u32 k = 0; k < OFFSETS_HELD; k++) window.own[k] = from[ITEM() + k * SCAN_GROUP_ITEMS];
    window.first = from[0];
    window.last = from[OFFSETS_WINDOW - 1];
  } else {
    UNROLL
    for (scanrt_u32 k = 0; k < OFFSETS_HELD; k++) {
      const scanrt_u64 own = at + ITEM() + k * SCAN_GROUP_ITEMS;
      window.own[k] = offsets[own < count ? own : count - 1];
    }
    window.first = offsets[at < count ? at : count - 1];
    window.last = offsets[count - 1];
  }
  return window;
}

/* Marks the elements from `begin` to `end` - 1 at which segments begin, for the offsets of a window. */
FUNC void scanrt_offsets_mark(const scanrt_offsets *window, scanrt_u64 begin, scanrt_u64 end, LOCAL scanrt_u8 *byte) {
  const scanrt_offset_t first = (scanrt_offset_t)begin;
  const scanrt_u32 items = first == begin ? (scanrt_u32)(end - begin) : 0; /* 0: no offset is so large */
  UNROLL
  for (scanrt_u32 k = 0; k < OFFSETS_HELD; k++) {
    const scanrt_offset_t element = window->own[k] - first;
    if (element < items) byte[element] = 1;
  }
}

/* Returns the bits of the work-item's 32 bytes, and clears these. Neighbours begin with different words, since their
 * bytes lie in the same banks. */
FUNC scanrt_u32 scanrt_bits_of_bytes(LOCAL scanrt_u32 *byte4) {
  scanrt_u32 word = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < 8; k++) {
    const scanrt_u32 at = (k + ITEM() / 4) % 8;
    word |= BITS_OF(byte4[ITEM() * 8 + at]) << (4 * at);
    byte4[ITEM() * 8 + at] = 0;
  }
  return word;
}

/* Makes the words from `w` to `last` - 1. The next window is loaded while one is in use. A window of equal offsets is
 * followed by the first larger one, by binary search. */
FUNC void scanrt_offsets_to_bits(GLOBAL const scanrt_offset_t *offsets, scanrt_u64 count, scanrt_u64 n,
                                 GLOBAL scanrt_u32 *words, scanrt_u64 w, scanrt_u64 last,
                                 LOCAL scanrt_marked_bytes *marked) {
  scanrt_u64 at = scanrt_offset_find(offsets, count, w * 32);
  scanrt_offsets window = scanrt_offsets_load(offsets, at, count);
  scanrt_offsets next = scanrt_offsets_load(offsets, at + OFFSETS_WINDOW, count);
  UNROLL
  for (scanrt_u32 k = 0; k < 8; k++) marked->byte4[k * SCAN_GROUP_ITEMS + ITEM()] = 0;
  for (; w < last; w += SCAN_GROUP_ITEMS) {
    const scanrt_u64 begin = w * 32, most = begin + SCAN_GROUP_ITEMS * 32, end = most < n ? most : n;
    BARRIER();
    scanrt_offsets_mark(&window, begin, end, (LOCAL scanrt_u8 *)marked->byte4);
    while (window.last < end && at + OFFSETS_WINDOW < count) {
      at += OFFSETS_WINDOW;
      if (window.first == window.last && next.last == window.last) {
        at = scanrt_offset_search(offsets, at, count, (scanrt_u64)window.last + 1);
        next = scanrt_offsets_load(offsets, at, count);
      }
      window = next;
      next = scanrt_offsets_load(offsets, at + OFFSETS_WINDOW, count);
      scanrt_offsets_mark(&window, begin, end, (LOCAL scanrt_u8 *)marked->byte4);
    }
    BARRIER();
    const scanrt_u32 word = scanrt_bits_of_bytes(marked->byte4);
    if (w + ITEM() < last) words[w + ITEM()] = word;
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
