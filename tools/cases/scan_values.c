/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_values.c @brief Floating-point elements of scans that test rounding, overflow and comparisons. */
#include "data.h"
#include "reference.h"
#include "scan_parts.h"

#include <math.h>
#include <string.h>

/** Limits of a type's exponents. Sums of numbers up to 2^wide neither overflow nor are denormal. */
typedef struct exponents {
  int wide, most, least; /**< `most`: exponent of the largest number; `least`: of the smallest denormal. */
} exponents;

static exponents exponents_of(scan_type type) {
  switch (type) {
  case SCAN_F64: return (exponents){ 900, 1023, -1074 };
  case SCAN_F16: return (exponents){ 6, 15, -24 };
  case SCAN_BF16: return (exponents){ 90, 127, -133 };
  default: return (exponents){ 90, 127, -149 };
  }
}

static double with_sign(uint64_t bits, double x) { return bits >> 63 ? -x : x; }

/** Returns a number from 1 to 2 times a power from 2^low to 2^high. */
static double number(uint64_t bits, int low, int high) {
  const double fraction = 1.0 + (double)(bits << 12 >> 12) * 0x1p-52;
  return with_sign(bits, ldexp(fraction, low + (int)((bits >> 52 & 0x7ff) % (uint64_t)(high - low + 1))));
}

static double denormal(uint64_t bits, int least) {
  return with_sign(bits, ldexp((double)(bits % (1 << 20)), least + (int)(bits >> 32) % 8));
}

/** Returns a quiet NaN of any sign and payload. */
static double not_a_number(uint64_t bits) {
  const uint64_t word = bits | 0x7ff8000000000000u;
  double x;
  memcpy(&x, &word, sizeof x);
  return x;
}

/** Returns a zero half of the time, otherwise a value of the kinds that `values` allows. */
static double special(case_values values, uint64_t bits, uint64_t more, exponents e) {
  const uint64_t pick = more % 16;
  if (pick < 8) return with_sign(bits, 0.0);
  if (values == CASE_VALUES_DENORMAL && pick < 11) return denormal(bits, e.least);
  if ((values == CASE_VALUES_INFINITE || values == CASE_VALUES_NAN) && pick == 11) return with_sign(bits, INFINITY);
  if (values == CASE_VALUES_NAN && pick == 12) return not_a_number(bits);
  return number(bits, -e.wide, e.wide);
}

static double value_of(case_values values, uint64_t i, uint64_t bits, uint64_t more, exponents e) {
  switch (values) {
  case CASE_VALUES_SIGNS: return with_sign(bits, 0.0);
  case CASE_VALUES_MINUS: return -0.0;
  case CASE_VALUES_WIDE: return number(bits, -e.wide, e.wide);
  case CASE_VALUES_ANY: return number(bits, e.least, e.most);
  case CASE_VALUES_GROWING: return i % 3 ? 1.4375 : -1.4375 * 1.0625;
  case CASE_VALUES_VANISHING: return i % 3 ? 0.71875 : -0.71875 * 1.0625;
  default: return special(values, bits, more, e);
  }
}

void case_scan_fill_values(const scan_case *c, uint64_t n, void *out) {
  const scan_type type = c->scan.spec.input_type;
  const exponents e = exponents_of(type);
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t bits = data_bits(c->seed + 7, i), more = data_bits(c->seed + 8, i);
    if (c->scan.values != CASE_VALUES_INVERSE)
      reference_store(type, out, i, value_of(c->scan.values, i, bits, more, e));
    else
      reference_store(type, out, i, i % 2 ? 1.0 / reference_load(type, out, i - 1) : number(bits, -4, 4));
  }
}
