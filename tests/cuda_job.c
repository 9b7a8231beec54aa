/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda_job.h"

#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_driver.h"
#include "support.h"

uint64_t cuda_job_most(void) { return cuda_driver_is_fake() ? 9001 : 150001; }

uint32_t cuda_job_draw(void) {
  static uint32_t seed = 1;
  seed = seed * 1664525u + 1013904223u;
  return seed >> 8;
}

static scan_status make_plan(cuda_job *j, scan_strategy strategy) {
  scan_spec scan = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, sizeof(uint32_t));
  scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan.strategy = strategy;
  if (j->kind == CUDA_JOB_SEGMENTED) scan.segments = SCAN_SEGMENTS_OFFSETS, scan.key_type = SCAN_U32;
  if (j->kind == CUDA_JOB_SORT_SEGMENTS) sort.offset_type = SCAN_U32;
  if (j->kind == CUDA_JOB_SCAN || j->kind == CUDA_JOB_SEGMENTED)
    return scan_plan_create(j->ctx, &scan, cuda_job_most(), &j->plan);
  if (j->kind == CUDA_JOB_SELECT) return scan_plan_create_select(j->ctx, &select, cuda_job_most(), &j->plan);
  return scan_plan_create_sort(j->ctx, &sort, cuda_job_most(), &j->plan);
}

int cuda_job_open(cuda_job *j, scan_ctx *ctx, cuda_job_kind kind, scan_strategy strategy) {
  const uint64_t bytes = cuda_job_most() * sizeof(uint32_t);
  *j = (cuda_job){ .ctx = ctx, .kind = kind };
  const scan_status status = make_plan(j, strategy);
  if (status == SCAN_UNSUPPORTED) {
    test_skipped("job %d: %s", (int)kind, scan_last_error(j->ctx));
    return 0;
  }
  test_ok(j->ctx, status, "making a plan");
  test_ok(j->ctx, scan_alloc(j->ctx, bytes, &j->in), "scan_alloc");
  test_ok(j->ctx, scan_alloc(j->ctx, bytes, &j->out), "scan_alloc");
  test_ok(j->ctx, scan_alloc(j->ctx, bytes, &j->marks), "scan_alloc");
  test_ok(j->ctx, scan_alloc(j->ctx, sizeof(uint64_t), &j->count), "scan_alloc");
  j->values = calloc(4, bytes);
  assert_non_null(j->values);
  j->results = j->values + cuda_job_most();
  j->want = j->results + cuda_job_most();
  j->flags = (unsigned char *)(j->want + cuda_job_most());
  return 1;
}

void cuda_job_close(cuda_job *j) {
  scan_plan_destroy(j->plan);
  test_ok(j->ctx, scan_free(j->ctx, j->in), "scan_free");
  test_ok(j->ctx, scan_free(j->ctx, j->out), "scan_free");
  test_ok(j->ctx, scan_free(j->ctx, j->marks), "scan_free");
  test_ok(j->ctx, scan_free(j->ctx, j->count), "scan_free");
  free(j->values);
}

