/* SPDX-License-Identifier: BSD-2-Clause */
/** @file functions.h @brief What functions of an application decide, as inputs of a fuzzer say it. */
#ifndef SCANRT_TESTS_FUZZ_FUNCTIONS_H
#define SCANRT_TESTS_FUZZ_FUNCTIONS_H

#include "fuzz.h"
#include "values.h"

enum { FUNCTIONS_MOST_ITEMS = 5000 };

void functions_scan(fuzz_input *in);
void functions_partition(fuzz_input *in);
void functions_split(fuzz_input *in);

/** n elements of any bytes, `shift` elements behind a multiple of 16 bytes. */
fuzz_memory functions_random(struct rng *rng, uint64_t n, uint64_t item_bytes, uint64_t shift);

/** Fails where the memory is not what it should be, or what lies before it has changed. */
void functions_check(const fuzz_memory *memory, const void *want, const char *what);

#endif
