/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable radix sort (sort.h). SCAN_TYPE is the unsigned integer that keys are read as, or that arrays are moved in;
 * with SORT_WIDE_KEYS that of each of a key's two words. With SORT_WIDE_KEYS or SORT_NUMERIC_KEYS
 * the file has only the kernels that read keys. A single work-item walks its tile in order. A
 * work-group sorts its tile in local memory, by the lower and then by the upper half of the digit: each work-item
 * counts its own consecutive keys in counters of its own, and the counters' prefix sums are places. So results do not
 * depend on the order of atomic operations. */
#include "lib/group_sums.h"
#include "sort/sort_keys.h"
#ifndef SCANRT_HOST_DIALECT_H
#include "sort/sort_move.h"
#endif
#if SCAN_GROUP_ITEMS > 1
#include "sort/sort_tile.h"
#endif

/* ---- all digits ---- */

#ifndef SCANRT_HOST_DIALECT_H /* the host sorts by its own code: device/host/sort/host_sort.h, host_split.h */
SORT_KERNEL(digits)(PARAMETERS(SORT_DIGITS_ARGUMENTS)) {
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
  NOTE_N_OVERFLOW();
  for (scanrt_u32 i = ITEM(); i < passes * SORT_DIGITS; i += SCAN_GROUP_ITEMS) count[i] = 0;
  BARRIER();
  for (scanrt_u64 tile = GROUP(); tile * tile_items < all; tile += tiles) {
    const scanrt_u64 first = tile * tile_items;
    const scanrt_u32 items = scanrt_sort_items(first, all, tile_items);
    for (scanrt_u32 turn = 0; turn < items; turn += SORT_COUNTED_ITEMS) {
      const scanrt_u32 end = items - turn < SORT_COUNTED_ITEMS ? items : turn + SORT_COUNTED_ITEMS;
      for (scanrt_u32 p = 0; p < passes; p++) {
        const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, p);
        for (scanrt_u32 i = turn + ITEM(); i < end; i += SCAN_GROUP_ITEMS) {
          const scanrt_u32 digit = p * SORT_DIGITS + KEY_DIGIT(keys + first + i, order);
#if SCAN_GROUP_ITEMS == 1
          count[digit]++;
#else
          ATOMIC_INC_LOCAL(&count[digit]);
#endif
        }
      }
    }
  }
  BARRIER();
  for (scanrt_u32 i = ITEM(); i < passes * SORT_DIGITS; i += SCAN_GROUP_ITEMS) counts[i] = count[i];
}

/* Finds where the digits of a pass begin, and whether the pass orders; a work-group a pass. */
SORT_KERNEL(starts)(PARAMETERS(SORT_DIGITS_ARGUMENTS)) {
  const scanrt_u64 all = SORT_N();
  const scanrt_u32 passes = SORT_PASSES(first_bit, end_bit);
  GLOBAL scanrt_u64 *words = (GLOBAL scanrt_u64 *)MEMORY(digits);
  GLOBAL const scanrt_u64 *counts = words + SORT_WORD_COUNTS + (scanrt_u64)GROUP() * SORT_DIGITS;
#if SCAN_GROUP_ITEMS == 1
  scanrt_u64 sums[SORT_DIGITS];
#else
  LOCAL_ARRAY(scanrt_u64, sums, SORT_DIGITS);
#endif
  (void)MEMORY(in), (void)MEMORY(n_overflow), (void)tile_items;
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
    words[SORT_WORD_STARTS + GROUP() * SORT_DIGITS + d] = before;
    before += sums[d];
    if (sums[d] == all) orders = 0;
  }
  words[SORT_WORD_ORDERS + GROUP()] = orders;