static int by_value(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Draws ascending offsets from 0 to n; some segments are empty. */
static void draw_offsets(cuda_job *j) {
  for (int s = 0; s < CUDA_JOB_SEGMENTS; s++) j->offsets[s] = s == 0 ? 0 : cuda_job_draw() % (uint32_t)(j->n + 1);
  j->offsets[CUDA_JOB_SEGMENTS] = (uint32_t)j->n;
  qsort(j->offsets, CUDA_JOB_SEGMENTS + 1, sizeof j->offsets[0], by_value);
}

static void want_sums(cuda_job *j) {
  float sum = 0;
  for (uint64_t i = 0, s = 0; i < j->n; i++) {
    const float value = (float)(cuda_job_draw() % 8);
    memcpy(&j->values[i], &value, sizeof value);
    int starts_segment = 0;
    for (; j->kind == CUDA_JOB_SEGMENTED && s <= CUDA_JOB_SEGMENTS && j->offsets[s] <= i; s++) starts_segment = 1;
    sum = starts_segment ? value : sum + value;
    memcpy(&j->want[i], &sum, sizeof sum);
  }
}

static void want_kept(cuda_job *j) {
  const uint32_t share = cuda_job_draw() % 101;
  j->kept = 0;
  for (uint64_t i = 0; i < j->n; i++) {
    j->values[i] = cuda_job_draw();
    j->flags[i] = cuda_job_draw() % 100 < share;
    if (j->flags[i]) j->want[j->kept++] = j->values[i];
  }
}

static void want_sorted(cuda_job *j) {
  const int is_one = j->kind == CUDA_JOB_SORT;
  for (uint64_t i = 0; i < j->n; i++) j->want[i] = j->values[i] = cuda_job_draw() << 8 ^ cuda_job_draw();
  for (int s = 0; s < (is_one ? 1 : CUDA_JOB_SEGMENTS); s++) {
    const uint64_t first = is_one ? 0 : j->offsets[s], end = is_one ? j->n : j->offsets[s + 1];
    qsort(j->want + first, end - first, sizeof j->want[0], by_value);
  }
}

void cuda_job_fill(cuda_job *j, uint64_t n) {
  j->n = j->kept = n;
  draw_offsets(j);
  if (j->kind == CUDA_JOB_SCAN || j->kind == CUDA_JOB_SEGMENTED) want_sums(j);
  if (j->kind == CUDA_JOB_SELECT) want_kept(j);
  if (j->kind == CUDA_JOB_SORT || j->kind == CUDA_JOB_SORT_SEGMENTS) want_sorted(j);
  memset(j->results, 0xee, n * sizeof(uint32_t));
  test_ok(j->ctx, scan_write(j->ctx, j->out, j->results, n * sizeof(uint32_t)), "scan_write");
  test_ok(j->ctx, scan_write(j->ctx, j->in, j->values, n * sizeof(uint32_t)), "scan_write");
  if (j->kind == CUDA_JOB_SELECT)
    test_ok(j->ctx, scan_write(j->ctx, j->marks, j->flags, n), "scan_write");
  else
    test_ok(j->ctx, scan_write(j->ctx, j->marks, j->offsets, sizeof j->offsets), "scan_write");
}

void cuda_job_run(cuda_job *j, uint64_t n) {
  scan_args scan = SCAN_ARGS_INIT(j->in, j->out);
  const scan_select_args select = SCAN_SELECT_ARGS_INIT(j->marks, j->in, j->out, j->count);
  scan_sort_args sort = SCAN_SORT_ARGS_INIT(j->in, j->out);
  if (j->kind == CUDA_JOB_SEGMENTED) scan.marks = j->marks, scan.mark_count = CUDA_JOB_SEGMENTS;
  if (j->kind == CUDA_JOB_SORT_SEGMENTS) sort.offsets = j->marks, sort.segments = CUDA_JOB_SEGMENTS;
  if (j->kind == CUDA_JOB_SCAN || j->kind == CUDA_JOB_SEGMENTED)
    test_ok(j->ctx, scan_plan_run_args(j->plan, n, &scan), "scan_plan_run");
  if (j->kind == CUDA_JOB_SELECT) test_ok(j->ctx, scan_plan_run_select(j->plan, n, &select), "scan_plan_run_select");
  if (j->kind == CUDA_JOB_SORT || j->kind == CUDA_JOB_SORT_SEGMENTS)
    test_ok(j->ctx, scan_plan_run_sort(j->plan, n, &sort), "scan_plan_run_sort");
}

void cuda_job_check(cuda_job *j, const char *how) {
  uint64_t kept = 0;
  test_ok(j->ctx, scan_read(j->ctx, j->out, j->results, j->n * sizeof(uint32_t)), "scan_read");
  if (j->kind == CUDA_JOB_SELECT) {
    test_ok(j->ctx, scan_read(j->ctx, j->count, &kept, sizeof kept), "scan_read");
    if (kept != j->kept) test_fail("%s: %d kept, not %d", how, (int)kept, (int)j->kept);
  }
  for (uint64_t i = 0; i < j->kept; i++)
    if (j->results[i] != j->want[i])
      test_fail("%s of kind %d: element %d of %d is 0x%x, not 0x%x", how, (int)j->kind, (int)i, (int)j->n,
                j->results[i], j->want[i]);
}
