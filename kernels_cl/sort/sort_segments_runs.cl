/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of segments (sort_segments.h) where work-items exchange by shuffles. A work-group sorts the segments of
 * its tile in local memory, as runs (sort_segments_runs.h). Larger ones are in the table: a launch sorts each of their
 * tiles, and each launch after it merges pairs of parts. A search over both parts finds where a tile of the merged part
 * begins and ends (Green, McColl and Bader, 2012, "merge path"); the tile is then merged like runs within a tile. */
#include "sort/sort_segments_note.h"
#include "sort/sort_segments_runs.h"

#if SCAN_GROUP_ITEMS == 1 || !defined(WARP_BALLOT)
#error "segments are merged by work-groups that exchange by shuffles"
#endif

/* Returns the route of the launch that follows `merges` others, for a segment of `tiles` tiles. */
FUNC scanrt_sort_route scanrt_segments_route(scanrt_u32 tiles, scanrt_u32 merges) {
  const scanrt_u32 left = LAST_BIT(2 * tiles - 1) - merges;
  scanrt_sort_route route;
  route.is_taken = 1;
  route.is_first = merges == 0;
  route.is_last = left == 0;
  route.to = left % 2 == 0 ? PLACE_OUT : PLACE_SPARE;
  route.from = route.is_first ? PLACE_IN : left % 2 == 0 ? PLACE_SPARE : PLACE_OUT;
  return route;
}

#define MERGES_OPEN()                                                                                                  \
  const scanrt_segment_table table = SEGMENT_TABLE();                                                                  \
  const scanrt_u32 rows = scanrt_segment_count(table, SEGMENTS_COUNT_ROWS, tiles);                                     \
  const scanrt_u32 entries = scanrt_segment_count(table, SEGMENTS_COUNT_TILES, SEGMENTS_MOST_TILES(tiles));            \
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, 0);                                  \
  const KEY_T bits = KEY_BITS(first_bit, end_bit)

/* Arguments that no merging kernel uses. */
#define MERGES_PASS_OVER()                                                                                             \
  (void)MEMORY(n_overflow), (void)MEMORY(marks), (void)MEMORY(n_from), (void)MEMORY(workspace), (void)n, (void)count,  \
      (void)step_items

/* Keys for which loads are begun before a work-group knows its segments, if these have less on average. */
#define AHEAD_KEYS 512

/* Loads the work-items' keys of a tile. */
FUNC void scanrt_rows_load(KEY_T *key, GLOBAL const KEY_T *keys, scanrt_u64 items) {
  const scanrt_u32 end = items > ITEM() ? (items < TILE_KEYS ? (scanrt_u32)items : TILE_KEYS) - ITEM() : 0;
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++)
    key[k] = k * SCAN_GROUP_ITEMS < end ? keys[k * SCAN_GROUP_ITEMS + ITEM()] : 0;
}

/* Stores the work-items' keys as integers of their order to a skewed tile. */
FUNC void scanrt_rows_keep(LOCAL scanrt_run_tile *tile, KEY_T *key, scanrt_u32 items, scanrt_sort_order order) {
  const scanrt_u32 end = items > ITEM() ? items - ITEM() : 0;
  if (SORT_IS_NUMERIC || (order.flipped | order.negative) != 0) UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) key[k] = scanrt_sort_ordered(key[k], order);
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++)
    if (k * SCAN_GROUP_ITEMS < end) tile->key[RUN_OWN(k, 1)] = key[k];
}

