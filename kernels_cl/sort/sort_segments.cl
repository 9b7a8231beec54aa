/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of segments (sort_segments.h), where work-items do not exchange by PTX. SCAN_TYPE is the unsigned integer
 * that keys are read as. A work-group has the segments of its tile in local memory. If all of them are short, each key
 * is compared with the keys of its segment, which gives its place. Otherwise the tile is sorted by the keys' digits,
 * and then by the segments' numbers. A bit for each key that begins a segment gives these numbers, so that empty
 * segments take no room. */
#include "lib/group_sums.h"
#include "sort/sort_move.h"
#include "sort/sort_segments_table.h"
#if SCAN_GROUP_ITEMS > 1
#include "sort/sort_segments_note.h"
#include "sort/sort_segments_tile.h"
#include "sort/sort_segments_write.h"
#else
#include "sort/sort_segments_alike.h"
#endif

/* ---- passes over the table: all are taken ---- */

#define SEGMENTS_ROUTE() scanrt_sort_route_of((1u << SORT_PASSES(first_bit, end_bit)) - 1, ROUTE_SLOTS(), pass, flags)
#define SEGMENTS_OPEN()                                                                                                \
  const scanrt_segment_table table = SEGMENT_TABLE();                                                                  \
  const scanrt_u32 rows = scanrt_segment_count(table, SEGMENTS_COUNT_ROWS, tiles)
#define SEGMENTS_OPEN_PASS()                                                                                           \
  SEGMENTS_OPEN();                                                                                                     \
  const scanrt_u32 entries = scanrt_segment_count(table, SEGMENTS_COUNT_TILES, SEGMENTS_MOST_TILES(tiles));            \
  const scanrt_sort_route route = SEGMENTS_ROUTE();                                                                    \
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, pass)
/* The keys that a pass reads. */
#define SEGMENTS_KEYS(route)                                                                                           \
  ((GLOBAL const KEY_T *)SORT_PLACE((route).from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)))
/* Arguments that no kernel of a pass uses. */
#define SEGMENTS_PASS_OVER()                                                                                           \
  (void)MEMORY(n_overflow), (void)MEMORY(marks), (void)MEMORY(n_from), (void)n, (void)count, (void)step_items,         \
      (void)part_tiles, (void)part
#define SEGMENTS_NO_VALUES() (void)MEMORY(values_in), (void)MEMORY(values_out), (void)MEMORY(values_spare)

SORT_KERNEL(segments_count)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
#if SCAN_GROUP_ITEMS == 1
  scanrt_u32 counts[SORT_DIGITS];
#else
  LOCAL_ARRAY(scanrt_u32, counts, SORT_DIGITS);
#endif
  SEGMENTS_OPEN_PASS();
  SEGMENTS_PASS_OVER();
  SEGMENTS_NO_VALUES();
  NO_UNROLL
  for (scanrt_u32 entry = GROUP(); entry < entries; entry += GROUPS()) {
    const scanrt_segment_tile tile = scanrt_segment_tile_of(table, entry, rows, tile_items);
    GLOBAL const KEY_T *keys = SEGMENTS_KEYS(route) + tile.first;
    NO_UNROLL
    for (scanrt_u32 d = ITEM(); d < SORT_DIGITS; d += SCAN_GROUP_ITEMS) counts[d] = 0;
    BARRIER();
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < tile.items; i += SCAN_GROUP_ITEMS) {
#if SCAN_GROUP_ITEMS == 1
      counts[scanrt_sort_digit(keys[i], order)]++;
#else
      ATOMIC_INC_LOCAL(&counts[scanrt_sort_digit(keys[i], order)]);
#endif
    }
    BARRIER();
    if (tile.items != 0) NO_UNROLL
    for (scanrt_u32 d = ITEM(); d < SORT_DIGITS; d += SCAN_GROUP_ITEMS)
      scanrt_sort_set_number(MEMORY(workspace), DIGIT_NUMBERS(tile.segment, d) + tile.number, counts[d], flags);
    BARRIER();
  }
}

