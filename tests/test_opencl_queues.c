/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests an application's queues of every kind, many at once: out-of-order queues; queues of several contexts, devices,
 * sub-devices and threads; and memory in sub-buffers. */
#include "opencl_app.h"
#include "reference.h"
#include "values.h"

#include <pthread.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 20000, BYTES = N * 4, LANES = 4, ROUNDS = 4 };

static const scan_spec sum = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);

/* A part of an application: a scan_ctx on a queue, buffers, and the text of an error in a thread. */
typedef struct lane {
  cl_context context;
  cl_command_queue queue;
  cl_mem in, out;
  scan_ctx *ctx;
  scan_plan *plan;
  struct rng rng;
  uint64_t n;
  int32_t values[N], want[N], got[N];
  char text[TEST_TEXT];
} lane;

static int went_well(lane *l, scan_status status, const char *call) {
  if (status == SCAN_SUCCESS) return 1;
  if (l->text[0] == '\0')
    snprintf(l->text, sizeof l->text, "%s: %s: %s", call, scan_status_name(status), scan_last_error(l->ctx));
  return 0;
}

static int drives(lane *l, cl_int result, const char *call) {
  if (result == CL_SUCCESS) return 1;
  if (l->text[0] == '\0') snprintf(l->text, sizeof l->text, "%s gives %d", call, result);
  return 0;
}

static void lane_ok(const lane *l) {
  if (l->text[0] != '\0') test_fail("%s", l->text);
}

/* Makes a lane. It retains neither the context nor the queue. */
static lane *lane_new(cl_context context, cl_command_queue queue) {
  static uint64_t lanes;
  lane *l = calloc(1, sizeof *l);
  assert_non_null(l);
  l->context = context;
  l->queue = queue;
  l->rng.state = ++lanes;
  l->in = opencl_app_buffer(context, BYTES);
  l->out = opencl_app_buffer(context, BYTES);
  return l;
}

/* Makes the scan_ctx and the plan; may run in any thread. */
static int lane_open(lane *l) {
  return went_well(l, scan_opencl_ctx_create(NULL, l->context, l->queue, &l->ctx), "scan_opencl_ctx_create") &&
         went_well(l, scan_plan_create(l->ctx, &sum, N, &l->plan), "scan_plan_create");
}

/* Starts a scan of new input, without waiting. On an out-of-order queue the library makes the scan wait for the write;
 * the application's read waits for the scan's event. */
static int lane_start(lane *l, cl_event *done) {
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  scan_args args = SCAN_ARGS_INIT(scan_opencl_mem(l->in, 0), scan_opencl_mem(l->out, 0));
  l->n = 1 + rng_below(&l->rng, N);
  values_fill(&l->rng, SCAN_I32, SCAN_ADD, l->n, l->n, l->values);
  reference_scan(&sum, l->n, l->values, l->want);
  events.event = done;
  args.opencl = &events;
  return drives(l, clEnqueueWriteBuffer(l->queue, l->in, CL_FALSE, 0, l->n * 4, l->values, 0, NULL, NULL), "write") &&
         went_well(l, scan_plan_run_args(l->plan, l->n, &args), "scan_plan_run_args") &&
         drives(l, clFlush(l->queue), "clFlush");
}

static int lane_check(lane *l, cl_event done) {
  memset(l->got, 0xee, sizeof l->got);
  const int read =
      drives(l, clEnqueueReadBuffer(l->queue, l->out, CL_TRUE, 0, l->n * 4, l->got, 1, &done, NULL), "read");
  (void)clReleaseEvent(done);
  if (!read) return 0;
  const uint64_t bad = reference_mismatch(SCAN_I32, l->n, l->got, l->want);
  return drives(l, bad != l->n, "comparing");
}

