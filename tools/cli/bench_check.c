/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_check.c @brief Poisons outputs and compares them with the reference. */
#define _POSIX_C_SOURCE 200809L
#include "bench_scan.h"
#include "number.h"
#include "plain_loop.h"
#include "reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- expected output ---- */

static int compute(const bench_state *bench, int sequential, const bench_entry *s, void *expected) {
  const void *input = bench->buffers.input.host;
  const uint8_t *segment_flags = s->manner == BENCH_PLAIN ? NULL : bench->buffers.marks.segment_flags;
  if (bench->request->difference) {
    plain_loop_difference(&bench->spec, bench->n, input, expected);
    return 0;
  }
  if (bench_maps(bench)) {
    plain_loop_mapped(bench->source, bench->spec.kind, segment_flags, bench->n, input, expected);
    return 0;
  }
  if (bench_reference(bench, sequential, s->axis, segment_flags, input, expected) != 0) return -1;
  if (bench->request->totals) bench_keep_totals(bench, s->axis, expected);
  return 0;
}

/** Computes a reference once a case. @return NULL, after saying so, if memory ran out */
static const void *expected_of(const bench_entry *s) {
  bench_state *bench = s->bench;
  /* Integers have the same results in any order. */
  int sequential = s->expect == BENCH_EXPECT_SEQUENTIAL && (bench->composite || reference_is_float(bench->spec.type));
  const int slot = s->axis >= 0 ? 3 + s->axis : s->manner == BENCH_PLAIN ? 2 : sequential;
  void **expected = &bench->buffers.expected[slot];
  if (*expected) return *expected;
  *expected = malloc((size_t)bench->buffers.out_bytes);
  if (*expected && compute(bench, sequential, s, *expected) == 0) return *expected;
  free(*expected);
  *expected = NULL;
  cli_say_failure("no memory for the reference of n = %" PRIu64, bench->n);
  return NULL;
}

/** Returns the accepted difference between a rounded result and another one of the same elements. For sums it is a part
 * of the sum of magnitudes so far, since differences of large numbers lose digits in any order. For products it is a
 * part of the result that grows with the number of factors. It exceeds the error of any sound order by far, and is
 * below the effect of one wrong element. */
static double tolerance(const scan_spec *spec, uint64_t i, double expected, double magnitudes) {
  double digit = spec->type == SCAN_F64 ? 0x1p-52 : 0x1p-23;
  double least = spec->type == SCAN_F64 ? 0x1p-1000 : 0x1p-120;
  switch (spec->op) {
  case SCAN_ADD: return 1024 * digit * magnitudes;
  case SCAN_MUL: return fmin(0.1, digit * (1024 + (double)i)) * fabs(expected) + least;
  default: return 0;
  }
}

/** Returns the index of the first element outside the tolerance, or n. */
static uint64_t far_mismatch(const bench_state *bench, const void *got, const void *expected) {
  scan_type input_type = bench_input_type(&bench->spec), type = bench->spec.type;
  const uint8_t *segment_flags = bench->buffers.marks.segment_flags;
  double magnitudes = 0;
  for (uint64_t i = 0, first = 0; i < bench->n; i++) {
    if (segment_flags && segment_flags[i]) magnitudes = 0, first = i;
    double a = reference_load(type, got, i), b = reference_load(type, expected, i);
    magnitudes += fabs(reference_load(input_type, bench->buffers.input.host, i));
    /* Equal infinities do not differ; a NaN fails both comparisons. */
    if (a != b && !(fabs(a - b) <= tolerance(&bench->spec, i - first, b, magnitudes))) return i;
  }
  return bench->n;
}

/** Returns the index of the first element with different bits, or n. */
static uint64_t bits_mismatch(const bench_state *bench, const void *got, const void *expected) {
  size_t bytes = (size_t)bench_item_bytes(bench);
  uint64_t i = 0;
  if (!memcmp(got, expected, (size_t)bench->n * bytes)) return bench->n;
  while (!memcmp((const char *)got + i * bytes, (const char *)expected + i * bytes, bytes)) i++;
  return i;
}

/** Returns the index of the first step outside the tolerance, or n: for `b` a part of the magnitudes of its terms,
 * for `a` a part that grows with the number of factors. */
static uint64_t far_step(const bench_state *bench, const scan_affine_f32 *got, const scan_affine_f32 *expected) {
  const scan_affine_f32 *input = (const scan_affine_f32 *)bench->buffers.input.host;
  double magnitudes = 0;
  for (uint64_t i = 0; i < bench->n; i++) {
    double a = (double)expected[i].a, b = (double)expected[i].b;
    magnitudes = magnitudes * fabs((double)input[i].a) + fabs((double)input[i].b);
    if (!(fabs((double)got[i].a - a) <= 0x1p-23 * (1024 + (double)i) * fabs(a) + 0x1p-120)) return i;
    if (!(fabs((double)got[i].b - b) <= 0x1p-23 * 1024 * magnitudes)) return i;
  }
  return bench->n;
}

