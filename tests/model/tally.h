/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of a test over models, which are printed at its end. */
#ifndef SCANRT_TESTS_MODEL_TALLY_H
#define SCANRT_TESTS_MODEL_TALLY_H

#include <stdint.h>

/* A model was right, with so many states and steps. */
void tally_add(uint64_t states, uint64_t steps);

/* Set-up and teardown of a test. */
int tally_begin(void **state);
int tally_end(void **state);

#define TALLIED(function) cmocka_unit_test_setup_teardown(function, tally_begin, tally_end)

#endif
