/* SPDX-License-Identifier: BSD-2-Clause */
/* What vector.h gives, for an element type from source: a vector of VEC_ITEMS elements, of which the first `count` are
 * there. Where it has 16 bytes it is read and written at once. */
#if VEC_ITEMS * VALUE_BYTES == 16
typedef scan_raw16 loaded_t;
#define VECTOR_LOAD(pointer) vector_whole(LOAD_STREAM(pointer))
#else
typedef output_t loaded_t;
#define VECTOR_LOAD(pointer) vector_whole(*(pointer))
#endif
typedef loaded_t stored_t;

typedef union vector_items {
  loaded_t raw;
  output_t x[VEC_ITEMS];
} vector_items;

typedef struct raw_t {
  vector_items items;
  scan_u32 count;
} raw_t;

FUNC raw_t vector_whole(loaded_t raw) {
  raw_t v;
  v.items.raw = raw;
  v.count = VEC_ITEMS;
  return v;
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
  value_t sum = value_from(raw.items.x[0], raw.count > 0);
  UNROLL
  for (scan_u32 k = 1; k < VEC_ITEMS; k++)
    if (k < raw.count) sum = combine(sum, VALUE_OF(raw.items.x[k]));
  return sum;
}

FUNC vector_items vector_items_scan(const scan_job *job, raw_t raw, value_t start) {
  vector_items o;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) {
    const value_t next = combine(start, value_from(raw.items.x[k], k < raw.count));
    o.x[k] = OUTPUT_OF(job->inclusive ? next : start);
    start = next;
  }
  return o;
}

FUNC stored_t vector_scan(const scan_job *job, raw_t raw, value_t start) {
  return vector_items_scan(job, raw, start).raw;
}

FUNC raw_t vector_identity(void) {
  raw_t v;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) v.items.x[k] = value_none().v;
  v.count = 0;
  return v;
}

/* Elements past n are not there, and are not written. */
FUNC raw_t vector_load_guarded(const scan_job *job, scan_u64 first) {
  raw_t v = vector_identity();
  v.count = vector_count(job, first);
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < v.count) v.items.x[k] = job->in[first + k];
  return v;
}

FUNC void vector_store_guarded(const scan_job *job, scan_u64 first, stored_t raw) {
  const scan_u32 count = vector_count(job, first);
  GLOBAL output_t *out = job->out + first;
  vector_items o;
  o.raw = raw;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) out[k] = o.x[k];
}
