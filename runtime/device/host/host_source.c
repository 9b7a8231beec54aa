/* SPDX-License-Identifier: BSD-2-Clause */
/* tile_item.h and host_worker.inc for operators from source: how their values go through rows, tiles and threads. */
#include "device/host/host_source.h"

#include <sched.h>

#include "device/batch.h"
#include "device/host/host_values.h"

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

/* The running prefix: tile.h's scan_prefix. */
typedef struct running {
  value groups, run[CANON_GROUP_LEVELS];
  uint32_t tile;
} running;
_Static_assert(sizeof(running) <= HOST_PREFIX_BYTES, "the prefix does not fit");

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
      j.index_start = task->args->steps[2] + place.index;
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
