/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of segments (sort_segments.h). SCAN_TYPE is the unsigned integer that keys are read as. A work-group has
 * the segments of its tile in local memory. If all of them are short each key is compared with those of its segment,
 * which says its place. Else the tile is sorted by the keys' digits, and then by the segments' numbers, which are made
 * of a bit for each key that begins one: so empty segments take no room. */
#include "group_sums.h"
#include "sort_keys.h"
#include "sort_move.h"
#include "sort_segments.h"
#if SCAN_GROUP_ITEMS > 1
#include "sort_tile.h"
#endif

/* ---- offsets ---- */

/* No more than there are keys. */
FUNC scanrt_u64 scanrt_segment_offset(GLOBAL const scanrt_u8 *offsets, scanrt_u64 i, scanrt_u64 all, scanrt_u32 flags) {
  const scanrt_u64 offset = (flags & SORT_WIDE_OFFSETS) != 0 ? ((GLOBAL const scanrt_u64 *)offsets)[i]
                                                             : ((GLOBAL const scanrt_u32 *)offsets)[i];
  return offset < all ? offset : all;
}
#define OFFSET(i) scanrt_segment_offset(MEMORY(marks), (i), all, flags)

/* The first offset from `begin` to `end` that is not below a key; `end`: none. */
FUNC scanrt_u64 scanrt_segment_search(GLOBAL const scanrt_u8 *offsets, scanrt_u64 begin, scanrt_u64 end, scanrt_u64 key,
                                      scanrt_u64 all, scanrt_u32 flags) {
  NO_UNROLL
  while (begin < end) {
    const scanrt_u64 middle = begin + (end - begin) / 2;
    if (scanrt_segment_offset(offsets, middle, all, flags) < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* ---- the table of large segments ---- */

typedef struct scanrt_segment_table {
  GLOBAL scanrt_u32 *counters;
  GLOBAL scanrt_u64 *rows, *many, *tiles;
  scanrt_u32 most_rows;
} scanrt_segment_table;

FUNC scanrt_segment_table scanrt_segment_table_of(GLOBAL scanrt_u8 *memory, scanrt_u32 most_rows) {
  GLOBAL scanrt_u64 *words = (GLOBAL scanrt_u64 *)memory;
  scanrt_segment_table table;
  table.counters = (GLOBAL scanrt_u32 *)memory;
  table.rows = words + SEGMENTS_WORD_ROWS;
  table.many = words + SEGMENTS_WORD_MANY((scanrt_u64)most_rows);
  table.tiles = words + SEGMENTS_WORD_TILES((scanrt_u64)most_rows);
  table.most_rows = most_rows;
  return table;
}
#define SEGMENT_TABLE() scanrt_segment_table_of(MEMORY(digits), tiles)

/* How many there are: offsets that fall may have counted more than there is room for. */
FUNC scanrt_u32 scanrt_segment_count(scanrt_segment_table table, scanrt_u32 counter, scanrt_u32 most) {
  const scanrt_u32 count = table.counters[counter];
  return count < most ? count : most;
}

typedef struct scanrt_segment {
  scanrt_u64 begin, items;
  scanrt_u64 base;  /* its first tile */
  scanrt_u32 tiles; /* none: there was no room */
} scanrt_segment;

FUNC scanrt_segment scanrt_segment_of(scanrt_segment_table table, scanrt_u32 row) {
  GLOBAL const scanrt_u64 *words = table.rows + (scanrt_u64)row * SEGMENTS_ROW_WORDS;
  scanrt_segment segment;
  segment.begin = words[0];
  segment.items = words[1];
  segment.base = words[2] >> 32;
  segment.tiles = (scanrt_u32)words[2];
  return segment;
}

/* A tile of a segment. */
typedef struct scanrt_segment_tile {
  scanrt_segment segment;
  scanrt_u32 row, number;
  scanrt_u64 first;
  scanrt_u32 items; /* none: there was no room */
} scanrt_segment_tile;

FUNC scanrt_segment_tile scanrt_segment_tile_of(scanrt_segment_table table, scanrt_u32 entry, scanrt_u32 rows,
                                                scanrt_u32 tile_items) {
  const scanrt_u64 word = table.tiles[entry];
  scanrt_segment_tile tile;
  tile.row = (scanrt_u32)(word >> 32);
  tile.number = (scanrt_u32)word;
  tile.segment = scanrt_segment_of(table, tile.row < rows ? tile.row : 0);
  tile.first = tile.segment.begin + (scanrt_u64)tile.number * tile_items;
  tile.items = 0;
  if (tile.row < rows && tile.number < tile.segment.tiles && tile.segment.base + tile.number == entry)
    tile.items = scanrt_sort_items(tile.first, tile.segment.begin + tile.segment.items, tile_items);
  return tile;
}

/* Takes room for a segment: by one work-item. */
FUNC void scanrt_segment_add(scanrt_segment_table table, scanrt_u64 begin, scanrt_u64 items, scanrt_u64 segment_tiles,
                             scanrt_u32 *row, scanrt_u32 *base) {
  const scanrt_u64 most_tiles = SEGMENTS_MOST_TILES((scanrt_u64)table.most_rows);
  *row = ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_ROWS], 1u);
  *base = ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_TILES], (scanrt_u32)segment_tiles);
  if (*row >= table.most_rows) return;
  GLOBAL scanrt_u64 *words = table.rows + (scanrt_u64)*row * SEGMENTS_ROW_WORDS;
  const scanrt_u32 fits = *base <= most_tiles && segment_tiles <= most_tiles - *base;
  words[0] = begin;
  words[1] = items;
  words[2] = fits ? (scanrt_u64)*base << 32 | segment_tiles : 0;
  if (!fits) *row = table.most_rows;
  if (!fits || segment_tiles <= SEGMENTS_FEW_TILES) return;
  const scanrt_u32 many = ATOMIC_ADD(&table.counters[SEGMENTS_COUNT_MANY], 1u);
  if (many < table.most_rows) table.many[many] = *row;
}

