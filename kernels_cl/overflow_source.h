/* SPDX-License-Identifier: BSD-2-Clause */
/* Overflow of sums and products of integers (SCAN_CHECKS). As long as no result so far has left the type's range all of
 * them are exact; so the first that does is the first element whose own step, from what comes before it, does, whatever
 * the steps after it look like. A word for each 2^31 elements takes the least place; 0xffffffff: none. */
#ifndef SCANRT_CL_OVERFLOW_SOURCE_H
#define SCANRT_CL_OVERFLOW_SOURCE_H

#include "segments_source.h"
#include "tile.h"

#if SCAN_CHECKS
#define CHECKS_SHIFT 31
FUNC scanrt_job scanrt_job_check(scanrt_job job, GLOBAL scanrt_u8 *checks) {
  job.checks = (volatile GLOBAL scanrt_u32 *)checks;
  return job;
}

/* The element's step overflows, which is past n of what a tile is filled with; of exclusive scans that shows in the
 * next element's output, if there is one in the same segment, or in what is kept. */
FUNC void scanrt_overflow_note(const scanrt_job *job, scanrt_u32 inclusive, scanrt_u64 index) {
  if (index >= job->n) return;
  if (!inclusive) {
    if (++index >= job->n && !(job->sink & FLAG_KEEP)) return;
#if SCAN_SEGMENTS
    if (index < job->n && scanrt_element_begins(job, index)) return;
#endif
  }
  index = INDEX_AT(job, index);
  volatile GLOBAL scanrt_u32 *word = job->checks + (index >> CHECKS_SHIFT);
  const scanrt_u32 place = (scanrt_u32)index & ((1u << CHECKS_SHIFT) - 1);
  if (ATOMIC_LOAD(word) > place) ATOMIC_MIN(word, place);
}
#endif
#endif
