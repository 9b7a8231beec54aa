/* SPDX-License-Identifier: BSD-2-Clause */
/** @file reference.c @brief Reference scans of integers by a plain loop; comparison of results. */
#include "reference.h"

#include <math.h>
#include <string.h>

/* Returns an integer, sign-extended to 64 bits. */
static uint64_t value_load(scan_type type, const void *from, uint64_t i) {
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM: return (uint64_t)((const T *)from)[i];
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: return 0;
  }
}

static void value_store(scan_type type, void *to, uint64_t i, uint64_t value) {
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM: ((T *)to)[i] = (T)value; break;
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: break;
  }
}

/* Loops over elements of one type. NEXT combines `a`, the result so far, and `b`, the element. */
#define LOOP(T, NEXT)                                                                                                  \
  for (uint64_t i = 0; i < n; i++) {                                                                                   \
    const T a = segment_flags && segment_flags[i] ? start : total, b = in[i];                                          \
    total = (T)(NEXT);                                                                                                 \
    out[i] = is_exclusive ? a : total;                                                                                 \
  }                                                                                                                    \
  break

/* Defines scan_<type>, which continues from `total` and returns the aggregate of an inclusive scan. Sums and
 * products wrap around in the widest unsigned type: narrowing after every step gives the same result modulo 2^bits. */
#define SCAN(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  static T scan_##NAME(const scan_spec *spec, const uint8_t *segment_flags, T total, uint64_t n, const T *in,          \
                       T *out) {                                                                                       \
    const int is_exclusive = spec->kind == SCAN_EXCLUSIVE;                                                             \
    const T start = reference_seed(spec).NAME;                                                                         \
    switch (spec->op) {                                                                                                \
    case SCAN_ADD: LOOP(T, (uint64_t)a + (uint64_t)b);                                                                 \
    case SCAN_MUL: LOOP(T, (uint64_t)a *(uint64_t)b);                                                                  \
    case SCAN_MIN: LOOP(T, b < a ? b : a);                                                                             \
    case SCAN_MAX: LOOP(T, a < b ? b : a);                                                                             \
    case SCAN_AND: LOOP(T, a &b);                                                                                      \
    case SCAN_OR: LOOP(T, a | b);                                                                                      \
    case SCAN_XOR: LOOP(T, a ^ b);                                                                                     \
    default: break;                                                                                                    \
    }                                                                                                                  \
    return total;                                                                                                      \
  }
REFERENCE_INTEGERS(SCAN)
#undef SCAN

/* Scans with widening, which only sums do, in 64 bits; the type takes the lowest bits. */
static uint64_t scan_widening(const scan_spec *spec, const uint8_t *segment_flags, uint64_t total, uint64_t n,
                              const void *in, void *out) {
  const uint64_t start = spec->has_init ? value_load(spec->type, &spec->init, 0) : 0;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t before = segment_flags && segment_flags[i] ? start : total;
    total = before + value_load(spec->input_type, in, i);
    value_store(spec->type, out, i, spec->kind == SCAN_EXCLUSIVE ? before : total);
  }
  return total;
}

/* Scans integers. @param total  the value before the first element. @return the aggregate of an inclusive scan */
static uint64_t scan_integer(const scan_spec *spec, const uint8_t *segment_flags, uint64_t total, uint64_t n,
                             const void *in, void *out) {
  if (spec->input_type != SCAN_TYPE_DEFAULT && spec->input_type != spec->type)
    return scan_widening(spec, segment_flags, total, n, in, out);
  switch (spec->type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM: return (uint64_t)scan_##NAME(spec, segment_flags, (T)total, n, in, out);
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: return 0;
  }
}

/* Replaces each NaN by the canonical one. */
static void show_nans(scan_type type, uint64_t n, void *x) {
  for (uint64_t i = 0; i < n; i++)
    if (isnan(reference_load(type, x, i))) reference_store(type, x, i, (double)NAN);
}

void reference_carried(const scan_spec *spec, const uint8_t *segment_flags, const reference_carry *carry, uint64_t n,
                       const void *in, void *out) {
  const scan_value seed = reference_seed(spec);
  if (reference_is_float(spec->type)) {
    reference_scan_float(spec, segment_flags, carry, n, in, out);
    if (spec->op != SCAN_ADD && spec->op != SCAN_MUL) return;
    show_nans(spec->type, n, out);
    if (n > 0 && carry && carry->left) show_nans(spec->type == SCAN_F64 ? SCAN_F64 : SCAN_F32, 1, carry->left);
    return;
  }
  const uint64_t first = value_load(spec->type, carry && carry->before ? carry->before : &seed, 0);
  const uint64_t total = scan_integer(spec, segment_flags, first, n, in, out);
  if (carry && carry->left) value_store(spec->type, carry->left, 0, total);
}

void reference_segmented(const scan_spec *spec, const uint8_t *segment_flags, uint64_t n, const void *in, void *out) {
  reference_carried(spec, segment_flags, NULL, n, in, out);
}

void reference_scan(const scan_spec *spec, uint64_t n, const void *in, void *out) {
  reference_segmented(spec, NULL, n, in, out);
}

static int both_nan(scan_type type, const void *a, const void *b, uint64_t i) {
  return reference_is_float(type) && isnan(reference_load(type, a, i)) && isnan(reference_load(type, b, i));
}

uint64_t reference_mismatch(scan_type type, uint64_t n, const void *a, const void *b) {
  const size_t bytes = reference_bytes(type);
  if (n == 0 || memcmp(a, b, (size_t)n * bytes) == 0) return n;
  for (uint64_t i = 0; i < n; i++)
    if (memcmp((const char *)a + i * bytes, (const char *)b + i * bytes, bytes) != 0 && !both_nan(type, a, b, i))
      return i;
  return n;
}
