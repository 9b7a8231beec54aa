/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/select/host_reduce.h"

#include <string.h>

#include "device/host/scan/simd_rows8_scan.h"
#include "device/host/host_chain.h"
#include "device/host/output_buffer.h"
#include "device/host/host_stream.h"
#include "kernels_cl/select/select.h"

/* A chunk's keys, values and results stay in the second-level cache. */
enum { CHUNK_ITEMS = 16384, LEAST_BLOCK_ITEMS = BLOCK_BYTES / 8, MOST_TILES = CHUNK_ITEMS / LEAST_BLOCK_ITEMS };
enum { CHUNKS_A_THREAD = 4, MOST_WORDS = BLOCK_BYTES / 4 / 32, FEW = 4 };
_Static_assert(CHUNK_ITEMS * 8 + COMPRESS_STORE_OVER_BYTES <= HOST_SELECT_AREA_BYTES,
               "a chunk's results fit in an area");

/* ---- kernels and launches ---- */

host_reduce scan_host_reduce_find(const scan_kernel_key *key, uint32_t register_bytes) {
  scan_kernel_key mark = *key;
  if (strcmp(key->kernel, "select_threads_reduce") != 0) return (host_reduce){ .mark = NULL };
  mark.kernel = "select_runs";
  return (host_reduce){ .mark = scan_host_primitive_find(&mark, register_bytes),
                        .stores = scan_compress_stores_for(register_bytes),
                        .block = scan_simd_rows8_find(key->source, register_bytes),
                        .source = key->source,
                        .key_type = key->type };
}

/* Describes the scan of the values. The order of operations is that of the launch's n, whatever n_from holds. */
static job job_of_runs(const host_reduce *how, const scan_kernel_args *args) {
  const uint64_t bytes = how->source->bytes;
  job j = { .source = how->source,
            .block = how->block,
            .in = host_bytes_of(args->in),
            .in_step = (int64_t)bytes,
            .vector_items = canon_vector_items(bytes),
            .subtiles = canon_subtiles(args->n, bytes),
            .segment_flags = host_bytes_of(args->marks),
            .segments = SCAN_SEGMENTS_KEYS,
            .key_bytes = scan_type_bytes(how->key_type),
            .keys_are_float = scan_type_is_float(how->key_type),
            .key_infinity = scan_identity_bits(how->key_type, SCAN_MIN),
            .first_is_start = 1,
            .index_step = 1 };
  j.row_items = ROW_VECTORS * j.vector_items;
  j.tile_items = (uint64_t)j.subtiles * SUBTILE_ROWS * j.row_items;
  return j;
}

/* A chunk has whole tiles, of values and of marks; with few elements every thread gets some. */
static uint32_t chunk_items_of(const host_reduce_task *task, unsigned threads) {
  uint64_t items = task->job.tile_items > SELECT_TILE_ITEMS ? task->job.tile_items : SELECT_TILE_ITEMS;
  while (2 * items <= CHUNK_ITEMS && 2 * items * CHUNKS_A_THREAD * threads <= task->n) items *= 2;
  return (uint32_t)items;
}

void scan_host_reduce_open(host_reduce_task *task, const host_reduce *how, const scan_kernel_args *args,
                           uint8_t *thread_scratch, unsigned threads) {
  static const value nothing = { .there = 0 };
  task->how = how;
  task->args = args;
  task->thread_scratch = thread_scratch;
  task->job = job_of_runs(how, args);
  task->n = scan_host_select_items(args);
  task->chunk_items = chunk_items_of(task, threads);
  task->chunks = task->n / task->chunk_items + (task->n % task->chunk_items != 0);
  task->key_bytes = (uint32_t)task->job.key_bytes;
  task->stream_keys = scan_host_select_stream(how->stores, task->n * task->key_bytes);
  task->stream_values = scan_host_select_stream(how->stores, task->n * how->source->bytes);
  task->place = 0;
  prefix_start(&task->prefix, &nothing);
}

void scan_host_reduce_close(const host_reduce_task *task) { scan_host_select_report(task->args, task->place); }

/* ---- a sub-tile ---- */

typedef struct block {
  simd_rows8 x;
  uint64_t first;
  uint32_t items;
  uint32_t ends[MOST_WORDS], count; /* bits of runs' last elements, and their number */
} block;

static uint32_t block_items(const job *j) { return (uint32_t)(SUBTILE_ROWS * j->row_items); }

