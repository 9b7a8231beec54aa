/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file composites.h
 * @brief For each composite: elements that show mistakes, and what its scan must give by plain mathematics.
 *
 * The checks know nothing of the library's text. Where a composite rounds, the error that they allow is a bound that
 * holds for the canonical order, whatever the elements; see composites.c.
 */
#ifndef SCANRT_TESTS_COMPOSITES_H
#define SCANRT_TESTS_COMPOSITES_H

#include <scanrt/scan_composite.h>

#include "values.h"

/** One composite. */
struct composite_case {
  scan_composite which;
  int is_exact; /* the same bits in any order */
  /** n elements. */
  void (*fill)(struct rng *rng, uint64_t n, void *out);
  /** Index of the first wrong element of an inclusive scan, or n. @param depth  additions that an element may go
   * through. */
  uint64_t (*check)(uint64_t n, const void *in, const void *out, double depth);
  /** How far two orders of three elements may be apart, as 0 (the same) or less: within the bound. */
  int (*is_close)(const void *three, const void *left_first, const void *right_first);
};

enum { COMPOSITE_CASES = 20 };
extern const struct composite_case composite_cases[COMPOSITE_CASES];

#endif
