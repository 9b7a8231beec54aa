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
 * since a pass never writes what it reads.
 *
 * The first pass turns keys into unsigned integers of their order, and the last one turns them back. Keys of the
 * numeric order stay unchanged, since no integer of that order says which NaN or zero a key is. SCAN_TYPE is the
 * unsigned integer that keys are read as; SCAN_IN_TYPE is that of values, of 4 or 8 bytes, or of 1 if there are
 * none. */
#include "lib/test_hooks.h"
#include "sort/sort_ranks.h"

#if SCAN_GROUP_ITEMS < 256 || SCAN_GROUP_ITEMS % 32 != 0
#error "a work-group has a work-item for each digit, and whole warps"
#endif

#if SCAN_IN_TYPE == 8
#define VALUE_BYTES 8
typedef scanrt_u64 scanrt_sort_value;
#elif SCAN_IN_TYPE == 6
#define VALUE_BYTES 4
typedef scanrt_u32 scanrt_sort_value;
#elif SCAN_IN_TYPE == 2
#define VALUE_BYTES 0
typedef scanrt_u32 scanrt_sort_value;
#else
#error "values are 4 or 8 bytes, or not there"
#endif

#define LOOK_KEYS ((scanrt_u32)SORT_LOOK_KEYS(KEY_BYTES, VALUE_BYTES))
#define LOOK_TILE (LOOK_KEYS * SCAN_GROUP_ITEMS)
#define LOOK_ROWS 2  /* rows that are ranked at once */
#define LOOK_TILES 4 /* tiles whose words are loaded at once */
#define LOOK_POLLS (1u << 20)

#if SCAN_PTX
FUNC void scanrt_sort_put(volatile GLOBAL scanrt_u32 *p, scanrt_u32 x) {
  __asm__ __volatile__("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
}
#else
#define scanrt_sort_put(p, x) ATOMIC_STORE(p, x)
#endif

/* ---- keys as unsigned integers of their order, and back ---- */

/* Swaps the two words of a key whose first word is the more significant one. `flipped` is the same for both words. */
FUNC KEY_T scanrt_sort_swap(KEY_T key, scanrt_sort_order order) {
#if KEY_BYTES == 8
  if (order.swap != 0) return as_ulong(as_uint2(key).yx); /* no rotation: Oclgrind has none of 64 bits */
#endif
  return key;
}
/* Returns a key as an unsigned integer of its order. */
FUNC KEY_T scanrt_sort_flip(KEY_T key, scanrt_sort_order order) {
  const KEY_T is_negative = (KEY_T)(0 - (key >> (8 * KEY_BYTES - 1)));
  return scanrt_sort_swap((KEY_T)(key ^ order.flipped ^ (is_negative & order.negative)), order);
}
/* Inverts scanrt_sort_flip. */
FUNC KEY_T scanrt_sort_flip_back(KEY_T key, scanrt_sort_order order) {
  const KEY_T flipped = (KEY_T)(key ^ order.flipped), is_negative = (KEY_T)(0 - (flipped >> (8 * KEY_BYTES - 1)));
  return scanrt_sort_swap((KEY_T)(flipped ^ (is_negative & order.negative)), order);
}
#ifdef SORT_NUMERIC_KEYS
#define LOOK_BITS(key) scanrt_sort_ordered((key), order)
#define LOOK_IS_FLIPPED(order) 0
#define LOOK_PAD scanrt_sort_last(order)
#else
#define LOOK_BITS(key) (key)
#define LOOK_IS_FLIPPED(order) (((order).flipped | (order).negative) != 0 || (order).swap != 0)
#define LOOK_PAD KEY_ALL
#endif
#define LOOK_DIGIT(key) ((scanrt_u32)(LOOK_BITS(key) >> order.shift) & order.mask)

/* Returns the order for keys that scanrt_sort_flip has flipped. */
FUNC scanrt_sort_order scanrt_sort_look_order(scanrt_u32 flags, scanrt_u32 first_bit, scanrt_u32 end_bit,
                                              scanrt_u32 pass) {
  scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, pass);
  order.shift ^= order.mask != 0 ? order.swap : 0;
  return order;
}

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
#ifdef SORT_NUMERIC_KEYS
      const KEY_T flipped = scanrt_sort_ordered(key[u], order);
#else
      const KEY_T flipped = scanrt_sort_flip(key[u], order);
#endif
      UNROLL
      for (scanrt_u32 p = 0; p < KEY_PASSES; p++) {
        if (p >= passes) break;
        const scanrt_u32 digit = (scanrt_u32)(flipped >> shift[p]) & mask[p];
        ATOMIC_INC_LOCAL(&counter[(p * SORT_DIGITS + digit) * SUM_COPIES + copy]);
      }
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

/* Turns the sums into where digits begin, by one work-group, and clears them: the sums are 0 between sorts. */
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

typedef union scanrt_sort_slots {
  KEY_T key[LOOK_TILE];
#if VALUE_BYTES
  scanrt_sort_value value[LOOK_TILE]; /* after the keys are written */
#endif
} scanrt_sort_slots;