static void lane_close(lane *l) {
  scan_plan_destroy(l->plan);
  scan_ctx_destroy(l->ctx);
  CL_OK(clReleaseMemObject(l->in));
  CL_OK(clReleaseMemObject(l->out));
  lane_ok(l);
  free(l);
}

/* Starts a scan on each lane before it checks the first one. */
static void run_in_turn(lane **lanes, int count, int rounds) {
  for (int round = 0; round < rounds; round++) {
    cl_event done[LANES];
    for (int k = 0; k < count; k++) {
      (void)lane_start(lanes[k], &done[k]);
      lane_ok(lanes[k]);
    }
    for (int k = 0; k < count; k++) {
      const int at = (k + round) % count;
      (void)lane_check(lanes[at], done[at]);
      lane_ok(lanes[at]);
    }
  }
}

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
    cl_context contexts[LANES];
    lane *lanes[LANES];
    for (int k = 0; k < LANES; k++) {
      contexts[k] = k == 0 || !shares ? opencl_app_context(1, &device) : contexts[0];
      lanes[k] = lane_new(contexts[k], new_queue(contexts[k], opencl_app_has_unordered() && k % 2));
      (void)lane_open(lanes[k]);
      lane_ok(lanes[k]);
    }
    for (int k = 0; k < LANES; k++) {
      cl_command_queue queue = lanes[k]->queue;
      run_in_turn(lanes + k, LANES - k, ROUNDS);
      lane_close(lanes[k]);
      CL_OK(clReleaseCommandQueue(queue));
      if (!shares || k == LANES - 1) CL_OK(clReleaseContext(contexts[k]));
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
  lane *l = lane_new(context, queue);
  (void)lane_open(l);
  lane_ok(l);
  for (int round = 0; round < ROUNDS; round++) {
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
      reference_scan(&sum, N, k == 0 ? l->values : l->want, l->got);
      memcpy(l->want, l->got, sizeof l->want);
    }
    CL_OK(clFlush(queue));
    CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
    CL_OK(clEnqueueReadBuffer(queue, l->out, CL_TRUE, 0, BYTES, l->got, 1, &done, NULL));
    assert_memory_equal(l->got, l->want, BYTES);
    CL_OK(clReleaseEvent(gate));
    CL_OK(clReleaseEvent(done));
  }
  lane_close(l);
  CL_OK(clReleaseCommandQueue(queue));
  CL_OK(clReleaseContext(context));
}

static int by_value(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
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
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < N; i++) values[i] = (int32_t)rng_below(rng, 2000) - 1000;
    for (int i = 0; i < N; i++) flags[i] = rng_below(rng, 3) == 0;
    kept = 0;
    for (uint64_t i = 0; i < count[0]; i++)
      if (flags[i]) want[kept++] = values[i];
    qsort(want, kept, sizeof want[0], by_value);
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
    test_ok(ctx, scan_run_args(ctx, &sum, kept, &third), "scan_run_args");
    test_ok(ctx, scan_read(ctx, copy, got, kept * 4), "scan_read");
    for (uint64_t i = 0, total = 1000; i < kept; i++) {
      total += (uint64_t)(int64_t)want[i];
      if (got[i] != (int32_t)total) test_fail("round %d: element %d of %d", round, (int)i, (int)kept);
    }
    test_ok(ctx, scan_read(ctx, scan_offset(numbers, 20), got + N - 1, 4), "scan_read");
    if (kept > 0) assert_int_equal(got[N - 1], got[kept - 1]);
    scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
    options.chunk_items = N / 7;
    test_ok(ctx, scan_stream(ctx, &sum, N, values, got, &options), "scan_stream");
    reference_scan(&sum, N, values, want);
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
  lane *l = lane_new(context, queue);
  cl_int status = CL_SUCCESS;
  cl_event written = NULL, done = NULL, gate = clCreateUserEvent(context, &status);
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  scan_args args = SCAN_ARGS_INIT(scan_opencl_mem(l->in, 0), scan_opencl_mem(l->out, 0));
  CL_OK(status);
  (void)lane_open(l);
  lane_ok(l);
  memset(l->got, 0, sizeof l->got);
  CL_OK(clEnqueueWriteBuffer(queue, l->in, CL_TRUE, 0, BYTES, l->got, 0, NULL, NULL));
  values_fill(&l->rng, SCAN_I32, SCAN_ADD, N, N, l->values);
  reference_scan(&sum, N, l->values, l->want);
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
  lane_close(l);
  CL_OK(clReleaseCommandQueue(other));
  CL_OK(clReleaseCommandQueue(queue));
  CL_OK(clReleaseContext(context));
}

