/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_memory.c @brief Memory, entries and copies of `scanrt bench`, and work in chunks on several threads. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <scanrt/scan_cuda.h>

/* ---- chunks by several threads ---- */

enum { MOST_THREADS = 16 };

typedef struct split {
  uint64_t chunks;
  atomic_uint_fast64_t next;
  void (*work)(void *state, uint64_t chunk);
  void *state;
} split;

static void *work_on_chunks(void *argument) {
  split *s = (split *)argument;
  for (uint64_t chunk; (chunk = atomic_fetch_add(&s->next, 1)) < s->chunks;) s->work(s->state, chunk);
  return NULL;
}

uint64_t bench_chunks(uint64_t n) { return (n + BENCH_CHUNK - 1) / BENCH_CHUNK; }

uint64_t bench_chunk_end(uint64_t n, uint64_t chunk) {
  const uint64_t end = (chunk + 1) * BENCH_CHUNK;
  return end < n ? end : n;
}

void bench_each_chunk(uint64_t n, void (*work)(void *state, uint64_t chunk), void *state) {
  const uint64_t chunks = bench_chunks(n);
  split s = { .chunks = chunks, .work = work, .state = state };
  pthread_t threads[MOST_THREADS];
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  uint64_t helpers = processors < 1 ? 0 : processors > MOST_THREADS ? MOST_THREADS - 1 : (uint64_t)processors - 1;
  uint64_t started = 0;
  if (helpers >= chunks) helpers = chunks ? chunks - 1 : 0;
  atomic_init(&s.next, 0);
  /* If a thread cannot be started, the others take its chunks. */
  while (started < helpers && pthread_create(&threads[started], NULL, work_on_chunks, &s) == 0) started++;
  (void)work_on_chunks(&s);
  while (started > 0) pthread_join(threads[--started], NULL);
}

void bench_note_lowest(atomic_uint_fast64_t *lowest, uint64_t place) {
  uint_fast64_t seen = atomic_load(lowest);
  while (place < seen && !atomic_compare_exchange_weak(lowest, &seen, place)) continue;
}

/* ---- memory ---- */

enum { ALIGNMENT = 256, MOST_POISON_BYTES = 16 << 20 };

int bench_forward(const bench_state *bench, scan_status status) {
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(bench->ctx, status, bench->info.selector);
}

