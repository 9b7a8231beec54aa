/* SPDX-License-Identifier: BSD-2-Clause */
#include "operators.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const source_structure *operator_named(const char *name) {
  for (size_t i = 0; source_operator_structure(i) != NULL; i++)
    if (strcmp(source_operator_structure(i)->name, name) == 0) return source_operator_structure(i);
  fprintf(stderr, "there is no operator %s\n", name);
  abort();
}

const source_structure *operator_at(size_t i) {
  static const char *const names[OPERATOR_CASES] = { "words3", "link",   "affine", "bytes3",
                                                     "matrix", "digits", "longs3", "counted" };
  return operator_named(names[i]);
}

void operator_fill(const source_structure *o, struct rng *rng, uint64_t n, void *out) {
  o->fill(0, n, rng_next(rng), out);
}

void operator_init(const source_structure *o, struct rng *rng, void *out) {
  o->fill(UINT64_MAX, 1, rng_next(rng), out);
}

/* The names in this text are also names, macros or build parameters of the library. */
const char operator_names_text[] = "#define SCAN_TYPE 7\n"
                                   "#  define VALUE_BYTES \\\n 99\n"
                                   "/* #define */ #define IDENTITY (0)\n"
                                   "#define COMBINE(a, b) tile_reduce(a, b)\n"
                                   "%: define scan_u8 int\n"
                                   "#define GLOBAL of this text\n"
                                   "typedef int32_t value_t;\n"
                                   "typedef struct scan_job { value_t n; } scan_job;\n"
                                   "struct tile_state { int x; };\n"
                                   "enum { output_t = 1 };\n"
                                   "static inline value_t scan_u32(value_t x) { return x; }\n"
                                   "static inline value_t combine(value_t a, value_t b) { return scan_u32(a) + b; }\n"
                                   "static inline value_t tile_reduce(value_t a, value_t b) { return combine(a, b); }\n"
                                   "static inline value_t scan_block(value_t a) { return a; }\n"
                                   "static inline value_t descriptor_put(void) { return 0; }\n"
                                   "static inline scan_job job(scan_job a, scan_job b) {\n"
                                   "  scan_job c;\n"
                                   "  c.n = COMBINE(scan_block(a.n), b.n) + descriptor_put() + output_t - 1;\n"
                                   "  return c;\n"
                                   "}\n";
