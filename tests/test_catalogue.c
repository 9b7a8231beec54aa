/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests CUDA without NVRTC ($SCANRT_LIBNVRTC names no library): the catalogue's kernels with every strategy that has
 * them, and the refusals of all else, whose text names NVRTC. `test_catalogue plans`: only plans, for a driver that
 * runs no kernels. `test_catalogue scans`: no refusals. $SCANRT_TEST_ROWS: names of rows. */
#include <scanrt/scan_reduce.h>

#include "composites.h"
#include "reference.h"
#include "support.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct { struct rng rng; } fixture = { { 0xca7a106e } };

/* ---- the contents of the catalogue ---- */

/* ALL and ALL_FLAT: every strategy. LOOKS_BACK and FLAT: only look-back. The FLAT ones are without segments, the others
 * in segments. */
enum { ALL, ALL_FLAT, LOOKS_BACK, FLAT };
static const struct row {
  const char *name;
  int how;
  scan_type type;
  scan_op_id op;
  uint32_t flags;
  scan_composite composite;
} rows[] = {
#define ROW(name_, how_, type_, op_)                                                                                   \
  { .name = name_, .how = how_, .type = SCAN_##type_, .op = SCAN_##op_ }
#define CHECKED(name_, type_, op_)                                                                                     \
  { .name = name_, .how = FLAT, .type = SCAN_##type_, .op = SCAN_##op_, .flags = SCAN_CHECK_OVERFLOW }
#define COMPOSITE(name_, which_)                                                                                       \
  { .name = name_, .how = FLAT, .composite = SCAN_##which_ }
  ROW("u32_add", ALL, U32, ADD),
  ROW("i32_add", ALL, I32, ADD),
  ROW("f32_add", ALL, F32, ADD),
  ROW("u64_add", ALL, U64, ADD),
  ROW("i64_add", ALL, I64, ADD),
  ROW("f64_add", ALL, F64, ADD),
  ROW("f16_add", ALL_FLAT, F16, ADD),
  ROW("u32_min", LOOKS_BACK, U32, MIN),
  ROW("u32_max", LOOKS_BACK, U32, MAX),
  ROW("i32_min", LOOKS_BACK, I32, MIN),
  ROW("i32_max", LOOKS_BACK, I32, MAX),
  ROW("u64_min", LOOKS_BACK, U64, MIN),
  ROW("u64_max", LOOKS_BACK, U64, MAX),
  ROW("i64_min", LOOKS_BACK, I64, MIN),
  ROW("i64_max", LOOKS_BACK, I64, MAX),
  ROW("f32_min", LOOKS_BACK, F32, MIN),
  ROW("f32_max", LOOKS_BACK, F32, MAX),
  ROW("f64_min", LOOKS_BACK, F64, MIN),
  ROW("f64_max", LOOKS_BACK, F64, MAX),
  ROW("f16_min", FLAT, F16, MIN),
  ROW("f16_max", FLAT, F16, MAX),
  ROW("bf16_add", FLAT, BF16, ADD),
  ROW("bf16_min", FLAT, BF16, MIN),
  ROW("bf16_max", FLAT, BF16, MAX),
  CHECKED("u32_add_checked", U32, ADD),
  CHECKED("i32_add_checked", I32, ADD),
  CHECKED("u64_add_checked", U64, ADD),
  CHECKED("i64_add_checked", I64, ADD),
  CHECKED("u32_mul_checked", U32, MUL),
  CHECKED("i32_mul_checked", I32, MUL),
  CHECKED("u64_mul_checked", U64, MUL),
  CHECKED("i64_mul_checked", I64, MUL),
  COMPOSITE("affine_f32", AFFINE_F32),
  COMPOSITE("affine_f64", AFFINE_F64),
  COMPOSITE("complex_f32", COMPLEX_F32),
  COMPOSITE("complex_f64", COMPLEX_F64),
  COMPOSITE("complex_sum_f32", COMPLEX_SUM_F32),
  COMPOSITE("complex_sum_f64", COMPLEX_SUM_F64),
  COMPOSITE("sum_i128", SUM_I128),
  COMPOSITE("sum_u128", SUM_U128),
  COMPOSITE("compensated_f32", COMPENSATED_F32),
  COMPOSITE("compensated_f64", COMPENSATED_F64),
  COMPOSITE("logsumexp_f32", LOGSUMEXP_F32),
  COMPOSITE("argmin_f32", ARGMIN_F32),
  COMPOSITE("argmin_f64", ARGMIN_F64),
  COMPOSITE("argmin_i32", ARGMIN_I32),
  COMPOSITE("argmin_i64", ARGMIN_I64),
  COMPOSITE("argmax_f32", ARGMAX_F32),
  COMPOSITE("argmax_f64", ARGMAX_F64),
  COMPOSITE("argmax_i32", ARGMAX_I32),
  COMPOSITE("argmax_i64", ARGMAX_I64),
};
static const struct marking {
  const char *name;
  scan_segments kind;
  scan_type type;
  int makes_bits; /* 1 if a kernel common to all scans makes bits of the marks; tested at few n */
} tellings[] = {
  { "none", SCAN_SEGMENTS_NONE, SCAN_TYPE_DEFAULT, 0 }, { "flags", SCAN_SEGMENTS_FLAGS, SCAN_TYPE_DEFAULT, 0 },
  { "bits", SCAN_SEGMENTS_BITS, SCAN_TYPE_DEFAULT, 0 }, { "keys", SCAN_SEGMENTS_KEYS, SCAN_I32, 0 },
  { "keys", SCAN_SEGMENTS_KEYS, SCAN_U64, 1 },          { "keys", SCAN_SEGMENTS_KEYS, SCAN_F32, 1 },
  { "keys", SCAN_SEGMENTS_KEYS, SCAN_BF16, 1 },         { "keys", SCAN_SEGMENTS_KEYS, SCAN_U8, 1 },
  { "offsets", SCAN_SEGMENTS_OFFSETS, SCAN_U32, 0 },    { "offsets", SCAN_SEGMENTS_OFFSETS, SCAN_U64, 1 }
};
static const scan_strategy strategies[] = { SCAN_STRATEGY_AUTO, SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_BLOCK,
                                            SCAN_STRATEGY_PIPELINED };
enum {
  ROWS = sizeof rows / sizeof rows[0],
  TELLINGS = sizeof tellings / sizeof tellings[0],
  STRATEGIES = sizeof strategies / sizeof strategies[0],
  LOOK_BACK_STRATEGIES = 2
};

/* 1 if the variable is unset, or its list contains the word. */
static int is_wanted(const char *variable, const char *word) {
  const char *words = getenv(variable);
  const size_t length = strlen(word);
  for (const char *at = words; at != NULL; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) return 1;
  }
  return words == NULL;
}

/* Returns a scan of a row. `op` is the composite's operator on the context that runs the scan. */
static scan_spec spec_of(const struct row *row, const struct marking *t, scan_kind kind, scan_strategy strategy,
                         scan_op *op) {
  scan_spec spec = SCAN_SPEC_INIT(row->type, row->op, kind);
  spec.custom_op = op;
  spec.flags = row->flags;
  spec.segments = t->kind;
  spec.key_type = t->type;
  spec.strategy = strategy;
  return spec;
}

static scan_op *op_of(scan_ctx *ctx, const struct row *row) {
  scan_op *op = NULL;
  if (row->composite != SCAN_COMPOSITE_NONE)
    test_ok(ctx, scan_composite_create(ctx, row->composite, &op), "scan_composite_create");
  return op;
}

typedef void checker(const struct row *row, const struct marking *marking, const scan_spec *spec);

/* Calls `check` for each scan of a row whose strategy is to be tested. */
static void each_spec(const struct row *row, checker *check) {
  const int is_flat = row->how == ALL_FLAT || row->how == FLAT;
  const size_t count = row->how <= ALL_FLAT ? STRATEGIES : LOOK_BACK_STRATEGIES;
  scan_op *op = op_of(test_ctx(), row);
  for (size_t t = 0; t < TELLINGS; t++)
    for (size_t s = 0; s < count; s++)
      for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
        const scan_spec spec = spec_of(row, &tellings[t], (scan_kind)kind, strategies[s], op);
        if (is_flat == (tellings[t].kind == SCAN_SEGMENTS_NONE) && is_wanted("SCANRT_TEST_MARKS", tellings[t].name) &&
            test_takes_strategy(strategies[s]))
          check(row, &tellings[t], &spec);
      }
  scan_op_destroy(op);
}

static void each_row(checker *check) {
  for (size_t r = 0; r < ROWS; r++)
    if (is_wanted("SCANRT_TEST_ROWS", rows[r].name)) each_spec(&rows[r], check);
}

/* ---- plans ---- */

/* 0 if the marks do not fit the strategy's shared memory. */
static int has_room(const scan_spec *spec) {
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create(test_ctx(), spec, 1, &plan);
  if (status == SCAN_SUCCESS) scan_plan_destroy(plan);
  return status != SCAN_UNSUPPORTED || strstr(scan_last_error(test_ctx()), "do not fit its shared memory") == NULL;
}

static void check_plan(const struct row *row, const struct marking *marking, const scan_spec *spec) {
  scan_plan *plan = NULL;
  if (!has_room(spec)) return;
  if (scan_plan_create(test_ctx(), spec, UINT64_C(1) << 24, &plan) != SCAN_SUCCESS)
    test_fail("%s by %s of %d, strategy %s: %s", row->name, marking->name, (int)marking->type,
              scan_strategy_name(spec->strategy), scan_last_error(test_ctx()));
  scan_plan_destroy(plan);
  test_ran();
}

static void test_plans(void **state) {
  (void)state;
  each_row(check_plan);
}

/* Totals of segments by offsets. */
static void test_totals(void **state) {
  static const scan_type types[] = { SCAN_U32, SCAN_I32, SCAN_U64, SCAN_I64, SCAN_F32, SCAN_F64, SCAN_F16, SCAN_BF16 };
  (void)state;
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    scan_plan *plan = NULL;
    const scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, types[i], SCAN_ADD);
    test_ok(test_ctx(), scan_plan_create_segmented_reduce(test_ctx(), &spec, UINT64_C(1) << 30, &plan),
            "scan_plan_create_segmented_reduce");
    scan_plan_destroy(plan);
    test_ran();
  }
}

