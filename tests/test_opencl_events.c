/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the OpenCL events that scans, compactions, sorts and splits wait for and make. */
#include "opencl_lane.h"
#include "reference.h"

#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <string.h>

enum { N = OPENCL_LANE_ITEMS, BYTES = OPENCL_LANE_BYTES };

static opencl_lane *l;

static int set_up(void **state) {
  const cl_device_id device = opencl_app_device();
  cl_context context = opencl_app_context(1, &device);
  l = opencl_lane_new(context, opencl_app_queue(context, device, 0));
  (void)opencl_lane_open(l);
  opencl_lane_ok(l);
  return test_count_setup(state);
}

static int tear_down(void **state) {
  cl_context context = l->context;
  cl_command_queue queue = l->queue;
  (void)state;
  opencl_lane_close(l);
  CL_OK(clReleaseCommandQueue(queue));
  CL_OK(clReleaseContext(context));
  return 0;
}

static scan_status run_with_events(uint64_t n, scan_mem in, scan_mem out, uint32_t count, const cl_event *waits,
                                   cl_event *event) {
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  scan_args args = SCAN_ARGS_INIT(in, out);
  events.wait_count = count;
  events.wait_list = waits;
  events.event = event;
  args.opencl = &events;
  return scan_plan_run_args(l->plan, n, &args);
}

static void refused(scan_status status, const char *words) {
  test_refusal(l->ctx, status, SCAN_INVALID_ARGUMENT, words);
}

/* Makes an event that commands wait for until pass_gate. */
static cl_event new_gate(void) {
  cl_int status;
  cl_event gate = clCreateUserEvent(l->context, &status);
  CL_OK(status);
  return gate;
}

static cl_int status_of_event(cl_event event) {
  cl_int status = -1;
  CL_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  return status;
}

/* Checks that the command of `done` waits for the gate, and completes once the gate is open. Releases both events. */
static void pass_gate(cl_event gate, cl_event done) {
  CL_OK(clFlush(l->queue));
  assert_int_not_equal(status_of_event(done), CL_COMPLETE);
  CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CL_OK(clWaitForEvents(1, &done));
  assert_int_equal(status_of_event(done), CL_COMPLETE);
  CL_OK(clReleaseEvent(gate));
  CL_OK(clReleaseEvent(done));
}

/* A second queue writes the values once `gate` is open; the scan waits for the event of that write. */
static void test_wait_list(void **state) {
  (void)state;
  cl_event written = NULL, done = NULL;
  cl_command_queue other = opencl_app_queue(l->context, opencl_app_device(), 0);
  cl_event gate = new_gate();
  memset(l->got, 0, sizeof l->got);
  CL_OK(clEnqueueWriteBuffer(l->queue, l->in, CL_TRUE, 0, BYTES, l->got, 0, NULL, NULL));
  opencl_lane_fill(l);
  CL_OK(clEnqueueWriteBuffer(other, l->in, CL_FALSE, 0, BYTES, l->values, 1, &gate, &written));
  CL_OK(clFlush(other));
  test_ok(l->ctx, run_with_events(N, scan_opencl_mem(l->in, 0), scan_opencl_mem(l->out, 0), 1, &written, &done),
          "scan_plan_run_args");
  pass_gate(gate, done);
  CL_OK(clEnqueueReadBuffer(other, l->out, CL_TRUE, 0, BYTES, l->got, 0, NULL, NULL));
  assert_memory_equal(l->got, l->want, BYTES);
  CL_OK(clReleaseEvent(written));
  CL_OK(clReleaseCommandQueue(other));
}

static void test_nothing_to_scan_still_has_an_event(void **state) {
  (void)state;
  cl_event done = NULL, gate = new_gate();
  const scan_mem none = SCAN_NO_MEM;
  test_ok(l->ctx, run_with_events(0, none, none, 1, &gate, &done), "scan_plan_run_args");
  assert_non_null(done);
  pass_gate(gate, done);
}

/* A compaction of equal elements waits for a gate. The count is behind the output in one buffer. */
static void test_compaction_waits(void **state) {
  (void)state;
  cl_event done = NULL;
  uint64_t count = 0, kept = 0;
  scan_plan *plan = NULL;
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  const scan_mem keys_of_in = SCAN_NO_MEM;
  scan_select_spec unique = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, 4);
  scan_select_args args = SCAN_SELECT_ARGS_INIT(keys_of_in, scan_opencl_mem(l->in, 0), scan_opencl_mem(l->out, 0),
                                                scan_opencl_mem(l->out, BYTES));
  cl_event gate = new_gate();
  for (int32_t i = 0; i < N; i++) l->values[i] = i / 3;
  for (int32_t i = 0; i < N; i += 3) l->want[kept++] = i / 3;
  CL_OK(clEnqueueWriteBuffer(l->queue, l->in, CL_TRUE, 0, BYTES, l->values, 0, NULL, NULL));
  unique.key_type = SCAN_I32;
  events.wait_count = 1, events.wait_list = &gate, events.event = &done;
  args.opencl = &events;
  test_ok(l->ctx, scan_plan_create_select(l->ctx, &unique, N, &plan), "scan_plan_create_select");
  test_ok(l->ctx, scan_plan_run_select(plan, N, &args), "scan_plan_run_select");
  pass_gate(gate, done);
  CL_OK(clEnqueueReadBuffer(l->queue, l->out, CL_TRUE, 0, kept * 4, l->got, 0, NULL, NULL));
  CL_OK(clEnqueueReadBuffer(l->queue, l->out, CL_TRUE, BYTES, sizeof count, &count, 0, NULL, NULL));
  assert_int_equal(count, kept);
  assert_memory_equal(l->got, l->want, kept * 4);
  scan_plan_destroy(plan);
}

