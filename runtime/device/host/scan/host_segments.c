/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/scan/host_segments.h"

#include "device/host/host_stream.h"
#include "device/host/output_buffer.h"
#include "device/host/scan/segment_parts.h"
#include "device/host/scan/segment_tiles.h"
#include "device/host/scan/simd_rows8_scan.h"

/* Bytes of a tile's flags, one for each element, and of a sub-tile's values or results. */
enum { FLAGS_BYTES = MOST_SUBTILES * BLOCK_BYTES, SUBTILE_BYTES = 16 << 10 };
_Static_assert(HOST_CHUNK_TILES *FLAGS_BYTES + SUBTILE_BYTES <= HOST_SEGMENTS_BYTES &&
                   (int)SEGMENT_VECTORS_BYTES <= (int)FLAGS_BYTES,
               "the memory of a segmented reduction does not fit");

#define ALWAYS_INLINE static inline __attribute__((always_inline))

static uint64_t end_of(const segments_work *w, uint64_t i) {
  const uint64_t end = segment_offset(w->list.ends, w->list.is_wide, i);
  return end < w->job.n ? end : w->job.n;
}

static uint64_t subtile_items(const job *j) { return SUBTILE_ROWS * j->row_items; }

uint64_t scan_segments_find(const segments_work *w, uint64_t at, uint64_t least) {
  uint64_t step = 1, end;
  while (at + step < w->list.count && end_of(w, at + step) <= least) {
    at += step;
    step *= 2;
  }
  end = at + step < w->list.count ? at + step : w->list.count;
  while (at < end) {
    const uint64_t middle = at + (end - at) / 2;
    if (end_of(w, middle) <= least)
      at = middle + 1;
    else
      end = middle;
  }
  return at;
}

/* ---- tiles of which every element is a segment ---- */

/* 1 if numbers[0] to [count - 1] are `first`, first + 1 and so on. */
ALWAYS_INLINE int numbers_rise(const uint8_t *numbers, int is_wide, uint64_t first, uint64_t count) {
  uint64_t differs = 0;
  uint32_t differs4 = 0;
  if (is_wide)
    for (uint64_t i = 0; i < count; i++) differs |= segment_offset(numbers, 1, i) ^ (first + i);
  else
    for (uint32_t i = 0; i < count; i++) differs4 |= (uint32_t)segment_offset(numbers, 0, i) ^ ((uint32_t)first + i);
  return differs == 0 && differs4 == 0;
}

static int tile_is_dense(const segments_work *w, const segments_tile *t) {
  const segment_list *list = &w->list;
  const uint64_t items = t->end - t->begin, bytes = list->is_wide ? 8 : 4;
  const uint8_t *const begins = list->begins + t->first * bytes, *const ends = list->ends + t->first * bytes;
  const uint64_t apart = ends == begins + bytes ? 1 : items; /* begins to look at */
  if (list->count - t->first < items || end_of(w, t->first + items - 1) != t->end || w->job.seed.there) return 0;
  return numbers_rise(begins, list->is_wide, t->begin, apart) && numbers_rise(ends, list->is_wide, t->begin + 1, items);
}

/* Writes the results of such a tile. */
static void write_elements(const segments_work *w, const segments_tile *t) {
  const uint64_t most = subtile_items(&w->job);
  job j = w->job;
  j.out = (uint8_t *)((uintptr_t)w->results.to + (uintptr_t)(t->first - t->begin) * w->results.bytes);
  j.streaming = w->streams;
  for (uint64_t i = t->begin; i < t->end; i += most) {
    const uint32_t n = (uint32_t)(t->end - i < most ? t->end - i : most);
    const uint8_t *const values = scan_host_values(&j, i, n, w->values);
    if (values != w->values) memcpy(w->values, values, (size_t)n * j.source->bytes);
    scan_host_show_nans(&j, w->values, n);
    scan_host_store(&j, i, n, w->values, w->values);
  }
}

