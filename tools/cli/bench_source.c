/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_source.c @brief Operators from source: a sum as a user writes it, and composites. */
#include "bench_source.h"
#include "cli.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_BYTES = 512, TEXT_BYTES = 256 };

/* ---- names ---- */

const char *bench_source_names(void) {
  static char names[NAMES_BYTES];
  size_t used = (size_t)snprintf(names, sizeof names, "add");
  for (size_t i = 0; bench_mapped_get(i) && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, " %s", bench_mapped_get(i)->name);
  for (int i = SCAN_COMPOSITE_NONE + 1; scan_composite_get((scan_composite)i) && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, " %s", scan_composite_name((scan_composite)i));
  return names;
}

int bench_source_parse(const char *command, const char *name, bench_source *source) {
  *source = (bench_source){ .name = "add", .twin = SCAN_ADD };
  if (!strcmp(name, source->name)) return CLI_OK;
  for (size_t i = 0; bench_mapped_get(i); i++)
    if (!strcmp(name, bench_mapped_get(i)->name)) return *source = *bench_mapped_get(i), CLI_OK;
  *source = (bench_source){ .name = NULL };
  if (scan_composite_parse(name, &source->composite) != SCAN_SUCCESS)
    return cli_usage(command, "unknown operator from source '%s': %s", name, bench_source_names());
  source->name = scan_composite_name(source->composite);
  return CLI_OK;
}

int bench_source_check(const char *command, const bench_source *source, const scan_type *types, size_t type_count,
                       int is_exclusive) {
  if (source->map && source->map->emit && is_exclusive)
    return cli_usage(command, "--op-source %s emits what it likes: it has no --exclusive", source->name);
  for (size_t t = 0; t < type_count && !source->composite && !source->map; t++)
    if (types[t] > SCAN_F64)
      return cli_usage(command, "--op-source %s has no type %s", source->name, scan_type_name(types[t]));
  return CLI_OK;
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

/** What a type is called in the text, and the sum for the host. */
typedef struct sum {
  const char *element;
  const char *computed;
  scan_op_host *host;
  const scan_op_loops *loops;
} sum;

#define LIST_SUM(id, T, U) [id] = { #T, #U, sum_##T, &sum_##T##_loops },
static const sum sums[] = { SUMS(LIST_SUM) };

scan_status bench_source_create(const bench_source *source, scan_type type, scan_ctx *ctx, scan_op **op) {
  static const uint64_t zero = 0;
  char text[TEXT_BYTES];
  if (source->composite != SCAN_COMPOSITE_NONE) return scan_composite_create(ctx, source->composite, op);
  if (source->map) return scan_op_create(ctx, source->map, op);
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
