/* SPDX-License-Identifier: BSD-2-Clause */
/* tile_item.h and host_worker.inc for elements of any size, combined by a function of the caller's. A value has a flag
 * that says whether it is there, and missing ones are skipped, as in kernels_cl/value_source.h. */
#include "device/host/host_source.h"

#include <sched.h>
#include <string.h>

#include "device/batch.h"
#include "base/canonical.h"
#include "device/source.h"
#include "base/types.h"

enum { ROW_VECTORS = 32, SUBTILE_ROWS = 8 };

/* The work on an element is compiled once for each line of KNOWN below. */
#define INLINE static inline __attribute__((always_inline))

/* What is known of an operator: the size of a value, and that it is the sum of a type; 0: not known. */
typedef struct known {
  uint32_t bytes;
  scan_type sum;
} known;
#define BYTES(op, j) ((op).bytes != 0 ? (op).bytes : (j)->source->bytes)

typedef struct value {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t bytes[SCAN_OP_MOST_BYTES];
  uint32_t there; /* with HEAD_WITHIN where a segment begins in what the value covers */
} value;
enum { HEAD_WITHIN = 2 };

/* The running prefix: tile.h's scan_prefix. */
typedef struct running {
  value groups, run[CANON_GROUP_LEVELS];
  uint32_t tile;
} running;
_Static_assert(sizeof(running) <= HOST_PREFIX_BYTES, "the prefix does not fit");

typedef struct job {
  const scan_source *source;
  const uint8_t *in;
  uint8_t *out;
  uint64_t n, tiles, vector_items, row_items, tile_items;
  uint32_t subtiles;
  int inclusive;
  const uint8_t *heads; /* as in host_task */
  uint32_t segments;
  uint64_t key_bytes;
  int keys_are_float;
  uint64_t key_infinity; /* its bits */
  value seed;            /* of each segment */
  value start;           /* of the scan */
  int first_begins, first_clears, stores, keeps, plus_zero;
  uint8_t *keep;
  int64_t in_step, out_step;       /* in bytes */
  int64_t index_start, index_step; /* of the array that the scan is a line of: the first one in memory, the next */
  int turned;                      /* element 0 is the last in memory */
  uint64_t origin;           /* as in host_task */
  _Atomic uint32_t *checks;
} job;

INLINE void seed_of(const host_task *task, value *seed) {
  uint64_t words[1 + SCAN_SEED_MORE_WORDS] = { task->seed_bits };
  memcpy(words + 1, task->seed_more, sizeof words - sizeof words[0]);
  memcpy(seed->bytes, words, sizeof words);
  seed->there = (task->flags & SCAN_KERNEL_SEED) != 0;
}

/* What the scan begins with. */
INLINE void start_of(const host_task *task, value *start) {
  seed_of(task, start);
  if (task->carry == NULL) return;
  memcpy(start->bytes, task->carry, task->source->bytes);
  start->there = 1;
}

INLINE job job_of(const host_task *task) {
  const uint64_t vector_items = canon_vector_items(scan_source_order_bytes(task->source));
  job j = { .source = task->source,
            .in = task->in,
            .out = task->out,
            .n = task->n,
            .vector_items = vector_items,
            .row_items = ROW_VECTORS * vector_items,
            .subtiles = task->subtiles,
            .inclusive = (task->flags & SCAN_KERNEL_INCLUSIVE) != 0,
            .heads = task->heads,
            .checks = task->checks,
            .segments = task->segments,
            .key_bytes = scan_type_bytes(task->key_type),
            .keys_are_float = scan_type_is_float(task->key_type),
            .key_infinity = scan_identity_bits(task->key_type, SCAN_MIN) };
  seed_of(task, &j.seed);
  start_of(task, &j.start);
  j.first_begins = (task->flags & SCAN_KERNEL_CONTINUES) == 0;
  j.first_clears = (task->flags & SCAN_KERNEL_UNMARKED) != 0;
  j.stores = (task->flags & SCAN_KERNEL_TOTAL) == 0;
  j.keeps = (task->flags & (SCAN_KERNEL_KEEP | SCAN_KERNEL_TOTAL)) != 0;
  j.plus_zero = (task->flags & SCAN_KERNEL_PLUS_ZERO) != 0;
  j.keep = task->flags & SCAN_KERNEL_KEEP ? task->keep : NULL;
  j.in_step = (task->steps != NULL ? task->steps[0] : 1) * (int64_t)task->source->input_bytes;
  j.out_step = (task->steps != NULL ? task->steps[1] : 1) * (int64_t)task->source->output_bytes;
  j.index_start = task->steps != NULL ? task->steps[2] : 0;
  j.index_step = task->steps != NULL ? task->steps[3] : 1;
  j.origin = task->origin;
  j.turned = (task->flags & SCAN_KERNEL_TURNED) != 0;
  j.tile_items = (uint64_t)j.subtiles * SUBTILE_ROWS * j.row_items;
  j.tiles = j.n / j.tile_items + (j.n % j.tile_items != 0);
  return j;
}

