/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of the segments that are rows of the table (sort_segments.h), by digits:
 *
 * segments_note makes rows of the listed segments of more than `part` keys.
 * segments_sums counts the digits of all passes in the rows' tiles, and clears the first look-back state.
 * segments_starts finds where each digit begins in the output, and which passes order a segment.
 * segments_lookback is a pass, as in sort_lookback.cl: tiles look back to the first tile of their row. The last tile of
 * a row tells the segment's next row, of a later launch, where its keys go. */
#define LOOK_PLACE_T scanrt_u64
/* If offsets descend, segments overlap, and counts may be wrong: nothing is written past the keys. */
#define LOOK_IS_IN(buffers, at) ((at) < (buffers).all)
#include "sort/sort_look_tile.h"
#include "sort/sort_segments_note.h"

#define ROW_COPIES (KEY_BYTES == 8 ? 2 : 4) /* copies of a digit's counter, for different lanes */
#define ROW_COUNTERS (KEY_PASSES * SORT_DIGITS * ROW_COPIES)
#define ROW_KEYS 8 /* keys that a work-item loads at once */

#define TABLE_PASS_OVER()                                                                                              \
  (void)MEMORY(n_overflow), (void)MEMORY(marks), (void)MEMORY(n_from), (void)count, (void)step_items, (void)part_tiles

#if VALUE_BYTES == 0 /* these kernels move no values */
/* Enters a segment in the table, and clears the counts of its digits. All work-items call it. */
FUNC void scanrt_row_note(scanrt_segment_table table, LOCAL scanrt_u32 *found, scanrt_u64 begin, scanrt_u64 items,
                          scanrt_u32 tile_items, scanrt_u32 part_tiles, scanrt_u32 passes, GLOBAL scanrt_u8 *counts,
                          scanrt_u32 flags) {
  const scanrt_u32 row = scanrt_segments_note(table, found, begin, items, tile_items, part_tiles);
  if (row >= table.most_rows) return;
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < SEGMENTS_COUNTS(1, passes); i += SCAN_GROUP_ITEMS)
    scanrt_sort_set_number(counts, SEGMENTS_COUNTS((scanrt_u64)row, passes) + i, 0, flags);
}

SORT_KERNEL(segments_note)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_u32, found, 2);
  const scanrt_segment_table table = SEGMENT_TABLE();
  const scanrt_u32 listed =
      scanrt_segment_count(table, SEGMENTS_COUNT_HELD, (scanrt_u32)SEGMENTS_MOST_ROWS(n, step_items));
  (void)MEMORY(in), (void)MEMORY(out), (void)MEMORY(keys_spare), (void)MEMORY(values_in), (void)MEMORY(values_out);
  (void)MEMORY(values_spare), (void)MEMORY(n_overflow), (void)MEMORY(marks), (void)MEMORY(n_from), (void)count;
  (void)pass;
  NO_UNROLL
  for (scanrt_u32 i = GROUP(); i < listed; i += GROUPS()) {
    GLOBAL const scanrt_u64 *segment = table.held + (scanrt_u64)i * SEGMENTS_HELD_WORDS;
    if (segment[1] > part)
      scanrt_row_note(table, found, segment[0], segment[1], tile_items, part_tiles, SORT_PASSES(first_bit, end_bit),
                      MEMORY(workspace), flags);
  }
}

/* Counts the digits of a tile's keys in the lane's copies of the counters. */
FUNC void scanrt_row_count(LOCAL scanrt_u32 *counter, GLOBAL const KEY_T *keys, scanrt_u32 items,
                           scanrt_sort_order order, const scanrt_u32 *shift, const scanrt_u32 *mask,
                           scanrt_u32 passes) {
  const scanrt_u32 copy = ITEM() % ROW_COPIES;
  NO_UNROLL
  for (scanrt_u32 first = ITEM(); first < items; first += ROW_KEYS * SCAN_GROUP_ITEMS) {
    KEY_T key[ROW_KEYS];
    UNROLL
    for (scanrt_u32 u = 0; u < ROW_KEYS; u++) {
      const scanrt_u32 i = first + u * SCAN_GROUP_ITEMS;
      key[u] = i < items ? LOAD_STREAM(keys + i) : 0;
    }
    UNROLL
    for (scanrt_u32 u = 0; u < ROW_KEYS; u++) {
      if (first + u * SCAN_GROUP_ITEMS >= items) break;
      scanrt_sort_count_key(counter, key[u], order, shift, mask, passes, ROW_COPIES, copy);
    }
  }
}

