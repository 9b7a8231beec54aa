/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests SCAN_CHECK_OVERFLOW: which call reports an overflow, its text, and that it is reported once. Cases
 * (tools/cases/) check the indices of overflows in scans of all kinds. */
#include <scanrt/scan_stream.h>

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

static scan_spec checked(scan_kind kind, uint32_t flags) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U8, SCAN_ADD, kind);
  spec.flags = SCAN_CHECK_OVERFLOW | flags;
  return spec;
}

/* @param want  the index that is reported, or NONE */
static void expect_report(scan_status status, int64_t want, const char *where) {
  uint64_t index = 0;
  if (want == NONE ? status == SCAN_SUCCESS
                   : status == SCAN_OVERFLOW && scan_overflow_index(test_ctx(), &index) == SCAN_SUCCESS &&
                         index == (uint64_t)want)
    return;
  test_fail("%s: %s with index %llu, not %lld: %s", where, scan_status_name(status), (unsigned long long)index,
            (long long)want, scan_last_error(test_ctx()));
}

/* Fills n bytes whose sum overflows when element `place` is added; places count in the order of the scan. */
static void fill(uint8_t *in, uint64_t n, uint64_t place, uint32_t flags) {
  const int is_backward = (flags & SCAN_BACKWARD) != 0;
  memset(in, 0, n);
  in[is_backward ? n - 1 : 0] = 255;
  in[is_backward ? n - 1 - place : place] = 1;
}

static scan_mem on_device(const uint8_t *in, uint64_t n) {
  scan_mem mem;
  test_ok(test_ctx(), scan_alloc(test_ctx(), n, &mem), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), mem, in, n), "scan_write");
  return mem;
}

/* With device memory the next wait reports an overflow once: scan_sync or a read. */
static void test_waits(void **state) {
  enum { N = 300, AT = 200 };
  const scan_spec spec = checked(SCAN_INCLUSIVE, 0);
  uint8_t in[N], out[N];
  scan_plan *plan = NULL;
  (void)state;
  fill(in, N, AT, 0);
  const scan_mem from = on_device(in, N), to = on_device(in, N);
  test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, N, &plan), "scan_plan_create");
  for (int by_read = 0; by_read < 2; by_read++) {
    test_ok(test_ctx(), scan_plan_run(plan, N, from, to), "scan_plan_run");
    expect_report(by_read ? scan_read(test_ctx(), to, out, N) : scan_sync(test_ctx()), AT, "the first wait");
    expect_report(scan_sync(test_ctx()), NONE, "scan_sync again");
    expect_report(scan_read(test_ctx(), to, out, N), NONE, "scan_read again");
    for (int i = 0; i < N; i++) assert_int_equal(out[i], i < AT ? 255 : 0); /* the sum wraps around */
    test_ok(test_ctx(), scan_run(test_ctx(), &spec, N, from, to), "scan_run");
  }
  expect_report(scan_sync(test_ctx()), AT, "scan_sync after scan_run");
  expect_report(scan_run(test_ctx(), &spec, N, scan_host(in), scan_host(out)), AT, "scan_run over host memory");
  scan_plan_destroy(plan);
  test_ok(test_ctx(), scan_free(test_ctx(), from), "scan_free");
  test_ok(test_ctx(), scan_free(test_ctx(), to), "scan_free");
}

/* A wait reports overflows of destroyed plans: the smallest index, once. */
static void test_destroyed_plans(void **state) {
  enum { N = 300 };
  static const uint64_t places[] = { 250, 17, 99 };
  const scan_spec spec = checked(SCAN_INCLUSIVE, 0);
  uint8_t in[N] = { 0 };
  const scan_mem memory = on_device(in, N);
  (void)state;
  for (int i = 0; i < 3; i++) {
    scan_plan *plan = NULL;
    fill(in, N, places[i], 0);
    test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, N, &plan), "scan_plan_create");
    test_ok(test_ctx(), scan_write(test_ctx(), memory, in, N), "scan_write");
    test_ok(test_ctx(), scan_plan_run(plan, N, memory, memory), "scan_plan_run");
    scan_plan_destroy(plan);
  }
  expect_report(scan_sync(test_ctx()), 17, "scan_sync");
  expect_report(scan_sync(test_ctx()), NONE, "scan_sync again");
  test_ok(test_ctx(), scan_free(test_ctx(), memory), "scan_free");
}

