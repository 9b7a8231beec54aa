/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the text of predicates and bucket functions: functions that are missing from it. */
#include <scanrt/scan_select.h>
#include <scanrt/scan_split.h>

#include "support.h"

static void check_predicate(const char *text, const char *keep, int has_params, uint32_t is_pair, scan_status want) {
  scan_predicate_source source = SCAN_PREDICATE_INIT(text, int32_t, keep);
  scan_op *op = NULL;
  source.keep = keep;
  source.is_pair = is_pair;
  if (has_params) source.params_type = "float", source.params_bytes = source.params_align = 4;
  const scan_status status = scan_predicate_create(test_ctx(), &source, &op);
  if (status != want) test_fail("predicate %s: %s", keep, scan_status_name(status));
  scan_op_destroy(op);
}

static void check_bucket(const char *text, const char *bucket, int has_params, scan_status want) {
  scan_bucket_source source = SCAN_BUCKET_INIT(text, int32_t, bucket);
  scan_op *op = NULL;
  source.bucket = bucket;
  if (has_params) source.params_type = "float", source.params_bytes = source.params_align = 4;
  const scan_status status = scan_bucket_create(test_ctx(), &source, &op);
  if (status != want) test_fail("bucket function %s: %s", bucket, scan_status_name(status));
  scan_op_destroy(op);
}

/* Predicates of one element and of two, and bucket functions, that are not defined or call an undefined function. */
static void test_undefined_predicates(void **state) {
  (void)state;
  static const char keeps[] = "int gone(int32_t a);\n"
                              "static inline int right(int32_t x, uint64_t i) { return x > (int32_t)i; }\n"
                              "static inline int calls(int32_t x, uint64_t i) { return gone(x); }\n";
  static const char bounds[] = "int gone(int32_t a);\n"
                               "static inline int right(int32_t x, uint64_t i, float p) { return (float)x > p; }\n"
                               "static inline int calls(int32_t x, uint64_t i, float p) { return gone(x); }\n";
  static const char pairs[] = "int gone(int32_t a);\n"
                              "static inline int right(int32_t a, int32_t b) { return a == b; }\n"
                              "static inline int calls(int32_t a, int32_t b) { return gone(a); }\n";
  static const char buckets[] = "uint32_t gone(int32_t a);\n"
                                "static inline uint32_t right(int32_t x, uint64_t i) { return (uint32_t)x % 7u; }\n"
                                "static inline uint32_t calls(int32_t x, uint64_t i) { return gone(x); }\n";
  if (!test_needs_compiler()) skip();
  const char *const names[] = { "right", "nowhere", "calls" };
  for (int k = 0; k < 3; k++) {
    const scan_status want = k == 0 ? SCAN_SUCCESS : SCAN_BUILD_FAILED;
    check_predicate(keeps, names[k], 0, 0, want);
    check_predicate(bounds, names[k], 1, 0, want);
    check_predicate(pairs, names[k], 0, 1, want);
    check_bucket(buckets, names[k], 0, want);
  }
  check_bucket(buckets, "nowhere", 1, SCAN_BUILD_FAILED);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test_setup(test_undefined_predicates, test_count_setup) };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("function_text", tests, NULL, NULL));
}
