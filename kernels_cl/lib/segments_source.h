/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds where segments begin, by marks (marks.h). Element 0 also begins a segment, unless it continues a carry's. With
 * SEGMENT_BITS_END bits mark last elements in place of first ones. */
#ifndef SCANRT_CL_SEGMENTS_SOURCE_H
#define SCANRT_CL_SEGMENTS_SOURCE_H

#include "lib/bits.h"
#include "lib/marks.h"
#include "lib/tile.h"

#if SCAN_SEGMENTS
FUNC scanrt_job scanrt_job_fill(scanrt_job job, GLOBAL const scanrt_u8 *segment_flags, scanrt_value_t seed,
                                scanrt_u32 flags) {
  job.segment_flags = segment_flags;
  job.seed = seed;
  job.first_is_start = !(flags & FLAG_CONTINUES);
  job.first_clears = (flags & FLAG_UNMARKED) != 0;
  return job;
}

/* Returns 1 if a segment begins with the element; in scans from the last element to the first, if one ends in memory
 * with it. */
FUNC scanrt_u32 scanrt_element_is_start(const scanrt_job *job, scanrt_u64 index) {
  if (index == 0 && (job->first_is_start || job->first_clears)) return job->first_is_start;
#if SCAN_STEPS
  if (job->reversed) index = job->n - index;
#endif
  index = INDEX_AT(job, index);
#if SCAN_SEGMENTS == 2
#ifdef SEGMENT_BITS_END
  if (index-- == 0) return 1;
#endif
  return ((GLOBAL const scanrt_u32 *)job->segment_flags)[index / 32] >> (index % 32) & 1u;
#elif SCAN_SEGMENTS == 1
  return IS_START(0, job->segment_flags[index]);
#else
  GLOBAL const scanrt_mark_t *mark = (GLOBAL const scanrt_mark_t *)job->segment_flags + index;
  return IS_START(mark[-(scanrt_i64)INDEX_STEP(job)], mark[0]);
#endif
}

/* Returns the value of an existing element in its segment: with the seed and the mark STARTS_WITHIN if it begins one.
 */
FUNC scanrt_value_t scanrt_element_in_segment(scanrt_value_t x, scanrt_u32 is_start, scanrt_value_t seed) {
  return is_start ? scanrt_value_from(scanrt_combine(seed, x).v, 1 | STARTS_WITHIN) : x;
}

/* Returns the first element of a vector, combined with the seed if it begins a segment. */
FUNC scanrt_bare_t scanrt_element_first(scanrt_bare_t x, scanrt_u32 is_start, scanrt_value_t seed) {
  if (is_start && seed.there) return SCAN_SOURCE_COMBINE(seed.v, x);
  return x;
}

/* Returns an element combined with what precedes it: `before`, or the seed if the element begins a segment. */
FUNC scanrt_bare_t scanrt_element_next(scanrt_bare_t before, scanrt_bare_t x, scanrt_u32 is_start,
                                       scanrt_value_t seed) {
  if (is_start && !seed.there) return x;
  return SCAN_SOURCE_COMBINE(scanrt_bare_select(is_start, seed.v, before), x);
}

#if SCAN_GROUP_ITEMS > 1
/* The segments that begin in a vector: bit k of `bits` is set if one begins with element k; `within` is not 0 if any
 * does. */
typedef struct scanrt_segment_bits {
  scanrt_u32 bits, within;
} scanrt_segment_bits;

/* Returns `segment_bits` with the rules for element 0 applied if the vector is the first one (`is_first` is 1, else 0).
 */
FUNC scanrt_segment_bits scanrt_segment_bits_first(const scanrt_job *job, scanrt_segment_bits segment_bits,
                                                   scanrt_u32 is_first) {
  const scanrt_u32 clears = is_first & job->first_clears, is_start = is_first & job->first_is_start;
  segment_bits.bits = (segment_bits.bits & ~clears) | is_start;
  segment_bits.within = (clears ? segment_bits.bits : segment_bits.within) | is_start;
  return segment_bits;
}

FUNC scanrt_segment_bits scanrt_segment_bits_from(scanrt_u32 bits, scanrt_u32 count) {
  scanrt_segment_bits segment_bits;
  segment_bits.bits = bits & ((1u << count) - 1);
  segment_bits.within = segment_bits.bits;
  return segment_bits;
}

