/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests segmented reductions: a row a case, each against the oracle's scan in segments. */
#include <scanrt/scan_composite.h>
#include <scanrt/scan_reduce.h>

#include "reference.h"
#include "support.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

/* The lengths of segments. ROWS: multiples of 32, at which many rows of the canonical order end. HOLES: begins and
 * ends, with elements between that are in no segment. */
enum layout { SINGLES, SHORT, ROWS, MIXED, LONG, ONE, EMPTY_ENDS, HOLES };
/* The memory of values, begins, ends and results. */
enum place { ON_DEVICE, ON_HOST };

typedef struct row {
  scan_type type, input_type;
  scan_op_id op;
  uint64_t n;
  enum layout layout;
  scan_type offset_type;
  enum place place;
  int has_init;
} row;

static const row rows[] = {
  { SCAN_F32, SCAN_F32, SCAN_ADD, 1, ONE, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_F32, SCAN_F32, SCAN_ADD, 1000, SHORT, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_F32, SCAN_F32, SCAN_ADD, 300001, MIXED, SCAN_U64, ON_DEVICE, 0 },
  { SCAN_F32, SCAN_F32, SCAN_ADD, 3000001, LONG, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_F32, SCAN_F32, SCAN_ADD, 3000001, ONE, SCAN_U64, ON_DEVICE, 1 },
  { SCAN_F32, SCAN_F32, SCAN_ADD, 50000, SINGLES, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_F32, SCAN_F32, SCAN_ADD, 200003, SHORT, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_F32, SCAN_F32, SCAN_ADD, 200003, SHORT, SCAN_U64, ON_DEVICE, 1 },
  { SCAN_F32, SCAN_F32, SCAN_ADD, 200000, SINGLES, SCAN_U64, ON_DEVICE, 0 },
  { SCAN_F32, SCAN_F32, SCAN_ADD, 300000, ROWS, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_F64, SCAN_F64, SCAN_ADD, 200003, SHORT, SCAN_U32, ON_DEVICE, 1 },
  { SCAN_U8, SCAN_U8, SCAN_ADD, 1000003, SHORT, SCAN_U32, ON_DEVICE, 1 },
  { SCAN_F16, SCAN_F16, SCAN_ADD, 500003, SHORT, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_F32, SCAN_F32, SCAN_ADD, 70000, EMPTY_ENDS, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_F32, SCAN_F32, SCAN_ADD, 200000, HOLES, SCAN_U64, ON_DEVICE, 1 },
  { SCAN_F32, SCAN_F32, SCAN_MUL, 8192, MIXED, SCAN_U32, ON_HOST, 0 },
  { SCAN_F32, SCAN_F32, SCAN_MIN, 100000, MIXED, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_F64, SCAN_F64, SCAN_ADD, 100003, MIXED, SCAN_U64, ON_HOST, 0 },
  { SCAN_F64, SCAN_F32, SCAN_ADD, 100003, HOLES, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_F16, SCAN_F16, SCAN_ADD, 60000, MIXED, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_BF16, SCAN_BF16, SCAN_MAX, 60000, HOLES, SCAN_U32, ON_DEVICE, 1 },
  { SCAN_I8, SCAN_I8, SCAN_MAX, 100000, MIXED, SCAN_U32, ON_DEVICE, 0 },
  { SCAN_I32, SCAN_I8, SCAN_ADD, 100000, MIXED, SCAN_U64, ON_DEVICE, 1 },
  { SCAN_U16, SCAN_U16, SCAN_XOR, 33333, SHORT, SCAN_U32, ON_HOST, 0 },
  { SCAN_I32, SCAN_I32, SCAN_ADD, 3000001, LONG, SCAN_U64, ON_HOST, 0 },
  { SCAN_U64, SCAN_U64, SCAN_MIN, 40000, EMPTY_ENDS, SCAN_U64, ON_DEVICE, 0 },
  { SCAN_I64, SCAN_I32, SCAN_ADD, 131072, SINGLES, SCAN_U32, ON_DEVICE, 0 },
};

/* The segments of a case, and their number. */
typedef struct division {
  uint64_t *begins, *ends;
  uint64_t segments;
  int has_holes;
} division;

static uint64_t length_of(struct rng *rng, enum layout layout, uint64_t left) {
  const uint32_t drawn = (uint32_t)rng_next(rng);
  switch (layout) {
  case SINGLES: return 1;
  case SHORT: return drawn % 20;
  case ROWS: return drawn % 64 * 32;
  case LONG: return 100000 + drawn % 500000;
  case ONE: return left;
  case EMPTY_ENDS: return drawn % 3 == 0 ? drawn % 9000 : 0;
  default: return drawn % 7 == 0 ? 5000 + drawn % 40000 : drawn % 50;
  }
}

