/* SPDX-License-Identifier: BSD-2-Clause */
/** @file source.c @brief Operators from source: built-in operators as a user would write them, and composites. */
#include "source.h"
#include "reference.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 256 };

int source_operator_find(const char *name, source_operator *source) {
  for (int op = SCAN_ADD; op <= SCAN_XOR; op++) {
    *source = (source_operator){ .name = scan_op_name((scan_op_id)op), .built_in_op = (scan_op_id)op };
    if (!strcmp(name, source->name)) return 0;
  }
  for (size_t i = 0; source_operator_mapped(i); i++)
    if (!strcmp(name, source_operator_mapped(i)->name)) return *source = *source_operator_mapped(i), 0;
  *source = (source_operator){ .name = NULL };
  for (size_t i = 0; source_operator_structure(i); i++) {
    const source_structure *structure = source_operator_structure(i);
    if (strcmp(name, structure->name) != 0) continue;
    *source = (source_operator){ .name = structure->name, .structure = structure };
    return 0;
  }
  if (scan_composite_parse(name, &source->composite) != SCAN_SUCCESS) return -1;
  source->name = scan_composite_name(source->composite);
  return 0;
}

/* ---- built-in operators as source ---- */

/** Defines a sum of type T that computes in U, so that signed results wrap around. */
#define SUM(T, U)                                                                                                      \
  static inline T plus_##T(T a, T b) { return (T)((U)a + (U)b); }                                                      \
  SCAN_OP_HOST(sum_##T, T, plus_##T);

/** Defines the host function of an operator without compiled loops. */
#define FROM_SOURCE(name, T, expression)                                                                               \
  static void name##_##T(const void *left, const void *right, void *result, void *user) {                              \
    const T a = *(const T *)left, b = *(const T *)right;                                                               \
    (void)user;                                                                                                        \
    *(T *)result = (T)(expression);                                                                                    \
  }
#define ALL_FROM_SOURCE(T, U)                                                                                          \
  SUM(T, U)                                                                                                            \
  FROM_SOURCE(mul, T, (U)a *(U)b)                                                                                      \
  FROM_SOURCE(min, T, b < a || b != b ? b : a)                                                                         \
  FROM_SOURCE(max, T, b > a || b != b ? b : a)
#define BITS_FROM_SOURCE(T) FROM_SOURCE(and, T, a &b) FROM_SOURCE(or, T, a | b) FROM_SOURCE(xor, T, a ^ b)

#define INTEGERS(TYPE)                                                                                                 \
  TYPE(SCAN_I8, int8_t, uint32_t)                                                                                      \
  TYPE(SCAN_U8, uint8_t, uint32_t)                                                                                     \
  TYPE(SCAN_I16, int16_t, uint32_t)                                                                                    \
  TYPE(SCAN_U16, uint16_t, uint32_t)                                                                                   \
  TYPE(SCAN_I32, int32_t, uint32_t)                                                                                    \
  TYPE(SCAN_U32, uint32_t, uint32_t)                                                                                   \
  TYPE(SCAN_I64, int64_t, uint64_t)                                                                                    \
  TYPE(SCAN_U64, uint64_t, uint64_t)
#define FLOATS(TYPE) TYPE(SCAN_F32, float, float) TYPE(SCAN_F64, double, double)

#define DEFINE_INTEGER(id, T, U) ALL_FROM_SOURCE(T, U) BITS_FROM_SOURCE(T)
#define DEFINE_FLOAT(id, T, U) ALL_FROM_SOURCE(T, U)
INTEGERS(DEFINE_INTEGER)
FLOATS(DEFINE_FLOAT)

/** Source of the built-in operators of one type: its name, the type that they compute in, and their host functions. */
typedef struct from_source {
  const char *element;
  const char *computed;
  scan_op_host *hosts[SCAN_XOR + 1];
  const scan_op_loops *loops; /**< Compiled loops of the sum. */
} from_source;