#else
  for (scanrt_u32 d = ITEM(); d < SORT_DIGITS; d += SCAN_GROUP_ITEMS) {
    scanrt_u64 before = 0;
    NO_UNROLL
    for (scanrt_u32 e = 0; e < d; e++) before += sums[e];
    words[SORT_WORD_STARTS + GROUP() * SORT_DIGITS + d] = before;
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
#endif

#ifndef SORT_KEYS_ONLY
/* Adds up the counts of a bin; a work-group a bin. */
KERNEL(histogram_sums)(PARAMETERS(HISTOGRAM_SUMS_ARGUMENTS)) {
  const scanrt_u32 stride = SORT_PASSES(first_bit, end_bit) * SORT_DIGITS;
  GLOBAL const scanrt_u64 *counts = (GLOBAL const scanrt_u64 *)MEMORY(digits) + SORT_WORD_COUNTS + GROUP();
  scanrt_u64 sum = 0;
  NO_UNROLL
  for (scanrt_u32 t = ITEM(); t < tiles; t += SCAN_GROUP_ITEMS) sum += counts[(scanrt_u64)t * stride];
#if SCAN_GROUP_ITEMS > 1
  LOCAL_ARRAY(scanrt_u64, sums, SCAN_GROUP_ITEMS);
  (void)scanrt_group_before(sum, sums, &sum);
#endif
  if (ITEM() == 0) ((GLOBAL scanrt_u64 *)MEMORY(bins))[GROUP()] = sum;
}
#endif

/* ---- a pass: counts of tiles ---- */

#ifndef SCANRT_HOST_DIALECT_H
SORT_KERNEL(count)(PARAMETERS(SORT_COUNT_ARGUMENTS)) {
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
    count[KEY_DIGIT(keys + i, order)]++;
#else
    ATOMIC_INC_LOCAL(&count[KEY_DIGIT(keys + i, order)]);
#endif
  }
  BARRIER();
  if (!route.is_taken) return;
  for (scanrt_u32 d = ITEM(); d < SORT_DIGITS; d += SCAN_GROUP_ITEMS)
    scanrt_sort_set_number(MEMORY(workspace), (scanrt_u64)d * GROUPS() + GROUP(), count[d], flags);
}
#endif

#ifndef SORT_KEYS_ONLY
/* ---- a pass: places of tiles ---- */

/* Replaces the tiles' counts of a digit by the number of keys with that digit in the tiles before; a work-group a
 * digit. Tiles past n_from's keys have counts of 0. */
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
    scanrt_u64 sum;
    const scanrt_u64 here = scanrt_group_before(own, sums, &sum);
    if (t < tiles) scanrt_sort_set_number(numbers, t, before + here, flags);
    before += sum;
  }
#endif
  if ((flags & SORT_SPLIT) != 0 && ITEM() == 0)
    ((GLOBAL scanrt_u64 *)MEMORY(digits))[SORT_WORD_COUNTS + GROUP()] = before;
}

/* Replaces the digits' counts by where they begin; the entry after the last digit is the number of all keys. */
KERNEL(split_starts)(PARAMETERS(SPLIT_STARTS_ARGUMENTS)) {
  GLOBAL scanrt_u64 *words = (GLOBAL scanrt_u64 *)MEMORY(digits), *digit_starts = (GLOBAL scanrt_u64 *)MEMORY(bins);
  scanrt_u64 before = 0;
  NOTE_N_OVERFLOW();
#if SCAN_GROUP_ITEMS == 1
  for (scanrt_u32 d = 0; d < SORT_DIGITS; d++) {
    words[SORT_WORD_STARTS + d] = before;
    if (d < buckets) digit_starts[d] = before;
    before += words[SORT_WORD_COUNTS + d];
  }
#else
  LOCAL_ARRAY(scanrt_u64, sums, SCAN_GROUP_ITEMS);
  NO_UNROLL
  for (scanrt_u32 turn = 0; turn < SORT_DIGITS; turn += SCAN_GROUP_ITEMS) {
    const scanrt_u32 d = turn + ITEM();
    scanrt_u64 sum;
    const scanrt_u64 here = scanrt_group_before(d < SORT_DIGITS ? words[SORT_WORD_COUNTS + d] : 0, sums, &sum);
    if (d < SORT_DIGITS) words[SORT_WORD_STARTS + d] = before + here;
    if (d < buckets) digit_starts[d] = before + here;
    before += sum;
  }
#endif
  if (ITEM() == 0) digit_starts[buckets] = before;
}
#endif

#ifndef SCANRT_HOST_DIALECT_H
/* ---- a pass: keys and values ---- */

/* The place of a digit's first key of the tile. */
#define SORT_TILE_PLACE(d)                                                                                             \
  (((GLOBAL const scanrt_u64 *)MEMORY(digits))[SORT_WORD_STARTS + pass * SORT_DIGITS + (d)] +                          \
   scanrt_sort_number(MEMORY(workspace), (scanrt_u64)(d)*GROUPS() + GROUP(), flags))

#if SCAN_GROUP_ITEMS == 1
SORT_KERNEL(move)(PARAMETERS(SORT_MOVE_ARGUMENTS)) {
  scanrt_u64 place[SORT_DIGITS];
  OPEN();
  const scanrt_sort_ends ends = SORT_ENDS(route, first);
  if (items == 0) return;
  for (scanrt_u32 d = 0; d < SORT_DIGITS; d++) place[d] = order.mask == 0 ? first : SORT_TILE_PLACE(d);
  scanrt_sort_scatter(keys, items, order, place, ends);
}