static division divide(struct rng *rng, const row *r) {
  const uint64_t most = 2 * r->n + 4096;
  division d = { .begins = reference_alloc((most + 1) * 8), .ends = reference_alloc(most * 8) };
  uint64_t at = 0;
  d.has_holes = r->layout == HOLES;
  if (r->layout == EMPTY_ENDS)
    for (; d.segments < 1500; d.segments++) d.begins[d.segments] = d.ends[d.segments] = 0;
  while (at < r->n && d.segments < most - 2000) {
    if (d.has_holes) at += rng_next(rng) % 3 == 0 ? rng_next(rng) % 300 : 0;
    if (at >= r->n) break;
    const uint64_t length = length_of(rng, r->layout, r->n - at);
    d.begins[d.segments] = at;
    at += length < r->n - at ? length : r->n - at;
    d.ends[d.segments++] = at;
  }
  if (r->layout == EMPTY_ENDS)
    for (int i = 0; i < 1500; i++, d.segments++) d.begins[d.segments] = d.ends[d.segments] = at;
  d.begins[d.segments] = at;
  return d;
}

static void expect(const scan_spec *spec, const division *d, uint64_t n, const void *in, unsigned char *want) {
  const size_t bytes = reference_bytes(spec->type);
  unsigned char *all = reference_alloc(n * bytes + 1);
  uint8_t *flags = reference_alloc(n + 1);
  scan_spec scan = *spec, empty = *spec;
  memset(flags, 0, n + 1);
  for (uint64_t s = 0; s < d->segments; s++)
    if (d->begins[s] < d->ends[s]) flags[d->begins[s]] = 1;
  scan.kind = SCAN_INCLUSIVE;
  reference_segmented(&scan, flags, n, in, all);
  empty.kind = SCAN_EXCLUSIVE; /* of a floating-point sum +0.0 */
  const scan_value seed = reference_seed(&empty);
  for (uint64_t s = 0; s < d->segments; s++)
    memcpy(want + s * bytes, d->begins[s] < d->ends[s] ? (const void *)(all + (d->ends[s] - 1) * bytes) : &seed, bytes);
  free(all);
  free(flags);
}

static scan_mem place_of(enum place place, const void *data, uint64_t bytes) {
  scan_mem mem;
  if (place == ON_HOST) return scan_host((void *)(uintptr_t)data);
  test_ok(test_ctx(), scan_alloc(test_ctx(), bytes + 1, &mem), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), mem, data, bytes), "scan_write");
  return mem;
}

static void *narrow(const uint64_t *from, uint64_t count, scan_type type) {
  uint32_t *to = reference_alloc(count * 8 + 8);
  for (uint64_t i = 0; i < count; i++) {
    if (type == SCAN_U64)
      memcpy(to + 2 * i, from + i, 8);
    else
      to[i] = (uint32_t)from[i];
  }
  return to;
}

static void run_row(const row *r, int number) {
  scan_ctx *ctx = test_ctx();
  scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(r->offset_type, r->type, r->op);
  struct rng rng = { 0x5e9u + (uint32_t)number };
  const uint64_t n = test_is_small() && r->n > 8000 ? 8000 : r->n;
  row scaled = *r;
  scaled.n = n;
  const division d = divide(&rng, &scaled);
  const size_t in_bytes = reference_bytes(r->input_type), bytes = reference_bytes(r->type);
  const uint64_t offset_bytes = r->offset_type == SCAN_U64 ? 8 : 4;
  unsigned char *in = reference_alloc(n * in_bytes + 16), *want = reference_alloc(d.segments * bytes + 1),
                *got = reference_alloc(d.segments * bytes + 1);
  if (r->input_type != r->type) spec.input_type = r->input_type;
  spec.has_init = (uint32_t)r->has_init;
  values_fill(&rng, r->input_type, r->op, n, n, in);
  memset(&spec.init, 0, sizeof spec.init);
  if (r->has_init) values_fill(&rng, r->type, r->op, n, 1, &spec.init);
  expect(&spec, &d, n, in, want);
  void *begins = narrow(d.begins, d.segments + 1, r->offset_type), *ends = narrow(d.ends, d.segments, r->offset_type);
  memset(got, 0x5a, d.segments * bytes);
  scan_segmented_reduce_args args = SCAN_SEGMENTED_REDUCE_ARGS_INIT(
      place_of(r->place, in, n * in_bytes), place_of(r->place, begins, (d.segments + 1) * offset_bytes), d.segments,
      place_of(r->place, got, d.segments * bytes));
  if (d.has_holes) args.ends = place_of(r->place, ends, d.segments * offset_bytes);
  test_ok(ctx, scan_segmented_reduce(ctx, &spec, n, &args), "scan_segmented_reduce");
  if (r->place == ON_DEVICE) {
    test_ok(ctx, scan_read(ctx, args.out, got, d.segments * bytes), "scan_read");
    test_ok(ctx, scan_free(ctx, args.values), "scan_free");
    test_ok(ctx, scan_free(ctx, args.begins), "scan_free");
    test_ok(ctx, scan_free(ctx, args.out), "scan_free");
    if (d.has_holes) test_ok(ctx, scan_free(ctx, args.ends), "scan_free");
  }
  const uint64_t wrong = reference_mismatch(r->type, d.segments, want, got);
  if (wrong != d.segments)
    test_fail("row %d: result %llu of %llu differs: elements %llu to %llu of %llu", number, (unsigned long long)wrong,
              (unsigned long long)d.segments, (unsigned long long)d.begins[wrong], (unsigned long long)d.ends[wrong],
              (unsigned long long)n);
  free(begins);
  free(ends);
  free(in);
  free(want);
  free(got);
  free(d.begins);
  free(d.ends);
}

