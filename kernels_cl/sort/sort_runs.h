/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts a tile in a work-group's local memory by comparisons, where 32 consecutive work-items (a "warp") exchange by
 * shuffles. Runs of up to RUN_MOST keys are sorted in registers, by 1 to 32 lanes; pairs of runs are merged along their
 * merge path (Green, McColl and Bader, 2012). */
#ifndef SCANRT_CL_SORT_RUNS_H
#define SCANRT_CL_SORT_RUNS_H

#include "sort/sort_move.h"
#include "sort/sort_network.h"

/* The work-items that share a tile: the work-group's. With RUN_BY_WARPS each warp has RUN_MOST keys of the tile for
 * itself, from key RUN_BASE on: the same places, skewed or not. */
#ifdef RUN_BY_WARPS
#define RUN_ITEMS 32u
#define RUN_ITEM() (ITEM() % 32)
#define RUN_BASE(is_skewed) (ITEM() / 32 * ((is_skewed) ? RUN_MOST : RUN_MOST + RUN_MOST / 32))
#define RUN_BARRIER() WARP_BARRIER()
/* 1 if no work-item's key k, nor a later one, is among the first `items`; tested at every fourth one. */
#define RUN_IS_PAST(k, items) ((k) >= 8 && (k) % 4 == 0 && (k)*32 >= (items))
#else
#define RUN_ITEMS SCAN_GROUP_ITEMS
#define RUN_ITEM() ITEM()
#define RUN_BASE(is_skewed) 0u
#define RUN_BARRIER() BARRIER()
#define RUN_IS_PAST(k, items) 0
#endif

/* A tile has its keys one after the other, or "skewed": with a free place after each 32 keys, so that keys a power of
 * two apart are in different banks of local memory. RUN_AT is the place of the tile's key i, RUN_OWN that of the
 * work-item's key k, which is key RUN_BASE + k * RUN_ITEMS + RUN_ITEM(). */
#define RUN_AT(i, is_skewed) ((is_skewed) ? (i) + ((i) >> 5) : (i))
#define RUN_OWN(k, is_skewed)                                                                                          \
  ((k) * ((is_skewed) ? RUN_ITEMS + RUN_ITEMS / 32 : RUN_ITEMS) + RUN_AT(RUN_BASE(is_skewed) + RUN_ITEM(), is_skewed))

/* The places of a tile. Those of a run's pads may follow its last key. */
#define RUN_TILE_PLACES (TILE_KEYS + TILE_KEYS / 32 + RUN_MOST + RUN_ITEM_KEYS)

typedef struct scanrt_run_tile {
  KEY_T key[RUN_TILE_PLACES];         /* as integers of their order */
  scanrt_u16 number[RUN_TILE_PLACES]; /* each key's number in the unsorted tile, if RUN_HAS_NUMBERS */
} scanrt_run_tile;

/* 1 if keys have numbers. Keys of 1 and 2 bytes always have them, for smaller code; in the numeric order keys are
 * written by their numbers. */
#define RUN_HAS_NUMBERS(are_needed) (KEY_BYTES < 4 || SORT_IS_NUMERIC || (are_needed))

/* ---- a run ---- */

/* Stores the work-items' keys as integers of their order to the tile, with their numbers. */
FUNC void scanrt_runs_keep(LOCAL scanrt_run_tile *tile, const KEY_T *key, scanrt_sort_order order,
                           scanrt_u32 has_numbers) {
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = k * SCAN_GROUP_ITEMS + ITEM();
    tile->key[i] = scanrt_sort_ordered(key[k], order);
    if (has_numbers) tile->number[i] = (scanrt_u16)i;
  }
}

/* Loads a tile's keys. */
FUNC void scanrt_runs_load(LOCAL scanrt_run_tile *tile, GLOBAL const KEY_T *keys, scanrt_u32 items,
                           scanrt_sort_order order, scanrt_u32 has_numbers) {
  KEY_T key[ITEM_KEYS];
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = k * SCAN_GROUP_ITEMS + ITEM();
    key[k] = i < items ? keys[i] : 0;
  }
  scanrt_runs_keep(tile, key, order, has_numbers);
}

/* A run of the tile, and the lanes that sort it, 1 << shift of them. Each has up to `each` of its keys. */
typedef struct scanrt_run {
  scanrt_u32 begin, keys;
  scanrt_u32 lane, shift, each;
} scanrt_run;

/* A lane's keys of a run: how many there are, the first one's number in the tile and place in it, the place that
 * follows it, and how many come before the first free place. */
