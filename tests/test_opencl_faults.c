/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests OpenCL drivers that fail to answer, or give false answers: tests/fake_opencl/driver.c. */
#include "support.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static scan_device_info describe(void) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  int count = 0, found = 0;
  test_ok(NULL, scan_device_count(&count), "scan_device_count");
  for (int i = 0; i < count && !found; i++) {
    test_ok(NULL, scan_device_get(i, &info), "scan_device_get");
    found = strcmp(info.selector, "opencl:0") == 0;
  }
  assert_true(found);
  return info;
}

static void wish(const char *name, unsigned long long value) {
  char text[32];
  snprintf(text, sizeof text, "%llu", value);
  assert_int_equal(setenv(name, text, 1), 0);
}

static int no_wishes(void **state) {
  unsetenv("FAKE_OPENCL_FAILS");
  unsetenv("FAKE_OPENCL_UNKNOWN");
  unsetenv("FAKE_OPENCL_BYTES");
  unsetenv("FAKE_OPENCL_COUNT");
  unsetenv("FAKE_OPENCL_DEVICES");
  unsetenv("FAKE_OPENCL_UNENDED");
  unsetenv("FAKE_OPENCL_MOST_BYTES");
  return test_count_setup(state);
}

static void test_no_fault(void **state) {
  (void)state;
  const scan_device_info info = describe();
  assert_string_equal(info.refusal, "");
  assert_int_equal(info.facts.sub_group_sizes, 32);
  assert_int_equal(info.has_fp64, 1);
}

/* Checks that the device's description and the refusal of a scan name the query and its error. */
static void check_refused(cl_device_info which, const char *name) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  wish("FAKE_OPENCL_FAILS", which);
  const scan_device_info info = describe();
  if (strstr(info.refusal, name) == NULL || strstr(info.refusal, "CL_OUT_OF_HOST_MEMORY") == NULL)
    test_fail("%s fails: \"%s\"", name, info.refusal);
  scan_ctx *ctx = test_ctx_on("opencl:0");
  assert_int_equal(scan_plan_create(ctx, &spec, 1, &plan), SCAN_UNSUPPORTED);
  if (strstr(scan_last_error(ctx), name) == NULL) test_fail("%s fails: \"%s\"", name, scan_last_error(ctx));
  scan_ctx_destroy(ctx);
}

static void test_queries_that_fail(void **state) {
  (void)state;
#define CHECK(which) check_refused(which, #which)
  CHECK(CL_DEVICE_COMPILER_AVAILABLE);
  CHECK(CL_DEVICE_MAX_COMPUTE_UNITS);
  CHECK(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  CHECK(CL_DEVICE_LOCAL_MEM_SIZE);
  CHECK(CL_DEVICE_MEM_BASE_ADDR_ALIGN);
  CHECK(CL_DEVICE_DOUBLE_FP_CONFIG);
  CHECK(CL_DEVICE_EXTENSIONS);
  CHECK(CL_DEVICE_VERSION);
#undef CHECK
}

/* Drivers that are older than the query. */
static void test_queries_that_are_unknown(void **state) {
  (void)state;
  wish("FAKE_OPENCL_UNKNOWN", CL_DEVICE_DOUBLE_FP_CONFIG);
  const scan_device_info info = describe();
  assert_string_equal(info.refusal, "");
  assert_int_equal(info.has_fp64, 0);
}

/* A request above the largest allocation: the error has the request, the limit, and what can be done instead. */
static void test_largest_allocation(void **state) {
  (void)state;
  enum { MOST = 65536 };
  static const char *const words[] = { "65537 bytes", "at most 65536 at once", "CL_DEVICE_MAX_MEM_ALLOC_SIZE",
                                       "CL_INVALID_BUFFER_SIZE (-61)", "scan_stream" };
  scan_mem mem;
  wish("FAKE_OPENCL_MOST_BYTES", MOST);
  scan_ctx *ctx = test_ctx_on("opencl:0");
  test_ok(ctx, scan_alloc(ctx, MOST, &mem), "scan_alloc");
  test_ok(ctx, scan_free(ctx, mem), "scan_free");
  assert_int_equal(scan_alloc(ctx, MOST + 1, &mem), SCAN_OUT_OF_MEMORY);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strstr(scan_last_error(ctx), words[i]) == NULL)
      test_fail("no \"%s\" in \"%s\"", words[i], scan_last_error(ctx));
  scan_ctx_destroy(ctx);
}

