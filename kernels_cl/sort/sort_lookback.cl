/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting, a pass in one launch, by work-groups that look back (OpenCL; kernels_cu/sort/sort_onesweep.cuh is CUDA's).
 *
 * sort_sums counts all passes' digits in one read; it clears the tickets and the first look-back state.
 * sort_routes finds where each digit of each pass begins, and the routes of the passes.
 * sort_lookback is a pass: a work-group takes a tile by ticket, ranks its keys (sort_ranks.h), publishes its count of
 * each digit, brings keys, then values, into order in local memory, looks back for where each digit goes, and writes.
 *
 * Passes alternate between two look-back states (SORT_LOOK_PARTIAL): a pass clears the next one's. Waits cannot form a
 * cycle, since tiles are claimed by tickets. A work-item that waits too long counts the missing tile's digit itself,
 * since a pass never writes what it reads. */
#include "sort/sort_look_tile.h"

/* ---- all digits ---- */

#define SUM_COPIES (KEY_BYTES == 8 ? 4 : 8) /* copies of a digit's counter, for different lanes */
#define SUM_KEYS 8                          /* keys that a work-item loads at once */
#define SUM_COUNTERS (KEY_PASSES * SORT_DIGITS * SUM_COPIES)

SORT_KERNEL(sums)(PARAMETERS(SORT_HISTOGRAM_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_u32, counter, SUM_COUNTERS);
  const scanrt_u64 all = SORT_N();
  const scanrt_u32 keys_n = (scanrt_u32)all, tiles = keys_n / tile_items + (keys_n % tile_items != 0);
  const scanrt_u32 passes = SORT_PASSES(first_bit, end_bit), copy = ITEM() % SUM_COPIES;
  const scanrt_u32 lookback_word_count = SORT_TICKETS + tiles * SORT_DIGITS, step = GROUPS() * SCAN_GROUP_ITEMS;
  const scanrt_sort_order order = scanrt_sort_look_order(flags, first_bit, end_bit, 0);
  GLOBAL const KEY_T *keys = (GLOBAL const KEY_T *)MEMORY(in);
  GLOBAL scanrt_u32 *words = (GLOBAL scanrt_u32 *)MEMORY(workspace);
  GLOBAL scanrt_u32 *sums = (GLOBAL scanrt_u32 *)((GLOBAL scanrt_u64 *)MEMORY(digits) + SORT_WORD_COUNTS);
  scanrt_u32 shift[KEY_PASSES], mask[KEY_PASSES];
  (void)MEMORY(bins), (void)buckets;
  NOTE_N_OVERFLOW();
  UNROLL
  for (scanrt_u32 p = 0; p < KEY_PASSES; p++) {
    const scanrt_sort_order of = scanrt_sort_look_order(flags, first_bit, end_bit, p);
    shift[p] = of.shift;
    mask[p] = of.mask;
  }
  NO_UNROLL
  for (scanrt_u32 i = GROUP() * SCAN_GROUP_ITEMS + ITEM(); i < lookback_word_count; i += step) words[i] = 0;
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < SUM_COUNTERS; i += SCAN_GROUP_ITEMS) counter[i] = 0;
  BARRIER();
  NO_UNROLL
  for (scanrt_u64 first = GROUP() * SCAN_GROUP_ITEMS * SUM_KEYS; first < all; first += step * SUM_KEYS) {
    KEY_T key[SUM_KEYS];
    UNROLL
    for (scanrt_u32 u = 0; u < SUM_KEYS; u++) {
      const scanrt_u64 i = first + u * SCAN_GROUP_ITEMS + ITEM();
      key[u] = i < all ? LOAD_STREAM(keys + i) : 0;
    }
    UNROLL
    for (scanrt_u32 u = 0; u < SUM_KEYS; u++) {
      if (first + u * SCAN_GROUP_ITEMS + ITEM() >= all) break;
      scanrt_sort_count_key(counter, key[u], order, shift, mask, passes, SUM_COPIES, copy);
    }
  }
  BARRIER();
  NO_UNROLL
  for (scanrt_u32 at = ITEM(); at < passes * SORT_DIGITS; at += SCAN_GROUP_ITEMS) {
    scanrt_u32 sum = 0;
    UNROLL
    for (scanrt_u32 c = 0; c < SUM_COPIES; c++) sum += counter[at * SUM_COPIES + ((c + ITEM()) % SUM_COPIES)];
    if (sum != 0) ATOMIC_ADD(sums + at, sum);
  }
}

