/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable radix sort (sort.h). SCAN_TYPE is the unsigned integer that keys are read as, or that arrays are moved in. A
 * work-item alone goes through its tile in order. A work-group sorts its tile in local memory, by the lower and then by
 * the upper half of the digit: each work-item counts its own keys, which follow one another, in counters of its own,
 * and the counters' prefix sums are places. So nothing hangs on an order of atomic operations. */
#include "arguments.h"
#include "dialect.h"
#include "sort.h"

#if SCAN_TYPE == 2
#define KEY_T scanrt_u8
#define KEY_BYTES 1
#elif SCAN_TYPE == 4
#define KEY_T scanrt_u16
#define KEY_BYTES 2
#elif SCAN_TYPE == 6
#define KEY_T scanrt_u32
#define KEY_BYTES 4
#elif SCAN_TYPE == 8
#define KEY_T scanrt_u64
#define KEY_BYTES 8
#else
#error "keys are read as unsigned integers"
#endif
#define KEY_PASSES KEY_BYTES
#define KEY_SIGN ((KEY_T)((KEY_T)1 << (8 * KEY_BYTES - 1)))
#define KEY_ALL ((KEY_T) ~(KEY_T)0)

/* ---- keys and their digits ---- */

/* The keys that there are. */
FUNC scanrt_u64 scanrt_sort_n(scanrt_u64 n, GLOBAL const scanrt_u64 *from, scanrt_u32 flags) {
  if (!(flags & SORT_N_FROM)) return n;
  return *from < n ? *from : n;
}
#define SORT_N() scanrt_sort_n(n, (GLOBAL const scanrt_u64 *)MEMORY(n_from), flags)

/* Of the first work-group. */
#define NOTE_EXCESS()                                                                                                  \
  if (GROUP() == 0 && ITEM() == 0 && (flags & SORT_N_FROM) != 0) {                                                     \
    const scanrt_u64 found = *(GLOBAL const scanrt_u64 *)MEMORY(n_from);                                               \
    if (found > n) *(GLOBAL scanrt_u64 *)MEMORY(excess) = found;                                                       \
  }

/* Keys of the tile that begins with key `first`; none: its work-items do what the others do. */
FUNC scanrt_u32 scanrt_sort_items(scanrt_u64 first, scanrt_u64 n, scanrt_u32 tile_items) {
  if (first >= n) return 0;
  return n - first < tile_items ? (scanrt_u32)(n - first) : tile_items;
}

/* A pass's digit: of the unsigned integer that has the key's order, which is the key with `turned` turned over, and of
 * a negative one `negative`, too. */
typedef struct scanrt_sort_order {
  KEY_T turned, negative;
  scanrt_u32 shift, mask;
} scanrt_sort_order;

FUNC scanrt_sort_order scanrt_sort_order_of(scanrt_u32 flags, scanrt_u32 first_bit, scanrt_u32 end_bit,
                                            scanrt_u32 pass) {
  scanrt_sort_order order;
  const scanrt_u32 shift = first_bit + pass * SORT_DIGIT_BITS;
  const scanrt_u32 bits = shift >= end_bit ? 0 : end_bit - shift < SORT_DIGIT_BITS ? end_bit - shift : SORT_DIGIT_BITS;
  order.turned = (flags & (SORT_SIGNED | SORT_FLOAT)) != 0 ? KEY_SIGN : 0;
  order.negative = (flags & SORT_FLOAT) != 0 ? (KEY_T)(KEY_ALL ^ KEY_SIGN) : 0;
  if ((flags & SORT_DESCENDING) != 0) order.turned = (KEY_T)(order.turned ^ KEY_ALL);
  order.shift = bits != 0 ? shift : 0;
  order.mask = (1u << bits) - 1;
  return order;
}

/* Without a branch on the sign, which may be anything. */
FUNC scanrt_u32 scanrt_sort_digit(KEY_T key, scanrt_sort_order order) {
  const KEY_T is_negative = (KEY_T)(0 - (key >> (8 * KEY_BYTES - 1)));
  const KEY_T ordered = (KEY_T)(key ^ order.turned ^ (is_negative & order.negative));
  return (scanrt_u32)(ordered >> order.shift) & order.mask;
}

/* ---- which passes there are ---- */

#define PLACE_IN 0u
#define PLACE_OUT 1u
#define PLACE_SPARE 2u

