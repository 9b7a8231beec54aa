/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests contexts, streams, devices and threads of an application on CUDA, many at once. Calls leave the current context
 * as it was, and do not disturb other work. Runs on real drivers and on tests/fake_cuda. */
#include "cuda_lane.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6, THREADS = 4 };

static int devices;

/* ---- helpers ---- */

static struct CUctx_st *current(void) {
  struct CUctx_st *context = NULL;
  cuda_ok(cu.current(&context), "cuCtxGetCurrent");
  return context;
}

static void refused(const scan_ctx *ctx, scan_status status, const char *words) {
  test_refusal(ctx, status, SCAN_INVALID_ARGUMENT, words);
}

static int is_active(int device) {
  unsigned flags = 0;
  int active = -1;
  cuda_ok(cu.primary_state(device, &flags, &active), "cuDevicePrimaryCtxGetState");
  return active;
}

/* ---- the current context ---- */

/* Makes every call of a context's life. The thread's current context must stay `expected`, which may be NULL. */
static void live_a_life(struct CUctx_st *context, struct CUstream_st *stream, struct CUctx_st *expected) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  enum { N = 1000 };
  static float values[N], results[N];
  scan_ctx *ctx = NULL;
  scan_plan *plan = NULL;
  scan_mem in, out;
  for (int i = 0; i < N; i++) values[i] = (float)(i % 5);
#define STAYS(call)                                                                                                    \
  do {                                                                                                                 \
    test_ok(ctx, (call), #call);                                                                                       \
    assert_ptr_equal(current(), expected);                                                                             \
  } while (0)
  STAYS(scan_cuda_ctx_create(NULL, context, stream, &ctx));
  STAYS(scan_alloc(ctx, sizeof values, &in));
  STAYS(scan_alloc(ctx, sizeof values, &out));
  STAYS(scan_write(ctx, in, values, sizeof values));
  STAYS(scan_plan_create(ctx, &spec, N, &plan));
  STAYS(scan_plan_run(plan, N, in, out));
  STAYS(scan_run(ctx, &spec, N, out, in));
  STAYS(scan_copy(ctx, in, out, sizeof values));
  STAYS(scan_sync(ctx));
  STAYS(scan_read(ctx, in, results, sizeof results));
  for (int i = 0, sum = 0; i < N; i++) assert_true(results[i] == (float)(sum += i % 5));
  STAYS(scan_run(ctx, &spec, N, scan_host(values), scan_host(results)));
  for (int i = 0, sum = 0; i < N; i++) assert_true(results[i] == (float)(sum += i % 5));
  STAYS(scan_free(ctx, in));
  assert_int_equal(scan_write(ctx, scan_cuda_mem(0, 8), values, 8), SCAN_INVALID_ARGUMENT);
  assert_ptr_equal(current(), expected);
  scan_plan_destroy(plan);
  assert_ptr_equal(current(), expected);
  scan_ctx_destroy(ctx); /* frees `out`, too */
  assert_ptr_equal(current(), expected);
#undef STAYS
}

static void test_none_is_current(void **state) {
  (void)state;
  scan_ctx *ctx = NULL;
  struct CUctx_st *context = cuda_context_make(0);
  assert_null(current());
  refused(NULL, scan_cuda_ctx_create(NULL, NULL, NULL, &ctx), "the thread has no current context");
  assert_null(ctx);
  live_a_life(context, NULL, NULL);
  cuda_ok(cu.ctx_destroy(context), "cuCtxDestroy");
}

static void test_its_own_is_current(void **state) {
  (void)state;
  struct CUctx_st *context = cuda_context_make(0);
  cuda_ok(cu.push(context), "cuCtxPushCurrent");
  live_a_life(context, NULL, context);
  live_a_life(NULL, NULL, context);
  cuda_ok(cu.pop(NULL), "cuCtxPopCurrent");
  cuda_ok(cu.ctx_destroy(context), "cuCtxDestroy");
}

