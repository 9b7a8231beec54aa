/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts keys alone by vector registers. They are not stable: keys that compare equal must have the same bits. */
#ifndef SCANRT_SIMD_SORT_H
#define SCANRT_SIMD_SORT_H

#include <stdint.h>

#include "device/host/sort/host_sort_loops.h"

/* STEPS: steps that a side of the keys is divided into. SAMPLE: the most keys that ranges are found from. */
enum { SIMD_SORT_STEPS = 2048, SIMD_SORT_SAMPLE = 2048, SIMD_SORT_SAMPLE_BYTES = 2 * 8 * SIMD_SORT_SAMPLE };

/* The most values of keys that find_values finds. */
enum { SIMD_SORT_VALUES = 8 };

/* Ascending ranges of keys, of about as many keys each. The unsigned integers in the keys' order have two sides, up to
 * `middle` and above it, such as negative and positive numbers. A side has steps of equal width: number i begins at
 * low + (i << shift), but the first and the last step also have all integers of the side below and above. */
typedef struct simd_sort_ranges {
  uint64_t middle;
  uint64_t low[2];
  uint32_t shift[2];
  uint8_t range_of[2 * SIMD_SORT_STEPS]; /* for each step, those of the lower side first: below HOST_SORT_DIGITS */
} simd_sort_ranges;

/* The memory of a sort of n keys. `here` and `spare` do not overlap; `from` is `here`, or overlaps neither. */
typedef struct simd_sort_memory {
  const void *from;   /* the keys */
  void *here, *spare; /* memory for n keys each */
  void *to;           /* where the sorted keys go: `here` or `spare` */
} simd_sort_memory;

typedef struct simd_sort {
  uint64_t few_items; /* the most keys that registers hold */
  /* Sorts 1 to few_items keys, to other or the same memory. */
  void (*sort_few)(const host_sort_order *order, const void *from, void *to, uint64_t n);
  /* Sorts keys. Returns 0, with the keys partly sorted, if pivots divided them too unevenly. `depth`: the most times
   * that keys are divided. */
  int (*sort)(const host_sort_order *order, const simd_sort_memory *memory, uint64_t n, uint32_t depth);
  /* Divides keys by a pivot. Returns the number of lower keys, which are in `here`; the others are in the same places
   * of `spare` as in the order of all. Returns n, with all keys in `here`, if none is above the pivot. */
  uint64_t (*divide)(const host_sort_order *order, const simd_sort_memory *memory, uint64_t n);
  /* falls 0: 1 if no key is above the one after it. falls 1: 1 if each key is. */
  int (*is_ordered)(const host_sort_order *order, const void *keys, uint64_t n, int falls);
  /* Stores the values of a sample of n keys, at least few_items, in order. Returns their number; 0 if there are more
   * than SIMD_SORT_VALUES. */
  uint32_t (*find_values)(const host_sort_order *order, const void *keys, uint64_t n, void *values);
  /* Adds the number of keys of each value to counts. Returns 0 if there is a key of another value. */
  int (*count_values)(const void *values, uint32_t value_count, const void *keys, uint64_t n, uint64_t *counts);
  /* Writes n keys of one value. streams: 1 to bypass the caches. */
  void (*fill)(const void *value, void *to, uint64_t n, int streams);
  /* host_sort_loops.vary. */
  host_sort_bits (*vary)(const void *keys, uint64_t n, const void *from);
  /* host_sort_loops.is_total. */
  int (*is_total)(const host_sort_order *order, const void *keys, uint64_t n, host_sort_zeros *zeros);
  /* Finds ranges by a sample of n keys. memory: SIMD_SORT_SAMPLE_BYTES. */
  void (*find_ranges)(const host_sort_order *order, const void *keys, uint64_t n, void *memory,
                      simd_sort_ranges *ranges);
  /* Adds the number of keys of each range to counts. */
  void (*count)(const host_sort_order *order, const simd_sort_ranges *ranges, const void *keys, uint64_t n,
                uint64_t *counts);
  /* Moves each key to its range's next place by whole lines. Ignores the digit. */
  void (*move)(const host_sort_order *order, const simd_sort_ranges *ranges, const host_sort_move *m);
} simd_sort;

extern const simd_sort scan_simd_sort_4_avx2, scan_simd_sort_4_avx512, scan_simd_sort_8_avx512;

#endif
