/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks what no case can describe: scans worked out by hand, NaN and zero keys, scans of no elements without memory,
 * and adjacent memory. */
#include <scanrt/scan_array.h>
#include <scanrt/scan_runs.h>

#include "reference.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 16 };

static struct { scan_mem a, b; } fixture;

static scan_mem mem_none(void) { return SCAN_NO_MEM; }

/* ---- scans worked out by hand ---- */

/* A scan of three f32. It checks the oracle as well. */
struct worked {
  scan_op_id op;
  scan_kind kind;
  float in[3], out[3];
};

static const struct worked worked_examples[] = {
  { SCAN_ADD, SCAN_INCLUSIVE, { -0.0F, -0.0F, 0.0F }, { -0.0F, -0.0F, 0.0F } },
  { SCAN_ADD, SCAN_EXCLUSIVE, { -0.0F, -0.0F, 1.0F }, { 0.0F, 0.0F, 0.0F } },
  { SCAN_ADD, SCAN_INCLUSIVE, { INFINITY, 1.0F, -INFINITY }, { INFINITY, INFINITY, NAN } },
  { SCAN_MUL, SCAN_EXCLUSIVE, { -0.0F, 2.0F, 1.0F }, { 1.0F, -0.0F, -0.0F } },
  { SCAN_MUL, SCAN_INCLUSIVE, { 0x1p100F, 0x1p100F, -1.0F }, { 0x1p100F, INFINITY, -INFINITY } },
  { SCAN_MIN, SCAN_INCLUSIVE, { 0.0F, -0.0F, -1.0F }, { 0.0F, 0.0F, -1.0F } },
  { SCAN_MIN, SCAN_INCLUSIVE, { 1.0F, NAN, -INFINITY }, { 1.0F, NAN, NAN } },
  { SCAN_MIN, SCAN_EXCLUSIVE, { 3.0F, 2.0F, 1.0F }, { INFINITY, 3.0F, 2.0F } },
  { SCAN_MAX, SCAN_INCLUSIVE, { -0.0F, 0.0F, -1.0F }, { -0.0F, -0.0F, -0.0F } },
  { SCAN_MAX, SCAN_INCLUSIVE, { -1.0F, NAN, INFINITY }, { -1.0F, NAN, NAN } },
  { SCAN_MAX, SCAN_EXCLUSIVE, { 1.0F, 2.0F, 3.0F }, { -INFINITY, 1.0F, 2.0F } },
};

static void test_worked_examples(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof worked_examples / sizeof worked_examples[0]; i++) {
    const struct worked *w = &worked_examples[i];
    const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, w->op, w->kind);
    float out[3], oracle[3];
    test_ok(test_ctx(), scan_run(test_ctx(), &spec, 3, scan_host(w->in), scan_host(out)), "scan_run");
    reference_scan(&spec, 3, w->in, oracle);
    if (reference_mismatch(SCAN_F32, 3, out, w->out) != 3) test_fail("worked example %zu is wrong", i);
    if (reference_mismatch(SCAN_F32, 3, oracle, w->out) != 3) test_fail("the oracle has example %zu wrong", i);
  }
}

/* ---- NaNs ---- */

enum { CANONICAL_NAN = 0x7fc00000 };

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Checks that x[from..to - 1] are NaNs, and that every NaN of x is the canonical one. */
static void check_nans(const char *what, const float *x, uint64_t n, uint64_t from, uint64_t to) {
  for (uint64_t i = 0; i < n; i++)
    if (isnan(x[i]) ? bits_of(x[i]) != CANONICAL_NAN : i >= from && i < to)
      test_fail("%s: element %llu is 0x%x", what, (unsigned long long)i, (unsigned)bits_of(x[i]));
}