/* Returns the sum of `count` tiles' numbers, from number `at` on. */
FUNC scanrt_u64 scanrt_segment_sum(GLOBAL const scanrt_u8 *numbers, scanrt_u64 at, scanrt_u32 count, scanrt_u32 flags) {
  scanrt_u64 sum = 0;
  NO_UNROLL
  for (scanrt_u32 t = 0; t < count; t++) sum += scanrt_sort_number(numbers, at + t, flags);
  return sum;
}
/* Replaces `count` tiles' numbers, from number `at` on, by `before` and the sum of the numbers before each. Returns
 * `before` and the sum of all. */
FUNC scanrt_u64 scanrt_segment_places(GLOBAL scanrt_u8 *numbers, scanrt_u64 at, scanrt_u32 count, scanrt_u64 before,
                                      scanrt_u32 flags) {
  NO_UNROLL
  for (scanrt_u32 t = 0; t < count; t++) {
    const scanrt_u64 own = scanrt_sort_number(numbers, at + t, flags);
    scanrt_sort_set_number(numbers, at + t, before, flags);
    before += own;
  }
  return before;
}

/* Makes the places of all digits of a segment with few tiles, by one work-group. In a segment with many tiles a
 * work-group makes the places of one digit, and the number of its keys. */
SORT_KERNEL(segments_places)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
#if SCAN_GROUP_ITEMS > 1
  LOCAL_ARRAY(scanrt_u64, sums, SCAN_GROUP_ITEMS);
#endif
  SEGMENTS_OPEN();
  const scanrt_u64 units = (scanrt_u64)scanrt_segment_count(table, SEGMENTS_COUNT_MANY, tiles) * SORT_DIGITS;
  GLOBAL scanrt_u8 *numbers = MEMORY(workspace);
  (void)MEMORY(in), (void)MEMORY(out), (void)MEMORY(keys_spare), (void)pass, (void)first_bit, (void)end_bit;
  (void)tile_items;
  SEGMENTS_PASS_OVER();
  SEGMENTS_NO_VALUES();
  NO_UNROLL
  for (scanrt_u32 row = GROUP(); row < rows; row += GROUPS()) {
    const scanrt_segment segment = scanrt_segment_of(table, row);
    scanrt_u64 before = 0;
    if (segment.tiles > SEGMENTS_FEW_TILES) continue;
#if SCAN_GROUP_ITEMS == 1
    (void)scanrt_segment_places(numbers, DIGIT_NUMBERS(segment, 0), segment.tiles * SORT_DIGITS, before, flags);
#else
    NO_UNROLL
    for (scanrt_u32 turn = 0; turn < SORT_DIGITS; turn += SCAN_GROUP_ITEMS) {
      const scanrt_u64 at = DIGIT_NUMBERS(segment, turn + ITEM());
      const scanrt_u32 own_tiles = turn + ITEM() < SORT_DIGITS ? segment.tiles : 0;
      const scanrt_u64 own = scanrt_segment_sum(numbers, at, own_tiles, flags);
      scanrt_u64 sum;
      const scanrt_u64 here = scanrt_group_before(own, sums, &sum);
      (void)scanrt_segment_places(numbers, at, own_tiles, before + here, flags);
      before += sum;
    }
#endif
  }
  NO_UNROLL
  for (scanrt_u64 unit = GROUP(); unit < units; unit += GROUPS()) {
    const scanrt_u32 row = (scanrt_u32)table.many[unit / SORT_DIGITS], digit = (scanrt_u32)(unit % SORT_DIGITS);
    const scanrt_segment segment = scanrt_segment_of(table, row);
    const scanrt_u64 at = DIGIT_NUMBERS(segment, digit);
    scanrt_u64 before = 0;
#if SCAN_GROUP_ITEMS == 1
    before = scanrt_segment_places(numbers, at, segment.tiles, before, flags);
#else
    NO_UNROLL
    for (scanrt_u32 turn = 0; turn < segment.tiles; turn += SCAN_GROUP_ITEMS) {
      const scanrt_u32 t = turn + ITEM();
      const scanrt_u64 own = t < segment.tiles ? scanrt_sort_number(numbers, at + t, flags) : 0;
      scanrt_u64 sum;
      const scanrt_u64 here = scanrt_group_before(own, sums, &sum);
      if (t < segment.tiles) scanrt_sort_set_number(numbers, at + t, before + here, flags);
      before += sum;
    }
#endif
    if (ITEM() == 0) scanrt_sort_set_number(numbers, DIGIT_TOTAL(row, digit), before, flags);
  }
}

