/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks what no case can describe: scans worked out by hand, NaN and zero keys, scans of no elements without memory,
 * adjacent memory, facts of plans, and the operands of an operator from source. */
#include <scanrt/scan_array.h>
#include <scanrt/scan_runs.h>

#include "operators.h"
#include "reference.h"
#include "support.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRATEGIES = SCAN_STRATEGY_RAKING + 1, BYTES = 1 << 16 };

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

/* ---- plans ---- */

/* Returns the facts of a plan, or zeros if the device refuses it with a reason. */
static scan_plan_facts facts_of(const scan_spec *spec, uint64_t n) {
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create(test_ctx(), spec, n, &plan);
  if (status == SCAN_UNSUPPORTED && strlen(scan_last_error(test_ctx())) > 10) return facts;
  test_ok(test_ctx(), status, "scan_plan_create");
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  scan_plan_destroy(plan);
  return facts;
}

static void test_strategies(void **state) {
  (void)state;
  for (int s = SCAN_STRATEGY_AUTO; s < STRATEGIES; s++) {
    scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
    spec.strategy = (scan_strategy)s;
    const scan_plan_facts facts = facts_of(&spec, 1000);
    const scan_strategy got = (scan_strategy)facts.strategy;
    if (facts.tile_items == 0) {
      test_skipped("strategy %s: %s", scan_strategy_name(spec.strategy), scan_last_error(test_ctx()));
      if (s == SCAN_STRATEGY_AUTO) test_fail("AUTO is refused");
      continue;
    }
    if (got == SCAN_STRATEGY_AUTO || facts.reason[0] == '\0') test_fail("a plan has no strategy or no reason");
    if (s != SCAN_STRATEGY_AUTO && (int)got != s)
      test_fail("asked for %s, got %s: %s", scan_strategy_name(spec.strategy), scan_strategy_name(got), facts.reason);
    if (s == SCAN_STRATEGY_AUTO && test_info()->backend == SCAN_BACKEND_HOST && got != SCAN_STRATEGY_THREADS)
      test_fail("the host's AUTO is %s", scan_strategy_name(got));
    test_ran();
  }
}

/* AUTO supports every operator of every type of the device. With slow compilers only some are tried. */
static void test_types(void **state) {
  (void)state;
  for (int type = SCAN_I8; type <= SCAN_BF16; type++)
    for (int op = SCAN_ADD; op <= SCAN_XOR; op++) {
      const scan_spec spec = SCAN_SPEC_INIT((scan_type)type, (scan_op_id)op, op % 2 ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE);
      if (!reference_defined(spec.type, SCAN_TYPE_DEFAULT, spec.op) || !test_has_type(spec.type)) continue;
      if (!test_compiles_quickly() && (type + op) % 9 != 0) continue;
      if (facts_of(&spec, 1000).tile_items == 0)
        test_fail("%s of %s: %s", scan_op_name(spec.op), scan_type_name(spec.type), scan_last_error(test_ctx()));
    }
}

/* Strategies of the device support operators of every size; the pipelined scan only 1, 2, 4 and 8 bytes. */
static void test_sizes(void **state) {
  (void)state;
  for (size_t i = 0; i < (test_compiles_quickly() ? OPERATOR_CASES : 2); i++) {
    const source_structure *o = operator_at(i);
    const size_t bytes = o->source.value_bytes;
    scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
    test_ok(test_ctx(), scan_op_create(test_ctx(), &o->source, &spec.custom_op), "scan_op_create");
    for (int s = SCAN_STRATEGY_AUTO; s <= SCAN_STRATEGY_PIPELINED; s++) {
      const int is_refused = s == SCAN_STRATEGY_PIPELINED && (bytes > 8 || 16 % bytes != 0);
      spec.strategy = (scan_strategy)s;
      if (test_has_strategy(spec.strategy) && (facts_of(&spec, 1000).tile_items == 0) != is_refused)
        test_fail("operator %s, strategy %s: %s", o->name, scan_strategy_name(spec.strategy),
                  scan_last_error(test_ctx()));
    }
    scan_op_destroy(spec.custom_op);
  }
}

