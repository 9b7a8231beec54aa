/* SPDX-License-Identifier: BSD-2-Clause */
/* SCAN_CHECK_OVERFLOW: the first output that its type does not hold, against a loop that stops there; sums that come
 * back in range; initial values, exclusive scans, widened sums, segments; where it is told, and that it is told once.
 */
#include "reference.h"
#include "support.h"
#include "values.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

static struct { struct rng rng; } bench = { { 0x0f10f10f } };

/* The step from a with b in a type; returns 1 where it overflows. */
static int step(scan_type type, scan_op_id op, scan_value a, scan_value b, scan_value *result) {
  memset(result, 0, sizeof *result);
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM:                                                                                                           \
    return op == SCAN_ADD ? __builtin_add_overflow(a.NAME, b.NAME, &result->NAME)                                      \
                          : __builtin_mul_overflow(a.NAME, b.NAME, &result->NAME);
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: test_fail("no integer");
  }
}

/* ends[0] is the lowest value of a type, ends[1] the highest. */
static void ends_of(scan_type type, scan_value ends[2]) {
  memset(ends, 0, 2 * sizeof *ends);
  switch (type) {
#define CASE(NAME, ENUM, T, LOW, HIGH)                                                                                 \
  case ENUM: ends[0].NAME = LOW, ends[1].NAME = HIGH; break;
    REFERENCE_INTEGERS(CASE)
#undef CASE
  default: break;
  }
}

static scan_value value_of(scan_type type, const void *in, uint64_t i) {
  scan_value v = { .u64 = 0 };
  memcpy(&v, (const unsigned char *)in + i * reference_bytes(type), reference_bytes(type));
  return v;
}

/* A widened element. */
static scan_value widened(scan_type from, scan_type to, const void *in, uint64_t i) {
  scan_value v = value_of(from, in, i);
  if (from == to) return v;
  if (from == SCAN_I8) v.i64 = v.i8;
  if (from == SCAN_I32) v.i64 = v.i32;
  return v;
}

/* The first output that is not exact; UINT64_MAX: none. heads may be NULL. */
static uint64_t first_overflow(const scan_spec *spec, uint64_t n, const void *in, const uint8_t *heads) {
  const scan_type from = spec->input_type ? spec->input_type : spec->type;
  const scan_value identity = { .u64 = spec->op == SCAN_MUL };
  scan_value acc = spec->has_init ? spec->init : identity;
  for (uint64_t i = 0; i < n; i++) {
    scan_value next;
    if (heads && heads[i]) acc = spec->has_init ? spec->init : identity;
    if (step(spec->type, spec->op, acc, widened(from, spec->type, in, i), &next)) {
      if (spec->kind == SCAN_INCLUSIVE) return i;
      if (i + 1 < n && !(heads && heads[i + 1])) return i + 1;
      if (!heads) return UINT64_MAX;
      while (i + 1 < n && !heads[i + 1]) i++; /* the rest of the segment, none where it ends here */
      continue;
    }
    acc = next;
  }
  return UINT64_MAX;
}

/* ---- one scan ---- */

static void expect_told(scan_status status, uint64_t want, const scan_spec *spec, uint64_t n, const char *where) {
  char text[TEST_TEXT];
  uint64_t index = 0;
  if (want == UINT64_MAX
          ? status == SCAN_SUCCESS
          : status == SCAN_OVERFLOW && scan_overflow_index(test_ctx(), &index) == SCAN_SUCCESS && index == want)
    return;
  test_fail("%s, n=%llu, %s: %s with index %llu, not %lld: %s", test_spec_text(spec, text), (unsigned long long)n,
            where, scan_status_name(status), (unsigned long long)index, (long long)want, scan_last_error(test_ctx()));
}