/* An in-place sort waits for a gate. The number of keys is behind the keys in one buffer. */
static void test_sort_waits(void **state) {
  (void)state;
  cl_event done = NULL;
  const uint64_t n = N - 5;
  scan_plan *plan = NULL;
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_I32);
  scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_opencl_mem(l->in, 0), scan_opencl_mem(l->in, 0));
  cl_event gate = new_gate();
  for (int32_t i = 0; i < N; i++) l->values[i] = l->want[i] = N - 6 - i;
  for (int32_t i = 0; i < N - 5; i++) l->want[i] = i;
  CL_OK(clEnqueueWriteBuffer(l->queue, l->in, CL_TRUE, 0, BYTES, l->values, 0, NULL, NULL));
  CL_OK(clEnqueueWriteBuffer(l->queue, l->in, CL_TRUE, BYTES, sizeof n, &n, 0, NULL, NULL));
  sort.in_place = 1;
  args.n_from = scan_opencl_mem(l->in, BYTES);
  events.wait_count = 1, events.wait_list = &gate, events.event = &done;
  args.opencl = &events;
  test_ok(l->ctx, scan_plan_create_sort(l->ctx, &sort, N, &plan), "scan_plan_create_sort");
  test_ok(l->ctx, scan_plan_run_sort(plan, N, &args), "scan_plan_run_sort");
  pass_gate(gate, done);
  CL_OK(clEnqueueReadBuffer(l->queue, l->in, CL_TRUE, 0, BYTES, l->got, 0, NULL, NULL));
  assert_memory_equal(l->got, l->want, BYTES);
  scan_plan_destroy(plan);
}

/* A split waits for a gate. The number of keys is behind the keys in one buffer, and so are the offsets. */
static void test_split_waits(void **state) {
  (void)state;
  cl_event done = NULL;
  const uint64_t n = N - 5;
  uint64_t offsets[3];
  scan_plan *plan = NULL;
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  const scan_split_spec split = SCAN_SPLIT_SPEC_INIT(SCAN_I32, 0, 1);
  scan_split_args args = { .struct_bytes = sizeof args,
                           .keys_in = scan_opencl_mem(l->in, 0),
                           .keys_out = scan_opencl_mem(l->out, 0) };
  cl_event gate = new_gate();
  for (int32_t i = 0; i < N; i++) l->values[i] = i;
  for (int32_t i = 0; i < N - 5; i++) l->want[i / 2 + (i % 2 ? (N - 4) / 2 : 0)] = i;
  CL_OK(clEnqueueWriteBuffer(l->queue, l->in, CL_TRUE, 0, BYTES, l->values, 0, NULL, NULL));
  CL_OK(clEnqueueWriteBuffer(l->queue, l->in, CL_TRUE, BYTES, sizeof n, &n, 0, NULL, NULL));
  test_ok(l->ctx, scan_alloc(l->ctx, sizeof offsets, &args.offsets), "scan_alloc");
  args.n_from = scan_opencl_mem(l->in, BYTES);
  events.wait_count = 1, events.wait_list = &gate, events.event = &done;
  args.opencl = &events;
  test_ok(l->ctx, scan_plan_create_split(l->ctx, &split, N, &plan), "scan_plan_create_split");
  test_ok(l->ctx, scan_plan_run_split(plan, N, &args), "scan_plan_run_split");
  pass_gate(gate, done);
  CL_OK(clEnqueueReadBuffer(l->queue, l->out, CL_TRUE, 0, n * 4, l->got, 0, NULL, NULL));
  assert_memory_equal(l->got, l->want, n * 4);
  test_ok(l->ctx, scan_read(l->ctx, args.offsets, offsets, sizeof offsets), "scan_read");
  assert_int_equal(offsets[1], (n + 1) / 2);
  assert_int_equal(offsets[2], n);
  scan_plan_destroy(plan);
}

/* A refused scan enqueues nothing: it makes no event, and later commands do not wait for the list. */
static void test_refused_scan_enqueues_nothing(void **state) {
  (void)state;
  cl_event done = NULL, gate = new_gate();
  const scan_mem in = scan_opencl_mem(l->in, 0), out = scan_opencl_mem(l->out, 0);
  refused(run_with_events(N, in, out, 1, NULL, &done), "args->opencl->wait_count is 1 and wait_list is NULL");
  refused(run_with_events(N, in, out, 0, &gate, &done), "args->opencl->wait_count is 0 and wait_list is not NULL");
  refused(run_with_events(N + 1, in, out, 1, &gate, &done), "n is 20001, but the plan was created for at most 20000");
  refused(run_with_events(N, scan_offset(in, BYTES + 8), out, 1, &gate, &done),
          "in is too small: 80000 bytes needed, 0 there");
  assert_null(done);
  CL_OK(clEnqueueMarkerWithWaitList(l->queue, 0, NULL, &done));
  CL_OK(clFlush(l->queue));
  for (int i = 0; i < 20000000 && status_of_event(done) != CL_COMPLETE; i++) {}
  const cl_int reached = status_of_event(done);
  CL_OK(clSetUserEventStatus(gate, CL_COMPLETE)); /* lets the queue continue in any case */
  CL_OK(clFinish(l->queue));
  CL_OK(clReleaseEvent(gate));
  CL_OK(clReleaseEvent(done));
  assert_int_equal(reached, CL_COMPLETE);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_wait_list),
    TEST(test_compaction_waits),
    TEST(test_sort_waits),
    TEST(test_split_waits),
    TEST(test_nothing_to_scan_still_has_an_event),
    TEST(test_refused_scan_enqueues_nothing),
  };
  opencl_app_open();
  return test_exit(cmocka_run_group_tests_name("opencl_events", tests, NULL, NULL));
}
