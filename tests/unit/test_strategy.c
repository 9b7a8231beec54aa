/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests what strategies do on recorded devices: schedules, refusals, limits, automatic choices; identities and
 * seeds. */
#include "base/canonical.h"
#include "base/types.h"
#include "core/plan.h"
#include "ops/scan/validate.h"
#include "support.h"

#include <inttypes.h>
#include <string.h>

/* ---- recorded devices ---- */

static const scan_caps nvidia = { .info = { .backend = SCAN_BACKEND_CUDA,
                                            .selector = "cuda:0",
                                            .compute_units = 132,
                                            .max_group_items = 1024,
                                            .has_fp64 = 1,
                                            .has_int64_atomics = 1,
                                            .has_shuffles = 1,
                                            .has_fair_progress = 1 },
                                  .tuning = { .group_items = 256, .groups_per_unit = 2, .pipelined_bytes = 64 << 20 } };
static const scan_caps pocl = { .info = { .backend = SCAN_BACKEND_OPENCL,
                                          .selector = "opencl:0",
                                          .compute_units = 2,
                                          .max_group_items = 4096,
                                          .is_cpu = 1,
                                          .has_fp64 = 1,
                                          .has_int64_atomics = 1,
                                          .has_fair_progress = 1 },
                                .tuning = { .group_items = 1, .groups_per_unit = 2 } };
static const scan_caps rusticl = { .info = { .backend = SCAN_BACKEND_OPENCL,
                                             .selector = "opencl:1",
                                             .name = "llvmpipe",
                                             .compute_units = 8,
                                             .max_group_items = 1024,
                                             .is_cpu = 1 },
                                   .tuning = { .group_items = 1, .groups_per_unit = 2 },
                                   .loop_limit = 65535 };
static const scan_caps unknown_gpu = { .info = { .backend = SCAN_BACKEND_OPENCL,
                                                 .selector = "opencl:2",
                                                 .compute_units = 16,
                                                 .max_group_items = 512,
                                                 .has_fp64 = 1,
                                                 .has_int64_atomics = 1 },
                                       .tuning = { .group_items = 256, .groups_per_unit = 2 } };
static const scan_caps host = { .info = { .backend = SCAN_BACKEND_HOST,
                                          .selector = "host",
                                          .compute_units = 6,
                                          .is_cpu = 1,
                                          .has_fp64 = 1,
                                          .has_int64_atomics = 1,
                                          .has_fair_progress = 1 },
                                .tuning = { .group_items = 1, .groups_per_unit = 1 } };

static scan_problem sum_of(scan_type type) {
  return (scan_problem){ .input_type = type, .type = type, .op = SCAN_ADD, .kind = SCAN_INCLUSIVE };
}

/* ---- schedules ---- */

struct launch {
  const char *file, *kernel;
  uint32_t groups, items;
};

static void check_schedule(const scan_strategy_ops *strategy, const scan_caps *caps, uint64_t n,
                           const struct launch *launches, int count) {
  const scan_problem problem = sum_of(SCAN_I32);
  scan_schedule s;
  memset(&s, 0x5a, sizeof s);
  strategy->schedule(caps, &problem, n, &s);
  assert_int_equal(s.step_count, count);
  for (int i = 0; i < count; i++) {
    assert_string_equal(s.steps[i].file, launches[i].file);
    assert_string_equal(s.steps[i].kernel, launches[i].kernel);
    assert_int_equal(s.steps[i].groups, launches[i].groups);
    assert_int_equal(s.steps[i].items_per_group, launches[i].items);
  }
  if (strategy->id == SCAN_STRATEGY_SEQUENTIAL) return;
  /* on most processors one program serves both tile sizes */
  const int asks_n =
      caps->info.backend == SCAN_BACKEND_OPENCL && caps->tuning.group_items == 1 && caps->loop_limit == 0;
  assert_int_equal(s.subtiles, asks_n ? 0 : canon_subtiles(n, 4));
  assert_int_equal(s.tiles, canon_tiles(n, 4));
  assert_int_equal(s.tile_items, canon_tile_items(n, 4));
}

#define CHECK_ONE(strategy, caps, n, file, kernel, groups, items)                                                      \
  check_schedule(&(strategy), &(caps), (n), &(const struct launch){ file, kernel, groups, items }, 1)