#define HOSTS(T) [SCAN_ADD] = sum_##T, [SCAN_MUL] = mul_##T, [SCAN_MIN] = min_##T, [SCAN_MAX] = max_##T
#define BIT_HOSTS(T) [SCAN_AND] = and_##T, [SCAN_OR] = or_##T, [SCAN_XOR] = xor_##T
#define LIST_INTEGER(id, T, U) [id] = { #T, #U, { HOSTS(T), BIT_HOSTS(T) }, &sum_##T##_loops },
#define LIST_FLOAT(id, T, U) [id] = { #T, #U, { HOSTS(T) }, &sum_##T##_loops },
static const from_source all_from_source[] = { INTEGERS(LIST_INTEGER) FLOATS(LIST_FLOAT) };

/** Expressions in a and b, by operator. */
static const char *const expressions[SCAN_XOR + 1] = {
  [SCAN_ADD] = "(computed)a + (computed)b",
  [SCAN_MUL] = "(computed)a * (computed)b",
  [SCAN_MIN] = "b < a || b != b ? b : a",
  [SCAN_MAX] = "b > a || b != b ? b : a",
  [SCAN_AND] = "a & b",
  [SCAN_OR] = "a | b",
  [SCAN_XOR] = "a ^ b",
};

scan_status source_operator_create(const source_operator *source, scan_type type, scan_ctx *ctx, scan_op **op) {
  char text[TEXT_BYTES];
  if (source->composite != SCAN_COMPOSITE_NONE) return scan_composite_create(ctx, source->composite, op);
  if (source->map) return scan_op_create(ctx, source->map, op);
  if (source->structure) return scan_op_create(ctx, &source->structure->source, op);
  const from_source *t = &all_from_source[type];
  const scan_spec exclusive = SCAN_SPEC_INIT(type, source->built_in_op, SCAN_EXCLUSIVE);
  const scan_value identity = reference_seed(&exclusive);
  snprintf(text, sizeof text,
           "typedef %s element;\n"
           "typedef %s computed;\n"
           "element conformance(element a, element b) { return (element)(%s); }\n",
           t->element, t->computed, expressions[source->built_in_op]);
  const scan_op_source made = { .struct_bytes = sizeof made,
                                .text = text,
                                .type = "element",
                                .combine = "conformance",
                                .value_bytes = scan_type_bytes(type),
                                .value_align = scan_type_bytes(type),
                                .identity = &identity,
                                .host = t->hosts[source->built_in_op],
                                .loops = source->built_in_op == SCAN_ADD ? t->loops : NULL };
  return scan_op_create(ctx, &made, op);
}

/* ---- facts for the oracle ---- */

static size_t either(size_t bytes, size_t value_bytes) { return bytes ? bytes : value_bytes; }

source_facts source_operator_facts(const source_operator *source) {
  const scan_op_source *op = source->structure ? &source->structure->source : source->map;
  if (op)
    return (source_facts){ .value_bytes = op->value_bytes,
                           .input_bytes = either(op->input_bytes, op->value_bytes),
                           .output_bytes = either(op->output_bytes, op->value_bytes),
                           .combine = op->host,
                           .identity = op->identity,
                           .mapped = op->map || op->emit ? op : NULL };
  if (source->composite == SCAN_COMPOSITE_NONE) return (source_facts){ .value_bytes = 0 };
  const scan_composite_facts *facts = scan_composite_get(source->composite);
  const scan_op_source *const map = source_composite_map(source->composite);
  return (source_facts){ .value_bytes = facts->value_bytes,
                         .input_bytes = map ? map->input_bytes : facts->value_bytes,
                         .output_bytes = facts->value_bytes,
                         .combine = facts->host,
                         .identity = facts->identity,
                         .mapped = map };
}

int source_operator_fills(const source_operator *source) {
  return source->structure != NULL || source->composite != SCAN_COMPOSITE_NONE;
}

void source_operator_fill(const source_operator *source, uint64_t n, uint64_t seed, void *out) {
  if (source->structure)
    source->structure->fill(0, n, seed, out);
  else
    source_operator_fill_composite(source->composite, n, seed, out);
}

void source_operator_init(const source_operator *source, uint64_t seed, void *out) {
  if (!source->structure)
    source_operator_fill_composite(source_composite_map(source->composite) ? SCAN_SUM_I128 : source->composite, 1, seed,
                                   out);
  else if (source->structure->init)
    memcpy(out, source->structure->init, source->structure->source.value_bytes);
  else
    source->structure->fill(UINT64_MAX, 1, seed, out);
}