static void test_rows(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (!test_has_type(rows[i].type) || !test_has_type(rows[i].input_type)) {
      test_skipped("row %zu: no f64", i);
      continue;
    }
    if (test_is_small() && i % 4 != 1) continue;
    run_row(&rows[i], (int)i);
    test_ran();
  }
}

/* No elements at all, and an operator without an identity, which leaves results of empty segments as they are. */
static void test_nothing(void **state) {
  scan_ctx *ctx = test_ctx();
  const uint32_t offsets[4] = { 0, 0, 0, 0 };
  float sums[3] = { 1, 2, 3 };
  scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
  const scan_segmented_reduce_args args =
      SCAN_SEGMENTED_REDUCE_ARGS_INIT(scan_host(sums), scan_host(offsets), 3, scan_host(sums));
  (void)state;
  test_ok(ctx, scan_segmented_reduce(ctx, &spec, 0, &args), "scan_segmented_reduce");
  for (int i = 0; i < 3; i++)
    if (sums[i] != 0) test_fail("the sum of no elements is %g", (double)sums[i]);
  test_ran();
}

/* An operator of several members: the maximum and where it is. */
static void test_composite(void **state) {
  enum { N = 5000, SEGMENTS = 3 };
  scan_ctx *ctx = test_ctx();
  scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, SCAN_TYPE_DEFAULT, SCAN_OP_NONE);
  static scan_arg_f32 in[N], got[SEGMENTS];
  const uint32_t offsets[SEGMENTS + 1] = { 0, 10, 10, N };
  const scan_arg_f32 before = { .value = 7, .index = 7 };
  (void)state;
  for (uint32_t i = 0; i < N; i++) in[i] = (scan_arg_f32){ .value = (float)(i * 37 % 1009), .index = i };
  for (int i = 0; i < SEGMENTS; i++) got[i] = before;
  test_ok(ctx, scan_composite_create(ctx, SCAN_ARGMAX_F32, &spec.custom_op), "scan_composite_create");
  const scan_segmented_reduce_args args =
      SCAN_SEGMENTED_REDUCE_ARGS_INIT(scan_host(in), scan_host(offsets), SEGMENTS, scan_host(got));
  test_ok(ctx, scan_segmented_reduce(ctx, &spec, N, &args), "scan_segmented_reduce");
  scan_op_destroy(spec.custom_op);
  if (got[0].value != 333 || got[0].index != 9 || got[2].value != 1008)
    test_fail("maxima: %g at %u, %g at %u", (double)got[0].value, got[0].index, (double)got[2].value, got[2].index);
  test_ran();
}

/* A plan of any number of segments; a plan of another operation is refused. */
static void test_plan(void **state) {
  enum { N = 1000 };
  scan_ctx *ctx = test_ctx();
  const scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, SCAN_I32, SCAN_ADD);
  scan_plan *plan = NULL;
  int32_t in[N], got[2];
  const uint32_t offsets[3] = { 0, 400, N };
  (void)state;
  for (int i = 0; i < N; i++) in[i] = i;
  test_ok(ctx, scan_plan_create_segmented_reduce(ctx, &spec, N, &plan), "scan_plan_create_segmented_reduce");
  scan_segmented_reduce_args args =
      SCAN_SEGMENTED_REDUCE_ARGS_INIT(place_of(ON_DEVICE, in, sizeof in), place_of(ON_DEVICE, offsets, sizeof offsets),
                                      2, place_of(ON_DEVICE, got, sizeof got));
  for (int round = 0; round < 2; round++) {
    test_ok(ctx, scan_plan_run_segmented_reduce(plan, N, &args), "scan_plan_run_segmented_reduce");
    test_ok(ctx, scan_read(ctx, args.out, got, sizeof got), "scan_read");
    if (got[0] != 399 * 200 || got[1] != 499500 - 399 * 200) test_fail("sums %d and %d", got[0], got[1]);
  }
  if (scan_plan_run(plan, N, args.values, args.out) != SCAN_INVALID_ARGUMENT)
    test_fail("scan_plan_run took the plan of a segmented reduction");
  test_ok(ctx, scan_free(ctx, args.values), "scan_free");
  test_ok(ctx, scan_free(ctx, args.begins), "scan_free");
  test_ok(ctx, scan_free(ctx, args.out), "scan_free");
  scan_plan_destroy(plan);
  test_ran();
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows), cmocka_unit_test(test_nothing),
                                      cmocka_unit_test(test_composite), cmocka_unit_test(test_plan) };
  test_device_open();
  return test_exit(cmocka_run_group_tests(tests, NULL, NULL));
}