static void test_another_is_current(void **state) {
  (void)state;
  struct CUctx_st *context = cuda_context_make(0), *other = cuda_context_make(devices - 1);
  struct CUstream_st *stream = cuda_stream_make(context, CUDA_DRIVER_NON_BLOCKING);
  cuda_ok(cu.push(other), "cuCtxPushCurrent");
  live_a_life(context, stream, other);
  cuda_ok(cu.pop(NULL), "cuCtxPopCurrent");
  cuda_stream_drop(context, stream);
  cuda_ok(cu.ctx_destroy(context), "cuCtxDestroy");
  cuda_ok(cu.ctx_destroy(other), "cuCtxDestroy");
}

/* Adopting another context must not make the primary context active, which costs memory and time. */
static void test_primary_stays_inactive(void **state) {
  (void)state;
  if (is_active(0)) {
    test_skipped("the primary context of cuda:0 is active before the test");
    return;
  }
  struct CUctx_st *context = cuda_context_make(0);
  live_a_life(context, NULL, NULL);
  assert_int_equal(is_active(0), 0);
  cuda_ok(cu.ctx_destroy(context), "cuCtxDestroy");
}

/* ---- several contexts ---- */

/* Primary contexts and others on one device; they end one after another while the rest keeps working. */
static void test_contexts_of_every_kind(void **state) {
  (void)state;
  enum { KINDS = 4 };
  cuda_lane lanes[KINDS];
  struct CUctx_st *contexts[KINDS] = { cuda_context_primary(0), cuda_context_make(0), cuda_context_make(0),
                                       cuda_context_primary(0) };
  struct CUstream_st *streams[KINDS];
  assert_ptr_equal(contexts[0], contexts[3]);
  for (int k = 0; k < KINDS; k++) {
    streams[k] = cuda_stream_make(contexts[k], CUDA_DRIVER_NON_BLOCKING);
    cuda_lane_begin(&lanes[k], contexts[k], streams[k]);
  }
  for (int k = 0; k < KINDS; k++) {
    cuda_lanes_run_in_turn(lanes + k, KINDS - k, ROUNDS);
    cuda_lane_end(&lanes[k]);
    cuda_stream_drop(contexts[k], streams[k]);
    cuda_ok(k == 1 || k == 2 ? cu.ctx_destroy(contexts[k]) : cu.release(0), "cuCtxDestroy");
  }
  assert_null(current());
}

/* The library's own context beside an application's; either is destroyed first. */
static void test_own_context_beside_adopted(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  options.device = "cuda:0";
  for (int first = 0; first < 2; first++) {
    cuda_lane lane;
    float values[100], results[100];
    scan_ctx *own = NULL;
    struct CUctx_st *context = cuda_context_make(0);
    for (int i = 0; i < 100; i++) values[i] = 1;
    test_ok(NULL, scan_ctx_create(&options, &own), "scan_ctx_create");
    cuda_lane_begin(&lane, context, NULL);
    cuda_lanes_run_in_turn(&lane, 1, ROUNDS);
    if (first == 0) cuda_lane_end(&lane);
    test_ok(own, scan_run(own, &spec, 100, scan_host(values), scan_host(results)), "scan_run");
    assert_true(results[99] == 100);
    scan_ctx_destroy(own);
    if (first == 1) cuda_lanes_run_in_turn(&lane, 1, ROUNDS);
    if (first == 1) cuda_lane_end(&lane);
    cuda_ok(cu.ctx_destroy(context), "cuCtxDestroy");
  }
  assert_null(current());
}

/* ---- several streams ---- */

/* Streams of one context in one thread: blocking and non-blocking ones, and the three special handles. */
static void test_streams_of_one_context(void **state) {
  (void)state;
  enum { STREAMS = 6 };
  cuda_lane lanes[STREAMS];
  struct CUctx_st *context = cuda_context_primary(0);
  struct CUstream_st *streams[STREAMS] = { cuda_stream_make(context, CUDA_DRIVER_NON_BLOCKING),
                                           cuda_stream_make(context, CUDA_DRIVER_NON_BLOCKING),
                                           cuda_stream_make(context, 0),
                                           NULL,
                                           CUDA_DRIVER_LEGACY,
                                           CUDA_DRIVER_PER_THREAD };
  for (int s = 0; s < STREAMS; s++) {
    struct CUstream_st *got = NULL;
    cuda_lane_begin(&lanes[s], context, streams[s]);
    test_ok(lanes[s].ctx, scan_cuda_stream(lanes[s].ctx, &got), "scan_cuda_stream");
    assert_ptr_equal(got, streams[s]);
  }
  cuda_lanes_run_in_turn(lanes, STREAMS, 3 * ROUNDS);
  for (int s = 0; s < STREAMS; s++) cuda_lane_end(&lanes[s]);
  for (int s = 0; s < 3; s++) cuda_stream_drop(context, streams[s]);
  cuda_ok(cu.release(0), "cuDevicePrimaryCtxRelease");
}

