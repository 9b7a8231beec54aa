/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of the segments that the first launch has listed, or of all (sort_segments.h): a work-group sorts one by
 * all its digits in local memory, with one read and one write of keys and values. Larger ones are left to
 * sort_segments_digits.cl.
 *
 * A key's rank among its warp's keys of the same digit is found by votes (sort_votes.h). On CUDA it is what an atomic
 * addition to a counter returns: hardware serves the lanes of a warp in order, which nothing promises. So the sorted
 * segment is proved: keys by all bits, equal ones by their numbers in the unsorted segment. If it is out of order, or
 * if there are no numbers and equal keys may differ, it is sorted by votes, too. */
#include "sort/sort_segments_table.h"

#include "sort/sort_look_keys.h"

#ifndef WARP_BALLOT
#error "segments are sorted by work-groups that exchange by shuffles"
#endif

#define HELD_KEYS ((scanrt_u32)SORT_HELD_KEYS(SCAN_GROUP_ITEMS, KEY_BYTES, VALUE_BYTES))
#define HELD_TILE (HELD_KEYS * SCAN_GROUP_ITEMS)
#ifdef __OPENCL_VERSION__
#define HELD_IS_TRIED 0
#define HELD_MAY_BE_FIRST 0 /* ptxas finds too few registers for predicates in NVIDIA's OpenCL (error C7600) */
#else
#define HELD_IS_TRIED 1 /* by atomic additions, before votes */
#define HELD_MAY_BE_FIRST 1
#endif

typedef struct scanrt_held {
  KEY_T key[HELD_TILE];
  scanrt_sort_ranks ranks;
  scanrt_u32 differ[2]; /* bits in which keys differ */
  scanrt_u32 is_wrong;
#if VALUE_BYTES
  scanrt_u16 number[HELD_TILE]; /* each key's number in the unsorted segment */
#endif
} scanrt_held;

/* The keys of a work-item, or the keys' ranks, in rows of 32 keys of a warp. */
#define HELD_ROWS(u)                                                                                                   \
  RANKS_UNROLL                                                                                                         \
  for (scanrt_u32 u = 0; u < HELD_KEYS; u++)                                                                           \
    if (u >= rows)                                                                                                     \
      break;                                                                                                           \
    else

/* Sets the ranks of a work-item's keys among the warp's keys of their digits. By votes, two rows at once. */
FUNC void scanrt_held_rank(LOCAL scanrt_held *held, const KEY_T *key, scanrt_u32 rows, scanrt_sort_order order,
                           scanrt_u32 votes, scanrt_u32 *rank) {
  LOCAL scanrt_u32 *counter = held->ranks.counter + ITEM() / 32 * SORT_DIGITS;
  if (!votes) {
    HELD_ROWS(u) PACK(rank, u, ATOMIC_ADD_LOCAL(&counter[LOOK_DIGIT(key[u])], 1u));
    return;
  }
  RANKS_UNROLL
  for (scanrt_u32 q = 0; q < HELD_KEYS; q += 2) {
    scanrt_u32 digit[2], found[2];
    if (q >= rows) break;
    UNROLL
    for (scanrt_u32 u = 0; u < 2; u++) digit[u] = LOOK_DIGIT(key[q + u]);
    scanrt_sort_rank_rows(&held->ranks, digit, found, 2);
    UNROLL
    for (scanrt_u32 u = 0; u < 2; u++) PACK(rank, q + u, found[u]);
  }
}

/* Sorts the keys, with their numbers, by one digit. The warps' counters are 0 before and after. */
FUNC void scanrt_held_pass(LOCAL scanrt_held *held, const KEY_T *key, const scanrt_u32 *number, scanrt_u32 rows,
                           scanrt_sort_order order, scanrt_u32 votes) {
  LOCAL scanrt_u32 *begins = held->ranks.counter + ITEM() / 32 * SORT_DIGITS;
  scanrt_u32 rank[PACKED(HELD_KEYS)], count[RANK_WARPS];
  scanrt_held_rank(held, key, rows, order, votes, rank);
  BARRIER();
  const scanrt_u32 total = scanrt_ranks_total(&held->ranks, count);
  (void)scanrt_ranks_begins(&held->ranks, count, total);
  BARRIER();
  HELD_ROWS(u) {
    const scanrt_u32 at = UNPACK(rank, u) + begins[LOOK_DIGIT(key[u])];
    held->key[at] = key[u];
#if VALUE_BYTES
    held->number[at] = (scanrt_u16)UNPACK(number, u);
#endif
  }
  (void)number;
  WARP_BARRIER();
  UNROLL
  for (scanrt_u32 d = 0; d < SORT_DIGITS; d += 32) begins[d + ITEM() % 32] = 0;
  BARRIER();
}