/* Checks the choice of AUTO for a large n: pipelined, or look-back for rows that only look-back has. */
static void check_strategy(const struct row *row, const struct marking *marking, const scan_spec *spec) {
  scan_plan *plan = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  const scan_strategy want = row->how <= ALL_FLAT ? SCAN_STRATEGY_PIPELINED : SCAN_STRATEGY_LOOKBACK;
  scan_spec pipelined = *spec;
  pipelined.strategy = SCAN_STRATEGY_PIPELINED;
  if (spec->strategy != SCAN_STRATEGY_AUTO || (row->how <= ALL_FLAT && !has_room(&pipelined))) return;
  test_ok(test_ctx(), scan_plan_create(test_ctx(), spec, UINT64_C(1) << 26, &plan), "scan_plan_create");
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  scan_plan_destroy(plan);
  if (facts.strategy != want)
    test_fail("%s by %s of %d: %s instead of %s", row->name, marking->name, (int)marking->type,
              scan_strategy_name(facts.strategy), scan_strategy_name(want));
}

static void test_strategies(void **state) {
  (void)state;
  each_row(check_strategy);
}

/* ---- scans ---- */

/* For one block, look-back with small and with large tiles, and pipelined. */
static const uint64_t sizes[] = { 1, 33, 1000, 4099, 8192, 100003, 150001, 9000001 };
enum { SIZES = sizeof sizes / sizeof sizes[0], MOST_ON_EMULATION = 150001, MOST_BYTES = 16 };