static void test_stream_of_another_context(void **state) {
  (void)state;
  scan_ctx *ctx = NULL;
  struct CUctx_st *context = cuda_context_make(0), *other = cuda_context_make(0);
  struct CUstream_st *stream = cuda_stream_make(other, 0);
  refused(NULL, scan_cuda_ctx_create(NULL, context, stream, &ctx), "the stream is of another CUcontext");
  cuda_ok(cu.push(context), "cuCtxPushCurrent");
  refused(NULL, scan_cuda_ctx_create(NULL, NULL, stream, &ctx), "the stream is of another CUcontext");
  cuda_ok(cu.pop(NULL), "cuCtxPopCurrent");
  assert_null(ctx);
  live_a_life(other, stream, NULL);
  cuda_stream_drop(other, stream);
  cuda_ok(cu.ctx_destroy(context), "cuCtxDestroy");
  cuda_ok(cu.ctx_destroy(other), "cuCtxDestroy");
}

/* ---- threads ---- */

typedef struct worker {
  cuda_lane lane;
  pthread_barrier_t *start;
  struct CUctx_st *context;
  struct CUstream_st *stream;
  int makes_stream, keeps_lane;
} worker;

/* Uses the library in a thread. All threads start at the same time. */
static void *work(void *argument) {
  worker *w = argument;
  cuda_lane *lane = &w->lane;
  (void)pthread_barrier_wait(w->start);
  if (w->makes_stream) {
    const int made = cu.push(w->context) | cu.stream_create(&w->stream, CUDA_DRIVER_NON_BLOCKING) | cu.pop(NULL);
    if (!cuda_lane_drives(lane, made, "cuStreamCreate")) return NULL;
  }
  if (cuda_lane_open(lane, w->context, w->stream, SCAN_STRATEGY_AUTO))
    for (int round = 0; round < ROUNDS && cuda_lane_turn(lane, cuda_lane_draw(lane)); round++) {}
  if (!w->keeps_lane) cuda_lane_close(lane);
  if (w->makes_stream) (void)(cu.push(w->context) | cu.stream_destroy(w->stream) | cu.pop(NULL));
  return NULL;
}

