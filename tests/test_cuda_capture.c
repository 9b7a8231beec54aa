/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests stream capture by an application. Graphs of every kind of plan in every capture mode are replayed between eager
 * runs. Work that a graph cannot hold is refused without ending the capture. Captures of other streams and threads are
 * not disturbed. Runs on real drivers and on the emulation. */
#include "cuda_lane.h"

#include <pthread.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REAL = 150001, MOST_FAKE = 9001, SEGMENTS = 50, ROUNDS = 5, ROUNDS_FAKE = 1 };

/* The application's objects. */
static struct {
  struct CUctx_st *context;
  struct CUstream_st *stream;
  scan_ctx *ctx;
} app;

static void cuda_ok(int result, const char *call) {
  if (result != 0) test_fail("%s gives %d", call, result);
}

static void check_refusal(const scan_ctx *ctx, scan_status status, const char *call, const char *words) {
  if (status != SCAN_INVALID_ARGUMENT) test_fail("%s: %s: %s", call, scan_status_name(status), scan_last_error(ctx));
  if (strstr(scan_last_error(ctx), words) == NULL)
    test_fail("%s: \"%s\" has no \"%s\"", call, scan_last_error(ctx), words);
}

static int set_up(void **state) {
  (void)state;
  cuda_ok(cu.retain(&app.context, 0), "cuDevicePrimaryCtxRetain");
  cuda_ok(cu.push(app.context), "cuCtxPushCurrent");
  cuda_ok(cu.stream_create(&app.stream, CUDA_DRIVER_NON_BLOCKING), "cuStreamCreate");
  test_ok(NULL, scan_cuda_ctx_create(NULL, app.context, app.stream, &app.ctx), "scan_cuda_ctx_create");
  return test_count_setup(state);
}

static int tear_down(void **state) {
  (void)state;
  scan_ctx_destroy(app.ctx);
  cuda_ok(cu.stream_destroy(app.stream), "cuStreamDestroy");
  cuda_ok(cu.pop(NULL), "cuCtxPopCurrent");
  cuda_ok(cu.release(0), "cuDevicePrimaryCtxRelease");
  if (cuda_driver_fault()[0] != '\0') print_error("%s\n", cuda_driver_fault());
  return cuda_driver_fault()[0] != '\0';
}

/* ---- plans of every kind, each with its own memory ---- */

typedef enum job_kind { SCAN, SEGMENTED, SELECT, SORT, SORT_SEGMENTS, KINDS } job_kind;

typedef struct job {
  job_kind kind;
  scan_plan *plan;
  scan_mem in, out, marks, count; /* marks: flags, or SEGMENTS + 1 offsets */
  uint64_t n, kept;
  uint32_t *values, *results, *want, offsets[SEGMENTS + 1];
  unsigned char *flags;
} job;

static uint64_t most_items(void) { return cuda_driver_is_fake() ? MOST_FAKE : MOST_REAL; }

static int rounds(void) { return cuda_driver_is_fake() ? ROUNDS_FAKE : ROUNDS; }

static uint32_t draw(void) {
  static uint32_t seed = 1;
  seed = seed * 1664525u + 1013904223u;
  return seed >> 8;
}

static scan_status make_plan(job *j, scan_strategy strategy) {
  scan_spec scan = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, sizeof(uint32_t));
  scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan.strategy = strategy;
  if (j->kind == SEGMENTED) scan.segments = SCAN_SEGMENTS_OFFSETS, scan.key_type = SCAN_U32;
  if (j->kind == SORT_SEGMENTS) sort.offset_type = SCAN_U32;
  if (j->kind == SCAN || j->kind == SEGMENTED) return scan_plan_create(app.ctx, &scan, most_items(), &j->plan);
  if (j->kind == SELECT) return scan_plan_create_select(app.ctx, &select, most_items(), &j->plan);
  return scan_plan_create_sort(app.ctx, &sort, most_items(), &j->plan);
}

