/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by segments where 32 consecutive work-items (a "warp") exchange by shuffles: a tile of segments in a
 * work-group's local memory. A lane sorts a segment of up to RUN_ITEM_KEYS keys in registers. Runs of up to RUN_MOST
 * keys of longer segments are sorted by 1 to 32 lanes; in segments longer than that pairs of runs are merged until one
 * is left. */
#ifndef SCANRT_CL_SORT_SEGMENTS_RUNS_H
#define SCANRT_CL_SORT_SEGMENTS_RUNS_H

#include "sort/sort_keys.h"
#include "sort/sort_segments.h"
#define RUN_ITEM_KEYS SEGMENTS_RUN_KEYS(KEY_BYTES)
#include "sort/sort_runs.h"
#include "sort/sort_segments_find.h"

/* ---- the tile's runs ---- */

/* Lists of runs of up to RUN_ITEM_KEYS, 2 * RUN_ITEM_KEYS, ... RUN_MOST keys, and a list of longer segments. The first
 * list has ends of longer segments alone; runs of the others have more than half as many keys as there may be. An entry
 * is where a run begins in the tile, with its number of keys in the upper 16 bits. */
#define RUN_LISTS 7u
#define RUN_LONG 6u
#define RUN_LIST_KEYS(list) (RUN_ITEM_KEYS << (list))
#define RUN_LIST_BEGIN(list)                                                                                           \
  ((list) == 0 ? 0 : TILE_KEYS / RUN_MOST + (2 * TILE_KEYS / RUN_ITEM_KEYS - 4 * TILE_KEYS / (RUN_ITEM_KEYS << (list))))
#define RUN_LIST_END RUN_LIST_BEGIN(RUN_LISTS)

typedef struct scanrt_segment_runs {
  scanrt_u32 run[RUN_LIST_END + RUN_LISTS];
  scanrt_u32 count[RUN_LISTS];
  scanrt_u64 range[2];
} scanrt_segment_runs;

/* ---- the tile's segments ---- */

/* Moves `begin` to the first place up to `end` for which the condition `is_before` on place `at` is false. A warp looks
 * at 128 places a round. */
#define WARP_SEARCH(begin, end, at, is_before)                                                                         \
  NO_UNROLL                                                                                                            \
  while (begin < end) {                                                                                                \
    const scanrt_u64 stride_ = (((end) - (begin)) >> 7) + 1;                                                           \
    scanrt_u32 is_before_[4], found_ = 0;                                                                              \
    UNROLL                                                                                                             \
    for (scanrt_u32 u_ = 0; u_ < 4; u_++) {                                                                            \
      const scanrt_u64 at = (begin) + (u_ * 32 + ITEM() % 32 + 1) * stride_ - 1;                                       \
      is_before_[u_] = at < (end) && (is_before);                                                                      \
    }                                                                                                                  \
    UNROLL                                                                                                             \
    for (scanrt_u32 u_ = 0; u_ < 4; u_++) found_ += BITS_SET(WARP_BALLOT(is_before_[u_]));                             \
    scanrt_search_narrow(&(begin), &(end), stride_, found_);                                                           \
  }

/* Place `i` of the 128 places that a search looks at first: one by one around `guess`, ever farther before and behind.
 */
FUNC scanrt_i64 scanrt_search_place(scanrt_u64 guess, scanrt_u32 i) {
  const scanrt_i64 middle = (scanrt_i64)(guess + i) - 64;
  return i < 32 ? middle - ((scanrt_i64)1 << (32 - i)) : i < 96 ? middle : middle + ((scanrt_i64)1 << (i - 95));
}

/* Returns the index of the first of `count` offsets that is not below a key. The first guess is that segments are
 * alike.
 */