static void run_workers(worker *workers, int count) {
  pthread_t threads[THREADS];
  pthread_barrier_t start;
  assert_int_equal(pthread_barrier_init(&start, NULL, (unsigned)count), 0);
  for (int t = 0; t < count; t++) {
    workers[t].start = &start;
    assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
  }
  for (int t = 0; t < count; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
  assert_int_equal(pthread_barrier_destroy(&start), 0);
  for (int t = 0; t < count; t++) cuda_lane_ok(&workers[t].lane);
}

/* Threads share a context, and each has a stream: one that it made, or the handle of its per-thread default stream. */
static void test_threads_of_one_context(void **state) {
  (void)state;
  struct CUctx_st *context = cuda_context_primary(0);
  for (int named = 0; named < 2; named++) {
    worker workers[THREADS] = { 0 };
    for (int t = 0; t < THREADS; t++) {
      workers[t].context = context;
      workers[t].makes_stream = !named;
      workers[t].stream = CUDA_DRIVER_PER_THREAD;
    }
    run_workers(workers, THREADS);
  }
  cuda_ok(cu.release(0), "cuDevicePrimaryCtxRelease");
}

/* Other threads cannot use a thread's per-thread default stream. They are refused, but can destroy the context. */
static void test_stream_of_another_thread(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  static const char words[] = "only the thread that created the context can use it";
  struct CUctx_st *context = cuda_context_primary(0);
  worker workers[1] = { { .context = context, .stream = CUDA_DRIVER_PER_THREAD, .keeps_lane = 1 } };
  cuda_lane *lane = &workers[0].lane;
  scan_mem memory;
  scan_plan *plan = NULL;
  run_workers(workers, 1);
  scan_ctx *ctx = lane->ctx;
  refused(ctx, scan_plan_run(lane->plan, 1, scan_cuda_mem(lane->in, 4), scan_cuda_mem(lane->out, 4)), words);
  refused(ctx, scan_alloc(ctx, 64, &memory), words);
  refused(ctx, scan_plan_create(ctx, &spec, 100, &plan), words);
  refused(ctx, scan_read(ctx, scan_cuda_mem(lane->in, 4), lane->values, 4), words);
  refused(ctx, scan_write(ctx, scan_cuda_mem(lane->in, 4), lane->values, 4), words);
  cuda_lane_end(lane);
  cuda_ok(cu.release(0), "cuDevicePrimaryCtxRelease");
}

/* A context is made in one thread, used in another, and destroyed in a third, one after another. */
static void *use(void *argument) {
  cuda_lane *lane = argument;
  (void)cuda_lane_turn(lane, lane->most);
  return NULL;
}

static void test_context_goes_through_threads(void **state) {
  (void)state;
  cuda_lane lane;
  pthread_t thread;
  struct CUctx_st *context = cuda_context_make(0);
  struct CUstream_st *stream = cuda_stream_make(context, 0);
  cuda_lane_begin(&lane, context, stream);
  for (int t = 0; t < THREADS; t++) {
    assert_int_equal(pthread_create(&thread, NULL, use, &lane), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    cuda_lane_ok(&lane);
  }
  cuda_lane_end(&lane);
  cuda_stream_drop(context, stream);
  cuda_ok(cu.ctx_destroy(context), "cuCtxDestroy");
}

/* ---- two devices ---- */

static int has_two_devices(void) {
  if (devices >= 2) return 1;
  test_skipped("%d CUDA device, and the test needs two", devices);
  return 0;
}

static void test_two_devices_by_turns(void **state) {
  (void)state;
  enum { LANES = 4 };
  cuda_lane lanes[LANES];
  struct CUctx_st *contexts[LANES];
  struct CUstream_st *streams[LANES];
  if (!has_two_devices()) return;
  for (int l = 0; l < LANES; l++) {
    contexts[l] = l < 2 ? cuda_context_primary(l % 2) : cuda_context_make(l % 2);
    streams[l] = cuda_stream_make(contexts[l], CUDA_DRIVER_NON_BLOCKING);
    cuda_lane_begin(&lanes[l], contexts[l], streams[l]);
  }
  cuda_lanes_run_in_turn(lanes, LANES, 3 * ROUNDS);
  for (int l = 0; l < LANES; l++) {
    scan_device_info info = SCAN_DEVICE_INFO_INIT;
    test_ok(lanes[l].ctx, scan_ctx_device(lanes[l].ctx, &info), "scan_ctx_device");
    assert_string_equal(info.selector, l % 2 ? "cuda:1" : "cuda:0");
    cuda_lane_end(&lanes[l]);
    cuda_stream_drop(contexts[l], streams[l]);
    cuda_ok(l < 2 ? cu.release(l) : cu.ctx_destroy(contexts[l]), "cuCtxDestroy");
  }
  assert_null(current());
}

static void test_two_devices_by_threads(void **state) {
  (void)state;
  struct CUctx_st *contexts[2];
  worker workers[THREADS] = { 0 };
  if (!has_two_devices()) return;
  for (int d = 0; d < 2; d++) contexts[d] = cuda_context_primary(d);
  for (int t = 0; t < THREADS; t++) {
    workers[t].context = contexts[t % 2];
    workers[t].makes_stream = 1;
  }
  run_workers(workers, THREADS);
  for (int d = 0; d < 2; d++) cuda_ok(cu.release(d), "cuDevicePrimaryCtxRelease");
}

/* Makes the library's own context by a device's name, as applications without CUDA code do; on both devices, in two
 * threads. */
static void *run_by_name(void *argument) {
  cuda_lane *lane = argument;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  enum { N = 5000 };
  float *values = calloc(N, sizeof *values), *results = calloc(N, sizeof *results);
  options.device = lane->n == 0 ? "cuda:0" : "cuda:1";
  for (int i = 0; values != NULL && i < N; i++) values[i] = (float)(lane->n + 1);
  int going = values != NULL && results != NULL &&
              cuda_lane_scans(lane, scan_ctx_create(&options, &lane->ctx), "scan_ctx_create");
  for (int round = 0; round < ROUNDS && going; round++) {
    going = cuda_lane_scans(lane, scan_run(lane->ctx, &spec, N, scan_host(values), scan_host(results)), "scan_run") &&
            cuda_lane_drives(lane, results[N - 1] != (float)(N * (lane->n + 1)), "comparing");
  }
  scan_ctx_destroy(lane->ctx);
  free(values);
  free(results);
  return NULL;
}

static void test_two_devices_by_name(void **state) {
  (void)state;
  cuda_lane lanes[2] = { { .n = 0 }, { .n = 1 } };
  pthread_t threads[2];
  if (!has_two_devices()) return;
  for (int d = 0; d < 2; d++) assert_int_equal(pthread_create(&threads[d], NULL, run_by_name, &lanes[d]), 0);
  for (int d = 0; d < 2; d++) assert_int_equal(pthread_join(threads[d], NULL), 0);
  for (int d = 0; d < 2; d++) cuda_lane_ok(&lanes[d]);
}

/* ---- memory ---- */

/* Managed memory, and memory allocated in the order of a stream. */
static void test_other_memory(void **state) {
  (void)state;
  cuda_lane lane;
  unsigned long long managed = 0, ordered = 0;
  struct CUctx_st *context = cuda_context_primary(0);
  struct CUstream_st *stream = cuda_stream_make(context, CUDA_DRIVER_NON_BLOCKING);
  cuda_lane_begin(&lane, context, stream);
  const unsigned long long in = lane.in, out = lane.out;
  cuda_ok(cu.push(context), "cuCtxPushCurrent");
  cuda_ok(cu.alloc_managed(&managed, lane.most * sizeof(float), 1), "cuMemAllocManaged");
  cuda_ok(cu.alloc_async(&ordered, lane.most * sizeof(float), stream), "cuMemAllocAsync");
  for (int swapped = 0; swapped < 2; swapped++) {
    lane.in = swapped ? ordered : managed;
    lane.out = swapped ? managed : ordered;
    (void)cuda_lane_turn(&lane, lane.most);
    cuda_lane_ok(&lane);
  }
  cuda_ok(cu.free_async(ordered, stream), "cuMemFreeAsync");
  cuda_ok(cu.stream_sync(stream), "cuStreamSynchronize");
  cuda_ok(cu.free(managed), "cuMemFree");
  cuda_ok(cu.pop(NULL), "cuCtxPopCurrent");
  lane.in = in;
  lane.out = out;
  cuda_lane_end(&lane);
  cuda_stream_drop(context, stream);
  cuda_ok(cu.release(0), "cuDevicePrimaryCtxRelease");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, test_count_setup, cuda_driver_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_primary_stays_inactive), /* first: others activate it */
    TEST(test_none_is_current),
    TEST(test_its_own_is_current),
    TEST(test_another_is_current),
    TEST(test_contexts_of_every_kind),
    TEST(test_own_context_beside_adopted),
    TEST(test_streams_of_one_context),
    TEST(test_stream_of_another_context),
    TEST(test_threads_of_one_context),
    TEST(test_stream_of_another_thread),
    TEST(test_context_goes_through_threads),
    TEST(test_two_devices_by_turns),
    TEST(test_two_devices_by_threads),
    TEST(test_two_devices_by_name),
    TEST(test_other_memory),
  };
  devices = cuda_driver_load();
  return test_exit(cmocka_run_group_tests_name("cuda_contexts", tests, NULL, NULL));
}
