/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file select_bench.h
 * @brief Compactions over guarded memory against plain loops: what is asked for, and one call of it.
 */
#ifndef SCANRT_TESTS_SELECT_BENCH_H
#define SCANRT_TESTS_SELECT_BENCH_H

#include <scanrt/scan_select.h>

#include "support.h"
#include "values.h"

/** How many elements are kept: none, one, so many of 100, all. Of runs: how long they are. */
enum { KEEPS_ONE = 1000 };

/** In what way it is asked for. */
enum { BY_PLAN = 0, BY_CALL = 1, ON_HOST = 2 };

/** A compaction. What is 0 is the spec's default. */
typedef struct select_cell {
  scan_select_spec spec;
  uint64_t n;
  uint32_t percent; /**< Of the elements are kept, or KEEPS_ONE. */
  int how;
  uint32_t shift;                   /**< Elements that each memory begins behind a multiple of 64 bytes. */
  uint64_t capacity, rest_capacity; /**< As in the args; SCAN_NO_CAPACITY: such outputs are no memory. */
  int keys_in_place;                /**< The keys are in[0]. */
  int has_n_from;                   /**< n comes from the device, */
  uint64_t n_from;                  /**< and is this. */
  /** By a predicate: whether it keeps the element at `x`, of so many bytes, and its parameters. */
  int (*keeps)(const void *x, uint64_t index, const void *params);
  /** By runs and a predicate of two: whether those are of one run. */
  int (*same)(const void *before, const void *x, const void *params);
  uint32_t looked_bytes;
  const void *params;
  int no_count; /**< Nobody asks how many are kept. */
  int counts_n; /**< The count goes to where n comes from. */
} select_cell;

/** Allocates the memory of both sides. */
void select_bench_open(uint64_t bytes);

/** From here on what is left to chance follows from the number. */
void select_bench_seed(uint64_t seed);

/** Runs the cell once and fails the test where anything but what was to be written changed, or has another value.
 *  @param plan  of the caller's, for BY_PLAN; else NULL. */
void select_bench_check(const select_cell *cell, scan_plan *plan);

/** The same with a plan made for the cell's n. */
void select_bench_check_alone(const select_cell *cell);

#endif