/* Loads a block's bits of runs' last elements; bits past n are 0. */
static void open_block(const host_reduce_task *task, uint64_t first, block *b) {
  const uint32_t all = block_items(&task->job);
  b->first = first;
  b->items = task->n - first < all ? (uint32_t)(task->n - first) : all;
  memset(b->ends, 0, sizeof b->ends);
  memcpy(b->ends, host_bytes_of(task->args->segment_flags) + first / 8, (b->items + 31) / 32 * sizeof b->ends[0]);
  b->count = (uint32_t)task->how->stores->count(&(host_marked){ .words = b->ends, .items = all });
}

/* Transposes the array's last elements; elements past n are 0. */
static __attribute__((noinline)) void turn_rest(const job *j, const simd_rows8_between *between, block *b) {
  simd_rows8 cut;
  memset(cut.bytes, 0, sizeof cut.bytes);
  memcpy(cut.bytes, input_at(j, b->first), (size_t)b->items * j->source->bytes);
  j->block.transpose->in(&b->x, cut.bytes, between);
}

/* Transposes the block's elements. `ahead`: number of elements to the thread's next chunk. */
static void turn_block(const host_reduce_task *task, uint64_t ahead, block *b) {
  const job *j = &task->job;
  const uint64_t later = b->first + ahead;
  const uint8_t *const from = input_at(j, b->first);
  const simd_rows8_between between = { .next = (uintptr_t)from + BLOCK_BYTES,
                                       .later = later < task->n ? (uintptr_t)input_at(j, later) : 0 };
  if (b->items < block_items(j))
    turn_rest(j, &between, b);
  else
    j->block.transpose->in(&b->x, from, &between);
}

/* Appends the block's total to *before. */
static void append_block(const job *j, simd_rows8_value *before, const simd_rows8_value *total) {
  simd_rows8_value sum = *total;
  if (before->there && !total->starts_segment) apply(j, before->bytes, total->bytes, sum.bytes);
  sum.starts_segment |= before->starts_segment;
  *before = sum;
}

/* Handles a block in which no run ends or begins. */
static void pass_block(const job *j, const block *b, simd_rows8_runs *runs) {
  simd_rows8_value total;
  j->block.ops->fold(&b->x, NULL, &total);
  append_block(j, &runs->before, &total);
}

/* Leaves the first result open if its run began before the tile. */
static void leave_open(const job *j, const block *b, simd_rows8_runs *runs) {
  uint32_t first[MOST_WORDS] = { 0 }, w = 0;
  simd_rows8_runs only = *runs;
  if (runs->starts_run || runs->before.starts_segment) return;
  while (b->ends[w] == 0) w++;
  first[w] = b->ends[w] & (0 - b->ends[w]);
  j->block.ops->runs(&b->x, first, &only);
  runs->open = only.open;
}

/* Sets the bits of runs' first elements: they follow the last ones. A tile's first element counts as one, because the
 * value before it is not known yet. */
static void block_flags(const job *j, const block *b, const simd_rows8_runs *runs, simd_rows8_flags *segment_flags) {
  uint32_t bits[MOST_WORDS], before = runs->starts_run;
  for (uint32_t w = 0; w < MOST_WORDS; w++) {
    bits[w] = b->ends[w] << 1 | before;
    before = b->ends[w] >> 31;
  }
  scan_simd_rows8_transpose_flags(segment_flags, (const void *)bits, j->block.ops->part_bytes,
                                  (uint32_t)j->vector_items);
  if (!runs->before.there) *(uint8_t *)segment_flags->elements |= 1;
}

/* Handles a block in which many runs end: scans all elements, and compacts the results of those that end runs. The
 * results reuse the elements' memory. */
static void scan_block(const host_reduce_task *task, block *b, simd_rows8_runs *runs) {
  static const simd_rows8_value nothing = { .there = 0 };
  const job *j = &task->job;
  const simd_rows8_ops *ops = j->block.ops;
  const uint32_t bytes = j->source->bytes;
  simd_rows8_flags segment_flags;
  simd_rows8_starts starts;
  simd_rows8 results;
  simd_rows8_value total;
  _Alignas(16) uint8_t last[16];
  leave_open(j, b, runs);
  block_flags(j, b, runs, &segment_flags);
  ops->sums(&b->x, &segment_flags, &starts, &total);
  ops->starts(&segment_flags, (simd_rows8_before){ &nothing, &runs->before }, &starts, &total);
  ops->chain(&b->x, &segment_flags, &starts, nothing.bytes, 0, &results, last);
  j->block.transpose->out(b->x.bytes, &results);
  const host_marked marked = { .from = b->x.bytes, .words = b->ends, .items = block_items(j), .bytes = bytes };
  runs->to = task->how->stores->by_bytes[bytes](runs->to, &marked);
  append_block(j, &runs->before, &total);
}

