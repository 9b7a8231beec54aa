/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by look-back: a tile of keys in a work-group's local memory, ranked by one digit. */
#ifndef SCANRT_CL_SORT_LOOK_TILE_H
#define SCANRT_CL_SORT_LOOK_TILE_H

#include "lib/test_hooks.h"
#include "sort/sort_look_keys.h"

#define LOOK_ROWS 2  /* rows that are ranked at once */
#define LOOK_TILES 4 /* tiles whose words are loaded at once */
#define LOOK_POLLS (1u << 20)

/* A place in the output. LOOK_IS_IN is 1 if a key may be written there: always, if the tiles' counts are right. */
#ifndef LOOK_PLACE_T
#define LOOK_PLACE_T scanrt_u32
#define LOOK_IS_IN(buffers, at) 1
#endif

#if defined SCAN_PTX && SCAN_PTX && defined __OPENCL_VERSION__
FUNC void scanrt_sort_put(volatile GLOBAL scanrt_u32 *p, scanrt_u32 x) {
  __asm__ __volatile__("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
}
#else
#define scanrt_sort_put(p, x) ATOMIC_STORE(p, x)
#endif

typedef union scanrt_sort_slots {
  KEY_T key[LOOK_TILE];
#if VALUE_BYTES
  scanrt_sort_value value[LOOK_TILE]; /* after the keys are written */
#endif
} scanrt_sort_slots;

typedef struct scanrt_sort_look {
  scanrt_sort_slots slots;
  scanrt_sort_ranks ranks;
  LOOK_PLACE_T place[SORT_DIGITS]; /* a digit's place in the output, minus its place in the tile */
  scanrt_u32 tile;
} scanrt_sort_look;

/* The inputs and outputs of a pass. */
typedef struct scanrt_sort_buffers {
  GLOBAL const KEY_T *keys;
  GLOBAL KEY_T *keys_to;
  GLOBAL const scanrt_sort_value *values;
  GLOBAL scanrt_sort_value *values_to;
  LOOK_PLACE_T first, all; /* the part has keys first to first + n - 1 of `all` */
  scanrt_u32 n, flips, flips_back, makes_values;
} scanrt_sort_buffers;

/* Returns the number of keys of the tile that have the digit. */
FUNC scanrt_u32 scanrt_sort_recount(scanrt_sort_buffers buffers, scanrt_u32 tile, scanrt_u32 digit,
                                    scanrt_sort_order order) {
  scanrt_u32 count = 0;
  NO_UNROLL
  for (scanrt_u32 i = 0; i < LOOK_TILE; i++) {
    KEY_T key = buffers.keys[tile * LOOK_TILE + i];
    if (buffers.flips) key = scanrt_sort_flip(key, order);
    count += LOOK_DIGIT(key) == digit;
  }
  return count;
}

/* Returns the number of keys in the tiles before that have the digit. */
FUNC scanrt_u32 scanrt_sort_lookback_prefix(GLOBAL scanrt_u32 *lookback_words, scanrt_u32 tile, scanrt_u32 digit,
                                            scanrt_sort_buffers buffers, scanrt_sort_order order) {
  scanrt_u32 sum = 0, left = tile, polls = 0;
  NO_UNROLL
  while (left > 0) {
    scanrt_u32 seen[LOOK_TILES], continues = 1;
    const scanrt_u32 from = left;
    UNROLL
    for (scanrt_u32 i = 0; i < LOOK_TILES; i++)
      seen[i] = from > i ? ATOMIC_LOAD(lookback_words + (from - 1 - i) * SORT_DIGITS + digit) : SORT_LOOK_INCLUSIVE;
    UNROLL
    for (scanrt_u32 i = 0; i < LOOK_TILES; i++) {
      if (seen[i] == 0) continues = 0;
      if (!continues) continue;
      sum += seen[i] & SORT_LOOK_VALUE;
      left--;
      if ((seen[i] & SORT_LOOK_INCLUSIVE) != 0) continues = left = 0;
    }
    polls = left != from ? 0 : polls + 1;
    if (polls < SPIN_LIMIT(LOOK_POLLS)) continue;
    left--;
    sum += scanrt_sort_recount(buffers, left, digit, order);
    polls = 0;
  }
  return sum;
}

/* Loads the work-item's keys; the rows of 32 keys of a warp are consecutive. Past the last key are pads of the largest
 * digit, which are counted. */
FUNC void scanrt_sort_load_keys(scanrt_sort_buffers buffers, scanrt_u32 from, scanrt_u32 is_full,
                                scanrt_sort_order order, KEY_T *key) {
  if (is_full) {
    RANKS_UNROLL
    for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) key[u] = LOAD_STREAM(buffers.keys + from + u * 32);
  } else {
    RANKS_UNROLL
    for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) key[u] = from + u * 32 < buffers.n ? buffers.keys[from + u * 32] : 0;
  }
  if (buffers.flips) {
    RANKS_UNROLL
    for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) key[u] = scanrt_sort_flip(key[u], order);
  }
  if (!is_full) {
    RANKS_UNROLL
    for (scanrt_u32 u = 0; u < LOOK_KEYS; u++)
      if (from + u * 32 >= buffers.n) key[u] = LOOK_PAD;
  }
}

FUNC void scanrt_sort_load_values(scanrt_sort_buffers buffers, scanrt_u32 from, scanrt_sort_value *value) {
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) {
    const scanrt_u32 i = from + u * 32;
    value[u] = buffers.makes_values ? (scanrt_sort_value)(buffers.first + i)
               : i < buffers.n      ? LOAD_STREAM(buffers.values + i)
                                    : 0;
  }
}

