/* SPDX-License-Identifier: BSD-2-Clause */
/* tile_item.h and host_worker.inc for operators from source: how their values go through rows, tiles and threads. */
#include "device/host/host_source.h"

#include <sched.h>

#include "device/batch.h"
#include "device/host/host_block_loops.h"
#include "device/host/host_block_rows.h"
#include "device/host/host_prefix.h"
#include "device/host/host_rows.h"
#include "device/host/host_side.h"

enum { MOST_SUBTILES = 8 };

/* ---- tiles ---- */

static void subtile_reduce(const job *j, uint64_t first, value *total) {
  total->there = 0;
  if (scan_host_block_reads(j, first)) {
    scan_host_block_reduce(j, first, total);
    return;
  }
  if (scan_host_loops_read(j, first)) {
    scan_host_loops_reduce(j, first, total);
    return;
  }
  for (uint32_t r = 0; r < SUBTILE_ROWS && first < j->n; r++, first += j->row_items) {
    value row;
    scan_host_row_reduce(j, first, &row);
    append_value(j, total, &row);
  }
}

static void subtile_write(const job *j, uint64_t first, const value *tile, const value *before, value *total) {
  total->there = 0;
  if (scan_host_block_writes(j, first)) {
    scan_host_block_write(j, first, tile, before, total);
    return;
  }
  if (scan_host_loops_write(j, first, tile, before)) {
    scan_host_loops_results(j, first, tile, before, total);
    return;
  }
  for (uint32_t r = 0; r < SUBTILE_ROWS && first < j->n; r++, first += j->row_items) {
    value row;
    scan_host_row_write(j, first, (row_before){ tile, before, total }, &row);
    append_value(j, total, &row);
  }
}

/* From the last sub-tile back: what lies before the last one that a segment begins in is not part of the fold. */
static void tile_reduce(const job *j, uint64_t tile, value *aggregate) {
  const uint64_t first = tile * j->tile_items, items = SUBTILE_ROWS * j->row_items;
  const uint64_t rest = (j->n - first - 1) / items + 1;
  const uint32_t count = rest < j->subtiles ? (uint32_t)rest : j->subtiles;
  value subs[MOST_SUBTILES];
  uint32_t from = count;
  aggregate->there = 0;
  do {
    from--;
    subtile_reduce(j, first + from * items, &subs[from]);
  } while (from > 0 && !(subs[from].there & HEAD_WITHIN));
  for (; from < count; from++) append_value(j, aggregate, &subs[from]);
}

/* Writes a tile, and gives its aggregate. */
static void tile_write(const job *j, uint64_t tile, const value *prefix, value *aggregate) {
  uint64_t first = tile * j->tile_items;
  aggregate->there = 0;
  for (uint32_t q = 0; q < j->subtiles && first < j->n; q++, first += SUBTILE_ROWS * j->row_items) {
    value sub;
    subtile_write(j, first, prefix, aggregate, &sub);
    append_value(j, aggregate, &sub);
  }
}

/* ---- workers ---- */

_Static_assert(sizeof(running) <= HOST_PREFIX_BYTES, "the prefix does not fit");

static void prefix_of(const host_task *task, running *prefix) {
  value start;
  start_of(task, &start);
  prefix_start(prefix, &start);
}

