/* SPDX-License-Identifier: BSD-2-Clause */
#include "values.h"

#include "reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

uint64_t rng_next(struct rng *rng) {
  uint64_t z = rng->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

uint64_t rng_below(struct rng *rng, uint64_t bound) { return rng_next(rng) % bound; }

/* Returns 0, or rarely one bit of 64: all bits have occurred only after about `span` words, for narrow types sooner. */
static uint64_t rare_bit(struct rng *rng, uint64_t span) {
  uint64_t random = rng_next(rng);
  return (random >> 6) % (span / 32 + 1) == 0 ? UINT64_C(1) << (random & 63) : 0;
}

static uint64_t integer_value(struct rng *rng, scan_op_id op, uint64_t span) {
  switch (op) {
  case SCAN_MUL: return rng_next(rng) | 1;
  case SCAN_AND: return ~rare_bit(rng, span);
  case SCAN_OR: return rare_bit(rng, span);
  default: return rng_next(rng);
  }
}

/* uniform in [1, 2) */
static double mantissa(struct rng *rng) { return 1.0 + (double)(rng_next(rng) >> 12) * 0x1p-52; }

static double with_sign(struct rng *rng, double x) { return rng_next(rng) & 1 ? -x : x; }

/* Returns a normal number whose sums stay normal: 24 (53) bits below its exponent are still normal. */
static double wide_value(struct rng *rng, scan_type type) {
  int range = type == SCAN_F32 ? 90 : 900;
  int exponent = (int)rng_below(rng, (uint64_t)(2 * range + 1)) - range;
  return with_sign(rng, ldexp(mantissa(rng), exponent));
}

static double float_value(struct rng *rng, scan_type type, scan_op_id op) {
  switch (op) {
  case SCAN_ADD: return with_sign(rng, ldexp(mantissa(rng), (int)rng_below(rng, 41) - 20));
  /* a product of millions of these stays in range: its logarithm is a random walk */
  case SCAN_MUL: return with_sign(rng, 1.0 + (mantissa(rng) - 1.5) * 0x1p-9);
  default: return wide_value(rng, type);
  }
}

void values_fill(struct rng *rng, scan_type type, scan_op_id op, uint64_t span, uint64_t n, void *out) {
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM:                                                                                                           \
    for (uint64_t i = 0; i < n; i++) ((T *)out)[i] = (T)integer_value(rng, op, span);                                  \
    break;
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default:
    for (uint64_t i = 0; i < n; i++) reference_store(type, out, i, float_value(rng, type, op));
  }
}

static double tiny_value(struct rng *rng, scan_type type) {
  int lowest = type == SCAN_F32 ? -149 : -1074;
  return with_sign(rng, ldexp((double)rng_below(rng, 1 << 20), lowest + (int)rng_below(rng, 8)));
}

static double special_value(struct rng *rng, scan_type type, unsigned allowed) {
  uint64_t pick = rng_below(rng, 16);
  if ((allowed & VALUES_ZERO) && pick < 8) return with_sign(rng, 0.0);
  if ((allowed & VALUES_DENORMAL) && pick < 11) return tiny_value(rng, type);
  if ((allowed & VALUES_INF) && pick == 11) return with_sign(rng, (double)INFINITY);
  if ((allowed & VALUES_NAN) && pick == 12) return (double)NAN;
  return wide_value(rng, type);
}

void values_special(struct rng *rng, scan_type type, unsigned allowed, uint64_t n, void *out) {
  for (uint64_t i = 0; i < n; i++) reference_store(type, out, i, special_value(rng, type, allowed));
}

uint64_t values_first_far(scan_type type, uint64_t n, const void *got, const void *want, const double *slack) {
  for (uint64_t i = 0; i < n; i++) {
    const double a = reference_load(type, got, i), b = reference_load(type, want, i);
    if (a != b && !(fabs(a - b) <= slack[i])) return i; /* a NaN is far from every number */
  }
  return n;
}

void values_text(scan_type type, const void *from, uint64_t i, char *text, size_t text_bytes) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)from + i * reference_bytes(type), reference_bytes(type));
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM:                                                                                                           \
    snprintf(text, text_bytes, (LOW) ? "%" PRId64 " (0x%" PRIx64 ")" : "%" PRIu64 " (0x%" PRIx64 ")",                  \
             (int64_t)((const T *)from)[i], bits);                                                                     \
    break;
    REFERENCE_INTEGERS(CASE)
#undef CASE
  case SCAN_F32: snprintf(text, text_bytes, "%a (0x%08" PRIx64 ")", (double)((const float *)from)[i], bits); break;
  default: snprintf(text, text_bytes, "%a (0x%016" PRIx64 ")", ((const double *)from)[i], bits);
  }
}

int values_compare(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}