/* ---- threads ---- */

static void *work(void *argument) {
  lane *l = argument;
  if (!lane_open(l)) return NULL;
  for (int round = 0; round < ROUNDS; round++) {
    cl_event done = NULL;
    if (!lane_start(l, &done) || !lane_check(l, done)) return NULL;
  }
  return NULL;
}

static void run_threads(lane **lanes, int count) {
  pthread_t threads[LANES];
  for (int k = 0; k < count; k++) assert_int_equal(pthread_create(&threads[k], NULL, work, lanes[k]), 0);
  for (int k = 0; k < count; k++) assert_int_equal(pthread_join(threads[k], NULL), 0);
  for (int k = 0; k < count; k++) lane_ok(lanes[k]);
}

/* Threads share a cl_context; each has a queue and a scan_ctx. */
static void test_threads_of_one_context(void **state) {
  (void)state;
  const cl_device_id device = opencl_app_device();
  cl_context context = opencl_app_context(1, &device);
  cl_command_queue queues[LANES];
  lane *lanes[LANES];
  for (int k = 0; k < LANES; k++) {
    queues[k] = new_queue(context, opencl_app_has_unordered() && k % 2);
    lanes[k] = lane_new(context, queues[k]);
  }
  run_threads(lanes, LANES);
  for (int k = 0; k < LANES; k++) {
    lane_close(lanes[k]);
    CL_OK(clReleaseCommandQueue(queues[k]));
  }
  CL_OK(clReleaseContext(context));
}

/* ---- two devices ---- */

static int needs_two(cl_device_id devices[2]) {
  devices[0] = opencl_app_device();
  devices[1] = opencl_app_other_device();
  if (devices[1] != NULL) return 1;
  test_skipped("the platform of %s has one device, and the test needs two", test_selector());
  return 0;
}

/* A cl_context of both devices, and a scan_ctx for each; alternately in one thread, and in threads. */
static void test_two_devices(void **state) {
  (void)state;
  cl_device_id devices[2];
  if (!needs_two(devices)) return;
  cl_context both = opencl_app_context(2, devices);
  lane *lanes[LANES];
  for (int threads = 0; threads < 2; threads++) {
    for (int k = 0; k < LANES; k++) {
      cl_context context = k < 2 ? both : opencl_app_context(1, &devices[k % 2]);
      lanes[k] = lane_new(context, opencl_app_queue(context, devices[k % 2], 0));
      if (threads) continue;
      (void)lane_open(lanes[k]);
      lane_ok(lanes[k]);
    }
    if (threads)
      run_threads(lanes, LANES);
    else
      run_in_turn(lanes, LANES, ROUNDS);
    for (int k = 0; k < LANES; k++) {
      cl_context context = lanes[k]->context;
      cl_command_queue queue = lanes[k]->queue;
      lane_close(lanes[k]);
      CL_OK(clReleaseCommandQueue(queue));
      if (k >= 2) CL_OK(clReleaseContext(context));
    }
  }
  CL_OK(clReleaseContext(both));
}