/* As host_worker.inc: `values` turns from the tiles' aggregates into what comes before them. */
static void take_turn(host_task *task, const job *j, uint32_t chunk, uint64_t tiles, value *values) {
  running prefix;
  for (unsigned polls = 0; atomic_load_explicit(&task->turn, memory_order_acquire) != chunk; polls++)
    if (polls > 256) sched_yield();
  if (chunk == 0)
    prefix_of(task, &prefix);
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

/* The next chunk. */
static uint32_t claim(host_task *task) { return atomic_fetch_add_explicit(&task->ticket, 1, memory_order_relaxed); }

/* Whether a tile is written: of a total the last one, but where each step is checked. */
static int wanted(const job *j, uint64_t tile) { return j->stores || j->checks != NULL || tile + 1 == j->tiles; }

int scan_host_source_keeps(const scan_source *source, const host_block_kernel *block) {
  return source->loops.block_lanes != NULL || block->ops != NULL;
}

/* Working memory of a thread's own for what is known of a chunk when it has been read. */
static uint8_t *lanes_of(host_task *task) {
  if (task->turned == NULL || !scan_host_source_keeps(task->key->source, task->block)) return NULL;
  return task->turned + atomic_fetch_add_explicit(&task->seat, 1, memory_order_relaxed) * (size_t)HOST_SEAT_BYTES;
}

/* As host_worker.inc the next chunk is claimed before this one is written, which asks for its lines. */
static void threads(host_task *task) {
  job j = job_of(task);
  value values[HOST_CHUNK_TILES], aggregate;
  j.lanes = lanes_of(task);
  if (j.block.ops != NULL) scan_host_block_begin(&j);
  uint32_t chunk = claim(task);
  while ((uint64_t)chunk * HOST_CHUNK_TILES < j.tiles) {
    const uint64_t first = (uint64_t)chunk * HOST_CHUNK_TILES;
    const uint64_t tiles = j.tiles - first < HOST_CHUNK_TILES ? j.tiles - first : HOST_CHUNK_TILES;
    j.ahead_items = 0;
    for (uint64_t i = 0; i < tiles; i++) tile_reduce(&j, first + i, &values[i]);
    take_turn(task, &j, chunk, tiles, values);
    const uint32_t next = claim(task);
    j.ahead_items = (uint64_t)(next - chunk) * HOST_CHUNK_TILES * j.tile_items;
    for (uint64_t i = 0; i < tiles; i++)
      if (wanted(&j, first + i)) tile_write(&j, first + i, &values[i], &aggregate);
    chunk = next;
  }
  if (j.block.ops != NULL) scan_host_block_end(&j);
  scan_host_rows_end();
}

static void walk_all(const host_task *task, const job *j) {
  running prefix;
  prefix_of(task, &prefix);
  for (uint64_t tile = 0; tile < j->tiles; tile++) {
    value before, aggregate;
    prefix_value(j, &prefix, &before);
    if (wanted(j, tile))
      tile_write(j, tile, &before, &aggregate);
    else
      tile_reduce(j, tile, &aggregate);
    prefix_push(j, &prefix, &aggregate);
  }
}

static void alone(host_task *task) {
  job j = job_of(task);
  j.ahead_items = UINT64_C(2) * SUBTILE_ROWS * j.row_items;
  if (j.block.ops != NULL) {
    j.lanes = lanes_of(task);
    scan_host_block_begin(&j);
  }
  walk_all(task, &j);
  if (j.block.ops != NULL) scan_host_block_end(&j);
  scan_host_rows_end();
}

/* Many lines, task->share of them a claim. */
static void rows(host_task *task) {
  uint64_t words[ARRAY_WORDS];
  array_axis axis[ARRAY_OUTER_AXES];
  job j = job_of(task);
  memcpy(words, task->geometry, sizeof words);
  memcpy(axis, words + ARRAY_WORD_AXIS, sizeof axis);
  for (;;) {
    const uint64_t first = atomic_fetch_add_explicit(&task->ticket, 1, memory_order_relaxed) * task->share;
    if (first >= words[ARRAY_WORD_COUNT]) break;
    for (uint64_t line = first; line < first + task->share && line < words[ARRAY_WORD_COUNT]; line++) {
      const array_place place = scan_array_place(axis, words[ARRAY_WORD_AXES], line);
      j.in = task->in + place.in;
      j.out = task->out + place.out;
      j.index_start = task->args->steps[2] + place.index;
      walk_all(task, &j);
    }
  }
  scan_host_rows_end();
}

static void sequential(host_task *task) {
  const job j = job_of(task);
  value acc;
  start_of(task, &acc);
  for (uint64_t i = 0; i < j.n; i++) step(&j, i, &acc);
}

const host_kernel scan_host_source_kernel = {
  .threads = threads, .alone = alone, .sequential = sequential, .rows = rows
};

static uint64_t offset_at(const void *offsets, uint64_t offset_bytes, uint64_t k) {
  uint32_t narrow;
  uint64_t wide;
  if (offset_bytes == 8) {
    memcpy(&wide, (const uint8_t *)offsets + k * 8, sizeof wide);
    return wide;
  }
  memcpy(&narrow, (const uint8_t *)offsets + k * 4, sizeof narrow);
  return narrow;
}

/* The group's words; few groups where there are few words, since each looks for its first offset by halves. */
static void heads_of_offsets(const scan_kernel_args *args, uint64_t offset_bytes, uint32_t group, uint32_t groups) {
  enum { LEAST_WORDS = 1 << 10 };
  const void *offsets = host_bytes_of(args->marks);
  uint32_t *words = (void *)host_bytes_of(args->heads);
  const uint64_t all = (args->n + 31) / 32, part = (all + groups - 1) / groups;
  const uint64_t share = part > LEAST_WORDS ? part : LEAST_WORDS, first = group * share;
  if (first >= all) return;
  const uint64_t last = first + share < all ? first + share : all;
  const uint64_t begin = first * 32, stop = last * 32 < args->n ? last * 32 : args->n;
  uint64_t k = 0, end = args->count;
  while (k < end) {
    const uint64_t middle = k + (end - k) / 2;
    if (offset_at(offsets, offset_bytes, middle) < begin)
      k = middle + 1;
    else
      end = middle;
  }
  memset(words + first, 0, (size_t)(last - first) * sizeof words[0]);
  for (; k < args->count; k++) {
    const uint64_t at = offset_at(offsets, offset_bytes, k);
    if (at >= stop) break;
    if (at >= begin) words[at / 32] |= 1u << (at % 32);
  }
}

static void heads_of_u32(const scan_kernel_args *args, uint32_t group, uint32_t groups) {
  heads_of_offsets(args, 4, group, groups);
}
static void heads_of_u64(const scan_kernel_args *args, uint32_t group, uint32_t groups) {
  heads_of_offsets(args, 8, group, groups);
}
host_group *scan_host_heads(scan_type type) { return type == SCAN_U64 ? heads_of_u64 : heads_of_u32; }
