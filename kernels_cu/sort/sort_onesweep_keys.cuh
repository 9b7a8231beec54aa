/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by onesweep: keys in registers, their digits, and their loads and stores. */
#include "sort/sort_keys.h"

#define WORD_BITS (8 * KEY_BYTES)
/* A key in registers, and a key and its value side by side, if they have one size. */
#if KEY_BYTES == 8
typedef scanrt_u64 onesweep_key;
typedef ulonglong2 onesweep_pair;
#else
typedef scanrt_u32 onesweep_key;
typedef uint2 onesweep_pair;
#endif

/* The digit of a pass, as kernels need it. */
typedef struct onesweep_order {
  onesweep_key flipped, negative; /* as in scanrt_sort_order */
  scanrt_u32 sign;                /* the index of a key's highest bit */
  scanrt_u32 rotated, mask4;      /* for 4 times the digit: the key's rotation, and the mask */
  scanrt_u32 unproved;            /* the number of bits above the digit */
  bool swaps;                     /* the first of a key's two words in memory is the more significant one */
#ifdef SORT_NUMERIC_KEYS
  onesweep_key infinity; /* as in scanrt_sort_order */
#endif
} onesweep_order;

FUNC onesweep_order onesweep_order_of(scanrt_u32 flags, scanrt_u32 first_bit, scanrt_u32 end_bit, scanrt_u32 pass) {
  onesweep_order order;
  const scanrt_u32 shift = first_bit + pass * ONESWEEP_BITS;
  const scanrt_u32 bits = shift >= end_bit ? 0 : end_bit - shift < ONESWEEP_BITS ? end_bit - shift : ONESWEEP_BITS;
  order.sign = (flags & SORT_BYTES) != 0 ? 7 : (flags & SORT_HALVES) != 0 ? 15 : 8 * KEY_BYTES - 1;
  const onesweep_key sign = (onesweep_key)1 << order.sign, rest = sign - 1;
#ifdef SORT_NUMERIC_KEYS
  order.flipped = 0;
  order.infinity = KEY_INFINITY(flags);
  if (KEY_BYTES == 4 && (flags & SORT_HALVES) != 0) order.infinity = (flags & SORT_BRAIN) != 0 ? 0x7f80 : 0x7c00;
#else
  order.flipped = (flags & (SORT_SIGNED | SORT_FLOAT)) != 0 ? sign : 0;
#endif
  order.negative = (flags & SORT_FLOAT) != 0 ? rest : 0;
  if ((flags & SORT_WORDS) != 0 && order.flipped != 0) order.flipped |= KEY_LOW_SIGN;
  if ((flags & SORT_DESCENDING) != 0) order.flipped ^= sign | rest;
  order.swaps = KEY_BYTES == 8 && (flags & SORT_HIGH_FIRST) != 0;
  order.rotated = (shift + WORD_BITS - 2) % WORD_BITS;
  order.mask4 = ((1u << bits) - 1) * 4;
  order.unproved = WORD_BITS - (shift + bits);
  return order;
}

/* Swaps the two words of a key if order.swaps is set; `flipped` is the same for both words. */
FUNC onesweep_key swap_words(onesweep_key key, onesweep_order order) {
#if KEY_BYTES == 8
  if (order.swaps) return key << 32 | key >> 32;
#endif
  return key;
}

#ifdef SORT_NUMERIC_KEYS
/* Keys move unchanged: the integer of their order does not give the key back. */
FUNC onesweep_key flip(onesweep_key key, onesweep_order) { return key; }
FUNC onesweep_key flip_back(onesweep_key key, onesweep_order) { return key; }
/* Returns the unsigned integer of the key's order (scanrt_sort_ordered). */
FUNC onesweep_key ordered(onesweep_key key, onesweep_order order) {
  const onesweep_key magnitude = key & order.negative, is_negative = (onesweep_key)0 - (key >> order.sign);
  const onesweep_key number = (magnitude ^ is_negative) - is_negative + order.infinity;
  return (magnitude > order.infinity ? ~(onesweep_key)0 : number) ^ order.flipped;
}
/* Returns a key that sorts after all others, or equal to the last: a NaN, or -infinity where keys descend. */
FUNC onesweep_key last_key(onesweep_order order) {
  return order.flipped != 0 ? order.infinity | (onesweep_key)1 << order.sign : order.negative;
}
FUNC bool is_flipped(onesweep_order) { return false; }
#else
/* Returns a key as an unsigned integer of its order. */
FUNC onesweep_key flip(onesweep_key key, onesweep_order order) {
  const onesweep_key is_negative = (onesweep_key)0 - (key >> order.sign);
  return swap_words(key ^ order.flipped ^ (is_negative & order.negative), order);
}
/* Inverts flip. */
FUNC onesweep_key flip_back(onesweep_key key, onesweep_order order) {
  const onesweep_key flipped = key ^ order.flipped, is_negative = (onesweep_key)0 - (flipped >> order.sign);
  return swap_words(flipped ^ (is_negative & order.negative), order);
}
/* A flipped key is the unsigned integer of its order; the largest integer sorts after all others, or equal to the
 * last. */
FUNC onesweep_key ordered(onesweep_key flipped, onesweep_order) { return flipped; }
FUNC onesweep_key last_key(onesweep_order order) {
  return ((onesweep_key)1 << order.sign) | (((onesweep_key)1 << order.sign) - 1);
}
FUNC bool is_flipped(onesweep_order order) { return (order.flipped | order.negative) != 0 || order.swaps; }
#endif

/* Returns a key's bits from bit `rotated` on, followed by its lowest ones. */
FUNC scanrt_u32 rotate(onesweep_key key, scanrt_u32 rotated) {
#if KEY_BYTES == 8
  const scanrt_u32 low = (scanrt_u32)key, high = (scanrt_u32)(key >> 32);
  const bool swaps = rotated >= 32;
  return __funnelshift_r(swaps ? high : low, swaps ? low : high, rotated);
#else
  return __funnelshift_r(key, key, rotated);
#endif
}
/* Returns 4 times a key's digit. */
FUNC scanrt_u32 digit4(onesweep_key key, onesweep_order order) {
  return rotate(ordered(key, order), order.rotated) & order.mask4;
}

/* Loads key `at`, of `bytes` bytes in memory. */
FUNC onesweep_key load_key(const KEY_T *keys, scanrt_u32 at, scanrt_u32 bytes) {
  if (KEY_BYTES == 4 && bytes == 1) return LOAD_STREAM((const scanrt_u8 *)keys + at);
  if (KEY_BYTES == 4 && bytes == 2) return LOAD_STREAM((const scanrt_u16 *)keys + at);
  return LOAD_STREAM(keys + at);
}
/* Stores key `at`, of `bytes` bytes in memory. */
FUNC void store_key(KEY_T *keys, scanrt_u32 at, onesweep_key key, scanrt_u32 bytes) {
  if (KEY_BYTES == 4 && bytes == 1)
    ((scanrt_u8 *)keys)[at] = (scanrt_u8)key;
  else if (KEY_BYTES == 4 && bytes == 2)
    ((scanrt_u16 *)keys)[at] = (scanrt_u16)key;
  else
    keys[at] = (KEY_T)key;
}

/* Returns the sum over the lanes up to this one. */
FUNC scanrt_u32 sum_of_lanes(scanrt_u32 own) {
  scanrt_u32 sum = own;
  UNROLL
  for (int d = 1; d < 32; d *= 2) {
    const scanrt_u32 other = scanrt_shuffle_up_u32(sum, d);
    if (ITEM() % 32 >= d) sum += other;
  }
  return sum;
}
