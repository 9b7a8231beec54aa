/* SPDX-License-Identifier: BSD-2-Clause */
/* Which elements are kept: of the vectors that a lane has, as a bit each; and of one element by itself, from memory,
 * for a tile whose owner does not publish it. Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_KEEP_CUH
#define SCANRT_SELECT_PIPELINED_KEEP_CUH

#if SELECT_BY == SELECT_BY_PREDICATE
#include "select_params.h"
#define KEEP_PARAMETER , const scanrt_keep_params &params
static_assert(sizeof(scanrt_keep_element_t) == SELECT_BYTES, "another element");
#else
#define SEED_PARAMETERS
#define KEEP_PARAMETER
#endif

/* The vectors of a lane, as words. */
typedef struct scanrt_lane_vectors {
  scanrt_u32 word[LANE_VECS * 4];
} scanrt_lane_vectors;

/* The element of a lane's part of a tile that is element k of its vector i. */
#define PART_ITEM(i, k) ((i)*ROW_ITEMS + ITEM() % 32 * VEC_ITEMS + (k))

#if SELECT_BY == SELECT_BY_RUNS
/* Element k of vector i, as it is compared. */
FUNC scanrt_mark_t scanrt_key_of(const scanrt_lane_vectors &x, scanrt_u32 i, scanrt_u32 k) {
#if SELECT_BYTES == 8
  return (scanrt_mark_t)x.word[4 * i + 2 * k + 1] << 32 | x.word[4 * i + 2 * k];
#else
  return (scanrt_mark_t)(x.word[4 * i + k * SELECT_BYTES / 4] >> (k * SELECT_BYTES % 4 * 8));
#endif
}

FUNC scanrt_mark_t scanrt_key_from_lane(scanrt_mark_t key, scanrt_u32 lane) {
#if SELECT_BYTES == 8
  return (scanrt_mark_t)scanrt_shuffle_from_u32((scanrt_u32)(key >> 32), lane) << 32 |
         scanrt_shuffle_from_u32((scanrt_u32)key, lane);
#else
  return (scanrt_mark_t)scanrt_shuffle_from_u32(key, lane);
#endif
}

/* Whether a run begins between two elements, as 0 or 1. */
#define DIFFERS(before, key) ((scanrt_u32)(BEGINS((before), (key)) ? 1 : 0))

/* The first of each run; `tile` is element 0 of the tile in its stage. */
FUNC scanrt_u32 scanrt_keep_first(const scanrt_lane_vectors &x, const scanrt_mark_t *tile, scanrt_u32 number,
                                  scanrt_u32 part) {
  const scanrt_u32 lane = ITEM() % 32, is_first = number == 0 && part == 0 && lane == 0;
  scanrt_mark_t carried = lane == 0 && !is_first ? tile[(scanrt_i32)(part * PART_ITEMS) - 1] : (scanrt_mark_t)0;
  scanrt_u32 bits = 0;
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    const scanrt_mark_t other = scanrt_key_from_lane(scanrt_key_of(x, i, VEC_ITEMS - 1), (lane + 31) % 32);
    scanrt_mark_t before = lane ? other : carried;
    carried = other;
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      bits |= DIFFERS(before, scanrt_key_of(x, i, k)) << (VEC_ITEMS * i + k);
      before = scanrt_key_of(x, i, k);
    }
  }
  return bits | is_first;
}

/* The last of each run, but for element n - 1. */
FUNC scanrt_u32 scanrt_keep_last(const scanrt_lane_vectors &x, const scanrt_mark_t *tile, scanrt_u32 part) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_mark_t carried = lane == 31 ? tile[(part + 1) * PART_ITEMS] : (scanrt_mark_t)0;
  scanrt_u32 bits = 0;
  UNROLL
  for (scanrt_i32 i = LANE_VECS - 1; i >= 0; i--) {
    const scanrt_mark_t other = scanrt_key_from_lane(scanrt_key_of(x, (scanrt_u32)i, 0), (lane + 1) % 32);
    scanrt_mark_t after = lane < 31 ? other : carried;
    carried = other;
    UNROLL
    for (scanrt_i32 k = VEC_ITEMS - 1; k >= 0; k--) {
      const scanrt_mark_t key = scanrt_key_of(x, (scanrt_u32)i, (scanrt_u32)k);
      bits |= DIFFERS(key, after) << (VEC_ITEMS * i + k);
      after = key;
    }
  }
  return bits;
}
#endif

#if SELECT_BY == SELECT_BY_FLAGS
/* `flags` are the part's in the stage. */
FUNC scanrt_u32 scanrt_keep_flags(const scanrt_u8 *flags, scanrt_u32 is_shifted) {
  scanrt_u32 bits = 0;
  if (is_shifted) {
    UNROLL
    for (scanrt_u32 b = 0; b < LANE_ITEMS; b++) bits |= (flags[PART_ITEM(b / VEC_ITEMS, b % VEC_ITEMS)] ? 1u : 0u) << b;
    return bits;
  }
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
#if VEC_ITEMS >= 4
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k += 4) {
      const scanrt_u32 byte4 = *(const scanrt_u32 *)(flags + PART_ITEM(i, k));
      bits |= (BITS_OF_FLAGS(byte4) & 15u) << (VEC_ITEMS * i + k);
    }