/* ---- values ---- */

#define SUM(T)                                                                                                         \
  do {                                                                                                                 \
    T x, y;                                                                                                            \
    memcpy(&x, a, sizeof x);                                                                                           \
    memcpy(&y, b, sizeof y);                                                                                           \
    x = x + y;                                                                                                         \
    memcpy(result, &x, sizeof x);                                                                                      \
  } while (0)

INLINE void apply(known op, const job *j, const void *a, const void *b, void *result) {
  switch (op.sum) {
  case SCAN_U32: SUM(uint32_t); break;
  case SCAN_U64: SUM(uint64_t); break;
  case SCAN_F32: SUM(float); break;
  case SCAN_F64: SUM(double); break;
  default: j->source->host(a, b, result, j->source->user);
  }
}

INLINE void clear(known op, value *v) {
  memset(v->bytes, 0, op.bytes); /* which nobody reads */
  v->there = 0;
}

INLINE void copy(known op, const job *j, value *to, const value *from) {
  if (from->there) memcpy(to->bytes, from->bytes, BYTES(op, j));
  to->there = from->there;
}

/* The same for a value that is there, whether or not the compiler sees it. */
INLINE void copy_there(known op, const job *j, value *to, const value *from) {
  memcpy(to->bytes, from->bytes, BYTES(op, j));
  to->there = from->there;
}

INLINE uint64_t key_at(const job *j, uint64_t i) {
  const uint8_t *at = j->heads + i * j->key_bytes;
  uint32_t word;
  uint16_t half;
  uint64_t bits;
  switch (j->key_bytes) {
  case 1: return *at;
  case 2: memcpy(&half, at, sizeof half); return half;
  case 4: memcpy(&word, at, sizeof word); return word;
  default: memcpy(&bits, at, sizeof bits); return bits;
  }
}

/* Compares bits, as segments_source.h does, so that denormal keys are not flushed to zero. */
INLINE int keys_differ(const job *j, uint64_t a, uint64_t b) {
  const uint64_t positive = UINT64_MAX >> (65 - 8 * j->key_bytes);
  if (!j->keys_are_float) return a != b;
  return a != b ? ((a | b) & positive) != 0 : (a & positive) > j->key_infinity;
}

INLINE const uint8_t *input_at(const job *j, uint64_t i) { return j->in + (int64_t)i * j->in_step; }

/* The index that maps and emits see of the element at i. */
INLINE uint64_t place(const job *j, uint64_t i) { return j->origin + (j->turned ? j->n - 1 - i : i); }

/* Its index in the array that the scan is a line of. */
INLINE uint64_t index_of(const job *j, uint64_t i) { return (uint64_t)(j->index_start + (int64_t)i * j->index_step); }

