/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by segments: their offsets, and the table of segments that no tile holds (sort_segments.h). */
#ifndef SCANRT_CL_SORT_SEGMENTS_TABLE_H
#define SCANRT_CL_SORT_SEGMENTS_TABLE_H

#include "sort/sort_keys.h"
#include "sort/sort_segments.h"

/* ---- offsets ---- */

/* Returns offset i, limited to the number of keys. */
FUNC scanrt_u64 scanrt_segment_offset(GLOBAL const scanrt_u8 *offsets, scanrt_u64 i, scanrt_u64 all, scanrt_u32 flags) {
  const scanrt_u64 offset = (flags & SORT_WIDE_OFFSETS) != 0 ? ((GLOBAL const scanrt_u64 *)offsets)[i]
                                                             : ((GLOBAL const scanrt_u32 *)offsets)[i];
  return offset < all ? offset : all;
}
#define OFFSET(i) scanrt_segment_offset(MEMORY(marks), (i), all, flags)

/* Returns the index of the first offset from `begin` to `end` that is not below a key; `end` if there is none. */
FUNC scanrt_u64 scanrt_segment_search(GLOBAL const scanrt_u8 *offsets, scanrt_u64 begin, scanrt_u64 end, scanrt_u64 key,
                                      scanrt_u64 all, scanrt_u32 flags) {
  NO_UNROLL
  while (begin < end) {
    const scanrt_u64 middle = begin + (end - begin) / 2;
    if (scanrt_segment_offset(offsets, middle, all, flags) < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* ---- the table of large segments ---- */

typedef struct scanrt_segment_table {
  GLOBAL scanrt_u32 *counters;
  GLOBAL scanrt_u64 *rows, *many, *tiles;
  scanrt_u32 most_rows;
} scanrt_segment_table;

FUNC scanrt_segment_table scanrt_segment_table_of(GLOBAL scanrt_u8 *memory, scanrt_u32 most_rows) {
  GLOBAL scanrt_u64 *words = (GLOBAL scanrt_u64 *)memory;
  scanrt_segment_table table;
  table.counters = (GLOBAL scanrt_u32 *)memory;
  table.rows = words + SEGMENTS_WORD_ROWS;
  table.many = words + SEGMENTS_WORD_MANY((scanrt_u64)most_rows);
  table.tiles = words + SEGMENTS_WORD_TILES((scanrt_u64)most_rows);
  table.most_rows = most_rows;
  return table;
}
#define SEGMENT_TABLE() scanrt_segment_table_of(MEMORY(digits), tiles)

/* Returns a counter, limited to `most`: if offsets descend, it may exceed the room that there is. */
FUNC scanrt_u32 scanrt_segment_count(scanrt_segment_table table, scanrt_u32 counter, scanrt_u32 most) {
  const scanrt_u32 count = table.counters[counter];
  return count < most ? count : most;
}

typedef struct scanrt_segment {
  scanrt_u64 begin, items;
  scanrt_u64 base;  /* its first tile */
  scanrt_u32 tiles; /* 0 if there was no room */
} scanrt_segment;

FUNC scanrt_segment scanrt_segment_of(scanrt_segment_table table, scanrt_u32 row) {
  GLOBAL const scanrt_u64 *words = table.rows + (scanrt_u64)row * SEGMENTS_ROW_WORDS;
  scanrt_segment segment;
  segment.begin = words[0];
  segment.items = words[1];
  segment.base = words[2] >> 32;
  segment.tiles = (scanrt_u32)words[2];
  return segment;
}

/* A tile of a segment. */
typedef struct scanrt_segment_tile {
  scanrt_segment segment;
  scanrt_u32 row, number;
  scanrt_u64 first;
  scanrt_u32 items; /* 0 if there was no room */
} scanrt_segment_tile;

FUNC scanrt_segment_tile scanrt_segment_tile_of(scanrt_segment_table table, scanrt_u32 entry, scanrt_u32 rows,
                                                scanrt_u32 tile_items) {
  const scanrt_u64 word = table.tiles[entry];
  scanrt_segment_tile tile;
  tile.row = (scanrt_u32)(word >> 32);
  tile.number = (scanrt_u32)word;
  tile.segment = scanrt_segment_of(table, tile.row < rows ? tile.row : 0);
  tile.first = tile.segment.begin + (scanrt_u64)tile.number * tile_items;
  tile.items = 0;
  if (tile.row < rows && tile.number < tile.segment.tiles && tile.segment.base + tile.number == entry)
    tile.items = scanrt_sort_items(tile.first, tile.segment.begin + tile.segment.items, tile_items);
  return tile;
}

/* Enters a segment in the table; called by one work-item. Sets *row to its row, or to most_rows or more if there is no
 * room, and *base to its first tile. */
FUNC void scanrt_segment_add(scanrt_segment_table table, scanrt_u64 begin, scanrt_u64 items, scanrt_u64 segment_tiles,
                             scanrt_u32 *row, scanrt_u32 *base) {
  const scanrt_u64 most_tiles = SEGMENTS_MOST_TILES((scanrt_u64)table.most_rows);
  *row = ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_ROWS], 1u);
  *base = ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_TILES], (scanrt_u32)segment_tiles);
  if (*row >= table.most_rows) return;
  GLOBAL scanrt_u64 *words = table.rows + (scanrt_u64)*row * SEGMENTS_ROW_WORDS;
  const scanrt_u32 fits = *base <= most_tiles && segment_tiles <= most_tiles - *base;
  words[0] = begin;
  words[1] = items;
  words[2] = fits ? (scanrt_u64)*base << 32 | segment_tiles : 0;
  if (!fits) *row = table.most_rows;
  if (!fits || segment_tiles <= SEGMENTS_FEW_TILES) return;
  const scanrt_u32 many = ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_MANY], 1u);
  if (many < table.most_rows) table.many[many] = *row;
}

/* The index of the first number of a segment's digit; the numbers of its tiles follow one another. */
#define DIGIT_NUMBERS(segment, d) ((segment).base * SORT_DIGITS + (scanrt_u64)(d) * (segment).tiles)
/* The index of the number of a digit's keys in a segment with many tiles. */
#define DIGIT_TOTAL(row, d) ((SEGMENTS_MOST_TILES((scanrt_u64)tiles) + (row)) * SORT_DIGITS + (d))
#endif