/* Handles a block in which many runs end, for sums of 64-bit integers, which allow any order: element after element;
 * each result is overwritten unless a run ends there. */
static void add_block(const job *j, const block *b, simd_rows8_runs *runs) {
  const uint64_t *x = (const void *)input_at(j, b->first);
  uint64_t *to = (void *)runs->to, sum = 0;
  const int continues = !runs->starts_run && runs->before.there;
  if (continues) memcpy(&sum, runs->before.bytes, sizeof sum);
  if (!runs->starts_run && !runs->before.starts_segment) {
    uint32_t w = 0;
    while (b->ends[w] == 0) w++;
    runs->open = (simd_rows8_open){ .before = runs->before,
                                    .to = runs->to,
                                    .items = w * 32 + (uint32_t)__builtin_ctz(b->ends[w]) + 1 };
  }
  for (uint32_t i = 0; i < b->items;) {
    const uint32_t left = b->items - i, stop = i + (left < 32 ? left : 32);
    for (uint32_t word = b->ends[i / 32]; i < stop; i++, word >>= 1) {
      const uint64_t ends = word & 1;
      sum += x[i];
      *to = sum;
      to += ends;
      sum &= ends - 1;
    }
  }
  memcpy(runs->before.bytes, &sum, sizeof sum);
  runs->before.there = runs->before.starts_segment = 1;
  runs->to = (void *)to;
}

/* Handles a block: up to FEW runs that end in 512 elements are handled one by one, more by a scan. With runs of 100
 * both take as long, with runs of 500 the scan takes 1.4 times as long (AMD EPYC, Zen 5, 2^22 f32 and i64, one
 * thread). */
static void do_block(const host_reduce_task *task, uint64_t first, uint64_t ahead, simd_rows8_runs *runs) {
  const job *j = &task->job;
  block b;
  open_block(task, first, &b);
  const int are_few = b.count <= block_items(j) * FEW / 512, adds = !are_few && j->source->sum == SCAN_U64;
  if (!adds) turn_block(task, ahead, &b);
  if (b.count == 0 && !runs->starts_run)
    pass_block(j, &b, runs);
  else if (are_few)
    j->block.ops->runs(&b.x, b.ends, runs);
  else if (adds)
    add_block(j, &b, runs);
  else
    scan_block(task, &b, runs);
  runs->starts_run = b.ends[block_items(j) / 32 - 1] >> 31;
}

/* ---- a chunk ---- */

/* An open result, which sums the elements from `first` on. */
typedef struct open_result {
  simd_rows8_open open;
  uint64_t first;
} open_result;

typedef struct chunk {
  host_link link;
  uint64_t first, end, count; /* first and end element, and number of runs that end among them */
  uint64_t place;             /* place of its first result */
  uint64_t ahead;
  uint32_t tiles;
  value totals[MOST_TILES];
  open_result open[MOST_TILES]; /* items == 0: no open result */
  output_buffer keys, values;
} chunk;
_Static_assert(sizeof(chunk) <= HOST_SELECT_CHUNK_BYTES, "what a thread knows of its chunk does not fit");

static void reduce_mark(const host_reduce_task *task, chunk *c) {
  const uint64_t *counts = (const void *)host_bytes_of(task->args->workspace);
  c->count = 0;
  for (uint64_t i = c->first; i < c->end; i += SELECT_TILE_ITEMS) {
    task->how->mark(task->args, (uint32_t)(i / SELECT_TILE_ITEMS), 0);
    c->count += counts[i / SELECT_TILE_ITEMS];
  }
}

static void do_tile(const host_reduce_task *task, chunk *c, uint32_t tile, uint32_t *does_begin) {
  const job *j = &task->job;
  const uint64_t begin = c->first + tile * j->tile_items;
  const uint64_t end = c->end - begin < j->tile_items ? c->end : begin + j->tile_items;
  simd_rows8_runs runs = { .to = c->values.end, .starts_run = *does_begin };
  c->open[tile].open.items = 0;
  for (uint64_t first = begin; first < end; first += block_items(j)) {
    runs.open.items = 0;
    do_block(task, first, c->ahead, &runs);
    if (runs.open.items != 0) c->open[tile] = (open_result){ runs.open, first + runs.open.first };
  }
  memcpy(c->totals[tile].bytes, runs.before.bytes, j->source->bytes);
  c->totals[tile].there = (runs.before.there ? 1u : 0u) | (runs.before.starts_segment ? (uint32_t)STARTS_WITHIN : 0u);
  c->values.end = runs.to;
  *does_begin = runs.starts_run;
}