/* Devices scan alternately in the buffers of their common cl_context; each waits for the other's event. */
static void test_buffers_of_two_devices(void **state) {
  (void)state;
  cl_device_id devices[2];
  if (!needs_two(devices)) return;
  enum { LINKS = 6 };
  cl_context both = opencl_app_context(2, devices);
  cl_command_queue queues[2];
  lane *lanes[2];
  cl_event before = NULL;
  for (int k = 0; k < 2; k++) {
    queues[k] = opencl_app_queue(both, devices[k], 0);
    lanes[k] = lane_new(both, queues[k]);
    (void)lane_open(lanes[k]);
    lane_ok(lanes[k]);
  }
  lane *first = lanes[0];
  const scan_mem buffers[] = { scan_opencl_mem(first->in, 0), scan_opencl_mem(first->out, 0) };
  values_fill(&first->rng, SCAN_I32, SCAN_ADD, N, N, first->want);
  CL_OK(clEnqueueWriteBuffer(queues[0], first->in, CL_TRUE, 0, BYTES, first->want, 0, NULL, NULL));
  for (int k = 0; k < LINKS; k++) {
    cl_event done = NULL;
    scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
    scan_args args = SCAN_ARGS_INIT(buffers[k % 2], buffers[(k + 1) % 2]);
    events.wait_count = before != NULL, events.wait_list = before != NULL ? &before : NULL, events.event = &done;
    args.opencl = &events;
    test_ok(lanes[k % 2]->ctx, scan_plan_run_args(lanes[k % 2]->plan, N, &args), "scan_plan_run_args");
    CL_OK(clFlush(queues[k % 2]));
    if (before != NULL) CL_OK(clReleaseEvent(before));
    before = done;
    reference_scan(&sum, N, first->want, first->values);
    memcpy(first->want, first->values, BYTES);
  }
  CL_OK(clEnqueueReadBuffer(queues[0], first->in, CL_TRUE, 0, BYTES, first->got, 1, &before, NULL));
  assert_memory_equal(first->got, first->want, BYTES);
  CL_OK(clReleaseEvent(before));
  for (int k = 0; k < 2; k++) {
    lane_close(lanes[k]);
    CL_OK(clReleaseCommandQueue(queues[k]));
  }
  CL_OK(clReleaseContext(both));
}

/* ---- sub-devices ---- */

/* 1 if the device can be divided. Some drivers lack the function for dividing if it cannot. */
static int is_divisible(cl_device_id device) {
  cl_device_partition_property properties[16] = { 0 };
  if (clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof properties, properties, NULL) != CL_SUCCESS)
    return 0;
  for (int k = 0; k < 16; k++)
    if (properties[k] == CL_DEVICE_PARTITION_EQUALLY) return 1;
  return 0;
}