/* Turns the sums into where digits begin, by one work-group, and clears them: the sums are 0 between sorts. Writes the
 * results of a split or a histogram. */
SORT_KERNEL(routes)(PARAMETERS(SORT_HISTOGRAM_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_u32, sums, SCAN_GROUP_ITEMS);
  LOCAL_ARRAY(scanrt_u32, orders, KEY_PASSES);
  const scanrt_u32 keys_n = (scanrt_u32)SORT_N(), passes = SORT_PASSES(first_bit, end_bit);
  GLOBAL scanrt_u64 *words = (GLOBAL scanrt_u64 *)MEMORY(digits);
  GLOBAL scanrt_u32 *counts = (GLOBAL scanrt_u32 *)(words + SORT_WORD_COUNTS);
  (void)MEMORY(in), (void)MEMORY(workspace), (void)MEMORY(n_overflow), (void)tile_items;
  if (ITEM() < KEY_PASSES) orders[ITEM()] = 0;
  NO_UNROLL
  for (scanrt_u32 p = 0; p < passes; p++) {
    const scanrt_u32 count = ITEM() < SORT_DIGITS ? counts[p * SORT_DIGITS + ITEM()] : 0;
    const scanrt_u32 before = scanrt_sort_sum_before(sums, count);
    if (ITEM() < SORT_DIGITS) {
      words[SORT_WORD_STARTS + p * SORT_DIGITS + ITEM()] = before;
      counts[p * SORT_DIGITS + ITEM()] = 0;
      scanrt_sort_set_bin((GLOBAL scanrt_u64 *)MEMORY(bins), p * SORT_DIGITS + ITEM(), before, count, keys_n, buckets,
                          flags);
    }
    if (count > 0 && count < keys_n) orders[p] = 1;
    BARRIER();
  }
  if (ITEM() != 0) return;
  scanrt_u32 all = 0;
  for (scanrt_u32 p = 0; p < passes; p++) all |= orders[p] << p;
  scanrt_sort_routes_write(words, all, SORT_SLOTS(first_bit, end_bit, (flags & SORT_IN_PLACE) != 0), flags);
  words[SORT_WORD_N] = keys_n;
}

/* ---- a pass ---- */

