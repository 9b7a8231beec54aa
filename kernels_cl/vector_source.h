/* SPDX-License-Identifier: BSD-2-Clause */
/* What vector.h gives, for element types from source: a vector of VEC_ITEMS elements, of which the first `count` are
 * there. Where it has 2, 4, 8 or 16 bytes it is read and written at once. */
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
#define VECTOR_LOAD(job, first, pointer) vector_whole((job), (first), *(pointer))
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

typedef union input_items {
  loaded_t raw;
  input_t x[VEC_ITEMS];
  scan_u32 word[(VEC_ITEMS * INPUT_BYTES + 3) / 4];
} input_items;
typedef union output_items {
  stored_t raw;
  output_t x[VEC_ITEMS];
} output_items;

#define VECTORS_ARE_PLACED (SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS || SCAN_SEGMENTS || SCAN_CHECKS)
typedef struct raw_t {
  input_items items;
  scan_u32 count;
#if VECTORS_ARE_PLACED
  scan_u64 first; /* the first one's index */
#endif
#if SCAN_SEGMENTS
  scan_u32 heads; /* bit k: a segment begins with element k */
  value_t seed;
#endif
} raw_t;

/* Says of which elements a vector is. */
FUNC void vector_place(const scan_job *job, scan_u64 first, raw_t *v) {
  (void)job, (void)first, (void)v;
#if VECTORS_ARE_PLACED
  v->first = first;
#endif
#if SCAN_SEGMENTS
  v->heads = vector_heads(job, first, v->count);
  v->seed = job->seed;
#endif
}

FUNC raw_t vector_whole(const scan_job *job, scan_u64 first, loaded_t raw) {
  raw_t v;
  v.items.raw = raw;
  v.count = VEC_ITEMS;
  vector_place(job, first, &v);
  return v;
}

/* Element k as a value. */
FUNC value_t vector_element(raw_t raw, scan_u32 k) {
#if SCAN_SEGMENTS
  if (k >= raw.count) return value_none();
  return element_in_segment(MAPPED(raw.items.x[k], raw.first + k), raw.heads >> k & 1, raw.seed);
#elif SCAN_SOURCE_MAPS
  if (k >= raw.count) return value_none();
  return MAPPED(raw.items.x[k], raw.first + k);
#else
  return value_from(raw.items.x[k], k < raw.count);
#endif
}

#if SCAN_SHUFFLE
#define SHUFFLE(name)                                                                                                  \
  FUNC value_t name(value_t x, scan_u32 which) {                                                                       \
    value_words w = words_of(x.v);                                                                                     \
    UNROLL                                                                                                             \
    for (scan_u32 k = 0; k < VALUE_WORDS; k++) w.word[k] = name##_u32(w.word[k], which);                               \
    return value_from(w.v, name##_u32(x.there, which));                                                                \
  }
SHUFFLE(shuffle_up)
SHUFFLE(shuffle_down)
SHUFFLE(shuffle_xor)
SHUFFLE(shuffle_from)

/* A step of a tree whose result ends in the first lane: the operator is applied where that result needs it only. */
FUNC value_t tree_step(value_t x, scan_u32 d) {
  const value_t y = shuffle_down(x, d);
  return ITEM() % (2 * d) == 0 ? combine(x, y) : x;
}
#define TREE_STEP(x, d) tree_step(x, d)
#endif

FUNC value_t vector_fold(raw_t raw) {
  value_t sum = vector_element(raw, 0);
  UNROLL
  for (scan_u32 k = 1; k < VEC_ITEMS; k++)
    if (k < raw.count) sum = combine(sum, vector_element(raw, k));
  return sum;
}

FUNC stored_t vector_scan(const scan_job *job, raw_t raw, value_t start) {
  output_items o;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) {
    const value_t element = vector_element(raw, k), next = combine(start, element);
#if VECTORS_ARE_PLACED
    if (k < raw.count) o.x[k] = RESULT(job, job->inclusive, element, next, start, raw.items.x[k], raw.first + k);
#else
    o.x[k] = RESULT(job, job->inclusive, element, next, start, raw.items.x[k], 0);
#endif
    start = next;
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
#endif
#if SCAN_SEGMENTS
  v.heads = 0;
  v.seed = value_none();
#endif
  return v;
}

/* Elements past n are not there, and are not written. */
FUNC raw_t vector_load_guarded(const scan_job *job, scan_u64 first) {
  raw_t v = vector_identity();
  v.count = vector_count(job, first);
  vector_place(job, first, &v);
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < v.count) v.items.x[k] = job->in[first + k];
  return v;
}

FUNC void vector_store_guarded(const scan_job *job, scan_u64 first, stored_t raw) {
  const scan_u32 count = vector_count(job, first);
  GLOBAL output_t *out = job->out + first;
  output_items o;
  o.raw = raw;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) out[k] = o.x[k];
}
