/* SPDX-License-Identifier: BSD-2-Clause */
/** @file reference.c @brief Types, seeds and comparison; integers by a plain loop. */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"

void *reference_alloc(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory) {
    fprintf(stderr, "no host memory for %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

size_t reference_bytes(scan_type type) {
  switch (type) {
#define CASE(NAME, ENUM, T, ...)                                                                                       \
  case ENUM: return sizeof(T);
    REFERENCE_INTEGERS(CASE)
  case SCAN_F32: return sizeof(float);
  case SCAN_F64: return sizeof(double);
  case SCAN_F16:
  case SCAN_BF16: return sizeof(uint16_t);
#undef CASE
  default: return 0;
  }
}

int reference_is_float(scan_type type) { return type == SCAN_F32 || type == SCAN_F64 || half_is(type); }

static int widens(scan_type from, scan_type to) {
  switch (from) {
  case SCAN_I8: return to == SCAN_I32 || to == SCAN_I64;
  case SCAN_U8: return to == SCAN_U32 || to == SCAN_U64;
  case SCAN_I32: return to == SCAN_I64;
  case SCAN_U32: return to == SCAN_U64;
  case SCAN_F32: return to == SCAN_F64;
  case SCAN_F16:
  case SCAN_BF16: return to == SCAN_F32;
  default: return 0;
  }
}

int reference_defined(scan_type type, scan_type input_type, scan_op_id op) {
  if (!reference_bytes(type) || op < SCAN_ADD || op > SCAN_XOR) return 0;
  if (input_type != SCAN_TYPE_DEFAULT && input_type != type) return op == SCAN_ADD && widens(input_type, type);
  return !reference_is_float(type) || op <= SCAN_MAX;
}

/* An integer, sign-extended to 64 bits. */
static uint64_t load(scan_type type, const void *from, uint64_t i) {
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM: return (uint64_t)((const T *)from)[i];
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: return 0;
  }
}

static void store(scan_type type, void *to, uint64_t i, uint64_t value) {
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM: ((T *)to)[i] = (T)value; break;
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: break;
  }
}

#define IDENTITY(NAME, ENUM, T, LOW, HIGH)                                                                             \
  static T identity_##NAME(scan_op_id op) {                                                                            \
    switch (op) {                                                                                                      \
    case SCAN_MUL: return 1;                                                                                           \
    case SCAN_MIN: return HIGH;                                                                                        \
    case SCAN_MAX: return LOW;                                                                                         \
    case SCAN_AND: return (T) ~(T)0;                                                                                   \
    default: return 0;                                                                                                 \
    }                                                                                                                  \
  }
REFERENCE_INTEGERS(IDENTITY)
#undef IDENTITY

static double float_identity(scan_op_id op) {
  switch (op) {
  case SCAN_MUL: return 1.0;
  case SCAN_MIN: return (double)INFINITY;
  case SCAN_MAX: return -(double)INFINITY;
  default: return -0.0;
  }
}

scan_value reference_identity(scan_type type, scan_op_id op) {
  scan_value value;
  memset(&value, 0, sizeof value);
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM: value.NAME = identity_##NAME(op); break;
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: reference_store(type, &value, 0, float_identity(op));
  }
  return value;
}

scan_value reference_seed(const scan_spec *spec) {
  scan_value zero;
  memset(&zero, 0, sizeof zero);
  if (spec->has_init) return spec->init;
  return spec->op == SCAN_ADD && spec->kind == SCAN_EXCLUSIVE ? zero : reference_identity(spec->type, spec->op);
}

/* A loop over elements of one type: `next` of `a`, the result so far, and `b`, the element. */
#define LOOP(T, NEXT)                                                                                                  \
  for (uint64_t i = 0; i < n; i++) {                                                                                   \
    const T a = heads && heads[i] ? start : total, b = in[i];                                                          \
    total = (T)(NEXT);                                                                                                 \
    out[i] = is_exclusive ? a : total;                                                                                 \
  }                                                                                                                    \
  break

/* scan_<type>. Sums and products wrap around in the widest unsigned type: modulo 2^64, narrowed after every step, they
 * are those modulo 2^bits. */
#define SCAN(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  static void scan_##NAME(const scan_spec *spec, const uint8_t *heads, uint64_t n, const T *in, T *out) {              \
    const int is_exclusive = spec->kind == SCAN_EXCLUSIVE;                                                             \
    const T start = reference_seed(spec).NAME;                                                                         \
    T total = start;                                                                                                   \
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
  }
REFERENCE_INTEGERS(SCAN)
#undef SCAN

/* Sums alone widen; they are computed in 64 bits, of which the type takes the lowest. */
static void scan_widening(const scan_spec *spec, const uint8_t *heads, uint64_t n, const void *in, void *out) {
  const uint64_t start = spec->has_init ? load(spec->type, &spec->init, 0) : 0;
  uint64_t total = start;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t before = heads && heads[i] ? start : total;
    total = before + load(spec->input_type, in, i);
    store(spec->type, out, i, spec->kind == SCAN_EXCLUSIVE ? before : total);
  }
}

static void scan_integer(const scan_spec *spec, const uint8_t *heads, uint64_t n, const void *in, void *out) {
  if (spec->input_type != SCAN_TYPE_DEFAULT && spec->input_type != spec->type) {
    scan_widening(spec, heads, n, in, out);
    return;
  }
  switch (spec->type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM: scan_##NAME(spec, heads, n, in, out); break;
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: break;
  }
}

void reference_segmented(const scan_spec *spec, const uint8_t *heads, uint64_t n, const void *in, void *out) {
  if (reference_is_float(spec->type)) {
    reference_scan_float(spec, heads, n, in, out);
  } else {
    scan_integer(spec, heads, n, in, out);
  }
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