typedef struct scanrt_run_part {
  scanrt_u32 keys, first, at, after, unbroken;
} scanrt_run_part;

/* Returns a lane's keys of a run. All of it comes through shuffles, so that what follows from it is computed after each
 * call, instead of kept in registers from one call to the next. */
FUNC scanrt_run_part scanrt_run_part_of(scanrt_run run, scanrt_u32 is_skewed) {
  const scanrt_u32 skipped = run.lane * RUN_ITEM_KEYS, is_some = skipped < run.keys;
  scanrt_run_part part;
  part.keys = scanrt_shuffle_xor_u32(is_some ? run.keys - skipped : 0, 0);
  part.first = scanrt_shuffle_xor_u32(is_some ? run.begin + skipped : run.begin, 0);
  part.at = RUN_AT(part.first, is_skewed);
  part.after = scanrt_shuffle_xor_u32(part.at + 1, 0);
  part.unbroken = is_skewed ? 32 - part.first % 32 : RUN_ITEM_KEYS;
  return part;
}

/* Key u of a lane's keys of a run, or its number. */
#define RUN_PART(array, part, u) (*(((u) < (part).unbroken ? (array) + (part).at : (array) + (part).after) + (u)))

/* Sorts a run of 4-byte keys alone. All bits are sorted by, so that equal keys are alike. All lanes of a warp call it.
 */
FUNC void scanrt_run_sort_keys(LOCAL scanrt_run_tile *tile, scanrt_run run, scanrt_u32 is_skewed) {
  scanrt_u32 x[RUN_ITEM_KEYS];
  scanrt_run_part part = scanrt_run_part_of(run, is_skewed);
  UNROLL
  for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++) {
    if (u >= run.each) continue;
    x[u] = (scanrt_u32)RUN_PART(tile->key, part, u);
    x[u] = u < part.keys ? x[u] : ~0u;
  }
  scanrt_words_sort(x, run.each, run.lane, 1u << run.shift);
  part = scanrt_run_part_of(run, is_skewed);
  WARP_BARRIER();
  UNROLL
  for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++)
    if (u < run.each && u < part.keys) RUN_PART(tile->key, part, u) = (KEY_T)x[u];
}

/* Returns the number of bits up to the highest one that is set for any lane of a run. */
FUNC scanrt_u32 scanrt_run_width(KEY_T bits, scanrt_u32 shift) {
#if KEY_BYTES == 8
  const scanrt_u32 upper = (scanrt_u32)(bits >> 32), word = upper != 0 ? upper : (scanrt_u32)bits;
  scanrt_u32 width = word == 0 ? 0 : LAST_BIT(word) + (upper != 0 ? 33 : 1);
#else
  scanrt_u32 width = bits == 0 ? 0 : LAST_BIT(bits) + 1;
#endif
  NO_UNROLL
  for (scanrt_u32 d = 1; d < 1u << shift; d *= 2) {
    const scanrt_u32 other = scanrt_shuffle_xor_u32(width, d);
    width = other > width ? other : width;
  }
  return width;
}

/* Sorts a run of keys with their numbers, by words of some bits of a key above its place in the run. The first round
 * takes the highest bits that differ within the run. If that leaves keys out of order, more rounds take all bits that
 * differ, from the lowest on: each keeps the order of keys that have the same bits. All lanes of a warp call it. */