/* The numbers of a segment's digit, a tile's beside the next one's; and of a segment of many tiles the digit's keys. */
#define DIGIT_NUMBERS(segment, d) ((segment).base * SORT_DIGITS + (scanrt_u64)(d) * (segment).tiles)
#define DIGIT_TOTAL(row, d) ((SEGMENTS_MOST_TILES((scanrt_u64)tiles) + (row)) * SORT_DIGITS + (d))

/* The bits of a key that are sorted by. */
#define KEY_BITS(first_bit, end_bit)                                                                                   \
  ((KEY_T)((KEY_T)(KEY_ALL >> (8 * KEY_BYTES - ((end_bit) - (first_bit)))) << (first_bit)))

/* ---- passes over the table: all are taken ---- */

#define SEGMENTS_ROUTE() scanrt_sort_route_of((1u << SORT_PASSES(first_bit, end_bit)) - 1, ROUTE_SLOTS(), pass, flags)
#define SEGMENTS_OPEN()                                                                                                \
  const scanrt_segment_table table = SEGMENT_TABLE();                                                                  \
  const scanrt_u32 rows = scanrt_segment_count(table, SEGMENTS_COUNT_ROWS, tiles)
#define SEGMENTS_ENTRIES() scanrt_segment_count(table, SEGMENTS_COUNT_TILES, SEGMENTS_MOST_TILES(tiles))
/* What no kernel of a pass looks at. */
#define SEGMENTS_PASS_OVER()                                                                                           \
  (void)MEMORY(excess), (void)MEMORY(marks), (void)MEMORY(n_from), (void)n, (void)count, (void)step_items
#define SEGMENTS_NO_VALUES() (void)MEMORY(values_in), (void)MEMORY(values_out), (void)MEMORY(values_spare)

KERNEL(sort_segments_count)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
#if SCAN_GROUP_ITEMS == 1
  scanrt_u32 counts[SORT_DIGITS];
#else
  LOCAL_ARRAY(scanrt_u32, counts, SORT_DIGITS);