/* Whether a segment begins with the element at i: turned over, where one ends in memory. */
INLINE int begins(const job *j, uint64_t i) {
  uint32_t word;
  if (i == 0 && (j->first_begins || j->first_clears)) return j->first_begins;
  i = index_of(j, j->turned ? j->n - i : i);
  switch (j->segments) {
  case SCAN_SEGMENTS_FLAGS: return j->heads[i] != 0;
  case SCAN_SEGMENTS_BITS: memcpy(&word, j->heads + i / 32 * 4, sizeof word); return word >> (i % 32) & 1;
  default: return keys_differ(j, key_at(j, i - (uint64_t)j->index_step), key_at(j, i));
  }
}

INLINE void mapped(known op, const job *j, uint64_t i, value *v) {
  const uint8_t *x = input_at(j, i);
  if (j->source->map != NULL)
    j->source->map_host(x, place(j, i), v->bytes, j->source->user);
  else
    memcpy(v->bytes, x, BYTES(op, j));
  v->there = 1;
}

/* The element at i as a value; of the first of a segment, with the seed before it. */
INLINE void element(known op, const job *j, uint64_t i, value *v) {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
  mapped(op, j, i, v);
  if (j->segments == SCAN_SEGMENTS_NONE || !begins(j, i)) return;
  v->there |= HEAD_WITHIN;
  if (!j->seed.there) return;
  apply(op, j, j->seed.bytes, v->bytes, result);
  memcpy(v->bytes, result, BYTES(op, j));
}

/* a becomes what a and b make, in this order; b is there. */
INLINE void append(known op, const job *j, value *a, const value *b) {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
  if (!a->there || b->there & HEAD_WITHIN) {
    copy(op, j, a, b);
    return;
  }
  apply(op, j, a->bytes, b->bytes, result);
  memcpy(a->bytes, result, BYTES(op, j));
}

INLINE void append_element(known op, const job *j, value *a, uint64_t i) {
  value v;
  element(op, j, i, &v);
  append(op, j, a, &v);
}

/* a becomes what a and b make. */
INLINE void append_value(known op, const job *j, value *a, const value *b) {
  if (b->there) append(op, j, a, b);
}

/* b becomes what a and b make. */
INLINE void prepend_value(known op, const job *j, const value *a, value *b) {
  value sum;
  if (!a->there) return;
  copy_there(op, j, &sum, a);
  append_value(op, j, &sum, b);
  copy_there(op, j, b, &sum);
}

/* Notes an overflow of the step from `before` with the element at i, as overflow_source.h. */
INLINE void check(known op, const job *j, uint64_t i, const value *before) {
  enum { SHIFT = 31 };
  value x;
  mapped(op, j, i, &x);
  if (!before->there || !j->source->overflows_host(before->bytes, x.bytes)) return;
  if (!j->inclusive && ++i >= j->n && j->keep == NULL) return;
  if (!j->inclusive && i < j->n && j->segments != SCAN_SEGMENTS_NONE && begins(j, i)) return;
  i = index_of(j, i);
  const uint32_t place = (uint32_t)(i & ((UINT64_C(1) << SHIFT) - 1));
  uint32_t least = atomic_load_explicit(&j->checks[i >> SHIFT], memory_order_relaxed);
  while (place < least && !atomic_compare_exchange_weak(&j->checks[i >> SHIFT], &least, place)) {}
}

/* Stores the output of the element at i; of a total, which has one, at its begin. */
INLINE void store(known op, const job *j, uint64_t i, const value *before, const value *next) {
  const scan_source *source = j->source;
  uint8_t *out = j->stores ? j->out + (int64_t)i * j->out_step : j->out;
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
  if (source->emit == NULL) {
    memcpy(out, j->inclusive ? next->bytes : before->bytes, BYTES(op, j));
    return;
  }
  source->emit_host(next->bytes, before->bytes, input_at(j, i), place(j, i), result, source->user);
  memcpy(out, result, source->output_bytes);
}