/* NaNs of the input, quiet and signalling ones, at the beginning and in the middle of tiles. */
static void test_nans_of_the_input(void **state) {
  static const uint32_t nans[] = { 0xffc12345u, 0x7fffffffu, 0xff800001u };
  enum { N = 70001 };
  float *in = malloc(N * sizeof *in), *out = malloc(N * sizeof *out);
  (void)state;
  for (uint64_t k = 0; k < 9; k++) {
    const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, k % 2 ? SCAN_MUL : SCAN_ADD, SCAN_INCLUSIVE);
    const uint64_t at = k % 3 == 0 ? 0 : k % 3 == 1 ? 1000 : 50003;
    for (uint64_t i = 0; i < N; i++) in[i] = i == at ? float_of(nans[k / 3]) : 1.0F;
    test_ok(test_ctx(), scan_run(test_ctx(), &spec, N, scan_host(in), scan_host(out)), "scan_run");
    check_nans("NaN of the input", out, N, at, N);
  }
  free(in);
  free(out);
}

/* Partial sums that are infinite, of both signs, in a row whose total is finite: a NaN in some of its results alone. */
static void test_nans_of_partial_sums(void **state) {
  static const float tens[] = { -1, -1, 1, 1, 1, 1, -1, -1, -1, -1, 1, 1 };
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  enum { N = 4096, ROW = 128 };
  float in[N] = { 0 }, out[N] = { 0 };
  (void)state;
  for (size_t l = 0; l < sizeof tens / sizeof tens[0]; l++) in[2 * ROW + 4 * l] = tens[l] * 1e38F;
  test_ok(test_ctx(), scan_run(test_ctx(), &spec, N, scan_host(in), scan_host(out)), "scan_run");
  check_nans("partial sums", out, N, 2 * ROW + 56, 2 * ROW + 60);
  if (isnan(out[N - 1])) test_fail("the total of partial sums is a NaN");
}

static void test_nans_of_runs(void **state) {
  static const uint32_t keys[] = { 1, 2, 2, 3, 3, 4 };
  enum { N = sizeof keys / sizeof keys[0] };
  const float in[N] = { float_of(0xffc12345u), 1.0F, float_of(0x7fc00001u), INFINITY, -INFINITY, 2.0F };
  const scan_spec spec = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
  float out[N] = { 0 };
  uint64_t count = 0;
  const scan_reduce_by_key_args args =
      SCAN_REDUCE_BY_KEY_ARGS_INIT(scan_host(keys), scan_host(in), mem_none(), scan_host(out), scan_host(&count));
  (void)state;
  test_ok(test_ctx(), scan_reduce_by_key(test_ctx(), &spec, N, &args), "scan_reduce_by_key");
  if (count != 4) test_fail("%llu runs", (unsigned long long)count);
  check_nans("sums of runs", out, 4, 0, 3);
}

static void test_exclusive_starts_with_the_seed(void **state) {
  static const double seeds[] = { +0.0, 1.0, (double)INFINITY, -(double)INFINITY };
  const double in[2] = { -0.0, -0.0 };
  (void)state;
  for (int op = SCAN_ADD; op <= SCAN_MAX && test_has_type(SCAN_F64); op++) {
    scan_spec spec = SCAN_SPEC_INIT(SCAN_F64, (scan_op_id)op, SCAN_EXCLUSIVE);
    double out[2];
    test_ok(test_ctx(), scan_run(test_ctx(), &spec, 2, scan_host(in), scan_host(out)), "scan_run");
    if (reference_mismatch(SCAN_F64, 1, out, &seeds[op - SCAN_ADD]) != 1) test_fail("seed of operator %d", op);
    spec.has_init = 1;
    spec.init.f64 = -0.0;
    test_ok(test_ctx(), scan_run(test_ctx(), &spec, 2, scan_host(in), scan_host(out)), "scan_run");
    if (reference_mismatch(SCAN_F64, 1, out, &spec.init) != 1) test_fail("init of operator %d", op);
  }
}

