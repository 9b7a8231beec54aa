/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_OVERFLOW_H
#define SCANRT_OVERFLOW_H

#include "core/plan.h"

/* Overflow (overflow.c): says what workspace a plan needs for it; and what all plans noted since the last time.
 * SCAN_OVERFLOW is told once. */
void scan_overflow_prepare(scan_plan *plan);
scan_status scan_overflow_check(scan_ctx *ctx);
/* Says of the context that the result at `first` does not fit; returns SCAN_OVERFLOW. */
scan_status scan_overflow_report(scan_ctx *ctx, uint64_t first);
/* Notes that a scan of a backward plan begins, of so many elements (of an array: of a line). */
static inline void scan_overflow_begin(scan_plan *plan, uint64_t n) {
  if (!plan->overflow_unread || plan->overflow_length < n) plan->overflow_length = n;
}
/* Reads and clears what a plan and its second noted: *first becomes that index in the output, if it is less. */
scan_status scan_overflow_take(scan_plan *plan, uint64_t *first);
void scan_overflow_forget(scan_ctx *ctx);
void scan_overflow_keep(scan_plan *plan); /* what a plan that is about to be freed has noted, for the next check */

#endif
