/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file support.h
 * @brief Shared by all test programs: the device under test, counts of tests that ran or were skipped, failure texts.
 *
 * A test program is `int main(void) { test_device_open(); return test_exit(cmocka_run_group_tests(...)); }`.
 */
#ifndef SCANRT_TESTS_SUPPORT_H
#define SCANRT_TESTS_SUPPORT_H

/* cmocka.h needs these headers before it, in this order. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <scanrt/scan.h>

enum { TEST_SKIPPED = 77, TEST_TEXT = 512 };

/** Returns the selector of the device under test: $SCANRT_TEST_DEVICE, or "host". */
const char *test_selector(void);

/** 1 if $SCANRT_TEST_SCALE is "small": for simulators and sanitizers. */
int test_is_small(void);

/** Opens the device under test. Ends the program with 77 and a notice if there is none, with 1 on another failure.
 * test_exit and test_skip_program close the context. */
scan_ctx *test_device_open(void);

/** Returns $SCANRT_TEST_THREADS, or `asked` if it is not set. */
uint32_t test_host_threads(uint32_t asked);

/** Returns the context of test_device_open. */
scan_ctx *test_ctx(void);

/** Returns facts of the device under test. */
const scan_device_info *test_info(void);

/** Makes a context on the device of a selector; fails the test if that fails. Destroy it with scan_ctx_destroy. */
scan_ctx *test_ctx_on(const char *selector);

/** Makes another context on the device under test, as test_ctx_on. */
scan_ctx *test_ctx_new(void);

/** 1 if the device supports `type`: all but f64 without fp64. */
int test_has_type(scan_type type);

/** Fails the running test with a printf text. */
void test_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** Fails the running test with the library's error text unless status is SCAN_SUCCESS. ctx may be NULL. */
void test_ok(const scan_ctx *ctx, scan_status status, const char *call);

/** Fails the running test unless a call returned `want`, and the library's error text contains `words`. ctx may be
 * NULL. */
void test_refusal(const scan_ctx *ctx, scan_status got, scan_status want, const char *words);

/** 1 if status is SCAN_SUCCESS. Otherwise writes the library's error text to `text`, unless it has one already: only
 * the main thread may fail a test. */
int test_keep_error(const scan_ctx *ctx, scan_status status, const char *call, char text[TEST_TEXT]);

/** Calls scan_sync. Fails the running test unless it reports, once, a number in n_from above the call's n if
 * is_n_overflow is 1, and nothing if it is 0. */
void test_n_overflow_report(int is_n_overflow);

/** 1 if a call with these flags, its n and the number in n_from must report that the number is too large. */
static inline int test_is_n_overflow(uint64_t flags, uint64_t n, uint64_t n_from) {
  return n > 0 && n_from > n && !(flags & SCAN_N_FROM_CLAMP);
}

/** 0 if the device under test does not support the strategy, tried with a sum of int32. A plan that fails for another
 * reason does not count as unsupported. */
int test_has_strategy(scan_strategy strategy);

/** Calls test_has_strategy, and counts a missing strategy as skipped. */
int test_needs_strategy(scan_strategy strategy);

/** 1 if programs are built quickly: on the host, and on GPUs at full scale. Elsewhere a suite that builds many programs
 * builds a few of them. */
int test_compiles_quickly(void);

/** 0 on the host, which compiles no source; counts a test as skipped there. */
int test_needs_compiler(void);

/** 1 if $SCANRT_TEST_STRATEGY is unset or names `strategy`; for suites that test all strategies. */
int test_takes_strategy(scan_strategy strategy);

/** Counts a test that ran. */
void test_ran(void);

/** Counts a skipped test and prints why; returns to the caller. */
void test_skipped(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Set-up function for cmocka tests that count as one test each. */
int test_count_setup(void **state);

/** Ends the program with 77 and a notice. */
void test_skip_program(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** Closes the device under test. Returns the exit code of a program whose cmocka group had `failed` failures: 1 if any
 * failed or nothing ran, 77 if everything was skipped, 0 otherwise. */
int test_exit(int failed);

/** Writes a spec to text: "type=i64<-i32 op=add kind=exclusive init strategy=lookback". Returns text. */
const char *test_spec_text(const scan_spec *spec, char text[TEST_TEXT]);

#endif
