/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file spans.h
 * @brief One scan over device memory with poison around its input and its output.
 */
#ifndef SCANRT_TESTS_SPANS_H
#define SCANRT_TESTS_SPANS_H

#include <scanrt/scan.h>

/** What is scanned and what must come out. */
struct span_scan {
  const void *in, *want;
  size_t in_bytes, want_bytes;
  size_t in_shift, out_shift; /**< Bytes that the buffers begin after a multiple of 64. */
  int in_place;               /**< The output is the input, and in_shift holds for both. */
  scan_mem marks;             /**< As in scan_args. */
  uint64_t mark_count;        /**< As in scan_args. */
};

/** Scans with the plan; returns the first byte of the output (from 0 on) that is not as wanted, also of those around it
 *  (then it may be negative or want_bytes and more), or INT64_MIN when all are. Fails the test when the scan fails. */
int64_t span_run(scan_plan *plan, uint64_t n, const struct span_scan *span);

#endif
