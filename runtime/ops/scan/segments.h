/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_SEGMENTS_H
#define SCANRT_SEGMENTS_H

#include "core/plan.h"

/* Checks the spec's kind of marks and their type. */
scan_status scan_segments_check(scan_ctx *ctx, const scan_marks *segments);

/* Copies the memory and the count of a run's marks from its args. */
scan_status scan_segments_copy_in(scan_ctx *ctx, uint64_t n, const scan_args *args, scan_marks *segments);

/* Sets the bytes of SCAN_REGION_FLAG_BITS if the plan turns marks into bits. */
void scan_segments_prepare(scan_plan *plan);

/* Prepends the launch that turns marks into bits, if the plan does that. */
void scan_segments_schedule(const scan_plan *plan, uint64_t n, scan_schedule *schedule);

/* Bytes of an entry of the marks: a flag, a word of bits, a key or an offset. */
uint64_t scan_segments_entry_bytes(const scan_marks *segments);

/* Bytes of the marks of n elements. */
uint64_t scan_segments_bytes(const scan_marks *segments, uint64_t n);

/* Refuses a count of marks that is too small for n elements, and memory too small for the count. */
scan_status scan_segments_count_check(scan_ctx *ctx, const scan_marks *segments, uint64_t n, int stageable);

/* 1 if the marks are flags, bits or keys that do not begin at a multiple of 16 bytes. */
int scan_segments_misaligned(const scan_marks *segments);

/* Sets the kernel arguments of the marks, which are in device memory. */
void scan_segments_bind(const scan_plan *plan, const scan_marks *segments, scan_kernel_args *args);

#endif
