/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: keys and their digits, the passes that are taken, and the workspace's numbers. SCAN_TYPE is the unsigned
 * integer that keys are read as; with SORT_WIDE_KEYS that of each of a key's two words. With SORT_NUMERIC_KEYS keys are
 * floating-point numbers in the numeric order, which distinguishes neither NaNs nor zeros: a key moves unchanged, and
 * its digits are those of scanrt_sort_ordered. */
#ifndef SCANRT_CL_SORT_KEYS_H
#define SCANRT_CL_SORT_KEYS_H

#include "lib/arguments.h"
#include "lib/dialect.h"
#include "lib/types.h"
#include "sort/sort.h"

#if defined SORT_WIDE_KEYS || defined SORT_NUMERIC_KEYS
#define SORT_KEYS_ONLY /* the file has only the kernels that read keys */
#endif
#ifdef SORT_NUMERIC_KEYS
#define SORT_IS_NUMERIC 1
#else
#define SORT_IS_NUMERIC 0
#endif

#if !TYPE_IS_UNSIGNED(SCAN_TYPE)
#error "keys are read as unsigned integers"
#endif
#ifdef SORT_WIDE_KEYS
#if SCAN_TYPE != 8
#error "words of wide keys have 8 bytes"
#endif
typedef struct scanrt_sort_wide {
  scanrt_u64 word[2];
} scanrt_sort_wide;
#define KEY_T scanrt_sort_wide
#define KEY_WORD_T scanrt_u64
#define KEY_BYTES 16
#define KEY_NONE                                                                                                       \
  {                                                                                                                    \
    { 0, 0 }                                                                                                           \
  }
#else
#define KEY_T TYPE_T(SCAN_TYPE)
#define KEY_WORD_T KEY_T
#define KEY_BYTES TYPE_BYTES(SCAN_TYPE)
#define KEY_NONE 0
#endif
/* The keys of each work-item of a tile in local memory. */
#ifndef ITEM_KEYS
#define ITEM_KEYS ((scanrt_u32)SORT_ITEM_KEYS(KEY_BYTES))
#endif
#define TILE_KEYS (ITEM_KEYS * SCAN_GROUP_ITEMS)
#define KEY_PASSES KEY_BYTES
#define KEY_SIGN ((KEY_WORD_T)((KEY_WORD_T)1 << (8 * sizeof(KEY_WORD_T) - 1)))
#define KEY_ALL ((KEY_WORD_T) ~(KEY_WORD_T)0)
/* The sign of the less significant one of two words in one integer. */
#if KEY_BYTES == 8
#define KEY_LOW_SIGN ((KEY_WORD_T)1 << 31)
#else
#define KEY_LOW_SIGN 0
#endif
/* With SORT_HIGH_FIRST the position of a digit in memory is its position in the order XOR this number of bits. */
#define KEY_SWAP (KEY_BYTES >= 8 ? 4 * KEY_BYTES : 0)

/* ---- keys and their digits ---- */

/* Returns the number of keys: n, or the number in n_from if that is less. */
FUNC scanrt_u64 scanrt_sort_n(scanrt_u64 n, GLOBAL const scanrt_u64 *from, scanrt_u32 flags) {
  if (!(flags & SORT_N_FROM)) return n;
  return *from < n ? *from : n;
}
#define SORT_N() scanrt_sort_n(n, (GLOBAL const scanrt_u64 *)MEMORY(n_from), flags)

/* Reports an n_from above n, in the first work-group. */
#define NOTE_N_OVERFLOW()                                                                                              \
  if (GROUP() == 0 && ITEM() == 0 && (flags & SORT_N_FROM) != 0) {                                                     \
    const scanrt_u64 found = *(GLOBAL const scanrt_u64 *)MEMORY(n_from);                                               \
    if (found > n) *(GLOBAL scanrt_u64 *)MEMORY(n_overflow) = found;                                                   \
  }

