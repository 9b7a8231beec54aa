/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests sorts: the order by C's own comparisons, and the memory of plans and of the caller. The cases have the rest. */
#include "reference.h"
#include "reference_sort.h"
#include "support.h"

enum { N = 4000 };

static scan_sort_spec numeric_of(scan_type type, uint32_t descending) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(type);
  spec.order = SCAN_SORT_NUMERIC_ORDER;
  spec.descending = descending;
  return spec;
}

/* Sorts zeros, infinities, NaNs and denormals of both signs, in host memory. */
static void sort_edges(const scan_sort_spec *spec, uint64_t *out) {
  static uint64_t in[N];
  const reference_keys keys = { spec->key_type, SORT_EDGES, 0, 7 };
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_host(in), scan_host(out));
  reference_fill_sort_keys(&keys, spec, N, in);
  test_ok(test_ctx(), scan_sort(test_ctx(), spec, N, &args), "scan_sort");
}

/* Checks that sorted keys ascend by C's comparisons, with NaNs at the ends by their signs. */
static void check_order(scan_type type) {
  static uint64_t out[N];
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(type);
  sort_edges(&spec, out);
  int has_positive_nan = 0, has_number = 0;
  for (uint64_t i = 0; i < N; i++) {
    const double x = reference_load(type, out, i), before = i > 0 ? reference_load(type, out, i - 1) : 0;
    const size_t bytes = scan_type_bytes(type);
    const int is_negative = ((const unsigned char *)out)[(i + 1) * bytes - 1] >> 7;
    const int was_negative = i > 0 && ((const unsigned char *)out)[i * bytes - 1] >> 7;
    if (x == x) {
      if (has_positive_nan) test_fail("%s: a number behind a NaN without a sign", scan_type_name(type));
      if (has_number && !(before < x) && !(before == x && was_negative >= is_negative))
        test_fail("%s: %g comes before %g", scan_type_name(type), before, x);
      has_number = 1;
    } else if (!is_negative) {
      has_positive_nan = 1;
    } else if (has_number) {
      test_fail("%s: a NaN with a sign behind a number", scan_type_name(type));
    }
  }
  test_ran();
}

static void test_float_order(void **state) {
  (void)state;
  check_order(SCAN_F32);
  check_order(SCAN_F16);
  check_order(SCAN_BF16);
  if (test_has_type(SCAN_F64)) check_order(SCAN_F64);
}

static const scan_type floats[] = { SCAN_F32, SCAN_F64, SCAN_F16, SCAN_BF16 };
enum { FLOATS = sizeof floats / sizeof floats[0] };

/* Checks that numbers ascend, zeros of both signs being equal, with NaNs at the end; or all in descending order. */
static void check_numeric_order(scan_type type, uint32_t descending) {
  static uint64_t out[N];
  const scan_sort_spec spec = numeric_of(type, descending);
  sort_edges(&spec, out);
  for (uint64_t i = 1; i < N; i++) {
    const double one = reference_load(type, out, i - 1), other = reference_load(type, out, i);
    const double low = descending ? other : one, high = descending ? one : other;
    if (low != low && high == high) test_fail("%s: a NaN below %g", scan_type_name(type), high);
    if (low > high) test_fail("%s: %g comes before %g", scan_type_name(type), low, high);
  }
  test_ran();
}

static void test_numeric_order(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 2 * FLOATS; k++)
    if (test_has_type(floats[k / 2])) check_numeric_order(floats[k / 2], k % 2);
}

/* Checks that sorted keys of two words ascend by C's comparisons. */
static void check_pairs(uint32_t low_word_first) {
  static int64_t in[N][2], out[N][2];
  const reference_keys keys = { SCAN_I64, SORT_EDGES, 0, 7 };
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_host(in), scan_host(out));
  const int upper = low_word_first ? 1 : 0;
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_I64);
  spec.key_words = 2;
  spec.low_word_first = low_word_first;
  reference_fill_sort_keys(&keys, &spec, N, in);
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, N, &args), "scan_sort");
  for (int i = 1; i < N; i++) {
    const int64_t *a = out[i - 1], *b = out[i];
    if (a[upper] > b[upper] || (a[upper] == b[upper] && a[1 - upper] > b[1 - upper]))
      test_fail("low first %u: key %d comes before the one before it", low_word_first, i);
  }
  test_ran();
}

static void test_pair_order(void **state) {
  (void)state;
  check_pairs(0);
  check_pairs(1);
}

/* ---- memory ---- */

/* Returns the bytes of the workspace of a plan for n keys. @param[out] scratch  scratch bytes that a run needs */
static uint64_t own_bytes(const scan_sort_spec *spec, uint64_t n, uint64_t *scratch) {
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create_sort(test_ctx(), spec, n, &plan);
  if (status == SCAN_UNSUPPORTED) skip();
  test_ok(test_ctx(), status, "scan_plan_create_sort");
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  scan_plan_destroy(plan);
  *scratch = facts.scratch_bytes;
  return facts.workspace_bytes;
}

/* With the caller's scratch memory a plan's own workspace hardly grows with the keys. scan_sort_scratch_bytes gives the
 * scratch bytes of a plan for as many keys. */
static void check_scratch(scan_sort_spec spec) {
  enum { KEYS = 1 << 20 };
  const uint64_t least_bytes = KEYS * reference_key_bytes(&spec);
  uint64_t bytes = 0, scratch = 0, of_twice = 0;
  const uint64_t own = own_bytes(&spec, KEYS, &scratch);
  test_ok(test_ctx(), scan_sort_scratch_bytes(test_ctx(), &spec, KEYS, &bytes), "scan_sort_scratch_bytes");
  if (scratch != 0 || bytes != 0 || own < least_bytes) test_fail("a plan of %llu bytes", (unsigned long long)own);
  spec.gives_scratch = 1;
  const uint64_t twice = own_bytes(&spec, 2 * KEYS, &of_twice), once = own_bytes(&spec, KEYS, &scratch);
  test_ok(test_ctx(), scan_sort_scratch_bytes(test_ctx(), &spec, KEYS, &bytes), "scan_sort_scratch_bytes");
  if (bytes != scratch || bytes < least_bytes || twice > once + bytes / 4)
    test_fail("plans of %llu and %llu bytes, and %llu that are given", (unsigned long long)once,
              (unsigned long long)twice, (unsigned long long)bytes);
  test_ran();
}

static void test_scratch(void **state) {
  (void)state;
  if (test_info()->loop_limit) skip(); /* 2^20 keys exceed the limit, or their tiles are small */
  scan_sort_spec words = SCAN_SORT_SPEC_INIT(SCAN_U32);
  words.key_words = 2;
  check_scratch(words);
  words = (scan_sort_spec)SCAN_SORT_PAIRS_INIT(SCAN_I64, 12);
  words.key_words = 2;
  check_scratch(words);
  check_scratch((scan_sort_spec)SCAN_SORT_PAIRS_INIT(SCAN_U8, 8));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_float_order), cmocka_unit_test(test_numeric_order),
                                      cmocka_unit_test(test_pair_order), cmocka_unit_test(test_scratch) };
  (void)test_device_open();
  return test_exit(cmocka_run_group_tests_name("sort_order", tests, NULL, NULL));
}