typedef struct scanrt_sort_route {
  scanrt_u32 is_taken, is_first, from, to;
} scanrt_sort_route;

/* The passes that order are taken; and others, which only move, from the lowest one on: where there is none, one; where
 * the first one must not write to the output, so many that their number is even. The last one taken writes to the
 * output, and the one before it not. */
FUNC scanrt_sort_route scanrt_sort_route_of(scanrt_u32 orders, scanrt_u32 slots, scanrt_u32 pass, scanrt_u32 flags) {
  scanrt_sort_route route;
  scanrt_u32 taken = 0, before = 0, behind = 0;
  NO_UNROLL
  for (scanrt_u32 p = 0; p < slots; p++) taken += orders >> p & 1;
  scanrt_u32 more = (flags & SORT_IN_PLACE) != 0 ? (taken == 0 ? 2 : taken % 2) : taken == 0;
  route.is_taken = 0;
  NO_UNROLL
  for (scanrt_u32 p = 0; p < slots; p++) {
    const scanrt_u32 orders_here = orders >> p & 1, moves = !orders_here && more > 0;
    more -= moves;
    if (!orders_here && !moves) continue;
    if (p == pass) route.is_taken = 1;
    before += p < pass;
    behind += p > pass;
  }
  route.is_first = before == 0;
  route.to = behind % 2 == 0 ? PLACE_OUT : PLACE_SPARE;
  route.from = route.is_first ? PLACE_IN : behind % 2 == 0 ? PLACE_SPARE : PLACE_OUT;
  return route;
}
#define ROUTE_SLOTS() SORT_SLOTS(first_bit, end_bit, (flags & SORT_IN_PLACE) != 0)

/* A bit for each pass, 1 where it orders. */
FUNC scanrt_u32 scanrt_sort_orders(GLOBAL const scanrt_u64 *words, scanrt_u32 passes) {
  scanrt_u32 orders = 0;
  NO_UNROLL
  for (scanrt_u32 p = 0; p < passes; p++) orders |= (scanrt_u32)words[SORT_WORD_ORDERS + p] << p;
  return orders;
}

#define SORT_ROUTE()                                                                                                   \
  scanrt_sort_route_of(scanrt_sort_orders((GLOBAL const scanrt_u64 *)MEMORY(digits), SORT_PASSES(first_bit, end_bit)), \
                       ROUTE_SLOTS(), pass, flags)
/* One of three memories. */
#define SORT_PLACE(place, in, out, spare) ((place) == PLACE_IN ? (in) : (place) == PLACE_OUT ? (out) : (spare))

/* What kernels of a pass begin with. Of a pass that is not taken no tile has keys. */
#define OPEN()                                                                                                         \
  const scanrt_sort_route route = SORT_ROUTE();                                                                        \
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, pass);                               \
  const scanrt_u64 all = route.is_taken ? SORT_N() : 0, first = (scanrt_u64)GROUP() * tile_items;                      \
  const scanrt_u32 items = scanrt_sort_items(first, all, tile_items);                                                  \
  GLOBAL const KEY_T *keys =                                                                                           \
      (GLOBAL const KEY_T *)SORT_PLACE(route.from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)) + first

/* The workspace's numbers, of 4 or 8 bytes: a digit's of all tiles lie side by side. */
FUNC scanrt_u64 scanrt_sort_number(GLOBAL const scanrt_u8 *numbers, scanrt_u64 i, scanrt_u32 flags) {
  if ((flags & SORT_WIDE_COUNTS) != 0) return ((GLOBAL const scanrt_u64 *)numbers)[i];
  return ((GLOBAL const scanrt_u32 *)numbers)[i];
}
FUNC void scanrt_sort_set_number(GLOBAL scanrt_u8 *numbers, scanrt_u64 i, scanrt_u64 number, scanrt_u32 flags) {
  if ((flags & SORT_WIDE_COUNTS) != 0)
    ((GLOBAL scanrt_u64 *)numbers)[i] = number;
  else
    ((GLOBAL scanrt_u32 *)numbers)[i] = (scanrt_u32)number;
}

/* ---- all digits ---- */

#ifndef SCANRT_HOST_DIALECT_H /* the host has a way of its own (device/host/host_sort.h), and only gathers */

