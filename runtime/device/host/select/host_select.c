/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/select/host_select.h"

#include <string.h>

#include "device/host/host_chain.h"
#include "device/host/select/host_predicate.h"
#include "device/host/output_buffer.h"
#include "device/host/host_stream.h"
#include "device/source.h"
#include "kernels_cl/select/select.h"

/* Tile sizes. Elements that are examined, or wait for their place, are read again from the second-level cache. Others
 * are read once, after the flags of a whole tile: larger tiles are longer streams. */
enum { TILE_BYTES = 512 << 10, CACHED_TILE_BYTES = 256 << 10, COUNTED_ITEMS = 1 << 16, TILES_A_THREAD = 4 };
enum { STREAMING_BYTES = 8 << 20 /* as in kernels_cl/lib/tile.h */ };
_Static_assert(CACHED_TILE_BYTES + COMPRESS_STORE_OVER_BYTES <= HOST_SELECT_AREA_BYTES, "a tile waits in an area");

/* ---- kernels ---- */

typedef struct select_row {
  const char *kernel,
      *mark; /* the primitive's kernel that makes bits; NULL: a predicate makes them, or the marks are bits */
  int is_index, looks;
} select_row;

static const select_row rows[] = { { "select_threads", NULL, 0, 1 },
                                   { "select_threads_flags", "select_flags", 0, 0 },
                                   { "select_threads_runs", "select_runs", 0, 1 },
                                   { "select_threads_bits", NULL, 0, 0 },
                                   { "select_threads_index", NULL, 1, 1 },
                                   { "select_threads_index_flags", "select_flags", 1, 0 },
                                   { "select_threads_index_runs", "select_runs", 1, 1 },
                                   { "select_threads_index_bits", NULL, 1, 0 } };

const compress_stores *scan_compress_stores_for(uint32_t register_bytes) {
  return HOST_SIMD_CHOOSE_WIDEST(scan_compress_stores, register_bytes);
}

host_select scan_host_select_find(const scan_kernel_key *key, uint32_t register_bytes) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (strcmp(rows[i].kernel, key->kernel) != 0) continue;
    scan_kernel_key mark = *key;
    mark.kernel = rows[i].mark;
    host_group *predicate = key->source != NULL ? scan_host_predicate : NULL;
    return (host_select){ .is_there = 1,
                          .is_index = rows[i].is_index,
                          .looks = rows[i].looks,
                          .mark = mark.kernel != NULL ? scan_host_primitive_find(&mark, register_bytes) : predicate,
                          .stores = scan_compress_stores_for(register_bytes) };
  }
  return (host_select){ .is_there = 0 };
}

/* ---- a launch ---- */

uint64_t scan_host_select_items(const scan_kernel_args *args) {
  const uint64_t given = args->flags & SELECT_N_FROM ? *(const uint64_t *)host_bytes_of(args->n_from) : args->n;
  return given < args->n ? given : args->n;
}

host_stream *scan_host_select_stream(const compress_stores *stores, uint64_t bytes) {
  return bytes >= STREAMING_BYTES ? stores->stream : NULL;
}

compress_store *scan_host_select_key_store(const compress_stores *stores, uint32_t key_bytes, uint64_t count) {
  enum { FEW = SELECT_TILE_ITEMS / 64 };
  return count <= FEW ? stores->any : stores->by_bytes[key_bytes];
}

static compress_store *store_of(const host_select *how, uint32_t bytes) {
  if (how->is_index) return bytes == 4 ? how->stores->index4 : how->stores->index8;
  return bytes <= 16 && how->stores->by_bytes[bytes] != NULL ? how->stores->by_bytes[bytes] : how->stores->any;
}

/* A tile has whole tiles of marks; with few elements every thread gets some. */
static uint32_t tile_items_of(const host_select *how, const scan_kernel_args *args, uint64_t n, unsigned threads) {
  const int reads_twice = how->looks || args->flags & SELECT_OVER;
  const uint32_t bytes = reads_twice ? CACHED_TILE_BYTES : TILE_BYTES;
  const uint64_t most = args->element_bytes == 0 ? COUNTED_ITEMS : bytes / args->element_bytes,
                 share = n / threads / TILES_A_THREAD;
  const uint32_t items = (uint32_t)(most < share ? most : share) / SELECT_TILE_ITEMS * SELECT_TILE_ITEMS;
  return items == 0 ? SELECT_TILE_ITEMS : items;
}

void scan_host_select_open(host_select_task *task, const host_select *how, const scan_kernel_args *args,
                           uint8_t *thread_scratch, unsigned threads) {
  task->how = how;
  task->args = args;
  task->thread_scratch = thread_scratch;
  task->store = store_of(how, args->element_bytes);
  task->n = scan_host_select_items(args);
  task->tile_items = tile_items_of(how, args, task->n, threads);
  task->tiles = task->n / task->tile_items + (task->n % task->tile_items != 0);
  task->stream = scan_host_select_stream(how->stores, task->n * args->element_bytes);
  task->place = 0;
}

void scan_host_select_report(const scan_kernel_args *args, uint64_t kept) {
  *(uint64_t *)host_bytes_of(args->kept) = kept;
  if (!(args->flags & SELECT_N_FROM)) return;
  const uint64_t from = *(const uint64_t *)host_bytes_of(args->n_from);
  uint64_t *n_overflow = (void *)host_bytes_of(args->n_overflow);
  if (from > args->n && from > *n_overflow) *n_overflow = from;
}

