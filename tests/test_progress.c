/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that look-backs never hang under rare schedules, which test hooks force in the kernels. Each scan ends with the
 * right result or with SCAN_NO_PROGRESS, and the context still works. SCANRT_TUNE chooses the form of descriptors
 * (descriptors=32, 64) and of kernels (group_items=256). */
#include "lookback_state.h"
#include "base/canonical.h"
#include "hooked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A test that takes more seconds is a hang. */
enum { MOST_SECONDS = 300 };

/* Expected outcome of a scan of several tiles. */
enum outcome { RIGHT, RIGHT_ON_GPU, GIVES_UP, EITHER };

static const struct adversity {
  const char *name, *options;
  enum outcome out_of_place, in_place;
} adversities[] = {
  /* the first work-group waits for tiles that no work-group has claimed */
  { "tickets backwards", "-DSCAN_TEST_BACKWARDS -DSCAN_TEST_SPIN_LIMIT=200", RIGHT, GIVES_UP },
  { "every 2nd tile withheld", "-DSCAN_TEST_WITHHOLD=2 -DSCAN_TEST_SPIN_LIMIT=200", RIGHT, EITHER },
  { "stalls longer than waits", "-DSCAN_TEST_STALL=3 -DSCAN_TEST_STALL_POLLS=2000 -DSCAN_TEST_SPIN_LIMIT=50", RIGHT,
    EITHER },
  /* stalls are also short on a device with a limit of loop iterations */
  { "stalls shorter than waits", "-DSCAN_TEST_STALL=3 -DSCAN_TEST_STALL_POLLS=500", RIGHT, RIGHT },
  { "one poll a wait", "-DSCAN_TEST_SPIN_LIMIT=1", RIGHT, EITHER },
  /* a work-group computes a missing group total itself, in place too, because all tiles are published; on a CPU one may
     be late */
  { "no total of a group published", "-DSCAN_TEST_WITHHOLD_GROUPS -DSCAN_TEST_SPIN_LIMIT=20000", RIGHT, RIGHT_ON_GPU },
  { "every 4th tile lost", "-DSCAN_TEST_LOSE=4 -DSCAN_TEST_SPIN_LIMIT=200", GIVES_UP, GIVES_UP },
};
enum { ADVERSITIES = sizeof adversities / sizeof adversities[0] };
static const char lost[] = "-DSCAN_TEST_LOSE=4 -DSCAN_TEST_SPIN_LIMIT=200";

/* Returns the elements of about so many KiB. */
static uint64_t count_of(scan_type type, uint64_t kib) {
  const uint64_t n = kib * 1024 / scan_type_bytes(type) - 5;
  return n < FIXTURE_MOST ? n : FIXTURE_MOST;
}

/* 1, 10, 15 and 128 tiles; 19 larger tiles; two whole groups and 4 tiles. The largest are omitted on devices with a
 * limit of loop iterations, and on slow simulators. */
static const uint64_t sizes_kib[] = { 30, 40, 60, 512, 600, 8320 };

static size_t size_count(void) {
  if (test_ctx()->caps.loop_limit) return 3;
  return test_is_small() ? 4 : sizeof sizes_kib / sizeof sizes_kib[0];
}

/* 1 if missing tiles are detected; otherwise 0, with a notice. */
static int counts_tiles(void) {
  const scan_caps *caps = &test_ctx()->caps;
  if (!caps->info.has_shuffles || caps->descriptors == SCAN_DESCRIPTORS_SPLIT) return 1;
  test_skipped("nobody counts the tiles on %s", test_selector());
  return 0;
}

/* ---- one scan under one adversity ---- */

/* Checks that the plan's workspace is cleared, and that a scan without waits is right. */
static void check_continues(struct fixture *b) {
  assert_non_null(strstr(scan_last_error(b->ctx), "gave up waiting for another work-group"));
  assert_non_null(strstr(scan_last_error(b->ctx), "reduce_then_scan"));
  assert_int_equal(lookback_epoch(b), 0);
  lookback_check_clear(b);
  test_ok(b->ctx, scan_sync(b->ctx), "scan_sync, told once");
  fixture_check(b, 1000, 0);
}

/* 1 if each tile has a work-group and all of them run at once. No ticket order can then make one wait for another that
 * has not begun. */
static int all_run_at_once(uint64_t tiles) {
  const scan_caps *caps = &test_ctx()->caps;
  return !caps->info.is_cpu && tiles <= (uint64_t)caps->info.compute_units * caps->tuning.groups_per_unit;
}

