/* SPDX-License-Identifier: BSD-2-Clause */
/* CUDA without NVRTC ($SCANRT_LIBNVRTC names nothing): segmented sums, and sums of binary16, from the catalogue of
 * compiled instances, by every strategy, and what still needs NVRTC is refused in a sentence that names it.
 * `test_catalogue plans`: on a driver that runs no kernels, plans alone. */
#include "reference.h"
#include "support.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct { struct rng rng; } bench = { { 0xca7a106e } };

/* ---- what is in the catalogue ---- */

static const scan_type types[] = { SCAN_U32, SCAN_I32, SCAN_F32, SCAN_U64, SCAN_I64, SCAN_F64, SCAN_F16 };
static const struct telling {
  const char *name;
  scan_segments kind;
  scan_type type;
} tellings[] = { { "none", SCAN_SEGMENTS_NONE, SCAN_TYPE_DEFAULT }, { "flags", SCAN_SEGMENTS_FLAGS, SCAN_TYPE_DEFAULT },
                 { "bits", SCAN_SEGMENTS_BITS, SCAN_TYPE_DEFAULT }, { "keys", SCAN_SEGMENTS_KEYS, SCAN_I32 },
                 { "keys", SCAN_SEGMENTS_KEYS, SCAN_U32 },          { "offsets", SCAN_SEGMENTS_OFFSETS, SCAN_U32 },
                 { "offsets", SCAN_SEGMENTS_OFFSETS, SCAN_U64 } };
static const scan_strategy strategies[] = { SCAN_STRATEGY_AUTO, SCAN_STRATEGY_BLOCK, SCAN_STRATEGY_LOOKBACK,
                                            SCAN_STRATEGY_PIPELINED };
enum { TELLINGS = sizeof tellings / sizeof tellings[0], STRATEGIES = sizeof strategies / sizeof strategies[0] };

static int is_wanted(const char *variable, const char *word) {
  const char *words = getenv(variable);
  return words == NULL || strstr(words, word) != NULL;
}

static scan_spec spec_of(scan_type type, const struct telling *t, scan_kind kind, scan_strategy strategy) {
  scan_spec spec = SCAN_SPEC_INIT(type, SCAN_ADD, kind);
  spec.segments = t->kind;
  spec.key_type = t->type;
  spec.strategy = strategy;
  return spec;
}

/* binary16 without segments, the others in segments. */
static int has_row(scan_type type, const struct telling *t) {
  return (reference_bytes(type) == 2) == (t->kind == SCAN_SEGMENTS_NONE);
}

/* Calls `check` for each scan of the catalogue that the device has a strategy for. */
static void each_spec(void (*check)(const scan_spec *spec, const struct telling *telling)) {
  for (size_t y = 0; y < sizeof types / sizeof types[0]; y++)
    for (size_t t = 0; t < TELLINGS; t++)
      for (size_t s = 0; s < STRATEGIES; s++)
        for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
          const scan_spec spec = spec_of(types[y], &tellings[t], (scan_kind)kind, strategies[s]);
          if (!is_wanted("SCANRT_TEST_TYPES", scan_type_name(types[y])) ||
              !is_wanted("SCANRT_TEST_MARKS", tellings[t].name) || !test_takes_strategy(strategies[s]) ||
              !has_row(types[y], &tellings[t]))
            continue;
          check(&spec, &tellings[t]);
        }
}

/* ---- plans ---- */

static void check_plan(const scan_spec *spec, const struct telling *telling) {
  scan_plan *plan = NULL;
  char text[TEST_TEXT];
  const scan_status status = scan_plan_create(test_ctx(), spec, UINT64_C(1) << 24, &plan);
  if (status == SCAN_UNSUPPORTED && strstr(scan_last_error(test_ctx()), "do not fit its shared memory") != NULL) {
    test_skipped("%s by %s: %s", test_spec_text(spec, text), telling->name, scan_last_error(test_ctx()));
    return;
  }
  if (status != SCAN_SUCCESS)
    test_fail("%s by %s of %d: %s", test_spec_text(spec, text), telling->name, (int)telling->type,
              scan_last_error(test_ctx()));
  scan_plan_destroy(plan);
  test_ran();
}

static void test_plans(void **state) {
  (void)state;
  each_spec(check_plan);
}

/* ---- sums ---- */