void scan_host_select_close(const host_select_task *task) { scan_host_select_report(task->args, task->place); }

/* ---- a tile ---- */

typedef struct select_tile {
  host_link link;
  uint64_t first, place; /* index of its first element, and place of its first kept element */
  uint32_t items, count; /* number of elements, and of kept elements */
  output_buffer kept, rest;
} select_tile;

/* Returns the elements from number i of the tile on, at most SELECT_TILE_ITEMS. */
static host_marked part_of(const host_select_task *task, const select_tile *tile, uint32_t i) {
  const scan_kernel_args *args = task->args;
  const uint32_t left = tile->items - i;
  const uint64_t first = tile->first + i;
  const uint32_t *words = (void *)host_bytes_of(task->how->mark != NULL ? args->segment_flags : args->marks);
  const uint8_t *from = host_bytes_of(args->in);
  return (host_marked){ .from = from + (task->how->is_index ? 0 : first * args->element_bytes),
                        .index = first,
                        .words = words + first / 32,
                        .items = left < SELECT_TILE_ITEMS ? left : SELECT_TILE_ITEMS,
                        .bytes = args->element_bytes };
}

static void select_mark(const host_select_task *task, select_tile *tile) {
  const uint64_t *counts = (void *)host_bytes_of(task->args->workspace);
  const int has_counts = task->how->mark != NULL && task->how->mark != scan_host_predicate;
  tile->count = 0;
  for (uint32_t i = 0; i < tile->items; i += SELECT_TILE_ITEMS) {
    const host_marked part = part_of(task, tile, i);
    const uint32_t number = (uint32_t)((tile->first + i) / SELECT_TILE_ITEMS);
    if (task->how->mark != NULL) task->how->mark(task->args, number, 0);
    tile->count += (uint32_t)(has_counts ? counts[number] : task->how->stores->count(&part));
  }
}

/* Gathers the tile's elements into `kept` and `rest`. writes: 1 if their places are known, so that they are written as
 * soon as they are read. */
static void kept_gather(const host_select_task *task, select_tile *tile, int writes) {
  const uint32_t has_rest = task->args->flags & SELECT_REST;
  tile->kept.end = tile->kept.area;
  tile->rest.end = tile->rest.area;
  for (uint32_t i = 0; i < tile->items; i += SELECT_TILE_ITEMS) {
    host_marked part = part_of(task, tile, i);
    tile->kept.end = task->store(tile->kept.end, &part);
    if (writes) output_buffer_write(&tile->kept, task->stream, 0);
    part.flip = ~0u;
    if (has_rest) tile->rest.end = task->store(tile->rest.end, &part);
    if (has_rest && writes) output_buffer_write(&tile->rest, task->stream, 0);
  }
}

/* Sets the destinations of the tile's elements. */
static void open_sides(const host_select_task *task, select_tile *tile) {
  const scan_kernel_args *args = task->args;
  const uint64_t place = tile->place;
  const uint64_t behind = args->flags & SELECT_BEHIND ? *(const uint64_t *)host_bytes_of(args->kept) : 0;
  output_buffer_open(&tile->kept, args->out, args->element_bytes, place, args->capacity);
  output_buffer_open(&tile->rest, args->rest, args->element_bytes, behind + (tile->first - place), args->rest_capacity);
}

static void close_sides(const host_select_task *task, select_tile *tile) {
  output_buffer_write(&tile->kept, task->stream, 1);
  if (task->args->flags & SELECT_REST) output_buffer_write(&tile->rest, task->stream, 1);
}

/* The host_fold of compaction: gives the tile its place. */
static void select_fold(void *work, host_link *link) {
  host_select_task *task = work;
  select_tile *tile = (void *)link;
  tile->place = task->place;
  task->place += tile->count;
}

static void do_tile(host_select_task *task, host_thread *me, select_tile *tile) {
  const uint32_t in_place = task->args->flags & SELECT_OVER, moves = task->args->element_bytes != 0;
  tile->first = tile->link.number * task->tile_items;
  tile->items = task->n - tile->first < task->tile_items ? (uint32_t)(task->n - tile->first) : task->tile_items;
  select_mark(task, tile);
  if (moves && in_place) kept_gather(task, tile, 0);
  scan_host_chain_pass(me, select_fold, task, &tile->link);
  /* If this tile and all before it are kept as a whole, the tile stays: another thread may be reading its last key to
   * compare it with the next tile's first. */
  if (!moves || (in_place && tile->place == tile->first && tile->count == tile->items)) return;
  open_sides(task, tile);
  if (!in_place) kept_gather(task, tile, 1);
  close_sides(task, tile);
}

void scan_host_select_work(void *work, host_thread *me) {
  host_select_task *task = work;
  select_tile tile = { .kept.area = task->thread_scratch + (size_t)me->thread_index * HOST_SELECT_SCRATCH_BYTES };
  tile.rest.area = tile.kept.area + HOST_SELECT_AREA_BYTES;
  while (scan_host_claim(me, task->tiles, &tile.link.number)) do_tile(task, me, &tile);
  if (task->stream != NULL) scan_host_stream_done();
}
