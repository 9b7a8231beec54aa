/* SPDX-License-Identifier: BSD-2-Clause */
/* Sweeps whose additions return in another order than that of lanes ($SCANRT_TUNE, sort_sweeps=3): every tile must be
 * found out and put in order, and the result be right. */
#include "core/sort_run.h"
#include "kernels_cl/sort.h"
#include "sort_bench.h"

enum { N = 100003, MOST_BYTES = 4 << 20 };

static uint64_t repairs_of(scan_plan *plan) {
  scan_mem word = scan_region_of(plan, SCAN_REGION_DIGITS);
  uint64_t repairs = 0;
  word.offset_bytes += SORT_WORD_REPAIRS * sizeof repairs;
  test_ok(plan->ctx, scan_read(plan->ctx, word, &repairs, sizeof repairs), "scan_read");
  return repairs;
}

/* Of so many keys; where few are alike, as many tiles need nothing. */
static void check(sort_cell c, uint64_t n) {
  scan_plan *plan = sort_bench_plan(&c, N);
  if (plan == NULL) return;
  if (!scan_sort_is_swept(&plan->caps, &plan->sort->form, N)) {
    test_skipped("%s does not sort by sweeps", test_info()->name);
  } else {
    c.n = n;
    const uint64_t before = repairs_of(plan);
    sort_bench_check(&c, plan);
    const uint64_t repairs = repairs_of(plan) - before;
    if (test_ctx()->caps.tuning.sort_sweeps == 3 && repairs == 0)
      test_fail("n = %llu: lanes were turned round, and nothing was repaired", (unsigned long long)n);
  }
  scan_plan_destroy(plan);
}

static void check_sizes(sort_cell c) {
  static const sort_shape shapes[] = { SORT_RANDOM, SORT_FEW };
  for (int s = 0; s < 2; s++) {
    c.shape = shapes[s];
    check(c, N);
    check(c, test_is_small() ? 5003 : 50021);
  }
}

static void test_keys(void **state) {
  sort_cell c = { .spec = SCAN_SORT_SPEC_INIT(SCAN_U32) }, wide = { .spec = SCAN_SORT_SPEC_INIT(SCAN_F64) };
  (void)state;
  check_sizes(c);
  c.spec.first_bit = 5;
  c.spec.end_bit = 19;
  check_sizes(c); /* keys that are the same by these bits stay in their order */
  wide.spec.descending = 1;
  check_sizes(wide);
}

static void test_pairs(void **state) {
  const sort_cell same = { .spec = SCAN_SORT_PAIRS_INIT(SCAN_I32, 4) };
  const sort_cell wider = { .spec = SCAN_SORT_PAIRS_INIT(SCAN_F32, 8) };
  const sort_cell narrower = { .spec = SCAN_SORT_PAIRS_INIT(SCAN_U64, 4) };
  const sort_cell wide = { .spec = SCAN_SORT_PAIRS_INIT(SCAN_I64, 8) };
  (void)state;
  check_sizes(same);
  check_sizes(wider);
  check_sizes(narrower);
  check_sizes(wide);
}

static void test_indices(void **state) {
  sort_cell c = { .spec = SCAN_SORT_INDEX_INIT(SCAN_U32, SCAN_U32) };
  const sort_cell wide = { .spec = SCAN_SORT_INDEX_INIT(SCAN_U64, SCAN_U64) };
  (void)state;
  check_sizes(c);
  check_sizes(wide);
  c.spec.first_bit = 3;
  check_sizes(c);
}

/* The plan that a call of scan_sort makes for itself is rounded up, but not to more keys than sweeps take. */
static void test_rounded(void **state) {
  static const uint64_t counts[] = { 1, 100003, (UINT64_C(1) << 29) + 1, (UINT64_C(1) << 31) + 1, SORT_SWEEP_MOST };
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan_plan *plan = NULL;
  (void)state;
  test_ok(test_ctx(), scan_plan_create_sort(test_ctx(), &spec, N, &plan), "scan_plan_create_sort");
  const scan_sort_form form = plan->sort->form;
  scan_plan_destroy(plan);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    const uint64_t max_n = scan_sort_hidden_n(test_ctx(), &form, counts[i]);
    assert_true(max_n >= counts[i] && max_n <= SORT_SWEEP_MOST);
    assert_int_equal(scan_sort_is_swept(&test_ctx()->caps, &form, max_n),
                     scan_sort_is_swept(&test_ctx()->caps, &form, N));
  }
  assert_int_equal(scan_sort_hidden_n(test_ctx(), &form, UINT64_C(1) << 30), UINT64_C(1) << 30);
  assert_int_equal(scan_sort_hidden_n(test_ctx(), &form, UINT64_C(1) << 32), UINT64_C(1) << 32);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_keys), cmocka_unit_test(test_pairs),
                                      cmocka_unit_test(test_indices), cmocka_unit_test(test_rounded) };
  (void)test_device_open();
  sort_bench_open(MOST_BYTES, N);
  return test_exit(cmocka_run_group_tests_name("sort_lanes", tests, NULL, NULL));
}
