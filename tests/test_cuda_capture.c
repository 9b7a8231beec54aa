/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests stream capture by an application. Graphs of every kind of plan in every capture mode are replayed between eager
 * runs. Work that a graph cannot hold is refused without ending the capture. Captures of other streams and threads are
 * not disturbed. Runs on real drivers and on the emulation. */
#include "cuda_job.h"
#include "cuda_lane.h"

#include <pthread.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5 };

/* The application's objects. */
static struct {
  struct CUctx_st *context;
  struct CUstream_st *stream;
  scan_ctx *ctx;
} app;

static void refused(const scan_ctx *ctx, scan_status status, const char *words) {
  test_refusal(ctx, status, SCAN_INVALID_ARGUMENT, words);
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
  return cuda_driver_teardown(state);
}

/* ---- graphs ---- */

/* Records one run of each job, of n, n - 1, ... elements, in one graph. */
static graph_exec record(cuda_job *jobs, int count, uint64_t n, int mode) {
  cuda_ok(cu.capture_begin(app.stream, mode), "cuStreamBeginCapture");
  for (int k = 0; k < count; k++) cuda_job_run(&jobs[k], n - (uint64_t)k);
  return cuda_end_capture(app.stream);
}

static void replay(graph_exec exec, cuda_job *jobs, int count, uint64_t n, struct CUstream_st *stream) {
  for (int k = 0; k < count; k++) cuda_job_fill(&jobs[k], n - (uint64_t)k);
  cuda_ok(cu.graph_launch(exec, stream), "cuGraphLaunch");
  if (stream != app.stream) cuda_ok(cu.stream_sync(stream), "cuStreamSynchronize");
  for (int k = 0; k < count; k++) cuda_job_check(&jobs[k], "a replay");
}

static void run_eagerly(cuda_job *j, uint64_t n) {
  cuda_job_fill(j, n);
  cuda_job_run(j, n);
  cuda_job_check(j, "a run");
}

