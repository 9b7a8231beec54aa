/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of vector.h for element types from source: a vector of VEC_ITEMS elements, the first `count` of which
 * exist. A vector of 2, 4, 8 or 16 bytes is loaded and stored whole. */
#ifndef SCANRT_CL_VECTOR_SOURCE_H
#define SCANRT_CL_VECTOR_SOURCE_H

#include "lib/tile.h"

#if SCAN_SOURCE_INPUTS
typedef struct scanrt_loaded_t {
  scanrt_input_t x[VEC_ITEMS];
} scanrt_loaded_t;
#elif VEC_ITEMS * INPUT_BYTES == 16
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
#if AT_ONCE(VEC_ITEMS * INPUT_BYTES) && !SCAN_SOURCE_INPUTS
#define VECTOR_READ(pointer) LOAD_STREAM(pointer)
#else
/* Reads by a function: NVIDIA's OpenCL compiler (580) may not end over a struct of device memory that is passed by
 * value. */
FUNC scanrt_loaded_t scanrt_vector_read(GLOBAL const scanrt_loaded_t *pointer) { return *pointer; }
#define VECTOR_READ(pointer) scanrt_vector_read(pointer)
#endif
/* Reads the whole vector at element `first`, which is at `pointer` if elements lie whole. */
#if SCAN_SOURCE_INPUTS
#define VECTOR_READ_AT(job, first, pointer) scanrt_members_load_vector((job), (first), 0)
#else
#define VECTOR_READ_AT(job, first, pointer) VECTOR_READ(pointer)
#endif
#define VECTOR_LOAD(job, first, pointer) scanrt_vector_whole((job), (first), VECTOR_READ_AT(job, first, pointer))
#if SCAN_SOURCE_OUTPUTS
typedef struct scanrt_stored_t {
  scanrt_output_t x[VEC_ITEMS];
} scanrt_stored_t;
#elif STORED_BYTES == 16
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

#include "lib/members_vector.h"
/* Stores the whole vector at element `first`, which is at `pointer` if elements lie whole. */
#if SCAN_SOURCE_OUTPUTS
#define VECTOR_STORE(job, first, pointer, value) scanrt_members_store_vector((job), (first), (value))
#else
#define VECTOR_STORE(job, first, pointer, value) (*(pointer) = (value))
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
/* 1 on NVIDIA's devices, where a tile is filled past n with copies of the last element. No element before n depends on
 * what the operator makes of them, nothing follows that tile, and no value needs to know whether it exists: the code
 * for tiles that n cuts was half of all (affine maps, lookback: NVRTC takes 1.1 s instead of 1.8). Maps and emits,
 * which might index tables by an element's index, get the index of the last one; for lines, some of which do not exist,
 * their vectors are cut instead. Overflow past n is not noted. On other devices an operator that divides might trap. */
#define VECTORS_ARE_FILLED (SCAN_SHUFFLE == 1 && !(SCAN_STEPS && (SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS)))
#define INDICES_ARE_CLAMPED (VECTORS_ARE_FILLED && (SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS))
typedef struct scanrt_raw_t {
  scanrt_input_vector items;
  scanrt_u32 count;
#if VECTORS_ARE_PLACED
  scanrt_u64 first; /* index of the first element */
#if INDICES_ARE_CLAMPED
  scanrt_u64 last; /* index of the job's last element */
#endif
#if SCAN_SOURCE_MAPS
  scanrt_u64 origin; /* the job's origin */
#endif
#if SCAN_STEPS
  scanrt_u64 last_place; /* the job's last place if places descend; 0 if they ascend */
#endif
#endif
#if SCAN_SEGMENTS
  scanrt_segment_bits segment_bits;
  scanrt_value_t seed;
#endif
} scanrt_raw_t;

/* Sets which elements of the job the vector has. */
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
  v->last_place = job->reversed ? job->n - 1 : 0;
#endif
#endif
#if SCAN_SEGMENTS
  v->seed = job->seed;
#endif
}

/* Returns a whole vector, but for where segments begin. */
FUNC scanrt_raw_t scanrt_vector_open(const scanrt_job *job, scanrt_u64 first, scanrt_loaded_t raw) {
  scanrt_raw_t v;
  v.items.raw = raw;
  v.count = VEC_ITEMS;
  scanrt_vector_place(job, first, &v);
  return v;
}
/* Returns a whole vector. */
FUNC scanrt_raw_t scanrt_vector_whole(const scanrt_job *job, scanrt_u64 first, scanrt_loaded_t raw) {
  scanrt_raw_t v = scanrt_vector_open(job, first, raw);
#if SCAN_SEGMENTS
  v.segment_bits = scanrt_segment_bits_find(job, first, VEC_ITEMS);
#endif
  return v;
}
/* Returns the first `count` elements of a vector. */
FUNC scanrt_raw_t scanrt_vector_cut(scanrt_raw_t raw, scanrt_u32 count) {
  raw.count = count;
  return raw;
}