/* Several scans of one plan between two waits, with equal and with different n. */
static void test_pending(void **state) {
  enum { N = 300 };
  const scan_spec spec = checked(SCAN_INCLUSIVE, SCAN_BACKWARD);
  const uint64_t ns[] = { N, N, 100, 100 };
  uint8_t in[N] = { 0 };
  const scan_mem memory = on_device(in, N);
  scan_plan *plan = NULL;
  (void)state;
  test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, N, &plan), "scan_plan_create");
  for (uint64_t i = 0; i < 4; i++) { /* places 10, 20, 30, and then 40 with n = 100 alone */
    fill(in, ns[i], 10 * (i + 1), SCAN_BACKWARD);
    test_ok(test_ctx(), scan_write(test_ctx(), memory, in, ns[i]), "scan_write");
    test_ok(test_ctx(), scan_plan_run(plan, ns[i], memory, memory), "scan_plan_run");
    if (i == 2) expect_report(scan_sync(test_ctx()), N - 1 - 10, "several scans");
    if (i == 3) expect_report(scan_sync(test_ctx()), 100 - 1 - 40, "one scan");
  }
  scan_plan_destroy(plan);
  test_ok(test_ctx(), scan_free(test_ctx(), memory), "scan_free");
}

/* Checks the index of an overflow of a backward scan: that of the first wrong output. */
static void check_backward(scan_kind kind, uint64_t n, uint64_t place) {
  const scan_spec spec = checked(kind, SCAN_BACKWARD);
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  const uint64_t index = n - 1 - place - (kind == SCAN_EXCLUSIVE);
  uint8_t *in = malloc(n), *out = malloc(n);
  char words[64];
  assert_true(in != NULL && out != NULL);
  fill(in, n, place, SCAN_BACKWARD);
  expect_report(scan_run(test_ctx(), &spec, n, scan_host(in), scan_host(out)), (int64_t)index, "backward");
  assert_int_equal(out[index], 0);       /* wrapped around */
  assert_int_equal(out[index + 1], 255); /* the output before it, in the order of the scan, is right */
  snprintf(words, sizeof words, "element %llu of the output", (unsigned long long)index);
  if (strstr(scan_last_error(test_ctx()), words) == NULL) test_fail("\"%s\"", scan_last_error(test_ctx()));
  options.chunk_items = 100;
  expect_report(scan_stream(test_ctx(), &spec, n, in, out, &options), (int64_t)index, "a backward stream");
  free(in);
  free(out);
}

static void test_backward(void **state) {
  (void)state;
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
    check_backward((scan_kind)kind, 10, 4);
    check_backward((scan_kind)kind, 1000, 99);
    check_backward((scan_kind)kind, 1000, 998 - (uint64_t)kind);
    check_backward((scan_kind)kind, 5001, 3333);
  }
}

/* An overflow of only the carry has the index n, in both directions. */
static void test_left(void **state) {
  const uint8_t in[3] = { 128, 0, 128 };
  uint8_t out[3];
  (void)state;
  for (uint32_t flags = 0; flags <= SCAN_BACKWARD; flags += SCAN_BACKWARD) {
    const scan_spec spec = checked(SCAN_EXCLUSIVE, flags);
    scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
    uint8_t left = 7;
    args.carry_out = scan_host(&left);
    expect_report(scan_run_args(test_ctx(), &spec, 3, &args), 3, "what is left");
    assert_int_equal(left, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_waits, test_count_setup),
    cmocka_unit_test_setup(test_destroyed_plans, test_count_setup),
    cmocka_unit_test_setup(test_pending, test_count_setup),
    cmocka_unit_test_setup(test_backward, test_count_setup),
    cmocka_unit_test_setup(test_left, test_count_setup),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("overflow", tests, NULL, NULL));
}
