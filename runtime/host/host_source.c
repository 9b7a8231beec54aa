/* SPDX-License-Identifier: BSD-2-Clause */
/* tile_item.h and host_worker.inc for elements of any size, combined by a function of the caller's. A value knows
 * whether it is there, and what is not is passed over, as in kernels_cl/value_source.h. */
#include "host_source.h"

#include <sched.h>
#include <string.h>

#include "canonical.h"
#include "source.h"

enum { ROW_VECTORS = 32, SUBTILE_ROWS = 8 };

typedef struct value {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t bytes[SCAN_OP_MOST_BYTES];
  uint32_t there;
} value;

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
} job;

static job job_of(const host_task *task) {
  const uint64_t vector_items = canon_vector_items(scan_source_order_bytes(task->source));
  job j = { .source = task->source,
            .in = task->in,
            .out = task->out,
            .n = task->n,
            .vector_items = vector_items,
            .row_items = ROW_VECTORS * vector_items,
            .subtiles = task->subtiles,
            .inclusive = (task->flags & SCAN_KERNEL_INCLUSIVE) != 0 };
  j.tile_items = (uint64_t)j.subtiles * SUBTILE_ROWS * j.row_items;
  j.tiles = j.n / j.tile_items + (j.n % j.tile_items != 0);
  return j;
}

/* ---- values ---- */

static void clear(value *v) { v->there = 0; }

static void copy(const job *j, value *to, const value *from) {
  if (from->there) memcpy(to->bytes, from->bytes, j->source->bytes);
  to->there = from->there;
}

/* The element at i as a value. */
static void element(const job *j, uint64_t i, value *v) {
  const uint8_t *x = j->in + i * j->source->input_bytes;
  if (j->source->map != NULL)
    j->source->map_host(x, i, v->bytes);
  else
    memcpy(v->bytes, x, j->source->bytes);
  v->there = 1;
}

/* a becomes what a and b make, in this order; b is there. */
static void append(const job *j, value *a, const value *b) {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
  const void *from = b->bytes;
  if (a->there) {
    j->source->host(a->bytes, b->bytes, result);
    from = result;
  }
  memcpy(a->bytes, from, j->source->bytes);
  a->there = 1;
}

static void append_element(const job *j, value *a, uint64_t i) {
  value v;
  element(j, i, &v);
  append(j, a, &v);
}

/* a becomes what a and b make. */
static void append_value(const job *j, value *a, const value *b) {
  if (b->there) append(j, a, b);
}

/* b becomes what a and b make. */
static void prepend_value(const job *j, const value *a, value *b) {
  value sum;
  copy(j, &sum, a);
  append_value(j, &sum, b);
  copy(j, b, &sum);
}

/* `before` becomes what it and the element at i make, and the element's output is stored. */
static void step(const job *j, uint64_t i, value *before) {
  const scan_source *source = j->source;
  uint8_t *out = j->out + i * source->output_bytes;
  value next;
  copy(j, &next, before);
  append_element(j, &next, i);
  if (source->emit != NULL) {
    _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
    source->emit_host(next.bytes, before->bytes, j->in + i * source->input_bytes, i, result);
    memcpy(out, result, source->output_bytes);
  } else {
    memcpy(out, j->inclusive ? next.bytes : before->bytes, source->bytes);
  }
  copy(j, before, &next);
}

static void seed_of(const host_task *task, value *seed) {
  uint64_t words[1 + SCAN_SEED_MORE_WORDS] = { task->seed_bits };
  memcpy(words + 1, task->seed_more, sizeof words - sizeof words[0]);
  memcpy(seed->bytes, words, sizeof words);
  seed->there = (task->flags & SCAN_KERNEL_SEED) != 0;
}

/* ---- rows ---- */

/* The vectors of the row that begins at `first`, each folded left to right; returns how many have elements. */
static uint32_t row_vectors(const job *j, uint64_t first, value vectors[ROW_VECTORS]) {
  const uint64_t end = j->n - first < j->row_items ? j->n : first + j->row_items;
  uint64_t at = first;
  uint32_t count = 0;
  do { /* there is an element */
    clear(&vectors[count]);
    for (uint64_t k = 0; k < j->vector_items && at < end; k++) append_element(j, &vectors[count], at++);
    count++;
  } while (at < end);
  return count;
}

/* The balanced tree over the vectors, which are used up; in the first. */
static void row_tree(const job *j, value *vectors, uint32_t count) {
  for (; count > 1; count = (count + 1) / 2) {
    for (size_t l = 0; l < count / 2; l++) {
      append_value(j, &vectors[2 * l], &vectors[2 * l + 1]);
      if (l > 0) copy(j, &vectors[l], &vectors[2 * l]);
    }
    if (count % 2) copy(j, &vectors[count / 2], &vectors[count - 1]);
  }
}