/* Makes a job. Returns 0, with a notice, if the device has no kernels for it and no compiler. */
static int job_open(job *j, job_kind kind, scan_strategy strategy) {
  const uint64_t bytes = most_items() * sizeof(uint32_t);
  *j = (job){ .kind = kind };
  const scan_status status = make_plan(j, strategy);
  if (status == SCAN_UNSUPPORTED) {
    test_skipped("job %d: %s", (int)kind, scan_last_error(app.ctx));
    return 0;
  }
  test_ok(app.ctx, status, "making a plan");
  test_ok(app.ctx, scan_alloc(app.ctx, bytes, &j->in), "scan_alloc");
  test_ok(app.ctx, scan_alloc(app.ctx, bytes, &j->out), "scan_alloc");
  test_ok(app.ctx, scan_alloc(app.ctx, bytes, &j->marks), "scan_alloc");
  test_ok(app.ctx, scan_alloc(app.ctx, sizeof(uint64_t), &j->count), "scan_alloc");
  j->values = calloc(4, bytes);
  assert_non_null(j->values);
  j->results = j->values + most_items();
  j->want = j->results + most_items();
  j->flags = (unsigned char *)(j->want + most_items());
  return 1;
}

static void job_close(job *j) {
  scan_plan_destroy(j->plan);
  test_ok(app.ctx, scan_free(app.ctx, j->in), "scan_free");
  test_ok(app.ctx, scan_free(app.ctx, j->out), "scan_free");
  test_ok(app.ctx, scan_free(app.ctx, j->marks), "scan_free");
  test_ok(app.ctx, scan_free(app.ctx, j->count), "scan_free");
  free(j->values);
}

