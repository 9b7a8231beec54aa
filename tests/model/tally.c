/* SPDX-License-Identifier: BSD-2-Clause */
#include "tally.h"

#include <string.h>

#include "support.h"

static struct { uint64_t models, states, steps, largest; } sum;

void tally_add(uint64_t states, uint64_t steps) {
  sum.models++;
  sum.states += states;
  sum.steps += steps;
  if (states > sum.largest) sum.largest = states;
}

int tally_begin(void **state) {
  memset(&sum, 0, sizeof sum);
  return test_count_setup(state);
}

int tally_end(void **state) {
  (void)state;
  print_message("%llu models, %llu states, %llu steps; the largest %llu states\n", (unsigned long long)sum.models,
                (unsigned long long)sum.states, (unsigned long long)sum.steps, (unsigned long long)sum.largest);
  return 0;
}
