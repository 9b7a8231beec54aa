/* SPDX-License-Identifier: BSD-2-Clause */
/* What vector.h gives, for element types from source: a vector of VEC_ITEMS elements, of which the first `count` are
 * there. Where it has 2, 4, 8 or 16 bytes it is read and written at once. */
#ifndef SCANRT_CL_VECTOR_SOURCE_H
#define SCANRT_CL_VECTOR_SOURCE_H

#include "scan_element.h"

#if VEC_ITEMS * INPUT_BYTES == 16
typedef scan_raw16 loaded_t;
#elif VEC_ITEMS * INPUT_BYTES == 8
typedef scan_raw8 loaded_t;
#elif VEC_ITEMS * INPUT_BYTES == 4
typedef scan_u32 loaded_t;
#elif VEC_ITEMS * INPUT_BYTES == 2
typedef scan_u16 loaded_t;
#else
typedef struct loaded_t {
  input_t x[VEC_ITEMS];
} loaded_t;
#endif
#if AT_ONCE(VEC_ITEMS * INPUT_BYTES)
#define VECTOR_LOAD(job, first, pointer) vector_whole((job), (first), LOAD_STREAM(pointer))
#else
/* By a function: over a struct of device memory that is an argument by value, NVIDIA's OpenCL compiler (580) may not
 * end. */
FUNC loaded_t vector_read(GLOBAL const loaded_t *pointer) { return *pointer; }
#define VECTOR_LOAD(job, first, pointer) vector_whole((job), (first), vector_read(pointer))
#endif
#if STORED_BYTES == 16
typedef scan_raw16 stored_t;
#elif STORED_BYTES == 8
typedef scan_raw8 stored_t;
#elif STORED_BYTES == 4
typedef scan_u32 stored_t;
#elif STORED_BYTES == 2
typedef scan_u16 stored_t;
#else
typedef struct stored_t {
  output_t x[VEC_ITEMS];
} stored_t;
#endif

typedef union input_vector {
  loaded_t raw;
  input_t x[VEC_ITEMS];
  scan_u32 word[(VEC_ITEMS * INPUT_BYTES + 3) / 4];
} input_vector;
typedef union output_vector {
  stored_t raw;
  output_t x[VEC_ITEMS];
  scan_u32 word[(STORED_BYTES + 3) / 4];
} output_vector;

#define VECTORS_ARE_PLACED (SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS || SCAN_CHECKS)
typedef struct raw_t {
  input_vector items;
  scan_u32 count;
#if VECTORS_ARE_PLACED
  scan_u64 first; /* the first one's index */
#if SCAN_STEPS
  scan_u64 last_place; /* of the job, where places run down; 0: they run up */
#endif
#endif
#if SCAN_SEGMENTS
  vector_heads heads;
  value_t seed;
#endif
} raw_t;

/* Says of which elements a vector is. */
FUNC void vector_place(const scan_job *job, scan_u64 first, raw_t *v) {
  (void)job, (void)first, (void)v;
#if VECTORS_ARE_PLACED
  v->first = first;
#if SCAN_STEPS
  v->last_place = job->turned ? job->n - 1 : 0;
#endif
#endif
#if SCAN_SEGMENTS
  v->seed = job->seed;
#endif
}

/* But for where segments begin. */
FUNC raw_t vector_open(const scan_job *job, scan_u64 first, loaded_t raw) {
  raw_t v;
  v.items.raw = raw;
  v.count = VEC_ITEMS;
  vector_place(job, first, &v);
  return v;
}
FUNC raw_t vector_whole(const scan_job *job, scan_u64 first, loaded_t raw) {
  raw_t v = vector_open(job, first, raw);
#if SCAN_SEGMENTS
  v.heads = heads_find(job, first, VEC_ITEMS);
#endif
  return v;
}
FUNC raw_t vector_cut(raw_t raw, scan_u32 count) {
  raw.count = count;
  return raw;
}

/* Where a tile is `whole`, a constant to the functions that take it, every element is there and nobody need ask. Of
 * segmented scans what begins in it is still asked. */
#define TILE_WHOLE(job, tile) ((tile + (scan_u64)1) * TILE_ITEMS <= (job)->n)
#define VECTOR_FOLD(raw, whole) vector_fold((whole) ? vector_cut((raw), VEC_ITEMS) : (raw))
#define VECTOR_SCAN(job, raw, start, whole) vector_scan((job), (whole) ? vector_cut((raw), VEC_ITEMS) : (raw), (start))

/* The index of element k, where anybody asks. */
#if VECTORS_ARE_PLACED
#define VECTOR_INDEX(raw, k) ((raw).first + (k))
#else
#define VECTOR_INDEX(raw, k) 0
#endif

