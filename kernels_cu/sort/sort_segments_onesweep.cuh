/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass over the segments that are rows of the table (kernels_cl/sort/sort_segments.h), by the tiles of
 * sort_onesweep.cuh: in place of segments_lookback of sort_segments_digits.cl, for less than 2^32 keys. Included in the
 * namespace of sort_onesweep.cuh, after it. */
#include "sort/sort_segments_table.h"

/* A tile of a row in a pass. */
typedef struct segments_tile {
  scanrt_u32 items, tiles;                /* keys and tiles of the row; no tiles: the launch has no more */
  scanrt_u32 number, row, entry;          /* the tile's number in the row, the row, and the tile's entry in the table */
  scanrt_u32 begin, segment_begin;        /* the first keys of the row and of the segment */
  scanrt_u32 state;                       /* the look-back state, 0 or 1 */
  scanrt_u32 from, to, is_first, is_last; /* as in scanrt_sort_route */
  scanrt_u32 has_next;                    /* 1: the segment has a row behind */
} segments_tile;

/* Sets `tile` to the tile of an entry of the table. Returns false if the pass does not order or, with `moves`, does not
 * just move it. */
FUNC bool segments_tile_set(segments_tile *tile, scanrt_segment_table table, scanrt_u32 entry, scanrt_u32 rows,
                            scanrt_u32 part_tiles, scanrt_u32 part, scanrt_u32 pass, scanrt_u32 slots, scanrt_u32 flags,
                            bool moves) {
  const scanrt_segment_tile found = scanrt_segment_tile_of(table, entry, rows, ONESWEEP_TILE);
  const scanrt_segment segment = found.segment;
  if (found.items == 0 || segment.part != part || (segment.orders >> pass & 1) == moves) return false;
  const scanrt_sort_route route = scanrt_sort_route_of(segment.orders, slots, pass, flags);
  if (!route.is_taken) return false;
  tile->items = (scanrt_u32)segment.items;
  tile->tiles = segment.tiles;
  tile->number = found.number;
  tile->row = found.row;
  tile->entry = entry;
  tile->begin = (scanrt_u32)segment.begin;
  tile->segment_begin = tile->begin - part * part_tiles * ONESWEEP_TILE;
  tile->state = BITS_SET(segment.orders & ((1u << pass) - 1)) & 1;
  tile->from = route.from;
  tile->to = route.to;
  tile->is_first = route.is_first;
  tile->is_last = route.is_last;
  tile->has_next = segment.part + 1 < segment.parts;
  return true;
}

/* Returns a tile's memory. Places in outputs count from the first of all keys. */
#define SEGMENTS_ENDS(of)                                                                                              \
  segments_ends((of), SORT_PLACE((of).from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)),                              \
                SORT_PLACE((of).to, MEMORY(in), MEMORY(out), MEMORY(keys_spare)),                                      \
                SORT_PLACE((of).from, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare)),                    \
                SORT_PLACE((of).to, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare)), order, flags)
FUNC onesweep_ends segments_ends(const segments_tile &of, const scanrt_u8 *keys, scanrt_u8 *keys_to,
                                 const scanrt_u8 *values, scanrt_u8 *values_to, onesweep_order order,
                                 scanrt_u32 flags) {
  onesweep_ends ends;
  const onesweep_key last = last_key(order);
  ends.bytes = ends.bytes_to = (order.sign + 1) / 8;
  ends.flips = is_flipped(order) && of.is_first;
  ends.flips_back = is_flipped(order) && of.is_last;
  ends.filler = ends.flips ? flip_back(last, order) : last;
  ends.is_whole = ends.is_whole_to = ends.widens = false;
  ends.makes_values = (flags & SORT_INDICES) != 0 && of.is_first;
  ends.first = of.begin;
  ends.n = of.items;
  ends.tiles = of.tiles;
  ends.keys = (const KEY_T *)(keys + (size_t)of.begin * ends.bytes);
  ends.keys_to = (KEY_T *)keys_to;
  ends.values = (const onesweep_value *)values + (ends.makes_values ? 0 : of.begin);
  ends.values_to = (onesweep_value *)values_to;
  return ends;
}

/* Adds where the digits from `first` on begin in the segment to where they go. `before`: their keys in the row's tiles
 * before. If offsets descend, segments overlap, and counts may be wrong: the digit goes to the first keys then, so that
 * nothing is written past the last of `all`. */
FUNC void segments_add_starts(scanrt_u32 base, const segments_tile &of, scanrt_u32 first, own_digits own,
                              look_digits before, const scanrt_u32 *digit_starts, onesweep_order order,
                              scanrt_u32 all) {
  const look_digits counts = tile_counts(base, first, own);
  const scanrt_u32 left = of.items - of.number * ONESWEEP_TILE, pads = left < ONESWEEP_TILE ? ONESWEEP_TILE - left : 0;
  UNROLL
  for (int c = 0; c < LOOK_DIGITS; c++) {
    const scanrt_u32 at = base + AT_STARTS + (first + c) * 4;
    const scanrt_u32 keys = counts.of[c] - (digit4(last_key(order), order) == (first + c) * 4 ? pads : 0);
    const scanrt_u32 start = of.segment_begin + digit_starts[first + c], to = start + before.of[c];
    const bool is_in = to <= all && all - to >= keys;
    scanrt_shared_set_u32(at, scanrt_shared_u32(at) + (is_in ? start : 0 - before.of[c]));
  }
}

