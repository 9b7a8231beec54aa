/* SPDX-License-Identifier: BSD-2-Clause */
/* Types from source: makes a value of an input element, and the output of a value. */
#ifndef SCANRT_CL_ELEMENT_SOURCE_H
#define SCANRT_CL_ELEMENT_SOURCE_H

#include "lib/members_source.h"
#include "lib/overflow_source.h"
#include "lib/segments_source.h"
#include "lib/tile.h"

#if SCAN_STEPS
FUNC scanrt_job scanrt_job_step(scanrt_job job, scanrt_i64 in_step, scanrt_i64 out_step, scanrt_u64 index_start,
                                scanrt_u64 index_step, scanrt_u32 reversed, scanrt_u64 n) {
  (void)n;
  job.in_step = in_step;
  job.out_step = out_step;
  job.index_start = index_start;
  job.index_step = index_step;
  job.reversed = reversed;
#if SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS
  job.origin = 0; /* of a line */
#endif
#if SCAN_READS_N
  if (reversed) { /* the launch begins at its element n - 1 */
    job.in += (scanrt_i64)(n - job.n) * in_step;
    if (!(job.sink & FLAG_TOTAL)) job.out += (scanrt_i64)(n - job.n) * out_step;
  }
#endif
  job.vectors_in = 0; /* elements are loaded and stored one by one */
  job.vectors_out = 0;
  job.streaming = 0;
  return job;
}
#endif

#if SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS
FUNC scanrt_job scanrt_job_from(scanrt_job job, scanrt_u64 origin) {
  job.origin = origin;
  return job;
}
#endif

#if SCAN_SOURCE_MAPS
#define MAPPED(x, index) scanrt_value_from(SCAN_SOURCE_MAP((x), (index)), 1)
#else
#define MAPPED(x, index) scanrt_value_from((x), 1)
#endif

FUNC scanrt_value_t scanrt_element_value(const scanrt_job *job, scanrt_input_t x, scanrt_u64 index) {
  (void)job, (void)index;
#if SCAN_SEGMENTS
  return scanrt_element_in_segment(MAPPED(x, PLACE(job, index)), scanrt_element_is_start(job, index), job->seed);
#else
  return MAPPED(x, PLACE(job, index));
#endif
}
#define ELEMENT(job, x, index) scanrt_element_value((job), (x), (index))

#if SCAN_SOURCE_IS_FLOAT_SUM
/* Returns -0.0 as +0.0, by its bits: llvmpipe (Mesa 22.3) optimizes an added 0 away. */
FUNC scanrt_bare_t scanrt_bare_shown(scanrt_bare_t x) {
  const scanrt_value_words w = scanrt_words_of(x);
  const scanrt_u32 differs = (w.word[VALUE_WORDS - 1] ^ 0x80000000u) | (VALUE_WORDS > 1 ? w.word[0] : 0);
  return differs ? x : scanrt_value_none().v;
}
#endif

/* Returns what precedes an element: `start`, or the seed if the element begins a segment. */
FUNC scanrt_value_t scanrt_element_start(const scanrt_job *job, scanrt_value_t element, scanrt_value_t start) {
  (void)job, (void)element;
#if SCAN_SEGMENTS
  if (element.there & STARTS_WITHIN) return job->seed;
#endif
  return start;
}

#if SCAN_CHECKS
FUNC scanrt_u32 scanrt_element_overflows(const scanrt_job *job, scanrt_value_t start, scanrt_input_t x,
                                         scanrt_u64 index) {
  (void)job, (void)index;
  return start.there && SCAN_SOURCE_OVERFLOWS(start.v, MAPPED(x, PLACE(job, index)).v);
}
#endif

/* Returns the output of an element. `start` is what precedes it, `next` is both combined. An emit gets
 * zero bytes where nothing precedes the element. */
FUNC scanrt_output_t scanrt_element_output(const scanrt_job *job, scanrt_u32 inclusive, scanrt_value_t next,
                                           scanrt_value_t start, scanrt_input_t x, scanrt_u64 index) {
  (void)job, (void)inclusive, (void)next, (void)x, (void)index;
#if SCAN_SOURCE_IS_FLOAT_SUM
  if (!inclusive && job->sink & FLAG_PLUS_ZERO) start.v = scanrt_bare_shown(start.v);
#endif
#if SCAN_SOURCE_EMITS && !SCAN_SOURCE_HAS_IDENTITY
  start.v = scanrt_bare_select(start.there, start.v, scanrt_value_none().v);
#endif
#if SCAN_SOURCE_EMITS
  return SCAN_SOURCE_EMIT(scanrt_bare_emitted(next.v), scanrt_bare_emitted(start.v), x, PLACE(job, index));
#else
  return scanrt_bare_output(inclusive ? next.v : start.v);
#endif
}

/* Returns the output of an element by itself: with the seed where it begins a segment, and with the check for
 * overflow. */
FUNC scanrt_output_t scanrt_element_result(const scanrt_job *job, scanrt_u32 inclusive, scanrt_value_t element,
                                           scanrt_value_t next, scanrt_value_t start, scanrt_input_t x,
                                           scanrt_u64 index) {
  start = scanrt_element_start(job, element, start);
#if SCAN_CHECKS
  if (scanrt_element_overflows(job, start, x, index)) scanrt_overflow_note(job, inclusive, index);
#endif
  return scanrt_element_output(job, inclusive, next, start, x, index);
}
/* A seed of -0.0 stands for +0.0 unless it is a carry. */
#if SCAN_SOURCE_IS_FLOAT_SUM
#define SEED_SHOWN(seed)                                                                                               \
  scanrt_value_from(                                                                                                   \
      (flags & (FLAG_PLUS_ZERO | FLAG_CARRY)) == FLAG_PLUS_ZERO ? scanrt_bare_shown((seed).v) : (seed).v, 1)
#else
#define SEED_SHOWN(seed) scanrt_value_from((seed).v, 1)
#endif
#define RESULT(job, inclusive, element, next, start, x, index)                                                         \
  scanrt_element_result((job), (inclusive), (element), (next), (start), (x), (index))
#endif