/* `before` becomes what it and the element at i make, and the element's output is stored. */
INLINE void step(known op, const job *j, uint64_t i, value *before) {
  const int is_last = j->keeps && i + 1 == j->n;
  value next, x;
  element(op, j, i, &x);
  copy(op, j, &next, before);
  append(op, j, &next, &x);
  if (x.there & HEAD_WITHIN) copy(op, j, before, &j->seed);
  if (j->plus_zero && memcmp(before->bytes, j->seed.bytes, BYTES(op, j)) == 0)
    memset(before->bytes, 0, BYTES(op, j)); /* the seed is -0.0 */
  if (j->checks != NULL) check(op, j, i, before);
  if (is_last && j->keep != NULL) memcpy(j->keep, next.bytes, BYTES(op, j));
  if (j->stores || is_last) store(op, j, i, before, &next);
  copy(op, j, before, &next);
}

/* ---- rows ---- */

/* The vectors of the row that begins at `first`, each folded left to right; returns how many have elements. */
INLINE uint32_t row_vectors(known op, const job *j, uint64_t first, value vectors[ROW_VECTORS]) {
  const uint64_t end = j->n - first < j->row_items ? j->n : first + j->row_items;
  uint64_t at = first;
  uint32_t count = 0;
  do { /* there is an element */
    clear(op, &vectors[count]);
    for (uint64_t k = 0; k < j->vector_items && at < end; k++) append_element(op, j, &vectors[count], at++);
    count++;
  } while (at < end);
  return count;
}

/* The balanced tree over the vectors, which are used up; in the first. */
INLINE void row_tree(known op, const job *j, value *vectors, uint32_t count) {
  for (; count > 1; count = (count + 1) / 2) {
    for (size_t l = 0; l < count / 2; l++) {
      append_value(op, j, &vectors[2 * l], &vectors[2 * l + 1]);
      if (l > 0) copy(op, j, &vectors[l], &vectors[2 * l]);
    }
    if (count % 2) copy(op, j, &vectors[count / 2], &vectors[count - 1]);
  }
}

/* Recursive doubling, from the last lane down so that each step sees the one before. */
INLINE void row_lanes(known op, const job *j, value *vectors, uint32_t count) {
  for (uint32_t d = 1; d < count; d *= 2)
    for (uint32_t l = count - 1; l >= d; l--) prepend_value(op, j, &vectors[l - d], &vectors[l]);
}

INLINE void row_reduce(known op, const job *j, uint64_t first, value *total) {
  value vectors[ROW_VECTORS];
  row_tree(op, j, vectors, row_vectors(op, j, first, vectors));
  copy_there(op, j, total, &vectors[0]);
}

/* Writes a row and gives its total. In place is right because an element is read before it is overwritten. */
INLINE void row_write(known op, const job *j, uint64_t first, const value *prefix, const value *sub_before,
                      const value *row_before, value *total) {
  value lanes[ROW_VECTORS];
  const uint32_t count = row_vectors(op, j, first, lanes);
  row_lanes(op, j, lanes, count);
  copy_there(op, j, total, &lanes[count - 1]);
  uint64_t at = first;
  for (uint32_t l = 0; l < count; l++) {
    value acc;
    clear(op, &acc);
    if (l > 0) copy(op, j, &acc, &lanes[l - 1]);
    prepend_value(op, j, row_before, &acc);
    prepend_value(op, j, sub_before, &acc);
    prepend_value(op, j, prefix, &acc);
    for (uint64_t k = 0; k < j->vector_items && at < j->n; k++) step(op, j, at++, &acc);
  }
}

/* ---- tiles ---- */

/* Reduces a tile, or with a prefix writes it and gives the same aggregate. */
INLINE void tile_walk(known op, const job *j, uint64_t tile, const value *prefix, value *aggregate) {
  uint64_t first = tile * j->tile_items;
  value all;
  clear(op, &all);
  for (uint32_t q = 0; q < j->subtiles; q++) {
    value sub;
    clear(op, &sub);
    for (uint32_t r = 0; r < SUBTILE_ROWS && first < j->n; r++, first += j->row_items) {
      value row;
      if (prefix != NULL)
        row_write(op, j, first, prefix, &all, &sub, &row);
      else
        row_reduce(op, j, first, &row);
      append_value(op, j, &sub, &row);
    }
    append_value(op, j, &all, &sub);
  }
  copy(op, j, aggregate, &all);
}