/* Returns the number of keys of the tile, or of the part, that begins with key `first`. If there are none, the
 * work-items run like the others. */
FUNC scanrt_u32 scanrt_sort_items(scanrt_u64 first, scanrt_u64 n, scanrt_u32 tile_items) {
  if (first >= n) return 0;
  return n - first < tile_items ? (scanrt_u32)(n - first) : tile_items;
}

/* Writes to `bins` where a split's digit begins, or the number of a histogram's keys that have it; of the last digit of
 * a split also the number of all keys. */
FUNC void scanrt_sort_set_bin(GLOBAL scanrt_u64 *bins, scanrt_u32 digit, scanrt_u32 begin, scanrt_u32 keys,
                              scanrt_u32 all, scanrt_u32 buckets, scanrt_u32 flags) {
  const scanrt_u32 is_split = (flags & SORT_SPLIT) != 0;
  if (digit >= buckets) return;
  bins[digit] = is_split ? begin : keys;
  if (is_split && digit + 1 == buckets) bins[buckets] = all;
}

/* The digit of a pass: bits of the unsigned integer that has the key's order. This is the key XOR `flipped`, and for a
 * negative key XOR `negative`, too. `shift` is the digit's position in memory, which is the position in the order XOR
 * `swap`. */
typedef struct scanrt_sort_order {
  KEY_WORD_T flipped, negative; /* of wide keys: of either word */
#ifdef SORT_NUMERIC_KEYS
  KEY_T infinity; /* the bits of +infinity */
#endif
  scanrt_u32 shift, mask, swap;
} scanrt_sort_order;

#ifdef SORT_NUMERIC_KEYS
#if KEY_BYTES == 2
#define KEY_INFINITY(flags) ((KEY_T)(((flags)&SORT_BRAIN) != 0 ? 0x7f80u : 0x7c00u))
#elif KEY_BYTES == 4
#define KEY_INFINITY(flags) ((KEY_T)0x7f800000u)
#elif KEY_BYTES == 8
#define KEY_INFINITY(flags) ((KEY_T)0x7ffu << 52)
#else
#error "floating-point keys have 2, 4 or 8 bytes"
#endif
#endif

FUNC scanrt_sort_order scanrt_sort_order_of(scanrt_u32 flags, scanrt_u32 first_bit, scanrt_u32 end_bit,
                                            scanrt_u32 pass) {
  scanrt_sort_order order;
  const scanrt_u32 shift = first_bit + pass * SORT_DIGIT_BITS;
  const scanrt_u32 bits = shift >= end_bit ? 0 : end_bit - shift < SORT_DIGIT_BITS ? end_bit - shift : SORT_DIGIT_BITS;
#ifdef SORT_NUMERIC_KEYS
  order.flipped = 0;
  order.infinity = KEY_INFINITY(flags);
#else
  order.flipped = (flags & (SORT_SIGNED | SORT_FLOAT)) != 0 ? KEY_SIGN : 0;
#endif
  order.negative = (flags & SORT_FLOAT) != 0 ? (KEY_WORD_T)(KEY_ALL ^ KEY_SIGN) : 0;
  if ((flags & SORT_WORDS) != 0 && order.flipped != 0) order.flipped = (KEY_WORD_T)(order.flipped | KEY_LOW_SIGN);
  if ((flags & SORT_DESCENDING) != 0) order.flipped = (KEY_WORD_T)(order.flipped ^ KEY_ALL);
  order.swap = (flags & SORT_HIGH_FIRST) != 0 ? KEY_SWAP : 0;
  order.shift = bits != 0 ? shift ^ order.swap : 0;
  order.mask = (1u << bits) - 1;
  return order;
}