/** Returns the index of the first sum of exponentials outside the tolerance, or n. `got` comes from the C library's
 * exp. */
#define FAR_EXPONENTIAL(T)                                                                                             \
  static uint64_t far_exponential_##T(uint64_t n, const scan_logsumexp_##T *got, const scan_logsumexp_##T *expected) { \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const double sum = (double)expected[i].sum, off = fabs((double)got[i].sum - sum);                                \
      if (got[i].max != expected[i].max || !(off <= 1e-3 * sum)) return i;                                             \
    }                                                                                                                  \
    return n;                                                                                                          \
  }
FAR_EXPONENTIAL(f32)
FAR_EXPONENTIAL(f64)

/** Returns the index of the first of `count` results that is not as expected, or `count`. */
static uint64_t mismatch(const bench_entry *s, uint64_t count, const void *got, const void *expected) {
  const bench_state *bench = s->bench;
  if (bench->composite && s->expect == BENCH_EXPECT_CLOSE && bench->which == SCAN_AFFINE_F32)
    return far_step(bench, (const scan_affine_f32 *)got, (const scan_affine_f32 *)expected);
  if (bench->composite && s->role == BENCH_LOOP && bench->which == SCAN_LOGSUMEXP_F32)
    return far_exponential_f32(bench->n, got, expected);
  if (bench->composite && s->role == BENCH_LOOP && bench->which == SCAN_LOGSUMEXP_F64)
    return far_exponential_f64(bench->n, got, expected);
  if (bench->composite) return bits_mismatch(bench, got, expected);
  if (s->expect == BENCH_EXPECT_CLOSE && reference_is_float(bench->spec.type))
    return far_mismatch(bench, got, expected);
  return reference_mismatch(bench->spec.type, count, got, expected);
}

/* ---- one output ---- */

/** Compares one output on the host. */
static int result_judge(bench_entry *s, const void *got) {
  const bench_state *bench = s->bench;
  const void *expected = expected_of(s);
  char got_text[NUMBER_TEXT_BYTES], expected_text[NUMBER_TEXT_BYTES];
  if (!expected) return CLI_FAILED;
  const uint64_t count = bench->request->totals ? bench_totals(bench, s->axis) : s->items ? s->items : bench->n;
  const uint64_t at = mismatch(s, count, got, expected), bytes = at * bench_item_bytes(bench);
  if (at == count) return CLI_OK;
  if (bench->composite) return bench_wrong(s, "n = %" PRIu64 ": element %" PRIu64 " is not as expected", bench->n, at);
  number_format(bench->spec.type, (const char *)got + bytes, got_text);
  number_format(bench->spec.type, (const char *)expected + bytes, expected_text);
  return bench_wrong(s, "n = %" PRIu64 ": element %" PRIu64 " is %s, expected %s", bench->n, at, got_text,
                     expected_text);
}

/* ---- all outputs ---- */

int bench_scan_poison(bench_entry *s) {
  bench_state *bench = s->bench;
  bench_buffers *b = &bench->buffers;
  const uint64_t bytes = b->pairs * b->stride_bytes;
  if (bench->request->in_place) return bench_forward(bench, scan_copy(bench->ctx, b->out.mem, b->in.mem, bytes));
  memset(b->staging.host, BENCH_POISON_BYTE, (size_t)bytes);
  if (s->role == BENCH_LOOP) return CLI_OK;
  return bench_forward(bench, scan_write(bench->ctx, b->out.mem, b->staging.host, bytes));
}

int bench_scan_check(bench_entry *s) {
  bench_state *bench = s->bench;
  bench_buffers *b = &bench->buffers;
  char *staging = (char *)b->staging.host;
  if (bench->request->in_place) return CLI_OK;
  if (s->role == BENCH_LOOP) return result_judge(s, staging);
  uint64_t pairs = s->calls < b->pairs ? s->calls : b->pairs;
  int rc = bench_forward(bench, scan_read(bench->ctx, b->out.mem, staging, pairs * b->stride_bytes));
  for (uint64_t pair = 0; pair < pairs && rc == CLI_OK && !s->wrong; pair++)
    rc = result_judge(s, staging + pair * b->stride_bytes + b->out_lead_bytes);
  return rc;
}

int bench_scan_check_alone(bench_entry *s) {
  bench_state *bench = s->bench;
  bench_buffers *b = &bench->buffers;
  scan_mem out = bench_pair_out(bench, 0);
  if (!bench->request->in_place) return CLI_OK;
  int rc = bench_forward(bench, scan_write(bench->ctx, out, b->input.host, b->in_bytes));
  if (rc == CLI_OK) rc = s->start(s, 0);
  if (rc == CLI_OK) rc = bench_forward(bench, scan_sync(bench->ctx));
  if (rc == CLI_OK) rc = bench_forward(bench, scan_read(bench->ctx, out, b->staging.host, b->out_bytes));
  return rc == CLI_OK ? result_judge(s, b->staging.host) : rc;
}
