/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_SEGMENTS_H
#define SCANRT_SEGMENTS_H

#include "core/plan.h"

/* Segments (segments.c): refuses a description that is none; takes the marks of a run; says what workspace a
 * plan needs for them; puts a launch that makes bits of offsets before a schedule's; and before each scan finds the
 * memory that the kernels read. */
scan_status scan_segments_check(scan_ctx *ctx, const scan_marks *segments);
scan_status scan_segments_take(scan_ctx *ctx, uint64_t n, const scan_args *args, scan_marks *segments);
void scan_segments_prepare(scan_plan *plan);
void scan_segments_schedule(const scan_plan *plan, uint64_t n, scan_schedule *schedule);
uint64_t scan_segments_entry_bytes(const scan_marks *segments);
int scan_segments_misaligned(const scan_marks *segments); /* what the kernels read does not begin at 16 bytes */
scan_status scan_segments_ready(scan_plan *plan, const scan_marks *segments, uint64_t n, scan_mem out,
                                uint64_t out_bytes, scan_kernel_args *args);

#endif