/* The place of a digit's first key of the tile; if the segment has many tiles, without the keys of the digits
 * before. */
#define SEGMENT_TILE_PLACE(tile, d)                                                                                    \
  ((tile).segment.begin +                                                                                              \
   scanrt_sort_number(MEMORY(workspace), DIGIT_NUMBERS((tile).segment, d) + (tile).number, flags))

#if SCAN_GROUP_ITEMS == 1
SORT_KERNEL(segments_move)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  scanrt_u64 place[SORT_DIGITS];
  SEGMENTS_OPEN_PASS();
  SEGMENTS_PASS_OVER();
  for (scanrt_u32 entry = GROUP(); entry < entries; entry += GROUPS()) {
    const scanrt_segment_tile tile = scanrt_segment_tile_of(table, entry, rows, tile_items);
    const scanrt_sort_ends ends = SORT_ENDS(route, tile.first);
    GLOBAL const KEY_T *keys = SEGMENTS_KEYS(route) + tile.first;
    scanrt_u64 before = 0;
    if (tile.items == 0) continue;
    if (order.mask == 0) {
      place[0] = tile.first;
    } else {
      for (scanrt_u32 d = 0; d < SORT_DIGITS; d++) {
        place[d] = before + SEGMENT_TILE_PLACE(tile, d);
        if (tile.segment.tiles > SEGMENTS_FEW_TILES)
          before += scanrt_sort_number(MEMORY(workspace), DIGIT_TOTAL(tile.row, d), flags);
      }
    }
    scanrt_sort_scatter(keys, tile.items, order, place, ends);
  }
}

/* ---- small segments: a work-item takes one after the other ---- */

/* Sorts few keys by insertion. */
FUNC void scanrt_segment_insert(GLOBAL const KEY_T *keys, scanrt_u32 items, scanrt_sort_order order, KEY_T bits,
                                scanrt_sort_ends ends) {
  KEY_T key[SEGMENTS_INSERTED_ITEMS], rank[SEGMENTS_INSERTED_ITEMS];
  scanrt_u8 from[SEGMENTS_INSERTED_ITEMS];
  scanrt_u64 value[SEGMENTS_INSERTED_ITEMS];
  for (scanrt_u32 i = 0; i < items; i++) {
    const KEY_T own = (KEY_T)(scanrt_sort_ordered(keys[i], order) & bits);
    scanrt_u32 at = i;
    key[i] = keys[i];
    if (ends.value_bytes != 0)
      value[i] = ends.makes_indices      ? ends.first + i
                 : ends.value_bytes == 4 ? ((GLOBAL const scanrt_u32 *)ends.values)[ends.first + i]
                                         : ((GLOBAL const scanrt_u64 *)ends.values)[ends.first + i];
    for (; at > 0 && rank[at - 1] > own; at--) {
      rank[at] = rank[at - 1];
      from[at] = from[at - 1];
    }
    rank[at] = own;
    from[at] = (scanrt_u8)i;
  }
  for (scanrt_u32 i = 0; i < items; i++) {
    const scanrt_u64 at = ends.first + i;
    ends.to[at] = key[from[i]];
    if (ends.value_bytes == 4) ((GLOBAL scanrt_u32 *)ends.values_to)[at] = (scanrt_u32)value[from[i]];
    if (ends.value_bytes == 8) ((GLOBAL scanrt_u64 *)ends.values_to)[at] = value[from[i]];
  }
}