/* A total has the strategy, launches and span of its scan, and less work. */
static void test_launches(void **state) {
  static const uint64_t sizes[] = { 100, 9000, 20000, 1000000 };
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    scan_plan_facts facts[3];
    if (test_info()->loop_limit && sizes[i] > 20000) continue;
    for (int kind = SCAN_INCLUSIVE; kind <= SCAN_TOTAL; kind++) {
      const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, (scan_kind)kind);
      facts[kind] = facts_of(&spec, sizes[i]);
      assert_true(facts[kind].launches >= 1);
      assert_int_equal(facts[kind].launches, facts[0].launches);
      assert_int_equal(facts[kind].strategy, facts[0].strategy);
    }
    assert_int_equal(facts[SCAN_TOTAL].span, facts[SCAN_INCLUSIVE].span);
    if (sizes[i] == 9000) assert_true(facts[SCAN_TOTAL].work < facts[SCAN_INCLUSIVE].work);
  }
}

static void test_plan_of_an_array(void **state) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_array array = packed(&spec, 10, 20, 1);
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_plan *plan = NULL;
  (void)state;
  test_ok(test_ctx(), scan_plan_create_array(test_ctx(), &spec, &array, &plan), "scan_plan_create_array");
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  assert_true(facts.max_n == 20 && facts.tiles == 10 && facts.reason[0] != '\0' && facts.launches >= 1);
  scan_plan_destroy(plan);
}

/* ---- operands, counted ---- */

/* A link of a chain. `bad` counts operands that were not neighbours. */
typedef struct link_of {
  uint32_t first, next, bad, tag;
} link_of;
enum { LINK_TAG = 0x600d };

/* "%s" is a statement that runs for each wrong operand. */
static const char link_text[] =
    "typedef struct { uint32_t first, next, bad, tag; } link_of;\n"
    "static inline link_of link_combine(link_of a, link_of b) {\n"
    "  const uint32_t wrong = (a.next != b.first) + (a.tag != 0x600d) + (b.tag != 0x600d);\n"
    "  link_of c;\n"
    "  if (wrong != 0) { %s; }\n"
    "  c.first = a.first;\n"
    "  c.next = b.next;\n"
    "  c.bad = a.bad + b.bad + wrong;\n"
    "  c.tag = 0x600d;\n"
    "  return c;\n"
    "}\n";

static _Atomic uint32_t wrong_operands;

static void link_host(const void *a, const void *b, void *result, void *user) {
  const link_of *x = a, *y = b;
  const uint32_t wrong = (uint32_t)(x->next != y->first) + (x->tag != LINK_TAG) + (y->tag != LINK_TAG);
  (void)user;
  wrong_operands += wrong;
  *(link_of *)result = (link_of){ x->first, y->next, x->bad + y->bad + wrong, LINK_TAG };
}

/* Makes the operator. @param sees_host  1: kernels can count in host memory */
static scan_op *make_link(int sees_host) {
  static const link_of poison = { 77, 77, 0, 77 }; /* an identity that must not be combined */
  char text[1024], statement[160] = "(void)0";
  scan_op *op = NULL;
  if (sees_host)
    snprintf(statement, sizeof statement, "(void)atomic_inc((volatile __global uint *)%pul)", (void *)&wrong_operands);
  snprintf(text, sizeof text, link_text, statement);
  const scan_op_source source = { .struct_bytes = sizeof(scan_op_source),
                                  .text = text,
                                  .type = "link_of",
                                  .combine = "link_combine",
                                  .value_bytes = sizeof(link_of),
                                  .value_align = 4,
                                  .identity = &poison,
                                  .host = link_host };
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  return op;
}

/* Checks that the operator's facts are those of its source. */
static void check_facts(scan_op *op) {
  scan_op_facts facts = SCAN_OP_FACTS_INIT, none = { .struct_bytes = 0 };
  assert_int_equal(scan_op_info(op, &facts), SCAN_SUCCESS);
  assert_true(facts.value_bytes == sizeof(link_of) && facts.value_align == 4);
  assert_true(facts.input_bytes == sizeof(link_of) && facts.output_bytes == sizeof(link_of));
  assert_true(facts.has_identity && ((const link_of *)facts.identity)->tag == 77);
  assert_false(facts.maps || facts.emits || facts.is_predicate);
  assert_int_equal(scan_op_info(NULL, &facts), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_op_info(op, NULL), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_op_info(op, &none), SCAN_INVALID_ARGUMENT);
}

