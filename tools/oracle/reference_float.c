/* SPDX-License-Identifier: BSD-2-Clause */
/** @file reference_float.c @brief Reference scans of floating point: the canonical order of kernels_cl/README.md, or
 * the plain loop. */
#include "reference.h"

#include <float.h>

#if FLT_EVAL_METHOD != 0
#error "the reference needs double arithmetic in double: set FLT_EVAL_METHOD to 0 (on x86: -msse2 -mfpmath=sse)"
#endif

/** A value. Past the last element it is the operator's exact identity. */
typedef struct part {
  double value;
  int starts_segment;
} part;

typedef struct canon {
  const scan_spec *spec;
  scan_type input_type;
  const uint8_t *segment_flags;
  uint64_t n, vector_items, tile_items;
  const void *in;
  void *out;
  void *left; /* receives the running value after the last element; NULL: not needed */
  double identity, seed;
} canon;

/** Combines with the rounding of the type; halves are scanned in binary32. A binary32 result is computed in double
 * and rounded again, which is correct: 53 bits are at least 2 * 24 + 2 (Figueroa, "When is double rounding innocuous?",
 * 1995). */
static inline double combine(const canon *c, double a, double b) {
  double result = a;
  switch (c->spec->op) {
  case SCAN_ADD: result = a + b; break;
  case SCAN_MUL: result = a * b; break;
  case SCAN_MIN: return b < a || b != b ? b : a;
  default: return b > a || b != b ? b : a;
  }
  return c->spec->type == SCAN_F64 ? result : (double)(float)result;
}

static inline part plus(const canon *c, part a, part b) {
  if (b.starts_segment) return b;
  return (part){ combine(c, a.value, b.value), a.starts_segment };
}

static inline part nothing(const canon *c) { return (part){ c->identity, 0 }; }

/** Returns the type of running values; halves are scanned in binary32. */
static scan_type value_type(const scan_spec *spec) { return spec->type == SCAN_F64 ? SCAN_F64 : SCAN_F32; }

/** Returns element i, widened. The first one of a segment is combined with the seed. */
static inline part element(const canon *c, uint64_t i) {
  const double value = reference_load(c->input_type, c->in, i);
  if (!c->segment_flags || !c->segment_flags[i]) return (part){ value, 0 };
  return (part){ combine(c, c->seed, value), 1 };
}

static inline void write(const canon *c, uint64_t i, part before, part with) {
  const double earlier = c->segment_flags && c->segment_flags[i] ? c->seed : before.value;
  reference_store(c->spec->type, c->out, i, c->spec->kind == SCAN_EXCLUSIVE ? earlier : with.value);
  if (c->left && i + 1 == c->n) reference_store(value_type(c->spec), c->left, 0, with.value);
}

#include "canonical_order.h"

/** Returns the sub-tiles of a tile, by the bytes of all elements. */
static uint64_t sub_tiles_of(uint64_t total_bytes) {
  return total_bytes > UINT64_C(32) * 1024 && total_bytes <= UINT64_C(512) * 1024 ? 1 : 8;
}

void reference_scan_float(const scan_spec *spec, const uint8_t *segment_flags, const reference_carry *carry, uint64_t n,
                          const void *in, void *out) {
  const scan_value identity = reference_identity(spec->type, spec->op), seed = reference_seed(spec);
  const uint64_t item_bytes = spec->type == SCAN_F64 ? 8 : 4, vector_items = 16 / item_bytes;
  const canon c = { .spec = spec,
                    .input_type = spec->input_type ? spec->input_type : spec->type,
                    .segment_flags = segment_flags,
                    .n = n,
                    .vector_items = vector_items,
                    .tile_items = sub_tiles_of(n * item_bytes) * SUB_TILE_ROWS * ROW_VECTORS * vector_items,
                    .in = in,
                    .out = out,
                    .left = carry ? carry->left : NULL,
                    .identity = reference_load(spec->type, &identity, 0),
                    .seed = reference_load(spec->type, &seed, 0) };
  const int continues = carry && carry->before;
  const part first = { continues ? reference_load(value_type(spec), carry->before, 0) : c.seed, 0 };
  if (spec->strategy == SCAN_STRATEGY_SEQUENTIAL)
    scan_in_sequence(&c, first);
  else
    scan_canonical(&c, first);
}
