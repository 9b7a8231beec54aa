/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/sort/host_sort_ordered.h"

#include <stdatomic.h>
#include <string.h>

#include "device/host/host_stream.h"

/* CHUNK_BYTES: keys that a thread takes at a time; they stay in its first-level cache. GLANCES spots of GLANCE_ITEMS
 * keys tell most keys that are in no order. Values are counted of more keys than LEAST_FEWS times as many as registers
 * hold. */
enum { LEAST_FEWS = 4 };
enum { CHUNK_BYTES = 32 << 10, GLANCES = 8, GLANCE_ITEMS = 16, STREAMED_BYTES = 8 << 20 };

typedef struct ordered_task {
  const host_sort_job *job;
  const host_sort_part *all;
  uint64_t chunk_items, chunks;
  int falls;              /* 1: each key is above the next one; 0: no key is */
  _Atomic uint32_t fails; /* 1: the keys are not as they must be */
  /* Used by scan_host_sort_by_values alone: */
  _Alignas(8) uint8_t values[SIMD_SORT_VALUES * 8]; /* the keys' values in order */
  uint32_t value_count;
  _Atomic uint64_t counts[SIMD_SORT_VALUES];
  int streams;
} ordered_task;

static void task_open(ordered_task *task, const host_sort_job *job, const host_sort_part *all) {
  task->job = job;
  task->all = all;
  task->chunk_items = CHUNK_BYTES / job->loops->key_bytes;
  task->chunks = (all->n - 1) / task->chunk_items + 1;
  atomic_init(&task->fails, 0);
}

static void run(const host_sort_crew *crew, host_pool_work *work, ordered_task *task) {
  const uint64_t bytes = task->all->n * (task->job->loops->key_bytes + task->job->loops->value_bytes);
  scan_host_pool_run(crew->pool, bytes <= crew->one_thread_bytes ? 1 : crew->threads, work, task);
}

static const uint8_t *keys_of(const ordered_task *task, uint64_t i) {
  return host_sort_keys(task->job, HOST_SORT_IN, task->all->begin + i);
}

static uint64_t items_of(const ordered_task *task, uint64_t chunk) {
  const uint64_t left = task->all->n - chunk * task->chunk_items;
  return left < task->chunk_items ? left : task->chunk_items;
}

static int has_failed(ordered_task *task) { return atomic_load_explicit(&task->fails, memory_order_relaxed) != 0; }

static void fail(ordered_task *task) { atomic_store_explicit(&task->fails, 1, memory_order_relaxed); }

/* ---- keys in order ---- */

static int are_ordered(const ordered_task *task, uint64_t i, uint64_t n) {
  const host_sort_job *job = task->job;
  if (job->simd != NULL) return job->simd->is_ordered(&job->order, keys_of(task, i), n, task->falls);
  return (task->falls ? job->loops->is_falling : job->loops->is_sorted)(&job->order, keys_of(task, i), n);
}

/* Looks at a few keys. Returns 0 if they are in no order. */
static int glance(ordered_task *task) {
  const uint64_t n = task->all->n, items = n < GLANCE_ITEMS ? n : GLANCE_ITEMS;
  task->falls = 0;
  if (!are_ordered(task, 0, items)) task->falls = 1;
  if (task->falls && !are_ordered(task, 0, items)) return 0;
  for (uint64_t i = 1; i <= GLANCES; i++)
    if (!are_ordered(task, (n - items) / GLANCES * i, items)) return 0;
  return 1;
}

static void look(void *work, host_thread *me) {
  ordered_task *task = work;
  for (uint64_t c; !has_failed(task) && scan_host_claim(me, task->chunks, &c);) {
    const uint64_t items = items_of(task, c);
    if (!are_ordered(task, c * task->chunk_items, items + (c + 1 < task->chunks))) fail(task);
  }
}

static void ordered_copy(void *work, host_thread *me) {
  ordered_task *task = work;
  for (uint64_t c; scan_host_claim(me, task->chunks, &c);) {
    host_sort_part chunk = *task->all;
    chunk.begin += c * task->chunk_items;
    chunk.n = items_of(task, c);
    scan_host_sort_copy(task->job, &chunk);
  }
}

/* Items from `first` up to, without it, `end` of n become those from the other end. In place a half of them is
 * exchanged with the other half. */
#define REVERSE(T)                                                                                                     \
  static void reverse_##T(void *to, const void *from, uint64_t n, uint64_t first, uint64_t end) {                      \
    T *out = to;                                                                                                       \
    const T *in = from;                                                                                                \
    for (uint64_t i = first; to != from && i < end; i++) out[i] = in[n - 1 - i];                                       \
    for (uint64_t i = first; to == from && i < end && i < n / 2; i++) {                                                \
      const T item = out[i];                                                                                           \
      out[i] = out[n - 1 - i];                                                                                         \
      out[n - 1 - i] = item;                                                                                           \
    }                                                                                                                  \
  }