static void test_one_launch_schedules(void **state) {
  (void)state;
  CHECK_ONE(scan_strategy_sequential, nvidia, 100000, "sequential.cl", "scan_sequential", 1, 256);
  CHECK_ONE(scan_strategy_sequential, pocl, 100000, "sequential.cl", "scan_sequential", 1, 1);
  CHECK_ONE(scan_strategy_block, nvidia, 100000, "block.cl", "scan_block", 1, 256);
  CHECK_ONE(scan_strategy_block, rusticl, 10000, "block.cl", "scan_block", 1, 1);
  CHECK_ONE(scan_strategy_threads, host, 100000, "threads", "scan_threads", 6, 1);
}

static void check_lookback_groups(const scan_caps *caps, uint64_t n, uint32_t groups) {
  const char *file = caps->tuning.group_items == 1 && caps->loop_limit == 0 ? "item.cl" : "lookback.cl";
  CHECK_ONE(scan_strategy_lookback, *caps, n, file, "scan_lookback", groups, caps->tuning.group_items);
}

/* A look-back has as many work-groups as are resident, and no more than tiles. */
static void test_lookback_schedule(void **state) {
  (void)state;
  const scan_problem problem = sum_of(SCAN_I32);
  scan_schedule s;
  check_lookback_groups(&nvidia, 1, 1);
  check_lookback_groups(&nvidia, 8193, 9);
  check_lookback_groups(&nvidia, 264 * 8192, 264);
  check_lookback_groups(&nvidia, 264 * 8192 + 1, 264);
  check_lookback_groups(&nvidia, (uint64_t)1 << 28, 264);
  check_lookback_groups(&pocl, 8193, 4);
  check_lookback_groups(&pocl, 3, 1);
  check_lookback_groups(&unknown_gpu, (uint64_t)1 << 28, 32);
  scan_strategy_lookback.schedule(&nvidia, &problem, 8193, &s);
  assert_true(s.spin_limit > 0);
  assert_true(s.spin_limit_in_place > s.spin_limit);
}

/* With a limit of loop iterations waits are short, and no strategy that waits is used in place. */
static void test_lookback_where_loops_end(void **state) {
  (void)state;
  scan_problem problem = sum_of(SCAN_I32);
  scan_schedule s;
  scan_strategy_lookback.schedule(&rusticl, &problem, 20480, &s);
  assert_int_equal(s.tiles, 20);
  assert_int_equal(s.steps[0].groups, 16);
  assert_true(s.spin_limit > 0 && s.spin_limit * s.tiles < rusticl.loop_limit / 2);
  problem.placement.in_place = 1;
  scan_strategy_lookback.schedule(&rusticl, &problem, 20480, &s);
  assert_int_equal(s.steps[0].groups, 1);
  scan_strategy_lookback.schedule(&pocl, &problem, 20480, &s);
  assert_int_equal(s.steps[0].groups, 4);
}

static void test_reduce_then_scan_schedule(void **state) {
  (void)state;
  static const char file[] = "reduce_then_scan.cl";
  const scan_caps *const devices[] = { &nvidia, &pocl, &rusticl, &unknown_gpu };
  for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++) {
    const uint32_t items = devices[d]->tuning.group_items;
    const struct launch nine[] = { { file, "rts_reduce", 9, items },
                                   { file, "rts_spine", 1, items },
                                   { file, "rts_scan", 9, items } };
    const struct launch many[] = { { file, "rts_reduce", 32768, items },
                                   { file, "rts_spine", 1, items },
                                   { file, "rts_scan", 32768, items } };
    check_schedule(&scan_strategy_reduce_then_scan, devices[d], 8193, nine, 3);
    const struct launch groups[] = { { file, "rts_reduce", 32768, items }, { file, "rts_groups", 256, items } };
    check_schedule(&scan_strategy_reduce_then_scan, devices[d], (uint64_t)1 << 28, many, 3);
    check_schedule(&scan_strategy_groups, devices[d], (uint64_t)1 << 28, groups, 2);
  }
}

/* ---- refusals and limits ---- */

static void check_refusal(const scan_strategy_ops *strategy, const scan_caps *caps, const char *sentence) {
  const scan_problem problem = sum_of(SCAN_I32);
  const char *refusal = strategy->refusal(caps, &problem);
  if (sentence == NULL ? refusal == NULL : refusal != NULL && strcmp(refusal, sentence) == 0) return;
  test_fail("%s on %s: \"%s\"", scan_strategy_name(strategy->id), caps->info.selector, refusal ? refusal : "accepted");
}