/* ---- the running prefix, which is handled once a tile ---- */

static const known any = { 0, SCAN_TYPE_DEFAULT };

static void prefix_start(running *p, const host_task *task) {
  start_of(task, &p->groups);
  for (int k = 0; k < CANON_GROUP_LEVELS; k++) p->run[k].there = 0;
  p->tile = 0;
}

static void prefix_value(const job *j, const running *p, value *before) {
  clear(any, before);
  for (int k = 0; k < CANON_GROUP_LEVELS; k++)
    if ((p->tile >> k) & 1u) prepend_value(any, j, &p->run[k], before);
  prepend_value(any, j, &p->groups, before);
}

static void prefix_push(const job *j, running *p, const value *aggregate) {
  value sum;
  int k = 0;
  copy(any, j, &sum, aggregate);
  for (; k < CANON_GROUP_LEVELS && ((p->tile >> k) & 1u); k++) prepend_value(any, j, &p->run[k], &sum);
  if (k < CANON_GROUP_LEVELS)
    copy(any, j, &p->run[k], &sum);
  else
    append_value(any, j, &p->groups, &sum);
  p->tile = (p->tile + 1) % CANON_GROUP_TILES;
}

/* ---- workers ---- */

/* tile_walk for what is known of an operator. */
typedef void walker(const job *j, uint64_t tile, const value *prefix, value *aggregate);

/* As host_worker.inc: `values` turns from the tiles' aggregates into what comes before them. */
static void take_turn(host_task *task, const job *j, uint32_t chunk, uint64_t tiles, value *values) {
  running prefix;
  for (unsigned polls = 0; atomic_load_explicit(&task->turn, memory_order_acquire) != chunk; polls++)
    if (polls > 256) sched_yield();
  if (chunk == 0)
    prefix_start(&prefix, task);
  else
    memcpy(&prefix, task->prefix, sizeof prefix);
  for (uint64_t i = 0; i < tiles; i++) {
    value before;
    prefix_value(j, &prefix, &before);
    prefix_push(j, &prefix, &values[i]);
    copy(any, j, &values[i], &before);
  }
  memcpy(task->prefix, &prefix, sizeof prefix);
  atomic_store_explicit(&task->turn, chunk + 1, memory_order_release);
}

/* Whether a tile is written: of a total the last one, but where each step is checked. */
static int wanted(const job *j, uint64_t tile) { return j->stores || j->checks != NULL || tile + 1 == j->tiles; }

static void threads(host_task *task, walker *walk) {
  const job j = job_of(task);
  value values[HOST_CHUNK_TILES], aggregate;
  for (;;) {
    const uint32_t chunk = atomic_fetch_add_explicit(&task->ticket, 1, memory_order_relaxed);
    const uint64_t first = (uint64_t)chunk * HOST_CHUNK_TILES;
    if (first >= j.tiles) return;
    const uint64_t tiles = j.tiles - first < HOST_CHUNK_TILES ? j.tiles - first : HOST_CHUNK_TILES;
    for (uint64_t i = 0; i < tiles; i++) walk(&j, first + i, NULL, &values[i]);
    take_turn(task, &j, chunk, tiles, values);
    for (uint64_t i = 0; i < tiles; i++)
      if (wanted(&j, first + i)) walk(&j, first + i, &values[i], &aggregate);
  }
}

static void walk_all(const host_task *task, const job *j, walker *walk) {
  running prefix;
  prefix_start(&prefix, task);
  for (uint64_t tile = 0; tile < j->tiles; tile++) {
    value before, aggregate;
    prefix_value(j, &prefix, &before);
    walk(j, tile, wanted(j, tile) ? &before : NULL, &aggregate);
    prefix_push(j, &prefix, &aggregate);
  }
}

static void alone(host_task *task, walker *walk) {
  const job j = job_of(task);
  walk_all(task, &j, walk);
}