/* One block, look-back by small tiles and by large ones, or pipelined. */
static const uint64_t sizes[] = { 1, 33, 1000, 4099, 8192, 100003, 150001, 9000001 };
enum { SIZES = sizeof sizes / sizeof sizes[0], MOST_ON_EMULATION = 150001 };

static void *in, *out, *want, *marks;
static uint8_t *heads;

/* A key or an offset. */
static void put_word(const struct telling *t, uint64_t i, uint64_t word) {
  if (reference_bytes(t->type) == 4)
    ((uint32_t *)marks)[i] = (uint32_t)word;
  else
    ((uint64_t *)marks)[i] = word;
}

/* The description of the heads; returns its count. */
static uint64_t tell(const struct telling *t, uint64_t n) {
  uint32_t *words = marks;
  uint64_t count = 0, key = 7;
  if (t->kind == SCAN_SEGMENTS_NONE) return 0;
  if (t->kind == SCAN_SEGMENTS_FLAGS) {
    memcpy(marks, heads, (size_t)n);
    return n;
  }
  if (t->kind == SCAN_SEGMENTS_BITS) memset(marks, 0, (size_t)(n + 31) / 32 * 4);
  for (uint64_t i = 0; i <= n; i++) {
    const int begins = i == n || heads[i];
    if (t->kind == SCAN_SEGMENTS_BITS && i < n) words[i / 32] |= (uint32_t)begins << (i % 32);
    if (t->kind == SCAN_SEGMENTS_KEYS && begins) key ^= UINT64_C(0x8000000180000001);
    if (t->kind == SCAN_SEGMENTS_KEYS && i < n) put_word(t, i, key);
    if (t->kind == SCAN_SEGMENTS_OFFSETS && begins) put_word(t, count++, i);
  }
  return t->kind == SCAN_SEGMENTS_OFFSETS ? count - 1 : n;
}

#define SUM(name, type)                                                                                                \
  static void name(scan_kind kind, uint64_t n, const type *x, type *result) {                                          \
    type sum = 0;                                                                                                      \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      if (heads[i]) sum = 0;                                                                                           \
      const type before = sum;                                                                                         \
      sum += x[i];                                                                                                     \
      result[i] = kind == SCAN_EXCLUSIVE ? before : sum;                                                               \
    }                                                                                                                  \
  }
SUM(sum_u32, uint32_t)
SUM(sum_u64, uint64_t)

/* Integers by a loop; floats, whose bits depend on the order, as the host has them, which other tests check. */
static void expect(const scan_spec *spec, uint64_t n, const scan_args *args) {
  static scan_ctx *host;
  const scan_ctx_options options = { .struct_bytes = sizeof options, .device = "host" };
  if (spec->type >= SCAN_F32) {
    scan_spec same = *spec;
    scan_args there = *args;
    same.strategy = SCAN_STRATEGY_AUTO;
    there.out = scan_host(want);
    if (host == NULL) test_ok(NULL, scan_ctx_create(&options, &host), "scan_ctx_create(host)");
    test_ok(host, scan_run_args(host, &same, n, &there), "scan_run_args on the host");
    return;
  }
  if (reference_bytes(spec->type) == 4)
    sum_u32(spec->kind, n, in, want);
  else
    sum_u64(spec->kind, n, in, want);
}

static void check_size(const scan_spec *spec, const struct telling *telling, uint64_t n) {
  const uint32_t mean = n % 2 ? 700 : 3;
  char text[TEST_TEXT];
  values_fill(&bench.rng, spec->type, SCAN_ADD, n, n, in);
  for (uint64_t i = 0; i < n; i++) heads[i] = i == 0 || rng_below(&bench.rng, mean) == 0;
  scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  args.mark_count = tell(telling, n);
  if (telling->kind != SCAN_SEGMENTS_NONE) args.marks = scan_host(marks);
  expect(spec, n, &args);
  memset(out, 0xa5, (size_t)n * reference_bytes(spec->type));
  test_ok(test_ctx(), scan_run_args(test_ctx(), spec, n, &args), "scan_run_args");
  const uint64_t at = reference_mismatch(spec->type, n, out, want);
  if (at != n)
    test_fail("%s by %s of %d, n=%llu: element %llu", test_spec_text(spec, text), telling->name, (int)telling->type,
              (unsigned long long)n, (unsigned long long)at);
}