static int by_value(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Draws ascending offsets from 0 to n; some segments are empty. */
static void draw_offsets(job *j) {
  for (int s = 0; s < SEGMENTS; s++) j->offsets[s] = s == 0 ? 0 : draw() % (uint32_t)(j->n + 1);
  j->offsets[SEGMENTS] = (uint32_t)j->n;
  qsort(j->offsets, SEGMENTS + 1, sizeof j->offsets[0], by_value);
}

static void want_sums(job *j) {
  float sum = 0;
  for (uint64_t i = 0, s = 0; i < j->n; i++) {
    const float value = (float)(draw() % 8);
    memcpy(&j->values[i], &value, sizeof value);
    int starts_segment = 0;
    for (; j->kind == SEGMENTED && s <= SEGMENTS && j->offsets[s] <= i; s++) starts_segment = 1;
    sum = starts_segment ? value : sum + value;
    memcpy(&j->want[i], &sum, sizeof sum);
  }
}

static void want_kept(job *j) {
  const uint32_t share = draw() % 101;
  j->kept = 0;
  for (uint64_t i = 0; i < j->n; i++) {
    j->values[i] = draw();
    j->flags[i] = draw() % 100 < share;
    if (j->flags[i]) j->want[j->kept++] = j->values[i];
  }
}

static void want_sorted(job *j) {
  const int is_one = j->kind == SORT;
  for (uint64_t i = 0; i < j->n; i++) j->want[i] = j->values[i] = draw() << 8 ^ draw();
  for (int s = 0; s < (is_one ? 1 : SEGMENTS); s++) {
    const uint64_t first = is_one ? 0 : j->offsets[s], end = is_one ? j->n : j->offsets[s + 1];
    qsort(j->want + first, end - first, sizeof j->want[0], by_value);
  }
}

/* Makes new input of n elements, a poisoned output and the expected result. */
static void job_fill(job *j, uint64_t n) {
  j->n = j->kept = n;
  draw_offsets(j);
  if (j->kind == SCAN || j->kind == SEGMENTED) want_sums(j);
  if (j->kind == SELECT) want_kept(j);
  if (j->kind == SORT || j->kind == SORT_SEGMENTS) want_sorted(j);
  memset(j->results, 0xee, n * sizeof(uint32_t));
  test_ok(app.ctx, scan_write(app.ctx, j->out, j->results, n * sizeof(uint32_t)), "scan_write");
  test_ok(app.ctx, scan_write(app.ctx, j->in, j->values, n * sizeof(uint32_t)), "scan_write");
  if (j->kind == SELECT)
    test_ok(app.ctx, scan_write(app.ctx, j->marks, j->flags, n), "scan_write");
  else
    test_ok(app.ctx, scan_write(app.ctx, j->marks, j->offsets, sizeof j->offsets), "scan_write");
}

static void job_run(job *j, uint64_t n) {
  scan_args scan = SCAN_ARGS_INIT(j->in, j->out);
  const scan_select_args select = SCAN_SELECT_ARGS_INIT(j->marks, j->in, j->out, j->count);
  scan_sort_args sort = SCAN_SORT_ARGS_INIT(j->in, j->out);
  if (j->kind == SEGMENTED) scan.marks = j->marks, scan.mark_count = SEGMENTS;
  if (j->kind == SORT_SEGMENTS) sort.offsets = j->marks, sort.segments = SEGMENTS;
  if (j->kind == SCAN || j->kind == SEGMENTED) test_ok(app.ctx, scan_plan_run_args(j->plan, n, &scan), "scan_plan_run");
  if (j->kind == SELECT) test_ok(app.ctx, scan_plan_run_select(j->plan, n, &select), "scan_plan_run_select");
  if (j->kind == SORT || j->kind == SORT_SEGMENTS)
    test_ok(app.ctx, scan_plan_run_sort(j->plan, n, &sort), "scan_plan_run_sort");
}

static void job_check(job *j, const char *how) {
  uint64_t kept = 0;
  test_ok(app.ctx, scan_read(app.ctx, j->out, j->results, j->n * sizeof(uint32_t)), "scan_read");
  if (j->kind == SELECT) {
    test_ok(app.ctx, scan_read(app.ctx, j->count, &kept, sizeof kept), "scan_read");
    if (kept != j->kept) test_fail("%s: %d kept, not %d", how, (int)kept, (int)j->kept);
  }
  for (uint64_t i = 0; i < j->kept; i++)
    if (j->results[i] != j->want[i])
      test_fail("%s of kind %d: element %d of %d is 0x%x, not 0x%x", how, (int)j->kind, (int)i, (int)j->n,
                j->results[i], j->want[i]);
}

/* ---- graphs ---- */

static graph_exec end_capture(struct CUstream_st *stream) {
  graph recorded = NULL;
  graph_exec exec = NULL;
  cuda_ok(cu.capture_end(stream, &recorded), "cuStreamEndCapture");
  cuda_ok(cu.instantiate(&exec, recorded, 0), "cuGraphInstantiateWithFlags");
  cuda_ok(cu.graph_destroy(recorded), "cuGraphDestroy");
  return exec;
}

/* Records one run of each job, of n, n - 1, ... elements, in one graph. */
static graph_exec record(job *jobs, int count, uint64_t n, int mode) {
  cuda_ok(cu.capture_begin(app.stream, mode), "cuStreamBeginCapture");
  for (int k = 0; k < count; k++) job_run(&jobs[k], n - (uint64_t)k);
  return end_capture(app.stream);
}

static void replay(graph_exec exec, job *jobs, int count, uint64_t n, struct CUstream_st *stream) {
  for (int k = 0; k < count; k++) job_fill(&jobs[k], n - (uint64_t)k);
  cuda_ok(cu.graph_launch(exec, stream), "cuGraphLaunch");
  if (stream != app.stream) cuda_ok(cu.stream_sync(stream), "cuStreamSynchronize");
  for (int k = 0; k < count; k++) job_check(&jobs[k], "a replay");
}

static void run_eagerly(job *j, uint64_t n) {
  job_fill(j, n);
  job_run(j, n);
  job_check(j, "a run");
}

/* Replays graphs between eager runs: two of each plan, which has not run before, and one of all plans. */
static void replay_between_runs(job *jobs, int count, int mode) {
  const uint64_t most = most_items(), few = most / 7;
  graph_exec all = record(jobs, count, most, mode), first[KINDS], second[KINDS];
  for (int k = 0; k < count; k++) {
    first[k] = record(&jobs[k], 1, most - 3, mode);
    second[k] = record(&jobs[k], 1, few, mode);
  }
  for (int round = 0; round < rounds(); round++) {
    replay(all, jobs, count, most, app.stream);
    for (int k = 0; k < count; k++) {
      replay(first[k], &jobs[k], 1, most - 3, app.stream);
      run_eagerly(&jobs[k], 1 + draw() % most);
      replay(second[k], &jobs[k], 1, few, app.stream);
      run_eagerly(&jobs[(k + 1) % count], 1 + draw() % most);
      replay(first[k], &jobs[k], 1, most - 3, app.stream);
    }
  }
  test_ok(app.ctx, scan_sync(app.ctx), "scan_sync");
  cuda_ok(cu.exec_destroy(all), "cuGraphExecDestroy");
  for (int k = 0; k < count; k++) cuda_ok(cu.exec_destroy(first[k]) | cu.exec_destroy(second[k]), "cuGraphExecDestroy");
}

static void test_every_mode_and_kind(void **state) {
  (void)state;
  for (int mode = 0; mode < CUDA_DRIVER_MODES; mode++) {
    job jobs[KINDS];
    int count = 0;
    for (int kind = 0; kind < KINDS; kind++) count += job_open(&jobs[count], (job_kind)kind, SCAN_STRATEGY_AUTO);
    replay_between_runs(jobs, count, mode);
    for (int k = 0; k < count; k++) job_close(&jobs[k]);
  }
}

static void test_every_strategy(void **state) {
  (void)state;
  static const scan_strategy strategies[] = { SCAN_STRATEGY_BLOCK, SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                              SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_PIPELINED };
  for (size_t s = 0; s < sizeof strategies / sizeof strategies[0]; s++) {
    job j;
    if (!job_open(&j, SCAN, strategies[s])) continue;
    replay_between_runs(&j, 1, CUDA_DRIVER_GLOBAL);
    job_close(&j);
  }
}

/* The scans of a graph run on the stream on which the graph is launched. */
static void test_replay_on_other_streams(void **state) {
  (void)state;
  job j;
  struct CUstream_st *other = NULL;
  cuda_ok(cu.stream_create(&other, 0), "cuStreamCreate");
  struct CUstream_st *const streams[] = { other, NULL, app.stream, CUDA_DRIVER_PER_THREAD };
  if (!job_open(&j, SCAN, SCAN_STRATEGY_AUTO)) return;
  graph_exec exec = record(&j, 1, most_items(), CUDA_DRIVER_GLOBAL);
  for (int r = 0; r < 12; r++) replay(exec, &j, 1, most_items(), streams[r % 4]);
  cuda_ok(cu.exec_destroy(exec), "cuGraphExecDestroy");
  job_close(&j);
  cuda_ok(cu.stream_destroy(other), "cuStreamDestroy");
}

/* scan_run is recorded if the context has its plan already; copies on the device are recorded, too. */
static void test_calls_without_a_plan(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  job j;
  if (!job_open(&j, SCAN, SCAN_STRATEGY_AUTO)) return;
  run_eagerly(&j, most_items());
  cuda_ok(cu.capture_begin(app.stream, CUDA_DRIVER_GLOBAL), "cuStreamBeginCapture");
  check_refusal(app.ctx, scan_run(app.ctx, &spec, most_items(), j.in, j.out), "scan_run", "is being captured");
  graph ended = NULL;
  cuda_ok(cu.capture_end(app.stream, &ended), "cuStreamEndCapture");
  cuda_ok(cu.graph_destroy(ended), "cuGraphDestroy");
  job_fill(&j, most_items());
  test_ok(app.ctx, scan_run(app.ctx, &spec, most_items(), j.in, j.out), "scan_run");
  job_check(&j, "scan_run");
  cuda_ok(cu.capture_begin(app.stream, CUDA_DRIVER_GLOBAL), "cuStreamBeginCapture");
  test_ok(app.ctx, scan_run(app.ctx, &spec, most_items(), j.in, j.out), "scan_run");
  test_ok(app.ctx, scan_copy(app.ctx, j.marks, j.out, most_items() * sizeof(uint32_t)), "scan_copy");
  graph_exec exec = end_capture(app.stream);
  for (int r = 0; r < ROUNDS; r++) {
    replay(exec, &j, 1, most_items(), app.stream);
    test_ok(app.ctx, scan_read(app.ctx, j.marks, j.results, most_items() * sizeof(uint32_t)), "scan_read");
    assert_memory_equal(j.results, j.want, most_items() * sizeof(uint32_t));
  }
  cuda_ok(cu.exec_destroy(exec), "cuGraphExecDestroy");
  job_close(&j);
}

/* ---- work that a graph cannot hold ---- */

/* In each mode such a call does nothing and says what to do instead, and the capture continues. */
static void test_refusals_spoil_nothing(void **state) {
  (void)state;
  static const char words[] = "the context's stream is being captured into a CUDA graph";
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE),
                  max = SCAN_SPEC_INIT(SCAN_U8, SCAN_MAX, SCAN_INCLUSIVE);
  const scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  const scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_U32);
  for (int mode = 0; mode < CUDA_DRIVER_MODES; mode++) {
    job j;
    scan_mem memory = SCAN_NO_MEM, kept;
    scan_plan *plan = NULL;
    float host[64] = { 0 };
    if (!job_open(&j, SCAN, SCAN_STRATEGY_AUTO)) return;
    test_ok(app.ctx, scan_run(app.ctx, &spec, 64, scan_host(host), scan_host(host)), "scan_run"); /* staging */
    test_ok(app.ctx, scan_alloc(app.ctx, 256, &kept), "scan_alloc");
    cuda_ok(cu.capture_begin(app.stream, mode), "cuStreamBeginCapture");
#define REFUSED(call) check_refusal(app.ctx, (call), #call, words)
    REFUSED(scan_alloc(app.ctx, 64, &memory));
    REFUSED(scan_free(app.ctx, kept));
    REFUSED(scan_write(app.ctx, j.in, host, sizeof host));
    REFUSED(scan_read(app.ctx, j.in, host, sizeof host));
    REFUSED(scan_sync(app.ctx));
    REFUSED(scan_run(app.ctx, &spec, 64, scan_host(host), scan_host(host)));
    REFUSED(scan_run(app.ctx, &max, 64, j.in, j.out));
    REFUSED(scan_plan_create(app.ctx, &spec, 1000, &plan));
    REFUSED(scan_plan_create_select(app.ctx, &select, 1000, &plan));
    REFUSED(scan_plan_create_sort(app.ctx, &sort, 1000, &plan));
    REFUSED(scan_stream(app.ctx, &spec, 64, host, host, NULL));
#undef REFUSED
    assert_null(plan);
    assert_int_equal(memory.kind, SCAN_MEM_NONE);
    job_run(&j, most_items());
    graph_exec exec = end_capture(app.stream);
    for (int r = 0; r < ROUNDS; r++) replay(exec, &j, 1, most_items(), app.stream);
    test_ok(app.ctx, scan_free(app.ctx, kept), "scan_free, which had kept the memory");
    cuda_ok(cu.exec_destroy(exec), "cuGraphExecDestroy");
    job_close(&j);
  }
}