FUNC scanrt_u64 scanrt_runs_search(GLOBAL const scanrt_u8 *offsets, scanrt_u64 count, scanrt_u64 key, scanrt_u64 all,
                                   scanrt_u32 flags) {
  const scanrt_u64 guess = (scanrt_u64)((scanrt_f32)key / (scanrt_f32)all * (scanrt_f32)(count - 1));
  scanrt_u32 is_before[4], found = 0;
  UNROLL
  for (scanrt_u32 u = 0; u < 4; u++) {
    const scanrt_i64 at = scanrt_search_place(guess, u * 32 + ITEM() % 32);
    is_before[u] =
        at < 0 || (at < (scanrt_i64)count && scanrt_segment_offset(offsets, (scanrt_u64)at, all, flags) < key);
  }
  UNROLL
  for (scanrt_u32 u = 0; u < 4; u++) found += BITS_SET(WARP_BALLOT(is_before[u]));
  const scanrt_i64 below = found == 0 ? 0 : scanrt_search_place(guess, found - 1) + 1;
  const scanrt_i64 above = found == 128 ? (scanrt_i64)count : scanrt_search_place(guess, found);
  scanrt_u64 begin = below < 0 ? 0 : (scanrt_u64)below;
  scanrt_u64 end = above < (scanrt_i64)count ? (scanrt_u64)above : count;
  WARP_SEARCH(begin, end, at, scanrt_segment_offset(offsets, at, all, flags) < key)
  return begin;
}

/* Returns the segments that begin from key `first` on and before key `limit`. */
FUNC scanrt_segment_range scanrt_runs_find(LOCAL scanrt_segment_runs *runs, GLOBAL const scanrt_u8 *offsets,
                                           scanrt_u64 count, scanrt_u64 first, scanrt_u64 limit, scanrt_u64 all,
                                           scanrt_u32 flags) {
  scanrt_segment_range range;
  NO_UNROLL
  for (scanrt_u32 e = ITEM() / 32; e < 2; e += SCAN_GROUP_ITEMS / 32) {
    const scanrt_u64 found = scanrt_runs_search(offsets, count, e == 0 ? first : limit, all, flags);
    if (ITEM() % 32 == 0) runs->range[e] = found;
  }
  BARRIER();
  range.begin = runs->range[0];
  range.end = runs->range[1];
  return range;
}

/* Adds a run to a list. If offsets descend, there may be more runs than the list has room for. */
FUNC void scanrt_run_add(LOCAL scanrt_segment_runs *runs, scanrt_u32 list, scanrt_u32 begin, scanrt_u32 keys) {
  const scanrt_u32 at = RUN_LIST_BEGIN(list) + ATOMIC_ADD_LOCAL(&runs->count[list], 1u);
  if (at < RUN_LIST_BEGIN(list + 1)) runs->run[at] = begin | keys << 16;
}

FUNC scanrt_u32 scanrt_runs_count(LOCAL const scanrt_segment_runs *runs, scanrt_u32 list) {
  const scanrt_u32 count = runs->count[list], room = RUN_LIST_BEGIN(list + 1) - RUN_LIST_BEGIN(list);
  return count < room ? count : room;
}

/* Adds the runs of a segment, which has keys `begin` to `end` - 1 of the tile. */
FUNC void scanrt_runs_add(LOCAL scanrt_segment_runs *runs, scanrt_u32 begin, scanrt_u32 end) {
  if (end - begin > RUN_MOST) scanrt_run_add(runs, RUN_LONG, begin, end - begin);
  NO_UNROLL
  for (; begin < end; begin += RUN_MOST) {
    const scanrt_u32 keys = end - begin < RUN_MOST ? end - begin : RUN_MOST;
    scanrt_run_add(runs, keys <= RUN_ITEM_KEYS ? 0 : LAST_BIT((keys - 1) / RUN_ITEM_KEYS) + 1, begin, keys);
  }
}

FUNC void scanrt_runs_clear(LOCAL scanrt_segment_runs *runs) {
  if (ITEM() < RUN_LISTS) runs->count[ITEM()] = 0;
}

/* Sorts a run. */
FUNC void scanrt_run_sort(LOCAL scanrt_run_tile *tile, scanrt_run run, KEY_T bits, scanrt_u32 has_numbers,
                          scanrt_u32 is_skewed) {
#if KEY_BYTES == 4
  if (!has_numbers) {
    scanrt_run_sort_keys(tile, run, is_skewed);
    return;
  }
#endif
  scanrt_run_sort_numbers(tile, run, bits, has_numbers, is_skewed);
}