/* Scans links with poison around them, at an odd offset. */
static void run_links(const scan_spec *spec, uint64_t n) {
  enum { BEFORE = 13, BEHIND = 12 };
  const uint64_t bytes = (n + BEFORE + BEHIND) * sizeof(link_of);
  link_of *links = reference_alloc(bytes);
  scan_mem in, out;
  memset(links, 0xA5, bytes);
  for (uint32_t i = 0; i < n; i++) links[BEFORE + i] = (link_of){ i + 1, i + 2, 0, LINK_TAG };
  test_ok(test_ctx(), scan_alloc(test_ctx(), bytes, &in), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), bytes, &out), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), in, links, bytes), "scan_write");
  in = scan_offset(in, BEFORE * sizeof(link_of));
  test_ok(test_ctx(), scan_run(test_ctx(), spec, n, in, out), "scan_run");
  test_ok(test_ctx(), scan_read(test_ctx(), out, links, n * sizeof(link_of)), "scan_read");
  for (uint32_t i = 0; i < n; i++)
    if (links[i].first != 1 || links[i].next != i + 2 || links[i].bad != 0)
      test_fail("strategy %s, n=%llu: element %u is wrong", scan_strategy_name(spec->strategy), (unsigned long long)n,
                i);
  if (wrong_operands != 0)
    test_fail("strategy %s, n=%llu: the operator saw what are no elements in a row", scan_strategy_name(spec->strategy),
              (unsigned long long)n);
  in.offset_bytes = 0;
  test_ok(test_ctx(), scan_free(test_ctx(), in), "scan_free");
  test_ok(test_ctx(), scan_free(test_ctx(), out), "scan_free");
  free(links);
}

/* If kernels can access host memory, every application is counted, also those whose result is not used. */
static void test_operands(void **state) {
  const uint64_t sub = reference_subtile_items(sizeof(link_of)), tile = sub * reference_most_subtiles(sizeof(link_of));
  const uint64_t sizes[] = {
    1, 2, 17, 33, sub - 1, sub, sub + 1, tile - 1, tile, tile + 1, 3 * tile + 17, 128 * sub + 1
  };
  const link_of apart[] = { { 1, 2, 0, LINK_TAG }, { 5, 6, 0, LINK_TAG } };
  const int sees_host = strstr(test_selector(), "pocl") != NULL;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  link_of out[2];
  (void)state;
  if (!sees_host && test_info()->backend != SCAN_BACKEND_HOST) {
    test_skipped("operands are counted where kernels see the host's memory; in results: operator link");
    skip();
  }
  spec.custom_op = make_link(sees_host);
  check_facts(spec.custom_op);
  for (int s = SCAN_STRATEGY_AUTO; s < SCAN_STRATEGY_PIPELINED; s++) {
    spec.strategy = (scan_strategy)s;
    if (!test_has_strategy(spec.strategy)) continue;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
      if (!test_is_small() || sizes[i] <= 2500) run_links(&spec, sizes[i]);
    test_ran();
  }
  spec.strategy = SCAN_STRATEGY_AUTO; /* checks the counter: one element is out of place */
  test_ok(test_ctx(), scan_run(test_ctx(), &spec, 2, scan_host(apart), scan_host(out)), "scan_run");
  assert_int_equal(out[1].bad, 1);
  assert_true(wrong_operands > 0);
  scan_op_destroy(spec.custom_op);
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
    cmocka_unit_test(test_strategies),
    TEST(test_types),
    TEST(test_sizes),
    TEST(test_launches),
    TEST(test_plan_of_an_array),
    cmocka_unit_test(test_operands),
  };
  scan_ctx *ctx = test_device_open();
  test_ok(ctx, scan_alloc(ctx, BYTES, &fixture.a), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, BYTES, &fixture.b), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("scan_api", tests, NULL, NULL));
}