#endif
  SEGMENTS_OPEN();
  const scanrt_u32 entries = SEGMENTS_ENTRIES();
  const scanrt_sort_route route = SEGMENTS_ROUTE();
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, pass);
  SEGMENTS_PASS_OVER();
  SEGMENTS_NO_VALUES();
  NO_UNROLL
  for (scanrt_u32 entry = GROUP(); entry < entries; entry += GROUPS()) {
    const scanrt_segment_tile tile = scanrt_segment_tile_of(table, entry, rows, tile_items);
    GLOBAL const KEY_T *keys =
        (GLOBAL const KEY_T *)SORT_PLACE(route.from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)) + tile.first;
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

/* The numbers of `count` tiles from number `at` on become what comes before each, and before all. Returns the sum. */
FUNC scanrt_u64 scanrt_segment_sum(GLOBAL const scanrt_u8 *numbers, scanrt_u64 at, scanrt_u32 count, scanrt_u32 flags) {
  scanrt_u64 sum = 0;
  NO_UNROLL
  for (scanrt_u32 t = 0; t < count; t++) sum += scanrt_sort_number(numbers, at + t, flags);
  return sum;
}
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

/* Where kernels of all types are in one image, it is that of one type alone. */
#if defined(__OPENCL_VERSION__) || SCAN_TYPE == 6
/* Of segments of few tiles a work-group makes all places, of those of many one digit's, and how many keys have it. */
KERNEL(sort_segments_places)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
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

#endif

/* Where a digit's keys of the tile go, but for the keys of the digits before where the segment has many tiles. */
#define SEGMENT_TILE_PLACE(tile, d)                                                                                    \
  ((tile).segment.begin +                                                                                              \
   scanrt_sort_number(MEMORY(workspace), DIGIT_NUMBERS((tile).segment, d) + (tile).number, flags))

#if SCAN_GROUP_ITEMS == 1
KERNEL(sort_segments_move)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  scanrt_u64 place[SORT_DIGITS];
  SEGMENTS_OPEN();
  const scanrt_u32 entries = SEGMENTS_ENTRIES();
  const scanrt_sort_route route = SEGMENTS_ROUTE();
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, pass);
  SEGMENTS_PASS_OVER();
  for (scanrt_u32 entry = GROUP(); entry < entries; entry += GROUPS()) {
    const scanrt_segment_tile tile = scanrt_segment_tile_of(table, entry, rows, tile_items);
    const scanrt_sort_ends ends = SORT_ENDS(route, tile.first);
    GLOBAL const KEY_T *keys =
        (GLOBAL const KEY_T *)SORT_PLACE(route.from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)) + tile.first;
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

/* Few keys, which are inserted one by one. */
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

/* The last of the segments that begin with the same key as `segment`, from which the next one begins. */
FUNC scanrt_u64 scanrt_segment_last_alike(GLOBAL const scanrt_u8 *offsets, scanrt_u64 segment, scanrt_u64 count,
                                          scanrt_u64 key, scanrt_u64 all, scanrt_u32 flags) {
  scanrt_u64 low = segment, step = 1;
  while (step <= count - low && scanrt_segment_offset(offsets, low + step, all, flags) <= key) {
    low += step;
    step *= 2;
  }
  return scanrt_segment_search(offsets, low + 1, low + step <= count ? low + step : count + 1, key + 1, all, flags) - 1;
}

