/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests on a real OpenCL device that need a build with test hooks: tiles that are not published, kernels that do not
 * compile. With SCANRT_TUNE=group_items=256 for the look-back of work-groups. */
#include "lookback_state.h"
#include "hooked.h"

#include <dlfcn.h>
#include <scanrt/scan_opencl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_group_variant(void) {
  const char *tune = getenv("SCANRT_TUNE");
  return tune != NULL && strstr(tune, "group_items=256") != NULL;
}

static struct fixture open_fixture(const char *options, scan_type type, uint64_t max_n) {
  const scan_spec spec = hooked_sum(type, SCAN_STRATEGY_LOOKBACK);
  return fixture_open(hooked_open(options), &spec, max_n);
}

static void close_fixture(struct fixture *b) {
  fixture_close(b);
  hooked_close(b->ctx);
}

/* ---- tiles that are not published ---- */

/* Scans 1, 9, 10, 12, 130 and 1024 tiles of 4-byte elements, then 512 larger tiles. A work-item that claims all tiles
 * needs no fallback, so scans are repeated until two share the work. The owner of a withheld tile stalls on it, which
 * gives the other one time. */
static void check_fallback(uint64_t withhold, scan_type type) {
  static const uint64_t counts[] = { 100, 8193, 10240, 12000, 132097, 1048576, FIXTURE_MOST };
  const uint64_t bytes = scan_type_bytes(type);
  const size_t count = is_group_variant() ? 5 : sizeof counts / sizeof counts[0];
  const uint64_t most = counts[count - 1] * 4 / bytes;
  uint64_t recomputed = 0;
  char options[128];
  snprintf(options, sizeof options, "-DSCAN_TEST_WITHHOLD=%d -DSCAN_TEST_STALL=%d -DSCAN_TEST_STALL_POLLS=40000",
           (int)withhold, (int)withhold);
  struct fixture b = open_fixture(options, type, most);
  for (size_t i = 0; i < count; i++) fixture_check(&b, counts[i] * 4 / bytes, 0);
  for (int tries = 0; recomputed == 0 && tries < 100; tries++) {
    fixture_check(&b, most, 0);
    recomputed = lookback_count_published(&b, most, withhold);
  }
  print_message("%s, every %d withheld: %d recomputed\n", scan_type_name(type), (int)withhold, (int)recomputed);
  assert_true(recomputed > 0);
  close_fixture(&b);
}

static void test_fallback(void **state) {
  (void)state;
  static const uint64_t withhold[] = { 2, 3, 8 };
  static const scan_type types[] = { SCAN_I32, SCAN_F32, SCAN_F64 };
  for (size_t o = 0; o < 3; o++)
    for (size_t t = 0; t < 3; t++) {
      if (!hooked_wants(types[t]) || (is_group_variant() && o != 0)) continue;
      if (!test_has_type(types[t])) {
        test_skipped("%s has no f64", test_info()->selector);
        continue;
      }
      check_fallback(withhold[o], types[t]);
      test_ran();
    }
}

/* Checks further scans after a look-back gave up: its plan with few elements and with many, and another strategy. */
static void check_continues(struct fixture *b) {
  const scan_spec spec = hooked_sum(b->spec.type, SCAN_STRATEGY_SEQUENTIAL);
  fixture_check(b, 1000, 1);
  fixture_check(b, 1000, 0);
  fixture_check(b, 132097, 0);
  fixture_prepare(&spec, 20000);
  test_ok(b->ctx, scan_run(b->ctx, &spec, 20000, scan_host(fixture_values()), scan_host(fixture_result())), "scan_run");
  fixture_check_result(&spec, 20000);
}

/* In place a withheld tile cannot be recomputed: the scan ends with SCAN_NO_PROGRESS. A work-item that claims all tiles
 * waits for none, so in that form scans are repeated until two share the work. */
