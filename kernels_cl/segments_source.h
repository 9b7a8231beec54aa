/* SPDX-License-Identifier: BSD-2-Clause */
/* Where segments begin. SCAN_SEGMENTS says how that is told: 1 by a byte an element, not 0 at the first of a segment; 2
 * by a bit an element, bit i % 32 of 32-bit word i / 32; 3 by keys (SCAN_KEY_TYPE, a number of scan.h), where one
 * differs from the key before. Element 0 is the first of one, too, but where it continues what a carry is of. */
#ifndef SCANRT_CL_SEGMENTS_SOURCE_H
#define SCANRT_CL_SEGMENTS_SOURCE_H

#include "tile.h"

#if SCAN_SEGMENTS
FUNC scan_job job_fill(scan_job job, GLOBAL const scan_u8 *heads, value_t seed, scan_u32 flags) {
  job.heads = heads;
  job.seed = seed;
  job.first_begins = !(flags & FLAG_CONTINUES);
  job.first_clears = (flags & FLAG_UNMARKED) != 0;
  return job;
}

#if SCAN_SEGMENTS == 1
typedef scan_u8 mark_t;
#define MARK_BYTES 1
#define BEGINS(before, mark) ((mark) != 0)
#elif SCAN_SEGMENTS == 3
/* Keys are compared as C compares them, by integers, so that no device flushes a denormal: a NaN differs from all, +0.0
 * from -0.0 not. KEY_INFINITY is infinity's pattern in them, 0 for integers. */
#if SCAN_KEY_TYPE <= 2
typedef scan_u8 mark_t;
#define MARK_BYTES 1
#elif SCAN_KEY_TYPE <= 4 || SCAN_KEY_TYPE >= 11
typedef scan_u16 mark_t;
#define MARK_BYTES 2
#elif SCAN_KEY_TYPE <= 6 || SCAN_KEY_TYPE == 9
typedef scan_u32 mark_t;
#define MARK_BYTES 4
#else
typedef scan_u64 mark_t;
#define MARK_BYTES 8
#endif
#if SCAN_KEY_TYPE < 9
#define BEGINS(before, mark) ((before) != (mark))
#else
#define BEGINS(before, mark) keys_differ((before), (mark))
#if SCAN_KEY_TYPE == 9
#define KEY_INFINITY ((mark_t)0x7f800000u)
#elif SCAN_KEY_TYPE == 10
#define KEY_INFINITY ((mark_t)0x7ff << 52)
#elif SCAN_KEY_TYPE == 11
#define KEY_INFINITY ((mark_t)0x7c00u)
#else
#define KEY_INFINITY ((mark_t)0x7f80u)
#endif
FUNC scan_u32 keys_differ(mark_t a, mark_t b) {
  const mark_t positive = (mark_t)((mark_t) ~(mark_t)0 >> 1); /* all but the sign */
  if (a != b) return ((a | b) & positive) != 0;
  return (a & positive) > KEY_INFINITY;
}
#endif
#endif

/* 1 where a segment begins with the element; of scans from the last element to the first, where one ends in memory. */
FUNC scan_u32 element_begins(const scan_job *job, scan_u64 index) {
  if (index == 0 && (job->first_begins || job->first_clears)) return job->first_begins;
#if SCAN_STEPS
  if (job->turned) index = job->n - index;
#endif
#if SCAN_SEGMENTS == 2
  return ((GLOBAL const scan_u32 *)job->heads)[index / 32] >> (index % 32) & 1u;
#elif SCAN_SEGMENTS == 1
  return BEGINS(0, job->heads[index]);
#else
  GLOBAL const mark_t *mark = (GLOBAL const mark_t *)job->heads + index;
  return BEGINS(mark[-1], mark[0]);
#endif
}

/* An element, which is there, as a value of its segment. */
FUNC value_t element_in_segment(value_t x, scan_u32 begins, value_t seed) {
  return begins ? value_from(combine(seed, x).v, 1 | HEAD_WITHIN) : x;
}

/* The first element of a vector; of a segment, with the seed. */
FUNC bare_t element_first(bare_t x, scan_u32 begins, value_t seed) {
  if (begins && seed.there) return SCAN_SOURCE_COMBINE(seed.v, x);
  return x;
}

