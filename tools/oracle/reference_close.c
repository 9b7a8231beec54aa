/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating-point sums and products in an unspecified order: the exact result, and the error bound of a chain of
 * roundings (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, sections 3.1 and 4.2). */
#include "reference.h"

#include <float.h>
#include <math.h>

int reference_is_exact(const scan_spec *spec) {
  const int rounds = reference_is_float(spec->type) && (spec->op == SCAN_ADD || spec->op == SCAN_MUL);
  return !rounds || spec->strategy == SCAN_STRATEGY_SEQUENTIAL || scan_strategy_is_canonical(spec->strategy);
}

/* The result so far. Sums also keep the rounding errors (Neumaier, 1974) and the sum of the magnitudes. */
struct exact {
  scan_op_id op;
  long double value, lost, magnitudes;
  uint64_t taken;
};

static void exact_add(struct exact *e, double x) {
  e->taken++;
  if (e->op == SCAN_MUL) {
    e->value *= x;
    return;
  }
  const long double next = e->value + x;
  e->lost += fabsl(e->value) >= fabsl((long double)x) ? (e->value - next) + x : (x - next) + e->value;
  e->value = next;
  e->magnitudes += fabsl((long double)x);
}

/* Returns the error bound. A sum's term passes through at most `chain` roundings; in a product every factor adds
 * one. The bound is doubled for terms of second order, and has one rounding more for that of the expected value. */
static double slack_of(const struct exact *e, scan_type type, uint64_t chain) {
  const long double unit = type == SCAN_F32 ? 0x1p-24L : 0x1p-53L;
  const long double least = type == SCAN_F32 ? FLT_MIN : DBL_MIN;
  if (e->op == SCAN_ADD) return (double)(2 * unit * (long double)(chain + 1) * e->magnitudes);
  return (double)(2 * unit * (long double)(e->taken + 1) * fabsl(e->value) + least);
}

void reference_scan_close(const scan_spec *spec, uint64_t n, uint64_t chain, const void *in, void *out, double *slack) {
  const scan_type input_type = spec->input_type ? spec->input_type : spec->type;
  struct exact e = { .op = spec->op, .value = spec->op == SCAN_MUL ? 1.0L : 0.0L };
  if (spec->has_init) exact_add(&e, reference_load(spec->type, &spec->init, 0));
  for (uint64_t i = 0; i < n; i++) {
    if (spec->kind == SCAN_INCLUSIVE) exact_add(&e, reference_load(input_type, in, i));
    reference_store(spec->type, out, i, (double)(e.value + e.lost));
    slack[i] = slack_of(&e, spec->type, chain);
    if (spec->kind == SCAN_EXCLUSIVE) exact_add(&e, reference_load(input_type, in, i));
  }
}

double reference_total_close(const scan_spec *spec, uint64_t n, uint64_t chain, const void *in, double *slack) {
  const scan_type input_type = spec->input_type ? spec->input_type : spec->type;
  struct exact e = { .op = spec->op, .value = spec->op == SCAN_MUL ? 1.0L : 0.0L };
  for (uint64_t i = 0; i < n; i++) exact_add(&e, reference_load(input_type, in, i));
  *slack = slack_of(&e, spec->type, chain);
  return (double)(e.value + e.lost);
}
