/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction of elements whose bits are known (select.h). select_bits counts the bits of each tile; select_ends makes
 * and counts the bits of runs' last elements from those of their first ones; select_places turns counts into places;
 * select_move and select_index write the elements or their indices. SCAN_TYPE is the unsigned integer that elements are
 * made of. Kept elements and the rest keep their order. */
#include "lib/group_sums.h"
#include "lib/types.h"
#include "select/select_tile.h"

#if !TYPE_IS_UNSIGNED(SCAN_TYPE)
#error "elements are moved as unsigned integers"
#endif
#define ELEMENT_T TYPE_T(SCAN_TYPE)

/* ---- counts and places ---- */

KERNEL(select_bits)(PARAMETERS(SELECT_MARK_ARGUMENTS)) {
  const scanrt_u64 all = SELECT_N(), first = (scanrt_u64)GROUP() * TILE_ITEMS;
  GLOBAL const scanrt_u32 *words = (GLOBAL const scanrt_u32 *)MEMORY(marks) + first / 32;
  GLOBAL scanrt_u64 *counts = (GLOBAL scanrt_u64 *)MEMORY(workspace);
  scanrt_u32 count = 0;
#if SCAN_GROUP_ITEMS > 1
  LOCAL_ARRAY(scanrt_u32, sums, SCAN_GROUP_ITEMS);
#endif
  (void)MEMORY(segment_flags);
  const scanrt_u32 items = scanrt_select_items(first, all);
  for (scanrt_u32 w = ITEM(); w * 32 < items; w += SCAN_GROUP_ITEMS)
    count += BIT_COUNT(scanrt_select_word(words, w, items));
#if SCAN_GROUP_ITEMS > 1
  count = scanrt_select_sum(count, sums);
#endif
  if (ITEM() == 0) counts[GROUP()] = count;
}

/* Returns word w of the bits of runs' last elements. `run_starts` has the bits of their first ones. */
FUNC scanrt_u32 scanrt_select_ends_word(GLOBAL const scanrt_u32 *run_starts, scanrt_u64 w, scanrt_u64 all) {
  const scanrt_u64 left = all - w * 32;
  if (left > 32) return run_starts[w] >> 1 | run_starts[w + 1] << 31;
  const scanrt_u32 end = 1u << (left - 1);
  return (run_starts[w] >> 1 & (end - 1)) | end;
}

KERNEL(select_ends)(PARAMETERS(SELECT_MARK_ARGUMENTS)) {
  const scanrt_u64 all = SELECT_N(), first = (scanrt_u64)GROUP() * TILE_ITEMS;
  GLOBAL const scanrt_u32 *run_starts = (GLOBAL const scanrt_u32 *)MEMORY(marks);
  GLOBAL scanrt_u32 *words = (GLOBAL scanrt_u32 *)MEMORY(segment_flags) + first / 32;
  GLOBAL scanrt_u64 *counts = (GLOBAL scanrt_u64 *)MEMORY(workspace);
  scanrt_u32 count = 0;
#if SCAN_GROUP_ITEMS > 1
  LOCAL_ARRAY(scanrt_u32, sums, SCAN_GROUP_ITEMS);
#endif
  const scanrt_u32 items = scanrt_select_items(first, all);
  for (scanrt_u32 w = ITEM(); w * 32 < items; w += SCAN_GROUP_ITEMS) {
    words[w] = scanrt_select_ends_word(run_starts, first / 32 + w, all);
    count += BIT_COUNT(words[w]);
  }
#if SCAN_GROUP_ITEMS > 1
  count = scanrt_select_sum(count, sums);
#endif
  if (ITEM() == 0) counts[GROUP()] = count;
}

#if SCAN_GROUP_ITEMS == 1
/* Replaces the tiles' counts by their places; returns the total. */
FUNC scanrt_u64 scanrt_select_make_places(GLOBAL scanrt_u64 *counts, scanrt_u64 tiles) {
  scanrt_u64 sum = 0;
  for (scanrt_u64 t = 0; t < tiles; t++) {
    const scanrt_u64 count = counts[t];
    counts[t] = sum;
    sum += count;
  }
  return sum;
}
#else
#define COUNTS 8 /* counts that a work-item takes at once */

