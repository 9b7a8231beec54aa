/* SPDX-License-Identifier: BSD-2-Clause */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makes the sanitizers' allocators return NULL for impossible sizes, as malloc does. They call these functions for
 * default options; the environment's options take precedence. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
const char *__tsan_default_options(void) { return "allocator_may_return_null=1"; }

static struct {
  scan_ctx *ctx;
  scan_device_info info;
  unsigned long ran, skipped;
} program;

const char *test_selector(void) {
  const char *selector = getenv("SCANRT_TEST_DEVICE");
  return selector && selector[0] ? selector : "host";
}

int test_is_small(void) {
  const char *scale = getenv("SCANRT_TEST_SCALE");
  return scale && strcmp(scale, "small") == 0;
}

static void close_device(void) {
  scan_ctx_destroy(program.ctx);
  program.ctx = NULL;
}

/* Skips the program if the device's compiler does not know this processor. A fetched OpenCL implementation may be too
 * old, and then builds nothing. */
static void need_known_processor(void) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create(program.ctx, &spec, 1, &plan);
  scan_plan_destroy(plan);
  if (status == SCAN_BUILD_FAILED && strstr(scan_last_error(program.ctx), "unknown target CPU") != NULL)
    test_skip_program("%s, %s, builds nothing for this processor: %s", program.info.name, program.info.driver,
                      scan_last_error(program.ctx));
}

uint32_t test_host_threads(uint32_t asked) {
  const char *given = getenv("SCANRT_TEST_THREADS");
  return given != NULL ? (uint32_t)strtoul(given, NULL, 10) : asked;
}

scan_ctx *test_device_open(void) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  const char *needed = getenv("SCANRT_TEST_NEEDS");
  options.device = test_selector();
  options.threads = test_host_threads(0);
  if (needed != NULL && access(needed, R_OK) != 0) test_skip_program("there is no %s", needed);
  scan_status status = scan_ctx_create(&options, &program.ctx);
  if (status == SCAN_NO_DEVICE) test_skip_program("no device %s: %s", test_selector(), scan_last_error(NULL));
  if (status != SCAN_SUCCESS) {
    fprintf(stderr, "%s: %s: %s\n", test_selector(), scan_status_name(status), scan_last_error(NULL));
    exit(1);
  }
  program.info = (scan_device_info)SCAN_DEVICE_INFO_INIT;
  if (scan_ctx_device(program.ctx, &program.info) != SCAN_SUCCESS) exit(1);
  print_message("device %s: %s, %s\n", program.info.selector, program.info.name, program.info.driver);
  if (needed != NULL) need_known_processor();
  return program.ctx;
}

scan_ctx *test_ctx(void) { return program.ctx; }

const scan_device_info *test_info(void) { return &program.info; }

scan_ctx *test_ctx_on(const char *selector) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  options.device = selector;
  test_ok(NULL, scan_ctx_create(&options, &ctx), "scan_ctx_create");
  return ctx;
}

scan_ctx *test_ctx_new(void) { return test_ctx_on(test_selector()); }

int test_has_type(scan_type type) { return type != SCAN_F64 || program.info.has_fp64; }

int test_has_strategy(scan_strategy strategy) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  spec.strategy = strategy;
  const scan_status status = scan_plan_create(test_ctx(), &spec, 1000, &plan);
  scan_plan_destroy(plan);
  return status != SCAN_UNSUPPORTED;
}

int test_needs_strategy(scan_strategy strategy) {
  if (test_has_strategy(strategy)) return 1;
  test_skipped("strategy %s on %s: %s", scan_strategy_name(strategy), test_selector(), scan_last_error(test_ctx()));
  return 0;
}

int test_compiles_quickly(void) {
  return test_info()->backend == SCAN_BACKEND_HOST || (!test_info()->is_cpu && !test_is_small());
}

int test_needs_compiler(void) {
  if (test_info()->backend != SCAN_BACKEND_HOST) return 1;
  test_skipped("the host compiles no source");
  return 0;
}

int test_takes_strategy(scan_strategy strategy) {
  const char *only = getenv("SCANRT_TEST_STRATEGY");
  return only == NULL || only[0] == '\0' || strcmp(only, scan_strategy_name(strategy)) == 0;
}

void test_fail(const char *format, ...) {
  char text[4 * TEST_TEXT];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  print_error("[%s] %s\n", test_selector(), text);
  fail();
  abort();
}

void test_ok(const scan_ctx *ctx, scan_status status, const char *call) {
  if (status == SCAN_SUCCESS) return;
  test_fail("%s: %s: %s", call, scan_status_name(status), scan_last_error(ctx));
}

void test_refusal(const scan_ctx *ctx, scan_status got, scan_status want, const char *words) {
  const char *text = scan_last_error(ctx);
  if (got != want || strstr(text, words) == NULL)
    test_fail("%s, \"%s\", and not %s with \"%s\"", scan_status_name(got), text, scan_status_name(want), words);
}

int test_keep_error(const scan_ctx *ctx, scan_status status, const char *call, char text[TEST_TEXT]) {
  if (status == SCAN_SUCCESS) return 1;
  if (text[0] == '\0') snprintf(text, TEST_TEXT, "%s: %s: %s", call, scan_status_name(status), scan_last_error(ctx));
  return 0;
}

void test_n_overflow_report(int is_n_overflow) {
  const scan_status status = scan_sync(test_ctx());
  const int is_reported =
      status == SCAN_INVALID_ARGUMENT && strstr(scan_last_error(test_ctx()), "args->n_from had") != NULL;
  if (status != SCAN_SUCCESS && !is_reported) test_ok(test_ctx(), status, "scan_sync");
  if (is_reported != is_n_overflow) test_fail("a number of elements above n was %sreported", is_reported ? "" : "not ");
  if (is_n_overflow) test_ok(test_ctx(), scan_sync(test_ctx()), "scan_sync, once more");
}

void test_ran(void) { program.ran++; }

void test_skipped(const char *format, ...) {
  char text[TEST_TEXT];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  print_message("skipped: %s\n", text);
  program.skipped++;
}

int test_count_setup(void **state) {
  (void)state;
  test_ran();
  return 0;
}

void test_skip_program(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("skipped: ", stdout);
  vprintf(format, args);
  putchar('\n');
  va_end(args);
  close_device();
  exit(TEST_SKIPPED);
}

int test_exit(int failed) {
  close_device();
  print_message("ran %lu, skipped %lu, failed %d\n", program.ran, program.skipped, failed);
  if (failed) return 1;
  if (program.ran) return 0;
  return program.skipped ? TEST_SKIPPED : 1;
}

const char *test_spec_text(const scan_spec *spec, char text[TEST_TEXT]) {
  scan_type input_type = spec->input_type ? spec->input_type : spec->type;
  snprintf(text, TEST_TEXT, "type=%s<-%s op=%s kind=%s%s strategy=%s", scan_type_name(spec->type),
           scan_type_name(input_type), scan_op_name(spec->op), spec->kind == SCAN_EXCLUSIVE ? "exclusive" : "inclusive",
           spec->has_init ? " init" : "", scan_strategy_name(spec->strategy));
  return text;
}
