/* SPDX-License-Identifier: BSD-2-Clause */
/** @file reference_type.c @brief Types: sizes, operators, identities and seeds, and floating-point elements. */
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
  case SCAN_I8:
  case SCAN_I16: return to == SCAN_I32 || to == SCAN_I64;
  case SCAN_U8:
  case SCAN_U16: return to == SCAN_U32 || to == SCAN_U64;
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

double reference_load(scan_type type, const void *from, uint64_t i) {
  if (type == SCAN_F32) return (double)((const float *)from)[i];
  return type == SCAN_F64 ? ((const double *)from)[i] : half_value(type, ((const uint16_t *)from)[i]);
}

void reference_store(scan_type type, void *to, uint64_t i, double value) {
  if (type == SCAN_F32)
    ((float *)to)[i] = (float)value;
  else if (type == SCAN_F64)
    ((double *)to)[i] = value;
  else
    ((uint16_t *)to)[i] = half_nearest(type, value);
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
