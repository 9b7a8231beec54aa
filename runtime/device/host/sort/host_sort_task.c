/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/sort/host_sort_task.h"

#include <stdatomic.h>
#include <string.h>

#include "device/host/host_stream.h"
#include "kernels_cl/sort/sort.h"

/* A thread takes several chunks of keys, so that a descheduled thread leaves some to others. All threads divide a part
 * that exceeds its share, one of PARTS_A_THREAD a thread. Arrays from STREAMED_BYTES on, and ranges, are written past
 * the caches. */
enum { CHUNKS_A_THREAD = SORT_CHUNKS_A_THREAD, PARTS_A_THREAD = SORT_PARTS_A_THREAD, LEAST_CHUNK = 1 << 14 };
enum { STREAMED_BYTES = 8 << 20, BLOCK_ITEMS = 4096 };
/* Up to PIVOTS_BYTES of keys alone one thread divides by pivots for up to PIVOTS_THREADS threads. */
enum { PIVOTS_BYTES = 8 << 20, PIVOTS_THREADS = 4 };
_Static_assert(sizeof(host_sort_scratch) <= HOST_SORT_SCRATCH_BYTES,
               "a thread's memory does not fit in its scratch memory");
_Static_assert((size_t)SIMD_SORT_SAMPLE_BYTES <= (size_t)HOST_SORT_SCRATCH_BYTES,
               "a sample does not fit in a thread's memory");

/* ---- the shared task ---- */

/* Flags of properties found in keys: a key is above the next one, zeros of either sign, NaNs that only the total order
 * separates. */
enum { FOUND_UNSORTED = 1, FOUND_ZERO = 2, FOUND_NEGATIVE_ZERO = 4, FOUND_NANS = 8 };

typedef struct sort_task {
  host_sort_job job;
  const host_sort_crew *crew;
  uint64_t *counts; /* for each chunk the number of keys of each digit, then the digits' places */
  uint64_t digit_starts[HOST_SORT_DIGITS + 1]; /* beginnings of the digits' parts, in key order */
  uint8_t parts[HOST_SORT_DIGITS];             /* digits whose parts one thread sorts, the largest first */
  uint32_t part_count;
  host_sort_part *stack; /* parts that are still to be divided, or that are divided by pivots */
  host_sort_part part;   /* the part that is being divided */
  host_sort_place to;
  host_sort_digit digit;
  int has_ranges; /* 1: by ranges in place of a digit, whose parts are those of the ranges */
  simd_sort_ranges ranges;
  uint64_t chunk_items, chunks;
  _Atomic uint64_t differ[2];   /* bits in which keys differ: lower and upper 64 */
  _Atomic uint32_t found;       /* FOUND_* */
  const host_sort_job *numeric; /* replaces the job if the total order gives keys other places; NULL: `job` is right */
  host_sort_order flipped;      /* the order of keys that are changed back at the end */
} sort_task;

static void run_phase(sort_task *task, host_pool_work *work) {
  scan_host_pool_run(task->crew->pool, task->crew->threads, work, task);
}

static host_sort_scratch *scratch_of(const sort_task *task, const host_thread *me) {
  return (void *)(task->crew->thread_scratch + (size_t)me->thread_index * HOST_SORT_SCRATCH_BYTES);
}

static host_sort_part chunk_of(const sort_task *task, uint64_t number) {
  const uint64_t first = number * task->chunk_items, left = task->part.n - first;
  host_sort_part chunk = task->part;
  chunk.begin += first;
  chunk.n = left < task->chunk_items ? left : task->chunk_items;
  return chunk;
}

static void task_open(sort_task *task, const host_sort_crew *crew, uint64_t *counts) {
  task->crew = crew;
  task->counts = counts;
  task->stack = (void *)(counts + (size_t)crew->threads * CHUNKS_A_THREAD * HOST_SORT_DIGITS);
}

/* ---- phases ---- */

/* Returns what the total order separates. */
static uint32_t find_numeric(const host_sort_job *numeric, const void *keys, uint64_t n) {
  host_sort_zeros zeros = { 0 };
  const int is_total = host_sort_is_total(numeric, keys, n, &zeros);
  const uint32_t found = (zeros.positive ? FOUND_ZERO : 0) | (zeros.negative ? FOUND_NEGATIVE_ZERO : 0);
  return is_total || (zeros.positive && zeros.negative) ? found : found | FOUND_NANS;
}

