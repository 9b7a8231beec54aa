/* SPDX-License-Identifier: BSD-2-Clause */
/* What vector.h gives, for element types from source: a vector of VEC_ITEMS elements, of which the first `count` are
 * there. Where it has 2, 4, 8 or 16 bytes it is read and written at once. */
#ifndef SCANRT_CL_VECTOR_SOURCE_H
#define SCANRT_CL_VECTOR_SOURCE_H

#include "scan_element.h"

#if VEC_ITEMS * INPUT_BYTES == 16
typedef scanrt_raw16 scanrt_loaded_t;
#elif VEC_ITEMS * INPUT_BYTES == 8
typedef scanrt_raw8 scanrt_loaded_t;
#elif VEC_ITEMS * INPUT_BYTES == 4
typedef scanrt_u32 scanrt_loaded_t;
#elif VEC_ITEMS * INPUT_BYTES == 2
typedef scanrt_u16 scanrt_loaded_t;
#else
typedef struct scanrt_loaded_t {
  scanrt_input_t x[VEC_ITEMS];
} scanrt_loaded_t;
#endif
#if AT_ONCE(VEC_ITEMS * INPUT_BYTES)
#define VECTOR_READ(pointer) LOAD_STREAM(pointer)
#else
/* By a function: over a struct of device memory that is an argument by value, NVIDIA's OpenCL compiler (580) may not
 * end. */
FUNC scanrt_loaded_t scanrt_vector_read(GLOBAL const scanrt_loaded_t *pointer) { return *pointer; }
#define VECTOR_READ(pointer) scanrt_vector_read(pointer)
#endif
#define VECTOR_LOAD(job, first, pointer) scanrt_vector_whole((job), (first), VECTOR_READ(pointer))
#if STORED_BYTES == 16
typedef scanrt_raw16 scanrt_stored_t;
#elif STORED_BYTES == 8
typedef scanrt_raw8 scanrt_stored_t;
#elif STORED_BYTES == 4
typedef scanrt_u32 scanrt_stored_t;
#elif STORED_BYTES == 2
typedef scanrt_u16 scanrt_stored_t;
#else
typedef struct scanrt_stored_t {
  scanrt_output_t x[VEC_ITEMS];
} scanrt_stored_t;
#endif

typedef union scanrt_input_vector {
  scanrt_loaded_t raw;
  scanrt_input_t x[VEC_ITEMS];
  scanrt_u32 word[(VEC_ITEMS * INPUT_BYTES + 3) / 4];
} scanrt_input_vector;
typedef union scanrt_output_vector {
  scanrt_stored_t raw;
  scanrt_output_t x[VEC_ITEMS];
  scanrt_u32 word[(STORED_BYTES + 3) / 4];
} scanrt_output_vector;

#define VECTORS_ARE_PLACED (SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS || SCAN_CHECKS)
/* NVIDIA: past n a tile is filled with the last element over and over. No element before n depends on what the operator
 * makes of them, nothing comes after that tile, and no value need say whether it is there: the code for tiles that n
 * cuts was half of all (affine maps, lookback: NVRTC takes 1.1 s instead of 1.8). Maps and emits, which might index
 * tables by an element's index, see the last one's; of lines, some of which are not there, their vectors are cut.
 * Overflow is not noted past n. Elsewhere an operator that divides might trap. */
#define VECTORS_ARE_FILLED (SCAN_SHUFFLE == 1 && !(SCAN_STEPS && (SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS)))
#define INDICES_ARE_CLAMPED (VECTORS_ARE_FILLED && (SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS))
typedef struct scanrt_raw_t {
  scanrt_input_vector items;
  scanrt_u32 count;
#if VECTORS_ARE_PLACED
  scanrt_u64 first; /* the first one's index */
#if INDICES_ARE_CLAMPED
  scanrt_u64 last; /* of the job */
#endif
#if SCAN_SOURCE_MAPS
  scanrt_u64 origin; /* the job's */
#endif
#if SCAN_STEPS
  scanrt_u64 last_place; /* of the job, where places run down; 0: they run up */
#endif
#endif
#if SCAN_SEGMENTS
  scanrt_vector_heads heads;
  scanrt_value_t seed;
#endif
} scanrt_raw_t;

