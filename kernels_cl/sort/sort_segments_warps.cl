/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of segments (sort_segments.h) where work-items exchange by shuffles: the first launch where segments are
 * small on average. A warp takes consecutive segments, sorts as many at once as its part of the tile holds, and waits
 * for no other warp. Segments of more than RUN_MOST keys are listed for sort_segments_held.cl.
 *
 * SCAN_IN_TYPE says what is compiled: with 2 keys alone, by all bits; else also keys with values and numbers. */
#define RUN_BY_WARPS
#define ITEM_KEYS RUN_ITEM_KEYS
#include "sort/sort_segments_runs.h"

#if SCAN_GROUP_ITEMS == 1 || !defined(WARP_BALLOT)
#error "segments are sorted as runs by work-groups that exchange by shuffles"
#endif

/* Returns how many segments a warp takes: as many as have seven eighths of the keys that it has room for, if they are
 * of average length, or more if `fits` of any length are sure to have room; but no more than its lanes sort at once,
 * and no more than it takes for all segments in one round of `warps` warps. */
FUNC scanrt_u32 scanrt_warp_takes(scanrt_u64 all, scanrt_u64 count, scanrt_u32 fits, scanrt_u32 warps) {
  const scanrt_f32 average = (scanrt_f32)all / (scanrt_f32)count;
  const scanrt_u32 some = average < 1 ? 32u : (scanrt_u32)((scanrt_f32)(RUN_MOST / 8 * 7) / average);
  const scanrt_u32 room = some > fits ? some : fits, keys = room < 1 ? RUN_MOST : RUN_MOST / room;
  const scanrt_u32 lanes = keys <= RUN_ITEM_KEYS ? 1u : 2u << LAST_BIT((keys - 1) / RUN_ITEM_KEYS);
  const scanrt_u32 most = room < 1 ? 1u : room < 32 / lanes ? room : 32 / lanes;
  return (scanrt_u64)most * warps <= count ? most : ((scanrt_u32)count + warps - 1) / warps;
}

/* The segments that a warp takes: the first one's first key, and the begin and the end of the lane's, counted from
 * there and limited to less than 2^32; both 0 if the lane has none, or if offsets descend. */
typedef struct scanrt_warp_segments {
  scanrt_u64 base;
  scanrt_u32 low, high;
} scanrt_warp_segments;

/* Returns the segments from segment `first` on. */
FUNC scanrt_warp_segments scanrt_warp_segments_of(GLOBAL const scanrt_u8 *offsets, scanrt_u64 first,
                                                  scanrt_u32 is_there, scanrt_u64 all, scanrt_u32 flags) {
  scanrt_warp_segments of = { 0, 0, 0 };
  if ((flags & SORT_WIDE_OFFSETS) == 0 && all >> 32 == 0) {
    GLOBAL const scanrt_u32 *narrow = (GLOBAL const scanrt_u32 *)offsets + first;
    const scanrt_u32 most = (scanrt_u32)all, lane = ITEM() % 32, base = narrow[0] < most ? narrow[0] : most;
    if (is_there) {
      const scanrt_u32 low = narrow[lane] < most ? narrow[lane] : most;
      const scanrt_u32 high = narrow[lane + 1] < most ? narrow[lane + 1] : most;
      if (base <= low && low < high) of.low = low - base, of.high = high - base;
    }
    of.base = base;
  } else {
    of.base = scanrt_segment_offset(offsets, first, all, flags);
    if (is_there) {
      const scanrt_u64 low = scanrt_segment_offset(offsets, first + ITEM() % 32, all, flags) - of.base;
      const scanrt_u64 high = scanrt_segment_offset(offsets, first + ITEM() % 32 + 1, all, flags) - of.base;
      of.low = low >> 31 == 0 ? (scanrt_u32)low : 1u << 31;
      of.high = high >> 31 == 0 ? (scanrt_u32)high : 1u << 31;
    }
  }
  return of;
}

/* Sorts each lane's segment of `keys` keys, up to RUN_MOST, from key `begin` of the tile on. */
FUNC void scanrt_warp_sort(LOCAL scanrt_run_tile *tile, LOCAL scanrt_u32 *list, scanrt_u32 begin, scanrt_u32 keys,
                           KEY_T bits, scanrt_u32 has_numbers) {
  const scanrt_u32 lane = ITEM() % 32;
  const scanrt_run own = { begin, keys <= RUN_ITEM_KEYS ? keys : 0, 0, 0, RUN_ITEM_KEYS };
  scanrt_runs_sort_lanes(tile, own, bits, has_numbers, 1);
  if (WARP_BALLOT(keys > RUN_ITEM_KEYS) == 0) return;
  NO_UNROLL
  for (scanrt_u32 shift = 1; shift < RUN_LONG; shift++) {
    const scanrt_u32 is_in = keys > RUN_LIST_KEYS(shift - 1) && keys <= RUN_LIST_KEYS(shift);
    const scanrt_u32 all = WARP_BALLOT(is_in), count = BITS_SET(all);
    if (all == 0) continue;
    WARP_BARRIER();
    if (is_in) list[BITS_SET(all & ((1u << lane) - 1))] = begin | keys << 16;
    WARP_BARRIER();
    NO_UNROLL
    for (scanrt_u32 r = 0; r < count; r += 32u >> shift) {
      const scanrt_u32 at = r + (lane >> shift), entry = at < count ? list[at] : 0;
      const scanrt_run run = { entry & 0xffffu, entry >> 16, lane & ((1u << shift) - 1), shift, RUN_ITEM_KEYS };
      scanrt_run_sort(tile, run, bits, has_numbers, 1);
    }
  }
}