/* Sorts a run of up to RUN_ITEM_KEYS keys of each lane, by the smallest network that serves all of them. */
FUNC void scanrt_runs_sort_lanes(LOCAL scanrt_run_tile *tile, scanrt_run run, KEY_T bits, scanrt_u32 has_numbers,
                                 scanrt_u32 is_skewed) {
  if (WARP_BALLOT(run.keys > !has_numbers) == 0) return;
  if (RUN_ITEM_KEYS == 16 && WARP_BALLOT(run.keys > 8) == 0) {
    run.each = 8;
    scanrt_run_sort(tile, run, bits, has_numbers, is_skewed);
  } else if (RUN_ITEM_KEYS == 16 && !is_skewed && WARP_BALLOT(run.keys > 10) == 0) {
    run.each = 10;
    scanrt_run_sort(tile, run, bits, has_numbers, is_skewed);
  } else if (RUN_ITEM_KEYS == 16 && WARP_BALLOT(run.keys > 12) == 0) {
    run.each = 12;
    scanrt_run_sort(tile, run, bits, has_numbers, is_skewed);
  } else {
    scanrt_run_sort(tile, run, bits, has_numbers, is_skewed);
  }
}

/* ---- keys to and from the tile ---- */

/* Loads the work-items' keys of a tile. */
FUNC void scanrt_rows_load(KEY_T *key, GLOBAL const KEY_T *keys, scanrt_u64 items) {
  const scanrt_u32 item = RUN_ITEM(), most = ITEM_KEYS * RUN_ITEMS;
  const scanrt_u32 end = items > item ? (items < most ? (scanrt_u32)items : most) - item : 0;
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    if (RUN_IS_PAST(k, items)) break;
    if (k * RUN_ITEMS < end) key[k] = keys[k * RUN_ITEMS + item];
  }
}

/* Stores the work-items' keys as integers of their order to the tile. */
FUNC void scanrt_rows_keep(LOCAL scanrt_run_tile *tile, KEY_T *key, scanrt_u32 items, scanrt_sort_order order,
                           scanrt_u32 is_skewed) {
  const scanrt_u32 end = items > RUN_ITEM() ? items - RUN_ITEM() : 0;
  if (SORT_IS_NUMERIC || (order.flipped | order.negative) != 0) UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) key[k] = scanrt_sort_ordered(key[k], order);
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    if (RUN_IS_PAST(k, items)) break;
    if (k * RUN_ITEMS < end) tile->key[RUN_OWN(k, is_skewed)] = key[k];
  }
}

/* Finds the segments of a tile, which has the `items` keys from key `first` on. */
typedef struct scanrt_tile_segments {
  GLOBAL const scanrt_u8 *offsets;
  scanrt_segment_range range;
  scanrt_u64 first, all;
  scanrt_u32 items, flags;
  scanrt_u32 by_keys; /* 1: many more segments begin than there are keys, so each key searches for its segment */
} scanrt_tile_segments;

/* A segment: its begin and its end in the tile, both 0 if there is none. */
typedef struct scanrt_tile_segment {
  scanrt_u32 begin, end;
} scanrt_tile_segment;

/* Returns segment `i` of a tile, or the one that begins with key i. */
FUNC scanrt_tile_segment scanrt_tile_segment_of(scanrt_tile_segments of, scanrt_u32 i) {
  scanrt_tile_segment segment = { 0, 0 };
  scanrt_u64 s = of.range.begin + i, next = s + 1;
  if (of.by_keys) {
    if (i >= of.items) return segment;
    s = scanrt_segment_search(of.offsets, of.range.begin, of.range.end, of.first + i, of.all, of.flags);
    if (s >= of.range.end || scanrt_segment_offset(of.offsets, s, of.all, of.flags) != of.first + i) return segment;
    next = scanrt_segment_search(of.offsets, s, of.range.end, of.first + i + 1, of.all, of.flags);
  }
  if (s >= of.range.end) return segment;
  const scanrt_u64 begin = scanrt_segment_offset(of.offsets, s, of.all, of.flags) - of.first;
  const scanrt_u64 end = scanrt_segment_offset(of.offsets, next, of.all, of.flags) - of.first;
  if (begin >= of.items || begin >= end || end > of.items) return segment;
  segment.begin = (scanrt_u32)begin;
  segment.end = (scanrt_u32)end;
  return segment;
}