static void *in, *out, *want, *marks;
static uint8_t *segment_flags;

/* Stores a key or an offset. Keys of any type differ in their last byte. */
static void put_word(const struct marking *t, uint64_t i, uint64_t word) {
  memcpy((char *)marks + i * reference_bytes(t->type), &word, reference_bytes(t->type));
}

/* Writes the marks for `segment_flags`; returns their count. */
static uint64_t put_marks(const struct marking *t, uint64_t n) {
  uint32_t *words = marks;
  uint64_t count = 0, key = UINT64_C(0x3f80000000003f01);
  if (t->kind == SCAN_SEGMENTS_NONE) return 0;
  if (t->kind == SCAN_SEGMENTS_FLAGS) {
    memcpy(marks, segment_flags, (size_t)n);
    return n;
  }
  if (t->kind == SCAN_SEGMENTS_BITS) memset(marks, 0, (size_t)(n + 31) / 32 * 4);
  for (uint64_t i = 0; i <= n; i++) {
    const int is_start = i == n || segment_flags[i];
    if (t->kind == SCAN_SEGMENTS_BITS && i < n) words[i / 32] |= (uint32_t)is_start << (i % 32);
    if (t->kind == SCAN_SEGMENTS_KEYS && is_start) key ^= 2;
    if (t->kind == SCAN_SEGMENTS_KEYS && i < n) put_word(t, i, key);
    if (t->kind == SCAN_SEGMENTS_OFFSETS && is_start) put_word(t, count++, i);
  }
  return t->kind == SCAN_SEGMENTS_OFFSETS ? count - 1 : n;
}