extern "C" __global__ void __launch_bounds__(ONESWEEP_ALL_ITEMS, ONESWEEP_GROUPS)
    KERNEL_NAME(SORT_NAME(segments_onesweep), SCAN_SUFFIX)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  DYNAMIC_SHARED(shared);
  __shared__ segments_tile of[2];
  TABLE_OPEN();
  const scanrt_u32 entries = TABLE_ENTRIES(), slots = ROUTE_SLOTS();
  const scanrt_u32 base = scanrt_shared_address(shared);
  const onesweep_order order = onesweep_order_of(flags, first_bit, end_bit, pass);
  const bool by_places = ARE_STAGED || (flags & SORT_BY_PLACES) != 0;
  const scanrt_u32 item = ITEM(), warp = item / 32, lane = item % 32, claimer = ONESWEEP_ALL_ITEMS - 1;
  const bool works = ONESWEEP_LOOKERS == 0 || warp < ONESWEEP_WARPS;
  (void)MEMORY(n_from), (void)MEMORY(n_overflow), (void)MEMORY(marks), (void)count, (void)tile_items;
  if (entries == 0) return;
  NO_UNROLL
  for (scanrt_u32 first = GROUP(); first < entries; first += GROUPS() * ONESWEEP_ALL_ITEMS) {
    const scanrt_u32 entry = first + item * GROUPS();
    segments_tile own;
    if (!BARRIER_ANY(entry < entries &&
                     segments_tile_set(&own, table, entry, rows, part_tiles, part, pass, slots, flags, true)))
      continue;
    NO_UNROLL
    for (scanrt_u32 i = 0; i < ONESWEEP_ALL_ITEMS && first + i * GROUPS() < entries; i++) {
      if (!segments_tile_set(&own, table, first + i * GROUPS(), rows, part_tiles, part, pass, slots, flags, true))
        continue;
      const scanrt_u32 at = own.number * ONESWEEP_TILE, left = own.items - at;
      copy_keys(SEGMENTS_ENDS(own), order, at + item, ONESWEEP_ALL_ITEMS,
                at + (left < ONESWEEP_TILE ? left : ONESWEEP_TILE));
    }
  }

  scanrt_u32 *ticket = table.counters + SEGMENTS_TICKET(step_items);
  const scanrt_u32 counters = base + warp * COUNTER_BYTES;
  const scanrt_u32 in_tile = warp * (32 * ONESWEEP_KEYS) + ((flags & SORT_TEST_LANES) != 0 ? lane ^ 31 : lane);
#define SEGMENTS_CLAIM(to)                                                                                             \
  for (scanrt_u32 entry = ATOMIC_ADD(ticket, 1u);; entry = ATOMIC_ADD(ticket, 1u)) {                                   \
    (to)->tiles = 0;                                                                                                   \
    if (entry >= entries || segments_tile_set((to), table, entry, rows, part_tiles, part, pass, slots, flags, false))  \
      break;                                                                                                           \
  }
  onesweep_tile t;
  own_digits counts = { { 0 } };
  scanrt_u32 now = 1; /* of[now] is the tile that is sorted, the other one then the next */
  bool is_wrong = false, has_tile = false;
  if (item == claimer) {
    of[1] = segments_tile{};
    SEGMENTS_CLAIM(&of[0])
  }
  BARRIER();
  NO_UNROLL
  for (;;) { /* as in sort_onesweep.cuh */
    const scanrt_u32 number = of[now].number, left = of[now].items - number * ONESWEEP_TILE;
    const bool is_full = left >= ONESWEEP_TILE;
    scanrt_u32 *words = ENTRY_WORDS(of[now].entry - number, of[now].state);
    if (has_tile) {
      if (works && of[now].tiles != 0) count_tile(counters, t, SEGMENTS_ENDS(of[now]), order);
      if (BARRIER_ANY(is_wrong)) {
        if (item == 0) ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_REPAIRS], 1u);
        repair(base, of[now ^ 1].number, SEGMENTS_ENDS(of[now ^ 1]), order, by_places);
        is_wrong = false;
      }
      if (of[now].tiles == 0) return;
      if (works) stage_values(shared, base, number, SEGMENTS_ENDS(of[now]));
      if (item < SORT_DIGITS)
        counts = publish(base, words, number, own_digits{ { 0 } });
      else
        PUBLISH_BARRIER_OF_OTHERS();
      if (item == claimer) SEGMENTS_CLAIM(&of[now ^ 1])
      BARRIER();
      if (works)
        rank_tile(base, counters, t, in_tile, order, by_places, ~0u, is_full, left > in_tile ? left - in_tile : 0);
    }
    if (works && of[now ^ 1].tiles != 0) load_tile(t, of[now ^ 1].number, in_tile, SEGMENTS_ENDS(of[now ^ 1]));
    if (has_tile) {
      if (is_looker()) {
        scanrt_u32 *next_words = ENTRY_WORDS(of[now].entry - number, !of[now].state);
        scanrt_u32 *starts = ROW_COUNT(of[now].row, pass * SORT_DIGITS);
        const look_digits before =
            find_starts(base, words, next_words, number, look_first(), counts, starts,
                        starts + SEGMENTS_COUNTS(1, passes), of[now].has_next && number + 1 == of[now].tiles);
        segments_add_starts(base, of[now], look_first(), counts, before, starts, order, (scanrt_u32)n);
      }
      if (ARE_STAGED) scanrt_async_wait();
      BARRIER();
      is_wrong = write_tile(base, number, is_full ? ONESWEEP_TILE : left, is_full, works, SEGMENTS_ENDS(of[now]), order,
                            by_places);
    }
    now ^= 1;
    has_tile = true;
  }
#undef SEGMENTS_CLAIM
}