KERNEL(sort_segments)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  scanrt_u32 counts[KEY_PASSES * SORT_DIGITS];
  scanrt_u64 place[SORT_DIGITS];
  const scanrt_u64 all = SORT_N(), first = (scanrt_u64)GROUP() * step_items;
  const scanrt_u64 limit = first >= all || all - first < step_items ? all : first + step_items;
  const scanrt_u32 slots = ROUTE_SLOTS();
  const scanrt_sort_route whole = { 1, 1, 1, PLACE_IN, PLACE_OUT };
  const KEY_T bits = KEY_BITS(first_bit, end_bit);
  (void)MEMORY(workspace), (void)pass;
  NOTE_EXCESS();
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
      const scanrt_segment_table table = SEGMENT_TABLE();
      const scanrt_u32 table_tiles = (scanrt_u32)(items / tile_items) + (items % tile_items != 0);
      scanrt_u32 row, base;
      scanrt_segment_add(table, begin, items, table_tiles, &row, &base);
      for (scanrt_u32 t = 0; t < table_tiles && row < tiles; t++)
        table.tiles[(scanrt_u64)base + t] = (scanrt_u64)row << 32 | t;
      continue;
    }
    /* Where offsets fall the next work-item may begin with another segment than the one behind this one. */
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
      scanrt_sort_scatter((GLOBAL const KEY_T *)SORT_PLACE(route.from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)) +
                              begin,
                          (scanrt_u32)items, order, place, ends);
    }
  }
}
#else
/* ---- a tile by four bits: sort_tile.h's way, in less code ---- */

/* Of each key's digit. */
FUNC void scanrt_segments_by_digit(LOCAL const scanrt_sort_tile *tile, LOCAL scanrt_u8 *nibble, scanrt_u32 items,
                                   scanrt_sort_order order, scanrt_u32 shift) {
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)
    nibble[i] = (scanrt_u8)(scanrt_sort_digit(tile->key[i], order) >> shift & (NIBBLES - 1));
}

/* In the order of `nibble`, which each work-item has set of keys of others; keys past `items` stay behind. */
FUNC void scanrt_segments_half(LOCAL scanrt_sort_tile *tile, LOCAL const scanrt_u8 *nibble, scanrt_u32 items) {
  KEY_T key[ITEM_KEYS];
  scanrt_u32 moved[ITEM_KEYS]; /* the number, the nibble, and how many of the work-item's have come before */
  LOCAL scanrt_u16 *counter = tile->counter + ITEM();
  NO_UNROLL
  for (scanrt_u32 k = 0; k < NIBBLES; k++) counter[k * SCAN_GROUP_ITEMS] = 0;
  BARRIER();
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = ITEM() * ITEM_KEYS + k, own = i < items ? nibble[i] : NIBBLES - 1;
    key[k] = tile->key[i];
    moved[k] = tile->number[i] | own << 16 | (scanrt_u32)counter[own * SCAN_GROUP_ITEMS]++ << 24;
  }
  BARRIER();
  scanrt_sort_sum(tile);
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 at = counter[(moved[k] >> 16 & 255) * SCAN_GROUP_ITEMS] + (moved[k] >> 24);
    tile->key[at] = key[k];
    tile->number[at] = (scanrt_u16)moved[k];
  }
  BARRIER();
}

KERNEL(sort_segments_move)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_sort_tile, local_tile, 1);
  LOCAL_ARRAY(scanrt_u64, place, SORT_DIGITS);
  LOCAL_ARRAY(scanrt_u64, sums, (TILE_KEYS / 8 > SCAN_GROUP_ITEMS ? TILE_KEYS / 8 : SCAN_GROUP_ITEMS));
  LOCAL scanrt_u8 *nibble = (LOCAL scanrt_u8 *)sums;
  SEGMENTS_OPEN();
  const scanrt_u32 entries = SEGMENTS_ENTRIES();
  const scanrt_sort_route route = SEGMENTS_ROUTE();
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, pass);
  SEGMENTS_PASS_OVER();
  NO_UNROLL
  for (scanrt_u32 entry = GROUP(); entry < entries; entry += GROUPS()) {
    const scanrt_segment_tile tile = scanrt_segment_tile_of(table, entry, rows, tile_items);
    const scanrt_sort_ends ends = SORT_ENDS(route, tile.first);
    GLOBAL const KEY_T *keys =
        (GLOBAL const KEY_T *)SORT_PLACE(route.from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)) + tile.first;
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
    for (scanrt_u32 shift = 0; shift < SORT_DIGIT_BITS; shift += SORT_DIGIT_BITS / 2) {
      scanrt_segments_by_digit(local_tile, nibble, tile.items, order, shift);
      scanrt_segments_half(local_tile, nibble, tile.items);
    }
    scanrt_sort_starts(local_tile, place, tile.items, order);
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