static void do_values(const host_reduce_task *task, chunk *c) {
  uint32_t does_begin = (uint32_t)element_is_start(&task->job, c->first);
  c->tiles = (uint32_t)((c->end - c->first - 1) / task->job.tile_items + 1);
  c->values.end = c->values.area;
  for (uint32_t tile = 0; tile < c->tiles; tile++) do_tile(task, c, tile, &does_begin);
}

/* The host_fold of reductions: replaces the tiles' totals by the values before them. */
static void reduce_fold(void *work, host_link *link) {
  host_reduce_task *task = work;
  chunk *c = (void *)link;
  const job *j = &task->job;
  c->place = task->place;
  task->place += c->count;
  for (uint32_t tile = 0; tile < c->tiles; tile++) {
    value before = { .there = 0 };
    if (c->open[tile].open.items != 0) prefix_value(j, &task->prefix, &before);
    prefix_push(j, &task->prefix, &c->totals[tile]);
    copy(j, &c->totals[tile], &before);
  }
}

static void append_bytes(const job *j, value *sum, const uint8_t *bytes) {
  value x = { .there = 1 };
  memcpy(x.bytes, bytes, j->source->bytes);
  append(j, sum, &x);
}

/* Completes a result by the value before its tile. */
static void runs_complete(const job *j, const open_result *result, value *sum) {
  const simd_rows8_open *open = &result->open;
  if (open->before.there) append_bytes(j, sum, open->before.bytes);
  for (uint32_t i = 0; i < open->items; i++) append_bytes(j, sum, input_at(j, result->first + i));
  scan_host_show_nans(j, sum->bytes, 1);
  memcpy(open->to, sum->bytes, j->source->bytes);
}

static void write_keys(const host_reduce_task *task, chunk *c) {
  const uint64_t *counts = (const void *)host_bytes_of(task->args->workspace);
  c->keys.end = c->keys.area;
  for (uint64_t i = c->first; i < c->end; i += SELECT_TILE_ITEMS) {
    const host_marked part = { .from = task->job.segment_flags + i * task->key_bytes,
                               .words =
                                   (const uint32_t *)(const void *)host_bytes_of(task->args->segment_flags) + i / 32,
                               .items = (uint32_t)(c->end - i < SELECT_TILE_ITEMS ? c->end - i : SELECT_TILE_ITEMS),
                               .bytes = task->key_bytes };
    const uint64_t count = counts[i / SELECT_TILE_ITEMS];
    c->keys.end = scan_host_select_key_store(task->how->stores, task->key_bytes, count)(c->keys.end, &part);
    output_buffer_write(&c->keys, task->stream_keys, 0);
  }
  output_buffer_write(&c->keys, task->stream_keys, 1);
}

static void do_chunk(host_reduce_task *task, host_thread *me, chunk *c) {
  const scan_kernel_args *args = task->args;
  c->first = c->link.number * task->chunk_items;
  c->end = task->n - c->first < task->chunk_items ? task->n : c->first + task->chunk_items;
  reduce_mark(task, c);
  do_values(task, c);
  scan_host_chain_pass(me, reduce_fold, task, &c->link);
  for (uint32_t tile = 0; tile < c->tiles; tile++)
    if (c->open[tile].open.items != 0) runs_complete(&task->job, &c->open[tile], &c->totals[tile]);
  output_buffer_open(&c->values, args->out, task->how->source->bytes, c->place, args->capacity);
  output_buffer_write(&c->values, task->stream_values, 1);
  if (args->rest_capacity == 0) return;
  output_buffer_open(&c->keys, args->rest, task->key_bytes, c->place, args->rest_capacity);
  write_keys(task, c);
}

/* Claims the next chunk before this one is done, so that its lines can be prefetched. */
void scan_host_reduce_work(void *work, host_thread *me) {
  host_reduce_task *task = work;
  uint8_t *const areas = task->thread_scratch + (size_t)me->thread_index * HOST_SELECT_SCRATCH_BYTES;
  chunk *const c = (void *)(areas + 2 * (size_t)HOST_SELECT_AREA_BYTES);
  memset(c, 0, sizeof *c);
  c->values.area = areas;
  c->keys.area = areas + HOST_SELECT_AREA_BYTES;
  int has_chunk = scan_host_claim(me, task->chunks, &c->link.number);
  while (has_chunk) {
    uint64_t next = c->link.number;
    has_chunk = scan_host_claim(me, task->chunks, &next);
    c->ahead = (next - c->link.number) * task->chunk_items;
    do_chunk(task, me, c);
    c->link.number = next;
  }
  if (task->stream_keys != NULL || task->stream_values != NULL) scan_host_stream_done();
}