/* Loads the segment's keys as integers of their order. Past the last are pads, which stay there. */
FUNC void scanrt_held_load(GLOBAL const KEY_T *keys, scanrt_u32 own, scanrt_u32 rows, scanrt_u32 items,
                           scanrt_sort_order order, KEY_T *key) {
  HELD_ROWS(u) key[u] = own + u * 32 < items ? keys[own + u * 32] : 0;
  if (LOOK_IS_FLIPPED(order)) { HELD_ROWS(u) key[u] = scanrt_sort_flip(key[u], order); }
  HELD_ROWS(u) {
    if (own + u * 32 >= items) key[u] = LOOK_PAD;
  }
}

/* Returns the bits in which the segment's keys differ from the first one. */
FUNC scanrt_u64 scanrt_held_differ(LOCAL scanrt_held *held, const KEY_T *key, scanrt_u32 own, scanrt_u32 rows,
                                   scanrt_u32 items, scanrt_sort_order order) {
  KEY_T differ = 0;
  if (ITEM() == 0) held->key[0] = LOOK_BITS(key[0]);
  if (ITEM() < 2) held->differ[ITEM()] = 0;
  if (ITEM() == 0) held->is_wrong = 0;
  BARRIER();
  const KEY_T first = held->key[0];
  HELD_ROWS(u) {
    if (own + u * 32 < items) differ |= (KEY_T)(LOOK_BITS(key[u]) ^ first);
  }
  const scanrt_u64 bits = differ;
  if ((scanrt_u32)bits != 0) ATOMIC_OR_LOCAL(&held->differ[0], (scanrt_u32)bits);
  if (bits >> 32 != 0) ATOMIC_OR_LOCAL(&held->differ[1], (scanrt_u32)(bits >> 32));
  (void)order;
  BARRIER();
  return (scanrt_u64)held->differ[1] << 32 | held->differ[0];
}

/* Returns 1, in all work-items, if the sorted segment is out of order. */
FUNC scanrt_u32 scanrt_held_is_wrong(LOCAL scanrt_held *held, scanrt_u32 items, KEY_T bits, scanrt_sort_order order) {
  scanrt_u32 is_wrong = 0;
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i + 1 < items; i += SCAN_GROUP_ITEMS) {
    const KEY_T here = (KEY_T)(LOOK_BITS(held->key[i]) & bits), next = (KEY_T)(LOOK_BITS(held->key[i + 1]) & bits);
    is_wrong |= here > next;
#if VALUE_BYTES
    is_wrong |= here == next && held->number[i] > held->number[i + 1];
#endif
  }
  (void)order;
  if (is_wrong) held->is_wrong = 1;
  BARRIER();
  return held->is_wrong;
}

/* Sorts a segment into the work-group's local memory. Returns 1 if it is out of order. */
FUNC scanrt_u32 scanrt_held_sort(LOCAL scanrt_held *held, GLOBAL const KEY_T *keys, scanrt_u32 items,
                                 scanrt_u32 first_bit, scanrt_u32 end_bit, scanrt_u32 flags, scanrt_u32 votes) {
  const scanrt_sort_order whole = scanrt_sort_look_order(flags, first_bit, end_bit, 0);
  const scanrt_u32 each = items / SCAN_GROUP_ITEMS + (items % SCAN_GROUP_ITEMS != 0);
  const scanrt_u32 rows = each + (votes ? each % 2 : 0);
  /* A hook for tests reverses the lanes. */
  const scanrt_u32 lane = (flags & SORT_TEST_LANES) != 0 && !votes ? ITEM() % 32 ^ 31 : ITEM() % 32;
  const scanrt_u32 own = ITEM() / 32 * (32 * rows) + lane;
  const KEY_T bits = KEY_BITS(first_bit, end_bit);
  KEY_T key[HELD_KEYS];
  scanrt_u32 number[PACKED(HELD_KEYS)], is_first = 1;
  scanrt_held_load(keys, own, rows, items, whole, key);
  HELD_ROWS(u) PACK(number, u, own + u * 32);
  const scanrt_u64 differ = scanrt_held_differ(held, key, own, rows, items, whole);
  NO_UNROLL
  for (scanrt_u32 p = 0; p < SORT_PASSES(first_bit, end_bit); p++) {
    const scanrt_sort_order order = scanrt_sort_look_order(flags, first_bit, end_bit, p);
    if ((differ >> order.shift & order.mask) == 0) continue;
    if (!is_first) {
      HELD_ROWS(u) {
        key[u] = held->key[own + u * 32];
#if VALUE_BYTES
        PACK(number, u, (scanrt_u32)held->number[own + u * 32]);
#endif
      }
      BARRIER();
    }
    is_first = 0;
    scanrt_held_pass(held, key, number, rows, order, votes);
  }
  if (is_first) { /* no digit orders */
    HELD_ROWS(u) {
      held->key[own + u * 32] = key[u];
#if VALUE_BYTES
      held->number[own + u * 32] = (scanrt_u16)(own + u * 32);
#endif
    }
    BARRIER();
  }
  return votes ? 0 : scanrt_held_is_wrong(held, items, bits, whole);
}