/* 1 if every element of the tile exists. Functions that take `whole` as a constant then test no existence. In segmented
 * scans they still test where segments begin. */
#define TILE_WHOLE(job, tile) ((tile + (scanrt_u64)1) * TILE_ITEMS <= (job)->n)
#define TILE_THERE(job, tile) TILE_WHOLE(job, tile)
#define VECTOR_FOLD(raw, whole) scanrt_vector_fold((whole) ? scanrt_vector_cut((raw), VEC_ITEMS) : (raw))
#define VECTOR_SCAN(job, raw, start, whole)                                                                            \
  scanrt_vector_scan((job), (whole) ? scanrt_vector_cut((raw), VEC_ITEMS) : (raw), (start))

/* VECTOR_INDEX is the index of element k where it is used; VECTOR_SHOWN is the one that an emit gets. */
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

/* The index that a map gets for element k. */
#if SCAN_STEPS
#define VECTOR_PLACE(raw, k)                                                                                           \
  ((raw).origin + ((raw).last_place ? (raw).last_place - (raw).first - (k) : (raw).first + (k)))
#else
#define VECTOR_PLACE(raw, k) ((raw).origin + VECTOR_SHOWN(raw, k))
#endif

/* Returns element k, which exists, after the map. */
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

/* Returns a and b combined if the condition holds, else b. If both exist, the operator is applied in any case and its
 * result dropped where it is not needed: with a branch in each step, rows would wait for each other. */
FUNC scanrt_value_t scanrt_combine_where(scanrt_u32 condition, scanrt_value_t a, scanrt_value_t b, scanrt_u32 whole) {
  if (!whole) return condition ? scanrt_combine(a, b) : b;
  return VALUE_SELECT(condition, scanrt_combine(VALUE_THERE(a), VALUE_THERE(b)), b);
}
#define COMBINE_WHERE(condition, a, b, whole) scanrt_combine_where((condition), (a), (b), (whole))

#ifdef WARP_BALLOT
/* The recursive doubling of a row whose vectors all exist: each lane combines up to `reach` lanes back. */
FUNC scanrt_bare_t scanrt_bare_doubling(scanrt_bare_t x, scanrt_u32 reach) {
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) {
    const scanrt_bare_t y = scanrt_bare_shuffle_up(x, d);
    x = scanrt_bare_select(d <= reach, SCAN_SOURCE_COMBINE(y, x), x);
  }
  return x;
}

/* Returns how many lanes a lane combines back: to the last start of a segment up to its own. `segment_bits` has the
 * segment bits of the row. */
FUNC scanrt_u32 scanrt_segment_reach(scanrt_u32 segment_bits) {
  const scanrt_u32 lane = ITEM() % 32;
  return lane - LAST_BIT((segment_bits & (0xffffffffu >> (31 - lane))) | 1u);
}
#endif

#if SCAN_SEGMENTS && defined(WARP_BALLOT)
/* scanrt_row_doubling for vectors that all exist: values are exchanged without their flags. */
FUNC scanrt_value_t scanrt_segmented_doubling(scanrt_value_t x, scanrt_value_t *total) {
  const scanrt_u32 lane = ITEM() % 32, segment_bits = WARP_BALLOT(x.there & STARTS_WITHIN);
  const scanrt_bare_t sum = scanrt_bare_doubling(x.v, scanrt_segment_reach(segment_bits));
  *total = scanrt_value_from(scanrt_bare_shuffle_from(sum, 31), segment_bits ? 1 | STARTS_WITHIN : 1);
  return scanrt_value_from(scanrt_bare_shuffle_up(sum, 1), segment_bits << 1 << (31 - lane) ? 1 | STARTS_WITHIN : 1);
}
#define ROW_DOUBLING(x, total) scanrt_segmented_doubling((x), (total))
#endif

/* Returns what precedes the lane's vector: `run` and y, or in the first lane `run` alone. There y is the lane's own
 * vector, which `run` precedes, too: the operator gets operands in order, and no lane branches. */
FUNC scanrt_value_t scanrt_row_before(scanrt_value_t run, scanrt_value_t y, scanrt_u32 lane, scanrt_u32 whole) {
  if (!whole) return scanrt_combine(run, lane ? y : IDENTITY);
  if (!run.there) return scanrt_value_from(y.v, lane ? THERE_KNOWN(y.there) : 0);
  return VALUE_SELECT(lane, scanrt_combine(run, y), run);
}
#define ROW_BEFORE(run, y, lane, whole) scanrt_row_before((run), (y), (lane), (whole))

/* Combines a before b, or b before a if `swapped` is not 0; the operator is applied once in either case. */
FUNC scanrt_value_t scanrt_combine_swapped(scanrt_u32 swapped, scanrt_value_t a, scanrt_value_t b) {
  return scanrt_combine(VALUE_SELECT(swapped, b, a), VALUE_SELECT(swapped, a, b));
}
#define COMBINE_SWAPPED(swapped, a, b) scanrt_combine_swapped((swapped), (a), (b))