SORT_KERNEL(alone)(PARAMETERS(SORT_ALONE_ARGUMENTS)) {
  scanrt_u32 count[KEY_PASSES * SORT_DIGITS];
  scanrt_u64 place[SORT_DIGITS];
  const scanrt_u32 items = (scanrt_u32)SORT_N(), slots = ROUTE_SLOTS();
  (void)MEMORY(digits), (void)MEMORY(workspace), (void)tile_items, (void)pass;
  NOTE_N_OVERFLOW();
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
SORT_KERNEL(move)(PARAMETERS(SORT_MOVE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_sort_tile, tile, 1);
  LOCAL_ARRAY(scanrt_u64, place, SORT_DIGITS);
  OPEN();
  const scanrt_sort_ends ends = SORT_ENDS(route, first);
  for (scanrt_u32 d = ITEM(); d < SORT_DIGITS; d += SCAN_GROUP_ITEMS)
    place[d] = order.mask == 0 ? first : items > 0 ? SORT_TILE_PLACE(d) : 0;
  scanrt_sort_load(tile, keys, items);
  scanrt_sort_tile_by(tile, items, order);
  scanrt_sort_subtract_starts(tile, place, items, order);
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
    const KEY_T key = tile->key[i];
    const scanrt_u64 at = place[scanrt_sort_digit(key, order)] + i;
    ends.to[at] = key;
    if (ends.value_bytes == 4) MOVE_VALUE(scanrt_u32, at, tile->number[i]);
    if (ends.value_bytes == 8) MOVE_VALUE(scanrt_u64, at, tile->number[i]);
  }
}

/* Sorts one tile by all passes. The output may be the keys, all of which are in local memory before one is written, but
 * not the values. */
SORT_KERNEL(alone)(PARAMETERS(SORT_ALONE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_sort_tile, tile, 1);
  const scanrt_u32 items = (scanrt_u32)SORT_N(), passes = SORT_PASSES(first_bit, end_bit);
  const scanrt_sort_route route = { 1, 1, 1, PLACE_IN, PLACE_OUT };
  const scanrt_sort_ends ends = SORT_ENDS(route, 0);
  (void)MEMORY(digits), (void)MEMORY(workspace), (void)tile_items, (void)pass;
  NOTE_N_OVERFLOW();
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

#endif /* not on the host */

#ifndef SORT_KEYS_ONLY
/* ---- arrays ---- */

KERNEL(sort_gather)(PARAMETERS(SORT_GATHER_ARGUMENTS)) {
  const scanrt_u64 all = SORT_N(), first = (scanrt_u64)GROUP() * tile_items;
  const scanrt_u32 items = scanrt_sort_items(first, all, tile_items);
  GLOBAL const KEY_T *from = (GLOBAL const KEY_T *)MEMORY(in);
  GLOBAL KEY_T *to = (GLOBAL KEY_T *)MEMORY(out) + first * element_words;
  for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS) {
    const scanrt_u64 index = (flags & SORT_WIDE_VALUES) != 0
                                 ? ((GLOBAL const scanrt_u64 *)MEMORY(values_in))[first + i]
                                 : ((GLOBAL const scanrt_u32 *)MEMORY(values_in))[first + i];
    if (index >= all) continue; /* the index of a key in no segment is undefined */
    for (scanrt_u32 p = 0; p < element_words; p++)
      to[(scanrt_u64)i * element_words + p] = from[index * element_words + p];
  }
}
#endif

#define PLACES_KERNELS(ROW)                                                                                            \
  ROW(histogram_sums, HISTOGRAM_SUMS_ARGUMENTS)                                                                        \
  ROW(sort_places, SORT_COUNT_ARGUMENTS)                                                                               \
  ROW(split_starts, SPLIT_STARTS_ARGUMENTS) ROW(sort_gather, SORT_GATHER_ARGUMENTS)
#ifdef SCANRT_HOST_DIALECT_H
#define PRIMITIVE_KERNELS(ROW) PLACES_KERNELS(ROW)
#else
#define PRIMITIVE_KERNELS(ROW)                                                                                         \
  PLACES_KERNELS(ROW)                                                                                                  \
  ROW(sort_digits, SORT_DIGITS_ARGUMENTS)                                                                              \
  ROW(sort_starts, SORT_DIGITS_ARGUMENTS)                                                                              \
  ROW(sort_count, SORT_COUNT_ARGUMENTS)                                                                                \
  ROW(sort_move, SORT_MOVE_ARGUMENTS) ROW(sort_alone, SORT_ALONE_ARGUMENTS)
#endif
