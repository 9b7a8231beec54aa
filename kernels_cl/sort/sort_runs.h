/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts a tile in a work-group's local memory by comparisons, where 32 consecutive work-items (a "warp") exchange by
 * shuffles. Runs of up to 256 keys are sorted in registers, by 2 to 32 lanes; pairs of runs are merged along their
 * merge path (Green, McColl and Bader, 2012). */
#ifndef SCANRT_CL_SORT_RUNS_H
#define SCANRT_CL_SORT_RUNS_H

#include "sort/sort_move.h"
#include "sort/sort_network.h"

typedef struct scanrt_run_tile {
  KEY_T key[TILE_KEYS];         /* as integers of their order */
  scanrt_u16 number[TILE_KEYS]; /* each key's number in the unsorted tile, if RUN_HAS_NUMBERS */
} scanrt_run_tile;

/* ---- the forms of a key ---- */

/* scanrt_run_key is a key as an integer of its order. scanrt_run_placed also has its place in the run, which keeps
 * equal keys in order. */
#if KEY_BYTES == 8
typedef scanrt_u64 scanrt_run_key;
typedef struct scanrt_run_placed {
  scanrt_u64 key;
  scanrt_u32 place;
} scanrt_run_placed;
#define RUN_PLACED_LESS(a, b) ((a).key < (b).key || ((a).key == (b).key && (a).place < (b).place))
#define RUN_PLACE(x) ((x).place)
FUNC scanrt_run_placed scanrt_run_place(scanrt_u64 key, scanrt_u32 place) {
  scanrt_run_placed x;
  x.key = key;
  x.place = place;
  return x;
}
#else
typedef scanrt_u32 scanrt_run_key;
typedef scanrt_u64 scanrt_run_placed;
#define RUN_PLACED_LESS(a, b) ((a) < (b))
#define RUN_PLACE(x) ((scanrt_u32)(x)&0xffffu)
FUNC scanrt_run_placed scanrt_run_place(scanrt_u32 key, scanrt_u32 place) { return (scanrt_u64)key << 16 | place; }
#endif
#define RUN_LESS(a, b) ((a) < (b))

/* 1 if keys have numbers. Keys of 1 and 2 bytes always have them, for smaller code; in the numeric order keys are
 * written by their numbers. */
#define RUN_HAS_NUMBERS(are_needed) (KEY_BYTES < 4 || SORT_IS_NUMERIC || (are_needed))

FUNC scanrt_u64 scanrt_run_xor_u64(scanrt_u64 x, scanrt_u32 mask) {
  const scanrt_u32 low = scanrt_shuffle_xor_u32((scanrt_u32)x, mask);
  return (scanrt_u64)scanrt_shuffle_xor_u32((scanrt_u32)(x >> 32), mask) << 32 | low;
}
#if KEY_BYTES == 8
#define RUN_XOR scanrt_run_xor_u64
FUNC scanrt_run_placed scanrt_run_placed_xor(scanrt_run_placed x, scanrt_u32 mask) {
  return scanrt_run_place(scanrt_run_xor_u64(x.key, mask), scanrt_shuffle_xor_u32(x.place, mask));
}
#else
#define RUN_XOR scanrt_shuffle_xor_u32
#define scanrt_run_placed_xor scanrt_run_xor_u64
#endif
RUN_SORTER(scanrt_run, scanrt_run_key, RUN_LESS, RUN_XOR)
RUN_SORTER(scanrt_run_placed, scanrt_run_placed, RUN_PLACED_LESS, scanrt_run_placed_xor)

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

/* Sorts a run of keys alone. All bits are sorted by, so that equal keys are alike. */
FUNC void scanrt_run_sort_keys(LOCAL scanrt_run_tile *tile, scanrt_u32 begin, scanrt_u32 keys, scanrt_u32 lane,
                               scanrt_u32 lanes) {
  scanrt_run_key x[RUN_ITEM_KEYS];
  UNROLL
  for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++) {
    const scanrt_u32 i = u * lanes + lane;
    x[u] = i < keys ? (scanrt_run_key)tile->key[begin + i] : (scanrt_run_key) ~(scanrt_run_key)0;
  }
  scanrt_run_sort(x, lane, lanes);
  WARP_BARRIER();
  UNROLL
  for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++) {
    const scanrt_u32 i = lane * RUN_ITEM_KEYS + u;
    if (i < keys) tile->key[begin + i] = (KEY_T)x[u];
  }
}