KERNEL(sort_digits)(PARAMETERS(SORT_DIGITS_ARGUMENTS)) {
  const scanrt_u64 all = SORT_N();
  const scanrt_u32 passes = SORT_PASSES(first_bit, end_bit);
  GLOBAL const KEY_T *keys = (GLOBAL const KEY_T *)MEMORY(in);
  GLOBAL scanrt_u64 *counts =
      (GLOBAL scanrt_u64 *)MEMORY(digits) + SORT_WORD_COUNTS + (scanrt_u64)GROUP() * passes * SORT_DIGITS;
#if SCAN_GROUP_ITEMS == 1
  scanrt_u64 count[KEY_PASSES * SORT_DIGITS];
#else
  LOCAL_ARRAY(scanrt_u32, count, KEY_PASSES * SORT_DIGITS);
#endif
  NOTE_EXCESS();
  for (scanrt_u32 i = ITEM(); i < passes * SORT_DIGITS; i += SCAN_GROUP_ITEMS) count[i] = 0;
  BARRIER();
  for (scanrt_u64 tile = GROUP(); tile * tile_items < all; tile += tiles) {
    const scanrt_u64 first = tile * tile_items;
    const scanrt_u32 items = scanrt_sort_items(first, all, tile_items);
    for (scanrt_u32 p = 0; p < passes; p++) {
      const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, p);
      for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
        const scanrt_u32 digit = p * SORT_DIGITS + scanrt_sort_digit(keys[first + i], order);
#if SCAN_GROUP_ITEMS == 1
        count[digit]++;
#else
        ATOMIC_INC_LOCAL(&count[digit]);
#endif
      }
    }
  }
  BARRIER();
  for (scanrt_u32 i = ITEM(); i < passes * SORT_DIGITS; i += SCAN_GROUP_ITEMS) counts[i] = count[i];
}

/* A work-group a pass: where its digits begin, and whether it orders. */
KERNEL(sort_begins)(PARAMETERS(SORT_DIGITS_ARGUMENTS)) {
  const scanrt_u64 all = SORT_N();
  const scanrt_u32 passes = SORT_PASSES(first_bit, end_bit);
  GLOBAL scanrt_u64 *words = (GLOBAL scanrt_u64 *)MEMORY(digits);
  GLOBAL const scanrt_u64 *counts = words + SORT_WORD_COUNTS + (scanrt_u64)GROUP() * SORT_DIGITS;
#if SCAN_GROUP_ITEMS == 1
  scanrt_u64 sums[SORT_DIGITS];
#else
  LOCAL_ARRAY(scanrt_u64, sums, SORT_DIGITS);
#endif
  (void)MEMORY(in), (void)MEMORY(excess), (void)tile_items;
  for (scanrt_u32 d = ITEM(); d < SORT_DIGITS; d += SCAN_GROUP_ITEMS) {
    scanrt_u64 sum = 0;
    NO_UNROLL
    for (scanrt_u32 t = 0; t < tiles; t++) sum += counts[(scanrt_u64)t * passes * SORT_DIGITS + d];
    sums[d] = sum;
  }
  BARRIER();
#if SCAN_GROUP_ITEMS == 1
  scanrt_u64 before = 0, orders = all > 0;
  for (scanrt_u32 d = 0; d < SORT_DIGITS; d++) {
    words[SORT_WORD_BEGINS + GROUP() * SORT_DIGITS + d] = before;
    before += sums[d];
    if (sums[d] == all) orders = 0;
  }
  words[SORT_WORD_ORDERS + GROUP()] = orders;
#else
  for (scanrt_u32 d = ITEM(); d < SORT_DIGITS; d += SCAN_GROUP_ITEMS) {
    scanrt_u64 before = 0;
    NO_UNROLL
    for (scanrt_u32 e = 0; e < d; e++) before += sums[e];
    words[SORT_WORD_BEGINS + GROUP() * SORT_DIGITS + d] = before;
  }
  if (ITEM() == 0) {
    scanrt_u64 orders = all > 0;
    NO_UNROLL
    for (scanrt_u32 d = 0; d < SORT_DIGITS; d++)
      if (sums[d] == all) orders = 0;
    words[SORT_WORD_ORDERS + GROUP()] = orders;
  }
#endif
}

/* ---- a pass: counts of tiles ---- */