/* Says of which elements a vector is. */
FUNC void scanrt_vector_place(const scanrt_job *job, scanrt_u64 first, scanrt_raw_t *v) {
  (void)job, (void)first, (void)v;
#if VECTORS_ARE_PLACED
  v->first = first;
#if INDICES_ARE_CLAMPED
  v->last = job->n - 1;
#endif
#if SCAN_SOURCE_MAPS
  v->origin = job->origin;
#endif
#if SCAN_STEPS
  v->last_place = job->turned ? job->n - 1 : 0;
#endif
#endif
#if SCAN_SEGMENTS
  v->seed = job->seed;
#endif
}

/* But for where segments begin. */
FUNC scanrt_raw_t scanrt_vector_open(const scanrt_job *job, scanrt_u64 first, scanrt_loaded_t raw) {
  scanrt_raw_t v;
  v.items.raw = raw;
  v.count = VEC_ITEMS;
  scanrt_vector_place(job, first, &v);
  return v;
}
FUNC scanrt_raw_t scanrt_vector_whole(const scanrt_job *job, scanrt_u64 first, scanrt_loaded_t raw) {
  scanrt_raw_t v = scanrt_vector_open(job, first, raw);
#if SCAN_SEGMENTS
  v.heads = scanrt_heads_find(job, first, VEC_ITEMS);
#endif
  return v;
}
FUNC scanrt_raw_t scanrt_vector_cut(scanrt_raw_t raw, scanrt_u32 count) {
  raw.count = count;
  return raw;
}

/* Where a tile is `whole`, a constant to the functions that take it, every element is there and nobody need ask. Of
 * segmented scans what begins in it is still asked. */
#define TILE_WHOLE(job, tile) ((tile + (scanrt_u64)1) * TILE_ITEMS <= (job)->n)
#define TILE_THERE(job, tile) TILE_WHOLE(job, tile)
#define VECTOR_FOLD(raw, whole) scanrt_vector_fold((whole) ? scanrt_vector_cut((raw), VEC_ITEMS) : (raw))
#define VECTOR_SCAN(job, raw, start, whole)                                                                            \
  scanrt_vector_scan((job), (whole) ? scanrt_vector_cut((raw), VEC_ITEMS) : (raw), (start))

/* The index of element k, where anybody asks, and that of which a map or an emit is told. */
#if VECTORS_ARE_PLACED
#define VECTOR_INDEX(raw, k) ((raw).first + (k))
#else
#define VECTOR_INDEX(raw, k) 0
#endif
#if INDICES_ARE_CLAMPED
#define VECTOR_SHOWN(raw, k) (VECTOR_INDEX(raw, k) < (raw).last ? VECTOR_INDEX(raw, k) : (raw).last)
#else
#define VECTOR_SHOWN(raw, k) VECTOR_INDEX(raw, k)
#endif

/* The index that a map sees of element k. */
#if SCAN_STEPS
#define VECTOR_PLACE(raw, k)                                                                                           \
  ((raw).origin + ((raw).last_place ? (raw).last_place - (raw).first - (k) : (raw).first + (k)))
#else
#define VECTOR_PLACE(raw, k) ((raw).origin + VECTOR_SHOWN(raw, k))
#endif

/* Element k, which is there, as it comes. */
FUNC scanrt_bare_t scanrt_vector_bare(scanrt_raw_t raw, scanrt_u32 k) {
  return MAPPED(raw.items.x[k], VECTOR_PLACE(raw, k)).v;
}