/* ---- small segments: a tile of them ---- */

#define HEAD_WORDS (TILE_KEYS / 32)

/* A bit of each key of the tile, behind a word of none: it begins a segment. */
typedef struct scanrt_segment_heads {
  scanrt_u32 word[HEAD_WORDS + 2];
  scanrt_u32 before[HEAD_WORDS]; /* bits in the words before */
  scanrt_u32 differ[2];          /* bits in which keys do */
  scanrt_u32 is_long;
  scanrt_u32 found[2];
} scanrt_segment_heads;

/* Of 32 keys up to key i, which has the highest bit; and of the 32 behind it. */
FUNC scanrt_u32 scanrt_heads_up_to(LOCAL const scanrt_segment_heads *heads, scanrt_u32 i) {
  const scanrt_u64 both = (scanrt_u64)heads->word[i / 32 + 1] << 32 | heads->word[i / 32];
  return (scanrt_u32)(both >> (i % 32 + 1));
}
FUNC scanrt_u32 scanrt_heads_behind(LOCAL const scanrt_segment_heads *heads, scanrt_u32 i) {
  const scanrt_u64 both = (scanrt_u64)heads->word[i / 32 + 2] << 32 | heads->word[i / 32 + 1];
  return (scanrt_u32)(both >> (i % 32 + 1));
}

/* The number of a key's segment, among those of the tile. */
FUNC scanrt_u32 scanrt_heads_number(LOCAL const scanrt_segment_heads *heads, scanrt_u32 i) {
  return heads->before[i / 32] + BITS_SET(heads->word[i / 32 + 1] & ((2u << i % 32) - 1)) - 1;
}

/* Segments, by number. */
typedef struct scanrt_segment_range {
  scanrt_u64 begin, end;
} scanrt_segment_range;

/* The segments that begin from key `first` to key `limit`: each round every work-item looks at an offset of those that
 * are left, for either end. */
FUNC scanrt_segment_range scanrt_segments_find(LOCAL scanrt_segment_heads *heads, GLOBAL const scanrt_u8 *offsets,
                                               scanrt_u64 count, scanrt_u64 first, scanrt_u64 limit, scanrt_u64 all,
                                               scanrt_u32 flags) {
  scanrt_u64 begin[2], end[2];
  scanrt_segment_range range;
  begin[0] = begin[1] = 0;
  end[0] = end[1] = count;
  NO_UNROLL
  while (begin[0] < end[0] || begin[1] < end[1]) {
    scanrt_u64 stride[2];
    if (ITEM() < 2) heads->found[ITEM()] = 0;
    BARRIER();
    UNROLL
    for (scanrt_u32 e = 0; e < 2; e++) {
      stride[e] = (end[e] - begin[e]) / (SCAN_GROUP_ITEMS + 1) + 1;
      const scanrt_u64 at = begin[e] + (ITEM() + 1) * stride[e] - 1;
      if (at < end[e] && scanrt_segment_offset(offsets, at, all, flags) < (e == 0 ? first : limit))
        ATOMIC_INC_LOCAL(&heads->found[e]);
    }
    BARRIER();
    UNROLL
    for (scanrt_u32 e = 0; e < 2; e++) {
      const scanrt_u64 below = begin[e] + heads->found[e] * stride[e], above = below + stride[e] - 1;
      begin[e] = below < end[e] ? below : end[e];
      end[e] = above < end[e] ? above : end[e];
    }
    BARRIER();
  }
  range.begin = begin[0];
  range.end = begin[1];
  return range;
}

/* Sets the bits of `items` keys from key `first` on, of segments of the range. Where many more begin than there are
 * keys, each key looks for one. */