static void check_scan(struct fixture *b, const struct adversity *a, uint64_t kib, int in_place) {
  const uint64_t n = count_of(b->spec.type, kib), tiles = canon_tiles(n, scan_type_bytes(b->spec.type));
  enum outcome wanted = in_place ? a->in_place : a->out_of_place;
  if (wanted == RIGHT_ON_GPU) wanted = test_info()->is_cpu ? EITHER : RIGHT;
  if (test_ctx()->caps.loop_limit && wanted == RIGHT) wanted = EITHER; /* a fallback may exceed the limit */
  if (a->out_of_place == RIGHT && wanted == GIVES_UP && all_run_at_once(tiles)) wanted = EITHER;
  const scan_status status = fixture_run(b, n, in_place);
  if (status == SCAN_SUCCESS) fixture_check_result(&b->spec, n);
  if (status == SCAN_SUCCESS ? wanted == GIVES_UP && tiles > 1 : status != SCAN_NO_PROGRESS || wanted == RIGHT)
    test_fail("%s, %d tiles %sin place: %s", a->name, (int)tiles, in_place ? "" : "not ", scan_status_name(status));
  if (status == SCAN_NO_PROGRESS) check_continues(b);
}

static void check_adversity(const struct adversity *a, scan_type type) {
  const size_t count = size_count();
  const scan_spec spec = hooked_sum(type, SCAN_STRATEGY_LOOKBACK);
  if (a->out_of_place == GIVES_UP && !counts_tiles()) return;
  struct fixture b = fixture_open(hooked_open(a->options), &spec, count_of(type, sizes_kib[count - 1]));
  for (size_t i = 0; i < count; i++)
    for (int in_place = 0; in_place <= 1; in_place++) check_scan(&b, a, sizes_kib[i], in_place);
  fixture_close(&b);
  hooked_close(b.ctx);
  test_ran();
}

static void test_adversities(void **state) {
  (void)state;
  static const scan_type types[] = { SCAN_I32, SCAN_I64, SCAN_U8 }; /* descriptors of 2, 4 and 1 words */
  for (size_t t = 0; t < 3; t++)
    for (int a = 0; a < ADVERSITIES; a++)
      if (hooked_wants(types[t]) && (types[t] != SCAN_U8 || a == 0)) check_adversity(&adversities[a], types[t]);
}

/* ---- the retry without look-back ---- */

static scan_status run_host(scan_ctx *ctx, const scan_spec *spec, uint64_t n, int in_place) {
  void *in = fixture_values();
  fixture_prepare(spec, n);
  memset(fixture_result(), 0x5a, n * scan_type_bytes(spec->type));
  if (in_place) in = memcpy(fixture_result(), fixture_values(), n * scan_type_bytes(spec->type));
  return scan_run(ctx, spec, n, scan_host(in), scan_host(fixture_result()));
}

static uint32_t has_fair_progress(scan_ctx *ctx) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  test_ok(ctx, scan_ctx_device(ctx, &info), "scan_ctx_device");
  return info.has_fair_progress;
}

/* A scan of host memory is retried before the call returns, with any strategy; AUTO then avoids look-back. */
static void check_host_memory(scan_strategy strategy, int in_place) {
  scan_ctx *ctx = hooked_open(lost);
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  const scan_spec spec = hooked_sum(SCAN_I32, strategy), any = hooked_sum(SCAN_I32, SCAN_STRATEGY_AUTO);
  const uint64_t n = count_of(SCAN_I32, 60);
  const int looks_back = strategy == SCAN_STRATEGY_LOOKBACK || test_info()->has_fair_progress;
  scan_plan *plan = NULL;
  for (int again = 0; again < 2; again++) {
    test_ok(ctx, run_host(ctx, &spec, n, in_place), "scan_run");
    fixture_check_result(&spec, n);
    assert_string_equal(scan_last_error(ctx), "");
    assert_int_equal(ctx->caps.has_stalled, looks_back);
    assert_int_equal(has_fair_progress(ctx), 0);
  }
  test_ok(ctx, scan_plan_create(ctx, &any, n, &plan), "scan_plan_create");
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  assert_int_equal(facts.strategy, SCAN_STRATEGY_REDUCE_THEN_SCAN);
  if (looks_back) assert_non_null(strstr(facts.reason, "gave up"));
  scan_plan_destroy(plan);
  hooked_close(ctx);
}

static void test_second_try(void **state) {
  (void)state;
  if (!counts_tiles()) return;
  for (int in_place = 0; in_place <= 1; in_place++) {
    check_host_memory(SCAN_STRATEGY_LOOKBACK, in_place);
    check_host_memory(SCAN_STRATEGY_AUTO, in_place);
  }
  test_ran();
}

/* After an earlier scan that was not waited for there is no retry, as that scan may have failed instead. */
static void test_no_second_try(void **state) {
  (void)state;
  const scan_spec spec = hooked_sum(SCAN_I32, SCAN_STRATEGY_LOOKBACK);
  const uint64_t n = count_of(SCAN_I32, 60);
  if (!counts_tiles()) return;
  struct fixture b = fixture_open(hooked_open(lost), &spec, n);
  test_ok(b.ctx, scan_write(b.ctx, b.in, fixture_values(), n * 4), "scan_write");
  test_ok(b.ctx, scan_plan_run(b.plan, n, b.in, b.out), "scan_plan_run");
  assert_int_equal(run_host(b.ctx, &spec, n, 0), SCAN_NO_PROGRESS);
  test_ok(b.ctx, run_host(b.ctx, &spec, n, 0), "scan_run");
  fixture_check_result(&spec, n);
  test_ok(b.ctx, scan_plan_run(b.plan, n, b.in, b.in), "scan_plan_run");
  assert_int_equal(scan_read(b.ctx, b.in, fixture_result(), 4), SCAN_NO_PROGRESS); /* a read waits, too */
  assert_non_null(strstr(scan_last_error(b.ctx), "restore what was scanned in place"));
  fixture_close(&b);
  hooked_close(b.ctx);
  test_ran();
}