/* Keys are compared as in C. */
static void test_keys(void **state) {
  enum { N = 14 };
  const float tiny = 1e-45f;
  const float keys[N] = { NAN,       NAN,       0.0f,     -0.0f, tiny, tiny, -tiny,
                          -INFINITY, -INFINITY, INFINITY, 2.0f,  2.0f, NAN,  2.0f };
  const uint32_t ones[N] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  const uint32_t want[N] = { 1, 1, 1, 2, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1 };
  double doubles[N];
  uint32_t out[N];
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_args args = SCAN_ARGS_INIT(scan_host(ones), scan_host(out));
  (void)state;
  for (int i = 0; i < N; i++) doubles[i] = (double)keys[i];
  doubles[4] = doubles[5] = 5e-324, doubles[6] = -5e-324;
  spec.segments = SCAN_SEGMENTS_KEYS;
  args.mark_count = N;
  for (spec.key_type = SCAN_F32; spec.key_type <= SCAN_F64; spec.key_type++) {
    args.marks = spec.key_type == SCAN_F32 ? scan_host(keys) : scan_host(doubles);
    test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, N, &args), "scan_run_args");
    assert_memory_equal(out, want, sizeof want);
  }
}

/* ---- scans of no elements ---- */

static void test_no_elements_in_segments(void **state) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_MUL, SCAN_INCLUSIVE);
  const scan_mem nowhere = scan_host(NULL);
  (void)state;
  for (int kind = SCAN_SEGMENTS_FLAGS; kind <= SCAN_SEGMENTS_OFFSETS; kind++) {
    scan_args args = SCAN_ARGS_INIT(nowhere, nowhere);
    scan_plan *plan = NULL;
    uint32_t left = 7;
    spec.segments = (scan_segments)kind;
    spec.key_type = kind < SCAN_SEGMENTS_KEYS ? SCAN_TYPE_DEFAULT : SCAN_U32;
    test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, 0, &plan), "scan_plan_create");
    test_ok(test_ctx(), scan_plan_run(plan, 0, nowhere, nowhere), "scan_plan_run");
    scan_plan_destroy(plan);
    args.marks = nowhere;
    args.carry_out = scan_host(&left);
    test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, 0, &args), "scan_run_args");
    assert_int_equal(left, 1); /* the identity */
    spec.kind = spec.kind == SCAN_INCLUSIVE ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE;
  }
}

/* A total of no elements is the identity or the initial value. */
static void test_total_of_nothing(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_MIN, SCAN_TOTAL);
  const scan_mem slots[] = { fixture.a, scan_offset(fixture.a, 64), scan_offset(fixture.a, 128) };
  int32_t got = 1;
  (void)state;
  test_ok(ctx, scan_run(ctx, &spec, 0, mem_none(), scan_host(&got)), "scan_run");
  assert_int_equal(got, INT32_MAX);
  spec.has_init = 1;
  spec.init.i32 = 77;
  test_ok(ctx, scan_run(ctx, &spec, 0, mem_none(), slots[0]), "scan_run");
  spec.has_init = 0;
  for (int by_plan = 0; by_plan < 2; by_plan++) {
    scan_args args = SCAN_ARGS_INIT(mem_none(), slots[1]);
    scan_plan *plan = NULL;
    args.carry_in = slots[0];
    args.carry_out = slots[2];
    test_ok(ctx, scan_plan_create(ctx, &spec, 0, &plan), "scan_plan_create");
    test_ok(ctx, by_plan ? scan_plan_run_args(plan, 0, &args) : scan_run_args(ctx, &spec, 0, &args), "a total");
    scan_plan_destroy(plan);
    for (int i = 0; i < 3; i++) {
      test_ok(ctx, scan_read(ctx, slots[i], &got, 4), "scan_read");
      assert_int_equal(got, 77);
    }
  }
}

/* The initial value of a total of halves is a half, on the device and on the host. */
static void test_total_of_no_halves(void **state) {
  static const uint16_t one_and_a_half = 0x3e00;
  scan_ctx *ctx = test_ctx();
  scan_spec spec = SCAN_SPEC_INIT(SCAN_F16, SCAN_ADD, SCAN_TOTAL);
  uint16_t got[2] = { 7, 7 };
  (void)state;
  spec.has_init = 1;
  spec.init_bytes = &one_and_a_half;
  const scan_status status = scan_run(ctx, &spec, 0, fixture.a, fixture.b);
  if (status == SCAN_UNSUPPORTED) {
    test_skipped("f16: %s", scan_last_error(ctx));
    return;
  }
  test_ok(ctx, status, "scan_run");
  test_ok(ctx, scan_read(ctx, fixture.b, &got[0], 2), "scan_read");
  test_ok(ctx, scan_run(ctx, &spec, 0, scan_host(got), scan_host(&got[1])), "scan_run");
  assert_int_equal(got[0], one_and_a_half);
  assert_int_equal(got[1], one_and_a_half);
  test_ran();
}

