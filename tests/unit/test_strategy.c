/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests arithmetic without a device: the geometry of the canonical order, schedules and workspaces for recorded
 * devices, refusals, automatic choices, identities and seeds. */
#include "base/canonical.h"
#include "core/plan.h"
#include "support.h"
#include "base/types.h"
#include "ops/scan/validate.h"

#include <inttypes.h>
#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

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

/* ---- geometry ---- */

static void check_tiles(uint64_t n, uint64_t type_bytes, uint32_t subtiles, uint64_t tile_items, uint64_t tiles) {
  if (canon_subtiles(n, type_bytes) == subtiles && canon_tile_items(n, type_bytes) == tile_items &&
      canon_tiles(n, type_bytes) == tiles)
    return;
  test_fail("n=%" PRIu64 " of %" PRIu64 " bytes: S=%u, tiles of %" PRIu64 ", %" PRIu64 " tiles", n, type_bytes,
            canon_subtiles(n, type_bytes), canon_tile_items(n, type_bytes), canon_tiles(n, type_bytes));
}

/* kernels_cl/README.md: S is 8 up to 32 KiB, 1 up to 512 KiB, 8 above. */
static void test_tiles_at_the_bounds(void **state) {
  (void)state;
  for (uint64_t bytes = 1; bytes <= 8; bytes *= 2) {
    const uint64_t small = 32 * KIB / bytes, large = 512 * KIB / bytes, items = 4 * KIB / bytes;
    check_tiles(1, bytes, 8, 8 * items, 1);
    check_tiles(items, bytes, 8, 8 * items, 1);
    check_tiles(small - 1, bytes, 8, 8 * items, 1);
    check_tiles(small, bytes, 8, 8 * items, 1);
    check_tiles(small + 1, bytes, 1, items, 9);
    check_tiles(127 * items + 1, bytes, 1, items, 128);
    check_tiles(large - 1, bytes, 1, items, 128);
    check_tiles(large, bytes, 1, items, 128);
    check_tiles(large + 1, bytes, 8, 8 * items, 17);
    check_tiles(large + 8 * items, bytes, 8, 8 * items, 17);
    check_tiles(large + 8 * items + 1, bytes, 8, 8 * items, 18);
    check_tiles((uint64_t)1 << 32, bytes, 8, 8 * items, ((uint64_t)1 << 32) / (8 * items));
    check_tiles(((uint64_t)1 << 40) + 1, bytes, 8, 8 * items, ((uint64_t)1 << 40) / (8 * items) + 1);
  }
}

/* Chooses counts that represent all up to `most`: around every bound, and spread between. */
static size_t sample_counts(uint64_t most, uint64_t bytes, uint64_t counts[512]) {
  const uint64_t bounds[] = { 1, 4 * KIB / bytes, 32 * KIB / bytes, 512 * KIB / bytes, 4 * MIB / bytes, most };
  size_t count = 0;
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
    for (uint64_t n = bounds[i] > 2 ? bounds[i] - 2 : 1; n <= bounds[i] + 2; n++)
      if (n <= most) counts[count++] = n;
  for (uint64_t i = 1; i <= 400; i++)
    if (most / 400 * i > 0) counts[count++] = most / 400 * i;
  return count;
}

static void test_capacity_covers_every_count(void **state) {
  (void)state;
  uint64_t counts[512];
  for (uint64_t bytes = 1; bytes <= 8; bytes *= 2) {
    const uint64_t most[] = { 1,
                              32 * KIB / bytes,
                              32 * KIB / bytes + 1,
                              1 * MIB / bytes,
                              4 * MIB / bytes,
                              4 * MIB / bytes + 1,
                              5 * MIB / bytes,
                              64 * MIB / bytes,
                              (uint64_t)1 << 34 };
    for (size_t m = 0; m < sizeof most / sizeof most[0]; m++) {
      const uint64_t capacity = canon_tile_capacity(most[m], bytes);
      const size_t count = sample_counts(most[m], bytes, counts);
      uint64_t reached = 0;
      for (size_t i = 0; i < count; i++) {
        const uint64_t tiles = canon_tiles(counts[i], bytes);
        if (tiles > capacity) test_fail("n=%" PRIu64 " of max %" PRIu64 " has more tiles", counts[i], most[m]);
        if (tiles > reached) reached = tiles;
      }
      assert_int_equal(reached, capacity); /* no larger than needed */
    }
  }
}

/* ---- workspaces ---- */

/* kernels_cl/lib/descriptor.h: 512 bytes of control block, a descriptor for each tile, one for each whole group of 128
 * tiles, and one spare. A descriptor is one 64-bit word, or two for values of 8 bytes. */
static void test_lookback_workspace(void **state) {
  (void)state;
  for (int type = SCAN_I8; type <= SCAN_F64; type++) {
    const scan_problem problem = sum_of((scan_type)type);
    const uint64_t bytes = scan_type_bytes(problem.type), word_bytes = bytes == 8 ? 16 : 8;
    for (uint64_t max_n = 1; max_n < (uint64_t)1 << 36; max_n = max_n * 3 + 1) {
      const uint64_t capacity = canon_tile_capacity(max_n, bytes);
      const uint64_t last_group = 512 + (capacity + capacity / 128) * word_bytes;
      assert_int_equal(scan_strategy_lookback.workspace_bytes(&problem, max_n), last_group + word_bytes);
    }
  }
  assert_int_equal(scan_strategy_lookback.has_control_block, 1);
  assert_int_equal(SCAN_CONTROL_EPOCH_BYTES, 4);
  assert_int_equal(SCAN_CONTROL_ERROR_BYTES, 260);
}

static void test_other_workspaces(void **state) {
  (void)state;
  uint64_t counts[512];
  for (int type = SCAN_I8; type <= SCAN_F64; type++) {
    const scan_problem problem = sum_of((scan_type)type);
    const uint64_t bytes = scan_type_bytes(problem.type), max_n = 5 * MIB / bytes;
    const uint64_t workspace = scan_strategy_reduce_then_scan.workspace_bytes(&problem, max_n);
    const size_t count = sample_counts(max_n, bytes, counts);
    for (size_t i = 0; i < count; i++) assert_true(canon_tiles(counts[i], bytes) * bytes <= workspace);
    assert_int_equal(workspace, 160 * bytes); /* 5 MiB in tiles of 32 KiB */
    assert_int_equal(scan_strategy_groups.workspace_bytes(&problem, max_n), 161 * bytes);
    assert_int_equal(scan_strategy_sequential.workspace_bytes(&problem, max_n), 0);
    assert_int_equal(scan_strategy_block.workspace_bytes(&problem, max_n), 0);
    assert_int_equal(scan_strategy_threads.workspace_bytes(&problem, max_n), 0);
  }
  assert_int_equal(scan_strategy_reduce_then_scan.has_control_block, 0);
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
    TEST(test_tiles_at_the_bounds),
    TEST(test_capacity_covers_every_count),
    TEST(test_lookback_workspace),
    TEST(test_other_workspaces),
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
