/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/scan/host_segments.h"

#include "device/host/host_stream.h"
#include "device/host/output_buffer.h"
#include "device/host/scan/host_rows.h"
#include "device/host/scan/simd_rows8_scan.h"
#include "device/host/scan/source_tiles.h"

/* Bytes of a tile's flags, one for each element, and of a sub-tile's values or results. */
enum { FLAGS_BYTES = MOST_SUBTILES * BLOCK_BYTES, SUBTILE_BYTES = 16 << 10 };
_Static_assert(HOST_CHUNK_TILES *FLAGS_BYTES + SUBTILE_BYTES <= HOST_SEGMENTS_BYTES,
               "the memory of a segmented reduction does not fit");

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The segments whose last elements are in a tile, and those without elements that lie there. */
typedef struct tile_segments {
  uint64_t first, end;
  uint8_t *flags;
  int has_begins; /* 1: `flags` has bytes of 1, at the elements with which segments begin */
  int is_dense;   /* 1: every element is a segment; `flags` are not set */
} tile_segments;

typedef struct segments_work {
  job job; /* the scan in segments */
  const uint8_t *begins, *ends;
  uint64_t count;
  uint8_t *to;
  uint64_t bytes; /* of a result */
  int is_wide;    /* 1: offsets of 64 bits */
  int has_empty;  /* 1: segments without elements have the result `empty` */
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t empty[SCAN_OP_MOST_BYTES];
  uint8_t *results; /* SUBTILE_BYTES */
  tile_segments tiles[HOST_CHUNK_TILES];
} segments_work;

ALWAYS_INLINE uint64_t offset_of(const uint8_t *offsets, int is_wide, uint64_t i) {
  return is_wide ? ((const uint64_t *)(const void *)offsets)[i] : ((const uint32_t *)(const void *)offsets)[i];
}

static uint64_t end_of(const segments_work *w, uint64_t i) {
  const uint64_t end = offset_of(w->ends, w->is_wide, i);
  return end < w->job.n ? end : w->job.n;
}

/* ---- segments of a tile ---- */

/* Returns the first segment from `at` on that ends behind element `least`. */
static uint64_t find_segment(const segments_work *w, uint64_t at, uint64_t least) {
  uint64_t step = 1, end;
  while (at + step < w->count && end_of(w, at + step) <= least) {
    at += step;
    step *= 2;
  }
  end = at + step < w->count ? at + step : w->count;
  while (at < end) {
    const uint64_t middle = at + (end - at) / 2;
    if (end_of(w, middle) <= least)
      at = middle + 1;
    else
      end = middle;
  }
  return at;
}

/* 1 if `items` segments from t->first on are the elements from `begin` on. */
ALWAYS_INLINE int elements_are_segments(const segments_work *w, const tile_segments *t, uint64_t begin, uint64_t items,
                                        int is_wide) {
  uint64_t differs = 0;
  if (w->count - t->first < items || offset_of(w->ends, is_wide, t->first + items - 1) != begin + items) return 0;
  const uint8_t *const begins = w->begins + t->first * (is_wide ? 8 : 4), *const ends =
                                                                              w->ends + t->first * (is_wide ? 8 : 4);
  for (uint64_t i = 0; i < items; i++)
    differs |= (offset_of(begins, is_wide, i) ^ (begin + i)) | (offset_of(ends, is_wide, i) ^ (begin + i + 1));
  return differs == 0;
}

/* Sets t->end, the flags and what is known of them. The tile has elements from `begin` to `end`. */
ALWAYS_INLINE void find_marks(const segments_work *w, uint64_t begin, uint64_t end, int is_wide, tile_segments *t) {
  const uint64_t n = w->job.n, items = end - begin;
  uint64_t i = t->first, any = 0;
  t->has_begins = t->is_dense = 0;
  if (!w->job.seed.there && elements_are_segments(w, t, begin, items, is_wide)) {
    t->is_dense = 1;
    t->end = t->first + items;
    return;
  }
  if (i < w->count && offset_of(w->begins, is_wide, i) < end) memset(t->flags, 0, items);
  for (; i < w->count; i++) {
    const uint64_t to = offset_of(w->ends, is_wide, i), from = offset_of(w->begins, is_wide, i);
    if (to > end && end < n) break;
    if (from < to && from - begin < items) t->flags[from - begin] = 1, any = 1;
  }
  t->end = i;
  if (i < w->count && offset_of(w->begins, is_wide, i) - begin < items) {
    t->flags[offset_of(w->begins, is_wide, i) - begin] = 1;
    any = 1;
  }
  t->has_begins = any != 0;
}