FUNC scanrt_u64 scanrt_select_make_places(GLOBAL scanrt_u64 *counts, scanrt_u64 tiles, LOCAL scanrt_u64 *sums) {
  scanrt_u64 all = 0;
  for (scanrt_u64 turn = 0; turn < tiles; turn += COUNTS * SCAN_GROUP_ITEMS) {
    const scanrt_u64 first = turn + ITEM() * COUNTS;
    scanrt_u64 count[COUNTS], own = 0, sum;
    UNROLL
    for (scanrt_u32 k = 0; k < COUNTS; k++) {
      count[k] = first + k < tiles ? counts[first + k] : 0;
      own += count[k];
    }
    scanrt_u64 place = all + scanrt_group_before(own, sums, &sum);
    UNROLL
    for (scanrt_u32 k = 0; k < COUNTS; k++) {
      if (first + k < tiles) counts[first + k] = place;
      place += count[k];
    }
    all += sum;
  }
  return all;
}
#endif

KERNEL(select_places)(PARAMETERS(SELECT_PLACES_ARGUMENTS)) {
  const scanrt_u64 tiles = SELECT_TILES(SELECT_N());
  GLOBAL scanrt_u64 *counts = (GLOBAL scanrt_u64 *)MEMORY(workspace);
  GLOBAL const scanrt_u64 *from = (GLOBAL const scanrt_u64 *)MEMORY(n_from);
  GLOBAL scanrt_u64 *n_overflow = (GLOBAL scanrt_u64 *)MEMORY(n_overflow);
#if SCAN_GROUP_ITEMS > 1
  LOCAL_ARRAY(scanrt_u64, sums, SCAN_GROUP_ITEMS);
  const scanrt_u64 sum = scanrt_select_make_places(counts, tiles, sums);
#else
  const scanrt_u64 sum = scanrt_select_make_places(counts, tiles);
#endif
  if (ITEM() != 0) return;
  counts[tiles] = sum;
  *(GLOBAL scanrt_u64 *)MEMORY(kept) = sum;
  if (flags & SELECT_N_FROM && *from > n && *from > *n_overflow) *n_overflow = *from;
}

/* ---- elements ---- */

/* The destination of a tile's kept elements, or of the rest: `left` elements go to place `at` and on. */
typedef struct scanrt_select_side {
  GLOBAL ELEMENT_T *to;
  scanrt_u64 at;
  scanrt_u32 left;
} scanrt_select_side;

FUNC scanrt_select_side scanrt_select_side_of(GLOBAL ELEMENT_T *to, scanrt_u64 at, scanrt_u32 count,
                                              scanrt_u64 capacity) {
  scanrt_select_side side;
  side.to = to;
  side.at = at;
  side.left = count;
  if (at + count > capacity) side.left = at < capacity ? (scanrt_u32)capacity - (scanrt_u32)at : 0;
  return side;
}

/* Piece p of element i; an index has one piece. */
#define PIECE(in, i, p, element_words, is_index) ((is_index) ? (ELEMENT_T)(i) : (in)[(i) * (element_words) + (p)])

/* Declares a tile and its bits. */
#define OPEN()                                                                                                         \
  const scanrt_u64 all = SELECT_N(), first = (scanrt_u64)GROUP() * TILE_ITEMS;                                         \
  GLOBAL const ELEMENT_T *from = (GLOBAL const ELEMENT_T *)MEMORY(in);                                                 \
  GLOBAL const scanrt_u32 *words = (GLOBAL const scanrt_u32 *)MEMORY(segment_flags) + first / 32;                      \
  GLOBAL const scanrt_u64 *places = (GLOBAL const scanrt_u64 *)MEMORY(workspace);                                      \
  const scanrt_u32 items = scanrt_select_items(first, all)
