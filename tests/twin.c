/* SPDX-License-Identifier: BSD-2-Clause */
#include "twin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reference.h"
#include "support.h"

enum { TYPES = SCAN_F64 + 1, OPS = SCAN_XOR + 1 };

static struct {
  scan_ctx *ctx;
  scan_op *ops[TYPES][OPS];
} twins;

/* ---- on the host ---- */

#define TWIN(NAME, OP, T, EXPRESSION)                                                                                  \
  static void NAME##_##OP(const void *left, const void *right, void *result, void *user) {                             \
    (void)user;                                                                                                        \
    const T a = *(const T *)left, b = *(const T *)right;                                                               \
    *(T *)result = (T)(EXPRESSION);                                                                                    \
  }
#define TWINS_ORDERED(NAME, T)                                                                                         \
  TWIN(NAME, min, T, b < a || b != b ? b : a)                                                                          \
  TWIN(NAME, max, T, b > a || b != b ? b : a)
#define TWINS_INTEGER(NAME, ENUM, T, LOW, HIGH)                                                                        \
  TWINS_ORDERED(NAME, T)                                                                                               \
  TWIN(NAME, add, T, (uint64_t)a + (uint64_t)b)                                                                        \
  TWIN(NAME, mul, T, (uint64_t)a *(uint64_t)b)                                                                         \
  TWIN(NAME, and, T, a &b)                                                                                             \
  TWIN(NAME, or, T, a | b)                                                                                             \
  TWIN(NAME, xor, T, a ^ b)
#define TWINS_FLOAT(NAME, ENUM, T)                                                                                     \
  TWINS_ORDERED(NAME, T)                                                                                               \
  TWIN(NAME, add, T, a + b)                                                                                            \
  TWIN(NAME, mul, T, a *b)
REFERENCE_INTEGERS(TWINS_INTEGER)
REFERENCE_FLOATS(TWINS_FLOAT)

static scan_op_host *const hosts[TYPES][OPS] = {
#define ROW_INTEGER(NAME, ENUM, ...)                                                                                   \
  [ENUM] = { [SCAN_ADD] = NAME##_add, [SCAN_MUL] = NAME##_mul, [SCAN_MIN] = NAME##_min, [SCAN_MAX] = NAME##_max,       \
             [SCAN_AND] = NAME##_and, [SCAN_OR] = NAME##_or,   [SCAN_XOR] = NAME##_xor },
#define ROW_FLOAT(NAME, ENUM, T)                                                                                       \
  [ENUM] = { [SCAN_ADD] = NAME##_add, [SCAN_MUL] = NAME##_mul, [SCAN_MIN] = NAME##_min, [SCAN_MAX] = NAME##_max },
  REFERENCE_INTEGERS(ROW_INTEGER) REFERENCE_FLOATS(ROW_FLOAT)
};

/* ---- in words ---- */

static const char *const type_words[TYPES] = {
#define WORD_INTEGER(NAME, ENUM, T, LOW, HIGH) [ENUM] = #T,
#define WORD_FLOAT(NAME, ENUM, T) [ENUM] = #T,
  REFERENCE_INTEGERS(WORD_INTEGER) REFERENCE_FLOATS(WORD_FLOAT)
};

/* Integers wrap around in the widest unsigned type. */
static const char *const integer_words[OPS] = { [SCAN_ADD] = "(uint64_t)a + (uint64_t)b",
                                                [SCAN_MUL] = "(uint64_t)a * (uint64_t)b",
                                                [SCAN_MIN] = "b < a ? b : a",
                                                [SCAN_MAX] = "b > a ? b : a",
                                                [SCAN_AND] = "a & b",
                                                [SCAN_OR] = "a | b",
                                                [SCAN_XOR] = "a ^ b" };
static const char *const float_words[OPS] = { [SCAN_ADD] = "a + b",
                                              [SCAN_MUL] = "a * b",
                                              [SCAN_MIN] = "(b < a || b != b) ? b : a",
                                              [SCAN_MAX] = "(b > a || b != b) ? b : a" };

/* ---- identities: +0.0 for sums, as an exclusive scan begins ---- */

static scan_value identity_of(scan_type type, scan_op_id op) {
  scan_value v = { .u64 = op == SCAN_AND ? UINT64_MAX : 0 };
  switch (type) {
#define CASE_INTEGER(NAME, ENUM, T, LOW, HIGH)                                                                         \
  case ENUM:                                                                                                           \
    if (op == SCAN_MUL) v.NAME = 1;                                                                                    \
    if (op == SCAN_MIN) v.NAME = HIGH;                                                                                 \
    if (op == SCAN_MAX) v.NAME = LOW;                                                                                  \
    break;
#define CASE_FLOAT(NAME, ENUM, T)                                                                                      \
  case ENUM:                                                                                                           \
    if (op == SCAN_MUL) v.NAME = 1;                                                                                    \
    if (op == SCAN_MIN) v.NAME = (T)INFINITY;                                                                          \
    if (op == SCAN_MAX) v.NAME = -(T)INFINITY;                                                                         \
    break;
    REFERENCE_INTEGERS(CASE_INTEGER)
    REFERENCE_FLOATS(CASE_FLOAT)
  default: break;
  }
  return v;
}

static scan_op *make(scan_type type, scan_op_id op) {
  char text[256];
  const char *word = type_words[type];
  const scan_value identity = identity_of(type, op);
  scan_op *made = NULL;
  snprintf(text, sizeof text, "static inline %s twin(%s a, %s b) { return (%s)(%s); }\n", word, word, word, word,
           reference_is_float(type) ? float_words[op] : integer_words[op]);
  const scan_op_source source = { .struct_bytes = sizeof(scan_op_source),
                                  .text = text,
                                  .type = word,
                                  .combine = "twin",
                                  .value_bytes = reference_bytes(type),
                                  .value_align = reference_bytes(type),
                                  .identity = &identity,
                                  .host = hosts[type][op] };
  test_ok(twins.ctx, scan_op_create(twins.ctx, &source, &made), "scan_op_create");
  return made;
}

scan_spec twin_spec(scan_ctx *ctx, const scan_spec *spec) {
  scan_spec twin = *spec;
  twins.ctx = ctx;
  scan_op **op = &twins.ops[spec->type][spec->op];
  if (*op == NULL) *op = make(spec->type, spec->op);
  twin.type = twin.input_type = SCAN_TYPE_DEFAULT;
  twin.op = SCAN_OP_NONE;
  twin.custom_op = *op;
  twin.init_bytes = spec->has_init ? &spec->init : NULL;
  return twin;
}

void twin_release(void) {
  for (int type = 0; type < TYPES; type++)
    for (int op = 0; op < OPS; op++) {
      scan_op_destroy(twins.ops[type][op]);
      twins.ops[type][op] = NULL;
    }
}