SORT_KERNEL(segments_sums)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_u32, counter, ROW_COUNTERS);
  TABLE_OPEN();
  const scanrt_u32 entries = TABLE_ENTRIES(), each = entries / GROUPS() + (entries % GROUPS() != 0);
  const scanrt_u32 begin = GROUP() * each, end = entries - begin < each ? entries : begin + each;
  const scanrt_sort_order order = scanrt_sort_look_order(flags, first_bit, end_bit, 0);
  scanrt_u32 shift[KEY_PASSES], mask[KEY_PASSES], row = 0;
  TABLE_PASS_OVER();
  (void)MEMORY(out), (void)MEMORY(keys_spare), (void)MEMORY(values_in), (void)MEMORY(values_out);
  (void)MEMORY(values_spare), (void)n, (void)pass, (void)part;
  if (begin >= entries) return;
  UNROLL
  for (scanrt_u32 p = 0; p < KEY_PASSES; p++) {
    const scanrt_sort_order of = scanrt_sort_look_order(flags, first_bit, end_bit, p);
    shift[p] = of.shift;
    mask[p] = of.mask;
  }
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < ROW_COUNTERS; i += SCAN_GROUP_ITEMS) counter[i] = 0;
  BARRIER();
  NO_UNROLL
  for (scanrt_u32 entry = begin; entry <= end; entry++) {
    const scanrt_segment_tile tile = scanrt_segment_tile_of(table, entry < end ? entry : end - 1, rows, tile_items);
    const scanrt_u32 first_row = tile.row - tile.segment.part;
    if (entry > begin && (entry == end || first_row != row)) { /* adds the counts of the segment before */
      BARRIER();
      NO_UNROLL
      for (scanrt_u32 at = ITEM(); at < passes * SORT_DIGITS; at += SCAN_GROUP_ITEMS) {
        scanrt_u32 sum = 0;
        UNROLL
        for (scanrt_u32 c = 0; c < ROW_COPIES; c++) {
          LOCAL scanrt_u32 *copy = &counter[at * ROW_COPIES + ((c + ITEM()) % ROW_COPIES)];
          sum += *copy;
          *copy = 0;
        }
        if (sum != 0 && row < rows) ATOMIC_ADD(ROW_COUNT(row, at), sum);
      }
      BARRIER();
    }
    if (entry == end) break;
    row = first_row;
    GLOBAL scanrt_u32 *words = ENTRY_WORDS(entry, 0);
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < SORT_DIGITS; i += SCAN_GROUP_ITEMS) words[i] = 0;
    scanrt_row_count(counter, (GLOBAL const KEY_T *)MEMORY(in) + tile.first, tile.items, order, shift, mask, passes);
  }
}

/* Returns the sum over the work-items before this one, and leaves that over all in the last of `sums`. */
FUNC scanrt_u64 scanrt_row_sum_before(LOCAL scanrt_u64 *sums, scanrt_u64 own) {
  sums[ITEM()] = own;
  BARRIER();
  NO_UNROLL
  for (scanrt_u32 d = 1; d < SCAN_GROUP_ITEMS; d *= 2) {
    const scanrt_u64 other = ITEM() >= d ? sums[ITEM() - d] : 0;
    BARRIER();
    sums[ITEM()] += other;
    BARRIER();
  }
  return sums[ITEM()] - own;
}

/* Replaces the counts of a segment by where its digits begin. */
SORT_KERNEL(segments_starts)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_u32, orders, 1);
  LOCAL_ARRAY(scanrt_u64, sums, SCAN_GROUP_ITEMS);
  TABLE_OPEN();
  TABLE_PASS_OVER();
  (void)MEMORY(in), (void)MEMORY(out), (void)MEMORY(keys_spare), (void)MEMORY(values_in), (void)MEMORY(values_out);
  (void)MEMORY(values_spare), (void)n, (void)pass, (void)part, (void)tile_items;
  NO_UNROLL
  for (scanrt_u32 row = GROUP(); row < rows; row += GROUPS()) {
    const scanrt_segment segment = scanrt_segment_of(table, row);
    if (segment.part != 0 || segment.tiles == 0 || segment.parts > rows - row) continue;
    if (ITEM() == 0) *orders = 0;
    BARRIER();
    NO_UNROLL
    for (scanrt_u32 p = 0; p < passes; p++) {
      const scanrt_u64 at = SEGMENTS_COUNTS((scanrt_u64)row, passes) + p * SORT_DIGITS + ITEM();
      const scanrt_u64 own = ITEM() < SORT_DIGITS ? scanrt_sort_number(MEMORY(workspace), at, flags) : 0;
      const scanrt_u64 before = scanrt_row_sum_before(sums, own);
      if (own > 0 && own < sums[SCAN_GROUP_ITEMS - 1]) ATOMIC_OR_LOCAL(orders, 1u << p);
      if (ITEM() < SORT_DIGITS) scanrt_sort_set_number(MEMORY(workspace), at, before, flags);
      BARRIER();
    }
    NO_UNROLL
    for (scanrt_u32 k = ITEM(); k < segment.parts; k += SCAN_GROUP_ITEMS)
      table.rows[(scanrt_u64)(row + k) * SEGMENTS_ROW_WORDS + 4] = *orders;
    BARRIER();
  }
}
#endif