static void test_sub_device(void **state) {
  (void)state;
  const cl_device_partition_property by_one[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
  const cl_device_id device = opencl_app_device();
  cl_device_id parts[256];
  cl_uint count = 0;
  if (!is_divisible(device)) {
    test_skipped("%s cannot be divided (CL_DEVICE_PARTITION_PROPERTIES)", test_selector());
    return;
  }
  const cl_int status = clCreateSubDevices(device, by_one, 256, parts, &count);
  if (status != CL_SUCCESS || count < 2) {
    test_skipped("%s is not divided: clCreateSubDevices gives %d, %d parts", test_selector(), status, (int)count);
    return;
  }
  lane *lanes[LANES];
  const int most = count < LANES ? (int)count : LANES;
  for (int k = 0; k < most; k++) {
    scan_device_info info = SCAN_DEVICE_INFO_INIT;
    cl_context context = opencl_app_context(1, &parts[k]);
    lanes[k] = lane_new(context, opencl_app_queue(context, parts[k], 0));
    (void)lane_open(lanes[k]);
    lane_ok(lanes[k]);
    test_ok(lanes[k]->ctx, scan_ctx_device(lanes[k]->ctx, &info), "scan_ctx_device");
    assert_string_equal(info.selector, test_info()->selector);
    assert_int_equal(info.compute_units, 1);
  }
  run_in_turn(lanes, most, ROUNDS);
  for (int k = 0; k < most; k++) {
    cl_context context = lanes[k]->context;
    cl_command_queue queue = lanes[k]->queue;
    lane_close(lanes[k]);
    CL_OK(clReleaseCommandQueue(queue));
    CL_OK(clReleaseContext(context));
  }
  for (cl_uint k = 0; k < count; k++) CL_OK(clReleaseDevice(parts[k]));
}

/* ---- sub-buffers ---- */

static cl_mem part_of(cl_mem buffer, size_t origin, size_t bytes) {
  cl_int status = CL_SUCCESS;
  const cl_buffer_region region = { origin, bytes };
  cl_mem part = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  CL_OK(status);
  return part;
}

/* Sub-buffers at the smallest origins that the device accepts, and memory at every element offset in them. Elements are
 * bytes, so that offsets have no alignment. Neighbouring bytes must not change. */
static void test_parts_at_small_origins(void **state) {
  (void)state;
  enum { ITEMS = 3000 };
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_U8, SCAN_ADD, SCAN_INCLUSIVE);
  static unsigned char values[ITEMS], want[ITEMS], all[9 * ITEMS], before[9 * ITEMS];
  struct rng rng = { 9 };
  cl_uint align_bits = 0;
  scan_ctx *ctx = NULL;
  const cl_device_id device = opencl_app_device();
  CL_OK(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits, &align_bits, NULL));
  const size_t align = align_bits / 8, half = (4 * ITEMS + align - 1) / align * align;
  if (2 * half + align > sizeof all) {
    test_skipped("%s wants parts of buffers to begin at multiples of %d bytes", test_selector(), (int)align);
    return;
  }
  cl_context context = opencl_app_context(1, &device);
  cl_command_queue queue = new_queue(context, 0);
  test_ok(NULL, scan_opencl_ctx_create(NULL, context, queue, &ctx), "scan_opencl_ctx_create");
  cl_mem whole = opencl_app_buffer(context, sizeof all);
  for (size_t shift = 0; shift < 17; shift++) {
    cl_mem in = part_of(whole, align, half - align), out = part_of(whole, half + align, sizeof all - half - align);
    const uint64_t n = ITEMS - shift;
    memset(before, 0x5c, sizeof before);
    for (uint64_t i = 0; i < n; i++) values[i] = (unsigned char)rng_below(&rng, 256);
    reference_scan(&spec, n, values, want);
    memcpy(before + align + shift, values, n);
    CL_OK(clEnqueueWriteBuffer(queue, whole, CL_TRUE, 0, sizeof before, before, 0, NULL, NULL));
    test_ok(ctx, scan_run(ctx, &spec, n, scan_opencl_mem(in, shift), scan_opencl_mem(out, 2 * shift)), "scan_run");
    CL_OK(clEnqueueReadBuffer(queue, whole, CL_TRUE, 0, sizeof all, all, 0, NULL, NULL));
    memcpy(before + half + align + 2 * shift, want, n);
    assert_memory_equal(all, before, sizeof all);
    CL_OK(clReleaseMemObject(in));
    CL_OK(clReleaseMemObject(out));
  }
  CL_OK(clReleaseMemObject(whole));
  scan_ctx_destroy(ctx);
  CL_OK(clReleaseCommandQueue(queue));
  CL_OK(clReleaseContext(context));
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_many_at_once),           TEST(test_order_of_a_chain),
    TEST(test_order_of_all_commands),  TEST(test_waits_of_an_unordered_queue),
    TEST(test_threads_of_one_context), TEST(test_two_devices),
    TEST(test_buffers_of_two_devices), TEST(test_sub_device),
    TEST(test_parts_at_small_origins),
  };
  opencl_app_open();
  return test_exit(cmocka_run_group_tests_name("opencl_queues", tests, NULL, NULL));
}
