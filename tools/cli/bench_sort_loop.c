/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort_loop.c @brief The plain loop that a program would write instead of a sort: a radix sort by
 * digits of 8 bits that skips digits equal in all keys. A file of its own, compiled with -O3 -march=native. */
#include "bench_sort.h"

enum { DIGITS = 256, MOST_DIGITS = 8 };

/** Masks that turn a key's bits into the unsigned integer that it is sorted by: bits to flip in every key, and bits
 * to flip in keys whose highest bit is set. */
typedef struct flip_masks {
  uint64_t always, negative;
} flip_masks;

static flip_masks flip_masks_of(scan_type type) {
  const uint64_t sign = UINT64_C(1) << (8 * scan_type_bytes(type) - 1);
  switch (type) {
  case SCAN_U8:
  case SCAN_U16:
  case SCAN_U32:
  case SCAN_U64: return (flip_masks){ 0, 0 };
  case SCAN_I8:
  case SCAN_I16:
  case SCAN_I32:
  case SCAN_I64: return (flip_masks){ sign, 0 };
  default: return (flip_masks){ sign, sign - 1 };
  }
}

/** Turns the counts of digits into the begin of each. @return 1 if more than one digit value occurs */
static int begin_digits(uint64_t counts[DIGITS], uint64_t n) {
  uint64_t sum = 0;
  int is_needed = 1;
  for (int d = 0; d < DIGITS; d++) {
    const uint64_t count = counts[d];
    if (count == n) is_needed = 0;
    counts[d] = sum;
    sum += count;
  }
  return is_needed;
}

/* Each pass reads the output of the pass before; the last pass writes to the outputs. */
#define ORDER(K, k) (K)((k) ^ always ^ (K)((K)(0 - (K)((k) >> (8 * sizeof(K) - 1))) & negative))
#define LOOP(NAME, K, V, HAS_VALUES)                                                                                   \
  static void NAME(const sorting_loop *l) {                                                                            \
    uint64_t counts[MOST_DIGITS][DIGITS] = { { 0 } };                                                                  \
    unsigned needed[MOST_DIGITS], passes = 0;                                                                          \
    const unsigned first = l->first_bit, digits = (l->end_bit - first + 7) / 8;                                        \
    const uint64_t top = (DIGITS - 1u) >> (8 * digits - (l->end_bit - first)); /* mask of the highest digit */         \
    const flip_masks flip = flip_masks_of(l->key_type);                                                                \
    const K always = (K)(l->descending ? ~flip.always : flip.always), negative = (K)flip.negative;                     \
    const K *from = (const K *)l->keys_in;                                                                             \
    const V *values = (const V *)l->values_in;                                                                         \
    const uint64_t n = l->n;                                                                                           \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const uint64_t key = (uint64_t)ORDER(K, from[i]) >> first;                                                       \
      for (unsigned d = 0; d + 1 < digits; d++) counts[d][key >> 8 * d & 255]++;                                       \
      counts[digits - 1][key >> 8 * (digits - 1) & top]++;                                                             \
    }                                                                                                                  \
    for (unsigned d = 0; d < digits; d++)                                                                              \
      if (begin_digits(counts[d], n)) needed[passes++] = d;                                                            \
    if (passes == 0) needed[passes++] = 0; /* copies the keys if no pass is needed */                                  \
    for (unsigned p = 0; p < passes; p++) {                                                                            \
      const int is_last = (passes - 1 - p) % 2 == 0;                                                                   \
      K *to = (K *)(is_last ? l->keys_out : l->keys);                                                                  \
      V *values_to = (V *)(is_last ? l->values_out : l->values);                                                       \
      uint64_t *digit_starts = counts[needed[p]];                                                                      \
      const unsigned shift = first + 8 * needed[p];                                                                    \
      const uint64_t mask = needed[p] == digits - 1 ? top : DIGITS - 1;                                                \
      for (uint64_t i = 0; i < n; i++) {                                                                               \
        const uint64_t at = digit_starts[(uint64_t)ORDER(K, from[i]) >> shift & mask]++;                               \
        to[at] = from[i];                                                                                              \
        if (HAS_VALUES) values_to[at] = values ? values[i] : (V)i;                                                     \
      }                                                                                                                \
      from = to;                                                                                                       \
      values = values_to;                                                                                              \
    }                                                                                                                  \
  }
#define LOOPS(NAME, K)                                                                                                 \
  LOOP(NAME##_keys, K, uint32_t, 0)                                                                                    \
  LOOP(NAME##_pairs4, K, uint32_t, 1)                                                                                  \
  LOOP(NAME##_pairs8, K, uint64_t, 1)                                                                                  \
  static void NAME(const sorting_loop *l) {                                                                            \
    if (l->value_bytes == 0)                                                                                           \
      NAME##_keys(l);                                                                                                  \
    else if (l->value_bytes == 4)                                                                                      \
      NAME##_pairs4(l);                                                                                                \
    else                                                                                                               \
      NAME##_pairs8(l);                                                                                                \
  }
LOOPS(sort_u8, uint8_t)
LOOPS(sort_u16, uint16_t)
LOOPS(sort_u32, uint32_t)
LOOPS(sort_u64, uint64_t)

#define COUNT(NAME, K)                                                                                                 \
  static void NAME(const sorting_loop *l, uint64_t *counts) {                                                          \
    const flip_masks flip = flip_masks_of(l->key_type);                                                                \
    const K always = (K)(l->descending ? ~flip.always : flip.always), negative = (K)flip.negative;                     \
    const uint64_t mask = ((uint64_t)1 << (l->end_bit - l->first_bit)) - 1;                                            \
    const K *keys = (const K *)l->keys_in;                                                                             \
    for (uint64_t b = 0; b <= mask; b++) counts[b] = 0;                                                                \
    for (uint64_t i = 0; i < l->n; i++) counts[(uint64_t)ORDER(K, keys[i]) >> l->first_bit & mask]++;                  \
  }
COUNT(count_u8, uint8_t)
COUNT(count_u16, uint16_t)
COUNT(count_u32, uint32_t)
COUNT(count_u64, uint64_t)

void sorting_loop_count(const sorting_loop *loop, uint64_t *counts) {
  switch (scan_type_bytes(loop->key_type)) {
  case 1: count_u8(loop, counts); break;
  case 2: count_u16(loop, counts); break;
  case 4: count_u32(loop, counts); break;
  default: count_u64(loop, counts); break;
  }
}

void sorting_loop_run(const sorting_loop *loop) {
  switch (scan_type_bytes(loop->key_type)) {
  case 1: sort_u8(loop); break;
  case 2: sort_u16(loop); break;
  case 4: sort_u32(loop); break;
  default: sort_u64(loop); break;
  }
}