typedef host_sort_bits two_words __attribute__((aligned(8)));
REVERSE(uint8_t)
REVERSE(uint16_t)
REVERSE(uint32_t)
REVERSE(uint64_t)
REVERSE(two_words)

static void reverse(uint32_t bytes, void *to, const void *from, uint64_t n, uint64_t first, uint64_t end) {
  if (bytes == 1) reverse_uint8_t(to, from, n, first, end);
  if (bytes == 2) reverse_uint16_t(to, from, n, first, end);
  if (bytes == 4) reverse_uint32_t(to, from, n, first, end);
  if (bytes == 8) reverse_uint64_t(to, from, n, first, end);
  if (bytes == 16) reverse_two_words(to, from, n, first, end);
}

static void write_indices(const host_sort_job *job, const host_sort_part *all, uint64_t first, uint64_t end) {
  void *to = host_sort_values(job, HOST_SORT_OUT, all->begin);
  const uint64_t last = all->begin + all->n - 1;
  if (job->loops->value_bytes == sizeof(uint32_t))
    for (uint64_t i = first; i < end; i++) ((uint32_t *)to)[i] = (uint32_t)(last - i);
  else
    for (uint64_t i = first; i < end; i++) ((uint64_t *)to)[i] = last - i;
}

static void ordered_reverse(void *work, host_thread *me) {
  const ordered_task *task = work;
  const host_sort_job *job = task->job;
  const host_sort_part *all = task->all;
  for (uint64_t c; scan_host_claim(me, task->chunks, &c);) {
    const uint64_t first = c * task->chunk_items, end = first + items_of(task, c);
    const uint8_t *values = host_sort_values(job, HOST_SORT_IN, all->begin);
    reverse(job->loops->key_bytes, host_sort_keys(job, HOST_SORT_OUT, all->begin), keys_of(task, 0), all->n, first,
            end);
    if (job->loops->value_bytes == 0) continue;
    if (values == NULL)
      write_indices(job, all, first, end);
    else
      reverse(job->loops->value_bytes, host_sort_values(job, HOST_SORT_OUT, all->begin), values, all->n, first, end);
  }
}

int scan_host_sort_ordered(const host_sort_crew *crew, const host_sort_job *job, const host_sort_part *all) {
  ordered_task task;
  if (job->simd != NULL && all->n <= job->simd->few_items) return 0; /* as fast in any order */
  task_open(&task, job, all);
  if (!glance(&task)) return 0;
  run(crew, look, &task);
  if (has_failed(&task)) return 0;
  run(crew, task.falls ? ordered_reverse : ordered_copy, &task);
  return 1;
}

/* ---- keys of few values ---- */

static void count(void *work, host_thread *me) {
  ordered_task *task = work;
  uint64_t counts[SIMD_SORT_VALUES] = { 0 };
  for (uint64_t c; !has_failed(task) && scan_host_claim(me, task->chunks, &c);)
    if (!task->job->simd->count_values(task->values, task->value_count, keys_of(task, c * task->chunk_items),
                                       items_of(task, c), counts))
      fail(task);
  for (uint32_t v = 0; v < task->value_count; v++)
    atomic_fetch_add_explicit(&task->counts[v], counts[v], memory_order_relaxed);
}

static void fill(void *work, host_thread *me) {
  ordered_task *task = work;
  const host_sort_job *job = task->job;
  const uint32_t bytes = job->loops->key_bytes;
  for (uint64_t c; scan_host_claim(me, task->chunks, &c);) {
    const uint64_t first = c * task->chunk_items, end = first + items_of(task, c);
    uint64_t begin = 0;
    for (uint32_t v = 0; v < task->value_count; v++) {
      const uint64_t stop = begin + atomic_load_explicit(&task->counts[v], memory_order_relaxed);
      const uint64_t low = begin > first ? begin : first, high = stop < end ? stop : end;
      if (low < high)
        job->simd->fill(task->values + (size_t)v * bytes, host_sort_keys(job, HOST_SORT_OUT, task->all->begin + low),
                        high - low, task->streams);
      begin = stop;
    }
  }
  scan_host_stream_done();
}

int scan_host_sort_by_values(const host_sort_crew *crew, const host_sort_job *job, const host_sort_part *all) {
  const host_sort_job *total = job->total != NULL ? job->total : job;
  host_sort_zeros zeros = { 0 };
  ordered_task task;
  if (total->simd == NULL || all->n <= LEAST_FEWS * total->simd->few_items) return 0;
  task_open(&task, total, all);
  task.value_count = total->simd->find_values(&total->order, keys_of(&task, 0), all->n, task.values);
  if (task.value_count == 0) return 0;
  for (uint32_t v = 0; v < task.value_count; v++) atomic_init(&task.counts[v], 0);
  run(crew, count, &task);
  if (has_failed(&task)) return 0;
  if (job->total != NULL && !host_sort_is_total(job, task.values, task.value_count, &zeros)) return 0;
  task.streams = all->n * total->loops->key_bytes >= STREAMED_BYTES;
  run(crew, fill, &task);
  return 1;
}
