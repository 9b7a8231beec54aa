/* SPDX-License-Identifier: BSD-2-Clause */
/* Types from source: an element of the input as a value, and what is stored for it. */
#ifndef SCANRT_CL_ELEMENT_SOURCE_H
#define SCANRT_CL_ELEMENT_SOURCE_H

#include "overflow_source.h"
#include "segments_source.h"
#include "tile.h"

#if SCAN_STEPS
FUNC scan_job job_step(scan_job job, scan_i64 in_step, scan_i64 out_step, scan_u32 turned) {
  job.in_step = in_step;
  job.out_step = out_step;
  job.turned = turned;
  job.vectors_in = 0; /* elements come one by one */
  job.vectors_out = 0;
  job.streaming = 0;
  return job;
}
#endif

#if SCAN_SOURCE_MAPS
#define MAPPED(x, index) value_from(SCAN_SOURCE_MAP((x), (index)), 1)
#else
#define MAPPED(x, index) value_from((x), 1)
#endif

FUNC value_t element_value(const scan_job *job, input_t x, scan_u64 index) {
  (void)job, (void)index;
#if SCAN_SEGMENTS
  return element_in_segment(MAPPED(x, PLACE(job, index)), element_begins(job, index), job->seed);
#else
  return MAPPED(x, PLACE(job, index));
#endif
}
#define ELEMENT(job, x, index) element_value((job), (x), (index))

/* `start` is what comes before the element, `next` the two combined. What is emitted has a seed, so that there is
 * something before the first element. */
FUNC output_t element_result(const scan_job *job, scan_u32 inclusive, value_t element, value_t next, value_t start,
                             input_t x, scan_u64 index) {
  (void)job, (void)inclusive, (void)element, (void)x, (void)index;
#if SCAN_SEGMENTS
  if (element.there & HEAD_WITHIN) start = job->seed;
#endif
#if SCAN_CHECKS
  if (start.there && SCAN_SOURCE_OVERFLOWS(start.v, MAPPED(x, PLACE(job, index)).v))
    overflow_note(job, inclusive, index);
#endif
#if SCAN_SOURCE_EMITS
  return SCAN_SOURCE_EMIT(next.v, start.v, x, PLACE(job, index));
#else
  return inclusive ? next.v : start.v;
#endif
}
#define RESULT(job, inclusive, element, next, start, x, index)                                                         \
  element_result((job), (inclusive), (element), (next), (start), (x), (index))
#endif