static void chunk_find(segments_work *w, const source_chunk *chunk) {
  const job *j = &w->job;
  uint64_t first = chunk->first == 0 ? 0 : find_segment(w, w->tiles[0].first, chunk->first * j->tile_items);
  for (uint64_t i = 0; i < chunk->tiles; i++) {
    const uint64_t begin = (chunk->first + i) * j->tile_items;
    const uint64_t end = j->n - begin < j->tile_items ? j->n : begin + j->tile_items;
    w->tiles[i].first = first;
    if (w->is_wide)
      find_marks(w, begin, end, 1, &w->tiles[i]);
    else
      find_marks(w, begin, end, 0, &w->tiles[i]);
    first = w->tiles[i].end;
  }
}

/* Makes the job that of the tile. */
static void tile_open(segments_work *w, uint64_t tile, const tile_segments *t) {
  w->job.segments = t->has_begins ? SCAN_SEGMENTS_FLAGS : SCAN_SEGMENTS_NONE;
  w->job.segment_flags = (const uint8_t *)((uintptr_t)t->flags - (uintptr_t)(tile * w->job.tile_items));
}

static void tile_reduce(segments_work *w, uint64_t tile, const tile_segments *t, value *aggregate) {
  const job *j = &w->job;
  tile_open(w, tile, t);
  if (!t->is_dense) {
    scan_source_tile_reduce(j, tile, aggregate);
    return;
  }
  mapped(j, tile * j->tile_items + (t->end - t->first) - 1, aggregate);
  aggregate->there = 1 | STARTS_WITHIN;
}

/* ---- results ---- */

/* Copies the results of segments from number i on that end up to element `end`, from those of the elements from `first`
 * on. Returns the number of the first segment that ends later. */
ALWAYS_INLINE uint64_t copy_results(const segments_work *w, uint64_t i, uint64_t most, uint64_t first, uint64_t end,
                                    int is_wide, uint64_t bytes) {
  for (; i < most; i++) {
    const uint64_t from = offset_of(w->begins, is_wide, i), given = offset_of(w->ends, is_wide, i);
    const uint64_t to = given < w->job.n ? given : w->job.n;
    if (to > end) break;
    if (from < to && to > first)
      memcpy(w->to + i * bytes, w->results + (to - 1 - first) * bytes, bytes);
    else if (w->has_empty && from >= to)
      memcpy(w->to + i * bytes, w->empty, bytes);
  }
  return i;
}

static uint64_t write_results(const segments_work *w, uint64_t i, uint64_t most, uint64_t first, uint64_t end) {
  if (!w->is_wide) switch (w->bytes) {
    case 1: return copy_results(w, i, most, first, end, 0, 1);
    case 2: return copy_results(w, i, most, first, end, 0, 2);
    case 4: return copy_results(w, i, most, first, end, 0, 4);
    case 8: return copy_results(w, i, most, first, end, 0, 8);
    default: break;
    }
  else if (w->bytes == 4)
    return copy_results(w, i, most, first, end, 1, 4);
  else if (w->bytes == 8)
    return copy_results(w, i, most, first, end, 1, 8);
  return copy_results(w, i, most, first, end, w->is_wide, w->bytes);
}

/* Writes the results of a tile of which every element is a segment. */
static void write_elements(const segments_work *w, uint64_t begin, const tile_segments *t) {
  const uint64_t items = t->end - t->first, most = SUBTILE_ROWS * w->job.row_items;
  job j = w->job;
  j.out = (uint8_t *)((uintptr_t)w->to + (uintptr_t)(t->first - begin) * w->bytes);
  for (uint64_t i = 0; i < items; i += most) {
    const uint32_t n = (uint32_t)(items - i < most ? items - i : most);
    const uint8_t *const values = scan_host_values(&j, begin + i, n, w->results);
    if (values != w->results) memcpy(w->results, values, (size_t)n * j.source->bytes);
    scan_host_show_nans(&j, w->results, n);
    scan_host_store(&j, begin + i, n, w->results, w->results);
  }
}