static void run_one(const scan_spec *spec, uint64_t n, const void *in, int in_place) {
  const size_t in_bytes = (size_t)n * reference_bytes(spec->input_type ? spec->input_type : spec->type);
  const size_t bytes = (size_t)n * reference_bytes(spec->type);
  const uint64_t first = first_overflow(spec, n, in, NULL);
  scan_spec plain = *spec;
  scan_plan *plan = NULL;
  scan_mem from, to;
  void *want = reference_alloc(bytes), *got = reference_alloc(bytes);
  plain.flags = 0;
  reference_scan(&plain, n, in, want);
  test_ok(test_ctx(), scan_alloc(test_ctx(), in_bytes, &from), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), bytes, &to), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), from, in, in_bytes), "scan_write");
  test_ok(test_ctx(), scan_plan_create(test_ctx(), spec, n, &plan), "scan_plan_create");
  if (!in_place) {
    test_ok(test_ctx(), scan_plan_run(plan, n, from, to), "scan_plan_run");
    expect_told(scan_sync(test_ctx()), first, spec, n, "scan_sync");
    test_ok(test_ctx(), scan_sync(test_ctx()), "scan_sync again");
    test_ok(test_ctx(), scan_run(test_ctx(), spec, n, from, to), "scan_run"); /* on the host backend, too */
    expect_told(scan_sync(test_ctx()), first, spec, n, "scan_sync after scan_run");
  } else {
    test_ok(test_ctx(), scan_plan_run(plan, n, from, from), "scan_plan_run");
  }
  const scan_status status = scan_read(test_ctx(), in_place ? from : to, got, bytes);
  expect_told(status, in_place ? first : UINT64_MAX, spec, n, "scan_read");
  if (memcmp(got, want, bytes) != 0) test_fail("the output is not what wraps around");
  scan_plan_destroy(plan);
  memset(got, 0, bytes);
  expect_told(scan_run(test_ctx(), spec, n, scan_host(in), scan_host(got)), first, spec, n, "scan_run");
  if (memcmp(got, want, bytes) != 0) test_fail("the output of scan_run is not what wraps around");
  test_ok(test_ctx(), scan_free(test_ctx(), from), "scan_free");
  test_ok(test_ctx(), scan_free(test_ctx(), to), "scan_free");
  free(want);
  free(got);
}

/* ---- many ---- */

static void put(scan_type type, void *in, uint64_t i, scan_value v) {
  memcpy((unsigned char *)in + i * reference_bytes(type), &v, reference_bytes(type));
}

/* Nothing, up to the highest (or lowest) value at element 0, and one step too far at element k; signed sums go back at
 * the next. k = n: no step too far. */
static void fill_edge(scan_type type, scan_op_id op, int high, uint64_t n, uint64_t k, void *in) {
  scan_value ends[2], one = { .u64 = 1 }, nothing = { .u64 = op == SCAN_MUL };
  const int is_signed = type % 2 == 1;
  ends_of(type, ends);
  for (uint64_t i = 0; i < n; i++) put(type, in, i, nothing);
  put(type, in, 0, ends[high || !is_signed]);
  if (k == 0 || k >= n) return;
  scan_value minus = { .u64 = UINT64_MAX }, two = { .u64 = 2 };
  if (op == SCAN_MUL) {
    put(type, in, k, high ? two : minus);
    return;
  }
  put(type, in, k, high || !is_signed ? one : minus);
  if (k + 1 < n && is_signed) put(type, in, k + 1, high ? minus : one);
}

static void run_type(scan_type type, scan_type input, scan_op_id op) {
  static const uint64_t sizes[] = { 1, 2, 300, 5001, 70003, 600011 };     /* the last one is pipelined */
  const uint64_t most = test_info()->loop_limit                      ? 10 /* llvmpipe builds a plan in seconds */
                        : test_has_strategy(SCAN_STRATEGY_PIPELINED) ? UINT64_MAX
                                                                     : 100000;
  scan_value ends[2];
  ends_of(type, ends);
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (int kind = 0; kind < 2; kind++) {
      const uint64_t n = sizes[s], places[] = { 0, 1, n / 2, n - 1, n };
      scan_spec spec = SCAN_SPEC_INIT(type, op, kind ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE);
      spec.input_type = input;
      spec.flags = SCAN_CHECK_OVERFLOW;
      if (n > most || (test_info()->loop_limit && n == 1)) continue;
      void *in = reference_alloc((size_t)n * 8);
      if (n > 100000) spec.strategy = SCAN_STRATEGY_PIPELINED;
      for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        fill_edge(input, op, (int)(p + s) % 2, n, places[p], in);
        run_one(&spec, n, in, p % 2 && input == type);
      }
      values_fill(&bench.rng, input, op, n, n, in); /* overflows soon */
      run_one(&spec, n, in, 0);
      spec.has_init = 1;
      spec.init = ends[1];
      run_one(&spec, n, in, 0);
      free(in);
    }
  test_ran();
}