static void test_refusals(void **state) {
  (void)state;
  static const char no_groups[] = "the host has no work-groups; use threads or sequential";
  static const char of_host[] = "it is the host's; use another strategy on this device";
  const scan_caps *const devices[] = { &nvidia, &pocl, &rusticl, &unknown_gpu };
  for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++) {
    check_refusal(&scan_strategy_sequential, devices[d], NULL);
    check_refusal(&scan_strategy_block, devices[d], NULL);
    check_refusal(&scan_strategy_reduce_then_scan, devices[d], NULL);
    check_refusal(&scan_strategy_lookback, devices[d], NULL);
    check_refusal(&scan_strategy_threads, devices[d], of_host);
  }
  check_refusal(&scan_strategy_sequential, &host, NULL);
  check_refusal(&scan_strategy_threads, &host, NULL);
  check_refusal(&scan_strategy_block, &host, no_groups);
  check_refusal(&scan_strategy_reduce_then_scan, &host, no_groups);
  check_refusal(&scan_strategy_lookback, &host, no_groups);
}

static void test_limits(void **state) {
  (void)state;
  for (int id = SCAN_STRATEGY_SEQUENTIAL; id <= SCAN_STRATEGY_THREADS; id++) {
    const scan_strategy_ops *strategy = scan_strategy_get((scan_strategy)id);
    assert_int_equal(strategy->id, id);
    for (int type = SCAN_I8; type <= SCAN_F64; type++) {
      const scan_problem problem = sum_of((scan_type)type);
      assert_true(strategy->limit(&nvidia, &problem) == UINT64_MAX);
      assert_true(strategy->limit(&pocl, &problem) == UINT64_MAX);
      assert_true(strategy->limit(&rusticl, &problem) < UINT32_MAX);
      assert_true(strategy->limit(&rusticl, &problem) > 4096);
    }
  }
  assert_null(scan_strategy_get(SCAN_STRATEGY_AUTO));
  assert_null(scan_strategy_get((scan_strategy)77));
}

/* ---- AUTO ---- */

static void check_choice(const scan_caps *caps, scan_type type, uint64_t n, scan_strategy strategy, const char *why) {
  const scan_problem problem = sum_of(type);
  const char *reason = "";
  const scan_strategy_ops *chosen = scan_strategy_choose(caps, &problem, n, &reason);
  if (chosen->id != strategy || strstr(reason, why) == NULL)
    test_fail("%s on %s, n=%" PRIu64 ": %s (%s)", scan_type_name(type), caps->info.selector, n,
              scan_strategy_name(chosen->id), reason);
  assert_true(strlen(reason) < sizeof((scan_plan_facts *)NULL)->reason);
}

static void test_automatic_choices(void **state) {
  (void)state;
  const uint64_t big = (uint64_t)1 << 20;
  const scan_caps *const devices[] = { &nvidia, &pocl, &rusticl, &unknown_gpu };
  for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++) {
    check_choice(devices[d], SCAN_I32, 1, SCAN_STRATEGY_BLOCK, "one tile");
    check_choice(devices[d], SCAN_I32, 8192, SCAN_STRATEGY_BLOCK, "one tile");
  }
  check_choice(&nvidia, SCAN_I32, 8193, SCAN_STRATEGY_LOOKBACK, "one pass");
  check_choice(&nvidia, SCAN_F64, 4097, SCAN_STRATEGY_LOOKBACK, "one pass");
  check_choice(&nvidia, SCAN_U8, 32768, SCAN_STRATEGY_BLOCK, "one tile");
  check_choice(&pocl, SCAN_I32, big, SCAN_STRATEGY_LOOKBACK, "one pass");
  check_choice(&rusticl, SCAN_I32, big, SCAN_STRATEGY_REDUCE_THEN_SCAN, "forward progress");
  check_choice(&unknown_gpu, SCAN_I32, big, SCAN_STRATEGY_REDUCE_THEN_SCAN, "forward progress");
  for (int d = 0; d < 2; d++) { /* once a look-back has given up */
    scan_caps stalled = *devices[d];
    stalled.has_stalled = 1;
    check_choice(&stalled, SCAN_I32, 8192, SCAN_STRATEGY_BLOCK, "one tile");
    check_choice(&stalled, SCAN_I32, big, SCAN_STRATEGY_REDUCE_THEN_SCAN, "gave up");
    check_choice(&stalled, SCAN_I32, big << 10, SCAN_STRATEGY_REDUCE_THEN_SCAN, "gave up");
  }
  check_choice(&host, SCAN_I32, 1, SCAN_STRATEGY_THREADS, "threads");
  check_choice(&host, SCAN_I32, big, SCAN_STRATEGY_THREADS, "threads");
}