/* A context that is made during a capture of its stream opens, and its errors say what must come before the capture. */
static void test_first_use_in_a_capture(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  for (int mode = 0; mode < CUDA_DRIVER_MODES; mode++) {
    scan_ctx *late = NULL;
    scan_plan *plan = NULL;
    graph recorded = NULL;
    float values[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    cuda_ok(cu.capture_begin(app.stream, mode), "cuStreamBeginCapture");
    test_ok(NULL, scan_cuda_ctx_create(NULL, NULL, app.stream, &late), "scan_cuda_ctx_create");
    check_refusal(late, scan_plan_create(late, &spec, 8, &plan), "scan_plan_create", "end the capture first");
    check_refusal(late, scan_run(late, &spec, 8, scan_host(values), scan_host(values)), "scan_run", "end the capture");
    cuda_ok(cu.capture_end(app.stream, &recorded), "cuStreamEndCapture");
    cuda_ok(cu.graph_destroy(recorded), "cuGraphDestroy");
    test_ok(late, scan_run(late, &spec, 8, scan_host(values), scan_host(values)), "scan_run");
    assert_true(values[7] == 8);
    /* A context is destroyed within a capture of its stream. */
    cuda_ok(cu.capture_begin(app.stream, mode), "cuStreamBeginCapture");
    scan_ctx_destroy(late);
    cuda_ok(cu.capture_end(app.stream, &recorded), "cuStreamEndCapture");
    cuda_ok(cu.graph_destroy(recorded), "cuGraphDestroy");
  }
}

/* ---- captures of other streams ---- */

/* Makes every call of a context's life, on another stream. */
static void *live_a_life(void *argument) {
  cuda_lane *lane = argument;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_MAX, SCAN_INCLUSIVE);
  float values[100] = { 0 }, results[100];
  scan_mem memory;
  if (cuda_lane_scans(lane, scan_cuda_ctx_create(NULL, lane->context, lane->stream, &lane->ctx),
                      "scan_cuda_ctx_create") &&
      cuda_lane_scans(lane, scan_alloc(lane->ctx, 400, &memory), "scan_alloc") &&
      cuda_lane_scans(lane, scan_write(lane->ctx, memory, values, 400), "scan_write") &&
      cuda_lane_scans(lane, scan_plan_create(lane->ctx, &spec, 100, &lane->plan), "scan_plan_create") &&
      cuda_lane_scans(lane, scan_plan_run(lane->plan, 100, memory, memory), "scan_plan_run") &&
      cuda_lane_scans(lane, scan_sync(lane->ctx), "scan_sync") &&
      cuda_lane_scans(lane, scan_read(lane->ctx, memory, results, 400), "scan_read") &&
      cuda_lane_scans(lane, scan_run(lane->ctx, &spec, 100, scan_host(values), scan_host(results)), "scan_run") &&
      cuda_lane_scans(lane, scan_stream(lane->ctx, &spec, 100, values, results, NULL), "scan_stream"))
    (void)cuda_lane_scans(lane, scan_free(lane->ctx, memory), "scan_free");
  scan_plan_destroy(lane->plan);
  scan_ctx_destroy(lane->ctx);
  return NULL;
}