FUNC void scanrt_run_sort_numbers(LOCAL scanrt_run_tile *tile, scanrt_run run, KEY_T bits, scanrt_u32 has_numbers,
                                  scanrt_u32 is_skewed) {
  const scanrt_u32 place_bits = (RUN_ITEM_KEYS == 16 ? 4 : 3) + run.shift, taken = 32 - place_bits;
  const scanrt_u32 place = run.lane * RUN_ITEM_KEYS;
  NO_UNROLL
  for (scanrt_u32 round = 0;; round++) {
    scanrt_u32 x[RUN_ITEM_KEYS], is_unsorted = 0;
    KEY_T key[RUN_ITEM_KEYS], differ = 0;
    const KEY_T some = run.keys != 0 ? (KEY_T)(tile->key[RUN_AT(run.begin, is_skewed)] & bits) : 0;
    scanrt_run_part part = scanrt_run_part_of(run, is_skewed);
    UNROLL
    for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++) {
      if (u >= run.each) continue;
      key[u] = (KEY_T)(RUN_PART(tile->key, part, u) & bits);
      if (u < part.keys) differ = (KEY_T)(differ | (key[u] ^ some));
    }
    const scanrt_u32 width = scanrt_run_width(differ, run.shift), highest = width > taken ? width - taken : 0;
    const scanrt_u32 next = round == 0 ? highest : (round - 1) * taken, lowest = next < highest ? next : highest;
    UNROLL
    for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++) {
      if (u >= run.each) continue;
      x[u] = ((scanrt_u32)(key[u] >> lowest) << place_bits) + place + u;
      x[u] = u < part.keys ? x[u] : ~0u;
    }
    scanrt_words_sort(x, run.each, run.lane, 1u << run.shift);
    part = scanrt_run_part_of(run, is_skewed);
    KEY_T before = 0;
    UNROLL
    for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++) {
      if (u >= run.each) continue;
      x[u] = run.begin + (x[u] & ((1u << place_bits) - 1));
      key[u] = tile->key[RUN_AT(x[u], is_skewed)];
      const KEY_T own = (KEY_T)(key[u] & bits);
      if (u != 0 && u < part.keys) is_unsorted |= own < before;
      before = own;
    }
    if (round != 0 && has_numbers) UNROLL
    for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++)
      if (u < run.each) x[u] = tile->number[RUN_AT(x[u], is_skewed)];
    WARP_BARRIER();
    UNROLL
    for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++) {
      if (u >= run.each || u >= part.keys) continue;
      RUN_PART(tile->key, part, u) = key[u];
      if (has_numbers) RUN_PART(tile->number, part, u) = (scanrt_u16)x[u];
    }
    WARP_BARRIER();
    if (run.shift != 0 && part.keys > RUN_ITEM_KEYS) {
      const KEY_T after = (KEY_T)(tile->key[RUN_AT(part.first + RUN_ITEM_KEYS, is_skewed)] & bits);
      is_unsorted |= after < (KEY_T)(key[run.each - 1] & bits);
    }
    if (WARP_BALLOT(round == 0 ? is_unsorted : lowest < highest) == 0) break;
  }
}

/* ---- two runs ---- */

/* Two sorted runs that are merged: where they begin in the tile, and their numbers of keys. */
typedef struct scanrt_two_runs {
  scanrt_u32 first, first_keys, second, second_keys;
} scanrt_two_runs;

/* Returns how many of the first `at` keys of the merged run are the first run's. They precede equal keys of the
 * second. */
FUNC scanrt_u32 scanrt_run_split(LOCAL const scanrt_run_tile *tile, scanrt_two_runs pair, scanrt_u32 at, KEY_T bits) {
  scanrt_u32 low = at > pair.second_keys ? at - pair.second_keys : 0;
  scanrt_u32 high = at < pair.first_keys ? at : pair.first_keys;
  NO_UNROLL
  while (low < high) {
    const scanrt_u32 middle = (low + high) / 2;
    const KEY_T first = (KEY_T)(tile->key[pair.first + middle] & bits);
    const KEY_T second = (KEY_T)(tile->key[pair.second + at - 1 - middle] & bits);
    low = first <= second ? middle + 1 : low;
    high = first <= second ? high : middle;
  }
  return low;
}

/* Merges two runs into one that begins at key pair.first. A work-item makes `each` keys of it, from key `from_key` on,
 * and notes where they came from. Other work-items may merge other pairs meanwhile. */
FUNC void scanrt_run_merge(LOCAL scanrt_run_tile *tile, scanrt_two_runs pair, scanrt_u32 from_key, scanrt_u32 each,
                           KEY_T bits, scanrt_u32 has_numbers) {
  KEY_T key[ITEM_KEYS];
  scanrt_u16 from[ITEM_KEYS];
  const scanrt_u32 all = pair.first_keys + pair.second_keys, at = from_key < all ? from_key : all;
  const scanrt_u32 split = scanrt_run_split(tile, pair, at, bits);
  const scanrt_u32 first_end = pair.first + pair.first_keys, second_end = pair.second + pair.second_keys;
  scanrt_u32 i = pair.first + split, j = pair.second + at - split;
  KEY_T first = tile->key[i < TILE_KEYS ? i : 0], second = tile->key[j < TILE_KEYS ? j : 0];
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    if (k >= each || at + k >= all) break;
    const scanrt_u32 takes_second =
        i >= first_end || (j < second_end && (KEY_T)(second & bits) < (KEY_T)(first & bits));
    key[k] = takes_second ? second : first;
    from[k] = (scanrt_u16)(takes_second ? j : i);
    i += !takes_second;
    j += takes_second;
    const scanrt_u32 next = takes_second ? j : i;
    const KEY_T after = tile->key[next < TILE_KEYS ? next : 0];
    first = takes_second ? first : after;
    second = takes_second ? after : second;
  }
  if (has_numbers) UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++)
    if (k < each && at + k < all) from[k] = tile->number[from[k]];
  BARRIER();
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    if (k >= each || at + k >= all) break;
    tile->key[pair.first + at + k] = key[k];
    if (has_numbers) tile->number[pair.first + at + k] = from[k];
  }
  BARRIER();
}

