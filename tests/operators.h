/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file operators.h
 * @brief Operators from source for the tests: of every kind of size, none of them commutative.
 */
#ifndef SCANRT_TESTS_OPERATORS_H
#define SCANRT_TESTS_OPERATORS_H

#include "reference_operator.h"
#include "values.h"

/** What an operator is asked to show. */
struct operator_case {
  const char *name;
  scan_op_source source; /* with identity and host */
  int rounds;            /* floating point: the bits depend on the order */
  /** Elements from `first` on of a sequence; -1 is for `init`. */
  void (*fill)(struct rng *rng, uint64_t n, void *out);
  void (*init)(struct rng *rng, void *out);
};

enum { OPERATOR_CASES = 8 };
extern const struct operator_case operator_cases[OPERATOR_CASES];

/** The one of that name; ends the program where there is none. */
const struct operator_case *operator_case_named(const char *name);

/** A link of a chain: combine counts in `bad` what is not the next link after a, or no link. */
typedef struct operator_link {
  uint32_t first, next, bad, tag;
} operator_link;
enum { OPERATOR_LINK_TAG = 0x600d };

/** A sum, by names of the library's own: type scan_job of 4 bytes, combine job. */
extern const char operator_names_text[];

/** The text of the links' operator; "%s" takes a statement that is run whenever an operand is illegal. */
extern const char operator_link_text[];

#endif
