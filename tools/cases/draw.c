/* SPDX-License-Identifier: BSD-2-Clause */
/** @file draw.c @brief The source of numbers from which a case is drawn. */
#include "data.h"
#include "parts.h"

/** Reads a little-endian number, of as many bytes as n - 1 needs. */
static uint64_t draw_bytes(case_draw *d, uint64_t n) {
  uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && (n - 1) >> shift && d->left; shift += 8, d->left--)
    number |= (uint64_t)*d->bytes++ << shift;
  return number;
}

uint64_t draw_below(case_draw *d, uint64_t n) {
  return (d->bytes ? draw_bytes(d, n) : data_bits(d->seed, d->drawn++)) % n;
}

int draw_one_in(case_draw *d, uint64_t n) { return draw_below(d, n) == n - 1; }

uint64_t case_enlarge(const case_limits *limits, uint64_t n, case_draw *d) {
  uint64_t powers = 1;
  if (limits->small && draw_below(d, 8)) return n % CASE_FEW;
  if (!limits->largest || draw_below(d, CASE_LARGE_IN)) return n;
  while ((uint64_t)CASE_LEAST_LARGEST << powers <= limits->largest) powers++;
  return 1 + draw_below(d, (uint64_t)CASE_LEAST_LARGEST << draw_below(d, powers));
}

uint64_t case_draw_capacity(case_draw *d, uint64_t n) { return n == 0 || draw_below(d, 2) ? 0 : 1 + draw_below(d, n); }