KERNEL(sort_count)(PARAMETERS(SORT_COUNT_ARGUMENTS)) {
#if SCAN_GROUP_ITEMS == 1
  scanrt_u32 count[SORT_DIGITS];
#else
  LOCAL_ARRAY(scanrt_u32, count, SORT_DIGITS);
#endif
  OPEN();
  for (scanrt_u32 d = ITEM(); d < SORT_DIGITS; d += SCAN_GROUP_ITEMS) count[d] = 0;
  BARRIER();
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
#if SCAN_GROUP_ITEMS == 1
    count[scanrt_sort_digit(keys[i], order)]++;
#else
    ATOMIC_INC_LOCAL(&count[scanrt_sort_digit(keys[i], order)]);
#endif
  }
  BARRIER();
  if (!route.is_taken) return;
  for (scanrt_u32 d = ITEM(); d < SORT_DIGITS; d += SCAN_GROUP_ITEMS)
    scanrt_sort_set_number(MEMORY(workspace), (scanrt_u64)d * GROUPS() + GROUP(), count[d], flags);
}

/* ---- a pass: places of tiles ---- */

/* A work-group a digit: the counts of its tiles become how many keys of that digit come before, in the tiles before.
 * The keys past n_from's have counts, too, of nothing. */
KERNEL(sort_places)(PARAMETERS(SORT_COUNT_ARGUMENTS)) {
  const scanrt_sort_route route = SORT_ROUTE();
  const scanrt_u64 tiles = route.is_taken ? n / tile_items + (n % tile_items != 0) : 0;
  GLOBAL scanrt_u8 *numbers = MEMORY(workspace) + (scanrt_u64)GROUP() * tiles * (flags & SORT_WIDE_COUNTS ? 8 : 4);
  scanrt_u64 before = 0;
  (void)MEMORY(in), (void)MEMORY(out), (void)MEMORY(keys_spare), (void)MEMORY(n_from);
#if SCAN_GROUP_ITEMS == 1
  for (scanrt_u64 t = 0; t < tiles; t++) {
    const scanrt_u64 count = scanrt_sort_number(numbers, t, flags);
    scanrt_sort_set_number(numbers, t, before, flags);
    before += count;
  }
#else
  LOCAL_ARRAY(scanrt_u64, sums, SCAN_GROUP_ITEMS);
  NO_UNROLL
  for (scanrt_u64 turn = 0; turn < tiles; turn += SCAN_GROUP_ITEMS) {
    const scanrt_u64 t = turn + ITEM();
    const scanrt_u64 own = t < tiles ? scanrt_sort_number(numbers, t, flags) : 0;
    sums[ITEM()] = own;
    BARRIER();
    for (scanrt_u32 d = 1; d < SCAN_GROUP_ITEMS; d *= 2) {
      const scanrt_u64 other = ITEM() >= d ? sums[ITEM() - d] : 0;
      BARRIER();
      sums[ITEM()] += other;
      BARRIER();
    }
    if (t < tiles) scanrt_sort_set_number(numbers, t, before + sums[ITEM()] - own, flags);
    before += sums[SCAN_GROUP_ITEMS - 1];
    BARRIER();
  }
#endif
}

/* ---- a pass: keys and values ---- */

/* Where a digit's keys of the tile go. */
#define SORT_TILE_PLACE(d)                                                                                             \
  (((GLOBAL const scanrt_u64 *)MEMORY(digits))[SORT_WORD_BEGINS + pass * SORT_DIGITS + (d)] +                          \
   scanrt_sort_number(MEMORY(workspace), (scanrt_u64)(d)*GROUPS() + GROUP(), flags))

/* What moves: values of type T from number i of the tile to place `at`. */
typedef struct scanrt_sort_ends {
  GLOBAL const scanrt_u8 *values;
  GLOBAL KEY_T *to;
  GLOBAL scanrt_u8 *values_to;
  scanrt_u64 first; /* the tile's first key */
  scanrt_u32 makes_indices, value_bytes;
} scanrt_sort_ends;
#define MOVE_VALUE(T, at, i)                                                                                           \
  ((GLOBAL T *)ends.values_to)[at] =                                                                                   \
      ends.makes_indices ? (T)(ends.first + (i)) : ((GLOBAL const T *)ends.values)[ends.first + (i)]