/* ---- to where they belong ---- */

/* Stores x(k) for each of a work-item's keys of a tile, of which keys `low` to `items` - 1 are written. */
#define RUNS_STORE(T, array, x)                                                                                        \
  {                                                                                                                    \
    const scanrt_u32 item = RUN_ITEM(), end = items > item ? items - item : 0, begin = low > item ? low - item : 0;    \
    GLOBAL T *to = (GLOBAL T *)(array) + ends.first + item;                                                            \
    UNROLL                                                                                                             \
    for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {                                                                       \
      if (RUN_IS_PAST(k, items)) break;                                                                                \
      if (k * RUN_ITEMS < end && k * RUN_ITEMS >= begin) to[k * RUN_ITEMS] = x;                                        \
    }                                                                                                                  \
  }

/* Loads the numbers of a work-item's keys, each of which is below `items`. */
FUNC void scanrt_runs_numbers(LOCAL const scanrt_run_tile *tile, scanrt_u32 items, scanrt_u32 *number,
                              scanrt_u32 is_skewed) {
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    if (RUN_IS_PAST(k, items)) break;
    number[k] = tile->number[RUN_OWN(k, is_skewed)] - RUN_BASE(is_skewed);
    if (number[k] >= items) number[k] = items - 1;
  }
}

/* Writes values by the keys' numbers. In place, all are read before the first is written. */
#define RUNS_WRITE_VALUES(T)                                                                                           \
  {                                                                                                                    \
    GLOBAL const T *from = (GLOBAL const T *)ends.values + ends.first;                                                 \
    T value[ITEM_KEYS];                                                                                                \
    UNROLL                                                                                                             \
    for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {                                                                       \
      if (RUN_IS_PAST(k, items)) break;                                                                                \
      value[k] = from[number[k]];                                                                                      \
    }                                                                                                                  \
    RUN_BARRIER();                                                                                                     \
    RUNS_STORE(T, ends.values_to, value[k])                                                                            \
  }

/* Writes the keys of a sorted tile; `keys` are its keys in their old order. */
FUNC void scanrt_runs_write_keys(LOCAL const scanrt_run_tile *tile, GLOBAL const KEY_T *keys, scanrt_u32 low,
                                 scanrt_u32 items, scanrt_sort_ends ends, scanrt_sort_order order,
                                 scanrt_u32 is_skewed) {
  KEY_T key[ITEM_KEYS];
#ifdef SORT_NUMERIC_KEYS
  scanrt_u32 number[ITEM_KEYS];
  (void)order;
  scanrt_runs_numbers(tile, items, number, is_skewed);
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    if (RUN_IS_PAST(k, items)) break;
    key[k] = keys[number[k]];
  }
  RUN_BARRIER(); /* in place, all are read before the first is written */
#else
  (void)keys;
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    if (RUN_IS_PAST(k, items)) break;
    key[k] = tile->key[RUN_OWN(k, is_skewed)];
  }
  if ((order.flipped | order.negative) != 0) UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) key[k] = scanrt_sort_unordered(key[k], order);
#endif
  RUNS_STORE(KEY_T, ends.to, key[k])
}

/* Writes the keys of a sorted tile and their values. There is at least one key. */
FUNC void scanrt_runs_write(LOCAL const scanrt_run_tile *tile, GLOBAL const KEY_T *keys, scanrt_u32 low,
                            scanrt_u32 items, scanrt_sort_ends ends, scanrt_sort_order order, scanrt_u32 is_skewed) {
  scanrt_runs_write_keys(tile, keys, low, items, ends, order, is_skewed);
  if (ends.value_bytes != 0) {
    scanrt_u32 number[ITEM_KEYS];
    scanrt_runs_numbers(tile, items, number, is_skewed);
    if (ends.makes_indices && ends.value_bytes == 4) {
      RUNS_STORE(scanrt_u32, ends.values_to, (scanrt_u32)ends.first + number[k])
    } else if (ends.makes_indices) {
      RUNS_STORE(scanrt_u64, ends.values_to, ends.first + number[k])
    } else if (ends.value_bytes == 4) {
      RUNS_WRITE_VALUES(scanrt_u32)
    } else {
      RUNS_WRITE_VALUES(scanrt_u64)
    }
  }
  RUN_BARRIER();
}
#endif