#define SUM(name, type)                                                                                                \
  static void name(scan_kind kind, uint64_t n, const type *x, type *result) {                                          \
    type sum = 0;                                                                                                      \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      if (segment_flags[i]) sum = 0;                                                                                   \
      const type before = sum;                                                                                         \
      sum += x[i];                                                                                                     \
      result[i] = kind == SCAN_EXCLUSIVE ? before : sum;                                                               \
    }                                                                                                                  \
  }
SUM(sum_u32, uint32_t)
SUM(sum_u64, uint64_t)

/* Computes the expected result: sums of integers by a loop; all else, whose bits depend on the order, on the host,
 * which other tests check. */
static void expect(const struct row *row, const struct marking *marking, const scan_spec *spec, uint64_t n,
                   const scan_args *args) {
  static scan_ctx *host;
  const scan_ctx_options options = { .struct_bytes = sizeof options, .device = "host" };
  if (row->how == ALL && spec->type < SCAN_F32) {
    if (reference_bytes(spec->type) == 4)
      sum_u32(spec->kind, n, in, want);
    else
      sum_u64(spec->kind, n, in, want);
    return;
  }
  if (host == NULL) test_ok(NULL, scan_ctx_create(&options, &host), "scan_ctx_create(host)");
  scan_op *op = op_of(host, row);
  const scan_spec same = spec_of(row, marking, spec->kind, SCAN_STRATEGY_AUTO, op);
  scan_args there = *args;
  there.out = scan_host(want);
  test_ok(host, scan_run_args(host, &same, n, &there), "scan_run_args on the host");
  scan_op_destroy(op);
}

/* Fills the input so that checked sums and products fit their type. */
static void fill_small(const struct row *row, uint64_t n) {
  const size_t bytes = reference_bytes(row->type);
  memset(in, 0, (size_t)n * bytes);
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t factor = i % 3000 == 7 && i < 30000 ? 2 : 1;
    ((uint8_t *)in)[i * bytes] = (uint8_t)(row->op == SCAN_ADD ? rng_below(&fixture.rng, 3) : factor);
  }
}

static void fill(const struct row *row, uint64_t n) {
  if (row->composite == SCAN_COMPOSITE_NONE && row->flags == 0) values_fill(&fixture.rng, row->type, row->op, n, n, in);
  if (row->flags != 0) fill_small(row, n);
  for (size_t i = 0; i < COMPOSITE_CASES; i++)
    if (composite_cases[i].which == row->composite) composite_cases[i].fill(&fixture.rng, n, in);
}

