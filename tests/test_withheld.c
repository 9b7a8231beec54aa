/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests CUDA kernels in which every second tile withholds its aggregate (SCAN_TEST_WITHHOLD=2, compiled only for this
 * program, with waits of 1,000 polls). A look-back that misses one recomputes the tile, or, in place, gives up with
 * SCAN_NO_PROGRESS. */
#include "lookback_state.h"
#include "hooked.h"

#include <string.h>

enum { WITHHELD = 2 };

static struct fixture open_fixture(scan_strategy strategy) {
  const scan_spec spec = hooked_sum(SCAN_F32, strategy);
  return fixture_open(hooked_open(NULL), &spec, FIXTURE_MOST);
}

static void close_fixture(struct fixture *b) {
  fixture_close(b);
  hooked_close(b->ctx);
}

/* Scans 1, 9, 10 and 128 small tiles, 17 and 512 large ones. Each result has the bits of a scan without hooks. */
static void check_fallback(scan_strategy strategy) {
  static const uint64_t counts[] = { 100, 8193, 10240, 131072, 131073, FIXTURE_MOST };
  struct fixture b = open_fixture(strategy);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) fixture_check(&b, counts[i], 0);
  const uint64_t recomputed = lookback_count_published(&b, FIXTURE_MOST, WITHHELD);
  print_message("%s: %d tiles recomputed\n", scan_strategy_name(strategy), (int)recomputed);
  assert_true(recomputed > 0);
  close_fixture(&b);
}

static void check_no_progress(scan_strategy strategy) {
  struct fixture b = open_fixture(strategy);
  test_refusal(b.ctx, fixture_run(&b, FIXTURE_MOST, 1), SCAN_NO_PROGRESS, "gave up waiting for another work-group");
  test_ok(b.ctx, scan_sync(b.ctx), "scan_sync, told once");
  fixture_check(&b, 1000, 1);
  fixture_check(&b, FIXTURE_MOST, 0);
  close_fixture(&b);
}

static void test_lookback(void **state) {
  (void)state;
  check_fallback(SCAN_STRATEGY_LOOKBACK);
  check_no_progress(SCAN_STRATEGY_LOOKBACK);
  test_ran();
}

static void test_pipelined(void **state) {
  (void)state;
  check_fallback(SCAN_STRATEGY_PIPELINED);
  check_no_progress(SCAN_STRATEGY_PIPELINED);
  test_ran();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lookback),
    cmocka_unit_test(test_pipelined),
  };
  (void)test_device_open();
  if (test_info()->backend != SCAN_BACKEND_CUDA) test_skip_program("%s is not CUDA's", test_selector());
  return test_exit(cmocka_run_group_tests_name("withheld", tests, NULL, NULL));
}