/* Sorts the segments that tiles hold: a work-group's segments are one tile, and the last one is a tile of its own if it
 * does not fit. Segments that no tile holds go to the table.
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
  (void)MEMORY(workspace), (void)MEMORY(keys_spare), (void)MEMORY(values_spare), (void)pass, (void)tile_items;
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
  if (loaded != 0) scanrt_rows_keep(tile, ahead, loaded, order);
  if (loaded == 0 || first < base) {
    base = first;
    loaded = 0;
  }
  scanrt_u64 stop = end - base <= TILE_KEYS ? end : last;
  scanrt_u32 low = (scanrt_u32)(first - base);
  NO_UNROLL
  for (scanrt_u32 part = 0; part < 2; part++) {
    if (part == 1) {
      const scanrt_u64 begin = OFFSET(range.end - 1);
      if (begin < stop) break;
      base = begin;
      stop = OFFSET(range.end);
      low = loaded = 0;
    }
    const scanrt_u64 length = stop > base ? stop - base : 0;
    const scanrt_u32 items = length > TILE_KEYS ? 0 : (scanrt_u32)length;
    if (length > TILE_KEYS) scanrt_segments_note(SEGMENT_TABLE(), runs->found, base, length);
    if (items == 0) continue;
    GLOBAL const KEY_T *keys = (GLOBAL const KEY_T *)MEMORY(in) + base;
    if (loaded == 0) {
      KEY_T key[ITEM_KEYS];
      scanrt_rows_load(key, keys, items);
      BARRIER();
      scanrt_rows_keep(tile, key, items, order);
    } else
      for (scanrt_u32 i = loaded + ITEM(); i < items; i += SCAN_GROUP_ITEMS)
        tile->key[RUN_AT(i, 1)] = scanrt_sort_ordered(keys[i], order);
    scanrt_runs_clear(runs);
    const scanrt_tile_segments segments = { MEMORY(marks), range, base, all, items, flags,
                                            range.end - range.begin > 4 * TILE_KEYS };
    scanrt_runs_list(tile, runs, segments, bits, has_numbers);
    scanrt_runs_sort(tile, runs, bits, has_numbers);
    scanrt_runs_merge_all(tile, runs, bits, has_numbers);
    const scanrt_sort_route route = { 1, 1, 1, PLACE_IN, PLACE_OUT };
    const scanrt_sort_ends ends = SORT_ENDS(route, base);
    scanrt_runs_write(tile, keys, low, items, ends, order, 1);
  }
}

/* Sorts each tile of the table by itself. */
SORT_KERNEL(segments_tiles)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_run_tile, tile, 1);
  LOCAL_ARRAY(scanrt_segment_runs, runs, 1);
  MERGES_OPEN();
  MERGES_PASS_OVER();
  (void)pass;
  const scanrt_u32 has_numbers = RUN_HAS_NUMBERS((flags & SORT_VALUES) != 0 || bits != KEY_ALL);
  NO_UNROLL
  for (scanrt_u32 entry = GROUP(); entry < entries; entry += GROUPS()) {
    const scanrt_segment_tile entry_tile = scanrt_segment_tile_of(table, entry, rows, tile_items);
    const scanrt_sort_route route = scanrt_segments_route(entry_tile.segment.tiles, 0);
    const scanrt_sort_ends ends = SORT_ENDS(route, entry_tile.first);
    const scanrt_u32 items = entry_tile.items;
    KEY_T key[ITEM_KEYS];
    if (items == 0) continue;
    GLOBAL const KEY_T *keys = (GLOBAL const KEY_T *)MEMORY(in) + entry_tile.first;
    scanrt_rows_load(key, keys, items);
    scanrt_rows_keep(tile, key, items, order);
    scanrt_runs_clear(runs);
    BARRIER();
    if (ITEM() == 0) scanrt_runs_add(runs, 0, items);
    BARRIER();
    scanrt_runs_sort(tile, runs, bits, has_numbers);
    scanrt_runs_merge_all(tile, runs, bits, has_numbers);
    scanrt_runs_write(tile, keys, 0, items, ends, order, 1);
  }
}

/* Two sorted parts of a segment, one after the other. */
typedef struct scanrt_merge_parts {
  GLOBAL const KEY_T *keys;
  scanrt_u64 first, second; /* the number of keys of each */
} scanrt_merge_parts;

/* Returns how many of the first `at` keys of the merged parts are the first part's. */
FUNC scanrt_u64 scanrt_merge_search(scanrt_merge_parts parts, scanrt_u64 at, scanrt_sort_order order, KEY_T bits) {
  GLOBAL const KEY_T *other = parts.keys + parts.first + at - 1;
  scanrt_u64 begin = at > parts.second ? at - parts.second : 0, end = at < parts.first ? at : parts.first;
  WARP_SEARCH(begin, end, i,
              (KEY_T)(scanrt_sort_ordered(parts.keys[i], order) & bits) <=
                  (KEY_T)(scanrt_sort_ordered(*(other - i), order) & bits))
  return begin;
}

/* A tile of two parts that are merged, in local memory. Its first `first` keys are of the first part, from key
 * `skipped` of the pair on; the others follow, from key `skipped_second` + `first` of the pair on. */
typedef struct scanrt_merge_tile {
  scanrt_u32 items, first;
  scanrt_u64 skipped, skipped_second;
} scanrt_merge_tile;

/* The number in the pair of key i of the tile. */
#define MERGE_FROM(m, i) (((i) < (m).first ? (m).skipped : (m).skipped_second) + (i))

/* Returns a tile. No key's number exceeds that of the pair's last key, even if other work-groups change keys of
 * overlapping segments. */
FUNC scanrt_merge_tile scanrt_merge_tile_of(scanrt_merge_parts parts, const scanrt_u64 *at,
                                            LOCAL const scanrt_u64 *firsts) {
  scanrt_merge_tile m;
  m.items = (scanrt_u32)(at[1] - at[0]);
  m.first = firsts[1] < firsts[0] ? 0 : (scanrt_u32)(firsts[1] - firsts[0]);
  if (m.first > m.items) m.first = m.items;
  m.skipped = firsts[0];
  m.skipped_second = parts.first + at[0] - firsts[0] - m.first;
  if (m.skipped_second + m.items > parts.first + parts.second) m.skipped_second = at[0];
  return m;
}

