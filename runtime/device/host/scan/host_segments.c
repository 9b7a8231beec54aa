/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/scan/host_segments.h"

#include "device/host/host_stream.h"
#include "device/host/output_buffer.h"
#include "device/host/scan/segment_parts.h"
#include "device/host/scan/segment_tiles.h"
#include "device/host/scan/simd_rows8_scan.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

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
    const uint64_t from = segment_offset(w->list.begins, w->list.is_wide, i), to = scan_segments_end(w, i);
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
  const uint64_t items = scan_segments_subtile_items(j);
  uint64_t i = t->first;
  value before = { .there = 0 };
  tile_open(w, t);
  for (uint64_t first = t->begin; first < t->end && (i < t->last || j->checks != NULL); first += items) {
    const uint64_t end = t->end - first < items ? t->end : first + items;
    value total;
    if (j->checks != NULL || scan_segments_end(w, i) <= end) {
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