int scan_segments_tile_by_elements(const segments_work *w, segments_tile *t, value *aggregate) {
  t->is_dense = tile_is_dense(w, t);
  if (!t->is_dense) return 0;
  t->last = t->first + (t->end - t->begin);
  write_elements(w, t);
  mapped(&w->job, t->end - 1, aggregate);
  aggregate->there = 1 | STARTS_WITHIN;
  return 1;
}

/* ---- tiles by a scan ---- */

/* Sets the flags of a tile. */
ALWAYS_INLINE void find_begins(const segments_work *w, int is_wide, segments_tile *t) {
  const segment_list *list = &w->list;
  const uint64_t items = t->end - t->begin;
  uint64_t i = t->first;
  t->has_begins = 0;
  memset(t->flags, 0, items);
  for (; i < list->count; i++) {
    const uint64_t begin = segment_offset(list->begins, is_wide, i), end = segment_offset(list->ends, is_wide, i);
    const int is_last = end > t->end && t->end < list->n;
    if (begin < end && begin - t->begin < items) t->flags[begin - t->begin] = 1, t->has_begins = 1;
    if (is_last) break;
  }
  t->last = i;
}

/* Makes the job that of the tile. */
static void tile_open(segments_work *w, const segments_tile *t) {
  w->job.segments = t->has_begins ? SCAN_SEGMENTS_FLAGS : SCAN_SEGMENTS_NONE;
  w->job.segment_flags = (const uint8_t *)((uintptr_t)t->flags - (uintptr_t)t->begin);
}

static void tile_reduce(segments_work *w, segments_tile *t, value *aggregate) {
  if (w->list.is_wide)
    find_begins(w, 1, t);
  else
    find_begins(w, 0, t);
  tile_open(w, t);
  scan_source_tile_reduce(&w->job, t->begin / w->job.tile_items, aggregate);
}

/* Copies the results of segments from number i to `most` that end up to element `end`, from those of the elements from
 * `first` on. Returns the first segment that ends later. */
static uint64_t copy_results(const segments_work *w, uint64_t i, uint64_t most, uint64_t first, uint64_t end) {
  const segment_results *results = &w->results;
  const size_t bytes = results->bytes;
  for (; i < most; i++) {
    const uint64_t from = segment_offset(w->list.begins, w->list.is_wide, i), to = end_of(w, i);
    if (to > end) break;
    if (from < to && to > first)
      memcpy(results->to + i * bytes, w->values + (to - 1 - first) * bytes, bytes);
    else if (results->empty != NULL && from >= to)
      memcpy(results->to + i * bytes, results->empty, bytes);
  }
  return i;
}

/* Writes the results of the segments that end in a tile; `prefix` is the value before it. With overflow checks all
 * sub-tiles are scanned. */
static void tile_write(segments_work *w, const segments_tile *t, const value *prefix) {
  job *j = &w->job;
  const uint64_t items = subtile_items(j);
  uint64_t i = t->first;
  value before = { .there = 0 };
  tile_open(w, t);
  for (uint64_t first = t->begin; first < t->end && (i < t->last || j->checks != NULL); first += items) {
    const uint64_t end = t->end - first < items ? t->end : first + items;
    value total;
    if (j->checks != NULL || end_of(w, i) <= end) {
      j->out = (uint8_t *)((uintptr_t)w->values - (uintptr_t)first * w->results.bytes);
      scan_source_subtile_write(j, first, prefix, &before, &total);
      i = copy_results(w, i, t->last, first, end);
    } else {
      scan_source_subtile_reduce(j, first, &total);
    }
    append_value(j, &before, &total);
  }
}

/* ---- threads ---- */

/* Sets where results go, and the result of a segment without elements. */
static void open_results(const host_task *task, segments_work *w) {
  const scan_source *source = task->key->source;
  value seed;
  w->results = (segment_results){ .to = host_bytes_of(task->args->totals),
                                  .bytes = source->output_bytes,
                                  .seed = w->job.seed.there ? w->job.seed.bytes : NULL,
                                  .empty = task->flags & SCAN_KERNEL_STARTS ? w->empty : NULL,
                                  .emit = source->emit_host };
  seed_of(task, &seed);
  scan_source_seed_output(source, source->output_bytes, seed.bytes, w->empty);
}

