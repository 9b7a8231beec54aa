/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of segments, each by itself: arguments and geometry for the kernels (sort_segments.cl) and
 * runtime/strategy/sort/sort_segments.c. `marks` has count + 1 offsets, of 4 or 8 bytes: segment s has the keys from
 * offset s to offset s + 1.
 *
 * The first launch sorts every segment that fits a tile, or by warps (sort_segments_warps.cl) all of up to 32 times
 * SEGMENTS_RUN_KEYS keys. Work-group g takes those that begin in keys g * step_items to
 * (g + 1) * step_items, all that fit its tile at once, and enters larger ones in a table. Each pass over the table has
 * three launches, as in sort.h: counts of tiles, places in the segment, keys. All work-groups walk the table, whose
 * length the host does not know. A key in no segment is not read. Whatever the offsets are, nothing is written past the
 * keys.
 *
 * Where work-items exchange by PTX, and on CUDA, a pass over the table is one launch whose work-groups look back
 * (sort_segments_digits.cl, or on CUDA kernels_cu/sort/sort_segments_onesweep.cuh), after one that sorts segments that
 * fit its larger tile, one that counts all digits, and one that finds where they begin. On CUDA, if segments are large
 * on average, or few and too large for warps, the launch for the larger tile is the first one. Few keys on CUDA are
 * ranked among those of their segments (kernels_cu/sort/sort_ranked.cuh). */
#ifndef SCANRT_CL_SORT_SEGMENTS_H
#define SCANRT_CL_SORT_SEGMENTS_H

#include "sort/sort.h"

/* tile_items: keys of the table's tiles; `tiles`: rows that the table has room for; part_tiles: tiles of a row;
 * `part`: of the rows that a launch takes; in the first launch the fewest keys of a listed segment, then, and with
 * SORT_HELD_FIRST, the most of one that does not become rows; step_items: see above; by warps, segments that fit a run
 * whatever they have; for listed segments the fewest keys. */
#define SORT_SEGMENTS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                   \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, keys_spare)                                                                                             \
  NEXT(MEMORY, digits)                                                                                                 \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(MEMORY, n_overflow)                                                                                             \
  NEXT(MEMORY, marks)                                                                                                  \
  NEXT(MEMORY, values_in)                                                                                              \
  NEXT(MEMORY, values_out)                                                                                             \
  NEXT(MEMORY, values_spare)                                                                                           \
  NEXT(U64, n)                                                                                                         \
  NEXT(U64, count)                                                                                                     \
  NEXT(U32, step_items)                                                                                                \
  NEXT(U32, tile_items)                                                                                                \
  NEXT(U32, tiles)                                                                                                     \
  NEXT(U32, part_tiles) NEXT(U32, part) NEXT(U32, pass) NEXT(U32, first_bit) NEXT(U32, end_bit) NEXT(U32, flags)

/* `digits` is the table: 32-bit counters and tickets of launches, which are 0 before the first launch; then, in 64-bit
 * words, rows, the numbers of the rows with many tiles, and a word a tile (the row, and the tile's number in it). A
 * segment in the table has more than `keys` keys, and a tile has room for no fewer, which bounds both numbers.
 *
 * A row is a segment or, where work-groups look back, a part of part_tiles tiles of one: where it begins, its keys, its
 * first tile with the number of its tiles, its number in the segment with the number of the segment's rows, and a bit
 * for each pass that orders the segment. Segments that fit a tile of the table are listed behind, where each begins and
 * its keys. */
