/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file sort_bench.h
 * @brief Sorts, splits and histograms over memory with margins against the reference: what is asked for, and one call
 * of it.
 */
#ifndef SCANRT_TESTS_SORT_BENCH_H
#define SCANRT_TESTS_SORT_BENCH_H

#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>

#include "reference_sort.h"
#include "support.h"

/** In what way it is asked for; the last two read the host's memory and write the device's, and the other way round. */
enum { BY_PLAN = 0, BY_CALL = 1, ON_HOST = 2, FROM_HOST = 3, TO_HOST = 4, SORT_WAYS = 5 };

/** Bits of sort_cell.in_place: the keys, array a, all. */
enum { SORT_KEYS_OVER = 1, SORT_ARRAY_OVER = 2, SORT_ALL_OVER = (1 << (1 + SCAN_SORT_MOST_ARRAYS)) - 1 };

/** What is called. Splits and histograms are by the bits of the spec, and a histogram has no memory but its keys'. */
typedef enum sort_call { CALL_SORT = 0, CALL_SPLIT, CALL_HISTOGRAM } sort_call;

/** A sort, or what `call` says. What is 0 is the spec's default. */
typedef struct sort_cell {
  scan_sort_spec spec;
  sort_call call;
  uint64_t n;
  sort_shape shape;
  uint32_t digit;
  int how;
  uint32_t shift;    /**< Elements that each memory begins behind a multiple of 64 bytes. */
  uint32_t in_place; /**< What is written over what is read: SORT_KEYS_OVER, SORT_ARRAY_OVER << a. */
  int has_n_from;    /**< n comes from the device, */
  uint64_t n_from;   /**< and is this. */
} sort_cell;

/** Allocates the memory of both sides, for sorts of so many keys at most. */
void sort_bench_open(uint64_t bytes, uint64_t most_n);

/** From here on what is left to chance follows from the number. */
void sort_bench_seed(uint64_t seed);

/** A plan for the cell's spec, or what the library says of it. */
scan_status sort_bench_plan_for(const sort_cell *cell, uint64_t max_n, scan_plan **plan);

/** A plan for the cell's spec; NULL where the device cannot sort that, which is counted as skipped. */
scan_plan *sort_bench_plan(const sort_cell *cell, uint64_t max_n);

/** Runs the cell once and fails the test where anything but what was to be written changed, or has another value.
 *  @param plan  of the caller's, for BY_PLAN; else NULL. */
void sort_bench_check(const sort_cell *cell, scan_plan *plan);

/** n keys of the cell's type and shape. */
void sort_bench_keys(const sort_cell *cell, unsigned char *keys);

#endif
