/* SPDX-License-Identifier: BSD-2-Clause */
/* The bits of kept elements: of a lane's vectors, and of a single element in memory for a tile whose owner does not
 * publish it. Neighbours are keys, or elements that a predicate of two compares. Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_KEEP_CUH
#define SCANRT_SELECT_PIPELINED_KEEP_CUH

#if SELECT_BY == SELECT_BY_PREDICATE
#include "select/select_params.h"
#define KEEP_PARAMETER , const scanrt_keep_params &params
static_assert(sizeof(scanrt_keep_element_t) == SELECT_BYTES, "another element");
#else
#define SEED_PARAMETERS
#define KEEP_PARAMETER
#endif

/* A lane's vectors, as words. */
typedef struct scanrt_lane_vectors {
  scanrt_u32 word[LANE_VECS * 4];
} scanrt_lane_vectors;

FUNC void scanrt_vector_load(const uint4 *from, scanrt_u32 word[4]) {
  const uint4 v = *from;
  word[0] = v.x, word[1] = v.y, word[2] = v.z, word[3] = v.w;
}

/* The index in the part of element k of the lane's vector i. */
#define PART_ITEM(i, k) ((i)*ROW_ITEMS + ITEM() % 32 * VEC_ITEMS + (k))

#if SELECT_BY == SELECT_BY_PREDICATE
#define ELEMENT_WORDS ((SELECT_BYTES + 3) / 4)

/* Returns element k of vector i. */
FUNC scanrt_keep_element_t scanrt_element_of(const scanrt_lane_vectors &x, scanrt_u32 i, scanrt_u32 k) {
  scanrt_keep_element_t element;
  scanrt_u32 word[ELEMENT_WORDS];
  UNROLL
  for (scanrt_u32 w = 0; w < ELEMENT_WORDS; w++)
    word[w] = x.word[4 * i + k * SELECT_BYTES / 4 + w] >> (k * SELECT_BYTES % 4 * 8);
  memcpy(&element, word, SELECT_BYTES);
  return element;
}
#endif

#if LOOKS_BESIDE && SELECT_BY == SELECT_BY_PREDICATE
typedef scanrt_keep_element_t scanrt_key;
FUNC scanrt_key scanrt_key_of(const scanrt_lane_vectors &x, scanrt_u32 i, scanrt_u32 k) {
  return scanrt_element_of(x, i, k);
}

FUNC scanrt_key scanrt_key_from_lane(scanrt_key key, scanrt_u32 lane) {
  scanrt_u32 word[ELEMENT_WORDS] = { 0 };
  memcpy(word, &key, SELECT_BYTES);
  UNROLL
  for (scanrt_u32 w = 0; w < ELEMENT_WORDS; w++) word[w] = scanrt_shuffle_from_u32(word[w], lane);
  memcpy(&key, word, SELECT_BYTES);
  return key;
}

#define IS_START_BETWEEN(before, key) SCAN_SOURCE_KEEP((before), (key), params.p)
#elif LOOKS_BESIDE
typedef scanrt_mark_t scanrt_key;
/* Returns element k of vector i as a key. */
FUNC scanrt_key scanrt_key_of(const scanrt_lane_vectors &x, scanrt_u32 i, scanrt_u32 k) {
#if SELECT_BYTES == 8
  return (scanrt_mark_t)x.word[4 * i + 2 * k + 1] << 32 | x.word[4 * i + 2 * k];
#else
  return (scanrt_mark_t)(x.word[4 * i + k * SELECT_BYTES / 4] >> (k * SELECT_BYTES % 4 * 8));
#endif
}

FUNC scanrt_key scanrt_key_from_lane(scanrt_key key, scanrt_u32 lane) {
#if SELECT_BYTES == 8
  return (scanrt_mark_t)scanrt_shuffle_from_u32((scanrt_u32)(key >> 32), lane) << 32 |
         scanrt_shuffle_from_u32((scanrt_u32)key, lane);
#else
  return (scanrt_mark_t)scanrt_shuffle_from_u32(key, lane);
#endif
}

#define IS_START_BETWEEN(before, key) IS_START((before), (key))
#endif

#if LOOKS_BESIDE
/* 1 if a run begins between two elements, else 0. */
#define DIFFERS(before, key) ((scanrt_u32)(IS_START_BETWEEN((before), (key)) ? 1 : 0))