#define SEGMENTS_COUNTER_BYTES 320
#define SEGMENTS_COUNT_TILES 0
#define SEGMENTS_COUNT_ROWS 1
#define SEGMENTS_COUNT_MANY 2
#define SEGMENTS_COUNT_HELD 3
#define SEGMENTS_COUNT_REPAIRS 4
#define SEGMENTS_TICKET(launch) (8 + (launch)) /* less than SEGMENTS_COUNTER_BYTES / 4 */
#define SEGMENTS_MOST_ROWS(n, keys) ((n) / (keys) + 1)
#define SEGMENTS_MOST_TILES(rows) (2 * (rows))
#define SEGMENTS_WORD_ROWS (SEGMENTS_COUNTER_BYTES / 8)
#define SEGMENTS_ROW_WORDS 5
#define SEGMENTS_HELD_WORDS 2
#define SEGMENTS_WORD_MANY(rows) (SEGMENTS_WORD_ROWS + SEGMENTS_ROW_WORDS * (rows))
#define SEGMENTS_WORD_TILES(rows) (SEGMENTS_WORD_MANY(rows) + (rows))
#define SEGMENTS_WORD_HELD(rows) (SEGMENTS_WORD_TILES(rows) + SEGMENTS_MOST_TILES(rows))
#define SEGMENTS_WORDS(rows, held) (SEGMENTS_WORD_HELD(rows) + SEGMENTS_HELD_WORDS * (held))

/* The keys that a work-item sorts in registers; 32 of them sort a run. */
#define SEGMENTS_RUN_KEYS(key) ((key) == 8 ? 8u : 16u)
/* Local memory of sort_segments_warps.cl. */
#define SEGMENTS_WARPS_BYTES(items, key) (((items)*33 / 32 + 33) * SEGMENTS_RUN_KEYS(key) * ((key) + 2) + 4 * (items))

/* The workspace where work-groups look back, in 32-bit words: for each row and pass a number for each digit, 8 bytes
 * each with SORT_WIDE_COUNTS; then two look-back states (SORT_LOOK_PARTIAL) of the table's tiles. The numbers are the
 * keys of a segment, in its first row; then where a row's keys of a digit go in the segment. */
#define SEGMENTS_COUNTS(rows, passes) ((rows) * (passes)*SORT_DIGITS)
#define SEGMENTS_STATE_WORDS(rows) (SEGMENTS_MOST_TILES(rows) * SORT_DIGITS)

/* The keys of a work-item of sort_segments_held.cl, and its local memory. CUDA's work-groups have SORT_HELD_ITEMS
 * work-items. A segment's keys have numbers of 16 bits. */
#define SORT_HELD_KEYS(items, key, value)                                                                              \
  ((items) != SORT_HELD_ITEMS ? SORT_LOOK_KEYS(key, value) : (key) == 8 ? 14 : 28)
#define SORT_HELD_BYTES(items, key, value)                                                                             \
  ((items)*SORT_HELD_KEYS(items, key, value) * ((key) + ((value) != 0 ? 2 : 0)) + (items) / 32 * 4 * SORT_DIGITS +     \
   8 * (items) + 64)
#define SORT_HELD_ITEMS 384
#define SORT_ROW_BYTES(key) ((key)*SORT_DIGITS * 16) /* the counters of all digits in sort_segments_digits.cl */

/* The workspace elsewhere: a number for each digit of each tile, where a segment's digits follow one another; then, for
 * each segment with many tiles, the number of keys of each digit. */
#define SEGMENTS_NUMBERS(rows) ((SEGMENTS_MOST_TILES(rows) + (rows)) * SORT_DIGITS)

/* Up to this many tiles, one work-group makes all places of a segment; with more tiles, work-groups share its
 * digits. */
#define SEGMENTS_FEW_TILES 64

/* Up to this many keys, a single work-item compares each key of a segment with the others. Work-groups do so with up to
 * 32 keys, a word's bits. */
#define SEGMENTS_RANKED_ITEMS 128

/* The keys of a tile in which segments begin; the rest is for the end of the last segment. */
#define SEGMENTS_STEP(tile) ((tile) / 4 * 3)

/* A bit of `flags`, on CUDA: sort_segments_held.cl is the first launch. A work-group sorts each segment of up to `part`
 * keys, and lists the others. */
#define SORT_HELD_FIRST 2097152u
#endif
