/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file lookback_state.h
 * @brief A plan whose look-back workspace a test can read and write. Includes the library's private headers.
 */
#ifndef SCANRT_TESTS_LOOKBACK_STATE_H
#define SCANRT_TESTS_LOOKBACK_STATE_H

#include "core/plan.h"
#include "support.h"

/** Largest n that fixture_open accepts. */
enum { FIXTURE_MOST = 1 << 22 };

/** A plan with its buffers. */
struct fixture {
  scan_ctx *ctx;
  scan_spec spec;
  scan_plan *plan;
  scan_mem in, out;
};

/** Makes n new values and their expected scan. Overwrites those of the call before: a program has one set. */
void fixture_prepare(const scan_spec *spec, uint64_t n);

/** fixture_values: the values of the last fixture_prepare. fixture_result: the buffer that fixture_check_result reads.
 */
void *fixture_values(void), *fixture_result(void);

/** Fails the test unless fixture_result() equals the expected scan. */
void fixture_check_result(const scan_spec *spec, uint64_t n);

/** Plans scans of up to max_n elements. fixture_close leaves the context alive. */
struct fixture fixture_open(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n);

/** Frees the plan and the buffers. */
void fixture_close(struct fixture *b);

/** Scans n new values into a poisoned output and reads it into fixture_result(). Returns the status of scan_sync. */
scan_status fixture_run(struct fixture *b, uint64_t n, int in_place);

/** Calls fixture_run and fails the test unless the status is SCAN_SUCCESS and the result is right. */
void fixture_check(struct fixture *b, uint64_t n, int in_place);

/** Returns the epoch word of the control block: the epoch of the last launch, or 0 at the start and after the
 * descriptors were cleared. */
uint32_t lookback_epoch(const struct fixture *b);

/** Sets the epoch word. */
void lookback_set_epoch(const struct fixture *b, uint32_t epoch);

/** Returns a copy of the whole workspace; the caller frees it. */
unsigned char *lookback_read(const struct fixture *b);

/** Counts the tiles step - 1, 2 step - 1, ... for which the last scan, of n elements, left a descriptor of its epoch.
 * Only for packed descriptors. */
uint64_t lookback_count_published(const struct fixture *b, uint64_t n, uint64_t step);

/** Fails the test unless the words of all descriptors are 0, whatever the epoch. */
void lookback_check_clear(const struct fixture *b);

#endif