static size_t bytes_of(const struct row *row) {
  return row->composite == SCAN_COMPOSITE_NONE ? reference_bytes(row->type)
                                               : scan_composite_get(row->composite)->value_bytes;
}

static uint64_t mismatch(const struct row *row, uint64_t n) {
  if (row->composite == SCAN_COMPOSITE_NONE) return reference_mismatch(row->type, n, out, want);
  const size_t bytes = bytes_of(row);
  uint64_t i = 0;
  while (i < n && memcmp((char *)out + i * bytes, (char *)want + i * bytes, bytes) == 0) i++;
  return i;
}

static void check_size(const struct row *row, const struct marking *marking, const scan_spec *spec, uint64_t n) {
  const uint32_t mean = n % 2 ? 700 : 3;
  fill(row, n);
  for (uint64_t i = 0; i < n; i++) segment_flags[i] = i == 0 || rng_below(&fixture.rng, mean) == 0;
  scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  args.mark_count = put_marks(marking, n);
  if (marking->kind != SCAN_SEGMENTS_NONE) args.marks = scan_host(marks);
  expect(row, marking, spec, n, &args);
  memset(out, 0xa5, (size_t)n * bytes_of(row));
  test_ok(test_ctx(), scan_run_args(test_ctx(), spec, n, &args), "scan_run_args");
  const uint64_t at = mismatch(row, n);
  if (at != n)
    test_fail("%s by %s of %d, kind %d, strategy %s, n=%llu: element %llu", row->name, marking->name,
              (int)marking->type, (int)spec->kind, scan_strategy_name(spec->strategy), (unsigned long long)n,
              (unsigned long long)at);
}

/* Checks that a result that does not fit is reported. */
static void check_overflow(const struct row *row, const scan_spec *spec) {
  enum { N = 5000, LARGE = 6 };
  fill_small(row, N);
  memset((char *)in + (N - LARGE) * reference_bytes(row->type), 0x7f, LARGE * reference_bytes(row->type));
  const scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  const scan_status got = scan_run_args(test_ctx(), spec, N, &args);
  if (got != SCAN_OVERFLOW) test_fail("%s, kind %d: %s", row->name, (int)spec->kind, scan_status_name(got));
}

static void check_scans(const struct row *row, const struct marking *marking, const scan_spec *spec) {
  if (spec->strategy != SCAN_STRATEGY_AUTO && !test_has_strategy(spec->strategy)) return;
  if (!has_room(spec)) return;
  for (size_t i = 0; i < SIZES; i++) {
    const int is_long = row->how <= ALL_FLAT && !marking->makes_bits && spec->strategy == SCAN_STRATEGY_AUTO;
    if ((test_is_small() || !is_long) && sizes[i] > MOST_ON_EMULATION) continue;
    if (marking->makes_bits && sizes[i] > 33 && sizes[i] < MOST_ON_EMULATION) continue;
    if (spec->strategy == SCAN_STRATEGY_BLOCK && sizes[i] > 8192) continue;
    if (spec->strategy == SCAN_STRATEGY_PIPELINED && sizes[i] < MOST_ON_EMULATION) continue; /* it is look-back */
    check_size(row, marking, spec, sizes[i]);
  }
  if (row->flags & SCAN_CHECK_OVERFLOW) check_overflow(row, spec);
  test_ran();
}

static void test_scans(void **state) {
  (void)state;
  const size_t most = (size_t)sizes[SIZES - 1];
  in = reference_alloc(most * MOST_BYTES);
  out = reference_alloc(most * MOST_BYTES);
  want = reference_alloc(most * MOST_BYTES);
  segment_flags = reference_alloc(most);
  marks = reference_alloc((most + 1) * sizeof(uint64_t));
  each_row(check_scans);
  free(in);
  free(out);
  free(want);
  free(segment_flags);
  free(marks);
}

/* ---- refusals ---- */