/* Declares the destinations of the tile's kept elements and of the rest. */
#define SIDES()                                                                                                        \
  const scanrt_u64 place = places[GROUP()];                                                                            \
  const scanrt_u32 count = items == 0 ? 0 : (scanrt_u32)(places[GROUP() + 1] - place);                                 \
  const scanrt_u64 behind = flags & SELECT_BEHIND ? places[SELECT_TILES(all)] : 0;                                     \
  const scanrt_select_side kept = scanrt_select_side_of((GLOBAL ELEMENT_T *)MEMORY(out), place, count, capacity);      \
  const scanrt_select_side rest = scanrt_select_side_of((GLOBAL ELEMENT_T *)MEMORY(rest), behind + (first - place),    \
                                                        flags & SELECT_REST ? items - count : 0, rest_capacity)

#if SCAN_GROUP_ITEMS == 1
#ifdef __OPENCL_VERSION__
#include "select/select_x86.h"
#endif
#if SCAN_TYPE == 6 && defined(FRONT_4) /* the host defines it where SIMD registers compress 32 elements at once */
#define FRONT(to, from, word) FRONT_4((to), (from), (word))
#elif SCAN_TYPE == 8 && defined(FRONT_8)
#define FRONT(to, from, word) FRONT_8((to), (from), (word))
#endif
#define FEW 6 /* with up to this many bits in a word, one element at a time is faster than all 32 in turn */
/* This threshold with FRONT, which takes all 32 at once, and the places that it may write. */
#ifdef FRONT_IS_EXACT
#define FEW_OF_FRONT 0
#define FRONT_ROOM(word) BIT_COUNT(word)
#else
#define FEW_OF_FRONT 2
#define FRONT_ROOM(word) 32
#endif

/* Writes the elements from i on whose bits are set, one by one. */
FUNC void scanrt_select_few(GLOBAL const ELEMENT_T *in, scanrt_u64 i, scanrt_u32 word, scanrt_select_side *side,
                            scanrt_u32 element_words, scanrt_u32 is_index) {
  scanrt_u64 at = side->at;
  scanrt_u32 left = side->left;
  for (; word != 0 && left > 0; word &= word - 1, at++, left--) {
    const scanrt_u64 k = i + LOW_BIT(word);
    for (scanrt_u32 p = 0; p < element_words; p++)
      side->to[at * element_words + p] = PIECE(in, k, p, element_words, is_index);
  }
  side->at = at;
  side->left = left;
}

/* Writes elements i to i + 31, of one piece. Each is stored at the next place, which lies within the side, and is
 * overwritten by the following one unless its bit is set. */
FUNC void scanrt_select_all(GLOBAL const ELEMENT_T *in, scanrt_u64 i, scanrt_u32 word, scanrt_select_side *side,
                            scanrt_u32 is_index) {
  GLOBAL ELEMENT_T *to = side->to + side->at;
  side->at += BIT_COUNT(word);
  side->left -= BIT_COUNT(word);
#ifdef FRONT
  if (!is_index) {
    FRONT(to, in + i, word);
    return;
  }
#endif
  UNROLL
  for (scanrt_u32 k = 0; k < 32; k++) {
    *to = PIECE(in, i + k, 0, 1, is_index);
    to += word >> k & 1;
  }
}

/* Prefetches as many bytes as 32 elements have, 2 KiB ahead: tiles are too short for the processor's own prefetch. */
FUNC void scanrt_select_ahead(GLOBAL const ELEMENT_T *in, scanrt_u32 element_words) {
#ifdef READ_AHEAD
  const scanrt_u32 bytes = 32 * element_words * (scanrt_u32)sizeof(ELEMENT_T);
  for (scanrt_u32 b = 0; b < bytes; b += 64) READ_AHEAD(ADDRESS(in) + b + 2048);
#else
  (void)in, (void)element_words;
#endif
}