SORT_KERNEL(lookback)(PARAMETERS(SORT_ONESWEEP_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_sort_look, look, 1);
  GLOBAL scanrt_u64 *words = (GLOBAL scanrt_u64 *)MEMORY(digits);
  GLOBAL scanrt_u32 *ticket = (GLOBAL scanrt_u32 *)MEMORY(workspace) + SORT_TICKET(pass, part);
  const scanrt_u32 route = (scanrt_u32)words[SORT_WORD_ROUTES + pass];
  const scanrt_sort_order order = scanrt_sort_look_order(flags, first_bit, end_bit, pass);
  const scanrt_u32 is_flipped = LOOK_IS_FLIPPED(order);
  const scanrt_u32 from = route >> SORT_ROUTE_FROM & 3, to = route >> SORT_ROUTE_TO & 3;
  scanrt_sort_buffers buffers;
  const scanrt_u32 most = part_tiles * LOOK_TILE;
  if ((route & SORT_ROUTE_TAKEN) == 0) return;
  buffers.first = part * most;
  buffers.all = (scanrt_u32)words[SORT_WORD_N];
  buffers.n = scanrt_sort_items(buffers.first, buffers.all, most);
  buffers.keys = (GLOBAL const KEY_T *)SORT_PLACE(from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)) + buffers.first;
  buffers.keys_to = (GLOBAL KEY_T *)SORT_PLACE(to, MEMORY(in), MEMORY(out), MEMORY(keys_spare));
  buffers.values =
      (GLOBAL const scanrt_sort_value *)SORT_PLACE(from, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare));
  buffers.values_to =
      (GLOBAL scanrt_sort_value *)SORT_PLACE(to, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare));
  buffers.flips = is_flipped && (route & SORT_ROUTE_FIRST) != 0;
  buffers.flips_back = is_flipped && (route & SORT_ROUTE_LAST) != 0;
  buffers.makes_values = (route & SORT_ROUTE_FIRST) != 0 && (flags & SORT_INDICES) != 0;
  if (!buffers.makes_values) buffers.values += buffers.first;
  if ((route & SORT_ROUTE_MOVES) != 0) {
    scanrt_sort_copy(buffers, GROUP() * LOOK_TILE, order);
    return;
  }

  if (ITEM() == 0) {
    const scanrt_u32 claim = ATOMIC_ADD(ticket, 1u);
    look->tile = CLAIMED(claim, buffers.n / LOOK_TILE + (buffers.n % LOOK_TILE != 0));
  }
  UNROLL
  for (scanrt_u32 i = 0; i < RANK_COUNTERS; i += SCAN_GROUP_ITEMS) look->ranks.counter[i + ITEM()] = 0;
  BARRIER();
  const scanrt_u32 tile = look->tile, first = tile * LOOK_TILE;
  if (first >= buffers.n) return;
  const scanrt_u32 left = buffers.n - first, items = left < LOOK_TILE ? left : LOOK_TILE;
  const scanrt_u32 own = first + ITEM() / 32 * (32 * LOOK_KEYS) + ITEM() % 32;
  const scanrt_u32 lookback_word_count = tile_capacity * SORT_DIGITS;
  GLOBAL scanrt_u32 *lookback_words =
      (GLOBAL scanrt_u32 *)MEMORY(workspace) + SORT_TICKETS + part * part_tiles * SORT_DIGITS;
  GLOBAL scanrt_u32 *next_lookback_words = lookback_words;
  if ((route & SORT_ROUTE_ODD) != 0)
    lookback_words += lookback_word_count;
  else
    next_lookback_words += lookback_word_count;

  KEY_T key[LOOK_KEYS];
  scanrt_u32 slot[PACKED(LOOK_KEYS)], digits[(LOOK_KEYS + 3) / 4], begin;
  scanrt_sort_load_keys(buffers, own, items == LOOK_TILE, order, key);
  scanrt_sort_rank_tile(look, key, order, slot);
  BARRIER();
  const scanrt_u32 total = scanrt_sort_publish(look, lookback_words, tile, &begin);
  BARRIER();
  scanrt_sort_order_tile(look, key, order, slot);
  if (ITEM() < SORT_DIGITS) {
    const scanrt_u32 before = scanrt_sort_lookback_prefix(lookback_words, tile, ITEM(), buffers, order);
    if (tile > 0 && PUBLISHES(tile))
      scanrt_sort_put(lookback_words + tile * SORT_DIGITS + ITEM(), SORT_LOOK_INCLUSIVE | (before + total));
    next_lookback_words[tile * SORT_DIGITS + ITEM()] = 0;
    const scanrt_u32 digit_starts = (scanrt_u32)words[SORT_WORD_PART_STARTS(pass, part) + ITEM()];
    look->place[ITEM()] = digit_starts + before - begin;
    if (items == left) words[SORT_WORD_PART_STARTS(pass, part + 1) + ITEM()] = digit_starts + before + total;
  }
  BARRIER();
  scanrt_sort_write_keys(look, buffers, items, order, digits);
#if VALUE_BYTES
  scanrt_sort_write_values(look, buffers, own, items, slot, digits);
#endif
}