static void check_sums(const scan_spec *spec, const struct telling *telling) {
  if (spec->strategy != SCAN_STRATEGY_AUTO && !test_has_strategy(spec->strategy)) return;
  for (size_t i = 0; i < SIZES; i++) {
    if (test_is_small() && sizes[i] > MOST_ON_EMULATION) continue;
    if (spec->strategy == SCAN_STRATEGY_BLOCK && sizes[i] > 8192) continue;
    if (spec->strategy == SCAN_STRATEGY_PIPELINED && sizes[i] < MOST_ON_EMULATION) continue; /* it is look-back */
    check_size(spec, telling, sizes[i]);
  }
  test_ran();
}

static void test_sums(void **state) {
  (void)state;
  const size_t most = (size_t)sizes[SIZES - 1];
  in = reference_alloc(most * sizeof(uint64_t));
  out = reference_alloc(most * sizeof(uint64_t));
  want = reference_alloc(most * sizeof(uint64_t));
  heads = reference_alloc(most);
  marks = reference_alloc((most + 1) * sizeof(uint64_t));
  each_spec(check_sums);
  free(in);
  free(out);
  free(want);
  free(heads);
  free(marks);
}

/* ---- refusals ---- */

static void check_refusal(scan_status got, const char *feature) {
  char begins[TEST_TEXT];
  const char *said = scan_last_error(test_ctx());
  const char *advice = "; install the CUDA toolkit's libnvrtc, or name it in $SCANRT_LIBNVRTC";
  snprintf(begins, sizeof begins, "%s needs NVRTC on CUDA, and ", feature);
  const char *end = strstr(said, advice);
  if (got != SCAN_UNSUPPORTED || strncmp(said, begins, strlen(begins)) != 0 || end == NULL ||
      end[strlen(advice)] != '\0' || strstr(said, getenv("SCANRT_LIBNVRTC")) == NULL)
    test_fail("%s: %s: %s", feature, scan_status_name(got), said);
  test_ran();
}

/* A scan of a built-in operator that the catalogue has not. */
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
  refuse("max of i32 in segments by bits or offsets", SCAN_I32, SCAN_MAX, SCAN_SEGMENTS_BITS, SCAN_TYPE_DEFAULT, 0, 0);
  refuse("add of i32 or u32 in segments by keys of u64", SCAN_I32, SCAN_ADD, SCAN_SEGMENTS_KEYS, SCAN_I64, 0, 0);
  refuse("add of f32 in segments by flags, inclusive from an initial value,", SCAN_F32, SCAN_ADD, SCAN_SEGMENTS_FLAGS,
         SCAN_TYPE_DEFAULT, 0, 1);
  refuse("min of f16", SCAN_F16, SCAN_MIN, SCAN_SEGMENTS_NONE, SCAN_TYPE_DEFAULT, 0, 0);
  refuse("max of bf16", SCAN_BF16, SCAN_MAX, SCAN_SEGMENTS_NONE, SCAN_TYPE_DEFAULT, 0, 0);
  refuse("add of i32 with SCAN_CHECK_OVERFLOW", SCAN_I32, SCAN_ADD, SCAN_SEGMENTS_NONE, SCAN_TYPE_DEFAULT,
         SCAN_CHECK_OVERFLOW, 0);
  refuse("xor of i64 or u64, backward or along strides,", SCAN_U64, SCAN_XOR, SCAN_SEGMENTS_NONE, SCAN_TYPE_DEFAULT,
         SCAN_BACKWARD, 0);
  check_refusal(scan_op_create(test_ctx(), &source, &op), "the operator first");
  assert_null(op);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_plans), cmocka_unit_test(test_refusals),
                                      cmocka_unit_test(test_sums) };
  const char *word = argc > 1 ? argv[1] : "";
  (void)test_device_open();
  if (test_info()->backend != SCAN_BACKEND_CUDA) test_skip_program("%s is not CUDA's", test_selector());
  if (strcmp(word, "plans") == 0) return test_exit(_cmocka_run_group_tests("catalogue", tests, 2, NULL, NULL));
  if (strcmp(word, "sums") == 0) return test_exit(_cmocka_run_group_tests("catalogue", tests + 2, 1, NULL, NULL));
  return test_exit(cmocka_run_group_tests_name("catalogue", tests, NULL, NULL));
}