#ifdef SORT_WIDE_KEYS
/* Returns a digit of one of a key's words; no digit lies in both. */
FUNC scanrt_u32 scanrt_sort_word_digit(scanrt_u64 word, scanrt_sort_order order) {
  return (scanrt_u32)((word ^ order.flipped) >> (order.shift & 63)) & order.mask;
}
FUNC scanrt_u32 scanrt_sort_digit(KEY_T key, scanrt_sort_order order) {
  return scanrt_sort_word_digit((order.shift & 64) != 0 ? key.word[1] : key.word[0], order);
}
#else
/* A mask of the bits of a key that are sorted by. */
#define KEY_BITS(first_bit, end_bit)                                                                                   \
  ((KEY_T)((KEY_T)(KEY_ALL >> (8 * KEY_BYTES - ((end_bit) - (first_bit)))) << (first_bit)))
#ifdef SORT_NUMERIC_KEYS
/* Returns a key as an unsigned integer of the numeric order: numbers rise from 0 for -infinity to twice the bits
 * of +infinity; a NaN has all bits set. The result is XORed with `flipped`, which has all bits set for descending
 * keys. */
FUNC KEY_T scanrt_sort_ordered(KEY_T key, scanrt_sort_order order) {
  const KEY_T magnitude = (KEY_T)(key & order.negative), is_negative = (KEY_T)(0 - (key >> (8 * KEY_BYTES - 1)));
  const KEY_T number = (KEY_T)((KEY_T)(magnitude ^ is_negative) - is_negative + order.infinity);
  return (KEY_T)((magnitude > order.infinity ? KEY_ALL : number) ^ order.flipped);
}
/* Returns a key that sorts after all others, or equal to the last: a NaN, or -infinity where keys descend. */
FUNC KEY_T scanrt_sort_last(scanrt_sort_order order) {
  return order.flipped != 0 ? (KEY_T)(KEY_SIGN | order.infinity) : order.negative;
}
#else
/* Returns a key as an unsigned integer of its order, without a branch on the sign, which is unpredictable. */
FUNC KEY_T scanrt_sort_ordered(KEY_T key, scanrt_sort_order order) {
  const KEY_T is_negative = (KEY_T)(0 - (key >> (8 * KEY_BYTES - 1)));
  return (KEY_T)(key ^ order.flipped ^ (is_negative & order.negative));
}
/* Inverts scanrt_sort_ordered. */
FUNC KEY_T scanrt_sort_unordered(KEY_T ordered, scanrt_sort_order order) {
  const KEY_T key = (KEY_T)(ordered ^ order.flipped), is_negative = (KEY_T)(0 - (key >> (8 * KEY_BYTES - 1)));
  return (KEY_T)(key ^ (is_negative & order.negative));
}
#endif
FUNC scanrt_u32 scanrt_sort_digit(KEY_T key, scanrt_sort_order order) {
  return (scanrt_u32)(scanrt_sort_ordered(key, order) >> order.shift) & order.mask;
}
#endif

/* KEY_DIGIT and MOVE_KEY are for keys in global memory. Mesa's compiler (22.3) crashes over copies of structs there. */
#ifdef SORT_WIDE_KEYS
#define SORT_KERNEL(name) KERNEL(sort_wide_##name)
#define KEY_DIGIT(at, order) scanrt_sort_word_digit((at)->word[(order).shift >> 6], order)
#define MOVE_KEY(to, from) scanrt_sort_move_key(to, from)
FUNC void scanrt_sort_move_key(GLOBAL KEY_T *to, GLOBAL const KEY_T *from) {
  to->word[0] = from->word[0];
  to->word[1] = from->word[1];
}
#else
#ifdef SORT_NUMERIC_KEYS
#define SORT_NAME(name) sort_numeric_##name
#define SORT_KERNEL(name) KERNEL(sort_numeric_##name)
#else
#define SORT_NAME(name) sort_##name
#define SORT_KERNEL(name) KERNEL(sort_##name)
#endif
#define KEY_DIGIT(at, order) scanrt_sort_digit(*(at), order)
#define MOVE_KEY(to, from) *(to) = *(from)
#endif