FUNC void scanrt_segments_mark(LOCAL scanrt_segment_heads *heads, GLOBAL const scanrt_u8 *offsets,
                               scanrt_segment_range range, scanrt_u64 first, scanrt_u32 items, scanrt_u64 all,
                               scanrt_u32 flags) {
  NO_UNROLL
  for (scanrt_u32 w = ITEM(); w < HEAD_WORDS + 2; w += SCAN_GROUP_ITEMS) heads->word[w] = w == 1;
  if (ITEM() < 2) heads->differ[ITEM()] = 0;
  if (ITEM() == 0) heads->is_long = 0;
  BARRIER();
  if (range.end - range.begin <= 4 * TILE_KEYS) {
    NO_UNROLL
    for (scanrt_u64 s = range.begin + ITEM(); s < range.end; s += SCAN_GROUP_ITEMS) {
      const scanrt_u64 at = scanrt_segment_offset(offsets, s, all, flags) - first;
      if (at < items) ATOMIC_OR_LOCAL(&heads->word[at / 32 + 1], 1u << at % 32);
    }
  } else {
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
      const scanrt_u64 s = scanrt_segment_search(offsets, range.begin, range.end, first + i, all, flags);
      if (s < range.end && scanrt_segment_offset(offsets, s, all, flags) == first + i)
        ATOMIC_OR_LOCAL(&heads->word[i / 32 + 1], 1u << i % 32);
    }
  }
  BARRIER();
}

/* Whether a segment has more keys than are compared: all work-items are told. */
FUNC scanrt_u32 scanrt_segments_are_long(LOCAL scanrt_segment_heads *heads, scanrt_u32 items) {
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)
    if (scanrt_heads_up_to(heads, i) == 0) heads->is_long = 1;
  BARRIER();
  return heads->is_long;
}

/* ---- segments whose keys are compared ---- */

/* The counters get each key's place. */
FUNC void scanrt_segments_compare(LOCAL scanrt_sort_tile *tile, LOCAL const scanrt_segment_heads *heads,
                                  scanrt_u32 items, scanrt_sort_order order, KEY_T bits) {
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
    const scanrt_u32 behind = scanrt_heads_behind(heads, i);
    const scanrt_u32 begin = i + LAST_BIT(scanrt_heads_up_to(heads, i)) - 31;
    const scanrt_u32 end = behind != 0 ? i + 1 + LAST_BIT(behind & (0 - behind)) : items;
    const KEY_T own = (KEY_T)(scanrt_sort_ordered(tile->key[i], order) & bits);
    scanrt_u32 place = begin;
    NO_UNROLL
    for (scanrt_u32 j = begin; j < i; j++) place += (KEY_T)(scanrt_sort_ordered(tile->key[j], order) & bits) <= own;
    NO_UNROLL
    for (scanrt_u32 j = i + 1; j < end; j++) place += (KEY_T)(scanrt_sort_ordered(tile->key[j], order) & bits) < own;
    tile->counter[i] = (scanrt_u16)place;
  }
  BARRIER();
}

/* ---- longer ones, by digits ---- */

/* The heads' words know how many come before; returns how many all have. */
FUNC scanrt_u32 scanrt_heads_sum(LOCAL scanrt_sort_tile *tile, LOCAL scanrt_segment_heads *heads) {
  const scanrt_u32 own = ITEM() < HEAD_WORDS ? BITS_SET(heads->word[ITEM() + 1]) : 0;
  tile->sum[ITEM()] = own;
  BARRIER();
  NO_UNROLL
  for (scanrt_u32 d = 1; d < SCAN_GROUP_ITEMS; d *= 2) {
    const scanrt_u32 other = ITEM() >= d ? tile->sum[ITEM() - d] : 0;
    BARRIER();
    tile->sum[ITEM()] += other;
    BARRIER();
  }
  if (ITEM() < HEAD_WORDS) heads->before[ITEM()] = tile->sum[ITEM()] - own;
  const scanrt_u32 all = tile->sum[SCAN_GROUP_ITEMS - 1];
  BARRIER();
  return all;
}