static const struct subject {
  const char *name;
  scan_type type, input;
  scan_op_id op;
} subjects[] = { { "add i32", SCAN_I32, SCAN_I32, SCAN_ADD },     { "mul i64", SCAN_I64, SCAN_I64, SCAN_MUL },
                 { "add u8", SCAN_U8, SCAN_U8, SCAN_ADD },        { "add i8", SCAN_I8, SCAN_I8, SCAN_ADD },
                 { "mul i8", SCAN_I8, SCAN_I8, SCAN_MUL },        { "mul u8", SCAN_U8, SCAN_U8, SCAN_MUL },
                 { "add i16", SCAN_I16, SCAN_I16, SCAN_ADD },     { "mul i16", SCAN_I16, SCAN_I16, SCAN_MUL },
                 { "add u16", SCAN_U16, SCAN_U16, SCAN_ADD },     { "mul u16", SCAN_U16, SCAN_U16, SCAN_MUL },
                 { "mul i32", SCAN_I32, SCAN_I32, SCAN_MUL },     { "add u32", SCAN_U32, SCAN_U32, SCAN_ADD },
                 { "mul u32", SCAN_U32, SCAN_U32, SCAN_MUL },     { "add i64", SCAN_I64, SCAN_I64, SCAN_ADD },
                 { "add u64", SCAN_U64, SCAN_U64, SCAN_ADD },     { "mul u64", SCAN_U64, SCAN_U64, SCAN_MUL },
                 { "add i32<-i8", SCAN_I32, SCAN_I8, SCAN_ADD },  { "add u64<-u32", SCAN_U64, SCAN_U32, SCAN_ADD },
                 { "add i64<-i32", SCAN_I64, SCAN_I32, SCAN_ADD } };
enum { SUBJECTS = sizeof subjects / sizeof subjects[0], FEW = 3 };

static void test_subject(void **state) {
  const struct subject *s = *state;
  run_type(s->type, s->input, s->op);
}

/* Each segment by itself. */
static void test_segments(void **state) {
  (void)state;
  enum { N = 9001 };
  static int8_t in[N], out[N];
  static uint8_t heads[N];
  for (int round = 0; round < 6; round++)
    for (int kind = 0; kind < 2; kind++) {
      scan_spec spec = SCAN_SPEC_INIT(SCAN_I8, SCAN_ADD, kind ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE);
      spec.flags = SCAN_CHECK_OVERFLOW;
      for (int i = 0; i < N; i++) {
        heads[i] = i == 0 || rng_below(&bench.rng, 4) == 0;
        in[i] = (int8_t)(rng_below(&bench.rng, 21) - 10);
        if (round > 0 && rng_below(&bench.rng, 1500) == 0) in[i] = 125;
      }
      scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
      spec.segments = SCAN_SEGMENTS_FLAGS;
      args.marks = scan_host(heads);
      args.mark_count = N;
      expect_told(scan_run_args(test_ctx(), &spec, N, &args), first_overflow(&spec, N, in, heads), &spec, N,
                  "segments");
    }
}

/* What a plan has noted is told after it was destroyed: of several the least, once. */
static void test_destroyed_plans_tell(void **state) {
  (void)state;
  enum { N = 300 };
  static const int places[] = { 250, 17, 99 };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U8, SCAN_ADD, SCAN_INCLUSIVE);
  scan_mem memory;
  spec.flags = SCAN_CHECK_OVERFLOW;
  test_ok(test_ctx(), scan_alloc(test_ctx(), N, &memory), "scan_alloc");
  for (int i = 0; i < 3; i++) {
    uint8_t in[N] = { 255 };
    scan_plan *plan = NULL;
    in[places[i]] = 1;
    test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, N, &plan), "scan_plan_create");
    test_ok(test_ctx(), scan_write(test_ctx(), memory, in, N), "scan_write");
    test_ok(test_ctx(), scan_plan_run(plan, N, memory, memory), "scan_plan_run");
    scan_plan_destroy(plan);
  }
  expect_told(scan_sync(test_ctx()), 17, &spec, N, "scan_sync");
  test_ok(test_ctx(), scan_sync(test_ctx()), "scan_sync again");
  test_ok(test_ctx(), scan_free(test_ctx(), memory), "scan_free");
}

/* ---- backward ---- */

/* The index is that of the output, which is where the words say that something is wrong. */
static void check_backward(scan_kind kind, uint64_t n, uint64_t place) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U8, SCAN_ADD, kind);
  uint8_t *in = calloc(n, 1), *out = malloc(n);
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  const uint64_t index = n - 1 - place - (kind == SCAN_EXCLUSIVE);
  char words[64];
  assert_true(in != NULL && out != NULL);
  in[n - 1] = 255, in[n - 1 - place] = 1;
  spec.flags = SCAN_CHECK_OVERFLOW | SCAN_BACKWARD;
  expect_told(scan_run(test_ctx(), &spec, n, scan_host(in), scan_host(out)), index, &spec, n, "backward");
  assert_int_equal(out[index], 0);       /* wrapped around */
  assert_int_equal(out[index + 1], 255); /* and before it, in the order of the scan, is not */
  snprintf(words, sizeof words, "element %llu of the output", (unsigned long long)index);
  if (strstr(scan_last_error(test_ctx()), words) == NULL) test_fail("\"%s\"", scan_last_error(test_ctx()));
  options.chunk_items = 100;
  expect_told(scan_stream(test_ctx(), &spec, n, in, out, &options), index, &spec, n, "a backward stream");
  free(in);
  free(out);
}