static void test_no_progress(void **state) {
  (void)state;
  const uint64_t n = is_group_variant() ? 132097 : FIXTURE_MOST;
  scan_status status = SCAN_SUCCESS;
  int tries = 0;
  if (is_group_variant() && !hooked_wants(SCAN_I32)) return;
  struct fixture b =
      open_fixture("-DSCAN_TEST_WITHHOLD=2 -DSCAN_TEST_STALL=2 -DSCAN_TEST_STALL_POLLS=40000", SCAN_I32, n);
  for (; status == SCAN_SUCCESS && tries < (is_group_variant() ? 1 : 100); tries++) {
    status = fixture_run(&b, n, 1);
    if (status == SCAN_SUCCESS) fixture_check_result(&b.spec, n);
  }
  print_message("scan %d gave up\n", tries);
  test_refusal(b.ctx, status, SCAN_NO_PROGRESS, "gave up waiting for another work-group");
  assert_non_null(strstr(scan_last_error(b.ctx), "reduce_then_scan"));
  test_ok(b.ctx, scan_sync(b.ctx), "scan_sync, told once");
  check_continues(&b);
  close_fixture(&b);
  test_ran();
}

/* ---- kernels that do not compile ---- */

/* Returns the references to the OpenCL context. A program that is not released keeps one. */
static unsigned context_references(scan_ctx *ctx) {
  typedef int (*get_info)(void *object, unsigned which, size_t bytes, void *value, size_t *bytes_set);
  enum { QUEUE_CONTEXT = 0x1090, CONTEXT_REFERENCE_COUNT = 0x1080 }; /* CL/cl.h */
  const char *const names[] = { "clGetCommandQueueInfo", "clGetContextInfo" };
  struct _cl_command_queue *queue = NULL;
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL), *context = NULL;
  get_info calls[2];
  unsigned count = 0;
  assert_non_null(library);
  for (int i = 0; i < 2; i++) {
    void *symbol = dlsym(library, names[i]);
    assert_non_null(symbol);
    memcpy(&calls[i], &symbol, sizeof symbol);
  }
  test_ok(ctx, scan_opencl_queue(ctx, &queue), "scan_opencl_queue");
  assert_int_equal(calls[0](queue, QUEUE_CONTEXT, sizeof context, &context, NULL), 0);
  assert_int_equal(calls[1](context, CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL), 0);
  (void)dlclose(library);
  return count;
}

static void check_build_failure(const char *options, const char *const *words) {
  scan_ctx *ctx = hooked_open(options);
  const scan_spec spec = hooked_sum(SCAN_I32, SCAN_STRATEGY_REDUCE_THEN_SCAN);
  scan_plan *plan = NULL;
  const unsigned references = context_references(ctx);
  fixture_prepare(&spec, 5000);
  for (int again = 0; again < 2; again++) {
    const scan_status status = scan_plan_create(ctx, &spec, 5000, &plan);
    if (status != SCAN_BUILD_FAILED) test_fail("%s: %s, not a failed build", options, scan_status_name(status));
    assert_null(plan);
    for (size_t i = 0; words[i] != NULL; i++)
      if (strstr(scan_last_error(ctx), words[i]) == NULL)
        test_fail("\"%s\" does not say \"%s\"", scan_last_error(ctx), words[i]);
  }
  assert_null(ctx->plans);
  assert_int_equal(context_references(ctx), references);
  unsetenv(HOOKED_OPTIONS);
  test_ok(ctx, scan_run(ctx, &spec, 5000, scan_host(fixture_values()), scan_host(fixture_result())), "scan_run");
  fixture_check_result(&spec, 5000);
  hooked_close(ctx);
}

static void test_build_failures(void **state) {
  (void)state;
  static const char *const type[] = { "clBuildProgram failed: CL_BUILD_PROGRAM_FAILURE", "reduce_then_scan.cl",
                                      "add of u32", "error", NULL };
  static const char *const unknown[] = { "clBuildProgram failed: CL_", "reduce_then_scan.cl", NULL };
  if (is_group_variant()) return;
  check_build_failure("-DSCAN_TYPE=99", type);
  check_build_failure("-Dscanrt_job_make=7", type);
  check_build_failure("-no-such-option", unknown);
  test_ran();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_fallback),
    cmocka_unit_test(test_no_progress),
    cmocka_unit_test(test_build_failures),
  };
  (void)test_device_open();
  if (test_info()->backend != SCAN_BACKEND_OPENCL) test_skip_program("%s is not OpenCL", test_selector());
  if (test_info()->compute_units < 2) test_skip_program("%s has one compute unit: nobody waits", test_selector());
  if (!test_info()->has_int64_atomics) test_skip_program("%s has no 64-bit atomics", test_selector());
  return test_exit(cmocka_run_group_tests_name("hooks", tests, NULL, NULL));
}
