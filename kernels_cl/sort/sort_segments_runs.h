/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by segments where 32 consecutive work-items (a "warp") exchange by shuffles: a tile of segments in a
 * work-group's local memory. Runs of up to 256 keys of one segment are sorted in registers, by 2 to 32 lanes; in longer
 * segments pairs of runs are merged until one is left. */
#ifndef SCANRT_CL_SORT_SEGMENTS_RUNS_H
#define SCANRT_CL_SORT_SEGMENTS_RUNS_H

#include "sort/sort_runs.h"
#include "sort/sort_segments_find.h"

/* ---- the tile's runs ---- */

/* Lists of runs of up to 16, 32, 64, 128 and 256 keys, which have more than half as many but in the first list, and a
 * list of longer segments. An entry is where a run begins in the tile, with its number of keys in the upper 16 bits. */
#define RUN_LISTS 6u
#define RUN_LONG 5u
#define RUN_LIST_KEYS(list) (16u << (list))
#define RUN_LIST_BEGIN(list) ((list) == 0 ? 0 : TILE_KEYS / 2 + (TILE_KEYS / 8 - TILE_KEYS / (4u << (list))))
#define RUN_LIST_END RUN_LIST_BEGIN(RUN_LISTS)

typedef struct scanrt_segment_runs {
  scanrt_u32 run[RUN_LIST_END + RUN_LISTS];
  scanrt_u32 count[RUN_LISTS];
  scanrt_u32 found[2];
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

/* Returns the index of the first of `count` offsets that is not below a key. */
FUNC scanrt_u64 scanrt_runs_search(GLOBAL const scanrt_u8 *offsets, scanrt_u64 count, scanrt_u64 key, scanrt_u64 all,
                                   scanrt_u32 flags) {
  scanrt_u64 begin = 0, end = count;
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
  for (; begin + 1 < end; begin += RUN_MOST) {
    const scanrt_u32 keys = end - begin < RUN_MOST ? end - begin : RUN_MOST;
    scanrt_run_add(runs, keys <= RUN_LIST_KEYS(0) ? 0 : LAST_BIT(keys - 1) - 3, begin, keys);
  }
}

FUNC void scanrt_runs_clear(LOCAL scanrt_segment_runs *runs) {
  if (ITEM() < RUN_LISTS) runs->count[ITEM()] = 0;
  BARRIER();
}

/* Lists the runs of the range's segments in the `items` keys from key `first` on. If many more segments begin than
 * there are keys, each key searches for its segment. */
FUNC void scanrt_runs_list(LOCAL scanrt_segment_runs *runs, GLOBAL const scanrt_u8 *offsets, scanrt_segment_range range,
                           scanrt_u64 first, scanrt_u32 items, scanrt_u64 all, scanrt_u32 flags) {
  if (range.end - range.begin <= 4 * TILE_KEYS) {
    NO_UNROLL
    for (scanrt_u64 s = range.begin + ITEM(); s < range.end; s += SCAN_GROUP_ITEMS) {
      const scanrt_u64 begin = scanrt_segment_offset(offsets, s, all, flags) - first;
      const scanrt_u64 end = scanrt_segment_offset(offsets, s + 1, all, flags) - first;
      if (begin < items && begin < end && end <= items) scanrt_runs_add(runs, (scanrt_u32)begin, (scanrt_u32)end);
    }
  } else {
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
      const scanrt_u64 s = scanrt_segment_search(offsets, range.begin, range.end, first + i, all, flags);
      if (s >= range.end || scanrt_segment_offset(offsets, s, all, flags) != first + i) continue;
      const scanrt_u64 next = scanrt_segment_search(offsets, s, range.end, first + i + 1, all, flags);
      const scanrt_u64 end = scanrt_segment_offset(offsets, next, all, flags) - first;
      if (i < end && end <= items) scanrt_runs_add(runs, i, (scanrt_u32)end);
    }
  }
}

/* Sorts the runs of all lists but the last, by warps. */
FUNC void scanrt_runs_sort(LOCAL scanrt_run_tile *tile, LOCAL const scanrt_segment_runs *runs, KEY_T bits,
                           scanrt_u32 has_numbers) {
  NO_UNROLL
  for (scanrt_u32 list = 0; list < RUN_LONG; list++) {
    const scanrt_u32 shift = list + 1, lanes = 1u << shift; /* RUN_LIST_KEYS(list) / RUN_ITEM_KEYS */
    const scanrt_u32 count = scanrt_runs_count(runs, list), lane = ITEM() & (lanes - 1);
    NO_UNROLL
    for (scanrt_u32 r = ITEM() / 32 << (5 - shift); r < count; r += SCAN_GROUP_ITEMS >> shift) {
      const scanrt_u32 own = r + (ITEM() % 32 >> shift);
      const scanrt_u32 run = own < count ? runs->run[RUN_LIST_BEGIN(list) + own] : 0;
      if (has_numbers)
        scanrt_run_sort_numbers(tile, run & 0xffffu, run >> 16, lane, lanes, bits);
      else
        scanrt_run_sort_keys(tile, run & 0xffffu, run >> 16, lane, lanes);
    }
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
  NO_UNROLL
  for (scanrt_u32 width = RUN_MOST; width <= RUN_MOST || width < longest; width *= 2) {
    NO_UNROLL
    for (scanrt_u32 r = 0; r < count; r++) {
      const scanrt_u32 run = runs->run[RUN_LIST_BEGIN(RUN_LONG) + r], keys = run >> 16;
      if (keys > longest) longest = keys;
      if (keys > width) scanrt_runs_merge(tile, run & 0xffffu, keys, width, bits, has_numbers);
    }
  }
}
#endif
