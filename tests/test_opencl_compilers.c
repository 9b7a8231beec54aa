/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: test_opencl_compilers FILE
 * Compiles the programs of all cases of a file of lines (tools/cases/) for a device of the fake OpenCL driver by clang.
 * Results are not looked at: kernels do nothing there. */
#include "case.h"
#include "support.h"

#include <scanrt/scan_reduce.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int failures;

static int visit(const char *line, void *contexts) {
  char words[CASE_WORDS_BYTES] = "";
  scan_case c;
  if (case_from_line(line, &c, words) != 0) test_fail("%s\n  of the line: %s", words, line);
  if (case_build(&c) != 0) test_fail("no memory for: %s", line);
  const scan_status status = case_run_on(contexts, &c, words);
  case_free(&c);
  if (status == SCAN_SUCCESS) test_ran();
  if (status != SCAN_BUILD_FAILED) return 0; /* a type from source has no size on a device that runs nothing */
  print_message("%s: %s\n  of the case: %s\n", scan_status_name(status), words, line);
  failures++;
  return 0;
}

/* Cases have no segmented reductions: these compile those of few elements and of many. */
static void test_segmented_reductions(void **state) {
  static const scan_type types[] = { SCAN_I32, SCAN_U8, SCAN_F64, SCAN_F16 };
  (void)state;
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    const scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, types[t], SCAN_ADD);
    for (uint64_t n = 1; n <= (uint64_t)1 << 24; n <<= 12) {
      scan_plan *plan = NULL;
      test_ok(test_ctx(), scan_plan_create_segmented_reduce(test_ctx(), &spec, n, &plan), "a plan");
      scan_plan_destroy(plan);
    }
  }
}

static const char *file_name;

static void test_files(void **state) {
  case_contexts contexts = { .device = test_selector(), .plain = test_ctx() };
  char words[CASE_WORDS_BYTES];
  (void)state;
  if (case_file_each(file_name, 1, visit, &contexts, words) != 0) test_fail("%s", words);
  case_contexts_close(&contexts);
  if (failures > 0) test_fail("%d programs do not compile", failures);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = { cmocka_unit_test_setup(test_files, test_count_setup),
                                      cmocka_unit_test_setup(test_segmented_reductions, test_count_setup) };
  if (argc != 2) return fprintf(stderr, "usage: test_opencl_compilers FILE\n"), 2;
  file_name = argv[1];
  if (access(getenv("FAKE_OPENCL_CLANG"), X_OK) != 0) test_skip_program("no clang on this machine");
  (void)test_device_open();
  return test_exit(cmocka_run_group_tests(tests, NULL, NULL));
}
