/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating point on long inputs, bit for bit: the device against the library's own host backend, which the other suites
 * hold against the reference. Sizes around every change of the tiles' geometry; with SCANRT_TEST_LARGE=1, up to 1 GiB.
 */
#include "reference.h"
#include "support.h"
#include "values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Inputs start somewhere in the first SLACK elements of the values, so that no two scans have the same. */
enum { SLACK = 4096, POISON = 0xA5 };

/* Kinds of values. */
enum pattern {
  NARROW, /* exponents within +-30 */
  WIDE,   /* within +-90 (f64: +-900): sums neither overflow nor lose bits to denormals */
  FULL,   /* any finite bits: denormals, and sums that overflow, after which only NaN is left */
  INVERSE /* a number, then its inverse: products stay in range, however many */
};

static const char *const pattern_names[] = { "narrow", "wide", "full", "inverse" };

static const scan_strategy strategies[] = { SCAN_STRATEGY_AUTO, SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_PIPELINED,
                                            SCAN_STRATEGY_REDUCE_THEN_SCAN, SCAN_STRATEGY_BLOCK };
enum { STRATEGIES = sizeof(strategies) / sizeof(strategies[0]), KINDS = 2 };

static const scan_kind kinds[KINDS] = { SCAN_INCLUSIVE, SCAN_EXCLUSIVE };

static struct {
  scan_ctx *host;
  uint64_t most; /* bytes of the largest output */
  unsigned char *values, *want, *got;
  scan_mem in, out;
  struct rng rng;
  scan_plan *plans[STRATEGIES][KINDS]; /* of one operator; NULL: the device has no such strategy */
} lab;

static int is_large(void) {
  const char *wanted = getenv("SCANRT_TEST_LARGE");
  return wanted && strcmp(wanted, "1") == 0;
}

static unsigned most_log2(scan_type type) {
  if (test_is_small()) return 14;
  return is_large() ? (type == SCAN_F32 ? 28 : 27) : 22;
}

static uint64_t most_n(scan_type type) { return (UINT64_C(1) << most_log2(type)) + 5; }

/* One work-group has no more to do than this; where loops are limited, less. */
static uint64_t most_of(scan_strategy strategy, scan_type type) {
  if (strategy != SCAN_STRATEGY_BLOCK) return most_n(type);
  return (UINT64_C(1) << (test_is_small() ? 13 : 17)) + 5;
}

/* ---- values ---- */

/* Random sign and mantissa, and an exponent field from `low` on, of `count` ones. */
static void put_bits(scan_type type, uint64_t i, uint64_t random, uint64_t low, uint64_t count) {
  const uint64_t field = low + (random >> 53) % count;
  if (type == SCAN_F32) {
    const uint32_t bits = (uint32_t)(random & 0x807fffff) | (uint32_t)field << 23;
    memcpy(lab.values + i * sizeof(bits), &bits, sizeof(bits));
  } else {
    const uint64_t mixed = random * UINT64_C(0x9E3779B97F4A7C15); /* the top bits chose the exponent */
    const uint64_t bits = (mixed & ~(UINT64_C(0x7ff) << 52)) | field << 52;
    memcpy(lab.values + i * sizeof(bits), &bits, sizeof(bits));
  }
}

static void invert_before(scan_type type, uint64_t i) {
  if (type == SCAN_F32) {
    ((float *)(void *)lab.values)[i] = 1.0F / ((float *)(void *)lab.values)[i - 1];
  } else {
    ((double *)(void *)lab.values)[i] = 1.0 / ((double *)(void *)lab.values)[i - 1];
  }
}

static void fill(scan_type type, enum pattern pattern, uint64_t n) {
  const uint64_t bias = type == SCAN_F32 ? 127 : 1023, wide = type == SCAN_F32 ? 90 : 900;
  const uint64_t reach = pattern == WIDE ? wide : 30;
  for (uint64_t i = 0; i < n; i++) {
    if (pattern == INVERSE && i % 2 == 1)
      invert_before(type, i);
    else if (pattern == FULL)
      put_bits(type, i, rng_next(&lab.rng), 0, 2 * bias + 1);
    else
      put_bits(type, i, rng_next(&lab.rng), bias - reach, 2 * reach + 1);
  }
}

/* ---- scans ---- */

static void fail_with(const scan_spec *spec, uint64_t n, enum pattern pattern, const char *what, const scan_ctx *ctx) {
  char words[TEST_TEXT];
  test_fail("%s n=%" PRIu64 " %s values: %s: %s", test_spec_text(spec, words), n, pattern_names[pattern], what,
            scan_last_error(ctx));
}

static void check_bits(const scan_spec *spec, uint64_t n, enum pattern pattern) {
  char words[TEST_TEXT], have[64], wanted[64];
  const uint64_t i = reference_mismatch(spec->type, n, lab.got, lab.want);
  if (i == n) return;
  values_text(spec->type, lab.got, i, have, sizeof(have));
  values_text(spec->type, lab.want, i, wanted, sizeof(wanted));
  test_fail("%s n=%" PRIu64 " %s values: element %" PRIu64 " is %s; the host has %s", test_spec_text(spec, words), n,
            pattern_names[pattern], i, have, wanted);
}

/* Plans of every strategy and kind; what AUTO refuses is a fault. */
static void open_plans(scan_type type, scan_op_id op) {
  for (int s = 0; s < STRATEGIES; s++)
    for (int k = 0; k < KINDS; k++) {
      scan_spec spec = SCAN_SPEC_INIT(type, op, kinds[k]);
      lab.plans[s][k] = NULL;
      spec.strategy = strategies[s];
      const scan_status status = scan_plan_create(test_ctx(), &spec, most_of(strategies[s], type), &lab.plans[s][k]);
      if (status != SCAN_UNSUPPORTED || strategies[s] == SCAN_STRATEGY_AUTO)
        test_ok(test_ctx(), status, "scan_plan_create");
      else if (k == 0)
        test_skipped("%s %s, strategy %s: %s", scan_type_name(type), scan_op_name(op),
                     scan_strategy_name(strategies[s]), scan_last_error(test_ctx()));
    }
}