/* In which bits keys differ. */
FUNC scanrt_u64 scanrt_segments_differ(LOCAL const scanrt_sort_tile *tile, LOCAL scanrt_segment_heads *heads,
                                       scanrt_u32 items, scanrt_sort_order order, KEY_T bits) {
  const KEY_T other = scanrt_sort_ordered(tile->key[0], order);
  KEY_T differ = 0;
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)
    differ |= (KEY_T)(scanrt_sort_ordered(tile->key[i], order) ^ other);
  const scanrt_u64 own = differ & bits;
  if ((scanrt_u32)own != 0) ATOMIC_OR_LOCAL(&heads->differ[0], (scanrt_u32)own);
  if (own >> 32 != 0) ATOMIC_OR_LOCAL(&heads->differ[1], (scanrt_u32)(own >> 32));
  BARRIER();
  return (scanrt_u64)heads->differ[1] << 32 | heads->differ[0];
}

/* By four bits of the segments' numbers. */
FUNC void scanrt_segments_by_heads(LOCAL scanrt_sort_tile *tile, LOCAL const scanrt_segment_heads *heads,
                                   LOCAL scanrt_u8 *nibble, scanrt_u32 items, scanrt_u32 shift) {
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)
    nibble[i] = (scanrt_u8)(scanrt_heads_number(heads, tile->number[i]) >> shift & (NIBBLES - 1));
}

/* The tile's segments in order: by halves of digits that are not the same in all keys, then by segments. */
FUNC void scanrt_segments_sort(LOCAL scanrt_sort_tile *tile, LOCAL scanrt_segment_heads *heads, LOCAL scanrt_u8 *nibble,
                               scanrt_u32 items, scanrt_u32 flags, scanrt_u32 first_bit, scanrt_u32 end_bit) {
  const scanrt_u32 halves = 2 * SORT_PASSES(first_bit, end_bit), segments = scanrt_heads_sum(tile, heads);
  const scanrt_u64 differ =
      scanrt_segments_differ(tile, heads, items, scanrt_sort_order_of(flags, 0, 1, 0), KEY_BITS(first_bit, end_bit));
  NO_UNROLL
  for (scanrt_u32 h = 0;; h++) {
    const scanrt_u32 by_heads = h >= halves, shift = by_heads ? (h - halves) * 4 : h % 2 * 4;
    const scanrt_u32 bit = first_bit + h * 4;
    if (by_heads && (segments - 1) >> shift == 0) break;
    if (!by_heads && (bit >= end_bit || (differ >> bit & (NIBBLES - 1)) == 0)) continue;
    if (by_heads)
      scanrt_segments_by_heads(tile, heads, nibble, items, shift);
    else
      scanrt_segments_by_digit(tile, nibble, items, scanrt_sort_order_of(flags, first_bit, end_bit, h / 2), shift);
    scanrt_segments_half(tile, nibble, items);
  }
}

/* ---- the launch ---- */

/* Values of the tile to the places of their keys. */
FUNC scanrt_u64 scanrt_segments_place(LOCAL const scanrt_sort_tile *tile, scanrt_u32 i, scanrt_u32 is_long) {
  return is_long ? i : tile->counter[i];
}
#define MOVE_VALUES(T)                                                                                                 \
  {                                                                                                                    \
    NO_UNROLL                                                                                                          \
    for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)                                                      \
      MOVE_VALUE(T, ends.first + scanrt_segments_place(tile, i, is_long), tile->number[i]);                            \
  }

/* The same over themselves: by parts of a value that are as large as a key, or all of it, whose memory they take. */
FUNC void scanrt_segments_values_over(LOCAL scanrt_sort_tile *tile, scanrt_u32 items, scanrt_u32 is_long,
                                      scanrt_sort_ends ends) {
  const scanrt_u32 bytes = ends.value_bytes < KEY_BYTES ? ends.value_bytes : KEY_BYTES;
  const scanrt_u32 parts = ends.value_bytes / bytes;
  NO_UNROLL
  for (scanrt_u32 p = 0; p < parts; p++) {
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
      const scanrt_u64 at = (ends.first + tile->number[i]) * parts + p;
      tile->key[i] = bytes == KEY_BYTES ? ((GLOBAL const KEY_T *)ends.values)[at]
                                        : (KEY_T)((GLOBAL const scanrt_u32 *)ends.values)[at];
    }
    FENCE();
    BARRIER();
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
      const scanrt_u64 at = (ends.first + scanrt_segments_place(tile, i, is_long)) * parts + p;
      if (bytes == KEY_BYTES)
        ((GLOBAL KEY_T *)ends.values_to)[at] = tile->key[i];
      else
        ((GLOBAL scanrt_u32 *)ends.values_to)[at] = (scanrt_u32)tile->key[i];
    }
    BARRIER();
  }
}