SORT_KERNEL(segments)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  scanrt_u32 counts[KEY_PASSES * SORT_DIGITS];
  scanrt_u64 place[SORT_DIGITS];
  const scanrt_u64 all = SORT_N(), first = (scanrt_u64)GROUP() * step_items;
  const scanrt_u64 limit = first >= all || all - first < step_items ? all : first + step_items;
  const scanrt_u32 slots = ROUTE_SLOTS();
  const scanrt_sort_route whole = { 1, 1, 1, PLACE_IN, PLACE_OUT };
  const KEY_T bits = KEY_BITS(first_bit, end_bit);
  (void)MEMORY(workspace), (void)pass, (void)part_tiles, (void)part;
  NOTE_N_OVERFLOW();
  scanrt_u64 s = first < all ? scanrt_segment_search(MEMORY(marks), 0, count + 1, first, all, flags) : count;
  while (s < count) {
    const scanrt_u64 begin = OFFSET(s), end = OFFSET(s + 1), items = end - begin;
    GLOBAL const KEY_T *keys = (GLOBAL const KEY_T *)MEMORY(in) + begin;
    if (begin >= limit) break;
    if (end <= begin) {
      s = scanrt_segment_last_alike(MEMORY(marks), s + 1, count, begin, all, flags);
      continue;
    }
    s++;
    if (items <= SEGMENTS_INSERTED_ITEMS) {
      const scanrt_sort_ends ends = SORT_ENDS(whole, begin);
      scanrt_segment_insert(keys, (scanrt_u32)items, scanrt_sort_order_of(flags, first_bit, end_bit, 0), bits, ends);
      continue;
    }
    if (items > step_items) {
      scanrt_segment_enter(SEGMENT_TABLE(), begin, items, tile_items, tiles);
      continue;
    }
    /* If offsets descend, the next work-item may begin with another segment than the one after this one. */
    if (end > limit && scanrt_segment_search(MEMORY(marks), 0, count + 1, limit, all, flags) != s) continue;
    const scanrt_u32 orders = scanrt_sort_tile_digits(keys, (scanrt_u32)items, counts, flags, first_bit, end_bit);
    for (scanrt_u32 p = 0; p < slots; p++) {
      const scanrt_sort_route route = scanrt_sort_route_of(orders, slots, p, flags);
      const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, p);
      const scanrt_sort_ends ends = SORT_ENDS(route, begin);
      scanrt_u64 before = begin;
      if (!route.is_taken) continue;
      for (scanrt_u32 d = 0; d < SORT_DIGITS; d++) {
        place[d] = before;
        if (order.mask != 0) before += counts[p * SORT_DIGITS + d];
      }
      scanrt_sort_scatter(SEGMENTS_KEYS(route) + begin, (scanrt_u32)items, order, place, ends);
    }
  }
}
#else
SORT_KERNEL(segments_move)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_sort_tile, local_tile, 1);
  LOCAL_ARRAY(scanrt_u64, place, SORT_DIGITS);
  LOCAL_ARRAY(scanrt_u64, sums, (TILE_KEYS / 8 > SCAN_GROUP_ITEMS ? TILE_KEYS / 8 : SCAN_GROUP_ITEMS));
  LOCAL scanrt_u8 *own_digits = (LOCAL scanrt_u8 *)sums;
  SEGMENTS_OPEN_PASS();
  SEGMENTS_PASS_OVER();
  NO_UNROLL
  for (scanrt_u32 entry = GROUP(); entry < entries; entry += GROUPS()) {
    const scanrt_segment_tile tile = scanrt_segment_tile_of(table, entry, rows, tile_items);
    const scanrt_sort_ends ends = SORT_ENDS(route, tile.first);
    GLOBAL const KEY_T *keys = SEGMENTS_KEYS(route) + tile.first;
    scanrt_u64 before = 0;
    if (tile.items == 0) continue;
    NO_UNROLL
    for (scanrt_u32 turn = 0; turn < SORT_DIGITS; turn += SCAN_GROUP_ITEMS) {
      const scanrt_u32 d = turn + ITEM() < SORT_DIGITS ? turn + ITEM() : SORT_DIGITS - 1;
      scanrt_u64 here = 0, sum = 0;
      if (tile.segment.tiles > SEGMENTS_FEW_TILES && order.mask != 0) {
        const scanrt_u64 own = scanrt_sort_number(MEMORY(workspace), DIGIT_TOTAL(tile.row, d), flags);
        here = scanrt_group_before(turn + ITEM() < SORT_DIGITS ? own : 0, sums, &sum);
      }
      if (turn + ITEM() < SORT_DIGITS)
        place[d] = order.mask == 0 ? tile.first : before + here + SEGMENT_TILE_PLACE(tile, d);
      before += sum;
    }
    scanrt_sort_load(local_tile, keys, tile.items);
    NO_UNROLL
    for (scanrt_u32 shift = 0; shift < SORT_DIGIT_BITS; shift += SEGMENTS_BITS) {
      scanrt_segments_by_digit(local_tile, own_digits, tile.items, order, shift);
      scanrt_segments_by(local_tile, own_digits, tile.items);
    }
    scanrt_sort_subtract_starts(local_tile, place, tile.items, order);
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < tile.items; i += SCAN_GROUP_ITEMS) {
      const KEY_T key = local_tile->key[i];
      const scanrt_u64 at = place[scanrt_sort_digit(key, order)] + i;
      ends.to[at] = key;
      if (ends.value_bytes == 4) MOVE_VALUE(scanrt_u32, at, local_tile->number[i]);
      if (ends.value_bytes == 8) MOVE_VALUE(scanrt_u64, at, local_tile->number[i]);
    }
    BARRIER();
  }
}

