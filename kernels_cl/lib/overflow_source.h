/* SPDX-License-Identifier: BSD-2-Clause */
/* Overflow of sums and products of integers (SCAN_CHECKS). All results before the first one out of the type's range are
 * exact. So that one belongs to the first element whose own step, from what precedes it, overflows, whatever later
 * steps do. Each 2^31 elements have a word, which takes the least place of such an element; 0xffffffff means none. */
#ifndef SCANRT_CL_OVERFLOW_SOURCE_H
#define SCANRT_CL_OVERFLOW_SOURCE_H

#include "lib/segments_source.h"
#include "lib/tile.h"

#if SCAN_CHECKS
#define CHECKS_SHIFT 31
FUNC scanrt_job scanrt_job_check(scanrt_job job, GLOBAL scanrt_u8 *checks) {
  job.checks = (volatile GLOBAL scanrt_u32 *)checks;
  return job;
}

/* Notes an element whose step overflows. Elements past n, with which tiles are filled, are ignored. An exclusive scan
 * shows the result in the next element's output, if the segment continues, or in the carry-out. */
FUNC void scanrt_overflow_note(const scanrt_job *job, scanrt_u32 inclusive, scanrt_u64 index) {
  if (index >= job->n) return;
  if (!inclusive) {
    if (++index >= job->n && !(job->sink & FLAG_CARRY_OUT)) return;
#if SCAN_SEGMENTS
    if (index < job->n && scanrt_element_is_start(job, index)) return;
#endif
  }
  index = INDEX_AT(job, index);
  volatile GLOBAL scanrt_u32 *word = job->checks + (index >> CHECKS_SHIFT);
  const scanrt_u32 place = (scanrt_u32)index & ((1u << CHECKS_SHIFT) - 1);
  if (ATOMIC_LOAD(word) > place) ATOMIC_MIN(word, place);
}
#endif
#endif