/* Sorts a run of keys with their numbers. Pads sort after equal keys. */
FUNC void scanrt_run_sort_numbers(LOCAL scanrt_run_tile *tile, scanrt_u32 begin, scanrt_u32 keys, scanrt_u32 lane,
                                  scanrt_u32 lanes, KEY_T bits) {
  scanrt_run_placed x[RUN_ITEM_KEYS];
  KEY_T key[RUN_ITEM_KEYS];
  UNROLL
  for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++) {
    const scanrt_u32 i = u * lanes + lane;
    x[u] = scanrt_run_place(i < keys ? (scanrt_run_key)(tile->key[begin + i] & bits) : (scanrt_run_key)KEY_ALL, i);
  }
  scanrt_run_placed_sort(x, lane, lanes);
  UNROLL
  for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++)
    if (lane * RUN_ITEM_KEYS + u < keys) key[u] = tile->key[begin + RUN_PLACE(x[u])];
  WARP_BARRIER();
  UNROLL
  for (scanrt_u32 u = 0; u < RUN_ITEM_KEYS; u++) {
    const scanrt_u32 i = lane * RUN_ITEM_KEYS + u;
    if (i < keys) tile->key[begin + i] = key[u];
    if (i < keys) tile->number[begin + i] = (scanrt_u16)(begin + RUN_PLACE(x[u]));
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

/* Writes values by the keys' numbers. In place, all are read before the first is written. */
#define RUNS_WRITE_VALUES(T)                                                                                           \
  {                                                                                                                    \
    T value[ITEM_KEYS];                                                                                                \
    UNROLL                                                                                                             \
    for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {                                                                       \
      const scanrt_u32 i = k * SCAN_GROUP_ITEMS + ITEM();                                                              \
      if (i >= items) break;                                                                                           \
      value[k] = ((GLOBAL const T *)ends.values)[ends.first + tile->number[i]];                                        \
    }                                                                                                                  \
    BARRIER();                                                                                                         \
    UNROLL                                                                                                             \
    for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {                                                                       \
      const scanrt_u32 i = k * SCAN_GROUP_ITEMS + ITEM();                                                              \
      if (i >= items) break;                                                                                           \
      ((GLOBAL T *)ends.values_to)[ends.first + i] = value[k];                                                         \
    }                                                                                                                  \
  }
#define RUNS_WRITE_INDICES(T)                                                                                          \
  NO_UNROLL                                                                                                            \
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)                                                        \
    ((GLOBAL T *)ends.values_to)[ends.first + i] = (T)(ends.first + tile->number[i]);

/* Writes the keys of a sorted tile; `keys` are its keys in their old order. */
#ifdef SORT_NUMERIC_KEYS
FUNC void scanrt_runs_write_keys(LOCAL const scanrt_run_tile *tile, GLOBAL const KEY_T *keys, scanrt_u32 items,
                                 scanrt_sort_ends ends, scanrt_sort_order order) {
  KEY_T key[ITEM_KEYS];
  (void)order;
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = k * SCAN_GROUP_ITEMS + ITEM();
    if (i >= items) break;
    key[k] = keys[tile->number[i]];
  }
  BARRIER(); /* in place, all are read before the first is written */
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = k * SCAN_GROUP_ITEMS + ITEM();
    if (i >= items) break;
    ends.to[ends.first + i] = key[k];
  }
}
#else
FUNC void scanrt_runs_write_keys(LOCAL const scanrt_run_tile *tile, GLOBAL const KEY_T *keys, scanrt_u32 items,
                                 scanrt_sort_ends ends, scanrt_sort_order order) {
  (void)keys;
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = k * SCAN_GROUP_ITEMS + ITEM();
    if (i >= items) break;
    ends.to[ends.first + i] = scanrt_sort_unordered(tile->key[i], order);
  }
}
#endif
FUNC void scanrt_runs_write(LOCAL const scanrt_run_tile *tile, GLOBAL const KEY_T *keys, scanrt_u32 items,
                            scanrt_sort_ends ends, scanrt_sort_order order) {
  scanrt_runs_write_keys(tile, keys, items, ends, order);
  if (ends.makes_indices && ends.value_bytes == 4) {
    RUNS_WRITE_INDICES(scanrt_u32)
  } else if (ends.makes_indices && ends.value_bytes == 8) {
    RUNS_WRITE_INDICES(scanrt_u64)
  } else if (ends.value_bytes == 4) {
    RUNS_WRITE_VALUES(scanrt_u32)
  } else if (ends.value_bytes == 8) {
    RUNS_WRITE_VALUES(scanrt_u64)
  }
  BARRIER();
}
#endif
