/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of a test over models, which are printed when it ends. */
#ifndef SCANRT_TESTS_MODEL_TALLY_H
#define SCANRT_TESTS_MODEL_TALLY_H

#include <stdint.h>

/* Counts a model that was right, with its states and steps. */
void tally_add(uint64_t states, uint64_t steps);

/* Set-up of a test. */
int tally_begin(void **state);
/* Teardown of a test: prints the counts. */
int tally_end(void **state);

#define TALLIED(function) cmocka_unit_test_setup_teardown(function, tally_begin, tally_end)

#endif
