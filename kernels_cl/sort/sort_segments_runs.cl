/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of segments (sort_segments.h) where work-items exchange by shuffles: the first launch. A work-group sorts
 * the segments of its tile in local memory, as runs (sort_segments_runs.h). Larger ones are listed for
 * sort_segments_held.cl. */
#include "sort/sort_segments_runs.h"

#if SCAN_GROUP_ITEMS == 1 || !defined(WARP_BALLOT)
#error "segments are sorted as runs by work-groups that exchange by shuffles"
#endif

/* Keys for which loads are begun before a work-group knows its segments, if these have less on average. */
#define AHEAD_KEYS 512

/* Sorts the segments that tiles hold: a work-group's segments are one tile, and the last one is a tile of its own if it
 * does not fit. Segments that no tile holds are listed.
 *
 * Where segments are small, the tile begins with the first of the keys in which the work-group's segments begin: it has
 * keys of a segment before them, which are not written. Loads of keys begin before the search for the segments. */
SORT_KERNEL(segments_runs)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_run_tile, tile, 1);
  LOCAL_ARRAY(scanrt_segment_runs, runs, 1);
  const KEY_T bits = KEY_BITS(first_bit, end_bit);
  const scanrt_u32 has_numbers = RUN_HAS_NUMBERS((flags & SORT_VALUES) != 0 || bits != KEY_ALL);
  const scanrt_u64 all = SORT_N();
  scanrt_u64 base = (scanrt_u64)GROUP() * step_items;
  (void)MEMORY(keys_spare), (void)MEMORY(values_spare), (void)MEMORY(workspace), (void)pass, (void)tile_items;
  (void)part_tiles;
  NOTE_N_OVERFLOW();
  if (base >= all) return;
  const scanrt_u32 step = all - base < step_items ? (scanrt_u32)(all - base) : step_items;
  scanrt_u32 loaded = all / AHEAD_KEYS < count ? step : 0;
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, 0);
  KEY_T ahead[ITEM_KEYS];
  if (loaded != 0) scanrt_rows_load(ahead, (GLOBAL const KEY_T *)MEMORY(in) + base, loaded);
  scanrt_segment_range range = scanrt_runs_find(runs, MEMORY(marks), count + 1, base, base + step, all, flags);
  if (range.end > count) range.end = count;
  if (range.begin >= range.end) return;
  const scanrt_u64 first = OFFSET(range.begin), end = OFFSET(range.end), last = OFFSET(range.end - 1);
  if (loaded != 0) scanrt_rows_keep(tile, ahead, loaded, order, 1);
  if (loaded == 0 || first < base) {
    base = first;
    loaded = 0;
  }
  scanrt_u64 stop = end - base <= TILE_KEYS ? end : last;
  scanrt_u32 low = (scanrt_u32)(first - base);
  NO_UNROLL
  for (scanrt_u32 turn = 0; turn < 2; turn++) {
    if (turn == 1) {
      const scanrt_u64 begin = OFFSET(range.end - 1);
      if (begin < stop) break;
      base = begin;
      stop = OFFSET(range.end);
      low = loaded = 0;
    }
    const scanrt_u64 length = stop > base ? stop - base : 0;
    const scanrt_u32 items = length > TILE_KEYS ? 0 : (scanrt_u32)length;
    if (length > TILE_KEYS && ITEM() == 0) scanrt_segments_list(SEGMENT_TABLE(), base, length, n, part);
    if (items == 0) continue;
    GLOBAL const KEY_T *keys = (GLOBAL const KEY_T *)MEMORY(in) + base;
    if (loaded == 0) {
      KEY_T key[ITEM_KEYS];
      scanrt_rows_load(key, keys, items);
      BARRIER();
      scanrt_rows_keep(tile, key, items, order, 1);
    } else
      for (scanrt_u32 i = loaded + ITEM(); i < items; i += SCAN_GROUP_ITEMS)
        tile->key[RUN_AT(i, 1)] = scanrt_sort_ordered(keys[i], order);
    scanrt_runs_clear(runs);
    const scanrt_tile_segments segments = {
      MEMORY(marks), range, base, all, items, flags, range.end - range.begin > 4 * TILE_KEYS
    };
    scanrt_runs_list(tile, runs, segments, bits, has_numbers);
    scanrt_runs_sort(tile, runs, bits, has_numbers);
    scanrt_runs_merge_all(tile, runs, bits, has_numbers);
    const scanrt_sort_route route = { 1, 1, 1, PLACE_IN, PLACE_OUT };
    const scanrt_sort_ends ends = SORT_ENDS(route, base);
    scanrt_runs_write(tile, keys, low, items, ends, order, 1);
  }
}