/* Counts the chunk's digits. looks: 1 to examine the keys meanwhile, while they are in the cache. */
static void count_chunk(sort_task *task, uint64_t number, int looks) {
  const host_sort_job *job = &task->job;
  const host_sort_part chunk = chunk_of(task, number), *part = &task->part;
  const void *first = host_sort_keys(job, part->place, part->begin);
  uint64_t *counts = task->counts + number * HOST_SORT_DIGITS;
  host_sort_bits differ = 0;
  uint32_t found = 0;
  memset(counts, 0, HOST_SORT_DIGITS * sizeof *counts);
  for (uint64_t i = 0; i < chunk.n; i += BLOCK_ITEMS) {
    const void *keys = host_sort_keys(job, chunk.place, chunk.begin + i);
    const uint64_t items = chunk.n - i < BLOCK_ITEMS ? chunk.n - i : BLOCK_ITEMS;
    const uint64_t is_last = chunk.begin + i + items == part->begin + part->n;
    if (task->has_ranges)
      job->simd->count(&job->order, &task->ranges, keys, items, counts);
    else
      job->loops->count(task->digit, keys, items, counts);
    if (!looks) continue;
    differ |= host_sort_vary(job, keys, items, first);
    if (task->numeric != NULL) found |= find_numeric(task->numeric, keys, items);
    if (!(found & FOUND_UNSORTED) && !host_sort_is_sorted(job, keys, items + !is_last)) found |= FOUND_UNSORTED;
  }
  differ &= job->order.mask;
  if (!looks) return;
  atomic_fetch_or_explicit(&task->found, found, memory_order_relaxed);
  for (int i = 0; i < 2; i++)
    atomic_fetch_or_explicit(&task->differ[i], (uint64_t)(differ >> 64 * i), memory_order_relaxed);
}

static void look(void *work, host_thread *me) {
  sort_task *task = work;
  for (uint64_t c; scan_host_claim(me, task->chunks, &c);) count_chunk(task, c, 1);
}

static void digits_count(void *work, host_thread *me) {
  sort_task *task = work;
  for (uint64_t c; scan_host_claim(me, task->chunks, &c);) count_chunk(task, c, 0);
}

static void sort_copy(void *work, host_thread *me) {
  sort_task *task = work;
  for (uint64_t c; scan_host_claim(me, task->chunks, &c);) {
    const host_sort_part chunk = chunk_of(task, c);
    scan_host_sort_copy(&task->job, &chunk);
  }
}

static void move(void *work, host_thread *me) {
  sort_task *task = work;
  const host_sort_job *job = &task->job;
  host_sort_scratch *scratch = scratch_of(task, me);
  for (uint64_t c; scan_host_claim(me, task->chunks, &c);) {
    const host_sort_part chunk = chunk_of(task, c);
    host_sort_move m = scan_host_sort_move_of(job, &chunk, task->to, task->digit);
    m.places = task->counts + c * HOST_SORT_DIGITS;
    m.lines = scratch->lines;
    m.streams = task->has_ranges || task->part.n * (job->loops->key_bytes + job->loops->value_bytes) >= STREAMED_BYTES;
    if (task->has_ranges)
      job->simd->move(&job->order, &task->ranges, &m);
    else
      job->loops->move_lines(&m);
  }
  scan_host_stream_done();
}

static host_sort_part part_of(const sort_task *task, uint32_t i) {
  return (host_sort_part){ .begin = task->digit_starts[i],
                           .n = task->digit_starts[i + 1] - task->digit_starts[i],
                           .place = task->to,
                           .end_byte = task->has_ranges ? task->part.end_byte : task->digit.byte };
}

/* Sorts parts. If they are in the output, a thread uses the same spare memory for each, which stays in its cache. */
static void sort_parts(void *work, host_thread *me) {
  sort_task *task = work;
  host_sort_scratch *scratch = scratch_of(task, me);
  const uint64_t share = task->part.n / task->crew->threads;
  for (uint64_t i; scan_host_claim(me, task->part_count, &i);) {
    const host_sort_part part = part_of(task, task->parts[i]);
    host_sort_job job = task->job;
    if (task->to == HOST_SORT_OUT && part_of(task, task->parts[0]).n <= share / 2)
      scan_host_sort_move_spare(&job, part.begin, task->part.begin + me->thread_index * share);
    scan_host_sort_part(&job, scratch, &part, 0);
  }
  scan_host_stream_done();
}

/* ---- dividing a part by all threads ---- */

static void open_part(sort_task *task, const host_sort_part *part) {
  const uint64_t chunks = (uint64_t)task->crew->threads * CHUNKS_A_THREAD;
  task->part = *part;
  task->chunk_items = part->n / chunks + 1;
  if (task->chunk_items < LEAST_CHUNK) task->chunk_items = LEAST_CHUNK;
  task->chunks = part->n / task->chunk_items + (part->n % task->chunk_items != 0);
  for (int i = 0; i < 2; i++) atomic_store_explicit(&task->differ[i], 0, memory_order_relaxed);
  atomic_store_explicit(&task->found, 0, memory_order_relaxed);
}

