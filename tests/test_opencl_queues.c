/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests an application's queues of every kind, many at once: out-of-order queues, queues of several contexts and
 * threads. */
#include "opencl_lane.h"
#include "reference.h"

#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <stdlib.h>
#include <string.h>

enum { N = OPENCL_LANE_ITEMS, BYTES = OPENCL_LANE_BYTES };

static cl_command_queue new_queue(cl_context context, int is_unordered) {
  return opencl_app_queue(context, opencl_app_device(), is_unordered ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
}

static int needs_unordered(void) {
  if (opencl_app_has_unordered()) return 1;
  test_skipped("%s has no queues that are out of order", test_selector());
  return 0;
}

/* ---- several queues and contexts ---- */

/* Every second queue is out of order, if the device supports that. Contexts and queues are released in turn. */
static void test_many_at_once(void **state) {
  (void)state;
  const cl_device_id device = opencl_app_device();
  for (int shares = 0; shares < 2; shares++) {
    cl_context contexts[OPENCL_LANES];
    opencl_lane *lanes[OPENCL_LANES];
    for (int k = 0; k < OPENCL_LANES; k++) {
      contexts[k] = k == 0 || !shares ? opencl_app_context(1, &device) : contexts[0];
      lanes[k] = opencl_lane_new(contexts[k], new_queue(contexts[k], opencl_app_has_unordered() && k % 2));
      (void)opencl_lane_open(lanes[k]);
      opencl_lane_ok(lanes[k]);
    }
    for (int k = 0; k < OPENCL_LANES; k++) {
      cl_command_queue queue = lanes[k]->queue;
      opencl_lanes_run_in_turn(lanes + k, OPENCL_LANES - k);
      opencl_lane_close(lanes[k]);
      CL_OK(clReleaseCommandQueue(queue));
      if (!shares || k == OPENCL_LANES - 1) CL_OK(clReleaseContext(contexts[k]));
    }
  }
}

/* ---- out-of-order queues ---- */

/* The scans have no wait lists. The library must order the scans behind the gated write and behind each other. */
static void test_order_of_a_chain(void **state) {
  (void)state;
  enum { LINKS = 5 };
  if (!needs_unordered()) return;
  const cl_device_id device = opencl_app_device();
  cl_context context = opencl_app_context(1, &device);
  cl_command_queue queue = new_queue(context, 1);
  opencl_lane *l = opencl_lane_new(context, queue);
  (void)opencl_lane_open(l);
  opencl_lane_ok(l);
  for (int round = 0; round < OPENCL_ROUNDS; round++) {
    cl_int status = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(context, &status), done = NULL;
    scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
    const scan_mem buffers[] = { scan_opencl_mem(l->in, 0), scan_opencl_mem(l->out, 0) };
    CL_OK(status);
    memset(l->got, 0, sizeof l->got);
    CL_OK(clEnqueueWriteBuffer(queue, l->in, CL_TRUE, 0, BYTES, l->got, 0, NULL, NULL));
    values_fill(&l->rng, SCAN_I32, SCAN_ADD, N, N, l->values);
    CL_OK(clEnqueueWriteBuffer(queue, l->in, CL_FALSE, 0, BYTES, l->values, 1, &gate, NULL));
    for (int k = 0; k < LINKS; k++) {
      scan_args args = SCAN_ARGS_INIT(buffers[k % 2], buffers[(k + 1) % 2]);
      events.event = k == LINKS - 1 ? &done : NULL;
      args.opencl = &events;
      test_ok(l->ctx, scan_plan_run_args(l->plan, N, &args), "scan_plan_run_args");
      reference_scan(&opencl_lane_sum, N, k == 0 ? l->values : l->want, l->got);
      memcpy(l->want, l->got, sizeof l->want);
    }
    CL_OK(clFlush(queue));
    CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
    CL_OK(clEnqueueReadBuffer(queue, l->out, CL_TRUE, 0, BYTES, l->got, 1, &done, NULL));
    assert_memory_equal(l->got, l->want, BYTES);
    CL_OK(clReleaseEvent(gate));
    CL_OK(clReleaseEvent(done));
  }
  opencl_lane_close(l);
  CL_OK(clReleaseCommandQueue(queue));
  CL_OK(clReleaseContext(context));
}

/* Runs every kind of command of a context in one chain: a write, a copy, a compaction with its n in memory, a sort of
 * the kept elements, a scan of them from a carry, and reads; then the same data as a stream. */
static void run_all_commands(scan_ctx *ctx, struct rng *rng) {
  static int32_t values[N], want[N], got[N];
  static unsigned char flags[N];
  const scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_I32);
  scan_mem in, copy, marks, numbers;
  uint64_t count[2] = { N - 7, 0 }, kept = 0;
  int32_t carry[2] = { 1000, 0 };
  scan_plan *selects = NULL, *sorts = NULL;
  sort.in_place = 1;
  test_ok(ctx, scan_alloc(ctx, BYTES, &in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, BYTES, &copy), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, BYTES, &marks), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 64, &numbers), "scan_alloc");
  test_ok(ctx, scan_plan_create_select(ctx, &select, N, &selects), "scan_plan_create_select");
  test_ok(ctx, scan_plan_create_sort(ctx, &sort, N, &sorts), "scan_plan_create_sort");
  for (int round = 0; round < OPENCL_ROUNDS; round++) {
    for (int i = 0; i < N; i++) values[i] = (int32_t)rng_below(rng, 2000) - 1000;
    for (int i = 0; i < N; i++) flags[i] = rng_below(rng, 3) == 0;
    kept = 0;
    for (uint64_t i = 0; i < count[0]; i++)
      if (flags[i]) want[kept++] = values[i];
    qsort(want, kept, sizeof want[0], values_compare);
    scan_select_args first = SCAN_SELECT_ARGS_INIT(marks, copy, in, scan_offset(numbers, 8));
    scan_sort_args second = SCAN_SORT_ARGS_INIT(in, in);
    scan_args third = SCAN_ARGS_INIT(in, copy);
    first.n_from = numbers;
    second.n_from = scan_offset(numbers, 8);
    third.carry_in = scan_offset(numbers, 16), third.carry_out = scan_offset(numbers, 20);
    test_ok(ctx, scan_write(ctx, in, values, BYTES), "scan_write");
    test_ok(ctx, scan_write(ctx, marks, flags, N), "scan_write");
    test_ok(ctx, scan_write(ctx, numbers, count, sizeof count), "scan_write");
    test_ok(ctx, scan_write(ctx, scan_offset(numbers, 16), carry, sizeof carry), "scan_write");
    test_ok(ctx, scan_copy(ctx, copy, in, BYTES), "scan_copy");
    test_ok(ctx, scan_plan_run_select(selects, N, &first), "scan_plan_run_select");
    test_ok(ctx, scan_plan_run_sort(sorts, N, &second), "scan_plan_run_sort");
    test_ok(ctx, scan_run_args(ctx, &opencl_lane_sum, kept, &third), "scan_run_args");
    test_ok(ctx, scan_read(ctx, copy, got, kept * 4), "scan_read");
    for (uint64_t i = 0, total = 1000; i < kept; i++) {
      total += (uint64_t)(int64_t)want[i];
      if (got[i] != (int32_t)total) test_fail("round %d: element %d of %d", round, (int)i, (int)kept);
    }
    test_ok(ctx, scan_read(ctx, scan_offset(numbers, 20), got + N - 1, 4), "scan_read");
    if (kept > 0) assert_int_equal(got[N - 1], got[kept - 1]);
    scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
    options.chunk_items = N / 7;
    test_ok(ctx, scan_stream(ctx, &opencl_lane_sum, N, values, got, &options), "scan_stream");
    reference_scan(&opencl_lane_sum, N, values, want);
    assert_memory_equal(got, want, BYTES);
  }
  scan_plan_destroy(selects);
  scan_plan_destroy(sorts);
  test_ok(ctx, scan_free(ctx, in), "scan_free");
  test_ok(ctx, scan_free(ctx, copy), "scan_free");
  test_ok(ctx, scan_free(ctx, marks), "scan_free");
  test_ok(ctx, scan_free(ctx, numbers), "scan_free");
}