/* ---- the launch ---- */

/* The local memory of a work-group's tile besides scanrt_sort_tile. */
typedef struct scanrt_segments_local {
  scanrt_tile_segments segment_bits;
  scanrt_u8 digits[TILE_KEYS];
  scanrt_u32 found[2];
} scanrt_segments_local;

FUNC void scanrt_segments_tile(LOCAL scanrt_sort_tile *tile, LOCAL scanrt_segments_local *own,
                               GLOBAL const scanrt_u8 *offsets, scanrt_segment_range range, GLOBAL const KEY_T *keys,
                               scanrt_u32 items, scanrt_u64 all, scanrt_sort_ends ends, scanrt_u32 flags,
                               scanrt_u32 first_bit, scanrt_u32 end_bit) {
  scanrt_sort_load(tile, keys, items);
  scanrt_segments_mark(&own->segment_bits, offsets, range, ends.first, items, all, flags);
  const scanrt_u32 is_long = scanrt_segments_are_long(&own->segment_bits, items);
  if (is_long)
    scanrt_segments_sort(tile, &own->segment_bits, own->digits, items, flags, first_bit, end_bit);
  else
    scanrt_segments_compare(tile, &own->segment_bits, items, scanrt_sort_order_of(flags, first_bit, end_bit, 0),
                            KEY_BITS(first_bit, end_bit));
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)
    ends.to[ends.first + scanrt_segments_place(tile, i, is_long)] = tile->key[i];
  scanrt_segments_write_values(tile, items, is_long, ends, (flags & SORT_IN_PLACE) != 0);
}

/* Sorts a work-group's segments as one tile. If the last segment does not fit, it is a tile of its own. */
SORT_KERNEL(segments)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_sort_tile, tile, 1);
  LOCAL_ARRAY(scanrt_segments_local, own, 1);
  const scanrt_u64 all = SORT_N(), from = (scanrt_u64)GROUP() * step_items;
  const scanrt_u64 limit = from >= all || all - from < step_items ? all : from + step_items;
  const scanrt_sort_route whole = { 1, 1, 1, PLACE_IN, PLACE_OUT };
  (void)MEMORY(keys_spare), (void)MEMORY(workspace), (void)MEMORY(values_spare), (void)pass, (void)part;
  NOTE_N_OVERFLOW();
  if (from >= all) return;
  scanrt_segment_range range = scanrt_segments_find(own->found, MEMORY(marks), count + 1, from, limit, all, flags);
  if (range.end > count) range.end = count;
  if (range.begin >= range.end) return;
  const scanrt_u64 first = OFFSET(range.begin), end = OFFSET(range.end);
  const scanrt_u64 last = end - first <= TILE_KEYS ? end : OFFSET(range.end - 1);
  NO_UNROLL
  for (scanrt_u32 part = 0; part < 2; part++) {
    const scanrt_u64 begin = part == 0 ? first : last, stop = part == 0 ? last : end;
    const scanrt_u64 length = stop > begin ? stop - begin : 0;
    const scanrt_u32 items = length > TILE_KEYS ? 0 : (scanrt_u32)length;
    const scanrt_sort_ends ends = SORT_ENDS(whole, begin);
    if (length > TILE_KEYS)
      (void)scanrt_segments_note(SEGMENT_TABLE(), own->found, begin, length, tile_items, part_tiles);
    if (items == 0) continue;
    scanrt_segments_tile(tile, own, MEMORY(marks), range, (GLOBAL const KEY_T *)MEMORY(in) + begin, items, all, ends,
                         flags, first_bit, end_bit);
  }
}
#endif
