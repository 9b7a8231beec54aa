/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/select/host_encode.h"

#include <string.h>

#include "base/types.h"
#include "device/host/host_chain.h"
#include "device/host/output_buffer.h"
#include "device/host/host_stream.h"
#include "kernels_cl/select/select.h"

/* A chunk's keys stay in the second-level cache. */
enum { CHUNK_BYTES = 128 << 10, CHUNKS_A_THREAD = 4 };
/* A thread's scratch memory has an area for each output of a part's runs, and one for the runs' places in the part. */
enum { AREA_BYTES = HOST_SELECT_SCRATCH_BYTES / 4, PART_ITEMS = SELECT_TILE_ITEMS, FEW = PART_ITEMS / 64 };
_Static_assert(PART_ITEMS * 8 + 64 + COMPRESS_STORE_OVER_BYTES <= AREA_BYTES, "a part's outputs fit in an area");

/* ---- kernels and launches ---- */

host_encode scan_host_encode_find(const scan_kernel_key *key, uint32_t register_bytes) {
  scan_kernel_key mark = *key;
  if (strcmp(key->kernel, "select_threads_encode") != 0) return (host_encode){ .mark = NULL };
  mark.kernel = "select_runs";
  return (host_encode){ .mark = scan_host_primitive_find(&mark, register_bytes),
                        .stores = scan_compress_stores_for(register_bytes),
                        .key_bytes = (uint32_t)scan_type_bytes(key->type) };
}

/* A chunk has whole parts; with few elements every thread gets some. */
static uint32_t chunk_items_of(const host_encode_task *task, unsigned threads) {
  uint64_t items = PART_ITEMS;
  while (2 * items * task->how->key_bytes <= CHUNK_BYTES && 2 * items * CHUNKS_A_THREAD * threads <= task->n)
    items *= 2;
  return (uint32_t)items;
}

void scan_host_encode_open(host_encode_task *task, const host_encode *how, const scan_kernel_args *args,
                           uint8_t *thread_scratch, unsigned threads) {
  const uint32_t flags = args->flags;
  task->how = how;
  task->args = args;
  task->thread_scratch = thread_scratch;
  task->n = scan_host_select_items(args);
  task->chunk_items = chunk_items_of(task, threads);
  task->chunks = task->n / task->chunk_items + (task->n % task->chunk_items != 0);
  task->length_bytes = flags & SELECT_WIDE_LENGTHS ? 8 : flags & SELECT_RUN_LENGTHS ? 4 : 0;
  task->start_bytes = flags & SELECT_WIDE_STARTS ? 8 : flags & SELECT_RUN_STARTS ? 4 : 0;
  task->place = task->last = 0;
}

void scan_host_encode_close(const host_encode_task *task) {
  const scan_kernel_args *args = task->args;
  const uint64_t length = task->n - task->last;
  const uint32_t narrow = (uint32_t)length, bytes = task->length_bytes;
  if (task->place != 0 && task->place <= args->capacity)
    memcpy(host_bytes_of(args->lengths) + (task->place - 1) * bytes, bytes == 4 ? (const void *)&narrow : &length,
           bytes);
  scan_host_select_report(args, task->place);
}

/* ---- a chunk ---- */

typedef struct chunk {
  host_link link;
  uint64_t first, end, count; /* first and end element, and number of runs that begin among them */
  uint64_t own_last;          /* the beginning of the last of these runs */
  uint64_t place;             /* number of runs that begin before the chunk */
  uint64_t last;              /* the beginning of the last run so far */
  int has_last;               /* 1: `last` is set */
  output_buffer keys, starts, lengths;
  uint32_t *places;
} chunk;

static const uint32_t *words_of(const host_encode_task *task, uint64_t first) {
  return (const uint32_t *)(const void *)host_bytes_of(task->args->segment_flags) + first / 32;
}

static void encode_mark(const host_encode_task *task, chunk *c) {
  const uint64_t *counts = (const void *)host_bytes_of(task->args->workspace);
  c->count = 0;
  for (uint64_t i = c->first; i < c->end; i += PART_ITEMS) {
    task->how->mark(task->args, (uint32_t)(i / PART_ITEMS), 0);
    c->count += counts[i / PART_ITEMS];
  }
}

/* Finds the beginning of a chunk's last run; the chunk has one. */
static uint64_t last_of(const host_encode_task *task, const chunk *c) {
  const uint32_t *words = words_of(task, c->first);
  uint64_t w = (c->end - c->first - 1) / 32;
  while (words[w] == 0) w--;
  return c->first + w * 32 + 31 - (uint32_t)__builtin_clz(words[w]);
}

/* The host_fold of encoding. */
static void encode_fold(void *work, host_link *link) {
  host_encode_task *task = work;
  chunk *c = (void *)link;
  c->place = task->place;
  c->last = task->last;
  c->has_last = task->place != 0;
  task->place += c->count;
  if (c->count != 0) task->last = c->own_last;
}

/* Writes the length of the run before each run of a part, whose places in the part are given. Without a run before the
 * first one there is one length less. */
