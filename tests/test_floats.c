/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating point, bit for bit: special values, signed zeros, the minimum of a NaN, and the same bits from every
 * strategy and every repeat. */
#include "guarded.h"
#include "reference.h"
#include "support.h"
#include "values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT_OPS = 4, SMALL_N = 1100, LARGE_N = 70001 };

static const scan_strategy ordered[] = {
  SCAN_STRATEGY_AUTO,     SCAN_STRATEGY_BLOCK,     SCAN_STRATEGY_REDUCE_THEN_SCAN,
  SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_PIPELINED, SCAN_STRATEGY_THREADS
};
enum { ORDERED_COUNT = sizeof(ordered) / sizeof(ordered[0]) };

static const scan_type float_types[] = { SCAN_F32, SCAN_F64 };

static uint64_t large_n(void) { return test_is_small() ? 5000 : LARGE_N; }

/* Says why to the reader and 0 to the caller when the device has no such type. */
static int has_type(scan_type type) {
  if (test_has_type(type)) return 1;
  test_skipped("%s: %s cannot hold it", scan_type_name(type), test_info()->name);
  return 0;
}

/* Runs one scan and checks it; 0 when the device has no such strategy. */
static int run_checked(const scan_spec *spec, uint64_t n, const void *in, void *out) {
  char text[TEST_TEXT], words[TEST_TEXT];
  scan_status status = guarded_scan(test_ctx(), spec, n, in, out, text);
  if (status == SCAN_UNSUPPORTED) return 0;
  if (status != SCAN_SUCCESS) test_fail("%s n=%" PRIu64 ": %s", test_spec_text(spec, words), n, text);
  return 1;
}

/* Every strategy of the canonical order, and the plain loop, against the reference. */
static void run_all_strategies(scan_spec spec, uint64_t n, const void *in) {
  int ran = 0;
  for (int s = 0; s < ORDERED_COUNT; s++) {
    spec.strategy = ordered[s];
    ran += run_checked(&spec, n, in, NULL);
  }
  if (!ran) test_fail("no strategy runs %s", scan_type_name(spec.type));
  if (n > SMALL_N) return;
  spec.strategy = SCAN_STRATEGY_SEQUENTIAL;
  run_checked(&spec, n, in, NULL);
}

static void run_ops_and_kinds(scan_type type, uint64_t n, const void *in) {
  for (int op = SCAN_ADD; op <= SCAN_MAX; op++) {
    run_all_strategies((scan_spec)SCAN_SPEC_INIT(type, (scan_op_id)op, SCAN_INCLUSIVE), n, in);
    run_all_strategies((scan_spec)SCAN_SPEC_INIT(type, (scan_op_id)op, SCAN_EXCLUSIVE), n, in);
  }
}

static unsigned denormals(scan_type type) {
  return type == SCAN_F32 && test_info()->flushes_denormals ? 0 : VALUES_DENORMAL;
}

static void run_special(scan_type type, unsigned allowed) {
  static const uint64_t sizes[] = { 1, 2, 3, 5, 33, 129, SMALL_N };
  struct rng rng = { .state = 7 + allowed };
  void *in = reference_alloc(SMALL_N * sizeof(double));
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    values_special(&rng, type, allowed, sizes[i], in);
    run_ops_and_kinds(type, sizes[i], in);
  }
  free(in);
}

static void test_special_values(void **state) {
  (void)state;
  for (int t = 0; t < 2; t++) {
    scan_type type = float_types[t];
    if (!has_type(type)) continue;
    run_special(type, VALUES_ZERO);
    run_special(type, VALUES_ZERO | VALUES_INF);
    run_special(type, VALUES_ZERO | VALUES_INF | VALUES_NAN);
    run_special(type, VALUES_ZERO | denormals(type));
    test_ran();
  }
}

/* Of equal values the earlier one stays: an operand swapped anywhere, groups of tiles included, changes a sign. */
static void run_zeros(scan_type type, scan_op_id op, scan_kind kind) {
  const uint64_t n = test_is_small() ? 5000 : 300001;
  struct rng rng = { .state = 5 };
  unsigned char *in = reference_alloc((size_t)n * reference_bytes(type));
  memset(in, 0, (size_t)n * reference_bytes(type));
  for (uint64_t i = 1; i <= n; i++) in[i * reference_bytes(type) - 1] = (unsigned char)(rng_next(&rng) & 0x80);
  run_all_strategies((scan_spec)SCAN_SPEC_INIT(type, op, kind), n, in);
  free(in);
}

static void test_zeros_keep_their_order(void **state) {
  (void)state;
  for (int t = 0; t < 2; t++) {
    if (!has_type(float_types[t])) continue;
    run_zeros(float_types[t], SCAN_MIN, SCAN_INCLUSIVE);
    run_zeros(float_types[t], SCAN_MAX, SCAN_EXCLUSIVE);
    test_ran();
  }
}

