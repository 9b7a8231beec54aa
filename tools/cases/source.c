/* SPDX-License-Identifier: BSD-2-Clause */
/** @file source.c @brief Operators from source: a sum as a user writes it, and composites. */
#include "source.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 256 };

int source_operator_find(const char *name, source_operator *source) {
  *source = (source_operator){ .name = "add", .twin = SCAN_ADD };
  if (!strcmp(name, source->name)) return 0;
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

/* ---- the sum of each type ---- */

/** T computes in U, so that signed sums wrap around. */
#define SUM(T, U)                                                                                                      \
  static inline T plus_##T(T a, T b) { return (T)((U)a + (U)b); }                                                      \
  SCAN_OP_HOST(sum_##T, T, plus_##T);

#define SUMS(TYPE)                                                                                                     \
  TYPE(SCAN_I8, int8_t, uint8_t)                                                                                       \
  TYPE(SCAN_U8, uint8_t, uint8_t)                                                                                      \
  TYPE(SCAN_I16, int16_t, uint16_t)                                                                                    \
  TYPE(SCAN_U16, uint16_t, uint16_t)                                                                                   \
  TYPE(SCAN_I32, int32_t, uint32_t)                                                                                    \
  TYPE(SCAN_U32, uint32_t, uint32_t)                                                                                   \
  TYPE(SCAN_I64, int64_t, uint64_t)                                                                                    \
  TYPE(SCAN_U64, uint64_t, uint64_t)                                                                                   \
  TYPE(SCAN_F32, float, float)                                                                                         \
  TYPE(SCAN_F64, double, double)

#define DEFINE_SUM(id, T, U) SUM(T, U)
SUMS(DEFINE_SUM)

/** The sum of a type: the type in the text, the type that it computes in, and the functions for the host. */
typedef struct sum {
  const char *element;
  const char *computed;
  scan_op_host *host;
  const scan_op_loops *loops;
} sum;

#define LIST_SUM(id, T, U) [id] = { #T, #U, sum_##T, &sum_##T##_loops },
static const sum sums[] = { SUMS(LIST_SUM) };

scan_status source_operator_create(const source_operator *source, scan_type type, scan_ctx *ctx, scan_op **op) {
  static const uint64_t zero = 0;
  char text[TEXT_BYTES];
  if (source->composite != SCAN_COMPOSITE_NONE) return scan_composite_create(ctx, source->composite, op);
  if (source->map) return scan_op_create(ctx, source->map, op);
  if (source->structure) return scan_op_create(ctx, &source->structure->source, op);
  const sum *s = &sums[type];
  snprintf(text, sizeof text,
           "typedef %s element;\n"
           "element plus(element a, element b) { return (element)((%s)a + (%s)b); }\n",
           s->element, s->computed, s->computed);
  const scan_op_source made = { .struct_bytes = sizeof made,
                                .text = text,
                                .type = "element",
                                .combine = "plus",
                                .value_bytes = scan_type_bytes(type),
                                .value_align = scan_type_bytes(type),
                                .identity = &zero,
                                .host = s->host,
                                .loops = s->loops };
  return scan_op_create(ctx, &made, op);
}

/* ---- what the oracle needs ---- */

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
  const size_t bytes = facts->value_bytes;
  return (source_facts){ bytes, bytes, bytes, facts->host, facts->identity, NULL };
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
    source_operator_fill_composite(source->composite, 1, seed, out);
  else if (source->structure->init)
    memcpy(out, source->structure->init, source->structure->source.value_bytes);
  else
    source->structure->fill(UINT64_MAX, 1, seed, out);
}