SORT_KERNEL(segments_warps)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_run_tile, tile, 1);
  LOCAL_ARRAY(scanrt_u32, lists, SCAN_GROUP_ITEMS);
  const KEY_T bits = KEY_BITS(first_bit, end_bit);
  const scanrt_u32 has_numbers = RUN_HAS_NUMBERS(SCAN_IN_TYPE != 2);
  const scanrt_u64 all = SORT_N();
  const scanrt_u32 warps = GROUPS() * (SCAN_GROUP_ITEMS / 32), lane = ITEM() % 32;
  const scanrt_u32 takes = scanrt_warp_takes(all, count, step_items, warps);
  const scanrt_u64 step = (scanrt_u64)warps * takes;
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, 0);
  (void)MEMORY(keys_spare), (void)MEMORY(values_spare), (void)MEMORY(workspace), (void)pass, (void)tile_items;
  (void)part_tiles;
  NOTE_N_OVERFLOW();
  NO_UNROLL
  for (scanrt_u64 s = ((scanrt_u64)GROUP() * (SCAN_GROUP_ITEMS / 32) + ITEM() / 32) * takes; s < count; s += step) {
    const scanrt_u32 is_there = lane < takes && lane < count - s;
    const scanrt_warp_segments of = scanrt_warp_segments_of(MEMORY(marks), s, is_there, all, flags);
    scanrt_u32 left = WARP_BALLOT(of.low < of.high); /* segments that are not sorted yet */
    NO_UNROLL
    while (left != 0) {
      const scanrt_u32 lowest = left & (0 - left), from = scanrt_shuffle_from_u32(of.low, LAST_BIT(lowest));
      const scanrt_u32 has_no_room = of.low < from || of.high - from > RUN_MOST;
      const scanrt_u32 later = left & WARP_BALLOT(has_no_room), taken = left & ((later & (0 - later)) - 1);
      if (taken == 0) { /* the first one is too large, or offsets descend */
        const scanrt_u64 begin = of.base + of.low, end = lane == LAST_BIT(lowest) ? OFFSET(s + lane + 1) : 0;
        if (begin < end) scanrt_segments_list(SEGMENT_TABLE(), begin, end - begin, n, part);
        left ^= lowest;
        continue;
      }
      scanrt_u32 items = scanrt_shuffle_from_u32(of.high, LAST_BIT(taken)) - from;
      const scanrt_u32 is_taken = (taken >> lane & 1) != 0, own = is_taken ? of.high - of.low : 0;
      const scanrt_u32 begin = is_taken ? of.low - from : 0;
      const scanrt_sort_route route = { 1, 1, 1, PLACE_IN, PLACE_OUT };
      scanrt_sort_ends ends = SORT_ENDS(route, of.base + from);
      GLOBAL const KEY_T *keys = (GLOBAL const KEY_T *)MEMORY(in) + ends.first;
      KEY_T key[ITEM_KEYS];
      left ^= taken;
      if (ends.value_bytes != 0) ends.value_bytes = SCAN_IN_TYPE == 2 ? 0 : SCAN_IN_TYPE == 6 ? 4 : 8;
      scanrt_rows_load(key, keys, items);
      items = scanrt_shuffle_xor_u32(items, 0);
      if (WARP_BALLOT(own > RUN_ITEM_KEYS) != 0 || WARP_BALLOT(begin % 4 != 0) == 0) {
        scanrt_rows_keep(tile, key, items, order, 1);
        WARP_BARRIER();
        scanrt_warp_sort(tile, lists + ITEM() / 32 * 32, RUN_BASE(1) + begin, own, bits, has_numbers);
        WARP_BARRIER();
        scanrt_runs_write(tile, keys, 0, scanrt_shuffle_xor_u32(items, 0), ends, order, 1);
      } else { /* no lanes begin in one bank */
        const scanrt_run run = { RUN_BASE(0) + begin, own, 0, 0, RUN_ITEM_KEYS };
        scanrt_rows_keep(tile, key, items, order, 0);
        WARP_BARRIER();
        scanrt_runs_sort_lanes(tile, run, bits, has_numbers, 0);
        WARP_BARRIER();
        scanrt_runs_write(tile, keys, 0, scanrt_shuffle_xor_u32(items, 0), ends, order, 0);
      }
    }
  }
}