/* ---- a pass ---- */

SORT_KERNEL(segments_lookback)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_sort_look, look, 1);
  TABLE_OPEN();
  const scanrt_u32 entries = TABLE_ENTRIES(), slots = ROUTE_SLOTS();
  const scanrt_sort_order order = scanrt_sort_look_order(flags, first_bit, end_bit, pass);
  const scanrt_u32 is_flipped = LOOK_IS_FLIPPED(order);
  TABLE_PASS_OVER();
  NO_UNROLL
  for (;;) {
    BARRIER();
    if (ITEM() == 0) look->tile = ATOMIC_ADD(&table.counters[SEGMENTS_TICKET(step_items)], 1u);
    UNROLL
    for (scanrt_u32 i = 0; i < RANK_COUNTERS; i += SCAN_GROUP_ITEMS) look->ranks.counter[i + ITEM()] = 0;
    BARRIER();
    const scanrt_u32 entry = look->tile;
    if (entry >= entries) return;
    const scanrt_segment_tile tile = scanrt_segment_tile_of(table, entry, rows, tile_items);
    const scanrt_sort_route route = scanrt_sort_route_of(tile.segment.orders, slots, pass, flags);
    const scanrt_u32 state = BITS_SET(tile.segment.orders & ((1u << pass) - 1)) & 1, items = tile.items;
    const scanrt_u32 first = tile.number * LOOK_TILE;
    scanrt_sort_buffers buffers;
    if (items == 0 || !route.is_taken || tile.segment.part != part) continue;
    buffers.first = tile.segment.begin;
    buffers.all = n;
    buffers.n = (scanrt_u32)tile.segment.items;
    buffers.keys =
        (GLOBAL const KEY_T *)SORT_PLACE(route.from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)) + buffers.first;
    buffers.keys_to = (GLOBAL KEY_T *)SORT_PLACE(route.to, MEMORY(in), MEMORY(out), MEMORY(keys_spare));
    buffers.values = (GLOBAL const scanrt_sort_value *)SORT_PLACE(route.from, MEMORY(values_in), MEMORY(values_out),
                                                                  MEMORY(values_spare));
    buffers.values_to =
        (GLOBAL scanrt_sort_value *)SORT_PLACE(route.to, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare));
    buffers.flips = is_flipped && route.is_first;
    buffers.flips_back = is_flipped && route.is_last;
    buffers.makes_values = route.is_first && (flags & SORT_INDICES) != 0;
    if (!buffers.makes_values && VALUE_BYTES != 0) buffers.values += buffers.first;
    if ((tile.segment.orders >> pass & 1) == 0) {
      scanrt_sort_copy(buffers, first, order);
      continue;
    }
    const scanrt_u32 own = first + ITEM() / 32 * (32 * LOOK_KEYS) + ITEM() % 32;
    const scanrt_u64 segment_begin = tile.segment.begin - (scanrt_u64)tile.segment.part * part_tiles * LOOK_TILE;
    GLOBAL scanrt_u32 *words = ENTRY_WORDS(entry - tile.number, state);
    GLOBAL scanrt_u32 *next_words = ENTRY_WORDS(entry, !state);
    KEY_T key[LOOK_KEYS];
    scanrt_u32 slot[PACKED(LOOK_KEYS)], digits[(LOOK_KEYS + 3) / 4], begin;
    scanrt_sort_load_keys(buffers, own, items == LOOK_TILE, order, key);
    scanrt_sort_rank_tile(look, key, order, slot);
    BARRIER();
    const scanrt_u32 total = scanrt_sort_publish(look, words, tile.number, &begin);
    BARRIER();
    scanrt_sort_order_tile(look, key, order, slot);
    if (ITEM() < SORT_DIGITS) {
      const scanrt_u32 before = scanrt_sort_lookback_prefix(words, tile.number, ITEM(), buffers, order);
      if (tile.number > 0 && PUBLISHES(tile.number))
        scanrt_sort_put(words + tile.number * SORT_DIGITS + ITEM(), SORT_LOOK_INCLUSIVE | (before + total));
      next_words[ITEM()] = 0;
      const scanrt_u64 at = SEGMENTS_COUNTS((scanrt_u64)tile.row, passes) + pass * SORT_DIGITS + ITEM();
      const scanrt_u64 start = scanrt_sort_number(MEMORY(workspace), at, flags) + before;
      look->place[ITEM()] = segment_begin + start - begin;
      if (tile.number + 1 == tile.segment.tiles && tile.segment.part + 1 < tile.segment.parts)
        scanrt_sort_set_number(MEMORY(workspace), at + SEGMENTS_COUNTS(1, passes), start + total, flags);
    }
    BARRIER();
    scanrt_sort_write_keys(look, buffers, items, order, digits);
#if VALUE_BYTES
    scanrt_sort_write_values(look, buffers, own, items, slot, digits);
#endif
  }
}