/* Sorts a tile's small segments, one a lane, and lists the runs of the others. The keys are in the tile. */
FUNC void scanrt_runs_list(LOCAL scanrt_run_tile *tile, LOCAL scanrt_segment_runs *runs, scanrt_tile_segments of,
                           KEY_T bits, scanrt_u32 has_numbers) {
  const scanrt_u32 count = of.by_keys ? of.items : (scanrt_u32)(of.range.end - of.range.begin);
  scanrt_tile_segment next = scanrt_tile_segment_of(of, ITEM());
  BARRIER();
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i - ITEM() % 32 < count; i += SCAN_GROUP_ITEMS) {
    const scanrt_tile_segment segment = next;
    const scanrt_u32 keys = segment.end - segment.begin;
    scanrt_run run = { segment.begin, keys <= RUN_ITEM_KEYS ? keys : 0, 0, 0, RUN_ITEM_KEYS };
    if (keys > RUN_ITEM_KEYS) scanrt_runs_add(runs, segment.begin, segment.end);
    if (i + SCAN_GROUP_ITEMS - ITEM() % 32 < count) next = scanrt_tile_segment_of(of, i + SCAN_GROUP_ITEMS);
    scanrt_runs_sort_lanes(tile, run, bits, has_numbers, 1);
  }
  BARRIER();
}

/* Sorts the runs of all lists but the last, by warps. */
FUNC void scanrt_runs_sort(LOCAL scanrt_run_tile *tile, LOCAL const scanrt_segment_runs *runs, KEY_T bits,
                           scanrt_u32 has_numbers) {
  NO_UNROLL
  for (scanrt_u32 shift = 0; shift < RUN_LONG; shift++) {
    const scanrt_u32 count = scanrt_runs_count(runs, shift);
    NO_UNROLL
    for (scanrt_u32 r = ITEM() / 32 << (5 - shift); r < count; r += SCAN_GROUP_ITEMS >> shift) {
      const scanrt_u32 own = r + (ITEM() % 32 >> shift);
      const scanrt_u32 entry = own < count ? runs->run[RUN_LIST_BEGIN(shift) + own] : 0;
      const scanrt_run run = { entry & 0xffffu, entry >> 16, ITEM() & ((1u << shift) - 1), shift, RUN_ITEM_KEYS };
      scanrt_run_sort(tile, run, bits, has_numbers, 1);
    }
  }
  BARRIER();
}

/* Moves a skewed tile's keys one after the other, or back. */
FUNC void scanrt_runs_skew(LOCAL scanrt_run_tile *tile, scanrt_u32 to_skewed, scanrt_u32 has_numbers) {
  KEY_T key[ITEM_KEYS];
  scanrt_u16 number[ITEM_KEYS];
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    key[k] = tile->key[RUN_OWN(k, !to_skewed)];
    if (has_numbers) number[k] = tile->number[RUN_OWN(k, !to_skewed)];
  }
  BARRIER();
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    tile->key[RUN_OWN(k, to_skewed)] = key[k];
    if (has_numbers) tile->number[RUN_OWN(k, to_skewed)] = number[k];
  }
  BARRIER();
}

/* Merges pairs of runs of `width` keys of a segment. Each work-item takes an odd number of keys, which spreads the
 * work-items over the banks of local memory. */
FUNC void scanrt_runs_merge(LOCAL scanrt_run_tile *tile, scanrt_u32 begin, scanrt_u32 keys, scanrt_u32 width,
                            KEY_T bits, scanrt_u32 has_numbers) {
  NO_UNROLL
  for (scanrt_u32 first = 0; first + width < keys; first += 2 * width) {
    const scanrt_u32 left = keys - first - width, second_keys = left < width ? left : width;
    const scanrt_two_runs pair = { begin + first, width, begin + first + width, second_keys };
    const scanrt_u32 each = (width + second_keys - 1) / SCAN_GROUP_ITEMS + 1 | 1u;
    scanrt_run_merge(tile, pair, ITEM() * each, each, bits, has_numbers);
  }
}

FUNC void scanrt_runs_merge_all(LOCAL scanrt_run_tile *tile, LOCAL const scanrt_segment_runs *runs, KEY_T bits,
                                scanrt_u32 has_numbers) {
  const scanrt_u32 count = scanrt_runs_count(runs, RUN_LONG);
  scanrt_u32 longest = 0;
  if (count == 0) return;
  scanrt_runs_skew(tile, 0, has_numbers);
  NO_UNROLL
  for (scanrt_u32 width = RUN_MOST; width <= RUN_MOST || width < longest; width *= 2) {
    NO_UNROLL
    for (scanrt_u32 r = 0; r < count; r++) {
      const scanrt_u32 run = runs->run[RUN_LIST_BEGIN(RUN_LONG) + r], keys = run >> 16;
      if (keys > longest) longest = keys;
      if (keys > width) scanrt_runs_merge(tile, run & 0xffffu, keys, width, bits, has_numbers);
    }
  }
  scanrt_runs_skew(tile, 1, has_numbers);
}
#endif