/* Uses another context of the same CUDA context in the capturing thread and in another one. The capture is not
 * disturbed. */
static void test_others_go_on(void **state) {
  (void)state;
  struct CUstream_st *other = NULL;
  job j;
  cuda_ok(cu.stream_create(&other, CUDA_DRIVER_NON_BLOCKING), "cuStreamCreate");
  if (!job_open(&j, SCAN, SCAN_STRATEGY_AUTO)) return;
  for (int mode = 0; mode < CUDA_DRIVER_MODES; mode++)
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
      cuda_lane lane = { .context = app.context, .stream = other };
      pthread_t thread;
      cuda_ok(cu.capture_begin(app.stream, mode), "cuStreamBeginCapture");
      job_run(&j, most_items());
      if (elsewhere) {
        assert_int_equal(pthread_create(&thread, NULL, live_a_life, &lane), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
      } else {
        (void)live_a_life(&lane);
      }
      cuda_lane_ok(&lane);
      graph_exec exec = end_capture(app.stream);
      for (int r = 0; r < ROUNDS; r++) replay(exec, &j, 1, most_items(), app.stream);
      cuda_ok(cu.exec_destroy(exec), "cuGraphExecDestroy");
    }
  job_close(&j);
  cuda_ok(cu.stream_destroy(other), "cuStreamDestroy");
}

