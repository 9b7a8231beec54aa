/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file segment_totals.c
 * @brief Sums of the rows of a sparse matrix: one result for each segment of an array, beside a plain loop.
 *
 * Usage: segment_totals [--n ELEMENTS] [--rounds N]. Segments of several lengths, given by 32-bit offsets, are summed
 * by scan_segmented_reduce in memory of the device and by the loop on one thread, in turns. Prints medians, and the
 * ratio of both with its quartiles. Exit status: 0 the sums are right, which may differ by rounding; 1 they are wrong,
 * or a call failed; 77 there is no such device.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scanrt/scan_reduce.h>

#include "../apps/figures.h"
#include "program.h"

typedef struct rows {
  scan_ctx *ctx;
  scan_plan *plan;
  scan_mem in, begins, out;
  uint64_t n, count; /* elements and segments */
  float *x, *scan, *loop;
  uint32_t *offsets;
} rows;

/* Elements of a segment; 0: random, 0 to 39; UINT64_MAX: all. */
static const uint64_t lengths[] = { 1, 10, 100, 1000, 1000000, UINT64_MAX, 0 };
enum { LENGTHS = sizeof lengths / sizeof lengths[0], RANDOM_MOST = 40 };

static scan_status make_rows(rows *r) {
  const scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
  scan_status status = scan_plan_create_segmented_reduce(r->ctx, &spec, r->n, &r->plan);
  for (uint64_t i = 0; i < r->n; i++) r->x[i] = (float)(program_random(i) >> 8) * 0x1p-24f;
  if (status == SCAN_SUCCESS) status = scan_alloc(r->ctx, r->n * sizeof *r->x, &r->in);
  if (status == SCAN_SUCCESS) status = scan_alloc(r->ctx, (2 * r->n + 2) * sizeof *r->offsets, &r->begins);
  if (status == SCAN_SUCCESS) status = scan_alloc(r->ctx, (2 * r->n + 1) * sizeof *r->scan, &r->out);
  return status == SCAN_SUCCESS ? scan_write(r->ctx, r->in, r->x, r->n * sizeof *r->x) : status;
}

static scan_status divide(rows *r, uint64_t length) {
  uint64_t at = 0;
  for (r->count = 0; at < r->n && r->count < 2 * r->n; r->count++) {
    const uint64_t items = length != 0 ? length : program_random(r->count) % RANDOM_MOST;
    r->offsets[r->count] = (uint32_t)at;
    at += items < r->n - at ? items : r->n - at;
  }
  r->offsets[r->count] = (uint32_t)at;
  return scan_write(r->ctx, r->begins, r->offsets, (r->count + 1) * sizeof *r->offsets);
}

static scan_status run_scan(const rows *r) {
  const scan_segmented_reduce_args args = SCAN_SEGMENTED_REDUCE_ARGS_INIT(r->in, r->begins, r->count, r->out);
  const scan_status status = scan_plan_run_segmented_reduce(r->plan, r->n, &args);
  return status == SCAN_SUCCESS ? scan_sync(r->ctx) : status;
}

static void run_loop(rows *r) {
  for (uint64_t s = 0; s < r->count; s++) {
    float sum = 0;
    for (uint32_t i = r->offsets[s]; i < r->offsets[s + 1]; i++) sum += r->x[i];
    r->loop[s] = sum;
  }
}

/* The largest difference, relative to the sum. */
static double worst(const rows *r) {
  double most = 0;
  for (uint64_t s = 0; s < r->count; s++) {
    const double off = fabs((double)r->scan[s] - (double)r->loop[s]) / (1 + fabs((double)r->loop[s]));
    if (!(off <= most)) most = off;
  }
  return most;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static int measure(rows *r, uint64_t length, uint64_t rounds) {
  double scans[FIGURES_MOST_ROUNDS], loops[FIGURES_MOST_ROUNDS], ratios[FIGURES_MOST_ROUNDS];
  scan_status status = divide(r, length);
  if (status == SCAN_SUCCESS) status = run_scan(r);
  for (uint64_t i = 0; i < rounds && status == SCAN_SUCCESS; i++) {
    const double begin = figures_now();
    run_loop(r);
    const double middle = figures_now();
    status = run_scan(r);
    loops[i] = middle - begin;
    scans[i] = figures_now() - middle;
    ratios[i] = loops[i] / scans[i];
  }
  if (status == SCAN_SUCCESS) status = scan_read(r->ctx, r->out, r->scan, r->count * sizeof *r->scan);
  if (status != SCAN_SUCCESS) return program_status(r->ctx, status);
  qsort(scans, rounds, sizeof scans[0], compare);
  qsort(loops, rounds, sizeof loops[0], compare);
  qsort(ratios, rounds, sizeof ratios[0], compare);
  printf("%8llu segments: loop %8.3f ms, call %8.3f ms, ratio %.2f (%.2f to %.2f)\n", (unsigned long long)r->count,
         1e3 * loops[rounds / 2], 1e3 * scans[rounds / 2], ratios[rounds / 2], ratios[rounds / 4],
         ratios[rounds * 3 / 4]);
  return program_verdict("sums", worst(r), 1e-3 * sqrt((double)r->n) / 100);
}

int main(int argc, char **argv) {
  program_options o = { .n = 1 << 24, .rounds = 15 };
  int rc = program_parse(argc, argv, &o);
  rows r = { .n = o.n };
  r.x = malloc(r.n * sizeof *r.x);
  r.scan = malloc((2 * r.n + 1) * sizeof *r.scan);
  r.loop = malloc((2 * r.n + 1) * sizeof *r.loop);
  r.offsets = malloc((2 * r.n + 2) * sizeof *r.offsets);
  if (rc == 0 && (!r.x || !r.scan || !r.loop || !r.offsets)) rc = PROGRAM_WRONG;
  if (rc == 0) rc = program_open(0, &r.ctx);
  if (rc == 0) rc = program_status(r.ctx, make_rows(&r));
  for (int i = 0; i < LENGTHS && rc == 0; i++) rc = measure(&r, lengths[i], o.rounds);
  (void)scan_free(r.ctx, r.in);
  (void)scan_free(r.ctx, r.begins);
  (void)scan_free(r.ctx, r.out);
  scan_plan_destroy(r.plan);
  scan_ctx_destroy(r.ctx);
  free(r.x);
  free(r.scan);
  free(r.loop);
  free(r.offsets);
  return rc;
}