typedef struct scanrt_sort_look {
  scanrt_sort_slots slots;
  scanrt_sort_ranks ranks;
  scanrt_u32 place[SORT_DIGITS]; /* a digit's place in the output, minus its place in the tile */
  scanrt_u32 tile;
} scanrt_sort_look;

/* The inputs and outputs of a pass. */
typedef struct scanrt_sort_buffers {
  GLOBAL const KEY_T *keys;
  GLOBAL KEY_T *keys_to;
  GLOBAL const scanrt_sort_value *values;
  GLOBAL scanrt_sort_value *values_to;
  scanrt_u32 first, n, flips, flips_back, makes_values; /* the part has keys first to first + n - 1 of all */
} scanrt_sort_buffers;

/* Returns the number of keys of the tile that have the digit. */
FUNC scanrt_u32 scanrt_sort_recount(scanrt_sort_buffers buffers, scanrt_u32 tile, scanrt_u32 digit,
                                    scanrt_sort_order order) {
  scanrt_u32 count = 0;
  NO_UNROLL
  for (scanrt_u32 i = 0; i < LOOK_TILE; i++) {
    KEY_T key = buffers.keys[tile * LOOK_TILE + i];
    if (buffers.flips) key = scanrt_sort_flip(key, order);
    count += LOOK_DIGIT(key) == digit;
  }
  return count;
}

/* Returns the number of keys in the tiles before that have the digit. */
FUNC scanrt_u32 scanrt_sort_lookback_prefix(GLOBAL scanrt_u32 *lookback_words, scanrt_u32 tile, scanrt_u32 digit,
                                            scanrt_sort_buffers buffers, scanrt_sort_order order) {
  scanrt_u32 sum = 0, left = tile, polls = 0;
  NO_UNROLL
  while (left > 0) {
    scanrt_u32 seen[LOOK_TILES], continues = 1;
    const scanrt_u32 from = left;
    UNROLL
    for (scanrt_u32 i = 0; i < LOOK_TILES; i++)
      seen[i] = from > i ? ATOMIC_LOAD(lookback_words + (from - 1 - i) * SORT_DIGITS + digit) : SORT_LOOK_INCLUSIVE;
    UNROLL
    for (scanrt_u32 i = 0; i < LOOK_TILES; i++) {
      if (seen[i] == 0) continues = 0;
      if (!continues) continue;
      sum += seen[i] & SORT_LOOK_VALUE;
      left--;
      if ((seen[i] & SORT_LOOK_INCLUSIVE) != 0) continues = left = 0;
    }
    polls = left != from ? 0 : polls + 1;
    if (polls < SPIN_LIMIT(LOOK_POLLS)) continue;
    left--;
    sum += scanrt_sort_recount(buffers, left, digit, order);
    polls = 0;
  }
  return sum;
}

/* Loads the work-item's keys; the rows of 32 keys of a warp are consecutive. Past the last key are pads of the largest
 * digit, which are counted. */
FUNC void scanrt_sort_load_keys(scanrt_sort_buffers buffers, scanrt_u32 from, scanrt_u32 is_full,
                                scanrt_sort_order order, KEY_T *key) {
  if (is_full) {
    RANKS_UNROLL
    for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) key[u] = LOAD_STREAM(buffers.keys + from + u * 32);
  } else {
    RANKS_UNROLL
    for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) key[u] = from + u * 32 < buffers.n ? buffers.keys[from + u * 32] : 0;
  }
  if (buffers.flips) {
    RANKS_UNROLL
    for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) key[u] = scanrt_sort_flip(key[u], order);
  }
  if (!is_full) {
    RANKS_UNROLL
    for (scanrt_u32 u = 0; u < LOOK_KEYS; u++)
      if (from + u * 32 >= buffers.n) key[u] = LOOK_PAD;
  }
}

FUNC void scanrt_sort_load_values(scanrt_sort_buffers buffers, scanrt_u32 from, scanrt_sort_value *value) {
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) {
    const scanrt_u32 i = from + u * 32;
    value[u] = buffers.makes_values ? (scanrt_sort_value)(buffers.first + i)
               : i < buffers.n      ? LOAD_STREAM(buffers.values + i)
                                    : 0;
  }
}

/* Copies a tile to the same place in the output, in a pass that only moves. */
FUNC void scanrt_sort_copy(scanrt_sort_buffers buffers, scanrt_u32 first, scanrt_sort_order order) {
  NO_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) {
    const scanrt_u32 i = first + u * SCAN_GROUP_ITEMS + ITEM();
    if (i >= buffers.n) return;
    KEY_T key = buffers.keys[i];
    if (buffers.flips) key = scanrt_sort_flip(key, order);
    if (buffers.flips_back) key = scanrt_sort_flip_back(key, order);
    buffers.keys_to[buffers.first + i] = key;
#if VALUE_BYTES
    buffers.values_to[buffers.first + i] =
        buffers.makes_values ? (scanrt_sort_value)(buffers.first + i) : buffers.values[i];
#endif
  }
}

