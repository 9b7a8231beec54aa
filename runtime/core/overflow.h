/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_OVERFLOW_H
#define SCANRT_OVERFLOW_H

#include "core/plan.h"

/* Sets the bytes of SCAN_REGION_CHECKS if the plan checks for overflow. */
void scan_overflow_prepare(scan_plan *plan);

/* Reads and clears the overflows that all plans noted. Returns SCAN_OVERFLOW, once, if there are any. */
scan_status scan_overflow_check(scan_ctx *ctx);
/* Keeps `first`, the index of the first result that overflowed, in the context. Returns SCAN_OVERFLOW. */
scan_status scan_overflow_report(scan_ctx *ctx, uint64_t first);
/* Notes that a backward scan of n elements begins; for an array, n is the length of a line. */
static inline void scan_overflow_begin(scan_plan *plan, uint64_t n) {
  if (!plan->overflow_unread || plan->overflow_length < n) plan->overflow_length = n;
}
/* Reads and clears the overflow that a plan and its fallback noted. Lowers *first to its index in the output. */
scan_status scan_overflow_read(scan_plan *plan, uint64_t *first);

/* Clears the overflows that all plans noted, without reading them. */
void scan_overflow_forget(scan_ctx *ctx);

/* Keeps the overflow that a plan noted for the next check; called before the plan is freed. */
void scan_overflow_keep(scan_plan *plan); /* what a plan that is about to be freed has noted, for the next check */

#endif
