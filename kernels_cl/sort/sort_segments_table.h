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
  GLOBAL scanrt_u64 *rows, *many, *tiles, *held;
  scanrt_u32 most_rows;
} scanrt_segment_table;

FUNC scanrt_segment_table scanrt_segment_table_of(GLOBAL scanrt_u8 *memory, scanrt_u32 most_rows) {
  GLOBAL scanrt_u64 *words = (GLOBAL scanrt_u64 *)memory;
  scanrt_segment_table table;
  table.counters = (GLOBAL scanrt_u32 *)memory;
  table.rows = words + SEGMENTS_WORD_ROWS;
  table.many = words + SEGMENTS_WORD_MANY((scanrt_u64)most_rows);
  table.tiles = words + SEGMENTS_WORD_TILES((scanrt_u64)most_rows);
  table.held = words + SEGMENTS_WORD_HELD((scanrt_u64)most_rows);
  table.most_rows = most_rows;
  return table;
}
#define SEGMENT_TABLE() scanrt_segment_table_of(MEMORY(digits), tiles)

/* Returns a counter, limited to `most`: if offsets descend, it may exceed the room that there is. */
FUNC scanrt_u32 scanrt_segment_count(scanrt_segment_table table, scanrt_u32 counter, scanrt_u32 most) {
  const scanrt_u32 count = table.counters[counter];
  return count < most ? count : most;
}

/* A row: a segment, or a part of one. */
typedef struct scanrt_segment {
  scanrt_u64 begin, items;
  scanrt_u64 base;        /* its first tile */
  scanrt_u32 tiles;       /* 0 if there was no room */
  scanrt_u32 part, parts; /* its number in the segment, whose rows are consecutive, and their number */
  scanrt_u32 orders;      /* a bit for each pass that orders the segment */
} scanrt_segment;

FUNC scanrt_segment scanrt_segment_of(scanrt_segment_table table, scanrt_u32 row) {
  GLOBAL const scanrt_u64 *words = table.rows + (scanrt_u64)row * SEGMENTS_ROW_WORDS;
  scanrt_segment segment;
  segment.begin = words[0];
  segment.items = words[1];
  segment.base = words[2] >> 32;
  segment.tiles = (scanrt_u32)words[2];
  segment.part = (scanrt_u32)(words[3] >> 32);
  segment.parts = (scanrt_u32)words[3];
  segment.orders = (scanrt_u32)words[4];
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

/* Takes room for `parts` rows and `segment_tiles` tiles. Sets *row to the first row, or to most_rows if there is no
 * room, and *base to the first tile. */
FUNC void scanrt_segment_take(scanrt_segment_table table, scanrt_u32 parts, scanrt_u64 segment_tiles, scanrt_u32 *row,
                              scanrt_u32 *base) {
  const scanrt_u64 most_tiles = SEGMENTS_MOST_TILES((scanrt_u64)table.most_rows);
  const scanrt_u32 first = ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_ROWS], parts);
  *base = ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_TILES], (scanrt_u32)segment_tiles);
  *row = first;
  if (first > table.most_rows || parts > table.most_rows - first || *base > most_tiles ||
      segment_tiles > most_tiles - *base)
    *row = table.most_rows;
  for (scanrt_u32 p = 0; *row == table.most_rows && p < parts && first < table.most_rows - p; p++)
    table.rows[(scanrt_u64)(first + p) * SEGMENTS_ROW_WORDS + 2] = 0; /* no tiles */
}

/* Writes a row: `items` keys from `begin` on, whose `row_tiles` tiles begin with tile `base`. */
FUNC void scanrt_segment_set(scanrt_segment_table table, scanrt_u32 row, scanrt_u64 begin, scanrt_u64 items,
                             scanrt_u64 base, scanrt_u64 row_tiles, scanrt_u32 part, scanrt_u32 parts) {
  GLOBAL scanrt_u64 *words = table.rows + (scanrt_u64)row * SEGMENTS_ROW_WORDS;
  words[0] = begin;
  words[1] = items;
  words[2] = base << 32 | row_tiles;
  words[3] = (scanrt_u64)part << 32 | parts;
  words[4] = 0;
  if (row_tiles > SEGMENTS_FEW_TILES) {
    const scanrt_u32 many = ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_MANY], 1u);
    if (many < table.most_rows) table.many[many] = row;
  }
}

/* Lists a segment, one work-item's, of at least `least` keys, unless there is no table. */
FUNC void scanrt_segments_list(scanrt_segment_table table, scanrt_u64 begin, scanrt_u64 items, scanrt_u64 n,
                               scanrt_u32 least) {
  if (table.most_rows == 0) return;
  const scanrt_u32 held = ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_HELD], 1u);
  if (held >= SEGMENTS_MOST_ROWS(n, least)) return; /* only if offsets descend */
  table.held[(scanrt_u64)held * SEGMENTS_HELD_WORDS] = begin;
  table.held[(scanrt_u64)held * SEGMENTS_HELD_WORDS + 1] = items;
}

/* The index of the first number of a segment's digit; the numbers of its tiles follow one another. */
#define DIGIT_NUMBERS(segment, d) ((segment).base * SORT_DIGITS + (scanrt_u64)(d) * (segment).tiles)
/* The index of the number of a digit's keys in a segment with many tiles. */
#define DIGIT_TOTAL(row, d) ((SEGMENTS_MOST_TILES((scanrt_u64)tiles) + (row)) * SORT_DIGITS + (d))

/* ---- where work-groups look back ---- */

/* The count of a digit in the workspace is a word of 4 bytes, or the lower one of 8. */
#define ROW_COUNT(row, at)                                                                                             \
  ((GLOBAL scanrt_u32 *)MEMORY(workspace) +                                                                            \
   ((SEGMENTS_COUNTS((scanrt_u64)(row), passes) + (at)) << ((flags & SORT_WIDE_COUNTS) != 0)))
/* The look-back words of an entry of the table. `state`: 0 or 1. */
#define ENTRY_WORDS(entry, state)                                                                                      \
  ((GLOBAL scanrt_u32 *)MEMORY(workspace) +                                                                            \
   (SEGMENTS_COUNTS((scanrt_u64)tiles, passes) << ((flags & SORT_WIDE_COUNTS) != 0)) +                                 \
   ((state) != 0 ? SEGMENTS_STATE_WORDS((scanrt_u64)tiles) : 0) + (scanrt_u64)(entry)*SORT_DIGITS)

#define TABLE_OPEN()                                                                                                   \
  const scanrt_segment_table table = SEGMENT_TABLE();                                                                  \
  const scanrt_u32 rows = scanrt_segment_count(table, SEGMENTS_COUNT_ROWS, tiles);                                     \
  const scanrt_u32 passes = SORT_PASSES(first_bit, end_bit)
#define TABLE_ENTRIES() scanrt_segment_count(table, SEGMENTS_COUNT_TILES, SEGMENTS_MOST_TILES(tiles))
#endif