#define SORT_ENDS(route, tile_first)                                                                                   \
  {                                                                                                                    \
    SORT_PLACE((route).from, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare)),                             \
        (GLOBAL KEY_T *)SORT_PLACE((route).to, MEMORY(in), MEMORY(out), MEMORY(keys_spare)),                           \
        SORT_PLACE((route).to, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare)), (tile_first),             \
        (scanrt_u32)((route).is_first && (flags & SORT_INDICES) != 0),                                                 \
        (flags & SORT_VALUES) == 0        ? 0u                                                                         \
        : (flags & SORT_WIDE_VALUES) != 0 ? 8u                                                                         \
                                          : 4u                                                                         \
  }

#if SCAN_GROUP_ITEMS == 1
/* Each key to the place of its digit, which is then the next one's. */
FUNC void scanrt_sort_scatter(GLOBAL const KEY_T *keys, scanrt_u32 items, scanrt_sort_order order, scanrt_u64 *place,
                              scanrt_sort_ends ends) {
  if (ends.value_bytes == 0) {
    for (scanrt_u32 i = 0; i < items; i++) ends.to[place[scanrt_sort_digit(keys[i], order)]++] = keys[i];
  } else if (ends.value_bytes == 4) {
    for (scanrt_u32 i = 0; i < items; i++) {
      const scanrt_u64 at = place[scanrt_sort_digit(keys[i], order)]++;
      ends.to[at] = keys[i];
      MOVE_VALUE(scanrt_u32, at, i);
    }
  } else {
    for (scanrt_u32 i = 0; i < items; i++) {
      const scanrt_u64 at = place[scanrt_sort_digit(keys[i], order)]++;
      ends.to[at] = keys[i];
      MOVE_VALUE(scanrt_u64, at, i);
    }
  }
}

KERNEL(sort_move)(PARAMETERS(SORT_MOVE_ARGUMENTS)) {
  scanrt_u64 place[SORT_DIGITS];
  OPEN();
  const scanrt_sort_ends ends = SORT_ENDS(route, first);
  if (items == 0) return;
  for (scanrt_u32 d = 0; d < SORT_DIGITS; d++) place[d] = order.mask == 0 ? first : SORT_TILE_PLACE(d);
  scanrt_sort_scatter(keys, items, order, place, ends);
}

/* The tile's digits, all passes; returns which of them order. */
FUNC scanrt_u32 scanrt_sort_tile_digits(GLOBAL const KEY_T *keys, scanrt_u32 items, scanrt_u32 *count, scanrt_u32 flags,
                                        scanrt_u32 first_bit, scanrt_u32 end_bit) {
  const scanrt_u32 passes = SORT_PASSES(first_bit, end_bit);
  scanrt_u32 orders = 0;
  for (scanrt_u32 i = 0; i < passes * SORT_DIGITS; i++) count[i] = 0;
  for (scanrt_u32 p = 0; p < passes; p++) {
    const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, p);
    for (scanrt_u32 i = 0; i < items; i++) count[p * SORT_DIGITS + scanrt_sort_digit(keys[i], order)]++;
    if (items > 0 && count[p * SORT_DIGITS + scanrt_sort_digit(keys[0], order)] != items) orders |= 1u << p;
  }
  return orders;
}

KERNEL(sort_alone)(PARAMETERS(SORT_ALONE_ARGUMENTS)) {
  scanrt_u32 count[KEY_PASSES * SORT_DIGITS];
  scanrt_u64 place[SORT_DIGITS];
  const scanrt_u32 items = (scanrt_u32)SORT_N(), slots = ROUTE_SLOTS();
  (void)MEMORY(digits), (void)MEMORY(workspace), (void)tile_items, (void)pass;
  NOTE_EXCESS();
  const scanrt_u32 orders =
      scanrt_sort_tile_digits((GLOBAL const KEY_T *)MEMORY(in), items, count, flags, first_bit, end_bit);
  for (scanrt_u32 p = 0; p < slots; p++) {
    const scanrt_sort_route route = scanrt_sort_route_of(orders, slots, p, flags);
    const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, p);
    const scanrt_sort_ends ends = SORT_ENDS(route, 0);
    scanrt_u64 before = 0;
    if (!route.is_taken) continue;
    for (scanrt_u32 d = 0; d < SORT_DIGITS; d++) {
      place[d] = before;
      if (order.mask != 0) before += count[p * SORT_DIGITS + d];
    }
    scanrt_sort_scatter((GLOBAL const KEY_T *)SORT_PLACE(route.from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)),
                        items, order, place, ends);
  }
}
#else
#define ITEM_KEYS ((scanrt_u32)SORT_ITEM_KEYS(KEY_BYTES))
#define TILE_KEYS (ITEM_KEYS * SCAN_GROUP_ITEMS)
#define NIBBLES 16u
#define COUNTERS (NIBBLES * SCAN_GROUP_ITEMS)