/* Returns the bits of runs' first elements. `tile` is element 0 of the tile in its stage. */
FUNC scanrt_u32 scanrt_keep_first(const scanrt_lane_vectors &x, const scanrt_key *tile, scanrt_u32 number,
                                  scanrt_u32 part KEEP_PARAMETER) {
  const scanrt_u32 lane = ITEM() % 32, is_first = number == 0 && part == 0 && lane == 0;
  scanrt_key carried = scanrt_key_of(x, 0, 0);
  if (lane == 0 && !is_first) carried = tile[(scanrt_i32)(part * PART_ITEMS) - 1];
  scanrt_u32 bits = 0;
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    const scanrt_key other = scanrt_key_from_lane(scanrt_key_of(x, i, VEC_ITEMS - 1), (lane + 31) % 32);
    scanrt_key before = lane ? other : carried;
    carried = other;
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      bits |= DIFFERS(before, scanrt_key_of(x, i, k)) << (VEC_ITEMS * i + k);
      before = scanrt_key_of(x, i, k);
    }
  }
  return bits | is_first;
}

/* Returns the bits of runs' last elements, but for element n - 1. */
FUNC scanrt_u32 scanrt_keep_last(const scanrt_lane_vectors &x, const scanrt_key *tile, scanrt_u32 part KEEP_PARAMETER) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_key carried = scanrt_key_of(x, 0, 0);
  if (lane == 31) carried = tile[(part + 1) * PART_ITEMS];
  scanrt_u32 bits = 0;
  UNROLL
  for (scanrt_i32 i = LANE_VECS - 1; i >= 0; i--) {
    const scanrt_key other = scanrt_key_from_lane(scanrt_key_of(x, (scanrt_u32)i, 0), (lane + 1) % 32);
    scanrt_key after = lane < 31 ? other : carried;
    carried = other;
    UNROLL
    for (scanrt_i32 k = VEC_ITEMS - 1; k >= 0; k--) {
      const scanrt_key key = scanrt_key_of(x, (scanrt_u32)i, (scanrt_u32)k);
      bits |= DIFFERS(key, after) << (VEC_ITEMS * i + k);
      after = key;
    }
  }
  return bits;
}
#endif

#if SELECT_BY == SELECT_BY_FLAGS
/* Returns the bits of a part, whose flags are in the stage. */
FUNC scanrt_u32 scanrt_keep_flags(const scanrt_u8 *flags, scanrt_u32 is_shifted) {
  scanrt_u32 bits = 0;
  if (is_shifted) {
    UNROLL
    for (scanrt_u32 b = 0; b < LANE_ITEMS; b++) bits |= (flags[PART_ITEM(b / VEC_ITEMS, b % VEC_ITEMS)] ? 1u : 0u) << b;
    return bits;
  }
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    if (VEC_ITEMS >= 4) {
      UNROLL
      for (scanrt_u32 k = 0; k < VEC_ITEMS; k += 4) {
        const scanrt_u32 byte4 = *(const scanrt_u32 *)(flags + PART_ITEM(i, k));
        bits |= (BITS_OF_FLAGS(byte4) & 15u) << (VEC_ITEMS * i + k);
      }
    } else {
      UNROLL
      for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) bits |= (flags[PART_ITEM(i, k)] ? 1u : 0u) << (VEC_ITEMS * i + k);
    }
  }
  return bits;
}
#endif

#if SELECT_BY == SELECT_BY_BITS && !SELECT_ALONE
/* Returns the bit of element i. */
FUNC scanrt_u32 scanrt_starts_at(const scanrt_pipe &p, scanrt_u64 i) {
  return ((const scanrt_u32 *)p.marks)[i / 32] >> i % 32 & 1u;
}
#endif

#if SELECT_BY == SELECT_BY_BITS
FUNC const scanrt_u32 *scanrt_part_bits(const scanrt_pipe &p, const unsigned char *stage, scanrt_u32 part) {
  return (const scanrt_u32 *)(stage + STAGE_MARKS + p.marks_shift) + part * (PART_ITEMS / 32);
}

