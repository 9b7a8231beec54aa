/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file values.h
 * @brief Seeded inputs whose scans keep changing to the end, and comparison of results.
 */
#ifndef SCANRT_TESTS_VALUES_H
#define SCANRT_TESTS_VALUES_H

#include <scanrt/scan.h>

/** State of the generator (SplitMix64, Steele, Lea and Flood, 2014). Any seed works. */
struct rng {
  uint64_t state;
};

/** Returns 64 random bits. */
uint64_t rng_next(struct rng *rng);

/** Returns a number below `bound`, which must not be 0. */
uint64_t rng_below(struct rng *rng, uint64_t bound);

/** Which floating-point values values_special may give. */
enum {
  VALUES_NAN = 1 << 0,
  VALUES_INF = 1 << 1,
  VALUES_DENORMAL = 1 << 2, /* also numbers whose sums and products may be denormal */
  VALUES_ZERO = 1 << 3      /* both signs, every second element */
};

/**
 * Fills n elements so that scans of about `span` of them do not stop changing: integers over the full range, odd for
 * products, few cleared (set) bits for `and` (`or`); floats normal, signed, of wide exponents, near 1 for products.
 */
void values_fill(struct rng *rng, scan_type type, scan_op_id op, uint64_t span, uint64_t n, void *out);

/** Fills n floats of a type with special values among ordinary ones. @param allowed VALUES_* that may occur. */
void values_special(struct rng *rng, scan_type type, unsigned allowed, uint64_t n, void *out);

/** Compares two int32, for qsort. */
int values_compare(const void *a, const void *b);

/** Returns the index of the first float that differs by more than slack[i], or n. */
uint64_t values_first_far(scan_type type, uint64_t n, const void *got, const void *want, const double *slack);

/** Writes a value and its bits as text. */
void values_text(scan_type type, const void *from, uint64_t i, char *text, size_t text_bytes);

#endif