#else
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) bits |= (flags[PART_ITEM(i, k)] ? 1u : 0u) << (VEC_ITEMS * i + k);
#endif
  }
  return bits;
}
#endif

#if SELECT_BY == SELECT_BY_BITS
/* `words` are the part's in the stage. */
FUNC scanrt_u32 scanrt_keep_bits(const scanrt_u32 *words) {
  scanrt_u32 bits = 0;
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    const scanrt_u32 e = PART_ITEM(i, 0);
    bits = __funnelshift_r(bits, words[e / 32] >> e % 32, VEC_ITEMS); /* the row's bits come in from above */
  }
  return bits >> (32 - LANE_ITEMS);
}
#endif

#if SELECT_BY == SELECT_BY_PREDICATE
FUNC scanrt_u32 scanrt_keep_predicate(const scanrt_lane_vectors &x, scanrt_u64 first KEEP_PARAMETER) {
  scanrt_u32 bits = 0;
  UNROLL
  for (scanrt_u32 b = 0; b < LANE_ITEMS; b++) {
    const scanrt_u32 i = b / VEC_ITEMS, k = b % VEC_ITEMS;
    scanrt_keep_element_t element;
    scanrt_u32 word[(SELECT_BYTES + 3) / 4];
    UNROLL
    for (scanrt_u32 w = 0; w < (SELECT_BYTES + 3) / 4; w++)
      word[w] = x.word[4 * i + k * SELECT_BYTES / 4 + w] >> (k * SELECT_BYTES % 4 * 8);
    memcpy(&element, word, SELECT_BYTES);
    bits |= (SCAN_SOURCE_KEEP(element, first + PART_ITEM(i, k), params.p) ? 1u : 0u) << b;
  }
  return bits;
}
#endif

/* The bits of a part of a tile in its stage, of which `left` elements are there from the part's first on. */
FUNC scanrt_u32 scanrt_keep_part(const scanrt_pipe &p, const unsigned char *stage, scanrt_u32 tile, scanrt_u32 part,
                                 const scanrt_lane_vectors &x KEEP_PARAMETER) {
  const scanrt_u32 items = scanrt_tile_items(p, tile);
  scanrt_u32 bits;
#if SELECT_BY == SELECT_BY_FLAGS
  bits = scanrt_keep_flags(stage + STAGE_MARKS + p.marks_shift + part * PART_ITEMS, p.marks_shift);
#elif SELECT_BY == SELECT_BY_BITS
  bits = scanrt_keep_bits((const scanrt_u32 *)(stage + STAGE_MARKS + p.marks_shift) + part * (PART_ITEMS / 32));
#elif SELECT_BY == SELECT_BY_RUNS
  const scanrt_mark_t *const keys = (const scanrt_mark_t *)(stage + STAGE_TILE + p.in_shift);
  bits = p.flags & SELECT_LAST ? scanrt_keep_last(x, keys, part) : scanrt_keep_first(x, keys, tile, part);
#else
  bits = scanrt_keep_predicate(x, scanrt_tile_first(p, tile) + part * PART_ITEMS, params);
#endif
  (void)stage, (void)x;
  if (items < (part + 1) * PART_ITEMS ||
      (SELECT_BY == SELECT_BY_RUNS && p.flags & SELECT_LAST && tile + 1 == p.tiles)) {
    NO_UNROLL
    for (scanrt_u32 b = 0; b < LANE_ITEMS; b++) {
      const scanrt_u32 e = part * PART_ITEMS + PART_ITEM(b / VEC_ITEMS, b % VEC_ITEMS);
      if (e >= items) bits &= ~(1u << b);
#if SELECT_BY == SELECT_BY_RUNS
      if (p.flags & SELECT_LAST && e + 1 == items) bits |= 1u << b;
#endif
    }
  }
  return bits;
}

/* Whether element i is kept. */
FUNC scanrt_u32 scanrt_keep_one(const scanrt_pipe &p, scanrt_u64 i KEEP_PARAMETER) {
#if SELECT_BY == SELECT_BY_FLAGS
  return p.marks[i] != 0;
#elif SELECT_BY == SELECT_BY_BITS
  const scanrt_u64 bit = i + SELECT_REDUCES; /* of ends: whether the next one begins a run */
  return (SELECT_REDUCES && bit == p.n) || ((const scanrt_u32 *)p.marks)[bit / 32] >> bit % 32 & 1u;
#elif SELECT_BY == SELECT_BY_RUNS
  const scanrt_mark_t *const keys = (const scanrt_mark_t *)p.in;
  const scanrt_u32 shift = (p.flags & SELECT_LAST) != 0;
  return i + shift == 0 || i + shift == p.n || BEGINS(keys[i + shift - 1], keys[i + shift]);
#else
  return SCAN_SOURCE_KEEP(((const scanrt_keep_element_t *)p.in)[i], i, params.p) != 0;
#endif
}
#endif