static void check_refusal(scan_status got, const char *feature) {
  char beginning[TEST_TEXT];
  const char *said = scan_last_error(test_ctx());
  const char *advice = "; install the CUDA toolkit's libnvrtc, or name it in $SCANRT_LIBNVRTC";
  snprintf(beginning, sizeof beginning, "%s needs NVRTC on CUDA, and ", feature);
  const char *end = strstr(said, advice);
  if (got != SCAN_UNSUPPORTED || strncmp(said, beginning, strlen(beginning)) != 0 || end == NULL ||
      end[strlen(advice)] != '\0' || strstr(said, getenv("SCANRT_LIBNVRTC")) == NULL)
    test_fail("%s: %s: %s", feature, scan_status_name(got), said);
  test_ran();
}

/* Checks the refusal of a scan of a built-in operator that is not in the catalogue. */
static void refuse(const char *feature, scan_type type, scan_op_id op, scan_segments segments, scan_type key_type,
                   uint32_t flags, int has_init) {
  scan_spec spec = SCAN_SPEC_INIT(type, op, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  spec.segments = segments;
  spec.key_type = key_type;
  spec.flags = flags;
  spec.has_init = has_init != 0;
  check_refusal(scan_plan_create(test_ctx(), &spec, 1 << 20, &plan), feature);
  assert_null(plan);
}

static void test_refusals(void **state) {
  (void)state;
  const scan_op_source source = { .struct_bytes = sizeof source,
                                  .text = "static inline int32_t first(int32_t a, int32_t b) { return a; }",
                                  .type = "int32_t",
                                  .combine = "first",
                                  .value_bytes = 4,
                                  .value_align = 4 };
  scan_op *op = NULL;
  refuse("mul of f64 in segments by flags", SCAN_F64, SCAN_MUL, SCAN_SEGMENTS_FLAGS, SCAN_TYPE_DEFAULT, 0, 0);
  refuse("xor of i32 or u32 in segments by bits or offsets", SCAN_I32, SCAN_XOR, SCAN_SEGMENTS_BITS, SCAN_TYPE_DEFAULT,
         0, 0);
  refuse("mul of i32 or u32 in segments by keys of u64", SCAN_I32, SCAN_MUL, SCAN_SEGMENTS_KEYS, SCAN_I64, 0, 0);
  refuse("add of f32 in segments by flags, inclusive from an initial value,", SCAN_F32, SCAN_ADD, SCAN_SEGMENTS_FLAGS,
         SCAN_TYPE_DEFAULT, 0, 1);
  refuse("mul of f16", SCAN_F16, SCAN_MUL, SCAN_SEGMENTS_NONE, SCAN_TYPE_DEFAULT, 0, 0);
  refuse("mul of bf16", SCAN_BF16, SCAN_MUL, SCAN_SEGMENTS_NONE, SCAN_TYPE_DEFAULT, 0, 0);
  refuse("add of i16 with SCAN_CHECK_OVERFLOW", SCAN_I16, SCAN_ADD, SCAN_SEGMENTS_NONE, SCAN_TYPE_DEFAULT,
         SCAN_CHECK_OVERFLOW, 0);
  refuse("xor of i64 or u64, backward or along strides,", SCAN_U64, SCAN_XOR, SCAN_SEGMENTS_NONE, SCAN_TYPE_DEFAULT,
         SCAN_BACKWARD, 0);
  check_refusal(scan_op_create(test_ctx(), &source, &op), "the operator first");
  assert_null(op);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_plans), cmocka_unit_test(test_strategies),
                                      cmocka_unit_test(test_totals), cmocka_unit_test(test_refusals),
                                      cmocka_unit_test(test_scans) };
  const char *word = argc > 1 ? argv[1] : "";
  (void)test_device_open();
  if (test_info()->backend != SCAN_BACKEND_CUDA) test_skip_program("%s is not CUDA's", test_selector());
  if (strcmp(word, "plans") == 0) return test_exit(_cmocka_run_group_tests("catalogue", tests, 4, NULL, NULL));
  if (strcmp(word, "scans") == 0) return test_exit(_cmocka_run_group_tests("catalogue", tests + 4, 1, NULL, NULL));
  return test_exit(cmocka_run_group_tests_name("catalogue", tests, NULL, NULL));
}