uint64_t bench_aligned(uint64_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

scan_status bench_memory_make(const bench_state *bench, uint64_t bytes, bench_memory *memory) {
  if (bytes == 0) return SCAN_SUCCESS;
  memory->bytes = bytes;
  if (bench->info.backend != SCAN_BACKEND_HOST) return scan_alloc(bench->ctx, bytes, &memory->mem);
  memory->host = aligned_alloc(ALIGNMENT, (size_t)bench_aligned(bytes));
  memory->mem = scan_host(memory->host);
  return memory->host ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
}

void bench_memory_free(const bench_state *bench, bench_memory *memory) {
  if (bench->info.backend != SCAN_BACKEND_HOST) (void)scan_free(bench->ctx, memory->mem);
  free(memory->host);
  *memory = (bench_memory){ .host = NULL };
}

void *bench_pointer(const bench_state *bench, const scan_mem *mem) {
  if (mem->kind == SCAN_MEM_NONE) return NULL;
  if (bench->info.backend == SCAN_BACKEND_HOST) return (char *)mem->handle + mem->offset_bytes;
  if (bench->info.backend == SCAN_BACKEND_OPENCL) return (void *)(uintptr_t)mem;
  return (void *)(uintptr_t)scan_cuda_ptr(*mem);
}

scan_status bench_poison_make(const bench_state *bench, uint64_t bytes, bench_memory *poison) {
  if (bytes > MOST_POISON_BYTES) bytes = MOST_POISON_BYTES;
  unsigned char *values = malloc((size_t)bytes);
  if (!values) return SCAN_OUT_OF_MEMORY;
  memset(values, BENCH_POISON_BYTE, (size_t)bytes);
  scan_status status = bench_memory_make(bench, bytes, poison);
  if (status == SCAN_SUCCESS) status = scan_write(bench->ctx, poison->mem, values, bytes);
  free(values);
  return status;
}

/** Copies from device memory, which takes a tenth of the time of a transfer over the bus. */
scan_status bench_memory_poison(const bench_state *bench, const bench_memory *poison, const bench_memory *memory) {
  scan_status status = SCAN_SUCCESS;
  for (uint64_t at = 0; at < memory->bytes && status == SCAN_SUCCESS; at += poison->bytes) {
    const uint64_t left = memory->bytes - at;
    status =
        scan_copy(bench->ctx, scan_offset(memory->mem, at), poison->mem, left < poison->bytes ? left : poison->bytes);
  }
  return status;
}

/* ---- entries ---- */

int bench_entries_make(bench_state *bench) {
  bench->entries = calloc(BENCH_MAX_ENTRIES, sizeof *bench->entries);
  return bench->entries ? CLI_OK : cli_fail("no memory for the timings");
}

bench_entry *bench_add(bench_state *bench, bench_role role, int (*start)(bench_entry *, uint64_t), uint64_t bytes,
                       const char *label, ...) {
  bench_entry *s = &bench->entries[bench->entry_count++];
  va_list args;
  memset(s, 0, sizeof *s);
  s->bench = bench;
  s->role = role;
  s->start = start;
  s->axis = -1;
  s->expect = BENCH_EXPECT_SEQUENTIAL; /* bit for bit */
  s->bytes = bytes;
  va_start(args, label);
  vsnprintf(s->label, sizeof s->label, label, args);
  va_end(args);
  memcpy(s->series, s->label, sizeof s->series);
  return s;
}

bench_entry *bench_add_peer(bench_state *bench, const bench_peer *peer, int (*start)(bench_entry *, uint64_t),
                            uint64_t bytes, void *state, void (*end)(void *state)) {
  bench_entry *s = bench_add(bench, BENCH_PEER, start, bytes, "%s %s", peer->name, peer->release);
  s->peer = peer;
  s->peer_state = state;
  s->peer_end = end;
  return s;
}

int bench_wrong(bench_entry *s, const char *format, ...) {
  char words[320];
  va_list args;
  va_start(args, format);
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  cli_say_failure("%s: %s, %s: %s", s->bench->info.selector, s->label, bench_mode_name(s->bench->mode), words);
  s->wrong = 1;
  return CLI_OK;
}

static int restore(bench_entry *s) {
  return bench_forward(s->bench, scan_copy(s->bench->ctx, s->to->mem, s->from->mem, s->from->bytes));
}

void bench_restored(bench_entry *s, const bench_memory *from, const bench_memory *to) {
  s->from = from;
  s->to = to;
  s->restore = restore;
}

static bench_entry *memory_copies(bench_entry *s, const bench_memory *from, const bench_memory *to) {
  s->from = from;
  s->to = to;
  s->expect = BENCH_EXPECT_NOTHING;
  return s;
}

static int start_copy(bench_entry *s, uint64_t pair) {
  const uint64_t at = pair * s->bench->buffers.stride_bytes;
  return bench_forward(
      s->bench, scan_copy(s->bench->ctx, scan_offset(s->to->mem, at), scan_offset(s->from->mem, at), s->bytes / 2));
}

static int start_memcpy(bench_entry *s, uint64_t pair) {
  (void)pair;
  memcpy(s->to->host, s->from->host, (size_t)(s->bytes / 2));
  return CLI_OK;
}

static int start_memcpy_by_all(bench_entry *s, uint64_t pair) {
  (void)pair;
  bench_copier_run(s->bench->copier, s->to->host, s->from->host, (size_t)(s->bytes / 2));
  return CLI_OK;
}

bench_entry *bench_add_copy(bench_state *bench, const char *label, uint64_t bytes, const bench_memory *from,
                            const bench_memory *to) {
  return memory_copies(bench_add(bench, BENCH_COPY, start_copy, bytes, "%s", label), from, to);
}

bench_entry *bench_add_memcpy(bench_state *bench, int by_all, uint64_t bytes, const bench_memory *from,
                              const bench_memory *to) {
  return memory_copies(by_all ? bench_add(bench, BENCH_MEMCPY, start_memcpy_by_all, bytes, "memcpy by %u threads",
                                          bench->info.compute_units)
                              : bench_add(bench, BENCH_MEMCPY, start_memcpy, bytes, "memcpy"),
                       from, to);
}

void bench_add_limit(bench_state *bench, uint64_t bytes, const bench_memory *from, const bench_memory *to) {
  if (bench->info.backend == SCAN_BACKEND_HOST)
    bench_add_memcpy(bench, bench->copier != NULL, bytes, from, to);
  else
    bench_add_copy(bench, "copy", bytes, from, to);
}