/* ---- the passes that are taken ---- */

#define PLACE_IN 0u
#define PLACE_OUT 1u
#define PLACE_SPARE 2u

typedef struct scanrt_sort_route {
  scanrt_u32 is_taken, is_first, is_last, from, to;
} scanrt_sort_route;

/* Returns the route of a pass. Passes that order are taken. Passes that only move are added from the lowest one on: one
 * if no pass orders, and as many as make the number even where the first pass must not write to the output. The last
 * pass taken writes to the output, the one before it to the spare memory. */
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
  route.is_last = behind == 0;
  route.to = behind % 2 == 0 ? PLACE_OUT : PLACE_SPARE;
  route.from = route.is_first ? PLACE_IN : behind % 2 == 0 ? PLACE_SPARE : PLACE_OUT;
  return route;
}
#define ROUTE_SLOTS() SORT_SLOTS(first_bit, end_bit, (flags & SORT_IN_PLACE) != 0)

/* Writes the routes of all passes, a word each, for the launches that read them (sort.h). */
FUNC void scanrt_sort_routes_write(GLOBAL scanrt_u64 *words, scanrt_u32 orders, scanrt_u32 slots, scanrt_u32 flags) {
  scanrt_u32 odd = 0;
  NO_UNROLL
  for (scanrt_u32 p = 0; p < slots; p++) {
    const scanrt_sort_route route = scanrt_sort_route_of(orders, slots, p, flags);
    const scanrt_u32 moves = (orders >> p & 1) == 0;
    scanrt_u32 word = 0;
    if (route.is_taken)
      word = SORT_ROUTE_TAKEN | (route.is_first ? SORT_ROUTE_FIRST : 0) | (route.is_last ? SORT_ROUTE_LAST : 0) |
             (moves ? SORT_ROUTE_MOVES : 0) | (odd ? SORT_ROUTE_ODD : 0) | route.from << SORT_ROUTE_FROM |
             route.to << SORT_ROUTE_TO;
    words[SORT_WORD_ROUTES + p] = word;
    if (route.is_taken && !moves) odd ^= 1;
  }
}

/* Returns a bit for each pass, 1 if it orders. */
FUNC scanrt_u32 scanrt_sort_orders(GLOBAL const scanrt_u64 *words, scanrt_u32 passes, scanrt_u32 flags) {
  scanrt_u32 orders = 0;
  if ((flags & SORT_SPLIT) != 0) return 1;
  NO_UNROLL
  for (scanrt_u32 p = 0; p < passes; p++) orders |= (scanrt_u32)words[SORT_WORD_ORDERS + p] << p;
  return orders;
}

#define SORT_ROUTE()                                                                                                   \
  scanrt_sort_route_of(                                                                                                \
      scanrt_sort_orders((GLOBAL const scanrt_u64 *)MEMORY(digits), SORT_PASSES(first_bit, end_bit), flags),           \
      ROUTE_SLOTS(), pass, flags)
/* The memory of a place: input, output or spare. */
#define SORT_PLACE(place, in, out, spare) ((place) == PLACE_IN ? (in) : (place) == PLACE_OUT ? (out) : (spare))

/* Declares the variables that kernels of a pass begin with. If the pass is not taken, no tile has keys. */
#define OPEN()                                                                                                         \
  const scanrt_sort_route route = SORT_ROUTE();                                                                        \
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, pass);                               \
  const scanrt_u64 all = route.is_taken ? SORT_N() : 0, first = (scanrt_u64)GROUP() * tile_items;                      \
  const scanrt_u32 items = scanrt_sort_items(first, all, tile_items);                                                  \
  GLOBAL const KEY_T *keys =                                                                                           \
      (GLOBAL const KEY_T *)SORT_PLACE(route.from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)) + first

/* Returns number i of the workspace, of 4 or 8 bytes; a digit's numbers of all tiles are consecutive. */
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
#endif