#if SCAN_SHUFFLE
#define WHOLE_SHUFFLE(shuffle, x, which, whole) shuffle##_known(x, which, whole)
#if SCAN_SEGMENTS
#define THERE_KNOWN(there) ((there) | 1)
#else
#define THERE_KNOWN(there) 1
#endif
#define SHUFFLE(name, bare, known)                                                                                     \
  FUNC scanrt_bare_t bare(scanrt_bare_t x, scanrt_u32 which) {                                                         \
    scanrt_value_words w = scanrt_words_of(x);                                                                         \
    UNROLL                                                                                                             \
    for (scanrt_u32 k = 0; k < VALUE_WORDS; k++) w.word[k] = name##_u32(w.word[k], which);                             \
    return w.v;                                                                                                        \
  }                                                                                                                    \
  FUNC scanrt_value_t known(scanrt_value_t x, scanrt_u32 which, scanrt_u32 whole) {                                    \
    return scanrt_value_from(bare(x.v, which),                                                                         \
                             whole ? THERE_KNOWN(name##_u32(x.there, which)) : name##_u32(x.there, which));            \
  }                                                                                                                    \
  FUNC scanrt_value_t name(scanrt_value_t x, scanrt_u32 which) { return known(x, which, 0); }
SHUFFLE(scanrt_shuffle_up, scanrt_bare_shuffle_up, scanrt_shuffle_up_known)
SHUFFLE(scanrt_shuffle_down, scanrt_bare_shuffle_down, scanrt_shuffle_down_known)
SHUFFLE(scanrt_shuffle_xor, scanrt_bare_shuffle_xor, scanrt_shuffle_xor_known)
SHUFFLE(scanrt_shuffle_from, scanrt_bare_shuffle_from, scanrt_shuffle_from_known)

/* a and b where the condition holds, else b. Where both are there the operator is applied anyway, and nobody sees what
 * it makes of them: with a branch in each step, rows would wait for each other. */
FUNC scanrt_value_t scanrt_combine_where(scanrt_u32 condition, scanrt_value_t a, scanrt_value_t b, scanrt_u32 whole) {
  if (!whole) return condition ? scanrt_combine(a, b) : b;
  return VALUE_SELECT(condition, scanrt_combine(VALUE_THERE(a), VALUE_THERE(b)), b);
}
#define COMBINE_WHERE(condition, a, b, whole) scanrt_combine_where((condition), (a), (b), (whole))

#ifdef WARP_BALLOT
/* A row's recursive doubling where all vectors are there: each lane combines as far back as `reach` lanes. */
FUNC scanrt_bare_t scanrt_bare_doubling(scanrt_bare_t x, scanrt_u32 reach) {
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) {
    const scanrt_bare_t y = scanrt_bare_shuffle_up(x, d);
    x = scanrt_bare_select(d <= reach, SCAN_SOURCE_COMBINE(y, x), x);
  }
  return x;
}

/* How far back a lane combines: to the last head up to its own, of the row's in one word. */
FUNC scanrt_u32 scanrt_heads_reach(scanrt_u32 heads) {
  const scanrt_u32 lane = ITEM() % 32;
  return lane - LAST_BIT((heads & (0xffffffffu >> (31 - lane))) | 1u);
}
#endif

#if SCAN_SEGMENTS && defined(WARP_BALLOT)
/* scanrt_row_doubling of vectors that are all there: values are exchanged without their flags. */
FUNC scanrt_value_t scanrt_segmented_doubling(scanrt_value_t x, scanrt_value_t *total) {
  const scanrt_u32 lane = ITEM() % 32, heads = WARP_BALLOT(x.there & HEAD_WITHIN);
  const scanrt_bare_t sum = scanrt_bare_doubling(x.v, scanrt_heads_reach(heads));
  *total = scanrt_value_from(scanrt_bare_shuffle_from(sum, 31), heads ? 1 | HEAD_WITHIN : 1);
  return scanrt_value_from(scanrt_bare_shuffle_up(sum, 1), heads << 1 << (31 - lane) ? 1 | HEAD_WITHIN : 1);
}
#define ROW_DOUBLING(x, total) scanrt_segmented_doubling((x), (total))
#endif

/* `run` and, but in the first lane, y before the lane's vector. There y is the lane's own, which run precedes, too: the
 * operator sees nothing out of order, and nobody takes another way. */
FUNC scanrt_value_t scanrt_row_before(scanrt_value_t run, scanrt_value_t y, scanrt_u32 lane, scanrt_u32 whole) {
  if (!whole) return scanrt_combine(run, lane ? y : IDENTITY);
  if (!run.there) return scanrt_value_from(y.v, lane ? THERE_KNOWN(y.there) : 0);
  return VALUE_SELECT(lane, scanrt_combine(run, y), run);
}
#define ROW_BEFORE(run, y, lane, whole) scanrt_row_before((run), (y), (lane), (whole))

/* a precedes b, or turned over: one application, wherever the work-item stands. */
FUNC scanrt_value_t scanrt_combine_turned(scanrt_u32 turned, scanrt_value_t a, scanrt_value_t b) {
  return scanrt_combine(VALUE_SELECT(turned, b, a), VALUE_SELECT(turned, a, b));
}
#define COMBINE_TURNED(turned, a, b) scanrt_combine_turned((turned), (a), (b))

/* A step of a tree whose result ends in the first lane: the operator is applied where that result needs it only. */
FUNC scanrt_value_t scanrt_tree_step(scanrt_value_t x, scanrt_u32 d, scanrt_u32 whole) {
  const scanrt_value_t y = scanrt_shuffle_down_known(x, d, whole);
  return ITEM() % (2 * d) == 0 ? scanrt_combine(x, y) : x;
}
#define TREE_STEP(x, d, whole) scanrt_tree_step(x, d, whole)
#endif

#if SCAN_SEGMENTS
#define NEXT(raw, before, x, k) scanrt_element_next((before), (x), (raw).heads.bits >> (k)&1, (raw).seed)
#define ELEMENT_MARK(raw, k) ((raw).heads.bits >> (k)&1 ? 1 | HEAD_WITHIN : 1)
#define SEEN(start) 1 /* element 0 begins a segment */
#else
#define NEXT(raw, before, x, k) SCAN_SOURCE_COMBINE((before), (x))
#define ELEMENT_MARK(raw, k) 1
#define SEEN(start) (start).there
#endif

FUNC scanrt_value_t scanrt_vector_fold(scanrt_raw_t raw) {
  if (raw.count == 0) return scanrt_value_none();
  scanrt_value_t sum = scanrt_value_from(scanrt_vector_bare(raw, 0), 1);
#if SCAN_SEGMENTS
  sum = scanrt_value_from(scanrt_element_first(sum.v, raw.heads.bits & 1, raw.seed),
                          raw.heads.within ? 1 | HEAD_WITHIN : 1);
#endif
  UNROLL
  for (scanrt_u32 k = 1; k < VEC_ITEMS; k++)
    if (k < raw.count) sum.v = NEXT(raw, sum.v, scanrt_vector_bare(raw, k), k);
  return sum;
}

#if SCAN_CHECKS
/* The elements of a vector whose bits are set overflow. */
FUNC void scanrt_vector_note(const scanrt_job *job, scanrt_raw_t raw, scanrt_u32 elements) {
  NO_UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (elements >> k & 1) scanrt_overflow_note(job, job->inclusive, VECTOR_INDEX(raw, k));
}
#endif

/* Overflows are gathered, so that a vector has one branch for what hardly ever happens. */
FUNC scanrt_stored_t scanrt_vector_scan(const scanrt_job *job, scanrt_raw_t raw, scanrt_value_t start) {
  scanrt_output_vector o;
#if SCAN_CHECKS
  scanrt_u32 overflows = 0;
#endif
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
    if (k < raw.count) {
      const scanrt_bare_t x = scanrt_vector_bare(raw, k);
      const scanrt_value_t next = scanrt_value_from(SEEN(start) ? NEXT(raw, start.v, x, k) : x, 1);
      const scanrt_value_t before = scanrt_element_start(job, scanrt_value_from(x, ELEMENT_MARK(raw, k)), start);
#if SCAN_CHECKS
      overflows |= scanrt_element_overflows(job, before, raw.items.x[k], VECTOR_SHOWN(raw, k)) << k;
#endif
      o.x[k] = scanrt_element_output(job, job->inclusive, next, before, raw.items.x[k], VECTOR_SHOWN(raw, k));
      start = next;
    }
  }
#if SCAN_CHECKS
  if (overflows) scanrt_vector_note(job, raw, overflows);
#endif
  return o.raw;
}

