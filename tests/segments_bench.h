/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file segments_bench.h
 * @brief Sorts by segments against a plain sort of each: what is sorted, where its segments begin, and one run of it.
 */
#ifndef SCANRT_TESTS_SEGMENTS_BENCH_H
#define SCANRT_TESTS_SEGMENTS_BENCH_H

#include <scanrt/scan_sort.h>

#include "reference_sort.h"
#include "sides.h"
#include "support.h"

enum { MOST_N = 1200007, MOST_SEGMENTS = 1500000, BYTES = 40 << 20 };
enum { BY_PLAN = 0, BY_CALL, ON_HOST, WAYS };

/** How long segments are. */
typedef enum lengths {
  OF_ONE,     /* all of `length` */
  OF_UP_TO,   /* 0 to `length`, by chance */
  OF_MIXED,   /* of every size, few of them large, and many empty ones in a row */
  OF_EMPTIES, /* all empty but two, in the middle */
  OF_ALL      /* one of all keys, between empty ones */
} lengths;

typedef struct cell {
  scan_sort_spec spec;
  uint64_t n;
  lengths lengths;
  uint64_t length;
  sort_shape shape;
  int how, in_place, has_n_from;
  uint64_t n_from;
  uint32_t shift;
} cell;

/** Where a run has its memory, in the sides. */
typedef struct places {
  uint64_t n_from, offsets, keys_in, keys_out, in[SCAN_SORT_MOST_ARRAYS], out[SCAN_SORT_MOST_ARRAYS];
} places;

extern struct segments_bench {
  struct rng rng;
  struct side in, out;
  unsigned char *want_in, *want_out;
  uint64_t *offsets;
  uint64_t segments;
  reference_item *items, *spare;
  uint64_t *order; /* where each key of the output was */
} bench;

/** Allocates what it has. */
void segments_bench_open(void);

/** A number below n, by chance; 0 of 0. */
uint64_t segments_below(uint64_t n);

/** Says what was sorted, and fails. */
void segments_fail(const cell *c, const char *why, uint64_t at);

/** A plan; NULL where the device lacks what it takes. */
scan_plan *segments_plan(const cell *c, uint64_t max_n);

/** Offsets from 0 to n, as the cell has them. */
void segments_make(const cell *c);

/** Memory for a run over those offsets, and what it is to be afterwards. */
void segments_take(const cell *c, places *p);
void segments_expect(const cell *c, const places *p);

scan_status segments_run(const cell *c, scan_plan *plan, const places *p);

/** All of that, and compares every byte. */
void segments_check(const cell *c, scan_plan *plan);

#endif