/* Replays graphs between eager runs: two of each plan, which has not run before, and one of all plans. */
static void replay_between_runs(cuda_job *jobs, int count, int mode) {
  const uint64_t most = cuda_job_most(), few = most / 7;
  graph_exec all = record(jobs, count, most, mode), first[CUDA_JOB_KINDS], second[CUDA_JOB_KINDS];
  for (int k = 0; k < count; k++) {
    first[k] = record(&jobs[k], 1, most - 3, mode);
    second[k] = record(&jobs[k], 1, few, mode);
  }
  for (int round = 0; round < (cuda_driver_is_fake() ? 1 : ROUNDS); round++) {
    replay(all, jobs, count, most, app.stream);
    for (int k = 0; k < count; k++) {
      replay(first[k], &jobs[k], 1, most - 3, app.stream);
      run_eagerly(&jobs[k], 1 + cuda_job_draw() % most);
      replay(second[k], &jobs[k], 1, few, app.stream);
      run_eagerly(&jobs[(k + 1) % count], 1 + cuda_job_draw() % most);
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
    cuda_job jobs[CUDA_JOB_KINDS];
    int count = 0;
    for (int kind = 0; kind < CUDA_JOB_KINDS; kind++)
      count += cuda_job_open(&jobs[count], app.ctx, (cuda_job_kind)kind, SCAN_STRATEGY_AUTO);
    replay_between_runs(jobs, count, mode);
    for (int k = 0; k < count; k++) cuda_job_close(&jobs[k]);
  }
}

static void test_every_strategy(void **state) {
  (void)state;
  static const scan_strategy strategies[] = { SCAN_STRATEGY_BLOCK, SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                              SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_PIPELINED };
  for (size_t s = 0; s < sizeof strategies / sizeof strategies[0]; s++) {
    cuda_job j;
    if (!cuda_job_open(&j, app.ctx, CUDA_JOB_SCAN, strategies[s])) continue;
    replay_between_runs(&j, 1, CUDA_DRIVER_GLOBAL);
    cuda_job_close(&j);
  }
}

/* The scans of a graph run on the stream on which the graph is launched. */
static void test_replay_on_other_streams(void **state) {
  (void)state;
  cuda_job j;
  struct CUstream_st *other = NULL;
  cuda_ok(cu.stream_create(&other, 0), "cuStreamCreate");
  struct CUstream_st *const streams[] = { other, NULL, app.stream, CUDA_DRIVER_PER_THREAD };
  if (!cuda_job_open(&j, app.ctx, CUDA_JOB_SCAN, SCAN_STRATEGY_AUTO)) return;
  graph_exec exec = record(&j, 1, cuda_job_most(), CUDA_DRIVER_GLOBAL);
  for (int r = 0; r < 12; r++) replay(exec, &j, 1, cuda_job_most(), streams[r % 4]);
  cuda_ok(cu.exec_destroy(exec), "cuGraphExecDestroy");
  cuda_job_close(&j);
  cuda_ok(cu.stream_destroy(other), "cuStreamDestroy");
}

/* scan_run is recorded if the context has its plan already; copies on the device are recorded, too. */
static void test_calls_without_a_plan(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  cuda_job j;
  if (!cuda_job_open(&j, app.ctx, CUDA_JOB_SCAN, SCAN_STRATEGY_AUTO)) return;
  run_eagerly(&j, cuda_job_most());
  cuda_ok(cu.capture_begin(app.stream, CUDA_DRIVER_GLOBAL), "cuStreamBeginCapture");
  refused(app.ctx, scan_run(app.ctx, &spec, cuda_job_most(), j.in, j.out), "is being captured");
  graph ended = NULL;
  cuda_ok(cu.capture_end(app.stream, &ended), "cuStreamEndCapture");
  cuda_ok(cu.graph_destroy(ended), "cuGraphDestroy");
  cuda_job_fill(&j, cuda_job_most());
  test_ok(app.ctx, scan_run(app.ctx, &spec, cuda_job_most(), j.in, j.out), "scan_run");
  cuda_job_check(&j, "scan_run");
  cuda_ok(cu.capture_begin(app.stream, CUDA_DRIVER_GLOBAL), "cuStreamBeginCapture");
  test_ok(app.ctx, scan_run(app.ctx, &spec, cuda_job_most(), j.in, j.out), "scan_run");
  test_ok(app.ctx, scan_copy(app.ctx, j.marks, j.out, cuda_job_most() * sizeof(uint32_t)), "scan_copy");
  graph_exec exec = cuda_end_capture(app.stream);
  for (int r = 0; r < ROUNDS; r++) {
    replay(exec, &j, 1, cuda_job_most(), app.stream);
    test_ok(app.ctx, scan_read(app.ctx, j.marks, j.results, cuda_job_most() * sizeof(uint32_t)), "scan_read");
    assert_memory_equal(j.results, j.want, cuda_job_most() * sizeof(uint32_t));
  }
  cuda_ok(cu.exec_destroy(exec), "cuGraphExecDestroy");
  cuda_job_close(&j);
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
    cuda_job j;
    scan_mem memory = SCAN_NO_MEM, kept;
    scan_plan *plan = NULL;
    float host[64] = { 0 };
    if (!cuda_job_open(&j, app.ctx, CUDA_JOB_SCAN, SCAN_STRATEGY_AUTO)) return;
    test_ok(app.ctx, scan_run(app.ctx, &spec, 64, scan_host(host), scan_host(host)), "scan_run"); /* staging */
    test_ok(app.ctx, scan_alloc(app.ctx, 256, &kept), "scan_alloc");
    cuda_ok(cu.capture_begin(app.stream, mode), "cuStreamBeginCapture");
#define REFUSED(call) refused(app.ctx, (call), words)
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
    cuda_job_run(&j, cuda_job_most());
    graph_exec exec = cuda_end_capture(app.stream);
    for (int r = 0; r < ROUNDS; r++) replay(exec, &j, 1, cuda_job_most(), app.stream);
    test_ok(app.ctx, scan_free(app.ctx, kept), "scan_free, which had kept the memory");
    cuda_ok(cu.exec_destroy(exec), "cuGraphExecDestroy");
    cuda_job_close(&j);
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
    refused(late, scan_plan_create(late, &spec, 8, &plan), "end the capture first");
    refused(late, scan_run(late, &spec, 8, scan_host(values), scan_host(values)), "end the capture");
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
  cuda_job j;
  cuda_ok(cu.stream_create(&other, CUDA_DRIVER_NON_BLOCKING), "cuStreamCreate");
  if (!cuda_job_open(&j, app.ctx, CUDA_JOB_SCAN, SCAN_STRATEGY_AUTO)) return;
  for (int mode = 0; mode < CUDA_DRIVER_MODES; mode++)
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
      cuda_lane lane = { .context = app.context, .stream = other };
      pthread_t thread;
      cuda_ok(cu.capture_begin(app.stream, mode), "cuStreamBeginCapture");
      cuda_job_run(&j, cuda_job_most());
      if (elsewhere) {
        assert_int_equal(pthread_create(&thread, NULL, live_a_life, &lane), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
      } else {
        (void)live_a_life(&lane);
      }
      cuda_lane_ok(&lane);
      graph_exec exec = cuda_end_capture(app.stream);
      for (int r = 0; r < ROUNDS; r++) replay(exec, &j, 1, cuda_job_most(), app.stream);
      cuda_ok(cu.exec_destroy(exec), "cuGraphExecDestroy");
    }
  cuda_job_close(&j);
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
  refused(lane.ctx, scan_plan_run(lane.plan, 100, in, out), words);
  refused(lane.ctx, scan_copy(lane.ctx, out, in, 400), words);
  refused(lane.ctx, scan_sync(lane.ctx), words);
  refused(lane.ctx, scan_read(lane.ctx, in, lane.results, 400), words);
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
  refused(lanes[1].ctx, scan_sync(lanes[1].ctx), "end the capture first");
  for (int l = 0; l < LANES; l++) (void)cuda_lane_run(&lanes[l]);
  cuda_ok(cu.event_record(joined, other) | cu.stream_wait(app.stream, joined, 0), "joining");
  graph_exec exec = cuda_end_capture(app.stream);
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
  graph_exec exec = cuda_end_capture(app.stream);
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