/* Returns the bits of a part, whose words are in the stage. */
FUNC scanrt_u32 scanrt_keep_bits(const scanrt_u32 *words) {
  scanrt_u32 bits = 0;
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    const scanrt_u32 e = PART_ITEM(i, 0);
    bits = __funnelshift_r(bits, words[e / 32] >> e % 32, VEC_ITEMS); /* the row's bits are shifted in from above */
  }
  return bits >> (32 - LANE_ITEMS);
}
#endif

#if SELECT_BY == SELECT_BY_PREDICATE && !LOOKS_BESIDE
FUNC scanrt_u32 scanrt_keep_predicate(const scanrt_lane_vectors &x, scanrt_u64 first KEEP_PARAMETER) {
  scanrt_u32 bits = 0;
  UNROLL
  for (scanrt_u32 b = 0; b < LANE_ITEMS; b++) {
    const scanrt_u32 i = b / VEC_ITEMS, k = b % VEC_ITEMS;
    bits |= (SCAN_SOURCE_KEEP(scanrt_element_of(x, i, k), first + PART_ITEM(i, k), params.p) ? 1u : 0u) << b;
  }
  return bits;
}
#endif

/* Returns the bits of those elements of a part that exist, in a tile of `items` elements. */
FUNC scanrt_u32 scanrt_part_existing(scanrt_u32 bits, scanrt_u32 items, scanrt_u32 part) {
  if (items < (part + 1) * PART_ITEMS) NO_UNROLL
  for (scanrt_u32 b = 0; b < LANE_ITEMS; b++)
    if (part * PART_ITEMS + PART_ITEM(b / VEC_ITEMS, b % VEC_ITEMS) >= items) bits &= ~(1u << b);
  return bits;
}

/* Returns the bits of those elements of a part that exist; its tile is in its stage. */
FUNC scanrt_u32 scanrt_keep_part(const scanrt_pipe &p, const unsigned char *stage, scanrt_u32 tile, scanrt_u32 part,
                                 const scanrt_lane_vectors &x KEEP_PARAMETER) {
  const scanrt_u32 items = scanrt_tile_items(p, tile);
  scanrt_u32 bits;
#if SELECT_BY == SELECT_BY_FLAGS
  bits = scanrt_keep_flags(stage + STAGE_MARKS + p.marks_shift + part * PART_ITEMS, p.marks_shift);
#elif SELECT_BY == SELECT_BY_BITS
  bits = scanrt_keep_bits(scanrt_part_bits(p, stage, part));
#elif LOOKS_BESIDE
  const scanrt_key *const keys = (const scanrt_key *)(stage + STAGE_TILE + p.in_shift);
  bits = p.flags & SELECT_LAST ? scanrt_keep_last(x, keys, part PREDICATE_PARAMETER)
                               : scanrt_keep_first(x, keys, tile, part PREDICATE_PARAMETER);
#else
  bits = scanrt_keep_predicate(x, scanrt_tile_first(p, tile) + part * PART_ITEMS, params);
#endif
  (void)stage, (void)x;
  bits = scanrt_part_existing(bits, items, part);
  if (LOOKS_BESIDE && p.flags & SELECT_LAST && tile + 1 == p.tiles) NO_UNROLL
  for (scanrt_u32 b = 0; b < LANE_ITEMS; b++)
    if (part * PART_ITEMS + PART_ITEM(b / VEC_ITEMS, b % VEC_ITEMS) + 1 == items) bits |= 1u << b;
  return bits;
}

/* Returns 1 if element i is kept. */
FUNC scanrt_u32 scanrt_keep_one(const scanrt_pipe &p, scanrt_u64 i KEEP_PARAMETER) {
#if SELECT_BY == SELECT_BY_FLAGS
  return p.marks[i] != 0;
#elif SELECT_BY == SELECT_BY_BITS
  const scanrt_u64 bit = i + SELECT_REDUCES; /* for ends: the bit that says whether the next element begins a run */
  return (SELECT_REDUCES && bit == p.n) || scanrt_starts_at(p, bit);
#elif LOOKS_BESIDE
  const scanrt_key *const keys = (const scanrt_key *)p.in;
  const scanrt_u32 shift = (p.flags & SELECT_LAST) != 0;
  return i + shift == 0 || i + shift == p.n || DIFFERS(keys[i + shift - 1], keys[i + shift]);
#else
  return SCAN_SOURCE_KEEP(((const scanrt_keep_element_t *)p.in)[i], i, params.p) != 0;
#endif
}
#endif