/* Copies a tile to the same place in the output, in a pass that only moves. */
FUNC void scanrt_sort_copy(scanrt_sort_buffers buffers, scanrt_u32 first, scanrt_sort_order order) {
  NO_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) {
    const scanrt_u32 i = first + u * SCAN_GROUP_ITEMS + ITEM();
    if (i >= buffers.n) return;
    KEY_T key = buffers.keys[i];
    if (buffers.flips) key = scanrt_sort_flip(key, order);
    if (buffers.flips_back) key = scanrt_sort_flip_back(key, order);
    buffers.keys_to[buffers.first + i] = key;
#if VALUE_BYTES
    buffers.values_to[buffers.first + i] =
        buffers.makes_values ? (scanrt_sort_value)(buffers.first + i) : buffers.values[i];
#endif
  }
}

/* Publishes the tile's counts. Returns the count of the work-item's digit and sets *begin to where that digit begins in
 * the tile. The counters become where each warp's keys of a digit begin. */
FUNC scanrt_u32 scanrt_sort_publish(LOCAL scanrt_sort_look *look, GLOBAL scanrt_u32 *lookback_words, scanrt_u32 tile,
                                    scanrt_u32 *begin) {
  scanrt_u32 count[RANK_WARPS];
  STALL_OVER(lookback_words + tile * SORT_DIGITS, tile);
  const scanrt_u32 total = scanrt_ranks_total(&look->ranks, count);
  if (ITEM() < SORT_DIGITS && PUBLISHES(tile))
    scanrt_sort_put(lookback_words + tile * SORT_DIGITS + ITEM(),
                    (tile == 0 ? SORT_LOOK_INCLUSIVE : SORT_LOOK_PARTIAL) | total);
  *begin = scanrt_ranks_begins(&look->ranks, count, total);
  return total;
}

/* Sets each key's rank among the warp's keys of its digit. */
FUNC void scanrt_sort_rank_tile(LOCAL scanrt_sort_look *look, const KEY_T *key, scanrt_sort_order order,
                                scanrt_u32 *rank) {
  RANKS_UNROLL
  for (scanrt_u32 q = 0; q < LOOK_KEYS; q += LOOK_ROWS) {
    scanrt_u32 digit[LOOK_ROWS], found[LOOK_ROWS];
    UNROLL
    for (scanrt_u32 u = 0; u < LOOK_ROWS; u++) digit[u] = LOOK_DIGIT(key[q + u]);
    scanrt_sort_rank_rows(&look->ranks, digit, found, LOOK_ROWS);
    UNROLL
    for (scanrt_u32 u = 0; u < LOOK_ROWS; u++) PACK(rank, q + u, found[u]);
  }
}

/* Stores keys at their slots of the sorted tile. Where there are values, the slots replace the ranks for them. */
FUNC void scanrt_sort_order_tile(LOCAL scanrt_sort_look *look, const KEY_T *key, scanrt_sort_order order,
                                 scanrt_u32 *slot) {
  LOCAL const scanrt_u32 *begin = look->ranks.counter + ITEM() / 32 * SORT_DIGITS;
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) {
    const scanrt_u32 at = UNPACK(slot, u) + begin[LOOK_DIGIT(key[u])];
    look->slots.key[at] = key[u];
#if VALUE_BYTES
    slot[u / 2] = u % 2 != 0 ? (slot[u / 2] & 0xffffu) | at << 16 : (slot[u / 2] & 0xffff0000u) | at;
#endif
  }
}

/* Writes the keys of the sorted tile. `digits` gets the digits of the slots that the work-item writes, four to a
 * register. */
FUNC void scanrt_sort_write_keys(LOCAL const scanrt_sort_look *look, scanrt_sort_buffers buffers, scanrt_u32 items,
                                 scanrt_sort_order order, scanrt_u32 *digits) {
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) {
    const scanrt_u32 i = u * SCAN_GROUP_ITEMS + ITEM();
    const KEY_T key = look->slots.key[i];
    const scanrt_u32 digit = LOOK_DIGIT(key);
    const LOOK_PLACE_T at = look->place[digit] + i;
    if (i < items && LOOK_IS_IN(buffers, at))
      buffers.keys_to[at] = buffers.flips_back ? scanrt_sort_flip_back(key, order) : key;
    digits[u / 4] = u % 4 != 0 ? digits[u / 4] | digit << u % 4 * 8 : digit;
  }
}

#if VALUE_BYTES
/* Loads values, late to save registers, and writes them in order. `own` is the index of the work-item's first one. */
FUNC void scanrt_sort_write_values(LOCAL scanrt_sort_look *look, scanrt_sort_buffers buffers, scanrt_u32 own,
                                   scanrt_u32 items, const scanrt_u32 *slot, const scanrt_u32 *digits) {
  scanrt_sort_value value[LOOK_KEYS];
  scanrt_sort_load_values(buffers, own, value);
  BARRIER();
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) look->slots.value[UNPACK(slot, u)] = value[u];
  BARRIER();
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) {
    const scanrt_u32 i = u * SCAN_GROUP_ITEMS + ITEM();
    const LOOK_PLACE_T at = look->place[digits[u / 4] >> u % 4 * 8 & 0xffu] + i;
    if (i < items && LOOK_IS_IN(buffers, at)) buffers.values_to[at] = look->slots.value[i];
  }
}
#endif
#endif