/* Turns the chunks' counts into places. */
static void make_places(sort_task *task) {
  const host_sort_flips flips =
      task->has_ranges ? (host_sort_flips){ 0 } : scan_host_sort_flips_of(&task->job, &task->part, task->digit);
  uint64_t place = task->part.begin;
  for (uint32_t i = 0; i < HOST_SORT_DIGITS; i++) {
    uint64_t *count = task->counts + host_sort_flipped(flips, i);
    task->digit_starts[i] = place;
    for (uint64_t c = 0; c < task->chunks; c++, count += HOST_SORT_DIGITS) {
      const uint64_t keys = *count;
      *count = place;
      place += keys;
    }
  }
  task->digit_starts[HOST_SORT_DIGITS] = place;
}

/* Lists the parts of up to `most` keys, sorted by size within a factor of two, the largest first. */
static void list_parts(sort_task *task, uint64_t most) {
  task->part_count = 0;
  for (int size = 63; size >= 0; size--)
    for (uint32_t i = 0; i < HOST_SORT_DIGITS; i++) {
      const uint64_t n = part_of(task, i).n;
      if (n > 0 && n <= most && 63 - __builtin_clzll(n) == size) task->parts[task->part_count++] = (uint8_t)i;
    }
}

/* Finds ranges for loops of vector registers. */
static void find_ranges(sort_task *task) {
  const host_sort_job *job = &task->job;
  task->has_ranges = job->simd != NULL;
  if (task->has_ranges)
    job->simd->find_ranges(&job->order, host_sort_keys(job, task->part.place, task->part.begin), task->part.n,
                           task->crew->thread_scratch, &task->ranges);
}

/* 1 if a range, or a byte, has all keys. */
static int is_undivided(const sort_task *task) {
  for (uint32_t i = 0; i < HOST_SORT_DIGITS; i++) {
    uint64_t n = 0;
    for (uint64_t c = 0; c < task->chunks; c++) n += task->counts[c * HOST_SORT_DIGITS + i];
    if (n == task->part.n) return 1;
  }
  return 0;
}

/* Counts the keys of the part by ranges or by the highest digit that may differ, and examines them. Replaces the total
 * order by the numeric one if these give the keys different places. */
static void look_at_part(sort_task *task) {
  const host_sort_job *numeric = task->numeric;
  const uint32_t zeros = FOUND_ZERO | FOUND_NEGATIVE_ZERO;
  task->digit = scan_host_sort_highest(&task->job,
                                       task->job.order.mask & (HOST_SORT_ALL_BITS >> (128 - 8 * task->part.end_byte)));
  find_ranges(task);
  run_phase(task, look);
  task->numeric = NULL;
  if (numeric == NULL || ((task->found & zeros) != zeros && !(task->found & FOUND_NANS))) return;
  task->job = *numeric;
  open_part(task, &task->part);
  look_at_part(task);
}

/* Divides the part by ranges, or by its highest digit that differs. Returns 0 if the keys are sorted already or by
 * this. */
static int divide(sort_task *task) {
  const host_sort_job *job = &task->job;
  look_at_part(task);
  const host_sort_bits differ = (host_sort_bits)task->differ[1] << 64 | task->differ[0];
  if (differ == 0 || !(task->found & FOUND_UNSORTED)) {
    run_phase(task, sort_copy);
    return 0;
  }
  const uint32_t bytes = scan_host_sort_bytes(differ);
  if (is_undivided(task)) {
    task->has_ranges = 0;
    task->digit = scan_host_sort_highest(job, differ);
    run_phase(task, digits_count);
  }
  task->to = scan_host_sort_next(job, task->part.place, task->has_ranges || bytes % 2);
  make_places(task);
  run_phase(task, move);
  if (bytes > 1 || task->has_ranges) return 1;
  task->part.place = task->to;
  if (task->to != HOST_SORT_OUT) run_phase(task, sort_copy);
  return 0;
}

static void sort_all(sort_task *task, const host_sort_part *all) {
  const uint64_t most = all->n / ((uint64_t)task->crew->threads * PARTS_A_THREAD) + 1;
  host_sort_part *stack = task->stack;
  uint32_t left = 1;
  stack[0] = *all;
  while (left > 0) {
    open_part(task, &stack[--left]);
    if (!divide(task)) continue;
    list_parts(task, most);
    run_phase(task, sort_parts);
    for (uint32_t i = 0; i < HOST_SORT_DIGITS; i++)
      if (part_of(task, i).n > most) stack[left++] = part_of(task, i);
  }
}

