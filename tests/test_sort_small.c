/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests sorts, splits and histograms of a few tiles, for simulators that need a second for a thousand keys: little work
 * of each kernel, but every access to shared memory. SCANRT_TUNE chooses the kernels: group_items=256; with
 * sort_sweeps=2 those that look back, even on a device whose fair progress is not known. */
#include "hooked.h"
#include "reference_sort.h"

#include <string.h>

#include <scanrt/scan_split.h>

#include "core/context.h"
#include "strategy/sort/sort.h"

enum { ALONE_N = 301, PORTABLE_N = 4300, MOST_N = 6200, BUCKETS = 256 };

static scan_ctx *small_ctx;
static uint64_t tiles_n; /* two tiles; the second one is not full */
static uint64_t keys[MOST_N], keys_out[MOST_N], values[MOST_N], values_out[MOST_N];
static reference_item items[MOST_N], spare[MOST_N];

static void fill(scan_type type, uint64_t n) {
  const reference_keys random = { .type = type, .shape = SORT_RANDOM, .seed = 7 };
  reference_fill_keys(&random, n, keys);
  memset(keys_out, 0xa5, sizeof keys_out);
  memset(values_out, 0xa5, sizeof values_out);
}

static uint64_t number(const void *array, size_t bytes, uint64_t i) {
  uint64_t found = 0;
  memcpy(&found, (const char *)array + i * bytes, bytes);
  return found;
}

/* Checks the keys, unless they are dropped, and the values: indices of value_bytes bytes, 0: none. */
static void check(const scan_sort_spec *spec, uint64_t n, size_t value_bytes, const char *what) {
  const size_t bytes = scan_type_bytes(spec->key_type);
  const reference_item *want = reference_sort(spec, n, keys, items, spare);
  for (uint64_t i = 0; i < n; i++) {
    if (!spec->drops_keys && number(keys_out, bytes, i) != number(keys, bytes, want[i].index))
      test_fail("%s, n = %llu: key %llu", what, (unsigned long long)n, (unsigned long long)i);
    if (value_bytes && number(values_out, value_bytes, i) != want[i].index)
      test_fail("%s, n = %llu: value %llu", what, (unsigned long long)n, (unsigned long long)i);
  }
  test_ran();
}

static void fill_values(uint64_t n, size_t bytes) {
  for (uint64_t i = 0; i < n; i++) memcpy((char *)values + i * bytes, &i, bytes);
}

static void sort_keys(scan_type type, uint64_t n) {
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(type);
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_host(keys), scan_host(keys_out));
  fill(type, n);
  test_ok(small_ctx, scan_sort(small_ctx, &spec, n, &args), "scan_sort");
  check(&spec, n, 0, "keys");
}

static void sort_pairs(scan_type type, uint32_t bytes, uint64_t n) {
  scan_sort_spec spec = SCAN_SORT_PAIRS_INIT(type, bytes);
  const scan_sort_args args =
      SCAN_SORT_PAIRS_ARGS_INIT(scan_host(keys), scan_host(keys_out), scan_host(values), scan_host(values_out));
  spec.descending = 1;
  fill(type, n);
  fill_values(n, bytes);
  test_ok(small_ctx, scan_sort(small_ctx, &spec, n, &args), "scan_sort");
  check(&spec, n, bytes, "pairs");
}

static void sort_indices(scan_type type, uint64_t n) {
  const scan_sort_spec spec = SCAN_SORT_INDEX_INIT(type, SCAN_U32);
  const scan_sort_args args = SCAN_SORT_INDEX_ARGS_INIT(scan_host(keys), scan_host(values_out));
  fill(type, n);
  test_ok(small_ctx, scan_sort(small_ctx, &spec, n, &args), "scan_sort");
  check(&spec, n, sizeof(uint32_t), "indices");
}

static void test_sorts(void **state) {
  (void)state;
  sort_keys(SCAN_U16, ALONE_N);
  sort_keys(SCAN_U16, tiles_n); /* two passes */
  sort_pairs(SCAN_U8, 4, tiles_n);
  sort_indices(SCAN_F16, tiles_n);
  sort_pairs(SCAN_U64, 8, ALONE_N);
}

/* Checks the order of a split, and the starts of its buckets. */
static void test_split(void **state) {
  static uint64_t offsets[BUCKETS + 1];
  scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 5, 13);
  scan_split_args args = SCAN_SPLIT_ARGS_INIT(scan_host(keys), scan_host(keys_out), scan_host(offsets));
  scan_sort_spec same = SCAN_SORT_PAIRS_INIT(SCAN_U32, sizeof(uint32_t));
  (void)state;
  spec.arrays = 1;
  spec.element_bytes[0] = sizeof(uint32_t);
  args.in[0] = scan_host(values);
  args.out[0] = scan_host(values_out);
  same.first_bit = spec.first_bit;
  same.end_bit = spec.end_bit;
  fill(SCAN_U32, tiles_n);
  fill_values(tiles_n, sizeof(uint32_t));
  test_ok(small_ctx, scan_split(small_ctx, &spec, tiles_n, &args), "scan_split");
  check(&same, tiles_n, sizeof(uint32_t), "split");
  for (uint32_t b = 0; b < BUCKETS; b++)
    for (uint64_t i = offsets[b]; i < offsets[b + 1]; i++)
      assert_int_equal(number(keys_out, sizeof(uint32_t), i) >> spec.first_bit & (BUCKETS - 1), b);
  assert_int_equal(offsets[0], 0);
  assert_int_equal(offsets[BUCKETS], tiles_n);
}

static void test_histogram(void **state) {
  static uint64_t counts[2 * BUCKETS], want[2 * BUCKETS];
  const scan_histogram_spec spec = SCAN_HISTOGRAM_SPEC_INIT(SCAN_U32, 0, 16);
  const scan_histogram_args args = SCAN_HISTOGRAM_ARGS_INIT(scan_host(keys), scan_host(counts));
  (void)state;
  fill(SCAN_U32, tiles_n);
  for (uint64_t i = 0; i < tiles_n; i++)
    for (uint64_t d = 0; d < 2; d++) want[d * BUCKETS + (number(keys, sizeof(uint32_t), i) >> 8 * d & 255)]++;
  test_ok(small_ctx, scan_histogram(small_ctx, &spec, tiles_n, &args), "scan_histogram");
  assert_memory_equal(counts, want, sizeof counts);
  test_ran();
}

/* Checks that the chosen kernels are used. */
static void test_kernels(void **state) {
  const scan_sort_form form = { .key_type = SCAN_U16, .end_bit = 16 };
  const scan_tuning *tuning = &small_ctx->caps.tuning;
  (void)state;
  assert_int_equal(scan_sort_looks_back(&small_ctx->caps, &form, MOST_N),
                   tuning->group_items >= BUCKETS && tuning->sort_sweeps == 2);
  test_ran();
}

/* Optional argument: a pattern of the tests to run. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_kernels), cmocka_unit_test(test_sorts),
                                      cmocka_unit_test(test_split), cmocka_unit_test(test_histogram) };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  (void)test_device_open();
  small_ctx = hooked_open(NULL);
  small_ctx->caps.info.has_fair_progress = 1;
  tiles_n = small_ctx->caps.tuning.sort_sweeps == 2 ? MOST_N : PORTABLE_N;
  const int failed = cmocka_run_group_tests_name("sort_small", tests, NULL, NULL);
  hooked_close(small_ctx);
  return test_exit(failed);
}