static uint8_t *make_lengths(const chunk *c, uint64_t first, const uint32_t *places, uint32_t count, uint32_t bytes,
                             uint8_t *to) {
  const uint64_t before = first + places[0] - c->last;
  uint32_t *narrow = (void *)to;
  uint64_t *wide = (void *)to;
  const uint32_t has_last = c->has_last != 0;
  if (bytes == 4) {
    if (has_last) narrow[0] = (uint32_t)before;
    for (uint32_t k = 1; k < count; k++) narrow[k - 1 + has_last] = places[k] - places[k - 1];
  } else {
    if (has_last) wide[0] = before;
    for (uint32_t k = 1; k < count; k++) wide[k - 1 + has_last] = places[k] - places[k - 1];
  }
  return to + (count - 1 + has_last) * (size_t)bytes;
}

/* Finds the places in a part at which its `count` runs begin. */
static void find_places(const host_encode_task *task, const host_marked *part, uint32_t count, uint32_t *places) {
  host_marked own = *part;
  own.index = 0;
  if (count > FEW) {
    task->how->stores->index4((uint8_t *)places, &own);
    return;
  }
  for (uint32_t w = 0; w * 32 < part->items; w++)
    for (uint32_t word = part->words[w]; word != 0; word &= word - 1)
      *places++ = w * 32 + (uint32_t)__builtin_ctz(word);
}

static void write_lengths(const host_encode_task *task, chunk *c, const host_marked *part, uint32_t count) {
  if (count == 0) return;
  find_places(task, part, count, c->places);
  c->lengths.end = make_lengths(c, part->index, c->places, count, task->length_bytes, c->lengths.end);
  c->last = part->index + c->places[count - 1];
  c->has_last = 1;
}

static void write_buffer(const host_encode_task *task, output_buffer *buffer, uint32_t bytes, int is_all) {
  output_buffer_write(buffer, scan_host_select_stream(task->how->stores, task->n * bytes), is_all);
}

/* Writes the runs that begin in a part. */
static void write_part(const host_encode_task *task, chunk *c, uint64_t first) {
  const compress_stores *stores = task->how->stores;
  const uint32_t key_bytes = task->how->key_bytes;
  const uint32_t count =
      (uint32_t)((const uint64_t *)(const void *)host_bytes_of(task->args->workspace))[first / PART_ITEMS];
  const int is_all = c->end - first <= PART_ITEMS;
  const host_marked part = { .from = host_bytes_of(task->args->marks) + first * key_bytes,
                             .index = first,
                             .words = words_of(task, first),
                             .items = (uint32_t)(is_all ? c->end - first : PART_ITEMS),
                             .bytes = key_bytes };
  if (task->args->flags & SELECT_RUN_KEYS) {
    c->keys.end = scan_host_select_key_store(stores, key_bytes, count)(c->keys.end, &part);
    write_buffer(task, &c->keys, key_bytes, is_all);
  }
  if (task->start_bytes != 0) {
    c->starts.end = (task->start_bytes == 4 ? stores->index4 : stores->index8)(c->starts.end, &part);
    write_buffer(task, &c->starts, task->start_bytes, is_all);
  }
  if (task->length_bytes != 0) {
    write_lengths(task, c, &part, count);
    write_buffer(task, &c->lengths, task->length_bytes, is_all);
  }
}

static void open_buffer(const host_encode_task *task, output_buffer *buffer, scan_mem to, uint32_t bytes, uint64_t at) {
  output_buffer_open(buffer, to, bytes, at, task->args->capacity);
  buffer->end = buffer->area;
}

static void do_chunk(host_encode_task *task, host_thread *me, chunk *c) {
  const scan_kernel_args *args = task->args;
  c->first = c->link.number * task->chunk_items;
  c->end = task->n - c->first < task->chunk_items ? task->n : c->first + task->chunk_items;
  encode_mark(task, c);
  if (c->count != 0) c->own_last = last_of(task, c);
  scan_host_chain_pass(me, encode_fold, task, &c->link);
  const uint64_t place = c->place;
  if (c->count == 0) return;
  open_buffer(task, &c->keys, args->out, task->how->key_bytes, place);
  open_buffer(task, &c->starts, args->starts, task->start_bytes, place);
  open_buffer(task, &c->lengths, args->lengths, task->length_bytes, place != 0 ? place - 1 : 0);
  for (uint64_t i = c->first; i < c->end; i += PART_ITEMS) write_part(task, c, i);
}

void scan_host_encode_work(void *work, host_thread *me) {
  host_encode_task *task = work;
  uint8_t *const areas = task->thread_scratch + (size_t)me->thread_index * HOST_SELECT_SCRATCH_BYTES;
  chunk c = { .keys.area = areas,
              .starts.area = areas + AREA_BYTES,
              .lengths.area = areas + 2 * (size_t)AREA_BYTES,
              .places = (void *)(areas + 3 * (size_t)AREA_BYTES) };
  while (scan_host_claim(me, task->chunks, &c.link.number)) do_chunk(task, me, &c);
  scan_host_stream_done();
}