static scan_array packed(const scan_spec *spec, uint64_t rows, uint64_t columns, uint32_t axis) {
  const uint64_t shape[] = { rows, columns };
  scan_array array = SCAN_ARRAY_INIT;
  test_ok(NULL, scan_array_packed(spec, 2, shape, axis, &array), "scan_array_packed");
  return array;
}

static void test_empty_arrays(void **state) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  (void)state;
  for (uint64_t rows = 0; rows <= 20; rows += 20) {
    const scan_array array = packed(&spec, rows, 20 - rows, 1);
    scan_plan *plan = NULL;
    test_ok(test_ctx(), scan_run_array(test_ctx(), &spec, &array, mem_none(), mem_none()), "scan_run_array");
    test_ok(test_ctx(), scan_plan_create_array(test_ctx(), &spec, &array, &plan), "scan_plan_create_array");
    test_ok(test_ctx(), scan_plan_run_array(plan, mem_none(), mem_none()), "scan_plan_run_array");
    scan_plan_destroy(plan);
  }
}

/* Totals of packed arrays by plans: of lines that have elements, and of lines that have none. */
static void test_array_totals(void **state) {
  enum { ROWS = 20, COLUMNS = 30 };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_TOTAL);
  int32_t numbers[ROWS * COLUMNS], got[COLUMNS];
  (void)state;
  for (int i = 0; i < ROWS * COLUMNS; i++) numbers[i] = i * i;
  test_ok(test_ctx(), scan_write(test_ctx(), fixture.a, numbers, sizeof numbers), "scan_write");
  spec.has_init = 1;
  spec.init.i32 = 7;
  for (uint32_t axis = 0; axis < 2; axis++)
    for (uint64_t rows = 0; rows <= ROWS; rows += ROWS) {
      const scan_array array = packed(&spec, rows, COLUMNS, axis);
      const uint64_t totals = axis == 0 ? COLUMNS : rows;
      scan_plan *plan = NULL;
      scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
      test_ok(test_ctx(), scan_plan_create_array(test_ctx(), &spec, &array, &plan), "scan_plan_create_array");
      test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
      assert_int_equal(facts.launches, totals != 0);
      for (int run = 0; run < 2; run++) {
        memset(got, 0, sizeof got);
        test_ok(test_ctx(), scan_write(test_ctx(), fixture.b, got, sizeof got), "scan_write");
        test_ok(test_ctx(), scan_plan_run_array(plan, fixture.a, fixture.b), "scan_plan_run_array");
        test_ok(test_ctx(), scan_read(test_ctx(), fixture.b, got, sizeof got), "scan_read");
        for (uint64_t k = 0; k < COLUMNS; k++) {
          int32_t total = k < totals ? 7 : 0;
          for (uint64_t i = 0; i < (axis == 0 ? rows : COLUMNS) && k < totals; i++)
            total += numbers[axis == 0 ? i * COLUMNS + k : k * COLUMNS + i];
          assert_int_equal(got[k], total);
        }
      }
      scan_plan_destroy(plan);
    }
}

/* ---- adjacent memory ---- */

/* Two carries are adjacent in one memory; a carry is read from the output before that is written; the input is also the
 * keys. */
