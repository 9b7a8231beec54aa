/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_time.c @brief Warm-up, batches, rounds, medians. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "progress.h"

#include <stdlib.h>

static const double BATCH_SECONDS = 2e-3;
/* Host-mode batches fit the queue of a CUDA stream (1,024 calls), so that no call waits for a free entry. */
enum { MAX_BATCH = 1 << 20, MAX_GRAPH_CALLS = 1000, HOST_BATCH = 200 };

/* ---- one batch ---- */

static int is_host_work(const bench_entry *s) { return s->role == BENCH_LOOP || s->role == BENCH_MEMCPY; }

/** Waits for the entry's work, and fails if it failed on the device. */
static int time_finish(bench_entry *s) {
  if (is_host_work(s)) {
    /* Keeps the compiler from dropping the work, whose result is unused. */
    __asm__ volatile("" : : "r"(s->bench->buffers.staging.host) : "memory");
    return CLI_OK;
  }
  scan_status status = scan_sync(s->bench->ctx);
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(s->bench->ctx, status, s->bench->info.selector);
}

/** Makes a batch of calls, which rotate through the pairs of buffers. */
static int start_batch(bench_entry *s) {
  int rc = CLI_OK;
  for (uint64_t i = 0; i < s->batch && rc == CLI_OK; i++) rc = s->start(s, s->calls++ % s->bench->buffers.pairs);
  return rc;
}

static int start_graphs(bench_entry *s) {
  int rc = CLI_OK;
  for (uint64_t i = 0; i < s->batch && rc == CLI_OK; i++) rc = bench_graph_launch(s->graph);
  /* Each launch uses the same pairs. */
  s->calls = s->graph_calls;
  return rc;
}

/** Times a batch by the host's clock, from the first call to the end of the work. */
static int time_by_host(bench_entry *s, double *seconds) {
  double begun = cli_seconds();
  int rc = start_batch(s);
  if (rc == CLI_OK) rc = time_finish(s);
  *seconds = cli_seconds() - begun;
  return rc;
}

/** Times a batch by events on the device, so that no synchronisation is included. */
static int time_by_events(bench_entry *s, int (*start)(bench_entry *), double *seconds) {
  bench_cuda *cuda = s->bench->cuda;
  int rc = bench_cuda_mark(cuda, 0);
  if (rc == CLI_OK) rc = start(s);
  if (rc == CLI_OK) rc = bench_cuda_mark(cuda, 1);
  if (rc == CLI_OK) rc = bench_cuda_elapsed(cuda, seconds);
  return rc == CLI_OK ? time_finish(s) : rc;
}

/** Times a batch by the host's clock, until the calls have returned. */
static int time_calls(bench_entry *s, double *seconds) {
  double begun = cli_seconds();
  int rc = start_batch(s);
  *seconds = cli_seconds() - begun;
  return rc == CLI_OK ? time_finish(s) : rc;
}

static int time_together(bench_entry *s, double *seconds) {
  if (s->bench->mode == BENCH_HOST) return time_calls(s, seconds);
  if (!s->bench->cuda || is_host_work(s) || s->bench->measurement->by_host) return time_by_host(s, seconds);
  return time_by_events(s, s->graph ? start_graphs : start_batch, seconds);
}

/** Times each call by itself, after restoring its input. With events, no host wait lies between the two. */
static int time_restored(bench_entry *s, double *seconds) {
  const uint64_t batch = s->batch;
  int rc = CLI_OK;
  *seconds = 0;
  s->batch = 1;
  for (uint64_t i = 0; i < batch && rc == CLI_OK; i++) {
    double one = 0;
    rc = s->restore(s);
    if (rc == CLI_OK && !s->bench->cuda) rc = time_finish(s);
    if (rc == CLI_OK) rc = time_together(s, &one);
    *seconds += one;
  }
  s->batch = batch;
  return rc;
}

/** Times a batch. @param[out] seconds  of the whole batch */
static int time_batch(bench_entry *s, double *seconds) {
  const bench_kind *measurement = s->bench->measurement;
  if (measurement->begin) measurement->begin(s->bench);
  const int rc = s->restore ? time_restored(s, seconds) : time_together(s, seconds);
  return measurement->end ? measurement->end(s->bench, rc, seconds) : rc;
}

/* ---- checks ---- */

static int time_poison(bench_entry *s) {
  s->calls = 0;
  return s->expect == BENCH_EXPECT_NOTHING ? CLI_OK : s->bench->measurement->poison(s);
}

static int time_check(bench_entry *s) {
  return s->expect == BENCH_EXPECT_NOTHING ? CLI_OK : s->bench->measurement->check(s);
}

static int check_alone(bench_entry *s) {
  const bench_kind *measurement = s->bench->measurement;
  return s->expect == BENCH_EXPECT_NOTHING || !measurement->check_alone ? CLI_OK : measurement->check_alone(s);
}

/* ---- warm-up ---- */

/** Finds the batch size; the trial batches are the warm-up. @param[out] seconds  of the last batch */
static int find_batch(bench_entry *s, double *seconds) {
  s->batch = 1;
  int rc = time_batch(s, seconds);
  while (rc == CLI_OK && s->batch < MAX_BATCH) {
    rc = time_batch(s, seconds);
    if (rc != CLI_OK || *seconds > BATCH_SECONDS) break;
    s->batch *= 2;
  }
  return rc;
}

static int record_call(void *state, uint64_t i) {
  bench_entry *s = (bench_entry *)state;
  return s->start(s, i % s->bench->buffers.pairs);
}