/* Publishes the tile's counts. Returns the count of the work-item's digit and sets *begin to where that digit begins in
 * the tile. The counters become where each warp's keys of a digit begin. */
FUNC scanrt_u32 scanrt_sort_publish(LOCAL scanrt_sort_look *look, GLOBAL scanrt_u32 *lookback_words, scanrt_u32 tile,
                                    scanrt_u32 *begin) {
  scanrt_u32 count[RANK_WARPS], total = 0;
  STALL_OVER(lookback_words + tile * SORT_DIGITS, tile);
  if (ITEM() < SORT_DIGITS) {
    UNROLL
    for (scanrt_u32 w = 0; w < RANK_WARPS; w++) {
      count[w] = look->ranks.counter[w * SORT_DIGITS + ITEM()];
      total += count[w];
    }
    if (PUBLISHES(tile))
      scanrt_sort_put(lookback_words + tile * SORT_DIGITS + ITEM(),
                      (tile == 0 ? SORT_LOOK_INCLUSIVE : SORT_LOOK_PARTIAL) | total);
  }
  scanrt_u32 at = scanrt_sort_sum_before(look->ranks.sums, total);
  *begin = at;
  if (ITEM() < SORT_DIGITS) {
    UNROLL
    for (scanrt_u32 w = 0; w < RANK_WARPS; w++) {
      look->ranks.counter[w * SORT_DIGITS + ITEM()] = at;
      at += count[w];
    }
  }
  return total;
}

/* Sets each key's rank among the warp's keys of its digit. */
FUNC void scanrt_sort_rank_tile(LOCAL scanrt_sort_look *look, const KEY_T *key, scanrt_sort_order order,
                                scanrt_u32 *rank) {
  RANKS_UNROLL
  for (scanrt_u32 q = 0; q < LOOK_KEYS; q += LOOK_ROWS) {
    scanrt_u32 digit[LOOK_ROWS], found[LOOK_ROWS];
    UNROLL
    for (scanrt_u32 u = 0; u < LOOK_ROWS; u++) digit[u] = LOOK_DIGIT(key[q + u]);
    scanrt_sort_rank_rows(&look->ranks, digit, found, LOOK_ROWS);
    UNROLL
    for (scanrt_u32 u = 0; u < LOOK_ROWS; u++) PACK(rank, q + u, found[u]);
  }
}

/* Stores keys at their slots of the sorted tile. Where there are values, the slots replace the ranks for them. */
FUNC void scanrt_sort_order_tile(LOCAL scanrt_sort_look *look, const KEY_T *key, scanrt_sort_order order,
                                 scanrt_u32 *slot) {
  LOCAL const scanrt_u32 *begin = look->ranks.counter + ITEM() / 32 * SORT_DIGITS;
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) {
    const scanrt_u32 at = UNPACK(slot, u) + begin[LOOK_DIGIT(key[u])];
    look->slots.key[at] = key[u];
#if VALUE_BYTES
    slot[u / 2] = u % 2 != 0 ? (slot[u / 2] & 0xffffu) | at << 16 : (slot[u / 2] & 0xffff0000u) | at;
#endif
  }
}

/* Writes the keys of the sorted tile. `digits` gets the digits of the slots that the work-item writes, four to a
 * register. */
FUNC void scanrt_sort_write_keys(LOCAL const scanrt_sort_look *look, scanrt_sort_buffers buffers, scanrt_u32 items,
                                 scanrt_sort_order order, scanrt_u32 *digits) {
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) {
    const scanrt_u32 i = u * SCAN_GROUP_ITEMS + ITEM();
    const KEY_T key = look->slots.key[i];
    const scanrt_u32 digit = LOOK_DIGIT(key), at = look->place[digit] + i;
    if (i < items) buffers.keys_to[at] = buffers.flips_back ? scanrt_sort_flip_back(key, order) : key;
    digits[u / 4] = u % 4 != 0 ? digits[u / 4] | digit << u % 4 * 8 : digit;
  }
}

#if VALUE_BYTES
/* Loads values, late to save registers, and writes them in order. `own` is the index of the work-item's first one. */
FUNC void scanrt_sort_write_values(LOCAL scanrt_sort_look *look, scanrt_sort_buffers buffers, scanrt_u32 own,
                                   scanrt_u32 items, const scanrt_u32 *slot, const scanrt_u32 *digits) {
  scanrt_sort_value value[LOOK_KEYS];
  scanrt_sort_load_values(buffers, own, value);
  BARRIER();
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) look->slots.value[UNPACK(slot, u)] = value[u];
  BARRIER();
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < LOOK_KEYS; u++) {
    const scanrt_u32 i = u * SCAN_GROUP_ITEMS + ITEM();
    const scanrt_u32 at = look->place[digits[u / 4] >> u % 4 * 8 & 0xffu] + i;
    if (i < items) buffers.values_to[at] = look->slots.value[i];
  }
}
#endif

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
  buffers.n = scanrt_sort_items(buffers.first, words[SORT_WORD_N], most);
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
