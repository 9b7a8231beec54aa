/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the names and sizes of types, operators, strategies and statuses, the version, and which scans are defined. */
#include "reference.h"
#include "support.h"

#include <string.h>

static void test_type_names(void **state) {
  (void)state;
  for (int t = 0; t <= SCAN_BF16 + 1; t++) {
    const char *name = scan_type_name((scan_type)t);
    scan_type parsed = SCAN_TYPE_DEFAULT;
    assert_int_equal(scan_type_bytes((scan_type)t), reference_bytes((scan_type)t));
    assert_int_equal(name != NULL, reference_bytes((scan_type)t) != 0);
    if (!name) continue;
    test_ok(NULL, scan_type_parse(name, &parsed), name);
    assert_int_equal(parsed, t);
  }
  scan_type none = SCAN_I8;
  assert_int_equal(scan_type_parse("i128", &none), SCAN_INVALID_ARGUMENT);
  assert_int_equal(none, SCAN_TYPE_DEFAULT);
  assert_int_equal(scan_type_parse(NULL, &none), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_type_parse("i8", NULL), SCAN_INVALID_ARGUMENT);
}

static void test_operator_names(void **state) {
  (void)state;
  static const char *const names[] = { NULL, "add", "mul", "min", "max", "and", "or", "xor", NULL };
  for (int i = 0; i <= SCAN_XOR + 1; i++) {
    scan_op_id parsed = SCAN_OP_NONE;
    assert_int_equal(scan_op_name((scan_op_id)i) != NULL, names[i] != NULL);
    if (!names[i]) continue;
    assert_string_equal(scan_op_name((scan_op_id)i), names[i]);
    test_ok(NULL, scan_op_parse(names[i], &parsed), names[i]);
    assert_int_equal(parsed, i);
  }
  scan_op_id none = SCAN_ADD;
  assert_int_equal(scan_op_parse("sub", &none), SCAN_INVALID_ARGUMENT);
  assert_int_equal(none, SCAN_OP_NONE);
}

static void test_strategy_names(void **state) {
  (void)state;
  static const char *const names[] = { "auto",     "sequential",       "block",     "reduce_then_scan",
                                       "lookback", "threads",          "pipelined", "hillis_steele",
                                       "blelloch", "blelloch_padded",  "subgroup",  "three_pass",
                                       "chained",  "lookback_classic", "sklansky",  "brent_kung",
                                       "raking" };
  const int canonical[] = { 1, 0, 1, 1, 1, 1, 1 };
  for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++) {
    scan_strategy parsed = SCAN_STRATEGY_AUTO;
    assert_string_equal(scan_strategy_name((scan_strategy)i), names[i]);
    assert_int_equal(scan_strategy_is_canonical((scan_strategy)i), i <= SCAN_STRATEGY_PIPELINED && canonical[i]);
    test_ok(NULL, scan_strategy_parse(names[i], &parsed), names[i]);
    assert_int_equal(parsed, i);
  }
  scan_strategy none = SCAN_STRATEGY_BLOCK;
  assert_int_equal(scan_strategy_parse("guess", &none), SCAN_INVALID_ARGUMENT);
  assert_int_equal(none, SCAN_STRATEGY_AUTO);
  assert_null(scan_strategy_name((scan_strategy)77));
  assert_int_equal(scan_strategy_is_canonical((scan_strategy)77), 0);
  assert_int_equal(scan_strategy_is_canonical((scan_strategy)65), 0); /* values of tiles are no scan */
}

static void test_other_names(void **state) {
  (void)state;
  assert_string_equal(scan_status_name(SCAN_SUCCESS), "SCAN_SUCCESS");
  assert_string_equal(scan_status_name(SCAN_NO_PROGRESS), "SCAN_NO_PROGRESS");
  assert_string_equal(scan_status_name(SCAN_OVERFLOW), "SCAN_OVERFLOW");
  assert_string_equal(scan_status_name((scan_status)77), "unknown status");
  assert_string_equal(scan_backend_name(SCAN_BACKEND_OPENCL), "opencl");
  assert_null(scan_backend_name((scan_backend)77));
  assert_string_equal(scan_version(), "0.2.0");
  assert_int_equal(scan_version_number(), 200);
  const char *build = scan_build_info();
  assert_ptr_equal(strstr(build, "scanrt 0.2.0, commit "), build);
  assert_non_null(strstr(build, "; CUDA images "));
  assert_null(strchr(build, '\n'));
#if SCAN_VERSION_NUMBER != 200
  fail_msg("SCAN_VERSION_NUMBER is %d", SCAN_VERSION_NUMBER);
#endif
}

static void test_what_is_defined(void **state) {
  (void)state;
  for (int type = -1; type <= SCAN_BF16 + 1; type++) {
    for (int input = 0; input <= SCAN_BF16 + 1; input++) {
      for (int op = 0; op <= SCAN_XOR + 1; op++) {
        int defined = scan_spec_defined((scan_type)type, (scan_type)input, (scan_op_id)op);
        if (defined == reference_defined((scan_type)type, (scan_type)input, (scan_op_id)op)) continue;
        test_fail("scan_spec_defined(%d, %d, %d) is %d", type, input, op, defined);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_type_names),  cmocka_unit_test(test_operator_names),  cmocka_unit_test(test_strategy_names),
    cmocka_unit_test(test_other_names), cmocka_unit_test(test_what_is_defined),
  };
  return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