FUNC void scanrt_merge_load(LOCAL scanrt_run_tile *tile, GLOBAL const KEY_T *keys, scanrt_merge_tile m,
                            scanrt_sort_order order, scanrt_u32 has_numbers) {
  GLOBAL const KEY_T *first = keys + m.skipped, *second = keys + m.skipped_second;
  KEY_T key[ITEM_KEYS];
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = k * SCAN_GROUP_ITEMS + ITEM();
    key[k] = i < m.items ? (i < m.first ? first : second)[i] : 0;
  }
  scanrt_runs_keep(tile, key, order, has_numbers);
  BARRIER();
}

/* Moves values from where their keys came from. */
#define MERGE_VALUES(T)                                                                                                \
  UNROLL                                                                                                               \
  for (scanrt_u32 i = ITEM(); i < TILE_KEYS; i += SCAN_GROUP_ITEMS) {                                                  \
    if (i >= m.items) continue;                                                                                        \
    const scanrt_u32 j = tile->number[i];                                                                              \
    ((GLOBAL T *)ends.values_to)[ends.first + i] = ((GLOBAL const T *)ends.values)[pair + MERGE_FROM(m, j)];           \
  }

FUNC void scanrt_merge_write(LOCAL const scanrt_run_tile *tile, GLOBAL const KEY_T *keys, scanrt_merge_tile m,
                             scanrt_u64 pair, scanrt_sort_ends ends, scanrt_sort_order order) {
#ifdef SORT_NUMERIC_KEYS
  UNROLL
  for (scanrt_u32 i = ITEM(); i < TILE_KEYS; i += SCAN_GROUP_ITEMS) {
    if (i >= m.items) continue;
    const scanrt_u32 j = tile->number[i];
    ends.to[ends.first + i] = keys[MERGE_FROM(m, j)];
  }
  (void)order;
#else
  scanrt_runs_write_keys(tile, keys, 0, m.items, ends, order, 0);
#endif
  if (ends.value_bytes == 4) {
    MERGE_VALUES(scanrt_u32)
  } else if (ends.value_bytes == 8) {
    MERGE_VALUES(scanrt_u64)
  }
  BARRIER();
}

/* Merges pairs of parts to parts of 2^pass tiles, for `pass` from 1 on. */
SORT_KERNEL(segments_merge)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_run_tile, local_tile, 1);
  LOCAL_ARRAY(scanrt_u64, firsts, 2);
  MERGES_OPEN();
  MERGES_PASS_OVER();
  NO_UNROLL
  for (scanrt_u32 entry = GROUP(); entry < entries; entry += GROUPS()) {
    const scanrt_segment_tile tile = scanrt_segment_tile_of(table, entry, rows, tile_items);
    const scanrt_segment segment = tile.segment;
    if (tile.items == 0 || segment.tiles <= 1u << (pass - 1)) continue;
    const scanrt_sort_route route = scanrt_segments_route(segment.tiles, pass);
    const scanrt_sort_ends ends = SORT_ENDS(route, tile.first);
    const scanrt_u64 width = (scanrt_u64)tile_items << (pass - 1);
    const scanrt_u64 skipped = (scanrt_u64)(tile.number >> pass << pass) * tile_items, left = segment.items - skipped;
    const scanrt_u64 pair = segment.begin + skipped;
    scanrt_u64 at[2];
    scanrt_merge_parts parts;
    parts.keys = (GLOBAL const KEY_T *)SORT_PLACE(route.from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)) + pair;
    parts.first = left < width ? left : width;
    parts.second = left - parts.first < width ? left - parts.first : width;
    at[0] = tile.first - pair;
    at[1] = at[0] + tile.items;
    NO_UNROLL
    for (scanrt_u32 e = ITEM() / 32; e < 2; e += SCAN_GROUP_ITEMS / 32) {
      const scanrt_u64 found = scanrt_merge_search(parts, e == 0 ? at[0] : at[1], order, bits);
      if (ITEM() % 32 == 0) firsts[e] = found;
    }
    BARRIER();
    const scanrt_merge_tile m = scanrt_merge_tile_of(parts, at, firsts);
    scanrt_merge_load(local_tile, parts.keys, m, order, SORT_IS_NUMERIC || ends.value_bytes != 0);
    const scanrt_two_runs both = { 0, m.first, m.first, m.items - m.first };
    scanrt_run_merge(local_tile, both, ITEM() * ITEM_KEYS, ITEM_KEYS, bits, SORT_IS_NUMERIC || ends.value_bytes != 0);
    scanrt_merge_write(local_tile, parts.keys, m, pair, ends, order);
  }
}