static void test_no_platforms_in_words(void **state) {
  (void)state;
  wish("FAKE_OPENCL_FAILS", 1);
  assert_non_null(strstr(scan_backend_note(SCAN_BACKEND_OPENCL), "clGetPlatformIDs failed: CL_OUT_OF_HOST_MEMORY"));
}

static void test_sizes_that_are_not_true(void **state) {
  (void)state;
  wish("FAKE_OPENCL_BYTES", SIZE_MAX);
  const scan_device_info info = describe();
  if (strstr(info.refusal, "CL_DEVICE_EXTENSIONS") == NULL) test_fail("\"%s\"", info.refusal);
  wish("FAKE_OPENCL_BYTES", 100);
  assert_int_equal(describe().facts.sub_group_sizes, 32);
}

static void test_a_log_whose_size_is_not_true(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  scan_ctx *ctx = test_ctx_on("opencl:0");
  test_refusal(ctx, scan_plan_create(ctx, &spec, 1, &plan), SCAN_BUILD_FAILED, "no compiler");
  wish("FAKE_OPENCL_BYTES", SIZE_MAX);
  test_refusal(ctx, scan_plan_create(ctx, &spec, 1, &plan), SCAN_BUILD_FAILED, "the compiler said nothing");
  scan_ctx_destroy(ctx);
}

/* The driver counts 2^32 - 1 devices and lists one. */
static void test_counts_that_are_not_true(void **state) {
  (void)state;
  int count = 0;
  wish("FAKE_OPENCL_COUNT", UINT32_MAX);
  (void)describe();
  test_ok(NULL, scan_device_count(&count), "scan_device_count");
  assert_int_equal(count, 2); /* the device and the host */
}

static void test_texts_without_an_end(void **state) {
  (void)state;
  wish("FAKE_OPENCL_UNENDED", 1);
  const scan_device_info info = describe();
  assert_int_equal(strspn(info.name, "x"), sizeof info.name - 1);
  assert_true(strlen(info.vendor) < sizeof info.vendor && strlen(info.driver) < sizeof info.driver);
  assert_int_equal(setenv("FAKE_OPENCL_DEVICES", "0", 1), 0); /* no devices */
  const char *note = scan_backend_note(SCAN_BACKEND_OPENCL);
  if (strstr(note, "x has none: clGetDeviceIDs says CL_DEVICE_NOT_FOUND (-1)") == NULL) test_fail("\"%s\"", note);
}

/* Devices vanish between the listing for the selector and the one for opening. */
static void test_devices_that_go(void **state) {
  (void)state;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  options.device = "opencl:2";
  for (int left = 0; left < 3; left++) {
    const char devices[] = { '3', ',', (char)('0' + left), '\0' };
    assert_int_equal(setenv("FAKE_OPENCL_DEVICES", devices, 1), 0);
    assert_int_equal(scan_ctx_create(&options, &ctx), SCAN_NO_DEVICE);
    assert_null(ctx);
    assert_string_equal(scan_last_error(NULL), "opencl:2 has gone since the devices were listed");
  }
  assert_int_equal(setenv("FAKE_OPENCL_DEVICES", "3", 1), 0);
  test_ok(NULL, scan_ctx_create(&options, &ctx), "scan_ctx_create");
  scan_ctx_destroy(ctx);
}

/* The error text describes the devices when the selector was matched, not those of a later listing. */
static void test_devices_that_come(void **state) {
  (void)state;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  options.device = "opencl";
  assert_int_equal(setenv("FAKE_OPENCL_DEVICES", "0,3", 1), 0);
  assert_int_equal(scan_ctx_create(&options, &ctx), SCAN_NO_DEVICE);
  assert_string_equal(scan_last_error(NULL), "no device matches 'opencl'; this machine has: host (opencl: 0 devices; "
                                             "platform fake has none: clGetDeviceIDs says CL_DEVICE_NOT_FOUND (-1))");
}

#define TEST(function) cmocka_unit_test_setup(function, no_wishes)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_no_fault),
    TEST(test_queries_that_fail),
    TEST(test_queries_that_are_unknown),
    TEST(test_largest_allocation),
    TEST(test_no_platforms_in_words),
    TEST(test_sizes_that_are_not_true),
    TEST(test_a_log_whose_size_is_not_true),
    TEST(test_counts_that_are_not_true),
    TEST(test_texts_without_an_end),
    TEST(test_devices_that_go),
    TEST(test_devices_that_come),
  };
  return test_exit(cmocka_run_group_tests_name("opencl_faults", tests, NULL, NULL));
}
