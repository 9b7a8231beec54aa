/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file runs_bench.h
 * @brief Run-length encodings and reductions by key over memory with margins, against plain references.
 */
#ifndef SCANRT_TESTS_RUNS_BENCH_H
#define SCANRT_TESTS_RUNS_BENCH_H

#include <scanrt/scan_runs.h>

#include "operators.h"

/** How long runs are: of one key each, of two, of so many on average, one over everything, or by turns. */
enum { RUNS_OF_1 = 1, RUNS_OF_2 = 2, RUNS_WHOLE = 0, RUNS_MIXED = -1 };

/** In what way it is asked for. */
enum { BY_PLAN = 0, BY_CALL = 1, ON_HOST = 2 };

/** An encoding, or a reduction. What is 0 is the default. */
typedef struct runs_cell {
  scan_run_length_spec encode; /**< Where `reduces` is 0. */
  int reduces;
  scan_spec reduce;                   /**< Its custom_op is set by runs_cell_reduce. */
  const struct operator_case *custom; /**< Of custom_op; NULL: built-in. */
  uint64_t n;
  int length; /**< RUNS_*, or the average. */
  int how;
  uint32_t shift;    /**< Elements that each memory begins behind a multiple of 64 bytes. */
  uint64_t capacity; /**< As in the args; SCAN_NO_CAPACITY: outputs are no memory. */
  int spares;        /**< Runs that there is no room for: capacity is that many less than there are, at least 1. */
  int has_n_from;
  uint64_t n_from;
  int no_keys, no_count;
  int counts_n; /**< The count goes to where n comes from. */
} runs_cell;

/** Allocates the memory of both sides. */
void runs_bench_open(uint64_t bytes);

/** From here on what is left to chance follows from the number. */
void runs_bench_seed(uint64_t seed);

/** A plan for the cell's spec. */
scan_plan *runs_bench_plan(const runs_cell *cell, uint64_t max_n);

/** Runs the cell once and fails the test where anything but what was to be written changed, or has another value.
 *  @param plan  of the caller's, for BY_PLAN; else NULL. */
void runs_bench_check(const runs_cell *cell, scan_plan *plan);

#endif
