/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/types.h"

#include <string.h>

#include "base/error.h"

typedef struct type_facts {
  scan_type id;
  const char *name;
  size_t bytes;
  int is_float, is_signed;
  scan_type unsigned_id;
} type_facts;

static const type_facts types[] = {
#define SCAN_TYPE_ENTRY(id, name, c_type, bytes, is_float, is_signed, unsigned_id)                                     \
  { id, #name, bytes, is_float, is_signed, unsigned_id },
#include "base/types.def"
};

typedef struct op_facts {
  scan_op_id id;
  const char *name;
  int on_float, sign_matters;
} op_facts;

static const op_facts ops[] = {
#define SCAN_OP_ENTRY(id, name, on_float, sign_matters) { id, #name, on_float, sign_matters },
#include "base/types.def"
};

static const scan_type widenings[][2] = {
#define SCAN_WIDENING_ENTRY(input_id, output_id) { input_id, output_id },
#include "base/types.def"
};

enum {
  TYPE_COUNT = sizeof types / sizeof types[0],
  OP_COUNT = sizeof ops / sizeof ops[0],
  WIDENING_COUNT = sizeof widenings / sizeof widenings[0]
};

/* Finds a type's facts. The table is in the order of the numbers. */
static const type_facts *find_type(scan_type type) {
  const unsigned i = (unsigned)type - 1;
  return i < TYPE_COUNT && types[i].id == type ? &types[i] : NULL;
}

static const op_facts *find_op(scan_op_id op) {
  for (int i = 0; i < OP_COUNT; i++)
    if (ops[i].id == op) return &ops[i];
  return NULL;
}

const char *scan_type_name(scan_type type) {
  const type_facts *t = find_type(type);
  return t ? t->name : NULL;
}

const char *scan_op_name(scan_op_id op) {
  const op_facts *o = find_op(op);
  return o ? o->name : NULL;
}

size_t scan_type_bytes(scan_type type) {
  const type_facts *t = find_type(type);
  return t ? t->bytes : 0;
}

int scan_type_is_float(scan_type type) {
  const type_facts *t = find_type(type);
  return t && t->is_float;
}

int scan_type_is_signed(scan_type type) {
  const type_facts *t = find_type(type);
  return t && t->is_signed;
}

scan_status scan_type_parse(const char *name, scan_type *type) {
  if (type == NULL) return scan_fail_name("scan_type_parse", name, "type", type);
  *type = SCAN_TYPE_DEFAULT;
  for (int i = 0; name != NULL && i < TYPE_COUNT; i++)
    if (strcmp(types[i].name, name) == 0) *type = types[i].id;
  return *type == SCAN_TYPE_DEFAULT ? scan_fail_name("scan_type_parse", name, "type", type) : SCAN_SUCCESS;
}

scan_status scan_op_parse(const char *name, scan_op_id *op) {
  if (op == NULL) return scan_fail_name("scan_op_parse", name, "operator", op);
  *op = SCAN_OP_NONE;
  for (int i = 0; name != NULL && i < OP_COUNT; i++)
    if (strcmp(ops[i].name, name) == 0) *op = ops[i].id;
  return *op == SCAN_OP_NONE ? scan_fail_name("scan_op_parse", name, "operator", op) : SCAN_SUCCESS;
}

static int widening_defined(scan_type input_type, scan_type type) {
  for (int i = 0; i < WIDENING_COUNT; i++)
    if (widenings[i][0] == input_type && widenings[i][1] == type) return 1;
  return 0;
}

int scan_spec_defined(scan_type type, scan_type input_type, scan_op_id op) {
  const type_facts *t = find_type(type);
  const op_facts *o = find_op(op);
  if (t == NULL || o == NULL || (t->is_float && !o->on_float)) return 0;
  if (input_type == SCAN_TYPE_DEFAULT || input_type == type) return 1;
  return op == SCAN_ADD && widening_defined(input_type, type);
}

scan_type scan_type_for_kernel(scan_type type, scan_op_id op) {
  const type_facts *t = find_type(type);
  const op_facts *o = find_op(op);
  return o->sign_matters ? type : t->unsigned_id;
}

uint64_t scan_value_bits(scan_type type, const scan_value *value) {
  uint64_t bits = 0;
  memcpy(&bits, value, scan_type_bytes(type));
  return bits;
}

int scan_type_is_half(scan_type type) { return type == SCAN_F16 || type == SCAN_BF16; }

/* The identity of a floating-point operator. A sum's is -0.0, because +0.0 would change -0.0. */
static uint64_t float_identity(scan_type type, scan_op_id op, uint64_t sign) {
  static const struct {
    uint64_t one, infinity;
  } bits[] = { [SCAN_F32] = { 0x3f800000, 0x7f800000 },
               [SCAN_F64] = { 0x3ff0000000000000, 0x7ff0000000000000 },
               [SCAN_F16] = { 0x3c00, 0x7c00 },
               [SCAN_BF16] = { 0x3f80, 0x7f80 } };
  if (op == SCAN_ADD) return sign;
  if (op == SCAN_MUL) return bits[type].one;
  return op == SCAN_MIN ? bits[type].infinity : sign | bits[type].infinity;
}

uint64_t scan_identity_bits(scan_type type, scan_op_id op) {
  const unsigned bit_count = (unsigned)scan_type_bytes(type) * 8;
  const uint64_t ones = bit_count < 64 ? ((uint64_t)1 << bit_count) - 1 : UINT64_MAX;
  const uint64_t top = ones ^ ones >> 1;
  if (scan_type_is_float(type)) return float_identity(type, op, top);
  switch (op) {
  case SCAN_MUL: return 1;
  case SCAN_MIN: return scan_type_is_signed(type) ? ones ^ top : ones;
  case SCAN_MAX: return scan_type_is_signed(type) ? top : 0;
  case SCAN_AND: return ones;
  default: return 0;
  }
}

int scan_keys_differ(scan_type type, const void *a, const void *b) {
  const size_t bytes = scan_type_bytes(type);
  uint64_t x = 0, y = 0;
  memcpy(&x, a, bytes);
  memcpy(&y, b, bytes);
  const uint64_t magnitude = bytes > 0 ? UINT64_MAX >> (65 - 8 * bytes) : 0;
  if (!scan_type_is_float(type)) return x != y;
  return x != y ? ((x | y) & magnitude) != 0 : (x & magnitude) > scan_identity_bits(type, SCAN_MIN);
}