/* What comes before an element and the element; of a segment's first, the seed and it. */
FUNC bare_t element_next(bare_t before, bare_t x, scan_u32 begins, value_t seed) {
  if (begins && !seed.there) return x;
  return SCAN_SOURCE_COMBINE(bare_select(begins, seed.v, before), x);
}

#if SCAN_GROUP_ITEMS > 1
/* Of a vector: bit k is set where a segment begins with element k; `within` is not 0 where one does at all. */
typedef struct vector_heads {
  scan_u32 bits, within;
} vector_heads;

/* The same of a vector that may be the first: `is_first` is 1 or 0. */
FUNC vector_heads heads_begin(const scan_job *job, vector_heads heads, scan_u32 is_first) {
  const scan_u32 clears = is_first & job->first_clears, begins = is_first & job->first_begins;
  heads.bits = (heads.bits & ~clears) | begins;
  heads.within = (clears ? heads.bits : heads.within) | begins;
  return heads;
}

FUNC vector_heads heads_from(scan_u32 bits, scan_u32 count) {
  vector_heads heads;
  heads.bits = bits & ((1u << count) - 1);
  heads.within = heads.bits;
  return heads;
}

#if SCAN_SEGMENTS != 2
#define MARKS_BYTES (VEC_ITEMS * MARK_BYTES)
#if MARKS_BYTES >= 16
typedef scan_raw16 marks_t;
#define MARKS_PARTS (MARKS_BYTES / 16)
#elif MARKS_BYTES == 8
typedef scan_raw8 marks_t;
#define MARKS_PARTS 1
#elif MARKS_BYTES == 4
typedef scan_u32 marks_t;
#define MARKS_PARTS 1
#elif MARKS_BYTES == 2
typedef scan_u16 marks_t;
#define MARKS_PARTS 1
#else
typedef scan_u8 marks_t;
#define MARKS_PARTS 1
#endif
typedef union mark_items {
  marks_t part[MARKS_PARTS];
  mark_t x[VEC_ITEMS];
  scan_u32 word[(MARKS_BYTES + 3) / 4];
} mark_items;

/* `before` is the mark before them. */
FUNC vector_heads heads_of(mark_t before, const mark_items *m) {
  vector_heads heads;
  heads.bits = 0;
#if SCAN_SEGMENTS == 1 && MARKS_BYTES >= 4 /* bytes of words: compilers else take each out */
  (void)before;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    heads.bits |= (scan_u32)((m->word[k / 4] & 0xffu << (8 * (k % 4))) != 0) << k;
#else
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) {
    heads.bits |= (scan_u32)(BEGINS(before, m->x[k])) << k;
    before = m->x[k];
  }
#endif
  heads.within = heads.bits;
  return heads;
}
#endif

/* Of the `count` elements that there are from `first` on, a vector's. */
FUNC vector_heads heads_find(const scan_job *job, scan_u64 first, scan_u32 count) {
  vector_heads heads;
  heads.bits = 0;
  heads.within = 0;
  if (count == 0) return heads;
#if SCAN_STEPS
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) heads.bits |= element_begins(job, first + k) << k;
  heads.within = heads.bits;
#else
#if SCAN_SEGMENTS == 2
  heads = heads_from(((GLOBAL const scan_u32 *)job->heads)[first / 32] >> (first % 32), count);
#else
  GLOBAL const mark_t *marks = (GLOBAL const mark_t *)job->heads + first;
  mark_items m;
  if (count == VEC_ITEMS && ADDRESS(marks) % sizeof(marks_t) == 0) {
    UNROLL
    for (scan_u32 k = 0; k < MARKS_PARTS; k++) m.part[k] = ((GLOBAL const marks_t *)marks)[k];
  } else {
    UNROLL
    for (scan_u32 k = 0; k < VEC_ITEMS; k++) m.x[k] = k < count ? marks[k] : 0;
  }
  heads = heads_of(SCAN_SEGMENTS == 3 && first > 0 ? marks[-1] : 0, &m);
  if (count < VEC_ITEMS) heads = heads_from(heads.bits, count); /* keys that are not there differ */
#endif
  heads = heads_begin(job, heads, first == 0);
#endif
  return heads;
}
#endif
#endif
#endif
