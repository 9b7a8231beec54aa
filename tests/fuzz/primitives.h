/* SPDX-License-Identifier: BSD-2-Clause */
/** @file primitives.h @brief Primitives as inputs of a fuzzer say them, on the benches of the tests. */
#ifndef SCANRT_TESTS_FUZZ_PRIMITIVES_H
#define SCANRT_TESTS_FUZZ_PRIMITIVES_H

#include "fuzz.h"

enum { PRIMITIVES_MOST_ITEMS = 3000, PRIMITIVES_SIDE_BYTES = 4 << 20 };

void primitives_select(fuzz_input *in);
void primitives_runs(fuzz_input *in);
void primitives_sort(fuzz_input *in);
void primitives_wild(fuzz_input *in);

/** Sizes and alignments of arrays, mostly right. @return 1 where all that are counted are */
int primitives_arrays(fuzz_input *in, uint32_t arrays, uint32_t bytes[8], uint32_t align[8]);

#endif