/* The default stream works beside the capture of a non-blocking stream, and is refused beside that of a blocking one.
 */
static void test_default_stream_beside_captures(void **state) {
  (void)state;
  cuda_lane lane;
  graph recorded = NULL;
  struct CUstream_st *blocking = NULL;
  static const char words[] = "another stream is being captured into a CUDA graph, and the context's is the default";
  cuda_ok(cu.stream_create(&blocking, 0), "cuStreamCreate");
  (void)cuda_lane_open(&lane, app.context, NULL, SCAN_STRATEGY_AUTO);
  cuda_ok(cu.capture_begin(app.stream, CUDA_DRIVER_RELAXED), "cuStreamBeginCapture");
  (void)cuda_lane_turn(&lane, 1000);
  cuda_lane_ok(&lane);
  test_ok(lane.ctx, scan_sync(lane.ctx), "scan_sync");
  cuda_ok(cu.capture_end(app.stream, &recorded), "cuStreamEndCapture");
  cuda_ok(cu.graph_destroy(recorded), "cuGraphDestroy");
  cuda_ok(cu.capture_begin(blocking, CUDA_DRIVER_RELAXED), "cuStreamBeginCapture");
  const scan_mem in = scan_cuda_mem(lane.in, 400), out = scan_cuda_mem(lane.out, 400);
  check_refusal(lane.ctx, scan_plan_run(lane.plan, 100, in, out), "scan_plan_run", words);
  check_refusal(lane.ctx, scan_copy(lane.ctx, out, in, 400), "scan_copy", words);
  check_refusal(lane.ctx, scan_sync(lane.ctx), "scan_sync", words);
  check_refusal(lane.ctx, scan_read(lane.ctx, in, lane.results, 400), "scan_read", words);
  cuda_ok(cu.capture_end(blocking, &recorded), "cuStreamEndCapture");
  cuda_ok(cu.graph_destroy(recorded), "cuGraphDestroy");
  (void)cuda_lane_turn(&lane, 1000);
  cuda_lane_ok(&lane);
  cuda_lane_close(&lane);
  cuda_ok(cu.stream_destroy(blocking), "cuStreamDestroy");
}