/* Writes the results of the segments that end in a tile; `prefix` is the value before it. With overflow checks all
 * sub-tiles are scanned. */
static void tile_write(segments_work *w, uint64_t tile, const tile_segments *t, const value *prefix) {
  job *j = &w->job;
  const uint64_t items = SUBTILE_ROWS * j->row_items, begin = tile * j->tile_items;
  const uint64_t rest = j->n - begin < j->tile_items ? j->n : begin + j->tile_items;
  uint64_t i = t->first;
  value before = { .there = 0 };
  tile_open(w, tile, t);
  if (t->is_dense) {
    write_elements(w, begin, t);
    return;
  }
  for (uint64_t first = begin; first < rest && (i < t->end || j->checks != NULL); first += items) {
    const uint64_t end = rest - first < items ? rest : first + items;
    value total;
    if (j->checks != NULL || end_of(w, i) <= end) {
      j->out = (uint8_t *)((uintptr_t)w->results - (uintptr_t)first * w->bytes);
      scan_source_subtile_write(j, first, prefix, &before, &total);
      i = write_results(w, i, t->end, first, end);
    } else {
      scan_source_subtile_reduce(j, first, &total);
    }
    append_value(j, &before, &total);
  }
}

/* ---- threads ---- */

/* Sets the result of a segment without elements. */
static void find_empty(const host_task *task, segments_work *w) {
  const scan_source *source = task->key->source;
  const uint64_t element = 0;
  uint64_t seed[1 + SCAN_SEED_MORE_WORDS];
  seed[0] = task->args->seed_bits;
  memcpy(seed + 1, task->args->seed_more, SCAN_SEED_MORE_WORDS * sizeof seed[0]);
  w->has_empty = (task->flags & SCAN_KERNEL_STARTS) != 0;
  if (source->emit_host == NULL)
    memcpy(w->empty, seed, sizeof seed);
  else
    source->emit_host(seed, seed, &element, 0, w->empty, source->user);
}

static void work_open(host_task *task, const host_thread *me, segments_work *w) {
  const scan_kernel_args *args = task->args;
  uint8_t *const scratch =
      task->thread_scratch + (size_t)me->thread_index * HOST_SCRATCH_BYTES + (size_t)HOST_LANES_BYTES;
  w->job = job_of(task);
  w->job.first_is_start = 0;
  w->job.lanes = scan_source_lanes(task, me);
  w->job.streaming = 0;
  w->begins = host_bytes_of(args->marks);
  w->ends = host_bytes_of(args->ends);
  w->count = args->count;
  w->to = host_bytes_of(args->totals);
  w->bytes = w->job.source->output_bytes;
  w->is_wide = (args->flags & SCAN_KERNEL_WIDE_OFFSETS) != 0;
  w->results = scratch + HOST_CHUNK_TILES * (size_t)FLAGS_BYTES;
  for (uint32_t i = 0; i < HOST_CHUNK_TILES; i++)
    w->tiles[i] = (tile_segments){ .flags = scratch + i * (size_t)FLAGS_BYTES };
  find_empty(task, w);
}

static void threads(host_task *task, host_thread *me) {
  segments_work w;
  source_chunk chunk;
  work_open(task, me, &w);
  const uint64_t chunks = w.job.tiles / HOST_CHUNK_TILES + (w.job.tiles % HOST_CHUNK_TILES != 0);
  chunk.job = &w.job;
  if (w.job.block.ops != NULL) scan_simd_rows8_begin(&w.job);
  while (scan_host_claim(me, chunks, &chunk.link.number)) {
    scan_source_chunk_open(&chunk);
    chunk_find(&w, &chunk);
    for (uint64_t i = 0; i < chunk.tiles; i++) tile_reduce(&w, chunk.first + i, &w.tiles[i], &chunk.values[i]);
    scan_host_chain_pass(me, scan_source_chunk_fold, task, &chunk.link);
    for (uint64_t i = 0; i < chunk.tiles; i++) tile_write(&w, chunk.first + i, &w.tiles[i], &chunk.values[i]);
  }
  scan_host_rows_end();
}

const host_kernel scan_host_segments_kernel = { .threads = threads, .alone = threads };
