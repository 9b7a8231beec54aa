/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/sort/host_sort.h"

#include <stdatomic.h>
#include <string.h>

#include "base/types.h"
#include "device/host/output_buffer.h"
#include "device/host/sort/host_sort_part.h"
#include "device/host/host_stream.h"
#include "kernels_cl/sort/sort.h"

_Static_assert(sizeof(host_sort_part) <= SORT_PART_BYTES, "a part does not fit in its memory");

/* A thread takes several chunks of keys, so that a descheduled thread leaves some to others. All threads divide a part
 * that exceeds its share, one of PARTS_A_THREAD a thread. Arrays from STREAMED_BYTES on are written past the caches. */
enum { CHUNKS_A_THREAD = SORT_CHUNKS_A_THREAD, PARTS_A_THREAD = SORT_PARTS_A_THREAD, LEAST_CHUNK = 1 << 14 };
enum { STREAMED_BYTES = 8 << 20, BLOCK_ITEMS = 4096 };
_Static_assert(sizeof(host_sort_scratch) <= HOST_SORT_SCRATCH_BYTES,
               "a thread's memory does not fit in its scratch memory");

/* ---- kernels ---- */

host_sort scan_host_sort_find(const scan_kernel_key *key) {
  const int is_wide = strcmp(key->kernel, "sort_threads_wide") == 0;
  const int has_segments = strcmp(key->kernel, "sort_segments_threads") == 0;
  const uint32_t bytes = (uint32_t)scan_type_bytes(key->type) * (is_wide ? 2 : 1);
  host_sort found = { .by_values = { NULL }, .has_segments = has_segments };
  if (!is_wide && !has_segments && strcmp(key->kernel, "sort_threads") != 0) return found;
  for (uint32_t v = 0; v < 3; v++) {
    found.by_values[v] = scan_host_sort_loops_for(bytes, 4 * v, 0, 0);
    found.swapped[v] = scan_host_sort_loops_for(bytes, 4 * v, 1, 0);
    found.numeric[v] = scan_host_sort_loops_for(bytes, 4 * v, 0, 1);
  }
  return found;
}

/* ---- the shared task ---- */

typedef struct sort_task {
  host_sort_job job;
  const host_sort_crew *crew;
  uint64_t *counts; /* for each chunk the number of keys of each digit, then the digits' places */
  uint64_t digit_starts[HOST_SORT_DIGITS + 1]; /* beginnings of the digits' parts, in key order */
  uint8_t parts[HOST_SORT_DIGITS];             /* digits whose parts one thread sorts, the largest first */
  uint32_t part_count;
  host_sort_part part; /* the part that is being divided */
  host_sort_place to;
  host_sort_digit digit;
  uint64_t chunk_items, chunks;
  _Atomic uint64_t differ[2]; /* bits in which keys differ: lower and upper 64 */
  _Atomic int is_unsorted;
  host_sort_order flipped; /* the order of keys that are changed back at the end */
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

/* ---- phases ---- */

/* Counts the chunk's digits. looks: 1 to find out meanwhile, with the keys in the cache, whether there is anything to
 * sort. */
static void count_chunk(sort_task *task, uint64_t number, int looks) {
  const host_sort_job *job = &task->job;
  const host_sort_part chunk = chunk_of(task, number), *part = &task->part;
  const void *first = host_sort_keys(job, part->place, part->begin);
  uint64_t *counts = task->counts + number * HOST_SORT_DIGITS;
  host_sort_bits differ = 0;
  int is_sorted = looks;
  memset(counts, 0, HOST_SORT_DIGITS * sizeof *counts);
  for (uint64_t i = 0; i < chunk.n; i += BLOCK_ITEMS) {
    const void *keys = host_sort_keys(job, chunk.place, chunk.begin + i);
    const uint64_t items = chunk.n - i < BLOCK_ITEMS ? chunk.n - i : BLOCK_ITEMS;
    const uint64_t is_last = chunk.begin + i + items == part->begin + part->n;
    job->loops->count(task->digit, keys, items, counts);
    if (looks) differ |= job->loops->vary(&job->order, keys, items, first);
    if (is_sorted) is_sorted = job->loops->is_sorted(&job->order, keys, items + !is_last);
  }
  if (looks && !is_sorted) atomic_store_explicit(&task->is_unsorted, 1, memory_order_relaxed);
  differ &= job->order.mask;
  for (int i = 0; looks && i < 2; i++)
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
    m.streams = task->part.n * (job->loops->key_bytes + job->loops->value_bytes) >= STREAMED_BYTES;
    job->loops->move_lines(&m);
  }
  scan_host_stream_done();
}

static host_sort_part part_of(const sort_task *task, uint32_t i) {
  return (host_sort_part){ .begin = task->digit_starts[i],
                           .n = task->digit_starts[i + 1] - task->digit_starts[i],
                           .place = task->to,
                           .end_byte = task->digit.byte };
}