#if SCAN_SEGMENTS == 2
/* Returns the bits of the elements from `first` on that are in the same word, 1 for those that begin segments. */
FUNC scanrt_u32 scanrt_segment_bits_at(const scanrt_job *job, scanrt_u64 first) {
  GLOBAL const scanrt_u32 *word = (GLOBAL const scanrt_u32 *)job->segment_flags + first / 32;
#ifdef SEGMENT_BITS_END
  if (first % 32 != 0) return word[0] >> (first % 32 - 1);
  return word[0] << 1 | (first > 0 ? word[-1] >> 31 : 1);
#else
  return word[0] >> (first % 32);
#endif
}
#endif

#if SCAN_SEGMENTS != 2
#define MARKS_BYTES (VEC_ITEMS * MARK_BYTES)
#if MARKS_BYTES >= 16
typedef scanrt_raw16 scanrt_marks_t;
#define MARKS_PARTS (MARKS_BYTES / 16)
#elif MARKS_BYTES == 8
typedef scanrt_raw8 scanrt_marks_t;
#define MARKS_PARTS 1
#elif MARKS_BYTES == 4
typedef scanrt_u32 scanrt_marks_t;
#define MARKS_PARTS 1
#elif MARKS_BYTES == 2
typedef scanrt_u16 scanrt_marks_t;
#define MARKS_PARTS 1
#else
typedef scanrt_u8 scanrt_marks_t;
#define MARKS_PARTS 1
#endif
typedef union scanrt_mark_items {
  scanrt_marks_t part[MARKS_PARTS];
  scanrt_mark_t x[VEC_ITEMS];
  scanrt_u32 word[(MARKS_BYTES + 3) / 4];
} scanrt_mark_items;

/* Returns where segments begin by the marks of a vector; `before` is the mark before them. */
FUNC scanrt_segment_bits scanrt_segment_bits_of(scanrt_mark_t before, const scanrt_mark_items *m) {
  scanrt_segment_bits segment_bits;
  segment_bits.bits = 0;
#if SCAN_SEGMENTS == 1 && MARKS_BYTES >= 4 /* four marks at a time */
  (void)before;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS / 4; k++) segment_bits.bits |= BITS_OF_FLAGS(m->word[k]) << (4 * k);
#else
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
    segment_bits.bits |= (scanrt_u32)(IS_START(before, m->x[k])) << k;
#if SCAN_SEGMENTS == 3
    before = m->x[k];
#endif
  }
#endif
  segment_bits.within = segment_bits.bits;
  return segment_bits;
}
#endif

/* Returns where segments begin in the vector of elements from `first` on, of which `count` exist. */
FUNC scanrt_segment_bits scanrt_segment_bits_find(const scanrt_job *job, scanrt_u64 first, scanrt_u32 count) {
  scanrt_segment_bits segment_bits;
  segment_bits.bits = 0;
  segment_bits.within = 0;
  if (count == 0) return segment_bits;
#if SCAN_STEPS
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) segment_bits.bits |= scanrt_element_is_start(job, first + k) << k;
  segment_bits.within = segment_bits.bits;
#else
#if SCAN_SEGMENTS == 2
  segment_bits = scanrt_segment_bits_from(scanrt_segment_bits_at(job, first), count);
#else
  GLOBAL const scanrt_mark_t *marks = (GLOBAL const scanrt_mark_t *)job->segment_flags + first;
  scanrt_mark_items m;
  if (count == VEC_ITEMS && ADDRESS(marks) % sizeof(scanrt_marks_t) == 0) {
    UNROLL
    for (scanrt_u32 k = 0; k < MARKS_PARTS; k++) m.part[k] = ((GLOBAL const scanrt_marks_t *)marks)[k];
  } else {
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) m.x[k] = k < count ? marks[k] : 0;
  }
  segment_bits = scanrt_segment_bits_of(SCAN_SEGMENTS == 3 && first > 0 ? marks[-1] : 0, &m);
  if (count < VEC_ITEMS)
    segment_bits = scanrt_segment_bits_from(segment_bits.bits, count); /* keys past the last one differ from it */
#endif
  segment_bits = scanrt_segment_bits_first(job, segment_bits, first == 0);
#endif
  return segment_bits;
}
#endif
#endif
#endif
