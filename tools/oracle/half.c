/* SPDX-License-Identifier: BSD-2-Clause */
/** @file half.c @brief Conversions of binary16 and bfloat16. */
#include "half.h"

#include <math.h>

/* binary16 has 10 fraction bits and 5 exponent bits, bfloat16 has 7 and 8. */
static int fraction_bits(scan_type type) { return type == SCAN_F16 ? 10 : 7; }
static int bias_of(scan_type type) { return type == SCAN_F16 ? 15 : 127; }

int half_is(scan_type type) { return type == SCAN_F16 || type == SCAN_BF16; }

double half_value(scan_type type, uint16_t bits) {
  const int fraction = fraction_bits(type), bias = bias_of(type);
  const int exponent = (bits & 0x7fff) >> fraction, rest = bits & ((1 << fraction) - 1);
  double value = exponent ? ldexp(1 + ldexp(rest, -fraction), exponent - bias) : ldexp(rest, 1 - bias - fraction);
  if (exponent == 2 * bias + 1) value = rest ? (double)NAN : (double)INFINITY;
  return bits & 0x8000 ? -value : value;
}

uint16_t half_nearest(scan_type type, double value) {
  const int fraction = fraction_bits(type), bias = bias_of(type), infinity = (2 * bias + 1) << fraction;
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  int exponent;
  if (isnan(value)) return (uint16_t)(sign | infinity | 1 << (fraction - 1));
  if (isinf(value)) return (uint16_t)(sign | infinity);
  (void)frexp(fabs(value), &exponent); /* |value| is from 0.5 to 1, times 2^exponent */
  const int least = 1 - bias;
  if (value == 0 || exponent - 1 < least) exponent = least + 1;
  /* In units of the last bit: at most 2^(fraction + 1), the first value of the next exponent. */
  const int units = (int)nearbyint(ldexp(fabs(value), fraction - (exponent - 1)));
  if (exponent - 1 > bias) return (uint16_t)(sign | infinity);
  const int bits = ((exponent - 1 - least) << fraction) + units;
  return (uint16_t)(sign | (bits < infinity ? bits : infinity));
}
