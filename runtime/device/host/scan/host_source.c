/* SPDX-License-Identifier: BSD-2-Clause */
/* tile_item.h and host_worker.inc for operators from source: rows, tiles and threads. */
#include "device/host/scan/host_source.h"

#include "device/batch.h"
#include "device/host/scan/simd_rows8_loops.h"
#include "device/host/scan/simd_rows8_scan.h"
#include "device/host/host_chain.h"
#include "device/host/scan/host_prefix.h"
#include "device/host/scan/host_rows.h"
#include "device/host/output_buffer.h"

enum { MOST_SUBTILES = 8 };

/* ---- tiles ---- */

static void subtile_reduce(const job *j, uint64_t first, value *total) {
  total->there = 0;
  if (scan_simd_rows8_reads(j, first)) {
    scan_simd_rows8_reduce(j, first, total);
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
  if (scan_simd_rows8_writes(j, first)) {
    scan_simd_rows8_write(j, first, tile, before, total);
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

/* Reduces a tile, from the last sub-tile backward: values before the last segment's beginning are not part of the
 * fold. */
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
  } while (from > 0 && !(subs[from].there & STARTS_WITHIN));
  for (; from < count; from++) append_value(j, aggregate, &subs[from]);
}

/* Writes a tile and sets its aggregate. */
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

/* A chunk that a thread has claimed. */
typedef struct source_chunk {
  host_link link;
  const job *job;
  uint64_t first, tiles;
  value values[HOST_CHUNK_TILES]; /* the tiles' aggregates; after folding the values before the tiles */
} source_chunk;

static void open_chunk(source_chunk *chunk) {
  const uint64_t first = chunk->link.number * HOST_CHUNK_TILES, left = chunk->job->tiles - first;
  chunk->first = first;
  chunk->tiles = left < HOST_CHUNK_TILES ? left : HOST_CHUNK_TILES;
}

/* The host_fold of sources, as in host_worker.inc. */
static void source_fold(void *work, host_link *link) {
  host_task *task = work;
  source_chunk *chunk = (void *)link;
  const job *j = chunk->job;
  running prefix;
  if (link->number == 0)
    prefix_of(task, &prefix);
  else
    memcpy(&prefix, task->prefix, sizeof prefix);
  for (uint64_t i = 0; i < chunk->tiles; i++) {
    value before;
    prefix_value(j, &prefix, &before);
    prefix_push(j, &prefix, &chunk->values[i]);
    copy(j, &chunk->values[i], &before);
  }
  memcpy(task->prefix, &prefix, sizeof prefix);
}

/* 1 if a tile is written: every tile, except that a total without overflow checks needs the last one alone. */
static int rows_wanted(const job *j, uint64_t tile) { return j->stores || j->checks != NULL || tile + 1 == j->tiles; }

int scan_host_source_keeps(const scan_source *source, const simd_rows8_kernel *block) {
  return source->loops.block_lanes != NULL || block->ops != NULL;
}

/* Returns the thread's scratch memory, which keeps results between the reading and the writing of a chunk; or NULL. */
static uint8_t *lanes_of(host_task *task, const host_thread *me) {
  if (task->thread_scratch == NULL || !scan_host_source_keeps(task->key->source, task->block)) return NULL;
  return task->thread_scratch + (size_t)me->thread_index * HOST_SCRATCH_BYTES;
}

/* The worker for several threads. As in host_worker.inc the next chunk is claimed before this one is written, so that
 * its lines can be prefetched. */
static void threads(host_task *task, host_thread *me) {
  job j = job_of(task);
  const uint64_t chunks = j.tiles / HOST_CHUNK_TILES + (j.tiles % HOST_CHUNK_TILES != 0);
  source_chunk chunk;
  value aggregate;
  chunk.job = &j;
  j.lanes = lanes_of(task, me);
  if (j.block.ops != NULL) scan_simd_rows8_begin(&j);
  int has_chunk = scan_host_claim(me, chunks, &chunk.link.number);
  while (has_chunk) {
    open_chunk(&chunk);
    j.ahead_items = 0;
    for (uint64_t i = 0; i < chunk.tiles; i++) tile_reduce(&j, chunk.first + i, &chunk.values[i]);
    scan_host_chain_pass(me, source_fold, task, &chunk.link);
    const uint64_t number = chunk.link.number;
    has_chunk = scan_host_claim(me, chunks, &chunk.link.number);
    j.ahead_items = (chunk.link.number - number) * HOST_CHUNK_TILES * j.tile_items;
    for (uint64_t i = 0; i < chunk.tiles; i++)
      if (rows_wanted(&j, chunk.first + i)) tile_write(&j, chunk.first + i, &chunk.values[i], &aggregate);
  }
  if (j.block.ops != NULL) scan_simd_rows8_end(&j);
  scan_host_rows_end();
}

static void walk_all(const host_task *task, const job *j) {
  running prefix;
  prefix_of(task, &prefix);
  for (uint64_t tile = 0; tile < j->tiles; tile++) {
    value before, aggregate;
    prefix_value(j, &prefix, &before);
    if (rows_wanted(j, tile))
      tile_write(j, tile, &before, &aggregate);
    else
      tile_reduce(j, tile, &aggregate);
    prefix_push(j, &prefix, &aggregate);
  }
}

static void alone(host_task *task, host_thread *me) {
  job j = job_of(task);
  j.ahead_items = UINT64_C(2) * SUBTILE_ROWS * j.row_items;
  if (j.block.ops != NULL) {
    j.lanes = lanes_of(task, me);
    scan_simd_rows8_begin(&j);
  }
  walk_all(task, &j);
  if (j.block.ops != NULL) scan_simd_rows8_end(&j);
  scan_host_rows_end();
}

/* The worker for many lines; claims task->share lines at a time. */
static void rows(host_task *task, host_thread *me) {
  uint64_t words[ARRAY_WORDS];
  array_axis axis[ARRAY_OUTER_AXES];
  job j = job_of(task);
  memcpy(words, task->geometry, sizeof words);
  memcpy(axis, words + ARRAY_WORD_AXIS, sizeof axis);
  const uint64_t lines = words[ARRAY_WORD_COUNT], claims = lines / task->share + (lines % task->share != 0);
  for (uint64_t claim; scan_host_claim(me, claims, &claim);) {
    const uint64_t first = claim * task->share;
    for (uint64_t line = first; line < first + task->share && line < lines; line++) {
      const array_place place = scan_array_place(axis, words[ARRAY_WORD_AXES], line);
      j.in = task->in + place.in;
      j.out = task->out + place.out;
      j.index_start = task->args->steps[2] + place.index;
      walk_all(task, &j);
    }
  }
  scan_host_rows_end();
}

static void sequential(host_task *task, host_thread *me) {
  (void)me;
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

/* Writes the group's words of bits. Few words use few groups, because each searches for its first offset. */
static void segment_bits_of_offsets(const scan_kernel_args *args, uint64_t offset_bytes, uint32_t group,
                                    uint32_t groups) {
  enum { LEAST_WORDS = 1 << 10 };
  const void *offsets = host_bytes_of(args->marks);
  uint32_t *words = (void *)host_bytes_of(args->segment_flags);
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

static void flags_of_u32(const scan_kernel_args *args, uint32_t group, uint32_t groups) {
  segment_bits_of_offsets(args, 4, group, groups);
}
static void flags_of_u64(const scan_kernel_args *args, uint32_t group, uint32_t groups) {
  segment_bits_of_offsets(args, 8, group, groups);
}
host_group *scan_host_segment_bits(scan_type type) { return type == SCAN_U64 ? flags_of_u64 : flags_of_u32; }

/* ---- segmented reductions ---- */

void scan_host_segment_gather(const scan_kernel_args *args, uint32_t group, uint32_t groups) {
  const unsigned char *begins = host_bytes_of(args->marks), *ends = host_bytes_of(args->ends);
  const unsigned char *values = host_bytes_of(args->out);
  unsigned char *totals = host_bytes_of(args->totals);
  const uint64_t offset_bytes = args->flags & SCAN_KERNEL_WIDE_OFFSETS ? 8 : 4, bytes = args->element_bytes;
  const uint64_t share = (args->count + groups - 1) / groups, first = group * share;
  uint64_t seed[1 + SCAN_SEED_MORE_WORDS], empty[1 + SCAN_SEED_MORE_WORDS];
  seed[0] = args->seed_bits;
  memcpy(seed + 1, args->seed_more, sizeof seed - sizeof seed[0]);
  scan_source_seed_output(args->predicate, bytes, seed, empty);
  for (uint64_t i = first; i < args->count && i < first + share; i++) {
    const uint64_t begin = offset_at(begins, offset_bytes, i), end = offset_at(ends, offset_bytes, i);
    const uint64_t last = end <= args->n ? end : args->n;
    if (begin < last)
      memcpy(totals + i * bytes, values + (last - 1) * bytes, bytes);
    else if (args->flags & SCAN_KERNEL_STARTS)
      memcpy(totals + i * bytes, empty, bytes);
  }
}