/* Where element k lies. */
#if SCAN_STEPS
#define VECTOR_PLACE(raw, k) ((raw).last_place ? (raw).last_place - (raw).first - (k) : (raw).first + (k))
#else
#define VECTOR_PLACE(raw, k) ((raw).first + (k))
#endif

/* Element k, which is there, as it comes. */
FUNC bare_t vector_bare(raw_t raw, scan_u32 k) { return MAPPED(raw.items.x[k], VECTOR_PLACE(raw, k)).v; }

#if SCAN_SHUFFLE
#define WHOLE_SHUFFLE(shuffle, x, which, whole) shuffle##_known(x, which, whole)
#if SCAN_SEGMENTS
#define THERE_KNOWN(there) ((there) | 1)
#else
#define THERE_KNOWN(there) 1
#endif
#define SHUFFLE(name, bare, known)                                                                                     \
  FUNC bare_t bare(bare_t x, scan_u32 which) {                                                                         \
    value_words w = words_of(x);                                                                                       \
    UNROLL                                                                                                             \
    for (scan_u32 k = 0; k < VALUE_WORDS; k++) w.word[k] = name##_u32(w.word[k], which);                               \
    return w.v;                                                                                                        \
  }                                                                                                                    \
  FUNC value_t known(value_t x, scan_u32 which, scan_u32 whole) {                                                      \
    return value_from(bare(x.v, which), whole ? THERE_KNOWN(name##_u32(x.there, which)) : name##_u32(x.there, which)); \
  }                                                                                                                    \
  FUNC value_t name(value_t x, scan_u32 which) { return known(x, which, 0); }
SHUFFLE(shuffle_up, bare_shuffle_up, shuffle_up_known)
SHUFFLE(shuffle_down, bare_shuffle_down, shuffle_down_known)
SHUFFLE(shuffle_xor, bare_shuffle_xor, shuffle_xor_known)
SHUFFLE(shuffle_from, bare_shuffle_from, shuffle_from_known)

/* a and b where the condition holds, else b. Where both are there the operator is applied anyway, and nobody sees what
 * it makes of them: with a branch in each step, rows would wait for each other. */
FUNC value_t combine_where(scan_u32 condition, value_t a, value_t b, scan_u32 whole) {
  if (!whole) return condition ? combine(a, b) : b;
  return VALUE_SELECT(condition, combine(VALUE_THERE(a), VALUE_THERE(b)), b);
}
#define COMBINE_WHERE(condition, a, b, whole) combine_where((condition), (a), (b), (whole))

#ifdef WARP_BALLOT
/* A row's recursive doubling where all vectors are there: each lane combines as far back as `reach` lanes. */
FUNC bare_t bare_doubling(bare_t x, scan_u32 reach) {
  UNROLL
  for (scan_u32 d = 1; d < 32; d <<= 1) {
    const bare_t y = bare_shuffle_up(x, d);
    x = bare_select(d <= reach, SCAN_SOURCE_COMBINE(y, x), x);
  }
  return x;
}

/* How far back a lane combines: to the last head up to its own, of the row's in one word. */
FUNC scan_u32 heads_reach(scan_u32 heads) {
  const scan_u32 lane = ITEM() % 32;
  return lane - LAST_BIT((heads & (0xffffffffu >> (31 - lane))) | 1u);
}
#endif

#if SCAN_SEGMENTS && defined(WARP_BALLOT)
/* row_doubling of vectors that are all there: values are exchanged without their flags. */
FUNC value_t segmented_doubling(value_t x, value_t *total) {
  const scan_u32 lane = ITEM() % 32, heads = WARP_BALLOT(x.there & HEAD_WITHIN);
  const bare_t sum = bare_doubling(x.v, heads_reach(heads));
  *total = value_from(bare_shuffle_from(sum, 31), heads ? 1 | HEAD_WITHIN : 1);
  return value_from(bare_shuffle_up(sum, 1), heads << 1 << (31 - lane) ? 1 | HEAD_WITHIN : 1);
}
#define ROW_DOUBLING(x, total) segmented_doubling((x), (total))
#endif

/* `run` and, but in the first lane, y before the lane's vector. There y is the lane's own, which run precedes, too: the
 * operator sees nothing out of order, and nobody takes another way. */
FUNC value_t row_before(value_t run, value_t y, scan_u32 lane, scan_u32 whole) {
  if (!whole) return combine(run, lane ? y : IDENTITY);
  if (!run.there) return value_from(y.v, lane ? THERE_KNOWN(y.there) : 0);
  return VALUE_SELECT(lane, combine(run, y), run);
}
#define ROW_BEFORE(run, y, lane, whole) row_before((run), (y), (lane), (whole))

/* a precedes b, or turned over: one application, wherever the work-item stands. */
FUNC value_t combine_turned(scan_u32 turned, value_t a, value_t b) {
  return combine(VALUE_SELECT(turned, b, a), VALUE_SELECT(turned, a, b));
}
#define COMBINE_TURNED(turned, a, b) combine_turned((turned), (a), (b))

/* A step of a tree whose result ends in the first lane: the operator is applied where that result needs it only. */
FUNC value_t tree_step(value_t x, scan_u32 d, scan_u32 whole) {
  const value_t y = shuffle_down_known(x, d, whole);
  return ITEM() % (2 * d) == 0 ? combine(x, y) : x;
}
#define TREE_STEP(x, d, whole) tree_step(x, d, whole)
#endif

#if SCAN_SEGMENTS
#define NEXT(raw, before, x, k) element_next((before), (x), (raw).heads.bits >> (k)&1, (raw).seed)
#define ELEMENT_MARK(raw, k) ((raw).heads.bits >> (k)&1 ? 1 | HEAD_WITHIN : 1)
#define SEEN(start) 1 /* element 0 begins a segment */
#else
#define NEXT(raw, before, x, k) SCAN_SOURCE_COMBINE((before), (x))
#define ELEMENT_MARK(raw, k) 1
#define SEEN(start) (start).there
#endif

FUNC value_t vector_fold(raw_t raw) {
  if (raw.count == 0) return value_none();
  value_t sum = value_from(vector_bare(raw, 0), 1);
#if SCAN_SEGMENTS
  sum = value_from(element_first(sum.v, raw.heads.bits & 1, raw.seed), raw.heads.within ? 1 | HEAD_WITHIN : 1);
#endif
  UNROLL
  for (scan_u32 k = 1; k < VEC_ITEMS; k++)
    if (k < raw.count) sum.v = NEXT(raw, sum.v, vector_bare(raw, k), k);
  return sum;
}

FUNC stored_t vector_scan(const scan_job *job, raw_t raw, value_t start) {
  output_vector o;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) {
    if (k < raw.count) {
      const bare_t x = vector_bare(raw, k);
      const value_t next = value_from(SEEN(start) ? NEXT(raw, start.v, x, k) : x, 1);
      o.x[k] = RESULT(job, job->inclusive, value_from(x, ELEMENT_MARK(raw, k)), next, start, raw.items.x[k],
                      VECTOR_INDEX(raw, k));
      start = next;
    }
  }
  return o.raw;
}

FUNC raw_t vector_identity(void) {
  raw_t v;
  UNROLL
  for (scan_u32 k = 0; k < (VEC_ITEMS * INPUT_BYTES + 3) / 4; k++) v.items.word[k] = 0;
  v.count = 0;
#if VECTORS_ARE_PLACED
  v.first = 0;
#if SCAN_STEPS
  v.last_place = 0;
#endif
#endif
#if SCAN_SEGMENTS
  v.heads.bits = 0;
  v.heads.within = 0;
  v.seed = value_none();
#endif
  return v;
}

/* Elements past n are not there, and are not written. */
FUNC raw_t vector_load_guarded(const scan_job *job, scan_u64 first) {
  raw_t v = vector_identity();
  v.count = vector_count(job, first);
  vector_place(job, first, &v);
#if SCAN_SEGMENTS
  v.heads = heads_find(job, first, v.count);
#endif
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < v.count) v.items.x[k] = ELEMENT_IN(job, first + k);
  return v;
}

/* Keeps what comes up to element n - 1, which is of the vector that begins with `first`. */
FUNC void vector_keep(const scan_job *job, scan_u64 first, raw_t raw, value_t start) {
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < raw.count) {
      const bare_t x = vector_bare(raw, k);
      const value_t next = value_from(SEEN(start) ? NEXT(raw, start.v, x, k) : x, 1);
      if (first + k + 1 == job->n)
        LAST_VALUE(job, next,
                   RESULT(job, job->inclusive, value_from(x, ELEMENT_MARK(raw, k)), next, start, raw.items.x[k],
                          VECTOR_INDEX(raw, k)));
      start = next;
    }
}

FUNC void vector_store_guarded(const scan_job *job, scan_u64 first, stored_t raw) {
  if (!STORES(job)) return;
  const scan_u32 count = vector_count(job, first);
  output_vector o;
  o.raw = raw;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) ELEMENT_OUT(job, first + k) = o.x[k];
}
#endif