/* A scan of three f32 given in full, so that the reference is checked too. */
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
  for (size_t i = 0; i < sizeof(worked_examples) / sizeof(worked_examples[0]); i++) {
    const struct worked *w = &worked_examples[i];
    const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, w->op, w->kind);
    float out[3];
    assert_true(run_checked(&spec, 3, w->in, out));
    if (reference_mismatch(SCAN_F32, 3, out, w->out) != 3) test_fail("worked example %zu is wrong", i);
    run_all_strategies(spec, 3, w->in);
  }
}

static void test_exclusive_starts_with_the_seed(void **state) {
  (void)state;
  static const double seeds[FLOAT_OPS] = { +0.0, 1.0, (double)INFINITY, -(double)INFINITY };
  const double in[2] = { -0.0, -0.0 };
  for (int op = SCAN_ADD; op <= SCAN_MAX && has_type(SCAN_F64); op++) {
    scan_spec spec = SCAN_SPEC_INIT(SCAN_F64, (scan_op_id)op, SCAN_EXCLUSIVE);
    double out[2];
    run_checked(&spec, 2, in, out);
    if (reference_mismatch(SCAN_F64, 1, out, &seeds[op - SCAN_ADD]) != 1) test_fail("seed of operator %d", op);
    spec.has_init = 1;
    spec.init.f64 = -0.0;
    run_checked(&spec, 2, in, out);
    if (reference_mismatch(SCAN_F64, 1, out, &spec.init) != 1) test_fail("init of operator %d", op);
    test_ran();
  }
}

static void run_wide(scan_type type, scan_op_id op, scan_kind kind) {
  static const uint64_t sizes[] = { 17, 513, 4097, 8193 };
  struct rng rng = { .state = 99 };
  void *in = reference_alloc(LARGE_N * sizeof(double));
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) + 1; i++) {
    uint64_t n = i < sizeof(sizes) / sizeof(sizes[0]) ? sizes[i] : large_n();
    values_special(&rng, type, 0, n, in);
    run_all_strategies((scan_spec)SCAN_SPEC_INIT(type, op, kind), n, in);
  }
  free(in);
}

/* Sums and extrema over numbers from 2^-90 to 2^90 (f64: 2^-900 to 2^900). */
static void test_wide_exponents(void **state) {
  (void)state;
  for (int t = 0; t < 2; t++) {
    if (!has_type(float_types[t])) continue;
    run_wide(float_types[t], SCAN_ADD, SCAN_INCLUSIVE);
    run_wide(float_types[t], SCAN_ADD, SCAN_EXCLUSIVE);
    run_wide(float_types[t], SCAN_MIN, SCAN_EXCLUSIVE);
    test_ran();
  }
}

/* Products that leave the range: upwards to infinity and, where the device keeps denormals, downwards to zero. */
static void run_product(scan_type type, double factor) {
  const uint64_t n = 4099;
  void *in = reference_alloc(n * sizeof(double));
  for (uint64_t i = 0; i < n; i++) {
    double x = i % 3 ? factor : -factor * 1.0625;
    if (type == SCAN_F32) {
      ((float *)in)[i] = (float)x;
    } else {
      ((double *)in)[i] = x;
    }
  }
  run_all_strategies((scan_spec)SCAN_SPEC_INIT(type, SCAN_MUL, SCAN_INCLUSIVE), n, in);
  free(in);
}

static void test_products_leave_the_range(void **state) {
  (void)state;
  for (int t = 0; t < 2; t++) {
    scan_type type = float_types[t];
    if (!has_type(type)) continue;
    run_product(type, 1.4375);
    if (denormals(type)) run_product(type, 0.71875);
    test_ran();
  }
}

static void run_repeats(scan_type type, uint64_t n) {
  struct rng rng = { .state = n };
  scan_spec spec = SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE);
  const size_t bytes = (size_t)n * reference_bytes(type);
  void *in = reference_alloc(bytes), *first = reference_alloc(bytes), *again = reference_alloc(bytes);
  values_fill(&rng, type, SCAN_ADD, n, n, in);
  run_checked(&spec, n, in, first);
  for (int s = 0; s < 3 * ORDERED_COUNT; s++) {
    spec.strategy = ordered[s % ORDERED_COUNT];
    if (!run_checked(&spec, n, in, again)) continue;
    if (memcmp(first, again, bytes) != 0) test_fail("%s gives other bits", scan_strategy_name(spec.strategy));
  }
  free(in);
  free(first);
  free(again);
}

static void test_same_bits_every_time(void **state) {
  (void)state;
  static const uint64_t sizes[] = { 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 8191, 8192, 8193 };
  for (int t = 0; t < 2; t++) {
    if (!has_type(float_types[t])) continue;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) run_repeats(float_types[t], sizes[i]);
    run_repeats(float_types[t], large_n());
    test_ran();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_special_values),
    cmocka_unit_test(test_zeros_keep_their_order),
    cmocka_unit_test_setup(test_worked_examples, test_count_setup),
    cmocka_unit_test(test_exclusive_starts_with_the_seed),
    cmocka_unit_test(test_wide_exponents),
    cmocka_unit_test(test_products_leave_the_range),
    cmocka_unit_test(test_same_bits_every_time),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("floats", tests, NULL, NULL));
}