static void close_plans(void) {
  for (int s = 0; s < STRATEGIES; s++)
    for (int k = 0; k < KINDS; k++) scan_plan_destroy(lab.plans[s][k]);
}

static void run_plan(scan_plan *plan, const scan_spec *spec, uint64_t n, enum pattern pattern) {
  const uint64_t bytes = n * reference_bytes(spec->type);
  memset(lab.got, POISON, bytes);
  test_ok(test_ctx(), scan_write(test_ctx(), lab.out, lab.got, bytes), "scan_write");
  if (scan_plan_run(plan, n, lab.in, lab.out) != SCAN_SUCCESS) fail_with(spec, n, pattern, "scan_plan_run", test_ctx());
  if (scan_sync(test_ctx()) != SCAN_SUCCESS) fail_with(spec, n, pattern, "scan_sync", test_ctx());
  test_ok(test_ctx(), scan_read(test_ctx(), lab.out, lab.got, bytes), "scan_read");
  check_bits(spec, n, pattern);
}

/* Every strategy on the same input. */
static void run_count(scan_type type, scan_op_id op, int kind, uint64_t n, enum pattern pattern) {
  const uint64_t bytes = n * reference_bytes(type);
  const unsigned char *in = lab.values + rng_below(&lab.rng, SLACK) * reference_bytes(type);
  scan_spec spec = SCAN_SPEC_INIT(type, op, kinds[kind]);
  memset(lab.want, POISON, bytes);
  if (scan_run(lab.host, &spec, n, scan_host(in), scan_host(lab.want)) != SCAN_SUCCESS)
    fail_with(&spec, n, pattern, "scan_run on the host", lab.host);
  test_ok(test_ctx(), scan_write(test_ctx(), lab.in, in, bytes), "scan_write");
  for (int s = 0; s < STRATEGIES; s++) {
    spec.strategy = strategies[s];
    if (lab.plans[s][kind] && n <= most_of(strategies[s], type)) run_plan(lab.plans[s][kind], &spec, n, pattern);
  }
}

static void run_pattern(scan_type type, scan_op_id op, enum pattern pattern) {
  static const unsigned log2s[] = { 10, 14, 17, 20, 22, 24, 26, 27, 28 };
  enum { EVERY_SIDE = 24 }; /* above, one of the three counts, another for each size and pattern */
  fill(type, pattern, most_n(type) + SLACK);
  for (size_t i = 0; i < sizeof(log2s) / sizeof(log2s[0]) && log2s[i] <= most_log2(type); i++) {
    if (log2s[i] == 27 && type == SCAN_F32) continue;
    for (int side = 0; side < 3; side++) {
      if (log2s[i] > EVERY_SIDE && side != ((int)i + (int)pattern) % 3) continue;
      run_count(type, op, ((int)i + side) % KINDS, (UINT64_C(1) << log2s[i]) - 5 + 5 * (uint64_t)side, pattern);
    }
  }
  test_ran();
}

static void run_op(scan_type type, scan_op_id op, enum pattern first, enum pattern last) {
  open_plans(type, op);
  for (unsigned pattern = first; pattern <= last; pattern++) run_pattern(type, op, (enum pattern)pattern);
  close_plans();
}

static void run_type(scan_type type) {
  if (!test_has_type(type)) {
    test_skipped("%s: %s cannot hold it", scan_type_name(type), test_info()->name);
    skip();
  }
  const int has_full = type != SCAN_F32 || !test_info()->flushes_denormals;
  if (!has_full) test_skipped("full range of f32: %s flushes denormals", test_info()->name);
  run_op(type, SCAN_ADD, NARROW, has_full ? FULL : WIDE);
  run_op(type, SCAN_MUL, has_full ? FULL : INVERSE, INVERSE);
}

static void test_f32(void **state) {
  (void)state;
  run_type(SCAN_F32);
}

static void test_f64(void **state) {
  (void)state;
  run_type(SCAN_F64);
}

/* Where the device is the host itself, one thread checks many. */
static scan_ctx *open_host(void) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  options.device = "host";
  options.threads = test_info()->backend == SCAN_BACKEND_HOST ? 1 : 0;
  test_ok(NULL, scan_ctx_create(&options, &ctx), "scan_ctx_create");
  return ctx;
}

static int group_setup(void **state) {
  const uint64_t f32_bytes = most_n(SCAN_F32) * 4, f64_bytes = most_n(SCAN_F64) * 8;
  (void)state;
  lab.host = open_host();
  lab.rng.state = UINT64_C(20250301);
  lab.most = f32_bytes > f64_bytes ? f32_bytes : f64_bytes;
  lab.values = reference_alloc(lab.most + SLACK * sizeof(double));
  lab.want = reference_alloc(lab.most);
  lab.got = reference_alloc(lab.most);
  test_ok(test_ctx(), scan_alloc(test_ctx(), lab.most, &lab.in), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), lab.most, &lab.out), "scan_alloc");
  return 0;
}

static int group_teardown(void **state) {
  (void)state;
  scan_ctx_destroy(lab.host);
  test_ok(test_ctx(), scan_free(test_ctx(), lab.in), "scan_free");
  test_ok(test_ctx(), scan_free(test_ctx(), lab.out), "scan_free");
  free(lab.values);
  free(lab.want);
  free(lab.got);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_f32),
    cmocka_unit_test(test_f64),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("float_bits", tests, group_setup, group_teardown));
}
