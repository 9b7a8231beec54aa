/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests onesweep sorts whose atomic additions return in another order than the lanes' ($SCANRT_TUNE, sort_sweeps=3):
 * every tile must be detected and repaired, and the result must be right. */
#include "ops/sort/sort_run.h"
#include "kernels_cl/sort/sort.h"
#include "reference.h"
#include "reference_sort.h"
#include "support.h"
#include "core/regions.h"

#include <string.h>

enum { N = 100003, MOST_BYTES = N * 8 };

static uint64_t repairs_of(scan_plan *plan) {
  scan_mem word = scan_region_of(plan, SCAN_REGION_DIGITS);
  uint64_t repairs = 0;
  word.offset_bytes += SORT_WORD_REPAIRS * sizeof repairs;
  test_ok(plan->ctx, scan_read(plan->ctx, word, &repairs, sizeof repairs), "scan_read");
  return repairs;
}

static struct {
  scan_mem keys_in, keys_out, in, out;
  unsigned char *keys, *got;
  reference_item *items, *spare;
} memory;

/* Compares n elements, which are numbered by their place in the input, with the expected order. */
static void compare(const reference_item *order, uint64_t n, uint64_t bytes, scan_mem out) {
  test_ok(test_ctx(), scan_read(test_ctx(), out, memory.got, n * bytes), "scan_read");
  for (uint64_t i = 0; i < n; i++)
    if (memcmp(memory.got + i * bytes, &order[i].index, bytes) != 0)
      test_fail("n = %llu: element %llu is wrong", (unsigned long long)n, (unsigned long long)i);
}

static void compare_keys(const reference_item *order, uint64_t n, uint64_t bytes) {
  test_ok(test_ctx(), scan_read(test_ctx(), memory.keys_out, memory.got, n * bytes), "scan_read");
  for (uint64_t i = 0; i < n; i++)
    if (memcmp(memory.got + i * bytes, memory.keys + order[i].index * bytes, bytes) != 0)
      test_fail("n = %llu: key %llu is wrong", (unsigned long long)n, (unsigned long long)i);
}

/* Sorts n keys by a plan for N keys. */
static void sort(const scan_sort_spec *spec, sort_shape shape, scan_plan *plan, uint64_t n) {
  const reference_keys keys = { spec->key_type, shape, 0, n };
  const uint64_t bytes = scan_type_bytes(spec->key_type), index_bytes = scan_type_bytes(spec->index_type);
  scan_sort_args args = { .struct_bytes = sizeof args, .keys_in = memory.keys_in };
  reference_fill_keys(&keys, n, memory.keys);
  test_ok(test_ctx(), scan_write(test_ctx(), memory.keys_in, memory.keys, n * bytes), "scan_write");
  for (uint64_t i = 0; i < n && spec->arrays; i++)
    memcpy(memory.got + i * spec->element_bytes[0], &i, spec->element_bytes[0]); /* little-endian */
  test_ok(test_ctx(), scan_write(test_ctx(), memory.in, memory.got, MOST_BYTES), "scan_write");
  if (!spec->drops_keys) args.keys_out = memory.keys_out;
  if (spec->arrays) args.in[0] = memory.in;
  if (spec->arrays || index_bytes) args.out[0] = memory.out;
  test_ok(test_ctx(), scan_plan_run_sort(plan, n, &args), "scan_plan_run_sort");
  const reference_item *order = reference_sort(spec, n, memory.keys, memory.items, memory.spare);
  if (!spec->drops_keys) compare_keys(order, n, bytes);
  if (spec->arrays || index_bytes) compare(order, n, index_bytes ? index_bytes : spec->element_bytes[0], memory.out);
  test_ran();
}

/* Sorts n keys and checks that tiles were repaired. With few different keys, some tiles need no repair. */
static void check(const scan_sort_spec *spec, sort_shape shape, uint64_t n) {
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create_sort(test_ctx(), spec, N, &plan);
  if (status == SCAN_UNSUPPORTED) return;
  test_ok(test_ctx(), status, "scan_plan_create_sort");
  if (!scan_sort_uses_onesweep(&plan->caps, &scan_sort_plan_of(plan)->form, N)) {
    test_skipped("%s does not sort by onesweep", test_info()->name);
  } else {
    const uint64_t before = repairs_of(plan);
    sort(spec, shape, plan, n);
    const uint64_t repairs = repairs_of(plan) - before;
    if (test_ctx()->caps.tuning.sort_sweeps == 3 && repairs == 0)
      test_fail("n = %llu: lanes were permuted, and nothing was repaired", (unsigned long long)n);
  }
  scan_plan_destroy(plan);
}