/* Sums of integers do not depend on the tiles: fewer are folded in less time. */
static void enlarge_tiles(job *j) {
  j->tile_items = MOST_SUBTILES * subtile_items(j);
  j->tiles = j->n / j->tile_items + (j->n % j->tile_items != 0);
}

void scan_segments_work_open(host_task *task, const host_thread *me, segments_work *w) {
  const scan_kernel_args *args = task->args;
  const scan_source *source = task->key->source;
  uint8_t *const scratch =
      task->thread_scratch + (size_t)me->thread_index * HOST_SCRATCH_BYTES + (size_t)HOST_LANES_BYTES;
  w->job = job_of(task);
  w->job.first_is_start = 0;
  w->job.streaming = 0;
  w->job.lanes = scan_source_lanes(task, me);
  w->list = (segment_list){ .begins = host_bytes_of(args->marks),
                            .ends = host_bytes_of(args->ends),
                            .count = args->count,
                            .n = w->job.n,
                            .is_wide = (args->flags & SCAN_KERNEL_WIDE_OFFSETS) != 0 };
  w->fold = scan_segment_parts_is(task) ? w->job.block.segments : NULL;
  if (w->fold != NULL && (source->sum == SCAN_U32 || source->sum == SCAN_U64)) enlarge_tiles(&w->job);
  w->values = scratch + HOST_CHUNK_TILES * (size_t)FLAGS_BYTES;
  for (uint32_t i = 0; i < HOST_CHUNK_TILES; i++)
    w->tiles[i] = (segments_tile){ .flags = scratch + i * (size_t)FLAGS_BYTES };
  open_results(task, w);
  w->results.vectors = scratch; /* folds use no flags */
  w->streams = w->list.count >= STREAMING_BYTES / w->results.bytes;
}

void scan_segments_tile_open(const segments_work *w, uint64_t tile, segments_tile *t) {
  const job *j = &w->job;
  t->begin = tile * j->tile_items;
  t->end = j->n - t->begin < j->tile_items ? j->n : t->begin + j->tile_items;
}

static void chunk_reduce(segments_work *w, source_chunk *chunk) {
  segments_tile *t = w->tiles;
  t->first = chunk->first == 0 ? 0 : scan_segments_find(w, t->first, chunk->first * w->job.tile_items);
  for (uint64_t i = 0; i < chunk->tiles; i++, t++) {
    scan_segments_tile_open(w, chunk->first + i, t);
    if (i > 0) t->first = t[-1].last;
    if (!scan_segments_tile_by_elements(w, t, &chunk->values[i])) tile_reduce(w, t, &chunk->values[i]);
  }
}

/* Writes the results that depend on the values before the tiles. */
static void chunk_write(segments_work *w, const source_chunk *chunk) {
  for (uint64_t i = 0; i < chunk->tiles; i++)
    if (!w->tiles[i].is_dense) tile_write(w, &w->tiles[i], &chunk->values[i]);
}

/* The worker of tiles that are scanned. */
static void threads(host_task *task, host_thread *me) {
  segments_work w;
  source_chunk chunk;
  scan_segments_work_open(task, me, &w);
  chunk.job = &w.job;
  chunk.most = HOST_CHUNK_TILES;
  const uint64_t chunks = w.job.tiles / chunk.most + (w.job.tiles % chunk.most != 0);
  if (w.job.block.ops != NULL) scan_simd_rows8_begin(&w.job);
  while (scan_host_claim(me, chunks, &chunk.link.number)) {
    scan_source_chunk_open(&chunk);
    chunk_reduce(&w, &chunk);
    scan_host_chain_pass(me, scan_source_chunk_fold, task, &chunk.link);
    chunk_write(&w, &chunk);
  }
  scan_host_rows_end();
}

static void alone(host_task *task, host_thread *me) {
  if (scan_segment_parts_is(task))
    scan_segment_parts_alone(task, me);
  else
    threads(task, me);
}

const host_kernel scan_host_segments_kernel = { .threads = threads, .alone = alone };