/* With a limit of loop iterations, AUTO chooses the strategy with the largest n. */
static void test_automatic_choices_within_limits(void **state) {
  (void)state;
  for (int type = SCAN_I8; type <= SCAN_F64; type++) {
    const scan_problem problem = sum_of((scan_type)type);
    const uint64_t reach = scan_strategy_reduce_then_scan.limit(&rusticl, &problem);
    for (uint64_t n = 1; n <= reach; n = n * 5 / 4 + 1) {
      const char *reason;
      const scan_strategy_ops *chosen = scan_strategy_choose(&rusticl, &problem, n, &reason);
      if (n > chosen->limit(&rusticl, &problem))
        test_fail("n=%" PRIu64 ": %s reaches less far", n, scan_strategy_name(chosen->id));
    }
  }
}

/* ---- identities and seeds ---- */

static void test_identities(void **state) {
  (void)state;
  static const struct {
    scan_type type;
    uint64_t bits[7]; /* add, mul, min, max, and, or, xor */
  } rows[] = {
    { SCAN_I8, { 0, 1, 0x7f, 0x80, 0xff, 0, 0 } },
    { SCAN_U8, { 0, 1, 0xff, 0, 0xff, 0, 0 } },
    { SCAN_I16, { 0, 1, 0x7fff, 0x8000, 0xffff, 0, 0 } },
    { SCAN_U16, { 0, 1, 0xffff, 0, 0xffff, 0, 0 } },
    { SCAN_I32, { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0, 0 } },
    { SCAN_U32, { 0, 1, 0xffffffff, 0, 0xffffffff, 0, 0 } },
    { SCAN_I64, { 0, 1, INT64_MAX, (uint64_t)1 << 63, UINT64_MAX, 0, 0 } },
    { SCAN_U64, { 0, 1, UINT64_MAX, 0, UINT64_MAX, 0, 0 } },
    { SCAN_F32, { 0x80000000, 0x3f800000, 0x7f800000, 0xff800000 } },
    { SCAN_F64, { (uint64_t)1 << 63, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000 } },
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int op = SCAN_ADD; op <= SCAN_XOR; op++)
      if (scan_spec_defined(rows[i].type, SCAN_TYPE_DEFAULT, (scan_op_id)op))
        assert_int_equal(scan_identity_bits(rows[i].type, (scan_op_id)op), rows[i].bits[op - 1]);
}

static uint64_t seed_of(const scan_spec *spec) {
  scan_ctx ctx = { .caps = nvidia };
  scan_problem problem;
  scan_strategy strategy;
  test_ok(NULL, scan_spec_check(&ctx, spec, &problem, &strategy), "scan_spec_check");
  return problem.seed[0];
}

static void test_seeds(void **state) {
  (void)state;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  assert_int_equal(seed_of(&spec), 0x80000000); /* -0.0, so that a leading -0.0 stays */
  spec.kind = SCAN_EXCLUSIVE;
  assert_int_equal(seed_of(&spec), 0); /* +0.0 is the first output */
  spec.has_init = 1;
  spec.init.f32 = -0.0f;
  assert_int_equal(seed_of(&spec), 0x80000000);
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_F64, SCAN_ADD, SCAN_EXCLUSIVE);
  assert_int_equal(seed_of(&spec), 0);
  spec.op = SCAN_MIN;
  assert_int_equal(seed_of(&spec), 0x7ff0000000000000);
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_I8, SCAN_ADD, SCAN_EXCLUSIVE);
  spec.has_init = 1;
  spec.init.i64 = 0x1122334455667788;
  assert_int_equal(seed_of(&spec), 0x88); /* only the union member of the type */
}

static void test_types_of_kernels(void **state) {
  (void)state;
  assert_int_equal(scan_type_for_kernel(SCAN_I32, SCAN_ADD), SCAN_U32);
  assert_int_equal(scan_type_for_kernel(SCAN_I8, SCAN_XOR), SCAN_U8);
  assert_int_equal(scan_type_for_kernel(SCAN_I64, SCAN_MUL), SCAN_U64);
  assert_int_equal(scan_type_for_kernel(SCAN_I16, SCAN_MIN), SCAN_I16);
  assert_int_equal(scan_type_for_kernel(SCAN_I32, SCAN_MAX), SCAN_I32);
  assert_int_equal(scan_type_for_kernel(SCAN_F32, SCAN_ADD), SCAN_F32);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_one_launch_schedules),
    TEST(test_lookback_schedule),
    TEST(test_lookback_where_loops_end),
    TEST(test_reduce_then_scan_schedule),
    TEST(test_refusals),
    TEST(test_limits),
    TEST(test_automatic_choices),
    TEST(test_automatic_choices_within_limits),
    TEST(test_identities),
    TEST(test_seeds),
    TEST(test_types_of_kernels),
  };
  return test_exit(cmocka_run_group_tests_name("unit.strategy", tests, NULL, NULL));
}
