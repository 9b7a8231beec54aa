/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests a machine without driver libraries: the host is the only device, and the other backends say what is missing. */
#include "guarded.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define NO_CUDA "libscanrt-no-such-cuda.so.1"
#define NO_OPENCL "libscanrt-no-such-opencl.so.1"

/* Fails unless the text names the library, or says that this build cannot use it. */
static void check_named(const char *words, const char *library) {
  if (strstr(words, library) || strstr(words, "built without")) return;
  test_fail("\"%s\" does not name %s", words, library);
}

static void test_only_the_host_is_listed(void **state) {
  (void)state;
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  int count = 0;
  test_ok(NULL, scan_device_count(&count), "scan_device_count");
  assert_int_equal(count, 1);
  test_ok(NULL, scan_device_get(0, &info), "scan_device_get");
  assert_int_equal(info.backend, SCAN_BACKEND_HOST);
  assert_string_equal(info.selector, "host");
}

static void test_notes_name_the_libraries(void **state) {
  (void)state;
  check_named(scan_backend_note(SCAN_BACKEND_CUDA), NO_CUDA);
#ifdef SCANRT_CUDA_IS_OFF /* with or without nvcc */
  assert_string_equal(scan_backend_note(SCAN_BACKEND_CUDA), "built without CUDA kernels: SCANRT_CUDA is OFF");
#endif
  check_named(scan_backend_note(SCAN_BACKEND_OPENCL), NO_OPENCL);
}

static void test_default_context_is_the_host(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  const int32_t in[5] = { 3, 1, 4, 1, 5 };
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  char text[TEST_TEXT];
  scan_ctx *ctx = NULL;
  test_ok(NULL, scan_ctx_create(NULL, &ctx), "scan_ctx_create");
  test_ok(ctx, scan_ctx_device(ctx, &info), "scan_ctx_device");
  assert_int_equal(info.backend, SCAN_BACKEND_HOST);
  if (guarded_scan(ctx, &spec, 5, in, NULL, text) != SCAN_SUCCESS) test_fail("%s", text);
  scan_ctx_destroy(ctx);
}

static void check_refused(const char *selector, const char *library) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  options.device = selector;
  assert_int_equal(scan_ctx_create(&options, &ctx), SCAN_NO_DEVICE);
  assert_null(ctx);
  check_named(scan_last_error(NULL), library);
}

static void test_selecting_them_names_the_library(void **state) {
  (void)state;
  check_refused("cuda:0", NO_CUDA);
  check_refused("opencl:0", NO_OPENCL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_only_the_host_is_listed, test_count_setup),
    cmocka_unit_test_setup(test_notes_name_the_libraries, test_count_setup),
    cmocka_unit_test_setup(test_default_context_is_the_host, test_count_setup),
    cmocka_unit_test_setup(test_selecting_them_names_the_library, test_count_setup),
  };
  setenv("SCANRT_LIBCUDA", NO_CUDA, 1);
  setenv("SCANRT_LIBOPENCL", NO_OPENCL, 1);
  unsetenv("SCANRT_DEVICE");
  return test_exit(cmocka_run_group_tests_name("missing_libs", tests, NULL, NULL));
}