typedef struct scanrt_sort_tile {
  KEY_T key[TILE_KEYS];
  scanrt_u16 number[TILE_KEYS]; /* of each key, in the tile as it was */
  scanrt_u16 counter[COUNTERS]; /* of each half of a digit, and each work-item */
  scanrt_u32 sum[SCAN_GROUP_ITEMS];
} scanrt_sort_tile;

/* The counters, of one half of a digit after the other, become the sums of those before. */
FUNC void scanrt_sort_sum(LOCAL scanrt_sort_tile *tile) {
  LOCAL scanrt_u16 *own = tile->counter + ITEM() * NIBBLES;
  scanrt_u32 all = 0;
  for (scanrt_u32 k = 0; k < NIBBLES; k++) all += own[k];
  tile->sum[ITEM()] = all;
  BARRIER();
  for (scanrt_u32 d = 1; d < SCAN_GROUP_ITEMS; d *= 2) {
    const scanrt_u32 other = ITEM() >= d ? tile->sum[ITEM() - d] : 0;
    BARRIER();
    tile->sum[ITEM()] += other;
    BARRIER();
  }
  scanrt_u32 before = tile->sum[ITEM()] - all;
  for (scanrt_u32 k = 0; k < NIBBLES; k++) {
    const scanrt_u32 count = own[k];
    own[k] = (scanrt_u16)before;
    before += count;
  }
  BARRIER();
}

/* The tile's keys in the order of one half of their digits; those past `items` stay behind all others. */
FUNC void scanrt_sort_half(LOCAL scanrt_sort_tile *tile, scanrt_u32 items, scanrt_sort_order order, scanrt_u32 shift) {
  KEY_T key[ITEM_KEYS];
  scanrt_u16 number[ITEM_KEYS], rank[ITEM_KEYS];
  for (scanrt_u32 k = 0; k < NIBBLES; k++) tile->counter[k * SCAN_GROUP_ITEMS + ITEM()] = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = ITEM() * ITEM_KEYS + k;
    key[k] = tile->key[i];
    number[k] = tile->number[i];
    const scanrt_u32 half = i < items ? scanrt_sort_digit(key[k], order) >> shift & (NIBBLES - 1) : NIBBLES - 1;
    rank[k] = tile->counter[half * SCAN_GROUP_ITEMS + ITEM()]++;
  }
  BARRIER();
  scanrt_sort_sum(tile);
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_KEYS; k++) {
    const scanrt_u32 i = ITEM() * ITEM_KEYS + k;
    const scanrt_u32 half = i < items ? scanrt_sort_digit(key[k], order) >> shift & (NIBBLES - 1) : NIBBLES - 1;
    const scanrt_u32 at = tile->counter[half * SCAN_GROUP_ITEMS + ITEM()] + rank[k];
    tile->key[at] = key[k];
    tile->number[at] = number[k];
  }
  BARRIER();
}

/* Where each digit's keys go, less where they begin in the tile. */
FUNC void scanrt_sort_starts(LOCAL scanrt_sort_tile *tile, LOCAL scanrt_u64 *place, scanrt_u32 items,
                             scanrt_sort_order order) {
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
    const scanrt_u32 digit = scanrt_sort_digit(tile->key[i], order);
    if (i == 0 || scanrt_sort_digit(tile->key[i - 1], order) != digit) place[digit] -= i;
  }
  BARRIER();
}

/* The tile with its keys, in the order in which they are. */
FUNC void scanrt_sort_load(LOCAL scanrt_sort_tile *tile, GLOBAL const KEY_T *keys, scanrt_u32 items) {
  for (scanrt_u32 i = ITEM(); i < TILE_KEYS; i += SCAN_GROUP_ITEMS) {
    tile->key[i] = i < items ? keys[i] : 0;
    tile->number[i] = (scanrt_u16)i;
  }
  BARRIER();
}

FUNC void scanrt_sort_tile_by(LOCAL scanrt_sort_tile *tile, scanrt_u32 items, scanrt_sort_order order) {
  NO_UNROLL
  for (scanrt_u32 shift = 0; shift < SORT_DIGIT_BITS; shift += SORT_DIGIT_BITS / 2)
    scanrt_sort_half(tile, items, order, shift);
}

