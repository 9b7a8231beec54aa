/* SPDX-License-Identifier: BSD-2-Clause */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>

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

int reference_is_float(scan_type type) { return type == SCAN_F32 || type == SCAN_F64; }

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
  return (!reference_is_float(type) && type < SCAN_F16) || op <= SCAN_MAX;
}

/* Integers are held in 64 bits, sign-extended from their type: sums and products modulo 2^64, narrowed after every
 * step, are those modulo 2^bits. */

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

static uint64_t narrow(scan_type type, uint64_t value) {
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM: return (uint64_t)(T)value;
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: return 0;
  }
}

static uint64_t lowest(scan_type type) {
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM: return (uint64_t)(T)(LOW);
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: return 0;
  }
}

static uint64_t highest(scan_type type) {
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM: return (uint64_t)(HIGH);
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: return 0;
  }
}

static uint64_t identity(scan_type type, scan_op_id op) {
  switch (op) {
  case SCAN_MUL: return 1;
  case SCAN_MIN: return highest(type);
  case SCAN_MAX: return lowest(type);
  case SCAN_AND: return narrow(type, ~UINT64_C(0));
  default: return 0;
  }
}

static int below(scan_type type, uint64_t a, uint64_t b) {
  int has_sign = lowest(type) != 0;
  return has_sign ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t combine(scan_type type, scan_op_id op, uint64_t a, uint64_t b) {
  switch (op) {
  case SCAN_ADD: return narrow(type, a + b);
  case SCAN_MUL: return narrow(type, a * b);
  case SCAN_MIN: return below(type, b, a) ? b : a;
  case SCAN_MAX: return below(type, a, b) ? b : a;
  case SCAN_AND: return a & b;
  case SCAN_OR: return a | b;
  case SCAN_XOR: return a ^ b;
  default: return 0;
  }
}

static void scan_integer(const scan_spec *spec, uint64_t n, const void *in, void *out) {
  const scan_type input_type = spec->input_type ? spec->input_type : spec->type;
  uint64_t total = spec->has_init ? load(spec->type, &spec->init, 0) : identity(spec->type, spec->op);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t before = total;
    total = combine(spec->type, spec->op, total, load(input_type, in, i));
    store(spec->type, out, i, spec->kind == SCAN_EXCLUSIVE ? before : total);
  }
}

void reference_scan(const scan_spec *spec, uint64_t n, const void *in, void *out) {
  if (reference_is_float(spec->type)) {
    reference_scan_float(spec, n, in, out);
  } else {
    scan_integer(spec, n, in, out);
  }
}