#if VALUE_BYTES
/* Moves the values of a sorted segment. In place, all are read before the first is written. */
FUNC void scanrt_held_values(LOCAL const scanrt_held *held, GLOBAL const scanrt_sort_value *values,
                             GLOBAL scanrt_sort_value *values_to, scanrt_u64 begin, scanrt_u32 items,
                             scanrt_u32 makes_values) {
  scanrt_sort_value value[HELD_KEYS];
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < HELD_KEYS; u++) {
    const scanrt_u32 i = u * SCAN_GROUP_ITEMS + ITEM();
    if (i >= items) break;
    value[u] = makes_values ? (scanrt_sort_value)(begin + held->number[i]) : values[begin + held->number[i]];
  }
  BARRIER();
  RANKS_UNROLL
  for (scanrt_u32 u = 0; u < HELD_KEYS; u++) {
    const scanrt_u32 i = u * SCAN_GROUP_ITEMS + ITEM();
    if (i >= items) break;
    values_to[begin + i] = value[u];
  }
}
#endif

SORT_KERNEL(segments_held)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  LOCAL_LARGE(scanrt_held, held);
  const scanrt_segment_table table = SEGMENT_TABLE();
  const scanrt_u32 is_first = HELD_MAY_BE_FIRST && (flags & SORT_HELD_FIRST) != 0;
  const scanrt_u64 all = SORT_N();
  const scanrt_u64 segments =
      is_first ? count
               : scanrt_segment_count(table, SEGMENTS_COUNT_HELD, (scanrt_u32)SEGMENTS_MOST_ROWS(n, step_items));
  const scanrt_sort_order order = scanrt_sort_look_order(flags, first_bit, end_bit, 0);
  const scanrt_u32 votes =
      !HELD_IS_TRIED || (VALUE_BYTES == 0 && (SORT_IS_NUMERIC || KEY_BITS(first_bit, end_bit) != KEY_ALL));
  GLOBAL KEY_T *keys_to = (GLOBAL KEY_T *)MEMORY(out);
  (void)MEMORY(keys_spare), (void)MEMORY(workspace), (void)MEMORY(values_in), (void)MEMORY(values_out);
  (void)MEMORY(values_spare), (void)tile_items, (void)part_tiles, (void)pass;
  if (is_first) { NOTE_N_OVERFLOW(); }
  UNROLL
  for (scanrt_u32 i = 0; i < RANK_COUNTERS; i += SCAN_GROUP_ITEMS) held->ranks.counter[i + ITEM()] = 0;
  NO_UNROLL
  for (scanrt_u64 segment = GROUP(); segment < segments; segment += GROUPS()) {
    const scanrt_u64 begin = is_first ? OFFSET(segment) : table.held[segment * SEGMENTS_HELD_WORDS];
    const scanrt_u64 end = is_first ? OFFSET(segment + 1) : begin + table.held[segment * SEGMENTS_HELD_WORDS + 1];
    const scanrt_u32 items = (scanrt_u32)(end - begin);
    if (end <= begin) continue;
    if (end - begin > part) { /* a row of the table */
      if (is_first && ITEM() == 0) scanrt_segments_list(table, begin, end - begin, n, step_items);
      continue;
    }
    GLOBAL const KEY_T *keys = (GLOBAL const KEY_T *)MEMORY(in) + begin;
    BARRIER();
    if (votes || scanrt_held_sort(held, keys, items, first_bit, end_bit, flags, 0)) {
      BARRIER();
      (void)scanrt_held_sort(held, keys, items, first_bit, end_bit, flags, 1);
    }
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < items; i += SCAN_GROUP_ITEMS)
      keys_to[begin + i] = LOOK_IS_FLIPPED(order) ? scanrt_sort_flip_back(held->key[i], order) : held->key[i];
#if VALUE_BYTES
    scanrt_held_values(held, (GLOBAL const scanrt_sort_value *)MEMORY(values_in),
                       (GLOBAL scanrt_sort_value *)MEMORY(values_out), begin, items, (flags & SORT_INDICES) != 0);
#endif
  }
}