KERNEL(sort_move)(PARAMETERS(SORT_MOVE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_sort_tile, tile, 1);
  LOCAL_ARRAY(scanrt_u64, place, SORT_DIGITS);
  OPEN();
  const scanrt_sort_ends ends = SORT_ENDS(route, first);
  for (scanrt_u32 d = ITEM(); d < SORT_DIGITS; d += SCAN_GROUP_ITEMS)
    place[d] = order.mask == 0 ? first : items > 0 ? SORT_TILE_PLACE(d) : 0;
  scanrt_sort_load(tile, keys, items);
  scanrt_sort_tile_by(tile, items, order);
  scanrt_sort_starts(tile, place, items, order);
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
    const KEY_T key = tile->key[i];
    const scanrt_u64 at = place[scanrt_sort_digit(key, order)] + i;
    ends.to[at] = key;
    if (ends.value_bytes == 4) MOVE_VALUE(scanrt_u32, at, tile->number[i]);
    if (ends.value_bytes == 8) MOVE_VALUE(scanrt_u64, at, tile->number[i]);
  }
}

/* An output may be the keys, all of which are in local memory before one is written, but not the values. */
KERNEL(sort_alone)(PARAMETERS(SORT_ALONE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_sort_tile, tile, 1);
  const scanrt_u32 items = (scanrt_u32)SORT_N(), passes = SORT_PASSES(first_bit, end_bit);
  const scanrt_sort_route route = { 1, 1, PLACE_IN, PLACE_OUT };
  const scanrt_sort_ends ends = SORT_ENDS(route, 0);
  (void)MEMORY(digits), (void)MEMORY(workspace), (void)tile_items, (void)pass;
  NOTE_EXCESS();
  scanrt_sort_load(tile, (GLOBAL const KEY_T *)MEMORY(in), items);
  NO_UNROLL
  for (scanrt_u32 p = 0; p < passes; p++)
    scanrt_sort_tile_by(tile, items, scanrt_sort_order_of(flags, first_bit, end_bit, p));
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
    ends.to[i] = tile->key[i];
    if (ends.value_bytes == 4) MOVE_VALUE(scanrt_u32, i, tile->number[i]);
    if (ends.value_bytes == 8) MOVE_VALUE(scanrt_u64, i, tile->number[i]);
  }
}
#endif

#endif /* of all but the host */

/* ---- arrays ---- */

KERNEL(sort_gather)(PARAMETERS(SORT_GATHER_ARGUMENTS)) {
  const scanrt_u64 all = SORT_N(), first = (scanrt_u64)GROUP() * tile_items;
  const scanrt_u32 items = scanrt_sort_items(first, all, tile_items);
  GLOBAL const KEY_T *from = (GLOBAL const KEY_T *)MEMORY(in);
  GLOBAL KEY_T *to = (GLOBAL KEY_T *)MEMORY(out) + first * pieces;
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
    const scanrt_u64 index = (flags & SORT_WIDE_VALUES) != 0
                                 ? ((GLOBAL const scanrt_u64 *)MEMORY(values_in))[first + i]
                                 : ((GLOBAL const scanrt_u32 *)MEMORY(values_in))[first + i];
    for (scanrt_u32 p = 0; p < pieces; p++) to[(scanrt_u64)i * pieces + p] = from[index * pieces + p];
  }
}

#ifdef SCANRT_HOST_DIALECT_H
#define PRIMITIVE_KERNELS(ROW) ROW(sort_gather, SORT_GATHER_ARGUMENTS)
#else
#define PRIMITIVE_KERNELS(ROW)                                                                                         \
  ROW(sort_digits, SORT_DIGITS_ARGUMENTS)                                                                              \
  ROW(sort_begins, SORT_DIGITS_ARGUMENTS)                                                                              \
  ROW(sort_count, SORT_COUNT_ARGUMENTS)                                                                                \
  ROW(sort_places, SORT_COUNT_ARGUMENTS)                                                                               \
  ROW(sort_move, SORT_MOVE_ARGUMENTS)                                                                                  \
  ROW(sort_alone, SORT_ALONE_ARGUMENTS) ROW(sort_gather, SORT_GATHER_ARGUMENTS)
#endif
