/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/scan/segment_tiles.h"

#include "device/host/host_stream.h"
#include "device/host/output_buffer.h"
#include "device/host/scan/segment_parts.h"

/* Bytes of a tile's flags, one for each element, and of a sub-tile's values or results. */
enum { FLAGS_BYTES = MOST_SUBTILES * BLOCK_BYTES, SUBTILE_BYTES = 16 << 10 };
/* Sums of integers in place have tiles of up to so many sub-tiles, if there are more than EXACT_TILES. */
enum { MOST_EXACT_SUBTILES = 8 * MOST_SUBTILES, EXACT_TILES = 16 };
_Static_assert(HOST_CHUNK_TILES *FLAGS_BYTES + SUBTILE_BYTES <= HOST_SEGMENTS_BYTES &&
                   (int)SEGMENT_VECTORS_BYTES <= (int)FLAGS_BYTES,
               "the memory of a segmented reduction does not fit");

#define ALWAYS_INLINE static inline __attribute__((always_inline))

uint64_t scan_segments_find(const segments_work *w, uint64_t at, uint64_t least) {
  uint64_t step = 1, end;
  while (at + step < w->list.count && scan_segments_end(w, at + step) <= least) {
    at += step;
    step *= 2;
  }
  end = at + step < w->list.count ? at + step : w->list.count;
  while (at < end) {
    const uint64_t middle = at + (end - at) / 2;
    if (scan_segments_end(w, middle) <= least)
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
  if (list->count - t->first < items || scan_segments_end(w, t->first + items - 1) != t->end || w->job.seed.there)
    return 0;
  return numbers_rise(begins, list->is_wide, t->begin, apart) && numbers_rise(ends, list->is_wide, t->begin + 1, items);
}

/* Writes the results of such a tile. */
static void write_elements(const segments_work *w, const segments_tile *t) {
  const uint64_t most = scan_segments_subtile_items(&w->job);
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

/* ---- the work of a thread ---- */

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

/* Sums of integers do not depend on the tiles: fewer are folded in less time, each at once if its values lie in place.
 */
static void enlarge_tiles(segments_work *w) {
  job *j = &w->job;
  const int in_place = j->n > 0 && scan_host_values(j, 0, 1, w->values) != w->values;
  uint64_t subtiles = MOST_SUBTILES;
  while (in_place && subtiles < MOST_EXACT_SUBTILES && j->n / EXACT_TILES > subtiles * scan_segments_subtile_items(j))
    subtiles *= 2;
  j->tile_items = subtiles * scan_segments_subtile_items(j);
  j->tiles = j->n / j->tile_items + (j->n % j->tile_items != 0);
  if (in_place) w->fold_items = j->tile_items;
}

/* Chooses w->direct, if the values lie in place and are the results. */
static void open_direct(segments_work *w) {
  const job *j = &w->job;
  w->elements = j->n > 0 ? scan_host_values(j, 0, 1, w->values) : w->values;
  w->direct = w->fold != NULL && w->elements != w->values && !w->list.is_wide && j->n <= UINT32_MAX &&
                      w->results.seed == NULL && w->results.emit == NULL
                  ? j->block.segments->direct
                  : NULL;
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
  w->fold = scan_segment_parts_is(task) ? w->job.block.segments->fold : NULL;
  w->values = scratch + HOST_CHUNK_TILES * (size_t)FLAGS_BYTES;
  w->fold_items = scan_segments_subtile_items(&w->job);
  if (w->fold != NULL && (source->sum == SCAN_U32 || source->sum == SCAN_U64)) enlarge_tiles(w);
  for (uint32_t i = 0; i < HOST_CHUNK_TILES; i++)
    w->tiles[i] = (segments_tile){ .flags = scratch + i * (size_t)FLAGS_BYTES };
  open_results(task, w);
  open_direct(w);
  w->results.vectors = scratch; /* folds use no flags */
  w->streams = w->list.count >= STREAMING_BYTES / w->results.bytes;
}

void scan_segments_work_copy(const segments_work *callers, const host_thread *me, segments_work *w) {
  const size_t apart = (size_t)me->thread_index * HOST_SCRATCH_BYTES;
  *w = *callers;
  w->job.lanes = NULL;
  w->values += apart;
  w->results.vectors = (uint8_t *)w->results.vectors + apart;
  for (uint32_t i = 0; i < HOST_CHUNK_TILES; i++) w->tiles[i].flags += apart;
  if (w->elements == callers->values) w->elements = w->values;
}

void scan_segments_tile_open(const segments_work *w, uint64_t tile, segments_tile *t) {
  const job *j = &w->job;
  t->begin = tile * j->tile_items;
  t->end = j->n - t->begin < j->tile_items ? j->n : t->begin + j->tile_items;
}
