/* SPDX-License-Identifier: BSD-2-Clause */
/** @file draw.c @brief The numbers that a case is drawn from. */
#include "draw.h"
#include "data.h"

/** A little-endian number of as many bytes as a number below n needs. */
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
