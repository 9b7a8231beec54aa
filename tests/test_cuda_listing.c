/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests which devices of a CUDA driver are listed and opened, by a driver that has the devices of each test. */
#include "fake_cuda.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const fake_cuda *fake;

static int set_up(void **state) {
  fake->reset();
  return test_count_setup(state);
}

static void test_driver_lacks_a_function(void **state) {
  (void)state;
  const pid_t child = fork();
  if (child == 0) {
    setenv("SCANRT_LIBCUDA", FAKE_CUDA_STUB, 1);
    const char *note = scan_backend_note(SCAN_BACKEND_CUDA);
    _exit(strcmp(note, "the driver library lacks cuDriverGetVersion: it is too old") != 0);
  }
  int status = 1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_devices_are_listed(void **state) {
  (void)state;
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  fake->set_devices(2);
  fake->set_capability(1, 7, 5);
  assert_string_equal(scan_backend_note(SCAN_BACKEND_CUDA), "2 devices");
  test_ok(NULL, scan_device_get(1, &info), "scan_device_get");
  assert_int_equal(info.backend, SCAN_BACKEND_CUDA);
  assert_string_equal(info.selector, "cuda:1");
  assert_string_equal(info.name, "Fake GPU 1");
  assert_string_equal(info.vendor, "NVIDIA");
  assert_string_equal(info.driver, "CUDA 12.4, compute capability 7.5");
  assert_int_equal(info.compute_units, 4);
  assert_int_equal(info.max_group_items, 1024);
  assert_int_equal(info.local_memory_bytes, 49152);
  assert_int_equal(info.memory_bytes, (uint64_t)8 << 30);
  assert_int_equal(info.auto_strategy, SCAN_STRATEGY_LOOKBACK);
}

static void test_selectors(void **state) {
  (void)state;
  static const char *const selectors[][2] = {
    { "cuda", "cuda:0" }, { "cuda:1", "cuda:1" }, { "cuda:gpu", "cuda:0" }, { "CUDA:fake gpu 1", "cuda:1" }
  };
  fake->set_devices(2);
  for (size_t i = 0; i < sizeof selectors / sizeof selectors[0]; i++) {
    scan_device_info info = SCAN_DEVICE_INFO_INIT;
    scan_ctx *ctx = test_ctx_on(selectors[i][0]);
    test_ok(ctx, scan_ctx_device(ctx, &info), "scan_ctx_device");
    assert_string_equal(info.selector, selectors[i][1]);
    scan_ctx_destroy(ctx);
  }
}

static void test_old_devices_are_left_out(void **state) {
  (void)state;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  fake->set_devices(2);
  fake->set_capability(0, 7, 0);
  fake->set_capability(1, 7, 5);
  assert_string_equal(scan_backend_note(SCAN_BACKEND_CUDA),
                      "1 device (others are left out: cuda:0 has compute capability 7.0, and 7.5 or later is needed)");
  ctx = test_ctx_on("cuda");
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  test_ok(ctx, scan_ctx_device(ctx, &info), "scan_ctx_device");
  assert_string_equal(info.selector, "cuda:1");
  scan_ctx_destroy(ctx);
  ctx = NULL;
  options.device = "cuda:0";
  test_refusal(NULL, scan_ctx_create(&options, &ctx), SCAN_NO_DEVICE,
               "has compute capability 7.0, and 7.5 or later is needed");
  assert_null(ctx);
}

static void test_no_devices(void **state) {
  (void)state;
  fake->set_devices(0);
  assert_string_equal(scan_backend_note(SCAN_BACKEND_CUDA), "0 devices");
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  test_ok(NULL, scan_device_get(0, &info), "scan_device_get");
  assert_int_not_equal(info.backend, SCAN_BACKEND_CUDA);
}

#define TEST(function) cmocka_unit_test_setup(function, set_up)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_driver_lacks_a_function), /* first: a process opens one driver library */
    TEST(test_devices_are_listed),       TEST(test_selectors),
    TEST(test_old_devices_are_left_out), TEST(test_no_devices),
  };
  fake = fake_cuda_use(FAKE_CUDA_LIBRARY);
  return test_exit(cmocka_run_group_tests_name("cuda_listing", tests, NULL, NULL));
}