/* ---- keys that become integers first ---- */

static void flip(void *work, host_thread *me) {
  sort_task *task = work;
  const host_sort_job *job = &task->job;
  for (uint64_t c; scan_host_claim(me, task->chunks, &c);) {
    const host_sort_part chunk = chunk_of(task, c);
    job->loops->flip(&job->order, host_sort_keys(job, chunk.place, chunk.begin),
                     host_sort_keys(job, HOST_SORT_OUT, chunk.begin), chunk.n);
    scan_host_sort_copy_values(job, &chunk);
  }
}

static void flip_back(void *work, host_thread *me) {
  sort_task *task = work;
  const host_sort_job *job = &task->job;
  for (uint64_t c; scan_host_claim(me, task->chunks, &c);) {
    const host_sort_part chunk = chunk_of(task, c);
    job->loops->flip_back(&task->flipped, host_sort_keys(job, HOST_SORT_OUT, chunk.begin), chunk.n);
  }
}

static void sort_flipped(sort_task *task, const host_sort_part *all) {
  const host_sort_part there = { .begin = all->begin, .n = all->n, .place = HOST_SORT_OUT, .end_byte = all->end_byte };
  open_part(task, all);
  run_phase(task, flip);
  task->flipped = task->job.order;
  task->job.order.flipped = task->job.order.negative = 0;
  sort_all(task, &there);
  open_part(task, all);
  run_phase(task, flip_back);
}

/* ---- few keys alone ---- */

static void sort_divided(void *work, host_thread *me) {
  sort_task *task = work;
  for (uint64_t i; scan_host_claim(me, task->part_count, &i);)
    scan_host_sort_part(&task->job, scratch_of(task, me), &task->stack[i], 0);
}

/* Divides the largest part by a pivot. Returns 0 if it is small enough, or has no keys above the pivot. */
static int divide_largest(sort_task *task, uint64_t enough) {
  host_sort_part *part = task->stack, *upper = &task->stack[task->part_count];
  for (uint32_t i = 1; i < task->part_count; i++)
    if (task->stack[i].n > part->n) part = &task->stack[i];
  if (part->n <= enough) return 0;
  const simd_sort_memory memory = scan_host_sort_memory_of(&task->job, part);
  const uint64_t below = task->job.simd->divide(&task->job.order, &memory, part->n);
  const int is_spare = part->place == HOST_SORT_SPARE, is_divided = below < part->n;
  *upper = *part;
  upper->place = is_spare ? HOST_SORT_OUT : HOST_SORT_SPARE;
  upper->begin += below;
  upper->n -= below;
  part->place = is_spare ? HOST_SORT_SPARE : HOST_SORT_OUT;
  part->n = below;
  task->part_count += (uint32_t)is_divided;
  return is_divided;
}

int scan_host_sort_by_pivots(const host_sort_crew *crew, const host_sort_job *job, const host_sort_part *all,
                             uint64_t *counts) {
  const host_sort_job *total = job->total != NULL ? job->total : job;
  const uint64_t bytes = all->n * job->loops->key_bytes;
  if (total->simd == NULL || bytes > PIVOTS_BYTES || crew->threads > PIVOTS_THREADS) return 0;
  if (all->n <= total->simd->few_items) return 0;
  if (scan_host_sort_job_for(job, all->begin, all->n) != total) return 0;
  sort_task task = { .job = *total, .part_count = 1 };
  if (scan_host_sort_differ(total, all) == 0) {
    scan_host_sort_copy(total, all);
    return 1;
  }
  task_open(&task, crew, counts);
  task.stack[0] = *all;
  while (task.part_count < crew->threads * PARTS_A_THREAD && divide_largest(&task, all->n / 5 * 6 / crew->threads))
    ;
  run_phase(&task, sort_divided);
  return 1;
}

void scan_host_sort_by_threads(const host_sort_crew *crew, const host_sort_job *job, const host_sort_part *all,
                               uint64_t *counts) {
  const int is_numeric = job->total != NULL;
  sort_task task = { .job = is_numeric ? *job->total : *job, .numeric = is_numeric ? job : NULL };
  const host_sort_order *order = &task.job.order;
  task_open(&task, crew, counts);
  /* Floating-point keys become integers if the sign is not among the sorted bits. */
  if (order->negative != 0 && (order->mask & ~order->negative) == 0)
    sort_flipped(&task, all);
  else
    sort_all(&task, all);
}
