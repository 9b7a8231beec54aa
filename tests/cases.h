/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cases.h
 * @brief Lists of cases of the conformance matrix, and the runner that takes plans through a list.
 */
#ifndef SCANRT_TESTS_CASES_H
#define SCANRT_TESTS_CASES_H

#include "guarded.h"
#include "values.h"

enum { CASES_MAX = 1024, CASES_SHIFTS = 17, CASES_POOL_SLACK = 4096 };

/** One launch: how many elements, and how many elements after a 64-byte boundary its buffers start. */
struct scan_case {
  uint64_t n;
  unsigned in_shift, out_shift;
  int in_place;
};

/** A list of launches. */
struct case_list {
  size_t count;
  struct scan_case cases[CASES_MAX];
};

/** Device memory and host images that the whole program uses again and again. */
struct lab {
  scan_ctx *ctx;
  struct guarded guarded;
  scan_mem pool;
  uint64_t pool_bytes;
  unsigned char *pool_host, *pool_read;
  struct rng rng;
  int twins; /* 1: scan_run gets the operators of twin.h, as the plans that are handed in do */
};

/** Adds one case; ignored when n is above max_n. */
void cases_add(struct case_list *list, uint64_t max_n, struct scan_case one);

/** Adds n = 0 to last, aligned, out of place. */
void cases_every(struct case_list *list, uint64_t max_n, uint64_t last);

/** Adds n - 1, n, n + 1. */
void cases_around(struct case_list *list, uint64_t max_n, uint64_t n);

/** Adds every shift of the input, of the output, and of both in place (only when in_place) at n elements. */
void cases_shifts(struct case_list *list, uint64_t max_n, uint64_t n, int in_place);

/** What a row of the matrix is: an accumulator and, where sums widen, the type of the input. */
struct case_row {
  scan_type type, input_type;
};

/** A row as a cmocka test: the including program's test_row. The second: one for each type. */
#define CASE_ROW(TYPE, INPUT)                                                                                          \
  {                                                                                                                    \
#TYPE "<-" #INPUT, test_row, NULL, NULL, &(struct case_row) { TYPE, INPUT }                                        \
  }
#define CASE_ROWS_OF_TYPES                                                                                             \
  CASE_ROW(SCAN_I8, SCAN_TYPE_DEFAULT), CASE_ROW(SCAN_U8, SCAN_TYPE_DEFAULT), CASE_ROW(SCAN_I16, SCAN_TYPE_DEFAULT),   \
      CASE_ROW(SCAN_U16, SCAN_TYPE_DEFAULT), CASE_ROW(SCAN_I32, SCAN_TYPE_DEFAULT),                                    \
      CASE_ROW(SCAN_U32, SCAN_TYPE_DEFAULT), CASE_ROW(SCAN_I64, SCAN_TYPE_DEFAULT),                                    \
      CASE_ROW(SCAN_U64, SCAN_TYPE_DEFAULT), CASE_ROW(SCAN_F32, SCAN_TYPE_DEFAULT),                                    \
      CASE_ROW(SCAN_F64, SCAN_TYPE_DEFAULT)

/** Opens the lab for cases of up to `bytes` bytes of input or output. */
void lab_open(struct lab *lab, scan_ctx *ctx, uint64_t bytes);

/** Frees it. */
void lab_close(struct lab *lab);

/** A plan, and the spec that it was made by. */
struct lab_plan {
  scan_spec spec;
  scan_plan *plan;
};

/**
 * Fills the input pool for the plans, runs the list with each of them (every launch over another part of the pool, the
 * same one for all plans), checks every output, every canary and that the pool was not written. Fails the running test
 * at the first fault. The specs differ in their strategies alone, and one result is expected of all: they are all
 * sequential or none is, and one whose result is not exact (reference_is_exact) comes alone.
 */
void lab_run(struct lab *lab, const struct lab_plan *plans, size_t plan_count, const struct case_list *list);

/** Runs n elements of host memory through scan_run, by each of the plans' specs. Fails the running test at the first
 * fault. */
void lab_run_host(struct lab *lab, const struct lab_plan *plans, size_t plan_count, uint64_t n);

#endif