FUNC scanrt_raw_t scanrt_vector_identity(void) {
  scanrt_raw_t v;
  UNROLL
  for (scanrt_u32 k = 0; k < (VEC_ITEMS * INPUT_BYTES + 3) / 4; k++) v.items.word[k] = 0;
  v.count = 0;
#if VECTORS_ARE_PLACED
  v.first = 0;
#if INDICES_ARE_CLAMPED
  v.last = 0;
#endif
#if SCAN_SOURCE_MAPS
  v.origin = 0;
#endif
#if SCAN_STEPS
  v.last_place = 0;
#endif
#endif
#if SCAN_SEGMENTS
  v.heads.bits = 0;
  v.heads.within = 0;
  v.seed = scanrt_value_none();
#endif
  return v;
}

typedef union scanrt_input_item {
  scanrt_input_t x;
  scanrt_u32 word[(INPUT_BYTES + 3) / 4];
} scanrt_input_item;

/* An element, or zeros where it is not there. Apart from its vector: where a vector's halves are written under
 * conditions, one after another, ptxas 13.0 (sm_90) overwrites one with the address of the next. */
FUNC scanrt_input_item scanrt_element_guarded(const scanrt_job *job, scanrt_u64 index, scanrt_u32 is_there) {
  scanrt_input_item item;
  UNROLL
  for (scanrt_u32 k = 0; k < (INPUT_BYTES + 3) / 4; k++) item.word[k] = 0;
  if (is_there) item.x = ELEMENT_IN(job, index);
  return item;
}