/* Writes the elements of a full word to a side. */
FUNC void scanrt_select_one(GLOBAL const ELEMENT_T *in, scanrt_u64 i, scanrt_u32 word, scanrt_select_side *side,
                            scanrt_u32 element_words, scanrt_u32 is_index) {
#ifdef FRONT
  const scanrt_u32 few = is_index ? FEW : FEW_OF_FRONT, room = is_index ? 32 : FRONT_ROOM(word);
#else
  const scanrt_u32 few = FEW, room = 32;
#endif
  if (element_words == 1 && BIT_COUNT(word) > few && side->left >= room)
    scanrt_select_all(in, i, word, side, is_index);
  else
    scanrt_select_few(in, i, word, side, element_words, is_index);
}

/* Writes elements of several words to both sides, each element to its own. With one side after the other, work-items
 * that run a loop together would take as many iterations as the fullest of each side, up to twice the elements, which
 * is more than llvmpipe allows (caps.c). */
FUNC void scanrt_select_both(GLOBAL const ELEMENT_T *in, scanrt_u64 i, scanrt_u32 word, scanrt_u32 items,
                             scanrt_select_side *kept, scanrt_select_side *rest, scanrt_u32 element_words) {
  scanrt_select_side sides[2];
  sides[0] = *rest;
  sides[1] = *kept;
  for (scanrt_u32 k = 0; k < items; k++) {
    const scanrt_u32 s = word >> k & 1, wanted = sides[s].left > 0 ? element_words : 0;
    GLOBAL ELEMENT_T *to = sides[s].to + sides[s].at * element_words;
    for (scanrt_u32 p = 0; p < wanted; p++) to[p] = in[(i + k) * element_words + p];
    sides[s].at += wanted > 0;
    sides[s].left -= wanted > 0;
  }
  *rest = sides[0];
  *kept = sides[1];
}

FUNC void scanrt_select_walk(GLOBAL const ELEMENT_T *in, GLOBAL const scanrt_u32 *words, scanrt_u64 first,
                             scanrt_u32 items, scanrt_select_side kept, scanrt_select_side rest, scanrt_u32 flags,
                             scanrt_u32 element_words, scanrt_u32 is_index) {
  const scanrt_u32 full = items / 32, has_rest = flags & SELECT_REST;
  for (scanrt_u32 w = 0; w < full; w++) {
    const scanrt_u32 word = words[w];
    const scanrt_u64 i = first + w * 32;
    if (word == 0 && !has_rest) continue;
    if (!is_index && word != 0) scanrt_select_ahead(in + i * element_words, element_words);
    if (has_rest && element_words > 2) {
      scanrt_select_both(in, i, word, 32, &kept, &rest, element_words);
      continue;
    }
    scanrt_select_one(in, i, word, &kept, element_words, is_index);
    if (has_rest) scanrt_select_one(in, i, ~word, &rest, element_words, is_index);
  }
  if (items % 32 == 0) return;
  const scanrt_u32 valid = (1u << items % 32) - 1, last = words[full] & valid;
  scanrt_select_few(in, first + full * 32, last, &kept, element_words, is_index);
  if (has_rest) scanrt_select_few(in, first + full * 32, valid & ~last, &rest, element_words, is_index);
}

KERNEL(select_move)(PARAMETERS(SELECT_MOVE_ARGUMENTS)) {
  OPEN();
  SIDES();
  if (element_words == 1)
    scanrt_select_walk(from, words, first, items, kept, rest, flags, 1, 0);
  else if (element_words == 2)
    scanrt_select_walk(from, words, first, items, kept, rest, flags, 2, 0);
  else
    scanrt_select_walk(from, words, first, items, kept, rest, flags, element_words, 0);
}

KERNEL(select_index)(PARAMETERS(SELECT_MOVE_ARGUMENTS)) {
  OPEN();
  SIDES();
  (void)element_words;
  scanrt_select_walk(from, words, first, items, kept, rest, flags, 1, 1);
}
#else

/* A tile in local memory: its words, the numbers of kept elements up to each word (a scan alternates between two
 * copies), and its elements in the order in which they are written, kept ones first. */
typedef struct scanrt_select_list {
  scanrt_u32 word[SELECT_TILE_ITEMS / 32];
  scanrt_u32 before[2][SELECT_TILE_ITEMS / 32];
  scanrt_u16 element[SELECT_TILE_ITEMS];
} scanrt_select_list;

