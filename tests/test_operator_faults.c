/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests failures of scan_op_create: each of its driver calls fails once, which is reported and leaks no memory. Runs on
 * the emulation, which compiles operators. */
#include "fake_cuda.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { LAUNCH_FAILED = 719, MOST_CALLS = 200 };

static const fake_cuda *fake;

/* 1 for calls whose failure need not be reported: the driver keeps an object or has done its work nevertheless, or the
 * capture mode, which matters only during a capture. */
static int is_excused(const char *function) {
  return strcmp(function, "cuMemFree_v2") == 0 || strcmp(function, "cuCtxPushCurrent_v2") == 0 ||
         strcmp(function, "cuCtxPopCurrent_v2") == 0 || strcmp(function, "cuModuleUnload") == 0 ||
         strcmp(function, "cuThreadExchangeStreamCaptureMode") == 0;
}

/* Runs a trial in which call k fails; 0 if scan_op_create makes fewer calls. */
static int trial_with_fault(unsigned k) {
  const scan_op_source source = { .struct_bytes = sizeof source,
                                  .text = "static inline int32_t sum(int32_t a, int32_t b) { return a + b; }",
                                  .type = "int32_t",
                                  .combine = "sum",
                                  .value_bytes = 4,
                                  .value_align = 4 };
  scan_op *op = NULL;
  fake->reset();
  scan_ctx *ctx = test_ctx_on("cuda:0");
  fake->inject(NULL, k, LAUNCH_FAILED);
  const scan_status status = scan_op_create(ctx, &source, &op);
  const char *function = fake->failed();
  fake->inject(NULL, 0, 0);
  if (function != NULL && !is_excused(function)) {
    if (status == SCAN_SUCCESS) test_fail("call %u, %s, failed and nobody was told", k, function);
    if (fake->live_allocations() != 0)
      test_fail("%s fails (call %u): %d allocations left", function, k, fake->live_allocations());
  }
  scan_op_destroy(op);
  scan_ctx_destroy(ctx);
  return function != NULL;
}

static void test_every_call_fails_once(void **state) {
  (void)state;
  unsigned k = 1;
  while (trial_with_fault(k) && k < MOST_CALLS) k++;
  print_message("%u calls failed, one a trial\n", k - 1);
  assert_true(k > 5 && k < MOST_CALLS);
}

/* Checks the error for a false size from NVRTC. */
static void check_size(const char *bytes, const char *text, const char *words) {
  const scan_op_source source = {
    .struct_bytes = sizeof source, .text = text, .type = "int32_t", .combine = "sum", .value_bytes = 4, .value_align = 4
  };
  scan_op *op = NULL;
  fake->reset();
  scan_ctx *ctx = test_ctx_on("cuda:0");
  assert_int_equal(setenv("EMULATED_NVRTC_BYTES", bytes, 1), 0);
  assert_int_equal(scan_op_create(ctx, &source, &op), SCAN_BUILD_FAILED);
  unsetenv("EMULATED_NVRTC_BYTES");
  if (strstr(scan_last_error(ctx), words) == NULL)
    test_fail("%s bytes: \"%s\" does not say \"%s\"", bytes, scan_last_error(ctx), words);
  scan_ctx_destroy(ctx);
}

static void test_sizes_that_are_not_true(void **state) {
  static const char right[] = "static inline int32_t sum(int32_t a, int32_t b) { return a + b; }";
  static const char wrong[] = "static inline int32_t sum(int32_t a, int32_t b) { return c; }";
  (void)state;
  check_size("0", right, "NVRTC says that an image has 0 bytes");
  check_size("0xffffffffffffffff", right, "NVRTC says that an image has 18446744073709551615 bytes");
  check_size("0", wrong, "the compiler said nothing");
  check_size("0xffffffffffffffff", wrong, "the compiler said nothing");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_every_call_fails_once, test_count_setup),
    cmocka_unit_test_setup(test_sizes_that_are_not_true, test_count_setup),
  };
  fake = fake_cuda_open(getenv("SCANRT_LIBCUDA"));
  if (fake == NULL) return 1;
  return test_exit(cmocka_run_group_tests_name("operator_faults", tests, NULL, NULL));
}