/* Two streams with a context each in one graph, forked and joined by events. The library must notice that its stream is
 * being captured, although no call began that. */
static void test_branches_of_one_graph(void **state) {
  (void)state;
  enum { LANES = 2 };
  cuda_lane lanes[LANES];
  struct CUstream_st *other = NULL;
  struct CUevent_st *forked = NULL, *joined = NULL;
  if (cuda_driver_is_fake()) {
    test_skipped("the fake driver captures no events");
    return;
  }
  cuda_ok(cu.stream_create(&other, CUDA_DRIVER_NON_BLOCKING), "cuStreamCreate");
  cuda_ok(cu.event_create(&forked, 2) | cu.event_create(&joined, 2), "cuEventCreate");
  for (int l = 0; l < LANES; l++) {
    (void)cuda_lane_open(&lanes[l], app.context, l ? other : app.stream, SCAN_STRATEGY_AUTO);
    (void)cuda_lane_fill(&lanes[l], lanes[l].most);
    cuda_lane_ok(&lanes[l]);
  }
  cuda_ok(cu.capture_begin(app.stream, CUDA_DRIVER_GLOBAL), "cuStreamBeginCapture");
  cuda_ok(cu.event_record(forked, app.stream) | cu.stream_wait(other, forked, 0), "forking");
  check_refusal(lanes[1].ctx, scan_sync(lanes[1].ctx), "scan_sync", "end the capture first");
  for (int l = 0; l < LANES; l++) (void)cuda_lane_run(&lanes[l]);
  cuda_ok(cu.event_record(joined, other) | cu.stream_wait(app.stream, joined, 0), "joining");
  graph_exec exec = end_capture(app.stream);
  for (int r = 0; r < ROUNDS; r++) {
    for (int l = 0; l < LANES; l++) (void)cuda_lane_fill(&lanes[l], lanes[l].most);
    cuda_ok(cu.stream_sync(other), "cuStreamSynchronize");
    cuda_ok(cu.graph_launch(exec, app.stream), "cuGraphLaunch");
    cuda_ok(cu.stream_sync(app.stream), "cuStreamSynchronize");
    for (int l = 0; l < LANES; l++) (void)cuda_lane_check(&lanes[l]);
    for (int l = 0; l < LANES; l++) cuda_lane_ok(&lanes[l]);
  }
  cuda_ok(cu.exec_destroy(exec), "cuGraphExecDestroy");
  for (int l = 0; l < LANES; l++) cuda_lane_close(&lanes[l]);
  cuda_ok(cu.event_destroy(forked) | cu.event_destroy(joined), "cuEventDestroy");
  cuda_ok(cu.stream_destroy(other), "cuStreamDestroy");
}