/* Elements past n are not there, and are not written. */
FUNC scanrt_raw_t scanrt_vector_load_guarded(const scanrt_job *job, scanrt_u64 first) {
  scanrt_raw_t v = scanrt_vector_identity();
  v.count = scanrt_vector_count(job, first);
  scanrt_vector_place(job, first, &v);
#if SCAN_SEGMENTS
  v.heads = scanrt_heads_find(job, first, v.count);
#endif
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) v.items.x[k] = scanrt_element_guarded(job, first + k, k < v.count).x;
  return v;
}

/* The same where all elements are there. */
FUNC scanrt_raw_t scanrt_vector_load_apart(const scanrt_job *job, scanrt_u64 first) {
  scanrt_input_vector v;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) v.x[k] = ELEMENT_IN(job, first + k);
  return scanrt_vector_whole(job, first, v.raw);
}

/* A vector that n may cut, `offset` elements after `run`, from where on there are `rest`. Past n there is nothing, or
 * the last element over and over (VECTORS_ARE_FILLED). */
#if VECTORS_ARE_FILLED
#define VECTOR_LOAD_CUT(job, run, offset, rest) scanrt_vector_load_filled((job), (run), (offset), (rest)-1)
#else
#define VECTOR_LOAD_CUT(job, run, offset, rest) scanrt_vector_load_guarded((job), (run) + (offset))
#endif

#if VECTORS_ARE_FILLED
/* The vector at `offset` in the tile that begins with element `tile_first` and whose elements up to `last` are there.
 */
FUNC scanrt_raw_t scanrt_vector_load_filled(const scanrt_job *job, scanrt_u64 tile_first, scanrt_u32 offset,
                                            scanrt_u32 last) {
  scanrt_raw_t v;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
    const scanrt_u32 at = offset + k < last ? offset + k : last;
    v.items.x[k] = ELEMENT_IN(job, tile_first + at);
  }
  v.count = VEC_ITEMS;
  scanrt_vector_place(job, tile_first + offset, &v);
#if SCAN_SEGMENTS
  v.heads = scanrt_heads_find(job, tile_first + offset, scanrt_vector_count(job, tile_first + offset));
#endif
  return v;
}
#endif

/* Keeps what comes up to element n - 1, which is of the vector that begins with `first`. */
FUNC void scanrt_vector_keep(const scanrt_job *job, scanrt_u64 first, scanrt_raw_t raw, scanrt_value_t start) {
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < raw.count) {
      const scanrt_bare_t x = scanrt_vector_bare(raw, k);
      const scanrt_value_t next = scanrt_value_from(SEEN(start) ? NEXT(raw, start.v, x, k) : x, 1);
      if (first + k + 1 == job->n)
        LAST_VALUE(job, next,
                   RESULT(job, job->inclusive, scanrt_value_from(x, ELEMENT_MARK(raw, k)), next, start, raw.items.x[k],
                          VECTOR_INDEX(raw, k)));
      start = next;
    }
}

FUNC void scanrt_vector_store_guarded(const scanrt_job *job, scanrt_u64 first, scanrt_stored_t raw) {
  if (!STORES(job)) return;
  const scanrt_u32 count = scanrt_vector_count(job, first);
  scanrt_output_vector o;
  o.raw = raw;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) ELEMENT_OUT(job, first + k) = o.x[k];
}
#endif
