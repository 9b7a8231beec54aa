/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/sort/host_sort_segments.h"

#include "device/host/output_buffer.h"
#include "device/host/sort/host_sort_part.h"
#include "device/host/host_stream.h"
#include "kernels_cl/sort/sort.h"

/* CHUNKS_A_THREAD: chunks of keys for each thread; LEAST_CHUNK: their least number of keys. One thread sorts a segment
 * of up to LEAST_SHARED keys, or of up to the share that allows SEGMENTS_A_THREAD for each thread. COST: sorting a key
 * takes at least as long as scanning so many; SIMD_COST: by registers. */
enum { CHUNKS_A_THREAD = 16, LEAST_CHUNK = 1024, LEAST_SHARED = 1 << 16, SEGMENTS_A_THREAD = SORT_PARTS_A_THREAD };
enum { COST = 32, SIMD_COST = 8 };

typedef struct segments_task {
  host_sort_job job;
  const host_sort_crew *crew;
  const uint8_t *offsets;
  uint64_t segments;
  int are_wide;
  uint64_t most; /* the most keys of a segment that one thread sorts */
  uint64_t chunk_items, chunks;
} segments_task;

/* ---- offsets ---- */

/* Returns offset i, limited to the number of keys. */
static uint64_t offset_of(const segments_task *task, uint64_t i) {
  const uint64_t offset = task->are_wide ? ((const uint64_t *)(const void *)task->offsets)[i]
                                         : ((const uint32_t *)(const void *)task->offsets)[i];
  return offset < task->job.n ? offset : task->job.n;
}

/* Returns the first offset from `begin` to `end` that is not below `key`; `end` if there is none. */
static uint64_t search(const segments_task *task, uint64_t begin, uint64_t end, uint64_t key) {
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    if (offset_of(task, middle) < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* Returns the last of the segments that begin with the same key as `segment`. */
static uint64_t last_alike(const segments_task *task, uint64_t segment, uint64_t key) {
  uint64_t low = segment, step = 1;
  while (step <= task->segments - low && offset_of(task, low + step) <= key) {
    low += step;
    step *= 2;
  }
  return search(task, low + 1, low + step <= task->segments ? low + step : task->segments + 1, key + 1) - 1;
}

/* ---- one segment ---- */

/* Sorts a segment. Few keys are compared, by vector registers if their loops sort this order. */
static void sort_segment(const segments_task *task, host_sort_scratch *scratch, uint64_t begin, uint64_t n) {
  const host_sort_part part = { .begin = begin, .n = n, .place = HOST_SORT_IN, .end_byte = task->job.loops->key_bytes };
  const host_sort_job *job = &task->job;
  if (n > HOST_SORT_FEW || (job->total != NULL && job->total->simd != NULL))
    job = scan_host_sort_job_for(job, begin, n);
  if (n <= HOST_SORT_FEW && job->simd == NULL) {
    const host_sort_move few = { .keys = host_sort_keys(job, HOST_SORT_IN, begin),
                                 .keys_to = host_sort_keys(job, HOST_SORT_OUT, begin),
                                 .values = host_sort_values(job, HOST_SORT_IN, begin),
                                 .values_to = host_sort_values(job, HOST_SORT_OUT, begin),
                                 .index = begin,
                                 .n = n };
    job->loops->compare(&job->order, &few);
  } else {
    scan_host_sort_by_one(job, scratch, &part);
  }
}

/* 1 if no other chunk sorts a part of the segment, which can happen if offsets are not ascending: the first offset in
 * each chunk that the segment reaches into must be the next segment's. */
static int is_alone(const segments_task *task, uint64_t segment, uint64_t chunk, uint64_t end) {
  for (uint64_t key = (chunk + 1) * task->chunk_items; key < end; key += task->chunk_items)
    if (search(task, 0, task->segments + 1, key) != segment + 1) return 0;
  return 1;
}

static void sort_chunk(const segments_task *task, host_sort_scratch *scratch, uint64_t chunk) {
  const uint64_t first = chunk * task->chunk_items;
  const uint64_t end = task->job.n - first < task->chunk_items ? task->job.n : first + task->chunk_items;
  uint64_t s = search(task, 0, task->segments + 1, first);
  uint64_t begin = s < task->segments ? offset_of(task, s) : end;
  while (s < task->segments && begin < end) {
    const uint64_t next = offset_of(task, s + 1);
    if (next <= begin) {
      s = last_alike(task, s + 1, begin);
      continue;
    }
    if (next - begin <= task->most && (next <= end || is_alone(task, s, chunk, next)))
      sort_segment(task, scratch, begin, next - begin);
    begin = next;
    s++;
  }
}

static void sort_chunks(void *work, host_thread *me) {
  segments_task *task = work;
  host_sort_scratch *scratch =
      (void *)(task->crew->thread_scratch + (size_t)me->thread_index * HOST_SORT_SCRATCH_BYTES);
  for (uint64_t c; scan_host_claim(me, task->chunks, &c);) sort_chunk(task, scratch, c);
  scan_host_stream_done();
}

/* ---- large segments ---- */

/* Sorts the segments of more than `most` keys with all threads. Each has a key whose index is a multiple of `most`; the
 * first of these finds it. */
static void sort_large(const segments_task *task, uint64_t *counts) {
  uint64_t done = 0;
  for (uint64_t key = 0; key < task->job.n; key += task->most) {
    const uint64_t s = search(task, 0, task->segments + 1, key + 1);
    if (key < done || s == 0 || s > task->segments) continue;
    const uint64_t begin = offset_of(task, s - 1), end = offset_of(task, s);
    if (end <= begin || end - begin <= task->most) continue;
    scan_host_sort_by_all(task->crew, &task->job, begin, end - begin, counts);
    done = end;
  }
}

/* ---- a launch ---- */

void scan_host_sort_segments_run(const host_sort_crew *crew, const host_sort *how, const scan_kernel_args *args) {
  host_sort_crew own = *crew;
  segments_task task = { .crew = &own,
                         .offsets = host_bytes_of(args->marks),
                         .segments = args->count,
                         .are_wide = (args->flags & SORT_WIDE_OFFSETS) != 0 };
  host_sort_job job[2];
  scan_host_sort_open(job, how, args);
  task.job = job[0];
  const uint64_t n = task.job.n;
  if (n == 0) return;
  const uint64_t cost = task.job.simd != NULL ? SIMD_COST : COST;
  if (n * task.job.loops->key_bytes <= crew->one_thread_bytes / cost) own.threads = 1;
  task.most = own.threads == 1 ? n : n / ((uint64_t)own.threads * SEGMENTS_A_THREAD) + 1;
  if (task.most < LEAST_SHARED) task.most = LEAST_SHARED;
  task.chunk_items = own.threads == 1 ? n : n / ((uint64_t)own.threads * CHUNKS_A_THREAD) + 1;
  if (task.chunk_items < LEAST_CHUNK) task.chunk_items = LEAST_CHUNK;
  task.chunks = n / task.chunk_items + (n % task.chunk_items != 0);
  scan_host_pool_run(own.pool, own.threads, sort_chunks, &task);
  if (task.most < n) sort_large(&task, (uint64_t *)(void *)host_bytes_of(args->digits));
}