static void test_order_of_all_commands(void **state) {
  (void)state;
  struct rng rng = { 5 };
  scan_ctx *ctx = NULL;
  if (!needs_unordered()) return;
  const cl_device_id device = opencl_app_device();
  cl_context context = opencl_app_context(1, &device);
  cl_command_queue queue = new_queue(context, 1);
  test_ok(NULL, scan_opencl_ctx_create(NULL, context, queue, &ctx), "scan_opencl_ctx_create");
  run_all_commands(ctx, &rng);
  scan_ctx_destroy(ctx);
  CL_OK(clReleaseCommandQueue(queue));
  CL_OK(clReleaseContext(context));
}

/* Without a wait list, a scan waits for all earlier commands of the queue. With one, it also waits for the events,
 * though they are of another queue. */
static void test_waits_of_an_unordered_queue(void **state) {
  (void)state;
  if (!needs_unordered()) return;
  const cl_device_id device = opencl_app_device();
  cl_context context = opencl_app_context(1, &device);
  cl_command_queue queue = new_queue(context, 1), other = new_queue(context, 0);
  opencl_lane *l = opencl_lane_new(context, queue);
  cl_int status = CL_SUCCESS;
  cl_event written = NULL, done = NULL, gate = clCreateUserEvent(context, &status);
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  scan_args args = SCAN_ARGS_INIT(scan_opencl_mem(l->in, 0), scan_opencl_mem(l->out, 0));
  CL_OK(status);
  (void)opencl_lane_open(l);
  opencl_lane_ok(l);
  memset(l->got, 0, sizeof l->got);
  CL_OK(clEnqueueWriteBuffer(queue, l->in, CL_TRUE, 0, BYTES, l->got, 0, NULL, NULL));
  opencl_lane_fill(l);
  CL_OK(clEnqueueWriteBuffer(other, l->in, CL_FALSE, 0, BYTES, l->values, 1, &gate, &written));
  CL_OK(clFlush(other));
  events.wait_count = 1, events.wait_list = &written, events.event = &done;
  args.opencl = &events;
  test_ok(l->ctx, scan_plan_run_args(l->plan, N, &args), "scan_plan_run_args");
  CL_OK(clFlush(queue));
  CL_OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  assert_int_not_equal(status, CL_COMPLETE);
  CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CL_OK(clEnqueueReadBuffer(other, l->out, CL_TRUE, 0, BYTES, l->got, 1, &done, NULL));
  assert_memory_equal(l->got, l->want, BYTES);
  CL_OK(clReleaseEvent(gate));
  CL_OK(clReleaseEvent(written));
  CL_OK(clReleaseEvent(done));
  opencl_lane_close(l);
  CL_OK(clReleaseCommandQueue(other));
  CL_OK(clReleaseCommandQueue(queue));
  CL_OK(clReleaseContext(context));
}

/* ---- threads ---- */

/* Threads share a cl_context; each has a queue and a scan_ctx. */
static void test_threads_of_one_context(void **state) {
  (void)state;
  const cl_device_id device = opencl_app_device();
  cl_context context = opencl_app_context(1, &device);
  cl_command_queue queues[OPENCL_LANES];
  opencl_lane *lanes[OPENCL_LANES];
  for (int k = 0; k < OPENCL_LANES; k++) {
    queues[k] = new_queue(context, opencl_app_has_unordered() && k % 2);
    lanes[k] = opencl_lane_new(context, queues[k]);
  }
  opencl_lanes_run_threads(lanes, OPENCL_LANES);
  for (int k = 0; k < OPENCL_LANES; k++) {
    opencl_lane_close(lanes[k]);
    CL_OK(clReleaseCommandQueue(queues[k]));
  }
  CL_OK(clReleaseContext(context));
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_many_at_once),           TEST(test_order_of_a_chain),
    TEST(test_order_of_all_commands),  TEST(test_waits_of_an_unordered_queue),
    TEST(test_threads_of_one_context),
  };
  opencl_app_open();
  return test_exit(cmocka_run_group_tests_name("opencl_queues", tests, NULL, NULL));
}