/* Recursive doubling, from the last lane down so that each step sees the one before. */
static void row_lanes(const job *j, value *vectors, uint32_t count) {
  for (uint32_t d = 1; d < count; d *= 2)
    for (uint32_t l = count - 1; l >= d; l--) prepend_value(j, &vectors[l - d], &vectors[l]);
}

static void row_reduce(const job *j, uint64_t first, value *total) {
  value vectors[ROW_VECTORS];
  row_tree(j, vectors, row_vectors(j, first, vectors));
  copy(j, total, &vectors[0]);
}

/* Writes a row and gives its total. In place is right because an element is read before it is overwritten. */
static void row_write(const job *j, uint64_t first, const value *prefix, const value *sub_before,
                      const value *row_before, value *total) {
  value lanes[ROW_VECTORS];
  const uint32_t count = row_vectors(j, first, lanes);
  row_lanes(j, lanes, count);
  copy(j, total, &lanes[count - 1]);
  uint64_t at = first;
  for (uint32_t l = 0; l < count; l++) {
    value acc;
    clear(&acc);
    if (l > 0) copy(j, &acc, &lanes[l - 1]);
    prepend_value(j, row_before, &acc);
    prepend_value(j, sub_before, &acc);
    prepend_value(j, prefix, &acc);
    for (uint64_t k = 0; k < j->vector_items && at < j->n; k++) step(j, at++, &acc);
  }
}

/* ---- tiles ---- */

/* Reduces a tile, or with a prefix writes it and gives the same aggregate. */
static void tile_walk(const job *j, uint64_t tile, const value *prefix, value *aggregate) {
  uint64_t first = tile * j->tile_items;
  value all;
  clear(&all);
  for (uint32_t q = 0; q < j->subtiles; q++) {
    value sub;
    clear(&sub);
    for (uint32_t r = 0; r < SUBTILE_ROWS && first < j->n; r++, first += j->row_items) {
      value row;
      if (prefix != NULL)
        row_write(j, first, prefix, &all, &sub, &row);
      else
        row_reduce(j, first, &row);
      append_value(j, &sub, &row);
    }
    append_value(j, &all, &sub);
  }
  copy(j, aggregate, &all);
}

static void prefix_start(running *p, const host_task *task) {
  seed_of(task, &p->groups);
  for (int k = 0; k < CANON_GROUP_LEVELS; k++) clear(&p->run[k]);
  p->tile = 0;
}

static void prefix_value(const job *j, const running *p, value *before) {
  clear(before);
  for (int k = 0; k < CANON_GROUP_LEVELS; k++)
    if ((p->tile >> k) & 1u) prepend_value(j, &p->run[k], before);
  prepend_value(j, &p->groups, before);
}

static void prefix_push(const job *j, running *p, const value *aggregate) {
  value sum;
  int k = 0;
  copy(j, &sum, aggregate);
  for (; k < CANON_GROUP_LEVELS && ((p->tile >> k) & 1u); k++) prepend_value(j, &p->run[k], &sum);
  if (k < CANON_GROUP_LEVELS)
    copy(j, &p->run[k], &sum);
  else
    append_value(j, &p->groups, &sum);
  p->tile = (p->tile + 1) % CANON_GROUP_TILES;
}

/* ---- workers ---- */

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
    copy(j, &values[i], &before);
  }
  memcpy(task->prefix, &prefix, sizeof prefix);
  atomic_store_explicit(&task->turn, chunk + 1, memory_order_release);
}

static void threads(host_task *task) {
  const job j = job_of(task);
  value values[HOST_CHUNK_TILES], aggregate;
  for (;;) {
    const uint32_t chunk = atomic_fetch_add_explicit(&task->ticket, 1, memory_order_relaxed);
    const uint64_t first = (uint64_t)chunk * HOST_CHUNK_TILES;
    if (first >= j.tiles) return;
    const uint64_t tiles = j.tiles - first < HOST_CHUNK_TILES ? j.tiles - first : HOST_CHUNK_TILES;
    for (uint64_t i = 0; i < tiles; i++) tile_walk(&j, first + i, NULL, &values[i]);
    take_turn(task, &j, chunk, tiles, values);
    for (uint64_t i = 0; i < tiles; i++) tile_walk(&j, first + i, &values[i], &aggregate);
  }
}

static void alone(host_task *task) {
  const job j = job_of(task);
  running prefix;
  prefix_start(&prefix, task);
  for (uint64_t tile = 0; tile < j.tiles; tile++) {
    value before, aggregate;
    prefix_value(&j, &prefix, &before);
    tile_walk(&j, tile, &before, &aggregate);
    prefix_push(&j, &prefix, &aggregate);
  }
}

static void sequential(host_task *task) {
  const job j = job_of(task);
  value acc;
  seed_of(task, &acc);
  for (uint64_t i = 0; i < j.n; i++) step(&j, i, &acc);
}

const host_kernel host_source_kernel = { threads, alone, sequential };
