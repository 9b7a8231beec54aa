/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file composites.h
 * @brief For each composite: test elements that expose mistakes, and a check of its scan by plain mathematics.
 *
 * The checks share no code with the library. If a composite rounds, the allowed error is a bound for the canonical
 * order and any elements; see composites.c.
 */
#ifndef SCANRT_TESTS_COMPOSITES_H
#define SCANRT_TESTS_COMPOSITES_H

#include <scanrt/scan_composite.h>

#include "values.h"

/** One composite. */
struct composite_case {
  scan_composite which;
  int is_exact; /* 1 if all orders give the same bits */
  /** Writes n elements. */
  void (*fill)(struct rng *rng, uint64_t n, void *out);
  /** Returns the index of the first wrong element of an inclusive scan, or n. @param depth  the most additions on an
   * element's path */
  uint64_t (*check)(uint64_t n, const void *in, const void *out, double depth);
  /** 1 if the results of two orders of three elements differ by no more than the bound. NULL for an exact composite. */
  int (*is_close)(const void *three, const void *left_first, const void *right_first);
};

enum { COMPOSITE_CASES = 30 };
extern const struct composite_case composite_cases[COMPOSITE_CASES];

#endif