/* Many lines, task->share of them a claim. */
static void rows(host_task *task, walker *walk) {
  uint64_t words[ARRAY_WORDS];
  array_axis axis[ARRAY_OUTER_AXES];
  job j = job_of(task);
  memcpy(words, task->geometry, sizeof words);
  memcpy(axis, words + ARRAY_WORD_AXIS, sizeof axis);
  for (;;) {
    const uint64_t first = atomic_fetch_add_explicit(&task->ticket, 1, memory_order_relaxed) * task->share;
    if (first >= words[ARRAY_WORD_COUNT]) return;
    for (uint64_t line = first; line < first + task->share && line < words[ARRAY_WORD_COUNT]; line++) {
      const array_place place = scan_array_place(axis, words[ARRAY_WORD_AXES], line);
      j.in = task->in + place.in;
      j.out = task->out + place.out;
      j.index_start = task->steps[2] + place.index;
      walk_all(task, &j, walk);
    }
  }
}

static void sequential(host_task *task) {
  const job j = job_of(task);
  value acc;
  start_of(task, &acc);
  for (uint64_t i = 0; i < j.n; i++) step(any, &j, i, &acc);
}

/* X(name, bytes of a value, the type whose sum it is) */
#define KNOWN(X)                                                                                                       \
  X(any, 0, SCAN_TYPE_DEFAULT)                                                                                         \
  X(bytes4, 4, SCAN_TYPE_DEFAULT)                                                                                      \
  X(bytes8, 8, SCAN_TYPE_DEFAULT)                                                                                      \
  X(sum_u32, 4, SCAN_U32)                                                                                              \
  X(sum_u64, 8, SCAN_U64)                                                                                              \
  X(sum_f32, 4, SCAN_F32)                                                                                              \
  X(sum_f64, 8, SCAN_F64)

#define DEFINE(NAME, BYTES_, SUM_TYPE)                                                                                 \
  static void walk_##NAME(const job *j, uint64_t tile, const value *prefix, value *aggregate) {                        \
    tile_walk((known){ BYTES_, SUM_TYPE }, j, tile, prefix, aggregate);                                                \
  }                                                                                                                    \
  static void threads_##NAME(host_task *task) { threads(task, walk_##NAME); }                                          \
  static void alone_##NAME(host_task *task) { alone(task, walk_##NAME); }                                              \
  static void rows_##NAME(host_task *task) { rows(task, walk_##NAME); }
KNOWN(DEFINE)

static const struct {
  known what;
  host_kernel kernel;
} kernels[] = {
#define ROW(NAME, BYTES_, SUM_TYPE)                                                                                    \
  { { BYTES_, SUM_TYPE },                                                                                              \
    { .threads = threads_##NAME, .alone = alone_##NAME, .sequential = sequential, .rows = rows_##NAME } },
  KNOWN(ROW)
};

const host_kernel *scan_host_source_find(const scan_source *source) {
  const host_kernel *found = &kernels[0].kernel;
  for (size_t i = 1; i < sizeof kernels / sizeof kernels[0]; i++)
    if (kernels[i].what.bytes == source->bytes &&
        (kernels[i].what.sum == SCAN_TYPE_DEFAULT || kernels[i].what.sum == source->sum))
      found = &kernels[i].kernel;
  return found;
}

void scan_host_heads_of_offsets(const void *offsets, uint64_t offset_bytes, uint64_t count, uint64_t n,
                                uint32_t *words) {
  memset(words, 0, (size_t)((n + 31) / 32) * sizeof words[0]);
  for (uint64_t k = 0; k < count; k++) {
    uint32_t narrow;
    uint64_t at;
    memcpy(&narrow, (const uint8_t *)offsets + k * offset_bytes, sizeof narrow);
    at = narrow;
    if (offset_bytes == 8) memcpy(&at, (const uint8_t *)offsets + k * 8, sizeof at);
    if (at < n) words[at / 32] |= 1u << (at % 32);
  }
}