/* A caller's plan for which AUTO chose look-back uses another strategy after the first failure. */
static void test_plans_change(void **state) {
  (void)state;
  const scan_spec spec = hooked_sum(SCAN_I32, SCAN_STRATEGY_AUTO);
  const uint64_t n = count_of(SCAN_I32, 60);
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  if (!counts_tiles()) return;
  if (!test_info()->has_fair_progress) {
    test_skipped("AUTO takes no look-back on %s", test_selector());
    return;
  }
  struct fixture b = fixture_open(hooked_open(lost), &spec, n);
  test_ok(b.ctx, scan_plan_info(b.plan, &facts), "scan_plan_info");
  assert_int_equal(facts.strategy, SCAN_STRATEGY_LOOKBACK);
  assert_int_equal(fixture_run(&b, n, 0), SCAN_NO_PROGRESS);
  test_ok(b.ctx, scan_plan_info(b.plan, &facts), "scan_plan_info");
  assert_int_equal(facts.strategy, SCAN_STRATEGY_REDUCE_THEN_SCAN);
  assert_non_null(strstr(facts.reason, "gave up"));
  for (int in_place = 0; in_place <= 1; in_place++) fixture_check(&b, n, in_place);
  fixture_check(&b, 100, 0);
  fixture_close(&b);
  hooked_close(b.ctx);
  test_ran();
}

/* Constants that a plan wrote once survive the clearing of its workspace: a scan of no elements gives the identity. */
static void test_constants_stay(void **state) {
  (void)state;
  const uint64_t n = count_of(SCAN_I32, 60);
  int32_t left = 0;
  scan_mem carry;
  if (!counts_tiles()) return;
  scan_ctx *ctx = hooked_open(lost);
  test_ok(ctx, scan_alloc(ctx, sizeof left, &carry), "scan_alloc");
  scan_spec spec = hooked_sum(SCAN_I32, SCAN_STRATEGY_LOOKBACK);
  spec.op = SCAN_MIN;
  spec.kind = SCAN_EXCLUSIVE;
  struct fixture b = fixture_open(ctx, &spec, n);
  test_ok(ctx, scan_write(ctx, b.in, fixture_values(), n * 4), "scan_write");
  test_ok(ctx, scan_plan_run(b.plan, n, b.in, b.out), "scan_plan_run");
  assert_int_equal(scan_sync(ctx), SCAN_NO_PROGRESS);
  scan_args nothing = SCAN_ARGS_INIT(b.in, b.out);
  nothing.carry_out = carry;
  test_ok(ctx, scan_plan_run_args(b.plan, 0, &nothing), "scan_plan_run_args");
  test_ok(ctx, scan_read(ctx, carry, &left, sizeof left), "scan_read");
  assert_int_equal(left, INT32_MAX);
  fixture_close(&b);
  hooked_close(ctx);
  test_ran();
}

/* The next wait reports the failure of a destroyed plan, once. */
static void test_destroyed_plans_report(void **state) {
  (void)state;
  const scan_spec spec = hooked_sum(SCAN_I32, SCAN_STRATEGY_LOOKBACK);
  const uint64_t n = count_of(SCAN_I32, 60);
  scan_plan *plan = NULL;
  if (!counts_tiles()) return;
  struct fixture b = fixture_open(hooked_open(lost), &spec, n);
  for (int staged = 0; staged <= 1; staged++) {
    test_ok(b.ctx, scan_plan_create(b.ctx, &spec, n, &plan), "scan_plan_create");
    test_ok(b.ctx, scan_write(b.ctx, b.in, fixture_values(), n * 4), "scan_write");
    test_ok(b.ctx, scan_plan_run(plan, n, b.in, b.in), "scan_plan_run");
    scan_plan_destroy(plan);
    test_refusal(b.ctx, staged ? run_host(b.ctx, &spec, n, 0) : scan_sync(b.ctx), SCAN_NO_PROGRESS,
                 "restore what was scanned in place");
    test_ok(b.ctx, scan_sync(b.ctx), "scan_sync, told once");
  }
  fixture_close(&b);
  hooked_close(b.ctx);
  test_ran();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_adversities),    cmocka_unit_test(test_second_try),
    cmocka_unit_test(test_no_second_try),  cmocka_unit_test(test_plans_change),
    cmocka_unit_test(test_constants_stay), cmocka_unit_test(test_destroyed_plans_report),
  };
  (void)alarm(MOST_SECONDS);
  (void)test_device_open();
  if (test_info()->backend != SCAN_BACKEND_OPENCL) test_skip_program("%s is not OpenCL", test_selector());
  return test_exit(cmocka_run_group_tests_name("progress", tests, NULL, NULL));
}