/* A step of a tree whose result ends in the first lane; the operator is applied only where that result needs it. */
FUNC scanrt_value_t scanrt_tree_step(scanrt_value_t x, scanrt_u32 d, scanrt_u32 whole) {
  const scanrt_value_t y = scanrt_shuffle_down_known(x, d, whole);
  return ITEM() % (2 * d) == 0 ? scanrt_combine(x, y) : x;
}
#define TREE_STEP(x, d, whole) scanrt_tree_step(x, d, whole)
#endif

#if SCAN_SEGMENTS
#define NEXT(raw, before, x, k) scanrt_element_next((before), (x), (raw).segment_bits.bits >> (k)&1, (raw).seed)
#define ELEMENT_MARK(raw, k) ((raw).segment_bits.bits >> (k)&1 ? 1 | STARTS_WITHIN : 1)
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
  sum = scanrt_value_from(scanrt_element_first(sum.v, raw.segment_bits.bits & 1, raw.seed),
                          raw.segment_bits.within ? 1 | STARTS_WITHIN : 1);
#endif
  UNROLL
  for (scanrt_u32 k = 1; k < VEC_ITEMS; k++)
    if (k < raw.count) sum.v = NEXT(raw, sum.v, scanrt_vector_bare(raw, k), k);
  return sum;
}

#if SCAN_CHECKS
/* Notes the overflow of those elements of a vector whose bits are set. */
FUNC void scanrt_vector_note(const scanrt_job *job, scanrt_raw_t raw, scanrt_u32 elements) {
  NO_UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (elements >> k & 1) scanrt_overflow_note(job, job->inclusive, VECTOR_INDEX(raw, k));
}
#endif

/* Scans a vector. Overflows are collected, so that a vector has one branch for a rare case. */
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
  v.segment_bits.bits = 0;
  v.segment_bits.within = 0;
  v.seed = scanrt_value_none();
#endif
  return v;
}

typedef union scanrt_input_item {
  scanrt_input_t x;
  scanrt_u32 word[(INPUT_BYTES + 3) / 4];
} scanrt_input_item;

/* Returns an element, or zeros if it does not exist. It is apart from its vector: if a vector's halves are written
 * under conditions, one after another, ptxas 13.0 (sm_90) overwrites one with the address of the next. */
FUNC scanrt_input_item scanrt_element_guarded(const scanrt_job *job, scanrt_u64 index, scanrt_u32 is_there) {
  scanrt_input_item item;
  UNROLL
  for (scanrt_u32 k = 0; k < (INPUT_BYTES + 3) / 4; k++) item.word[k] = 0;
  if (is_there) item.x = ELEMENT_IN(job, index);
  return item;
}

/* Loads a vector by elements; those past n do not exist. */
FUNC scanrt_raw_t scanrt_vector_load_guarded(const scanrt_job *job, scanrt_u64 first) {
  scanrt_raw_t v = scanrt_vector_identity();
  v.count = scanrt_vector_count(job, first);
  scanrt_vector_place(job, first, &v);
#if SCAN_SEGMENTS
  v.segment_bits = scanrt_segment_bits_find(job, first, v.count);
#endif
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) v.items.x[k] = scanrt_element_guarded(job, first + k, k < v.count).x;
  return v;
}

/* Loads a vector by elements, all of which exist. */
FUNC scanrt_raw_t scanrt_vector_load_apart(const scanrt_job *job, scanrt_u64 first) {
  scanrt_input_vector v;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) v.x[k] = ELEMENT_IN(job, first + k);
  return scanrt_vector_whole(job, first, v.raw);
}

/* Loads a vector that n may cut, `offset` elements after `run`; `rest` elements exist from `run` on. Past n there is
 * nothing, or copies of the last element (VECTORS_ARE_FILLED). */
#if VECTORS_ARE_FILLED
#define VECTOR_LOAD_CUT(job, run, offset, rest) scanrt_vector_load_filled((job), (run), (offset), (rest)-1)
#else
#define VECTOR_LOAD_CUT(job, run, offset, rest) scanrt_vector_load_guarded((job), (run) + (offset))
#endif

#if VECTORS_ARE_FILLED
/* Loads the vector at `offset` in the tile that begins with element `tile_first`. The tile's elements exist up to
 * `last`, which fills the rest. */
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
  v.segment_bits = scanrt_segment_bits_find(job, tile_first + offset, scanrt_vector_count(job, tile_first + offset));
#endif
  return v;
}
#endif

/* Writes the carry-out and the total. Element n - 1 is in the vector that begins with `first`. */
FUNC void scanrt_vector_write_last(const scanrt_job *job, scanrt_u64 first, scanrt_raw_t raw, scanrt_value_t start) {
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
    if (k < count) ELEMENT_PUT(job, first + k, o.x[k]);
}
#endif