static void sort_parts(void *work, host_thread *me) {
  sort_task *task = work;
  host_sort_scratch *scratch = scratch_of(task, me);
  for (uint64_t i; scan_host_claim(me, task->part_count, &i);) {
    const host_sort_part part = part_of(task, task->parts[i]);
    scan_host_sort_part(&task->job, scratch, &part, 0);
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
  atomic_store_explicit(&task->is_unsorted, 0, memory_order_relaxed);
}

/* Turns the chunks' counts into places. */
static void make_places(sort_task *task) {
  const host_sort_flips flips = scan_host_sort_flips_of(&task->job, &task->part, task->digit);
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

/* Divides the part by its highest digit that differs. The digit is guessed, and counted again if all keys have the same
 * one. Returns 0 if the keys are sorted already or by this. */
static int divide(sort_task *task) {
  const host_sort_job *job = &task->job;
  const host_sort_bits may_differ = job->order.mask & (HOST_SORT_ALL_BITS >> (128 - 8 * task->part.end_byte));
  task->digit = scan_host_sort_highest(job, may_differ);
  run_phase(task, look);
  const host_sort_bits differ = (host_sort_bits)task->differ[1] << 64 | task->differ[0];
  if (differ == 0 || !task->is_unsorted) {
    run_phase(task, sort_copy);
    return 0;
  }
  const uint32_t guessed = task->digit.byte, bytes = scan_host_sort_bytes(differ);
  task->digit = scan_host_sort_highest(job, differ);
  if (task->digit.byte != guessed) run_phase(task, digits_count);
  task->to = scan_host_sort_next(job, task->part.place, bytes % 2);
  make_places(task);
  run_phase(task, move);
  if (bytes > 1) return 1;
  task->part.place = task->to;
  if (task->to != HOST_SORT_OUT) run_phase(task, sort_copy);
  return 0;
}

static void sort_all(sort_task *task, const host_sort_part *all) {
  const uint64_t most = all->n / ((uint64_t)task->crew->threads * PARTS_A_THREAD) + 1;
  host_sort_part *stack = (void *)(task->counts + (size_t)task->crew->threads * CHUNKS_A_THREAD * HOST_SORT_DIGITS);
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

/* 1 if floating-point keys are converted to integers first: if the sign is not among the sorted bits or not sorted by
 * first. Keys in the numeric order are not: their integers do not tell which NaN or zero a key was. */
static int is_flipped(const sort_task *task, int is_small) {
  const host_sort_order *order = &task->job.order;
  return order->negative != 0 && !task->job.loops->is_numeric && (is_small || (order->mask & ~order->negative) == 0);
}

static void sort_parted(sort_task *task, const host_sort_part *all, int is_small) {
  if (!is_small) {
    sort_all(task, all);
    return;
  }
  scan_host_sort_part(&task->job, (void *)task->crew->thread_scratch, all, 0);
  scan_host_stream_done();
}

static void sort_flipped(sort_task *task, const host_sort_part *all, int is_small) {
  const host_sort_part there = { .begin = all->begin, .n = all->n, .place = HOST_SORT_OUT, .end_byte = all->end_byte };
  open_part(task, all);
  run_phase(task, flip);
  task->flipped = task->job.order;
  task->job.order.flipped = task->job.order.negative = 0;
  sort_parted(task, &there, is_small);
  open_part(task, all);
  run_phase(task, flip_back);
}

/* ---- keys in the numeric order ---- */

/* Notes the signs of a chunk's zeros, and NaNs that the total order would separate. */
static void find_zeros(void *work, host_thread *me) {
  sort_task *task = work;
  const host_sort_job *job = &task->job;
  for (uint64_t c; scan_host_claim(me, task->chunks, &c);) {
    const host_sort_part chunk = chunk_of(task, c);
    host_sort_zeros zeros = { 0 };
    const void *keys = host_sort_keys(job, chunk.place, chunk.begin);
    if (!job->loops->is_total(&job->order, keys, chunk.n, &zeros))
      atomic_store_explicit(&task->is_unsorted, 1, memory_order_relaxed);
    if (zeros.positive) atomic_store_explicit(&task->differ[0], 1, memory_order_relaxed);
    if (zeros.negative) atomic_store_explicit(&task->differ[1], 1, memory_order_relaxed);
  }
}

/* Replaces the numeric order by the total one if both give the keys the same places. */
static void choose_order(sort_task *task, const host_sort_part *all, int is_small) {
  if (task->job.total == NULL) return;
  if (is_small) {
    task->job = *scan_host_sort_job_for(&task->job, all->begin, all->n);
    return;
  }
  open_part(task, all);
  run_phase(task, find_zeros);
  if (!task->is_unsorted && !(task->differ[0] && task->differ[1])) task->job = *task->job.total;
}

/* ---- a launch ---- */

static uint64_t infinity_of(uint32_t flags, uint32_t key_bytes) {
  if (key_bytes == 2) return flags & SORT_BRAIN ? 0x7f80 : 0x7c00;
  return key_bytes == 4 ? 0x7f800000 : UINT64_C(0x7ff) << 52;
}

static host_sort_order order_of(const scan_kernel_args *args, uint32_t key_bytes) {
  const host_sort_bits all = HOST_SORT_ALL_BITS >> (128 - 8 * key_bytes);
  const host_sort_bits sign = (host_sort_bits)1 << (8 * key_bytes - 1);
  const uint32_t bits = args->end_bit - args->first_bit;
  host_sort_order order = { .mask = (HOST_SORT_ALL_BITS >> (128 - bits)) << args->first_bit };
  if (args->flags & SORT_NUMERIC)
    order.infinity = infinity_of(args->flags, key_bytes);
  else if (args->flags & (SORT_SIGNED | SORT_FLOAT))
    order.flipped = sign;
  if (order.flipped != 0 && args->flags & SORT_WORDS) order.flipped |= sign >> 4 * key_bytes;
  if (args->flags & SORT_FLOAT) order.negative = all ^ sign;
  if (args->flags & SORT_DESCENDING) order.flipped ^= all;
  return order;
}

static uint64_t keys_that_are(const scan_kernel_args *args) {
  if (!(args->flags & SORT_N_FROM)) return args->n;
  const uint64_t found = *(const uint64_t *)(const void *)host_bytes_of(args->n_from);
  if (found <= args->n) return found;
  *(uint64_t *)(void *)host_bytes_of(args->n_overflow) = found;
  return args->n;
}

/* 1 if the halves of two-word keys must be swapped to compare as integers: if the first word is the more significant
 * one; on big-endian processors if it is the less significant one. */
static int are_swapped(uint32_t flags) {
  const int is_big_endian = host_sort_byte(0, 2) != 0;
  return (flags & SORT_WORDS) != 0 && ((flags & SORT_HIGH_FIRST) != 0) != is_big_endian;
}

static void open_job(host_sort_job *job, const host_sort *how, const scan_kernel_args *args) {
  const uint32_t flags = args->flags, bytes = !(flags & SORT_VALUES) ? 0 : flags & SORT_WIDE_VALUES ? 8 : 4;
  const host_sort_loops *const *by_values = flags & SORT_NUMERIC ? how->numeric : how->by_values;
  *job =
      (host_sort_job){ .loops = (are_swapped(flags) ? how->swapped : by_values)[bytes / 4],
                       .keys = { host_bytes_of(args->in), host_bytes_of(args->out), host_bytes_of(args->keys_spare) },
                       .n = keys_that_are(args),
                       .in_place = (flags & SORT_IN_PLACE) != 0 };
  job->order = order_of(args, job->loops->key_bytes);
  if (bytes == 0) return;
  if (!(flags & SORT_INDICES)) job->values[HOST_SORT_IN] = host_bytes_of(args->values_in);
  job->values[HOST_SORT_OUT] = host_bytes_of(args->values_out);
  job->values[HOST_SORT_SPARE] = host_bytes_of(args->values_spare);
}

void scan_host_sort_open(host_sort_job *job, const host_sort *how, const scan_kernel_args *args) {
  scan_kernel_args total = *args;
  total.flags &= ~SORT_NUMERIC;
  open_job(&job[0], how, args);
  open_job(&job[1], how, &total);
  if (args->flags & SORT_NUMERIC) job[0].total = &job[1];
}

void scan_host_sort_by_all(const host_sort_crew *crew, const host_sort_job *job, uint64_t begin, uint64_t n,
                           uint64_t *counts) {
  sort_task task = { .job = *job, .crew = crew };
  const host_sort_part all = { .begin = begin, .n = n, .place = HOST_SORT_IN, .end_byte = job->loops->key_bytes };
  task.counts = counts;
  choose_order(&task, &all, 0);
  if (is_flipped(&task, 0))
    sort_flipped(&task, &all, 0);
  else
    sort_all(&task, &all);
}

void scan_host_sort_run(const host_sort_crew *crew, const host_sort *how, const scan_kernel_args *args) {
  host_sort_crew own = *crew;
  host_sort_job job[2];
  scan_host_sort_open(job, how, args);
  sort_task task = { .job = job[0] };
  const host_sort_part all = { .n = task.job.n, .place = HOST_SORT_IN, .end_byte = task.job.loops->key_bytes };
  const int is_small = all.n * task.job.loops->key_bytes <= crew->one_thread_bytes;
  if (all.n == 0) return;
  if (is_small) own.threads = 1;
  task.crew = &own;
  task.counts = (void *)host_bytes_of(args->digits);
  choose_order(&task, &all, is_small);
  if (is_flipped(&task, is_small))
    sort_flipped(&task, &all, is_small);
  else
    sort_parted(&task, &all, is_small);
}
