/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/scan/host_segments.h"

#include "device/host/host_stream.h"
#include "device/host/output_buffer.h"
#include "device/host/scan/host_rows.h"
#include "device/host/scan/simd_rows8_scan.h"
#include "device/host/scan/source_tiles.h"

/* Bytes of a tile's flags, one for each element, and of a sub-tile's values or results. */
enum { FLAGS_BYTES = MOST_SUBTILES * BLOCK_BYTES, SUBTILE_BYTES = 16 << 10 };
_Static_assert(HOST_CHUNK_TILES *FLAGS_BYTES + SUBTILE_BYTES <= HOST_SEGMENTS_BYTES &&
                   (int)SEGMENT_VECTORS_BYTES <= (int)FLAGS_BYTES,
               "the memory of a segmented reduction does not fit");

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A tile of elements from `begin` up to, without it, `end`. Segments `first` up to, without it, `last` end in it. */
typedef struct segments_tile {
  uint64_t begin, end, first, last;
  int is_dense;      /* 1: every element is a segment; the results have been written */
  segment_open open; /* by segment_fold alone */
  uint8_t *flags;    /* without segment_fold: a byte for each element, 1 if a segment begins with it */
  int has_begins;    /* 1: such flags are set */
} segments_tile;

typedef struct segments_work {
  job job;            /* the scan in segments */
  segment_fold *fold; /* NULL: sub-tiles are scanned */
  segment_list list;
  segment_results results;
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t empty[SCAN_OP_MOST_BYTES];
  uint8_t *values; /* SUBTILE_BYTES, of a sub-tile */
  int streams;     /* 1: results bypass the caches where all are elements */
  segments_tile tiles[SOURCE_CHUNK_TILES];
} segments_work;

static uint64_t end_of(const segments_work *w, uint64_t i) {
  const uint64_t end = segment_offset(w->list.ends, w->list.is_wide, i);
  return end < w->job.n ? end : w->job.n;
}

static uint64_t subtile_items(const job *j) { return SUBTILE_ROWS * j->row_items; }

