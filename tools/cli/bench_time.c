/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_time.c @brief Batches, rounds, medians. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdlib.h>

static const double BATCH_SECONDS = 2e-3;
enum { MAX_BATCH = 1 << 20 };

/** Times one batch. @param[out] seconds of the whole batch */
static scan_status time_batch(bench_subject *subject, double *seconds) {
  double begun = cli_seconds();
  scan_status status = SCAN_SUCCESS;
  for (uint64_t i = 0; i < subject->batch && status == SCAN_SUCCESS; i++) status = subject->start(subject->state);
  scan_status finished = subject->finish(subject->state);
  *seconds = cli_seconds() - begun;
  return status != SCAN_SUCCESS ? status : finished;
}

/** Finds the batch; the batches tried are the warm-up. */
static scan_status find_batch(bench_subject *subject) {
  double seconds = 0;
  subject->batch = 1;
  scan_status status = time_batch(subject, &seconds);
  while (status == SCAN_SUCCESS && subject->batch < MAX_BATCH) {
    status = time_batch(subject, &seconds);
    if (seconds > BATCH_SECONDS) break;
    subject->batch *= 2;
  }
  return status;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

scan_status bench_measure(bench_subject *subjects, size_t count, uint64_t reps) {
  scan_status status = SCAN_SUCCESS;
  for (size_t s = 0; s < count && status == SCAN_SUCCESS; s++) status = find_batch(&subjects[s]);
  for (uint64_t rep = 0; rep < reps; rep++)
    for (size_t s = 0; s < count && status == SCAN_SUCCESS; s++) {
      double seconds = 0;
      status = time_batch(&subjects[s], &seconds);
      subjects[s].seconds[rep] = seconds / (double)subjects[s].batch;
    }
  for (size_t s = 0; s < count && status == SCAN_SUCCESS; s++)
    qsort(subjects[s].seconds, (size_t)reps, sizeof(double), ascending);
  return status;
}

/** The value at a part of the sorted list, between neighbours in proportion. */
static double quantile(const double *sorted, uint64_t count, double part) {
  double at = part * (double)(count - 1);
  uint64_t low = (uint64_t)at;
  uint64_t high = low + 1 < count ? low + 1 : low;
  return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}

bench_result bench_evaluate(const bench_subject *subject, uint64_t reps) {
  bench_result result = { .median_seconds = quantile(subject->seconds, reps, 0.5) };
  double quartiles = quantile(subject->seconds, reps, 0.75) - quantile(subject->seconds, reps, 0.25);
  result.spread = result.median_seconds > 0 ? quartiles / result.median_seconds : 0;
  return result;
}
