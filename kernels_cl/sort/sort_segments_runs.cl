/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of segments (sort_segments.h) where work-items exchange by shuffles: the first launch. A work-group sorts
 * the segments of its tile in local memory, as runs (sort_segments_runs.h). Larger ones are noted in the table: for
 * sort_segments_held.cl, in a list, or for sort_segments_digits.cl, in rows. */
#include "sort/sort_segments_note.h"
#include "sort/sort_segments_runs.h"

#if SCAN_GROUP_ITEMS == 1 || !defined(WARP_BALLOT)
#error "segments are sorted as runs by work-groups that exchange by shuffles"
#endif

/* Notes a segment that the work-group's tile does not hold. All work-items call it. The counts of a new row's digits
 * are cleared. */
FUNC void scanrt_runs_note(scanrt_segment_table table, LOCAL scanrt_u32 *found, scanrt_u64 begin, scanrt_u64 items,
                           scanrt_u64 n, scanrt_u32 most_held, scanrt_u32 tile_items, scanrt_u32 part_tiles,
                           scanrt_u32 passes, GLOBAL scanrt_u8 *counts, scanrt_u32 flags) {
  if (items > most_held) {
    const scanrt_u32 row = scanrt_segments_note(table, found, begin, items, tile_items, part_tiles);
    if (row >= table.most_rows) return;
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < SEGMENTS_COUNTS(1, passes); i += SCAN_GROUP_ITEMS)
      scanrt_sort_set_number(counts, SEGMENTS_COUNTS((scanrt_u64)row, passes) + i, 0, flags);
  } else if (ITEM() == 0) {
    const scanrt_u32 held = ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_HELD], 1u);
    if (held >= SEGMENTS_MOST_ROWS(n, TILE_KEYS)) return; /* only if offsets descend */
    table.held[(scanrt_u64)held * SEGMENTS_HELD_WORDS] = begin;
    table.held[(scanrt_u64)held * SEGMENTS_HELD_WORDS + 1] = items;
  }
}

/* Sorts the segments that tiles hold: a work-group's segments are one tile, and the last one is a tile of its own if it
 * does not fit. */
SORT_KERNEL(segments_runs)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_run_tile, tile, 1);
  LOCAL_ARRAY(scanrt_segment_runs, runs, 1);
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, 0);
  const KEY_T bits = KEY_BITS(first_bit, end_bit);
  const scanrt_u32 has_numbers = RUN_HAS_NUMBERS((flags & SORT_VALUES) != 0 || bits != KEY_ALL);
  const scanrt_u64 all = SORT_N(), from = (scanrt_u64)GROUP() * step_items;
  const scanrt_u64 limit = from >= all || all - from < step_items ? all : from + step_items;
  const scanrt_sort_route route = { 1, 1, 1, PLACE_IN, PLACE_OUT };
  (void)MEMORY(keys_spare), (void)MEMORY(values_spare), (void)pass;
  NOTE_N_OVERFLOW();
  if (from >= all) return;
  scanrt_segment_range range = scanrt_runs_find(runs, MEMORY(marks), count + 1, from, limit, all, flags);
  if (range.end > count) range.end = count;
  if (range.begin >= range.end) return;
  const scanrt_u64 first = OFFSET(range.begin), end = OFFSET(range.end);
  const scanrt_u64 last = end - first <= TILE_KEYS ? end : OFFSET(range.end - 1);
  NO_UNROLL
  for (scanrt_u32 turn = 0; turn < 2; turn++) {
    const scanrt_u64 begin = turn == 0 ? first : last, stop = turn == 0 ? last : end;
    const scanrt_u64 length = stop > begin ? stop - begin : 0;
    const scanrt_u32 items = length > TILE_KEYS ? 0 : (scanrt_u32)length;
    const scanrt_sort_ends ends = SORT_ENDS(route, begin);
    if (length > TILE_KEYS)
      scanrt_runs_note(SEGMENT_TABLE(), runs->found, begin, length, n, part, tile_items, part_tiles,
                       SORT_PASSES(first_bit, end_bit), MEMORY(workspace), flags);
    if (items == 0) continue;
    GLOBAL const KEY_T *keys = (GLOBAL const KEY_T *)MEMORY(in) + begin;
    scanrt_runs_load(tile, keys, items, order, has_numbers);
    scanrt_runs_clear(runs);
    scanrt_runs_list(runs, MEMORY(marks), range, begin, items, all, flags);
    BARRIER();
    scanrt_runs_sort(tile, runs, bits, has_numbers);
    scanrt_runs_merge_all(tile, runs, bits, has_numbers);
    scanrt_runs_write(tile, keys, items, ends, order);
  }
}