static void check_sizes(scan_sort_spec spec) {
  static const sort_shape shapes[] = { SORT_RANDOM, SORT_FEW };
  for (int k = 0; k < 2; k++) {
    check(&spec, shapes[k], N);
    check(&spec, shapes[k], test_is_small() ? 5003 : 50021);
  }
}

static void test_keys(void **state) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32), wide = SCAN_SORT_SPEC_INIT(SCAN_F64);
  (void)state;
  check_sizes(spec);
  spec.first_bit = 5;
  spec.end_bit = 19;
  check_sizes(spec); /* keys with equal bits keep their order */
  wide.descending = 1;
  check_sizes(wide);
}

static void test_pairs(void **state) {
  (void)state;
  check_sizes((scan_sort_spec)SCAN_SORT_PAIRS_INIT(SCAN_I32, 4));
  check_sizes((scan_sort_spec)SCAN_SORT_PAIRS_INIT(SCAN_F32, 8));
  check_sizes((scan_sort_spec)SCAN_SORT_PAIRS_INIT(SCAN_U64, 4));
  check_sizes((scan_sort_spec)SCAN_SORT_PAIRS_INIT(SCAN_I64, 8));
}

static void test_indices(void **state) {
  scan_sort_spec spec = SCAN_SORT_INDEX_INIT(SCAN_U32, SCAN_U32);
  (void)state;
  check_sizes(spec);
  check_sizes((scan_sort_spec)SCAN_SORT_INDEX_INIT(SCAN_U64, SCAN_U64));
  spec.first_bit = 3;
  check_sizes(spec);
}

/* scan_sort rounds up its own plan, but not to more keys than onesweep sorts at once. */
static void test_rounded(void **state) {
  static const uint64_t counts[] = { 1, 100003, (UINT64_C(1) << 29) + 1, (UINT64_C(1) << 31) + 1, SORT_ONESWEEP_MOST };
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan_plan *plan = NULL;
  (void)state;
  test_ok(test_ctx(), scan_plan_create_sort(test_ctx(), &spec, N, &plan), "scan_plan_create_sort");
  const scan_sort_form form = scan_sort_plan_of(plan)->form;
  scan_plan_destroy(plan);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    const uint64_t max_n = scan_sort_hidden_n(test_ctx(), &form, counts[i]);
    assert_true(max_n >= counts[i] && max_n <= SORT_ONESWEEP_MOST);
    assert_int_equal(scan_sort_uses_onesweep(&test_ctx()->caps, &form, max_n),
                     scan_sort_uses_onesweep(&test_ctx()->caps, &form, N));
  }
  assert_int_equal(scan_sort_hidden_n(test_ctx(), &form, UINT64_C(1) << 30), UINT64_C(1) << 30);
  assert_int_equal(scan_sort_hidden_n(test_ctx(), &form, UINT64_C(1) << 32), UINT64_C(1) << 32);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_keys), cmocka_unit_test(test_pairs),
                                      cmocka_unit_test(test_indices), cmocka_unit_test(test_rounded) };
  scan_ctx *ctx = test_device_open();
  scan_mem *const memories[] = { &memory.keys_in, &memory.keys_out, &memory.in, &memory.out };
  for (int i = 0; i < 4; i++) test_ok(ctx, scan_alloc(ctx, MOST_BYTES, memories[i]), "scan_alloc");
  memory.keys = reference_alloc(MOST_BYTES);
  memory.got = reference_alloc(MOST_BYTES);
  memory.items = reference_alloc(N * sizeof *memory.items);
  memory.spare = reference_alloc(N * sizeof *memory.spare);
  return test_exit(cmocka_run_group_tests_name("sort_lanes", tests, NULL, NULL));
}