/* Returns the first segment from `at` on that ends behind element `least`. */
static uint64_t find_segment(const segments_work *w, uint64_t at, uint64_t least) {
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

static void do_elements(const segments_work *w, segments_tile *t, value *aggregate) {
  t->last = t->first + (t->end - t->begin);
  t->open.end = 0;
  write_elements(w, t);
  mapped(&w->job, t->end - 1, aggregate);
  aggregate->there = 1 | STARTS_WITHIN;
}

/* ---- tiles by segment_fold ---- */

/* Writes the results of segments that begin and end in the tile. */
static void fold_tile(const segments_work *w, segments_tile *t, value *aggregate) {
  const uint64_t most = subtile_items(&w->job);
  segment_state state = { .next = t->first };
  for (uint64_t i = t->begin; i < t->end; i += most) {
    const uint32_t n = (uint32_t)(t->end - i < most ? t->end - i : most);
    w->fold(&w->list, &w->results, scan_host_values(&w->job, i, n, w->values), i, n, &state);
  }
  t->last = state.next;
  t->open = state.open;
  memcpy(aggregate->bytes, state.before, sizeof state.before);
  aggregate->there = (uint32_t)state.has_before | (state.begins_within ? (uint32_t)STARTS_WITHIN : 0);
}

/* Completes the result of the segment that began before the tile. */
static void finish_open(const segments_work *w, const segment_open *open, const value *prefix) {
  const job *j = &w->job;
  const uint64_t none[1] = { 0 };
  uint8_t *const to = w->results.to + open->segment * w->results.bytes;
  value sum, x = { .there = 1 };
  copy(j, &sum, prefix);
  memcpy(x.bytes, open->before, sizeof open->before);
  if (open->has_before) append(j, &sum, &x);
  for (uint64_t i = open->first; i < open->end; i++) {
    mapped(j, i, &x);
    append(j, &sum, &x);
  }
  scan_host_show_nans(j, sum.bytes, 1);
  if (w->results.emit != NULL)
    w->results.emit(sum.bytes, sum.bytes, none, 0, to, NULL);
  else
    memcpy(to, sum.bytes, w->results.bytes);
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

/* ---- what precedes tiles ---- */

/* The aggregate of the tile before, if a segment begins in it: it is what precedes the tile then. It lies in the task
 * behind the running prefix, which is made of it where a tile has no beginning. */
typedef struct last_tile {
  _Alignas(8) uint8_t bytes[8];
  uint32_t there; /* as in `value`; 0: the running prefix precedes the tile */
} last_tile;
_Static_assert(sizeof(running) + sizeof(last_tile) <= HOST_PREFIX_BYTES, "the prefix does not fit");

/* Makes *p the prefix after tile number `tile`, which is `last`. */
static void prefix_open(const job *j, running *p, const last_tile *last, uint64_t tile) {
  const value none = { .there = 0 };
  value sum = { .there = last->there };
  memcpy(sum.bytes, last->bytes, sizeof last->bytes);
  prefix_start(p, &none);
  p->tile = (uint32_t)(tile % CANON_GROUP_TILES);
  prefix_push(j, p, &sum);
}

/* Replaces the aggregate of a tile, in which no segment begins or which has no such tile before it. */
static void fold_by_prefix(const job *j, host_task *task, last_tile *last, uint64_t number, value *tile) {
  running prefix;
  value before;
  if (last->there)
    prefix_open(j, &prefix, last, number - 1);
  else
    memcpy(&prefix, task->prefix, sizeof prefix);
  last->there = 0;
  prefix_value(j, &prefix, &before);
  prefix_push(j, &prefix, tile);
  memcpy(task->prefix, &prefix, sizeof prefix);
  copy(j, tile, &before);
}

/* The host_fold of scan_source_chunk_fold for folded segments. */
static void chunk_fold(void *work, host_link *link) {
  host_task *task = work;
  source_chunk *chunk = (void *)link;
  const job *j = chunk->job;
  running first;
  last_tile last = { .there = 0 };
  if (link->number == 0) {
    scan_source_prefix_start(task, &first);
    memcpy(task->prefix, &first, sizeof first);
  } else {
    memcpy(&last, task->prefix + sizeof first, sizeof last);
  }
  for (uint64_t i = 0; i < chunk->tiles; i++) {
    value *tile = &chunk->values[i];
    last_tile next = { .there = tile->there & STARTS_WITHIN ? tile->there : 0 };
    memcpy(next.bytes, tile->bytes, sizeof next.bytes);
    if (last.there && next.there) {
      memcpy(tile->bytes, last.bytes, sizeof last.bytes);
      tile->there = last.there;
    } else {
      fold_by_prefix(j, task, &last, chunk->first + i, tile);
    }
    last = next;
  }
  memcpy(task->prefix + sizeof first, &last, sizeof last);
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

static void work_open(host_task *task, const host_thread *me, segments_work *w) {
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
  w->fold = w->job.checks != NULL ? NULL : w->job.block.segments;
  if (w->fold != NULL && (source->sum == SCAN_U32 || source->sum == SCAN_U64)) enlarge_tiles(&w->job);
  w->values = scratch + HOST_CHUNK_TILES * (size_t)FLAGS_BYTES;
  for (uint32_t i = 0; i < SOURCE_CHUNK_TILES; i++)
    w->tiles[i] = (segments_tile){ .flags = i < HOST_CHUNK_TILES ? scratch + i * (size_t)FLAGS_BYTES : NULL };
  open_results(task, w);
  w->results.vectors = scratch; /* folds use no flags */
  w->streams = w->list.count >= STREAMING_BYTES / w->results.bytes;
}

static void chunk_reduce(segments_work *w, source_chunk *chunk) {
  const job *j = &w->job;
  segments_tile *t = w->tiles;
  t->first = chunk->first == 0 ? 0 : find_segment(w, t->first, chunk->first * j->tile_items);
  for (uint64_t i = 0; i < chunk->tiles; i++, t++) {
    t->begin = (chunk->first + i) * j->tile_items;
    t->end = j->n - t->begin < j->tile_items ? j->n : t->begin + j->tile_items;
    if (i > 0) t->first = t[-1].last;
    t->is_dense = tile_is_dense(w, t);
    if (t->is_dense)
      do_elements(w, t, &chunk->values[i]);
    else if (w->fold != NULL)
      fold_tile(w, t, &chunk->values[i]);
    else
      tile_reduce(w, t, &chunk->values[i]);
  }
}

/* Writes the results that depend on the values before the tiles. */
static void chunk_write(segments_work *w, const source_chunk *chunk) {
  for (uint64_t i = 0; i < chunk->tiles; i++) {
    const segments_tile *t = &w->tiles[i];
    if (t->is_dense) continue;
    if (w->fold == NULL)
      tile_write(w, t, &chunk->values[i]);
    else if (t->open.end != 0)
      finish_open(w, &t->open, &chunk->values[i]);
  }
}

static void threads(host_task *task, host_thread *me) {
  segments_work w;
  source_chunk chunk;
  work_open(task, me, &w);
  chunk.job = &w.job;
  chunk.most = w.fold != NULL && w.job.tile_items == subtile_items(&w.job) ? SOURCE_CHUNK_TILES : HOST_CHUNK_TILES;
  const uint64_t chunks = w.job.tiles / chunk.most + (w.job.tiles % chunk.most != 0);
  if (w.job.block.ops != NULL) scan_simd_rows8_begin(&w.job);
  while (scan_host_claim(me, chunks, &chunk.link.number)) {
    scan_source_chunk_open(&chunk);
    chunk_reduce(&w, &chunk);
    scan_host_chain_pass(me, w.fold != NULL ? chunk_fold : scan_source_chunk_fold, task, &chunk.link);
    chunk_write(&w, &chunk);
  }
  scan_host_rows_end();
}

const host_kernel scan_host_segments_kernel = { .threads = threads, .alone = threads };
