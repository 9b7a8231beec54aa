/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file support.h
 * @brief What every test program shares: the device under test, counts of what ran and what was skipped, failure texts.
 *
 * A test program is `int main(void) { test_device_open(); return test_exit(cmocka_run_group_tests(...)); }`.
 */
#ifndef SCANRT_TESTS_SUPPORT_H
#define SCANRT_TESTS_SUPPORT_H

/* cmocka.h wants these before it, in this order. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <scanrt/scan.h>

enum { TEST_SKIPPED = 77, TEST_TEXT = 512 };

/** The selector of the device under test: $SCANRT_TEST_DEVICE, or "host". */
const char *test_selector(void);

/** 1 when $SCANRT_TEST_SCALE is "small": for simulators and sanitizers. */
int test_is_small(void);

/**
 * Opens the device under test; ends the program with 77 and a notice when there is none, with 1 on another failure.
 * test_exit and test_skip_program close the context.
 */
scan_ctx *test_device_open(void);

/** So many threads of the host, or as many as $SCANRT_TEST_THREADS says. */
uint32_t test_host_threads(uint32_t asked);

/** The context of test_device_open. */
scan_ctx *test_ctx(void);

/** Facts of the device under test. */
const scan_device_info *test_info(void);

/** A further context on the device under test; fails the test when there is none. Destroy with scan_ctx_destroy. */
scan_ctx *test_ctx_new(void);

/** 1 when the device can hold `type` (everything but f64 without fp64). */
int test_has_type(scan_type type);

/** Fails the running test with a printf text. */
void test_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** Fails the running test, with the library's words, unless status is SCAN_SUCCESS. ctx may be NULL. */
void test_ok(const scan_ctx *ctx, scan_status status, const char *call);

/** Waits, and fails the running test unless the wait reports an n_from above its call's n where is_excess is 1, once,
 * and nothing where it is 0. */
void test_excess_report(int is_excess);

/** 1 where a call of a spec with these flags, that was given n and reads n_from, is to report that. */
static inline int test_is_excess(uint64_t flags, uint64_t n, uint64_t n_from) {
  return n > 0 && n_from > n && !(flags & SCAN_N_FROM_CLAMP);
}

/** 0 when the device under test has no such strategy, as a sum of int32 shows. A plan that fails otherwise is no reason
 * to pass the strategy over. */
int test_has_strategy(scan_strategy strategy);

/** The same, and counts what is not there as skipped. */
int test_needs_strategy(scan_strategy strategy);

/** 1 where building a program takes no time to speak of: on the host, and on GPUs at full scale. Elsewhere a suite that
 * builds many takes few of them. */
int test_compiles_quickly(void);

/** 1 when $SCANRT_TEST_STRATEGY is unset or names `strategy`: for suites that walk the strategies. */
int test_takes_strategy(scan_strategy strategy);

/** Counts one thing as tested. */
void test_ran(void);

/** Counts one thing as skipped and prints why; returns to the caller. */
void test_skipped(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** cmocka set-up function for tests that are one thing each: counts it as tested. */
int test_count_setup(void **state);

/** Ends the program with 77 and a notice. */
void test_skip_program(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** Closes the device under test and gives the exit code of a program whose cmocka group had `failed` failures: 1 when
 * any failed or nothing ran, 77 when all that could have run was skipped, 0 otherwise. */
int test_exit(int failed);

/** Words for a spec: "type=i64<-i32 op=add kind=exclusive init strategy=lookback". Returns text. */
const char *test_spec_text(const scan_spec *spec, char text[TEST_TEXT]);

#endif