/** Records a graph of about 2 ms of eager calls. Replayed it takes less, and 1 ms is enough to hide the launch. */
static int record_graph(bench_entry *s, double seconds_of_call) {
  double calls = BATCH_SECONDS / seconds_of_call + 1;
  s->graph_calls = calls < MAX_GRAPH_CALLS ? (uint64_t)calls : MAX_GRAPH_CALLS;
  return bench_graph_record(s->bench->cuda, s->graph_calls, record_call, s, &s->graph);
}

static int warm_up(bench_entry *s) {
  double seconds = 0;
  if (s->bench->mode == BENCH_HOST) {
    s->batch = HOST_BATCH;
    return time_batch(s, &seconds);
  }
  int rc = find_batch(s, &seconds);
  if (rc != CLI_OK || s->bench->mode != BENCH_GRAPH) return rc;
  rc = record_graph(s, seconds / (double)s->batch);
  /* Ensures that output of the eager calls is not taken for the graph's. */
  if (rc == CLI_OK) rc = time_poison(s);
  return rc == CLI_OK ? find_batch(s, &seconds) : rc;
}

static int time_prepare(bench_entry *s) {
  int rc = check_alone(s);
  if (rc == CLI_OK && !s->wrong) rc = time_poison(s);
  if (rc == CLI_OK && !s->wrong) rc = warm_up(s);
  return rc == CLI_OK && !s->wrong ? time_check(s) : rc;
}

/* ---- rounds ---- */

static int time_round(bench_entry *s, uint64_t round) {
  double seconds = 0;
  int rc = time_batch(s, &seconds);
  s->seconds[round] = seconds / (double)s->batch / (double)(s->graph ? s->graph_calls : 1);
  return rc;
}

/** Times the last round, and checks its result. */
static int time_last_round(bench_entry *s, uint64_t round) {
  int rc = time_poison(s);
  if (rc == CLI_OK) rc = time_round(s, round);
  if (rc == CLI_OK) rc = time_check(s);
  return rc == CLI_OK && !s->wrong ? check_alone(s) : rc;
}

static int time_ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/** Shuffles the entries each round. In a fixed order an entry that follows one with spinning threads is always
 * slower (PoCL, 2^15 int32: 41 us instead of 9). */
static void time_shuffle(uint32_t *order, size_t count, uint64_t *state) {
  for (size_t i = count; i > 1; i--) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    size_t other = (size_t)((*state >> 33) % i);
    uint32_t kept = order[i - 1];
    order[i - 1] = order[other];
    order[other] = kept;
  }
}

/** Returns rc, or CLI_OK if the entry's failure is forgiven. */
static int forgiven(bench_entry *s, int rc) {
  return rc != CLI_OK && s->bench->watch ? s->bench->watch->forgives(s, rc) : rc;
}

/** Times one round of all entries that are not wrong. --versus marks a peer that fails, and goes on. */
static int time_entry(bench_entry *s, uint64_t round) {
  const int is_last = round + 1 == s->bench->rounds;
  const int rc = is_last ? time_last_round(s, round) : time_round(s, round);
  return forgiven(s, rc);
}

int bench_measure(bench_state *bench) {
  uint64_t state = 1;
  uint32_t order[BENCH_MAX_ENTRIES];
  progress bar;
  uint64_t done = 0;
  int rc = CLI_OK;
  bench->rounds = bench->request->reps;
  progress_begin_timed(&bar, "timing", bench->entry_count * (bench->rounds + 1));
  for (size_t i = 0; i < bench->entry_count && rc == CLI_OK; i++) {
    if (!bench->entries[i].wrong) rc = forgiven(&bench->entries[i], time_prepare(&bench->entries[i]));
    progress_set(&bar, ++done);
  }
  for (size_t i = 0; i < bench->entry_count; i++) order[i] = (uint32_t)i;
  for (uint64_t round = 0; round < bench->rounds; round++) {
    const double begun = cli_seconds();
    time_shuffle(order, bench->entry_count, &state);
    for (size_t i = 0; i < bench->entry_count && rc == CLI_OK; i++) {
      bench_entry *s = &bench->entries[order[i]];
      if (!s->wrong) rc = time_entry(s, round);
      progress_set(&bar, ++done);
    }
    if (round == 0 && bench->watch) bench->rounds = bench->watch->rounds(bench, cli_seconds() - begun);
  }
  progress_end(&bar);
  for (size_t i = 0; i < bench->entry_count; i++)
    qsort(bench->entries[i].seconds, (size_t)bench->rounds, sizeof(double), time_ascending);
  return rc;
}

/* ---- medians ---- */

/** Returns a quantile of the sorted times, interpolated between neighbours. */
static double quantile(const double *sorted, uint64_t count, double part) {
  double at = part * (double)(count - 1);
  uint64_t low = (uint64_t)at;
  uint64_t high = low + 1 < count ? low + 1 : low;
  return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}

static bench_result summary(const double *sorted, uint64_t count) {
  bench_result result = { .median_seconds = quantile(sorted, count, 0.5), .least_seconds = sorted[0] };
  const double quartiles = quantile(sorted, count, 0.75) - quantile(sorted, count, 0.25);
  result.spread = result.median_seconds > 0 ? quartiles / result.median_seconds : 0;
  return result;
}

bench_result bench_evaluate(const bench_entry *entry, uint64_t reps) { return summary(entry->seconds, reps); }

bench_result bench_summarise(double *seconds, uint64_t count) {
  qsort(seconds, (size_t)count, sizeof *seconds, time_ascending);
  return summary(seconds, count);
}