/* Only what is left does not fit: its index is n, in both directions. */
static void check_left(uint32_t flags) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U8, SCAN_ADD, SCAN_EXCLUSIVE);
  const uint8_t in[3] = { 128, 0, 128 };
  uint8_t out[3], left = 7;
  scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  spec.flags = SCAN_CHECK_OVERFLOW | flags;
  args.carry_out = scan_host(&left);
  expect_told(scan_run_args(test_ctx(), &spec, 3, &args), 3, &spec, 3, "what is left");
  assert_int_equal(left, 0);
}

/* One plan, several scans between two waits, of one n and of several. */
static void check_pending(void) {
  enum { N = 300 };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U8, SCAN_ADD, SCAN_INCLUSIVE);
  const uint64_t ns[] = { N, N, 100, 100 };
  uint8_t in[N] = { 0 };
  scan_plan *plan = NULL;
  scan_mem memory;
  spec.flags = SCAN_CHECK_OVERFLOW | SCAN_BACKWARD;
  test_ok(test_ctx(), scan_alloc(test_ctx(), N, &memory), "scan_alloc");
  test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, N, &plan), "scan_plan_create");
  for (int i = 0; i < 4; i++) { /* places 10, 20, 30 and, alone, 40 of 100 */
    const uint64_t n = ns[i];
    memset(in, 0, sizeof in);
    in[n - 1] = 255, in[n - 1 - 10 * (uint64_t)(i + 1)] = 1;
    test_ok(test_ctx(), scan_write(test_ctx(), memory, in, N), "scan_write");
    test_ok(test_ctx(), scan_plan_run(plan, n, memory, memory), "scan_plan_run");
    if (i == 2) expect_told(scan_sync(test_ctx()), N - 1 - 10, &spec, N, "several scans");
    if (i == 3) expect_told(scan_sync(test_ctx()), 100 - 1 - 40, &spec, 100, "one scan");
  }
  scan_plan_destroy(plan);
  test_ok(test_ctx(), scan_free(test_ctx(), memory), "scan_free");
}

static void test_backward(void **state) {
  (void)state;
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
    check_backward((scan_kind)kind, 10, 4);
    check_backward((scan_kind)kind, 1000, 99);
    check_backward((scan_kind)kind, 1000, 998 - (uint64_t)kind);
    check_backward((scan_kind)kind, 5001, 3333);
  }
  check_left(0);
  check_left(SCAN_BACKWARD);
  check_pending();
}

static void test_refusals(void **state) {
  (void)state;
  const scan_spec specs[] = { SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE),
                              SCAN_SPEC_INIT(SCAN_I32, SCAN_MAX, SCAN_INCLUSIVE),
                              SCAN_SPEC_INIT(SCAN_F16, SCAN_ADD, SCAN_INCLUSIVE) };
  scan_plan *plan = NULL;
  for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
    scan_spec spec = specs[i];
    spec.flags = SCAN_CHECK_OVERFLOW;
    assert_int_equal(scan_plan_create(test_ctx(), &spec, 10, &plan), SCAN_INVALID_ARGUMENT);
    assert_non_null(strstr(scan_last_error(test_ctx()), "sums and products of integers"));
  }
  scan_ctx *fresh = test_ctx_new();
  uint64_t index;
  assert_int_equal(scan_overflow_index(fresh, &index), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_overflow_index(fresh, NULL), SCAN_INVALID_ARGUMENT);
  scan_ctx_destroy(fresh);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  struct CMUnitTest tests[4 + SUBJECTS] = { TEST(test_refusals), TEST(test_segments), TEST(test_destroyed_plans_tell),
                                            TEST(test_backward) };
  size_t count = 4;
  test_share();
  test_device_open();
  for (size_t i = 0; i < (test_compiles_quickly() ? SUBJECTS : test_info()->loop_limit ? 1 : FEW); i++)
    tests[count++] = (struct CMUnitTest){ subjects[i].name, test_subject, NULL, NULL, (void *)&subjects[i] };
  return test_exit(_cmocka_run_group_tests("overflow", tests, test_shared(tests, count), NULL, NULL));
}
