/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of segments, each by itself, as the kernels (sort_segments.cl) and runtime/strategy/sort_segments.c both
 * know it. `marks` has count + 1 offsets, of 4 or 8 bytes: segment s has the keys from offset s to the next one.
 *
 * The first launch sorts every segment that a tile holds: work-group g takes those that begin in keys g * step_items to
 * (g + 1) * step_items, all that fit in its tile at once. Of larger ones it makes a table, by which each pass of the
 * others has three launches, as in sort.h: counts of tiles, places in the segment, keys. Where work-items exchange by
 * PTX and in CUDA, launches sort the table's tiles and merge them (sort_segments_runs.cl). All work-groups go over the
 * table, whose length no host knows. A key that no segment has is not looked at. Whatever the offsets are, nothing is
 * written past the keys. */
#ifndef SCANRT_CL_SORT_SEGMENTS_H
#define SCANRT_CL_SORT_SEGMENTS_H

#include "sort.h"

/* tile_items: keys of the table's tiles; `tiles`: segments that it has room for. */
#define SORT_SEGMENTS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                   \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, keys_spare)                                                                                             \
  NEXT(MEMORY, digits)                                                                                                 \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(MEMORY, excess)                                                                                                 \
  NEXT(MEMORY, marks)                                                                                                  \
  NEXT(MEMORY, values_in)                                                                                              \
  NEXT(MEMORY, values_out)                                                                                             \
  NEXT(MEMORY, values_spare)                                                                                           \
  NEXT(U64, n)                                                                                                         \
  NEXT(U64, count)                                                                                                     \
  NEXT(U32, step_items)                                                                                                \
  NEXT(U32, tile_items)                                                                                                \
  NEXT(U32, tiles) NEXT(U32, pass) NEXT(U32, first_bit) NEXT(U32, end_bit) NEXT(U32, flags)

/* `digits`, the table: three 32-bit counters, which are 0 before the first launch; then, in 64-bit words, three of each
 * segment: where it begins, its keys, and its first tile with how many there are; the numbers of those segments that
 * have many tiles; and a word of each tile: the segment, and the tile's number in it. Segments that the first launch
 * leaves have more than `keys` keys, and no tile has fewer. */
#define SEGMENTS_COUNTER_BYTES 64
#define SEGMENTS_COUNT_TILES 0
#define SEGMENTS_COUNT_ROWS 1
#define SEGMENTS_COUNT_MANY 2
#define SEGMENTS_MOST_ROWS(n, keys) ((n) / (keys) + 1)
#define SEGMENTS_MOST_TILES(rows) (2 * (rows))
#define SEGMENTS_WORD_ROWS (SEGMENTS_COUNTER_BYTES / 8)
#define SEGMENTS_ROW_WORDS 3
#define SEGMENTS_WORD_MANY(rows) (SEGMENTS_WORD_ROWS + SEGMENTS_ROW_WORDS * (rows))
#define SEGMENTS_WORD_TILES(rows) (SEGMENTS_WORD_MANY(rows) + (rows))
#define SEGMENTS_WORDS(rows) (SEGMENTS_WORD_TILES(rows) + SEGMENTS_MOST_TILES(rows))

/* The workspace: for each tile a number of each digit, a segment's digits one after the other; and for each segment of
 * many tiles the keys of each digit. */
#define SEGMENTS_NUMBERS(rows) ((SEGMENTS_MOST_TILES(rows) + (rows)) * SORT_DIGITS)

/* Tiles of a segment whose places one work-group makes; those of more are shared out by digits. */
#define SEGMENTS_FEW_TILES 64

/* Keys of a segment that a work-item alone inserts one by one; work-groups compare those of up to 32, a word's bits. */
#define SEGMENTS_INSERTED_ITEMS 48

/* Of a tile so much is for where segments begin; the rest is for the end of the last one. */
#define SEGMENTS_STEP(tile) ((tile) / 4 * 3)
#endif
