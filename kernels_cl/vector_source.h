/* SPDX-License-Identifier: BSD-2-Clause */
/* What vector.h gives, for an element type from source: a vector of VEC_ITEMS elements, of which the first `count` are
 * there. Where it has 16 bytes it is read and written at once. */
#if VEC_ITEMS * VALUE_BYTES == 16
typedef scan_raw16 loaded_t;
#define VECTOR_LOAD(pointer) VECTOR_LOADED(LOAD_STREAM(pointer))
#else
typedef output_t loaded_t;
#define VECTOR_LOAD(pointer) VECTOR_LOADED(*(pointer))
#endif
typedef loaded_t stored_t;

typedef union vector_items {
  loaded_t raw;
  output_t x[VEC_ITEMS];
  scan_u32 word[VALUE_WORDS * VEC_ITEMS];
} vector_items;
typedef vector_items input_vector;
typedef vector_items output_vector;

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
#define VECTOR_LOADED(loaded) vector_whole(loaded)
FUNC raw_t vector_cut(raw_t raw, scan_u32 count) {
  raw.count = count;
  return raw;
}

/* Where a tile is `whole`, a constant to the functions that take it, every element is there and nobody need ask. */
#define TILE_WHOLE(job, tile) ((tile + (scan_u64)1) * TILE_ITEMS <= (job)->n)
#define VECTOR_FOLD(raw, whole) vector_fold((whole) ? vector_cut((raw), VEC_ITEMS) : (raw))
#define VECTOR_SCAN(job, raw, start, whole) vector_scan((job), (whole) ? vector_cut((raw), VEC_ITEMS) : (raw), (start))

#if SCAN_SHUFFLE
#define WHOLE_SHUFFLE(shuffle, x, which, whole) shuffle##_known(x, which, whole)
#define SHUFFLE(name, known)                                                                                           \
  FUNC value_t known(value_t x, scan_u32 which, scan_u32 whole) {                                                      \
    value_words w = words_of(x.v);                                                                                     \
    UNROLL                                                                                                             \
    for (scan_u32 k = 0; k < VALUE_WORDS; k++) w.word[k] = name##_u32(w.word[k], which);                               \
    return value_from(w.v, whole ? 1 : name##_u32(x.there, which));                                                    \
  }                                                                                                                    \
  FUNC value_t name(value_t x, scan_u32 which) { return known(x, which, 0); }
SHUFFLE(shuffle_up, shuffle_up_known)
SHUFFLE(shuffle_down, shuffle_down_known)
SHUFFLE(shuffle_xor, shuffle_xor_known)
SHUFFLE(shuffle_from, shuffle_from_known)

/* a and b where the condition holds, else b. Where both are there the operator is applied anyway, and nobody sees what
 * it makes of them: with a branch in each step, rows would wait for each other. */
FUNC value_t combine_where(scan_u32 condition, value_t a, value_t b, scan_u32 whole) {
  if (!whole) return condition ? combine(a, b) : b;
  return VALUE_SELECT(condition, combine(VALUE_THERE(a), VALUE_THERE(b)), b);
}
#define COMBINE_WHERE(condition, a, b, whole) combine_where((condition), (a), (b), (whole))

/* `run` and, but in the first lane, y before the lane's vector. There y is the lane's own, which run precedes, too: the
 * operator sees nothing out of order, and nobody takes another way. */
FUNC value_t row_before(value_t run, value_t y, scan_u32 lane, scan_u32 whole) {
  if (!whole) return combine(run, lane ? y : IDENTITY);
  if (!run.there) return value_from(y.v, lane != 0);
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
