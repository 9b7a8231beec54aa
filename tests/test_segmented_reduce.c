/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests segmented reductions: a row a case, each against the oracle's scan in segments. With names of types as
 * arguments only sums of these types by offsets, which the catalogue has for CUDA without NVRTC. */
#include <scanrt/scan_composite.h>
#include <scanrt/scan_reduce.h>

#include "reference.h"
#include "segmented_rows.h"
#include "support.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

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
  case FEW: return 1 + drawn % 14;
  case HUNDREDS: return 60 + drawn % 200;
  case ROWS: return drawn % 64 * 32;
  case SKEWED:
    return drawn % 64 == 0 ? 9000 + drawn % 20011 : drawn % 16 == 1 ? drawn % 9001 : drawn % 8 ? drawn % 173 : 0;
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

static void drop_empty(division *d) {
  uint64_t kept = 0;
  for (uint64_t s = 0; s < d->segments; s++) {
    if (d->begins[s] == d->ends[s]) continue;
    d->begins[kept] = d->begins[s];
    d->ends[kept++] = d->ends[s];
  }
  d->segments = kept;
}

/* Returns the flags or bits of a division without empty segments; the first one's mark is not set, because element 0
 * begins a segment whatever its mark. Bits past n are set. */
static void *marks_of(const division *d, uint64_t n, scan_segments marks) {
  const int are_bits = marks == SCAN_SEGMENTS_BITS;
  uint8_t *to = reference_alloc(n + 64);
  memset(to, 0, n + 64);
  for (uint64_t s = 1; s < d->segments; s++) {
    const uint64_t at = d->begins[s];
    if (are_bits)
      to[at / 8] = (uint8_t)(to[at / 8] | 1 << at % 8);
    else
      to[at] = (uint8_t)(1 + at % 255);
  }
  if (are_bits)
    for (uint64_t at = n; at % 32 != 0; at++) to[at / 8] = (uint8_t)(to[at / 8] | 1 << at % 8);
  return to;
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

/* 1 on devices that end loops, or take long: they run few rows, of few elements. */
enum { MOST_OF_FEW = 2000000 };
static int are_few(void) { return test_is_small() || test_info()->loop_limit != 0; }

static void run_row(const row *r, int number) {
  scan_ctx *ctx = test_ctx();
  scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(r->offset_type, r->type, r->op);
  if (r->marks != 0) spec = (scan_spec)SCAN_SEGMENTED_REDUCE_MARKED_INIT(r->marks, r->type, r->op);
  struct rng rng = { 0x5e9u + (uint32_t)number };
  const uint64_t n = are_few() && r->n > 4000 ? 4000 : r->n;
  row scaled = *r;
  scaled.n = n;
  division d = divide(&rng, &scaled);
  if (r->marks != 0) drop_empty(&d);
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
  void *begins = r->marks != 0 ? marks_of(&d, n, r->marks) : narrow(d.begins, d.segments + 1, r->offset_type);
  void *ends = narrow(d.ends, d.segments, r->offset_type);
  const uint64_t marks_bytes = r->marks == SCAN_SEGMENTS_FLAGS  ? n
                               : r->marks == SCAN_SEGMENTS_BITS ? (n + 31) / 32 * 4
                                                                : (d.segments + 1) * offset_bytes;
  uint64_t count = 0;
  memset(got, 0x5a, d.segments * bytes);
  scan_segmented_reduce_args args =
      SCAN_SEGMENTED_REDUCE_ARGS_INIT(place_of(r->place, in, n * in_bytes), place_of(r->place, begins, marks_bytes),
                                      d.segments, place_of(r->place, got, d.segments * bytes));
  if (r->marks != 0) args.count = place_of(r->place, &count, sizeof count);
  if (d.has_holes) args.ends = place_of(r->place, ends, d.segments * offset_bytes);
  test_ok(ctx, scan_segmented_reduce(ctx, &spec, n, &args), "scan_segmented_reduce");
  if (r->place == ON_DEVICE) {
    test_ok(ctx, scan_read(ctx, args.out, got, d.segments * bytes), "scan_read");
    if (r->marks != 0) test_ok(ctx, scan_read(ctx, args.count, &count, sizeof count), "scan_read");
    if (r->marks != 0) test_ok(ctx, scan_free(ctx, args.count), "scan_free");
    test_ok(ctx, scan_free(ctx, args.values), "scan_free");
    test_ok(ctx, scan_free(ctx, args.begins), "scan_free");
    test_ok(ctx, scan_free(ctx, args.out), "scan_free");
    if (d.has_holes) test_ok(ctx, scan_free(ctx, args.ends), "scan_free");
  }
  if (r->marks != 0 && count != d.segments)
    test_fail("row %d: %llu segments, counted as %llu", number, (unsigned long long)d.segments,
              (unsigned long long)count);
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

/* The program's arguments, up to NULL. */
static char **wanted;

static int is_wanted(const row *r) {
  if (*wanted == NULL) return 1;
  if (r->op != SCAN_ADD || r->type != r->input_type || r->marks != 0) return 0;
  for (char **name = wanted; *name != NULL; name++)
    if (strcmp(*name, scan_type_name(r->type)) == 0) return 1;
  return 0;
}

static void test_rows(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (!is_wanted(&rows[i])) continue;
    if (!test_has_type(rows[i].type) || !test_has_type(rows[i].input_type)) {
      test_skipped("row %zu: no f64", i);
      continue;
    }
    if (are_few() && (i % (test_info()->loop_limit ? 16 : 4) != 1 || rows[i].n > MOST_OF_FEW)) continue;
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

/* ---- overflow ---- */

/* Segments of `length` elements, all 1 but those at the end of the first segment and the beginning of the second one,
 * with which both sums are the type's largest number. The element `at` makes the sum of its segment larger than that.
 */
typedef struct overflow_row {
  scan_type type;
  scan_segments marks; /* flags or bits; 0: offsets */
  scan_type offset_type;
  uint64_t n, length, at;
} overflow_row;

static const overflow_row overflow_rows[] = {
  { SCAN_I32, 0, SCAN_U32, 3000, 1000, 2500 },
  { SCAN_I32, SCAN_SEGMENTS_FLAGS, SCAN_U32, 3000, 1000, 2500 },
  { SCAN_U8, 0, SCAN_U32, 3001, 90, 3000 },
  { SCAN_U64, 0, SCAN_U64, 100003, 700, 99999 },
  { SCAN_I64, SCAN_SEGMENTS_BITS, SCAN_U32, 9001, 4096, 9000 },
  { SCAN_U32, 0, SCAN_U64, 300001, 150000, 299999 },
};

static division equal_parts(const overflow_row *r) {
  const uint64_t segments = (r->n + r->length - 1) / r->length;
  division d = { .begins = reference_alloc((segments + 1) * 8), .segments = segments };
  for (uint64_t s = 0; s <= segments; s++) d.begins[s] = s < segments ? s * r->length : r->n;
  return d;
}

static void run_overflow_row(const overflow_row *r, int number) {
  scan_ctx *ctx = test_ctx();
  const size_t bytes = reference_bytes(r->type);
  uint64_t at = UINT64_MAX;
  const division d = equal_parts(r);
  const uint64_t most = UINT64_MAX >> (64 - 8 * bytes + (r->type == SCAN_I32 || r->type == SCAN_I64)),
                 rest = most - (r->length - 1);
  unsigned char *in = reference_alloc(r->n * bytes), *got = reference_alloc(d.segments * bytes);
  void *begins = r->marks != 0 ? marks_of(&d, r->n, r->marks) : narrow(d.begins, d.segments + 1, r->offset_type);
  scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(r->offset_type, r->type, SCAN_ADD);
  if (r->marks != 0) spec = (scan_spec)SCAN_SEGMENTED_REDUCE_MARKED_INIT(r->marks, r->type, SCAN_ADD);
  scan_segmented_reduce_args args =
      SCAN_SEGMENTED_REDUCE_ARGS_INIT(scan_host(in), scan_host(begins), d.segments, scan_host(got));
  for (uint64_t i = 0; i < r->n * bytes; i++) in[i] = i % bytes == 0;
  memcpy(in + (r->length - 1) * bytes, &rest, bytes);
  memcpy(in + r->length * bytes, &rest, bytes);
  spec.flags = SCAN_CHECK_OVERFLOW;
  test_ok(ctx, scan_segmented_reduce(ctx, &spec, r->n, &args), "scan_segmented_reduce");
  test_ok(ctx, scan_sync(ctx), "scan_sync");
  for (uint64_t s = 0; s < d.segments; s++) {
    const uint64_t want = s < 2 ? most : d.begins[s + 1] - d.begins[s];
    if (memcmp(got + s * bytes, &want, bytes) != 0)
      test_fail("overflow row %d: sum %llu differs", number, (unsigned long long)s);
  }
  memcpy(in + r->at * bytes, &most, bytes);
  const scan_status status = scan_segmented_reduce(ctx, &spec, r->n, &args);
  if (status != SCAN_OVERFLOW || scan_overflow_index(ctx, &at) != SCAN_SUCCESS || at != r->at)
    test_fail("overflow row %d: %s at %llu", number, scan_status_name(status), (unsigned long long)at);
  args.ends = scan_host(begins);
  if (r->marks == 0 && scan_segmented_reduce(ctx, &spec, r->n, &args) != SCAN_UNSUPPORTED)
    test_fail("overflow row %d: checked with ends", number);
  free(in);
  free(got);
  free(begins);
  free(d.begins);
}

static void test_overflow(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof overflow_rows / sizeof overflow_rows[0]; i++) {
    if (are_few() && overflow_rows[i].n > 4000) continue;
    run_overflow_row(&overflow_rows[i], (int)i);
    test_ran();
  }
}

/* Segments for which there is no room are counted, and not written. */
static void test_room(void **state) {
  enum { N = 1000, ROOM = 3 };
  scan_ctx *ctx = test_ctx();
  float in[N], got[ROOM + 1] = { 0 };
  uint8_t flags[N] = { 0 };
  uint64_t count = 0;
  scan_plan *plan = NULL;
  const scan_spec spec = SCAN_SEGMENTED_REDUCE_MARKED_INIT(SCAN_SEGMENTS_FLAGS, SCAN_F32, SCAN_ADD);
  (void)state;
  for (int i = 0; i < N; i++) in[i] = 1, flags[i] = i % 100 == 0;
  test_ok(ctx, scan_plan_create_segmented_reduce(ctx, &spec, N, &plan), "scan_plan_create_segmented_reduce");
  scan_segmented_reduce_args args =
      SCAN_SEGMENTED_REDUCE_ARGS_INIT(place_of(ON_DEVICE, in, sizeof in), place_of(ON_DEVICE, flags, sizeof flags),
                                      ROOM, place_of(ON_DEVICE, got, sizeof got));
  args.count = place_of(ON_DEVICE, &count, sizeof count);
  test_ok(ctx, scan_plan_run_segmented_reduce(plan, N, &args), "scan_plan_run_segmented_reduce");
  test_ok(ctx, scan_read(ctx, args.out, got, sizeof got), "scan_read");
  test_ok(ctx, scan_read(ctx, args.count, &count, sizeof count), "scan_read");
  if (count != 10 || got[0] != 100 || got[2] != 100 || got[3] != 0)
    test_fail("%llu sums, %g, %g, %g", (unsigned long long)count, (double)got[0], (double)got[2], (double)got[3]);
  test_ok(ctx, scan_free(ctx, args.values), "scan_free");
  test_ok(ctx, scan_free(ctx, args.begins), "scan_free");
  test_ok(ctx, scan_free(ctx, args.out), "scan_free");
  test_ok(ctx, scan_free(ctx, args.count), "scan_free");
  scan_plan_destroy(plan);
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

/* Reduces two arrays alternately, so that a value of the previous call gives a wrong result. Segments cross tiles and
 * groups of tiles. */
static void test_turns(void **state) {
  enum { N = 4500001, LENGTH = 39333, SEGMENTS = N / LENGTH + 1, TURNS = 6 };
  scan_ctx *ctx = test_ctx();
  const scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, SCAN_U32, SCAN_ADD);
  uint32_t offsets[SEGMENTS + 1], want[2][SEGMENTS], got[SEGMENTS];
  scan_mem values[2];
  (void)state;
  if (are_few()) {
    test_skipped("two arrays alternately: too many elements");
    return;
  }
  uint32_t *in = reference_alloc(2 * (size_t)N * sizeof *in);
  memset(want, 0, sizeof want);
  for (uint32_t s = 0; s <= SEGMENTS; s++) offsets[s] = s < SEGMENTS ? s * LENGTH : N;
  for (uint32_t k = 0; k < 2; k++) {
    for (uint32_t i = 0; i < N; i++) {
      in[k * (size_t)N + i] = i % 1000 + k * 5000;
      want[k][i / LENGTH] += in[k * (size_t)N + i];
    }
    values[k] = place_of(ON_DEVICE, in + k * (size_t)N, N * sizeof *in);
  }
  scan_segmented_reduce_args args = SCAN_SEGMENTED_REDUCE_ARGS_INIT(
      values[0], place_of(ON_DEVICE, offsets, sizeof offsets), SEGMENTS, place_of(ON_DEVICE, got, sizeof got));
  for (int turn = 0; turn < TURNS; turn++) {
    args.values = values[turn % 2];
    test_ok(ctx, scan_segmented_reduce(ctx, &spec, N, &args), "scan_segmented_reduce");
    test_ok(ctx, scan_read(ctx, args.out, got, sizeof got), "scan_read");
    for (int s = 0; s < SEGMENTS; s++)
      if (got[s] != want[turn % 2][s]) test_fail("turn %d: sum %d is %u, not %u", turn, s, got[s], want[turn % 2][s]);
  }
  for (int k = 0; k < 2; k++) test_ok(ctx, scan_free(ctx, values[k]), "scan_free");
  test_ok(ctx, scan_free(ctx, args.begins), "scan_free");
  test_ok(ctx, scan_free(ctx, args.out), "scan_free");
  free(in);
  test_ran();
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows),      cmocka_unit_test(test_nothing),
                                      cmocka_unit_test(test_composite), cmocka_unit_test(test_overflow),
                                      cmocka_unit_test(test_room),      cmocka_unit_test(test_plan),
                                      cmocka_unit_test(test_turns) };
  wanted = argv + 1;
  test_device_open();
  if (argc > 1) return test_exit(_cmocka_run_group_tests("totals", tests, 1, NULL, NULL));
  return test_exit(cmocka_run_group_tests(tests, NULL, NULL));
}