/* Writes the tile: its keys are where they belong, or the counters say where. */
FUNC void scanrt_segments_write(LOCAL scanrt_sort_tile *tile, scanrt_u32 items, scanrt_u32 is_long,
                                scanrt_sort_ends ends, scanrt_u32 is_over) {
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)
    ends.to[ends.first + scanrt_segments_place(tile, i, is_long)] = tile->key[i];
  BARRIER();
  if (ends.value_bytes != 0 && is_over && !ends.makes_indices)
    scanrt_segments_values_over(tile, items, is_long, ends);
  else if (ends.value_bytes == 4)
    MOVE_VALUES(scanrt_u32)
  else if (ends.value_bytes == 8)
    MOVE_VALUES(scanrt_u64)
  BARRIER();
}

/* A segment that no tile holds, by all work-items. */
FUNC void scanrt_segments_note(scanrt_segment_table table, LOCAL scanrt_u32 *found, scanrt_u64 begin,
                               scanrt_u64 items) {
  const scanrt_u64 segment_tiles = items / TILE_KEYS + (items % TILE_KEYS != 0);
  if (ITEM() == 0) {
    scanrt_u32 row, base;
    scanrt_segment_add(table, begin, items, segment_tiles, &row, &base);
    found[0] = row;
    found[1] = base;
  }
  BARRIER();
  const scanrt_u32 row = found[0], base = found[1];
  BARRIER();
  if (row >= table.most_rows) return;
  NO_UNROLL
  for (scanrt_u32 t = ITEM(); t < segment_tiles; t += SCAN_GROUP_ITEMS)
    table.tiles[(scanrt_u64)base + t] = (scanrt_u64)row << 32 | t;
}

/* A work-group's segments are one tile; but for the last, where that has no room for it: it is a second one. */
KERNEL(sort_segments)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_sort_tile, tile, 1);
  LOCAL_ARRAY(scanrt_segment_heads, heads, 1);
  LOCAL_ARRAY(scanrt_u8, nibble, TILE_KEYS);
  const scanrt_u64 all = SORT_N(), from = (scanrt_u64)GROUP() * step_items;
  const scanrt_u64 limit = from >= all || all - from < step_items ? all : from + step_items;
  const scanrt_sort_route whole = { 1, 1, 1, PLACE_IN, PLACE_OUT };
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, 0);
  (void)MEMORY(keys_spare), (void)MEMORY(workspace), (void)MEMORY(values_spare), (void)tile_items, (void)pass;
  NOTE_EXCESS();
  if (from >= all) return;
  scanrt_segment_range range = scanrt_segments_find(heads, MEMORY(marks), count + 1, from, limit, all, flags);
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
    if (length > TILE_KEYS) scanrt_segments_note(SEGMENT_TABLE(), heads->found, begin, length);
    if (items == 0) continue;
    scanrt_sort_load(tile, (GLOBAL const KEY_T *)MEMORY(in) + begin, items);
    scanrt_segments_mark(heads, MEMORY(marks), range, begin, items, all, flags);
    const scanrt_u32 is_long = scanrt_segments_are_long(heads, items);
    if (is_long)
      scanrt_segments_sort(tile, heads, nibble, items, flags, first_bit, end_bit);
    else
      scanrt_segments_compare(tile, heads, items, order, KEY_BITS(first_bit, end_bit));
    scanrt_segments_write(tile, items, is_long, ends, (flags & SORT_IN_PLACE) != 0);
  }
}
#endif