static void test_memory(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  const scan_spec wide = SCAN_SPEC_INIT(SCAN_I64, SCAN_ADD, SCAN_INCLUSIVE);
  scan_args args = SCAN_ARGS_INIT(fixture.a, fixture.b);
  int32_t numbers[16];
  (void)state;
  for (int i = 0; i < 16; i++) numbers[i] = 100 + i / 3;
  test_ok(ctx, scan_write(ctx, fixture.a, numbers, sizeof numbers), "scan_write");
  test_ok(ctx, scan_write(ctx, fixture.b, numbers, sizeof numbers), "scan_write");
  args.carry_in = scan_offset(fixture.b, 64);
  args.carry_out = scan_offset(fixture.b, 64 + 8);
  test_ok(ctx, scan_run_args(ctx, &wide, 0, &args), "scan_run_args over nothing");
  args = (scan_args)SCAN_ARGS_INIT(fixture.a, fixture.b);
  args.carry_in = scan_offset(fixture.b, 8 * 4);
  test_ok(ctx, scan_run_args(ctx, &spec, 9, &args), "scan_run_args with a carry from out");
  test_ok(ctx, scan_read(ctx, fixture.b, numbers, 4), "scan_read");
  assert_int_equal(numbers[0], 102);
  spec.segments = SCAN_SEGMENTS_KEYS;
  spec.key_type = SCAN_I32;
  args = (scan_args)SCAN_ARGS_INIT(fixture.a, fixture.b);
  args.marks = fixture.a;
  args.mark_count = 16;
  test_ok(ctx, scan_run_args(ctx, &spec, 16, &args), "scan_run_args by its own keys");
  test_ok(ctx, scan_read(ctx, fixture.b, numbers, sizeof numbers), "scan_read");
  for (int i = 0; i < 16; i++) assert_int_equal(numbers[i], i % 3 * (100 + i / 3));
}

/* Input and output may be interleaved in one memory if no elements overlap. */
static void test_interleaved(void **state) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_array array = packed(&spec, 100, 10, 1);
  const scan_mem mem = fixture.a;
  (void)state;
  for (int i = 0; i < 2; i++) array.in_strides[i] *= 2, array.out_strides[i] *= 2;
  test_ok(test_ctx(), scan_run_array(test_ctx(), &spec, &array, mem, scan_offset(mem, 4)), "every other element");
  array = packed(&spec, 100, 10, 0);
  array.in_strides[0] = array.out_strides[0] = 80;
  test_ok(test_ctx(), scan_run_array(test_ctx(), &spec, &array, mem, scan_offset(mem, 40)), "every other row");
  test_ok(test_ctx(), scan_sync(test_ctx()), "scan_sync");
}

/* The marks begin at the end of an output that is written backward from there. */
static void test_beside(void **state) {
  enum { N = 3000 };
  static uint8_t numbers[N];
  scan_ctx *ctx = test_ctx();
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U8, SCAN_ADD, SCAN_INCLUSIVE);
  scan_array array = SCAN_ARRAY_INIT;
  scan_args args = SCAN_ARGS_INIT(scan_offset(fixture.a, N - 1), scan_offset(fixture.b, N - 1));
  (void)state;
  array.ndim = 1;
  array.shape[0] = N;
  array.in_strides[0] = array.out_strides[0] = -1;
  spec.segments = SCAN_SEGMENTS_FLAGS;
  args.marks = scan_offset(fixture.b, N);
  args.mark_count = N;
  test_ok(ctx, scan_write(ctx, args.marks, numbers, N), "scan_write");
  memset(numbers, 1, N);
  test_ok(ctx, scan_write(ctx, fixture.a, numbers, N), "scan_write");
  test_ok(ctx, scan_run_array_args(ctx, &spec, &array, &args), "scan_run_array_args");
  test_ok(ctx, scan_read(ctx, fixture.b, numbers, N), "scan_read");
  for (int i = 0; i < N; i++) assert_int_equal(numbers[N - 1 - i], (i + 1) % 256);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_worked_examples),
    TEST(test_nans_of_the_input),
    TEST(test_nans_of_partial_sums),
    TEST(test_nans_of_runs),
    TEST(test_exclusive_starts_with_the_seed),
    TEST(test_keys),
    TEST(test_no_elements_in_segments),
    TEST(test_total_of_nothing),
    cmocka_unit_test(test_total_of_no_halves),
    TEST(test_empty_arrays),
    TEST(test_array_totals),
    TEST(test_memory),
    TEST(test_interleaved),
    TEST(test_beside),
  };
  scan_ctx *ctx = test_device_open();
  test_ok(ctx, scan_alloc(ctx, BYTES, &fixture.a), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, BYTES, &fixture.b), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("scan_api", tests, NULL, NULL));
}
