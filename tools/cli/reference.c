/* SPDX-License-Identifier: BSD-2-Clause */
/** @file reference.c @brief Plain loops, and the choice between them and the canonical order. */
#include "reference.h"
#include "half.h"
#include "reference_private.h"

#include <math.h>
#include <string.h>

int reference_is_float(scan_type type) { return type == SCAN_F32 || type == SCAN_F64 || half_is(type); }

static int is_signed(scan_type type) {
  return type == SCAN_I8 || type == SCAN_I16 || type == SCAN_I32 || type == SCAN_I64;
}

/* ---- integers: 64 bits wide, then cut to the type ---- */

/** Element i, sign- or zero-extended to 64 bits. */
static uint64_t load_int(scan_type type, const void *p, uint64_t i) {
  switch (type) {
  case SCAN_I8: return (uint64_t)((const int8_t *)p)[i];
  case SCAN_U8: return ((const uint8_t *)p)[i];
  case SCAN_I16: return (uint64_t)((const int16_t *)p)[i];
  case SCAN_U16: return ((const uint16_t *)p)[i];
  case SCAN_I32: return (uint64_t)((const int32_t *)p)[i];
  case SCAN_U32: return ((const uint32_t *)p)[i];
  default: return ((const uint64_t *)p)[i];
  }
}

static void store_int(scan_type type, void *p, uint64_t i, uint64_t value) {
  switch (scan_type_bytes(type)) {
  case 1: ((uint8_t *)p)[i] = (uint8_t)value; break;
  case 2: ((uint16_t *)p)[i] = (uint16_t)value; break;
  case 4: ((uint32_t *)p)[i] = (uint32_t)value; break;
  default: ((uint64_t *)p)[i] = value; break;
  }
}

/** The value modulo 2^bits, extended again. */
static uint64_t wrap(scan_type type, uint64_t value) {
  uint64_t element;
  store_int(type, &element, 0, value);
  return load_int(type, &element, 0);
}

static int less(scan_type type, uint64_t a, uint64_t b) { return is_signed(type) ? (int64_t)a < (int64_t)b : a < b; }

static uint64_t combine_int(scan_type type, scan_op_id op, uint64_t a, uint64_t b) {
  switch (op) {
  case SCAN_ADD: return wrap(type, a + b);
  case SCAN_MUL: return wrap(type, a * b);
  case SCAN_MIN: return less(type, b, a) ? b : a;
  case SCAN_MAX: return less(type, a, b) ? b : a;
  case SCAN_AND: return a & b;
  case SCAN_OR: return a | b;
  case SCAN_XOR: return a ^ b;
  case SCAN_OP_NONE: break;
  }
  return a;
}

static void scan_ints(const scan_spec *spec, scan_type input_type, const uint8_t *heads, uint64_t n, const void *in,
                      void *out) {
  scan_value seed = reference_seed(spec);
  const uint64_t start = load_int(spec->type, &seed, 0);
  uint64_t before = start;
  for (uint64_t i = 0; i < n; i++) {
    if (heads && heads[i]) before = start;
    uint64_t with = combine_int(spec->type, spec->op, before, load_int(input_type, in, i));
    store_int(spec->type, out, i, spec->kind == SCAN_EXCLUSIVE ? before : with);
    before = with;
  }
}

/* ---- floating point ---- */

double reference_load(scan_type type, const void *p, uint64_t i) {
  if (type == SCAN_F32) return (double)((const float *)p)[i];
  return type == SCAN_F64 ? ((const double *)p)[i] : half_value(type, ((const uint16_t *)p)[i]);
}

void reference_store(scan_type type, void *p, uint64_t i, double value) {
  if (type == SCAN_F32)
    ((float *)p)[i] = (float)value;
  else if (type == SCAN_F64)
    ((double *)p)[i] = value;
  else
    ((uint16_t *)p)[i] = half_nearest(type, value);
}

static void scan_floats_in_sequence(const scan_spec *spec, scan_type input_type, const uint8_t *heads, uint64_t n,
                                    const void *in, void *out) {
  scan_value seed = reference_seed(spec);
  const double start = reference_load(spec->type, &seed, 0);
  double before = start;
  for (uint64_t i = 0; i < n; i++) {
    if (heads && heads[i]) before = start;
    double with = reference_combine(spec->type, spec->op, before, reference_load(input_type, in, i));
    reference_store(spec->type, out, i, spec->kind == SCAN_EXCLUSIVE ? before : with);
    before = with;
  }
}

/* ---- both ---- */

static double float_identity(scan_op_id op) {
  switch (op) {
  case SCAN_MUL: return 1.0;
  case SCAN_MIN: return INFINITY;
  case SCAN_MAX: return -INFINITY;
  default: return -0.0;
  }
}

static uint64_t int_identity(scan_type type, scan_op_id op) {
  uint64_t all = UINT64_MAX, sign = 1ull << (8 * scan_type_bytes(type) - 1);
  switch (op) {
  case SCAN_MUL: return 1;
  case SCAN_MIN: return is_signed(type) ? sign - 1 : all;
  case SCAN_MAX: return is_signed(type) ? sign : 0;
  case SCAN_AND: return all;
  default: return 0;
  }
}

scan_value reference_identity(scan_type type, scan_op_id op) {
  scan_value value;
  memset(&value, 0, sizeof value);
  if (reference_is_float(type))
    reference_store(type, &value, 0, float_identity(op));
  else
    store_int(type, &value, 0, int_identity(type, op));
  return value;
}

scan_value reference_seed(const scan_spec *spec) {
  scan_value zero;
  memset(&zero, 0, sizeof zero);
  if (spec->has_init) return spec->init;
  if (spec->op == SCAN_ADD && spec->kind == SCAN_EXCLUSIVE) return zero;
  return reference_identity(spec->type, spec->op);
}

int reference_scan(const scan_spec *spec, int sequential, uint64_t n, const void *in, void *out) {
  return reference_segmented(spec, sequential, NULL, n, in, out);
}

int reference_segmented(const scan_spec *spec, int sequential, const uint8_t *heads, uint64_t n, const void *in,
                        void *out) {
  scan_type input_type = spec->input_type != SCAN_TYPE_DEFAULT ? spec->input_type : spec->type;
  if (reference_is_float(spec->type) && !sequential) return reference_canonical(spec, input_type, heads, n, in, out);
  if (reference_is_float(spec->type))
    scan_floats_in_sequence(spec, input_type, heads, n, in, out);
  else
    scan_ints(spec, input_type, heads, n, in, out);
  return 0;
}

static int same(scan_type type, const unsigned char *a, const unsigned char *b) {
  size_t bytes = scan_type_bytes(type);
  if (!memcmp(a, b, bytes)) return 1;
  if (!reference_is_float(type)) return 0;
  double both[2] = { 0, 0 };
  memcpy(&both[0], a, bytes);
  memcpy(&both[1], b, bytes);
  return isnan(reference_load(type, &both[0], 0)) && isnan(reference_load(type, &both[1], 0));
}

uint64_t reference_mismatch(scan_type type, uint64_t n, const void *a, const void *b) {
  size_t bytes = scan_type_bytes(type);
  if (!memcmp(a, b, (size_t)n * bytes)) return n;
  for (uint64_t i = 0; i < n; i++)
    if (!same(type, (const unsigned char *)a + i * bytes, (const unsigned char *)b + i * bytes)) return i;
  return n;
}