/* ---- errors of graphs ---- */

/* The next wait after a replay that overflows reports it. */
static void test_overflow_of_replays(void **state) {
  (void)state;
  enum { N = 1000 };
  static int32_t values[N];
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  scan_mem in, out;
  spec.flags = SCAN_CHECK_OVERFLOW;
  const scan_status status = scan_plan_create(app.ctx, &spec, N, &plan);
  if (status == SCAN_UNSUPPORTED) {
    test_skipped("%s", scan_last_error(app.ctx));
    return;
  }
  test_ok(app.ctx, status, "scan_plan_create");
  test_ok(app.ctx, scan_alloc(app.ctx, sizeof values, &in), "scan_alloc");
  test_ok(app.ctx, scan_alloc(app.ctx, sizeof values, &out), "scan_alloc");
  cuda_ok(cu.capture_begin(app.stream, CUDA_DRIVER_GLOBAL), "cuStreamBeginCapture");
  test_ok(app.ctx, scan_plan_run(plan, N, in, out), "scan_plan_run");
  graph_exec exec = end_capture(app.stream);
  for (int r = 0; r < 6; r++) {
    const uint64_t at = r % 3 == 2 ? N : 100u + (uint64_t)r; /* every third replay does not overflow */
    uint64_t index = 0;
    for (uint64_t i = 0; i < N; i++) values[i] = i == at ? INT32_MAX : i == 0;
    test_ok(app.ctx, scan_write(app.ctx, in, values, sizeof values), "scan_write");
    cuda_ok(cu.graph_launch(exec, app.stream), "cuGraphLaunch");
    const scan_status reported = scan_sync(app.ctx);
    if (at == N) test_ok(app.ctx, reported, "scan_sync of a replay without overflow");
    if (at == N) continue;
    if (reported != SCAN_OVERFLOW) test_fail("replay %d: %s", r, scan_status_name(reported));
    test_ok(app.ctx, scan_overflow_index(app.ctx, &index), "scan_overflow_index");
    assert_int_equal(index, at);
  }
  cuda_ok(cu.exec_destroy(exec), "cuGraphExecDestroy");
  scan_plan_destroy(plan);
  test_ok(app.ctx, scan_free(app.ctx, in), "scan_free");
  test_ok(app.ctx, scan_free(app.ctx, out), "scan_free");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_every_mode_and_kind),
    TEST(test_every_strategy),
    TEST(test_replay_on_other_streams),
    TEST(test_calls_without_a_plan),
    TEST(test_refusals_spoil_nothing),
    TEST(test_first_use_in_a_capture),
    TEST(test_others_go_on),
    TEST(test_default_stream_beside_captures),
    TEST(test_branches_of_one_graph),
    TEST(test_overflow_of_replays),
  };
  (void)cuda_driver_load();
  return test_exit(cmocka_run_group_tests_name("cuda_capture", tests, NULL, NULL));
}