/* Scans the words' counts inclusively; returns the index of the copy with the result. */
FUNC scanrt_u32 scanrt_select_ranks(LOCAL scanrt_select_list *list) {
  scanrt_u32 turn = 0;
  for (scanrt_u32 d = 1; d < TILE_WORDS; d *= 2, turn ^= 1) {
    for (scanrt_u32 w = ITEM(); w < TILE_WORDS; w += SCAN_GROUP_ITEMS)
      list->before[turn ^ 1][w] = list->before[turn][w] + (w >= d ? list->before[turn][w - d] : 0);
    BARRIER();
  }
  return turn;
}

FUNC void scanrt_select_order(GLOBAL const scanrt_u32 *words, scanrt_u32 items, LOCAL scanrt_select_list *list) {
  for (scanrt_u32 w = ITEM(); w < TILE_WORDS; w += SCAN_GROUP_ITEMS) {
    const scanrt_u32 word = scanrt_select_word(words, w, items);
    list->word[w] = word;
    list->before[0][w] = BIT_COUNT(word);
  }
  BARRIER();
  const scanrt_u32 turn = scanrt_select_ranks(list), count = list->before[turn][TILE_WORDS - 1];
  for (scanrt_u32 e = ITEM(); e < items; e += SCAN_GROUP_ITEMS) {
    const scanrt_u32 word = list->word[e / 32], bit = 1u << e % 32;
    const scanrt_u32 rank = list->before[turn][e / 32] - BIT_COUNT(word & ~(bit - 1));
    list->element[word & bit ? rank : count + (e - rank)] = (scanrt_u16)e;
  }
  BARRIER();
}

/* Writes the elements of one side piece by piece, so that work-items store side by side. */
FUNC void scanrt_select_write(GLOBAL const ELEMENT_T *in, scanrt_u64 first, LOCAL const scanrt_u16 *element,
                              scanrt_select_side side, scanrt_u32 element_words, scanrt_u32 is_index) {
  const scanrt_u32 all = side.left * element_words;
  GLOBAL ELEMENT_T *to = side.to + side.at * element_words;
  for (scanrt_u32 p = ITEM(); p < all; p += SCAN_GROUP_ITEMS) {
    const scanrt_u32 r = element_words == 1 ? p : p / element_words;
    const scanrt_u64 i = first + element[r];
    to[p] = PIECE(in, i, p - r * element_words, element_words, is_index);
  }
}

KERNEL(select_move)(PARAMETERS(SELECT_MOVE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_select_list, list, 1);
  OPEN();
  scanrt_select_order(words, items, list);
  SIDES();
  scanrt_select_write(from, first, list->element, kept, element_words, 0);
  scanrt_select_write(from, first, list->element + count, rest, element_words, 0);
}

KERNEL(select_index)(PARAMETERS(SELECT_MOVE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_select_list, list, 1);
  OPEN();
  (void)element_words;
  scanrt_select_order(words, items, list);
  SIDES();
  scanrt_select_write(from, first, list->element, kept, 1, 1);
  scanrt_select_write(from, first, list->element + count, rest, 1, 1);
}
#endif

/* ---- lengths of runs ---- */

#if SCAN_TYPE == 6 || SCAN_TYPE == 8
#include "select/select_lengths.h"
#define LENGTHS_KERNEL(ROW) ROW(select_lengths, SELECT_LENGTHS_ARGUMENTS)
#else
#define LENGTHS_KERNEL(ROW)
#endif

#define PRIMITIVE_KERNELS(ROW)                                                                                         \
  ROW(select_bits, SELECT_MARK_ARGUMENTS)                                                                              \
  ROW(select_ends, SELECT_MARK_ARGUMENTS)                                                                              \
  ROW(select_places, SELECT_PLACES_ARGUMENTS)                                                                          \
  ROW(select_move, SELECT_MOVE_ARGUMENTS) ROW(select_index, SELECT_MOVE_ARGUMENTS) LENGTHS_KERNEL(ROW)
