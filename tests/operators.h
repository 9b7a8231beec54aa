/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file operators.h
 * @brief Non-commutative operators from source on structs of 1 to 64 bytes, those of the cases.
 */
#ifndef SCANRT_TESTS_OPERATORS_H
#define SCANRT_TESTS_OPERATORS_H

#include "reference_operator.h"
#include "source.h"
#include "values.h"

enum { OPERATOR_CASES = 8 };

/** Returns operator i of words3, link, affine, bytes3, matrix, digits, longs3 and counted. */
const source_structure *operator_at(size_t i);

/** Returns the operator of this name; ends the program if there is none. */
const source_structure *operator_named(const char *name);

/** Fills n elements. */
void operator_fill(const source_structure *o, struct rng *rng, uint64_t n, void *out);

/** Makes an initial value that is valid for the operator. */
void operator_init(const source_structure *o, struct rng *rng, void *out);

/** A sum whose text uses names of the library: type scan_job of 4 bytes, combine job. */
extern const char operator_names_text[];

#endif
