/* SPDX-License-Identifier: BSD-2-Clause */
/** @file data.c @brief Input data that exposes mistakes. */
#include "data.h"
#include "reference.h"

#include <math.h>
#include <string.h>

/** SplitMix64 (Steele, Lea and Flood, 2014) of a counter. */
uint64_t data_bits(uint64_t seed, uint64_t i) {
  uint64_t z = seed * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double uniform(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

/** Falls from 1 to -1 along the array, with noise, so that a running minimum keeps falling. */
static double falling(uint64_t i, uint64_t n, uint64_t bits) {
  return 1.0 - 2.0 * ((double)i + uniform(bits)) / (double)n + 0.25 * (uniform(bits * 31) - 0.5);
}

/** Returns one bit in about 100 elements of the array, else 0. */
static uint64_t rare_bit(uint64_t n, uint64_t bits) {
  return uniform(bits) * (double)n < 100.0 ? 1ull << (bits & 63) : 0;
}

/** Scales `value`, from -1 to 1, to the range of an integer type. */
static uint64_t scaled(scan_type type, double value) {
  int bits = 8 * (int)scan_type_bytes(type);
  int is_unsigned = type == SCAN_U8 || type == SCAN_U16 || type == SCAN_U32 || type == SCAN_U64;
  double half = ldexp(1.0, bits - 1) * 0.85;
  int64_t whole = (int64_t)(value * half);
  return is_unsigned ? (uint64_t)whole + (1ull << (bits - 1)) : (uint64_t)whole;
}

static uint64_t integer(scan_type type, scan_op_id op, uint64_t n, uint64_t i, uint64_t bits) {
  switch (op) {
  case SCAN_MUL: return bits | 1; /* Odd: 64 even factors would make the product zero. */
  case SCAN_MIN: return scaled(type, falling(i, n, bits));
  case SCAN_MAX: return scaled(type, -falling(i, n, bits));
  case SCAN_AND: return ~rare_bit(n, bits);
  case SCAN_OR: return rare_bit(n, bits);
  default: return bits;
  }
}

static double real(scan_op_id op, uint64_t n, uint64_t i, uint64_t bits) {
  double u = uniform(bits);
  if (bits % 61 == 0) return op == SCAN_MUL ? 1.0 : -0.0;
  if (bits % 67 == 0) return op == SCAN_MUL ? -1.0 : 0.0;
  switch (op) {
  case SCAN_MUL: return (bits & 64 ? 1.0 : -1.0) * (0.9 + 0.2 * u); /* Keeps the product far from zero and overflow. */
  case SCAN_MIN: return falling(i, n, bits);
  case SCAN_MAX: return -falling(i, n, bits);
  default: return ldexp(u - 0.5, (int)(bits % 24) - 12); /* Mixed magnitudes: reordering changes bits. */
  }
}

static void put_integer(scan_type type, void *out, uint64_t i, uint64_t value) {
  switch (scan_type_bytes(type)) {
  case 1: ((uint8_t *)out)[i] = (uint8_t)value; break;
  case 2: ((uint16_t *)out)[i] = (uint16_t)value; break;
  case 4: ((uint32_t *)out)[i] = (uint32_t)value; break;
  default: ((uint64_t *)out)[i] = value; break;
  }
}

/** Stores a value. Elements of binary16 sums are scaled down, since binary16 overflows at 65504. */
static void put_real(scan_type type, scan_op_id op, void *out, uint64_t i, double value) {
  reference_store(type, out, i, type == SCAN_F16 && op == SCAN_ADD ? 0x1p-8 * value : value);
}

void data_fill(scan_type type, scan_op_id op, uint64_t n, const data_style *style, void *out) {
  int is_float = reference_is_float(type);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t bits = data_bits(style->seed, i);
    if (!is_float)
      put_integer(type, out, i, integer(type, op, n, i, bits));
    else if (style->denormals && op != SCAN_MUL && bits % 71 == 0)
      put_real(type, op, out, i, type == SCAN_F64 ? 0x1.8p-1060 : 0x1.8p-140);
    else
      put_real(type, op, out, i, real(op, n, i, bits));
  }
  if (!is_float || !style->not_numbers || n < 3) return;
  put_real(type, op, out, n / 2, op == SCAN_MAX ? -INFINITY : INFINITY);
  put_real(type, op, out, 2 * n / 3, NAN);
}

/** Returns the largest value of an integer type. */
static uint64_t most(scan_type type) {
  const int bits = 8 * (int)scan_type_bytes(type);
  const int is_signed = type == SCAN_I8 || type == SCAN_I16 || type == SCAN_I32 || type == SCAN_I64;
  return UINT64_MAX >> (64 - bits + is_signed);
}

void data_fill_within(scan_type input_type, scan_type type, scan_op_id op, uint64_t n, void *out) {
  const uint64_t share = most(type) / n, limit = most(input_type) / 2;
  const uint64_t each = share < limit ? share : limit, step = share ? 1 : n / most(type) + 1;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t value = each ? data_bits(n, i) % (each + 1) : (uint64_t)(i % step == 0); /* at most n / step ones */
    if (op == SCAN_MUL) value = i % (n / 4 + 1) == n / 8 ? 2 : 1;
    put_integer(input_type, out, i, value);
  }
}
