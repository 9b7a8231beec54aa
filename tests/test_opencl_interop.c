/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests an application's own OpenCL context, queue, buffers and events. */
#include "opencl_app.h"
#include "reference.h"
#include "values.h"

#include <scanrt/scan_array.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <sched.h>
#include <string.h>

enum { N = 20000, BYTES = N * 4 };

/* The application's objects. */
struct app {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem in, out;
};

static struct app app;
static int32_t values[N], want[N], got[N];
static const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);

static int app_open(void **state) {
  cl_int status;
  app.device = opencl_app_device();
  assert_non_null(app.device);
  app.context = clCreateContext(NULL, 1, &app.device, NULL, NULL, &status);
  CL_OK(status);
  app.queue = clCreateCommandQueue(app.context, app.device, 0, &status);
  CL_OK(status);
  app.in = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 2 * BYTES, NULL, &status);
  CL_OK(status);
  app.out = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 2 * BYTES, NULL, &status);
  CL_OK(status);
  return test_count_setup(state);
}

static int app_close(void **state) {
  (void)state;
  CL_OK(clReleaseMemObject(app.in));
  CL_OK(clReleaseMemObject(app.out));
  CL_OK(clReleaseCommandQueue(app.queue));
  CL_OK(clReleaseContext(app.context));
  return 0;
}

static scan_ctx *adopt(void) {
  scan_ctx *ctx = NULL;
  test_ok(NULL, scan_opencl_ctx_create(NULL, app.context, app.queue, &ctx), "scan_opencl_ctx_create");
  return ctx;
}

static scan_plan *plan_of(scan_ctx *ctx) {
  scan_plan *plan = NULL;
  test_ok(ctx, scan_plan_create(ctx, &spec, N, &plan), "scan_plan_create");
  return plan;
}

static scan_status run_with_events(scan_plan *plan, uint64_t n, scan_mem in, scan_mem out, uint32_t count,
                                   const cl_event *waits, cl_event *event) {
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  scan_args args = SCAN_ARGS_INIT(in, out);
  events.wait_count = count;
  events.wait_list = waits;
  events.event = event;
  args.opencl = &events;
  return scan_plan_run_args(plan, n, &args);
}

static void new_values(void) {
  static struct rng rng = { 3 };
  values_fill(&rng, SCAN_I32, SCAN_ADD, N, N, values);
  reference_scan(&spec, N, values, want);
}

static void check_refusal(const scan_ctx *ctx, scan_status status, const char *message) {
  assert_string_equal(scan_last_error(ctx), message);
  assert_int_equal(status, SCAN_INVALID_ARGUMENT);
}

static cl_uint references_of_context(cl_context context) {
  cl_uint count = 0;
  CL_OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
  return count;
}

static cl_uint references_of_queue(cl_command_queue queue) {
  cl_uint count = 0;
  CL_OK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL));
  return count;
}

/* Checks reference counts. PoCL's commands hold their queue and context until a moment after clFinish has returned. */
static void check_references(cl_uint queues, cl_uint contexts) {
  for (long polls = 0; polls < 1000000; polls++) {
    if (references_of_queue(app.queue) == queues && references_of_context(app.context) == contexts) return;
    sched_yield();
  }
  assert_int_equal(references_of_queue(app.queue), queues);
  assert_int_equal(references_of_context(app.context), contexts);
}

static cl_int status_of_event(cl_event event) {
  cl_int status = -1;
  CL_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  return status;
}

/* ---- context and queue ---- */

static void test_adopted_queue(void **state) {
  (void)state;
  const cl_uint contexts = references_of_context(app.context), queues = references_of_queue(app.queue);
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  cl_command_queue queue = NULL;
  scan_ctx *ctx = adopt();
  test_ok(ctx, scan_opencl_queue(ctx, &queue), "scan_opencl_queue");
  assert_ptr_equal(queue, app.queue);
  test_ok(ctx, scan_ctx_device(ctx, &info), "scan_ctx_device");
  assert_string_equal(info.selector, test_info()->selector);
  assert_string_equal(info.name, test_info()->name);
  new_values();
  test_ok(ctx, scan_run(ctx, &spec, N, scan_host(values), scan_host(got)), "scan_run");
  assert_memory_equal(got, want, BYTES);
  scan_ctx_destroy(ctx);
  check_references(queues, contexts);
}

/* The application may release its context and queue before the scan_ctx is destroyed. */
static void test_objects_are_retained(void **state) {
  (void)state;
  cl_int status;
  cl_context context = clCreateContext(NULL, 1, &app.device, NULL, NULL, &status);
  CL_OK(status);
  cl_command_queue queue = clCreateCommandQueue(context, app.device, 0, &status);
  CL_OK(status);
  scan_ctx *ctx = NULL;
  test_ok(NULL, scan_opencl_ctx_create(NULL, context, queue, &ctx), "scan_opencl_ctx_create");
  CL_OK(clReleaseCommandQueue(queue));
  CL_OK(clReleaseContext(context));
  new_values();
  test_ok(ctx, scan_run(ctx, &spec, N, scan_host(values), scan_host(got)), "scan_run");
  assert_memory_equal(got, want, BYTES);
  scan_ctx_destroy(ctx);
}

static void test_wrong_arguments(void **state) {
  (void)state;
  scan_ctx *ctx = NULL;
  check_refusal(NULL, scan_opencl_ctx_create(NULL, NULL, app.queue, &ctx), "scan_opencl_ctx_create: context is NULL");
  check_refusal(NULL, scan_opencl_ctx_create(NULL, app.context, NULL, &ctx), "scan_opencl_ctx_create: queue is NULL");
  check_refusal(NULL, scan_opencl_ctx_create(NULL, app.context, app.queue, NULL),
                "scan_opencl_ctx_create: ctx is NULL");
  assert_null(ctx);
  ctx = adopt();
  check_refusal(ctx, scan_opencl_queue(ctx, NULL), "scan_opencl_queue: queue is NULL");
  scan_ctx_destroy(ctx);
}

/* ---- buffers ---- */

static void test_buffers_and_offsets(void **state) {
  (void)state;
  scan_ctx *ctx = adopt();
  scan_plan *plan = plan_of(ctx);
  const scan_mem in = scan_opencl_mem(app.in, 64), out = scan_opencl_mem(app.out, 128);
  new_values();
  CL_OK(clEnqueueWriteBuffer(app.queue, app.in, CL_FALSE, 64, BYTES, values, 0, NULL, NULL));
  test_ok(ctx, scan_plan_run(plan, N, in, out), "scan_plan_run");
  CL_OK(clEnqueueReadBuffer(app.queue, app.out, CL_TRUE, 128, BYTES, got, 0, NULL, NULL));
  assert_memory_equal(got, want, BYTES);
  test_ok(ctx, scan_plan_run(plan, N, in, in), "scan_plan_run in place");
  test_ok(ctx, scan_read(ctx, in, got, BYTES), "scan_read");
  assert_memory_equal(got, want, BYTES);
  assert_ptr_equal(scan_opencl_buffer(in), app.in);
  assert_null(scan_opencl_buffer(scan_host(values)));
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
}

static void test_allocated_memory_has_a_buffer(void **state) {
  (void)state;
  scan_mem memory;
  scan_ctx *ctx = adopt();
  test_ok(ctx, scan_alloc(ctx, BYTES, &memory), "scan_alloc");
  cl_mem buffer = scan_opencl_buffer(memory);
  assert_non_null(buffer);
  new_values();
  CL_OK(clEnqueueWriteBuffer(app.queue, buffer, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
  test_ok(ctx, scan_run(ctx, &spec, N, memory, memory), "scan_run");
  CL_OK(clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
  assert_memory_equal(got, want, BYTES);
  test_ok(ctx, scan_free(ctx, memory), "scan_free");
  scan_ctx_destroy(ctx);
}

static void test_sizes_are_asked_for(void **state) {
  (void)state;
  scan_ctx *ctx = adopt();
  scan_plan *plan = plan_of(ctx);
  const scan_mem in = scan_opencl_mem(app.in, 0), out = scan_opencl_mem(app.out, 0);
  check_refusal(ctx, scan_plan_run(plan, N, scan_offset(in, BYTES + 4), out),
                "in is too small: 80000 bytes needed, 79996 there");
  check_refusal(ctx, scan_plan_run(plan, N, in, scan_offset(out, BYTES + 8)),
                "out is too small: 80000 bytes needed, 79992 there");
  check_refusal(ctx, scan_plan_run(plan, N, scan_offset(in, 4 * BYTES), out),
                "in is too small: 80000 bytes needed, 0 there");
  check_refusal(ctx, scan_plan_run(plan, N, scan_offset(in, 2), out), "in is not aligned to its elements of 4 bytes");
  check_refusal(ctx, scan_plan_run(plan, N, in, scan_offset(in, 4)),
                "in and out overlap: they must be the same memory with elements of one size, or apart");
  test_ok(ctx, scan_plan_run(plan, N, scan_offset(in, BYTES), scan_offset(out, BYTES)), "the last bytes");
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
}

/* Makes a sub-buffer of app.in. */
static cl_mem part_of_in(size_t origin, size_t bytes) {
  cl_int status;
  const cl_buffer_region region = { origin, bytes };
  cl_mem part = clCreateSubBuffer(app.in, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  CL_OK(status);
  return part;
}

static void test_sub_buffers(void **state) {
  (void)state;
  enum { ORIGIN = 16384 }; /* a multiple of the devices' alignment */
  static const char overlap[] = "in and out overlap: they must be the same memory with elements of one size, or apart";
  const uint64_t n = ORIGIN / 4, shape[] = { n };
  scan_array array = SCAN_ARRAY_INIT;
  scan_ctx *ctx = adopt();
  scan_plan *plan = plan_of(ctx);
  cl_mem low = part_of_in(0, 2 * ORIGIN), high = part_of_in(ORIGIN, 2 * ORIGIN), low_too = part_of_in(0, 2 * ORIGIN);
  const scan_mem in = scan_opencl_mem(app.in, 0), a = scan_opencl_mem(low, 0), b = scan_opencl_mem(high, 0);
  check_refusal(ctx, scan_plan_run(plan, n + 1, a, b), overlap);
  check_refusal(ctx, scan_run(ctx, &spec, n + 1, b, a), overlap);
  check_refusal(ctx, scan_plan_run(plan, n, scan_offset(a, ORIGIN), b), overlap);
  check_refusal(ctx, scan_plan_run(plan, n, a, in), overlap);
  check_refusal(ctx, scan_plan_run(plan, n, scan_offset(in, ORIGIN), b), overlap);
  check_refusal(ctx, scan_plan_run(plan, n, a, scan_opencl_mem(low_too, 0)), overlap);
  check_refusal(ctx, scan_copy(ctx, scan_offset(a, 4), b, ORIGIN), "scan_copy: dst and src overlap");
  test_ok(ctx, scan_array_packed(&spec, 1, shape, 0, &array), "scan_array_packed");
  assert_int_equal(scan_run_array(ctx, &spec, &array, scan_offset(a, 4), b), SCAN_INVALID_ARGUMENT);
  new_values();
  test_ok(ctx, scan_write(ctx, a, values, ORIGIN), "scan_write");
  test_ok(ctx, scan_plan_run(plan, n, a, b), "scan_plan_run of neighbours");
  test_ok(ctx, scan_read(ctx, in, got, 2 * ORIGIN), "scan_read");
  assert_memory_equal(got, values, ORIGIN);
  assert_memory_equal(got + n, want, ORIGIN);
  test_ok(ctx, scan_run_array(ctx, &spec, &array, a, b), "scan_run_array of neighbours");
  test_ok(ctx, scan_plan_run(plan, n, a, a), "scan_plan_run in place");
  test_ok(ctx, scan_read(ctx, in, got, ORIGIN), "scan_read");
  assert_memory_equal(got, want, ORIGIN);
  CL_OK(clReleaseMemObject(low));
  CL_OK(clReleaseMemObject(high));
  CL_OK(clReleaseMemObject(low_too));
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
}

/* Objects of another cl_context of the same device. */
static void test_foreign_objects(void **state) {
  (void)state;
  static const char in_is_foreign[] = "in: the buffer is of another cl_context than the scans' queue",
                    out_is_foreign[] = "out: the buffer is of another cl_context than the scans' queue";
  cl_int status;
  scan_ctx *ctx = NULL;
  cl_context other = clCreateContext(NULL, 1, &app.device, NULL, NULL, &status);
  CL_OK(status);
  cl_mem buffer = clCreateBuffer(other, CL_MEM_READ_WRITE, BYTES, NULL, &status);
  CL_OK(status);
  check_refusal(NULL, scan_opencl_ctx_create(NULL, other, app.queue, &ctx),
                "scan_opencl_ctx_create: the queue is of another cl_context than the one given");
  assert_null(ctx);
  ctx = adopt();
  scan_plan *plan = plan_of(ctx);
  const scan_mem foreign = scan_opencl_mem(buffer, 0), own = scan_opencl_mem(app.out, 0);
  check_refusal(ctx, scan_plan_run(plan, N, foreign, own), in_is_foreign);
  check_refusal(ctx, scan_plan_run(plan, N, own, foreign), out_is_foreign);
  check_refusal(ctx, scan_run(ctx, &spec, N, scan_host(values), foreign), out_is_foreign);
  test_ok(ctx, scan_sync(ctx), "scan_sync");
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
  CL_OK(clReleaseMemObject(buffer));
  CL_OK(clReleaseContext(other));
}

/* An OpenCL buffer in a context of another backend, and memory of another backend in an OpenCL context. */
static void test_backends_do_not_mix(void **state) {
  (void)state;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *host = NULL;
  cl_command_queue queue = NULL;
  options.device = "host";
  test_ok(NULL, scan_ctx_create(&options, &host), "scan_ctx_create");
  scan_plan *plan = plan_of(host);
  check_refusal(host, scan_run(host, &spec, N, scan_opencl_mem(app.in, 0), scan_host(got)),
                "in is an OpenCL buffer, which a context on host cannot use here");
  check_refusal(host, scan_opencl_queue(host, &queue), "scan_opencl_queue: the context is on host, not on OpenCL");
  check_refusal(host, run_with_events(plan, N, scan_host(values), scan_host(got), 0, NULL, NULL),
                "args->opencl: the context is on host, not on OpenCL");
  scan_plan_destroy(plan);
  scan_ctx_destroy(host);
  scan_ctx *ctx = adopt();
  plan = plan_of(ctx);
  assert_int_equal(scan_plan_run(plan, N, scan_host(values), scan_opencl_mem(app.out, 0)), SCAN_INVALID_ARGUMENT);
  assert_non_null(strstr(scan_last_error(ctx), "in is host memory, which a context on "));
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
}

/* ---- events ---- */

/* A second queue writes the values once `gate` is open; the scan waits for the event of that write. */
static void test_wait_list(void **state) {
  (void)state;
  cl_int status;
  cl_event written = NULL, done = NULL;
  scan_ctx *ctx = adopt();
  scan_plan *plan = plan_of(ctx);
  cl_command_queue other = clCreateCommandQueue(app.context, app.device, 0, &status);
  CL_OK(status);
  cl_event gate = clCreateUserEvent(app.context, &status);
  CL_OK(status);
  memset(got, 0, sizeof got);
  CL_OK(clEnqueueWriteBuffer(app.queue, app.in, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
  new_values();
  CL_OK(clEnqueueWriteBuffer(other, app.in, CL_FALSE, 0, BYTES, values, 1, &gate, &written));
  CL_OK(clFlush(other));
  test_ok(ctx, run_with_events(plan, N, scan_opencl_mem(app.in, 0), scan_opencl_mem(app.out, 0), 1, &written, &done),
          "scan_plan_run_args");
  CL_OK(clFlush(app.queue));
  assert_int_not_equal(status_of_event(done), CL_COMPLETE);
  CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CL_OK(clWaitForEvents(1, &done));
  CL_OK(clEnqueueReadBuffer(other, app.out, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
  assert_memory_equal(got, want, BYTES);
  CL_OK(clReleaseEvent(gate));
  CL_OK(clReleaseEvent(written));
  CL_OK(clReleaseEvent(done));
  CL_OK(clReleaseCommandQueue(other));
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
}

static void test_nothing_to_scan_still_has_an_event(void **state) {
  (void)state;
  cl_int status;
  cl_event done = NULL;
  scan_ctx *ctx = adopt();
  scan_plan *plan = plan_of(ctx);
  cl_event gate = clCreateUserEvent(app.context, &status);
  CL_OK(status);
  const scan_mem none = SCAN_NO_MEM;
  test_ok(ctx, run_with_events(plan, 0, none, none, 1, &gate, &done), "scan_plan_run_args");
  assert_non_null(done);
  CL_OK(clFlush(app.queue));
  assert_int_not_equal(status_of_event(done), CL_COMPLETE);
  CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CL_OK(clWaitForEvents(1, &done));
  assert_int_equal(status_of_event(done), CL_COMPLETE);
  CL_OK(clReleaseEvent(gate));
  CL_OK(clReleaseEvent(done));
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
}

/* A compaction of equal elements waits for a gate. The count is behind the output in one buffer. */
static void test_compaction_waits(void **state) {
  (void)state;
  cl_int status;
  cl_event done = NULL;
  uint64_t count = 0, kept = 0;
  scan_ctx *ctx = adopt();
  scan_plan *plan = NULL;
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  const scan_mem keys_of_in = SCAN_NO_MEM;
  scan_select_spec unique = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, 4);
  scan_select_args args = SCAN_SELECT_ARGS_INIT(keys_of_in, scan_opencl_mem(app.in, 0), scan_opencl_mem(app.out, 0),
                                                scan_opencl_mem(app.out, BYTES));
  cl_event gate = clCreateUserEvent(app.context, &status);
  CL_OK(status);
  for (int32_t i = 0; i < N; i++) values[i] = i / 3;
  for (int32_t i = 0; i < N; i += 3) want[kept++] = i / 3;
  CL_OK(clEnqueueWriteBuffer(app.queue, app.in, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
  unique.key_type = SCAN_I32;
  events.wait_count = 1, events.wait_list = &gate, events.event = &done;
  args.opencl = &events;
  test_ok(ctx, scan_plan_create_select(ctx, &unique, N, &plan), "scan_plan_create_select");
  test_ok(ctx, scan_plan_run_select(plan, N, &args), "scan_plan_run_select");
  CL_OK(clFlush(app.queue));
  assert_int_not_equal(status_of_event(done), CL_COMPLETE);
  CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CL_OK(clWaitForEvents(1, &done));
  CL_OK(clEnqueueReadBuffer(app.queue, app.out, CL_TRUE, 0, kept * 4, got, 0, NULL, NULL));
  CL_OK(clEnqueueReadBuffer(app.queue, app.out, CL_TRUE, BYTES, sizeof count, &count, 0, NULL, NULL));
  assert_int_equal(count, kept);
  assert_memory_equal(got, want, kept * 4);
  CL_OK(clReleaseEvent(gate));
  CL_OK(clReleaseEvent(done));
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
}

/* An in-place sort waits for a gate. The number of keys is behind the keys in one buffer. */
static void test_sort_waits(void **state) {
  (void)state;
  cl_int status;
  cl_event done = NULL;
  const uint64_t n = N - 5;
  scan_ctx *ctx = adopt();
  scan_plan *plan = NULL;
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_I32);
  scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_opencl_mem(app.in, 0), scan_opencl_mem(app.in, 0));
  cl_event gate = clCreateUserEvent(app.context, &status);
  CL_OK(status);
  for (int32_t i = 0; i < N; i++) values[i] = want[i] = N - 6 - i;
  for (int32_t i = 0; i < N - 5; i++) want[i] = i;
  CL_OK(clEnqueueWriteBuffer(app.queue, app.in, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
  CL_OK(clEnqueueWriteBuffer(app.queue, app.in, CL_TRUE, BYTES, sizeof n, &n, 0, NULL, NULL));
  sort.in_place = 1;
  args.n_from = scan_opencl_mem(app.in, BYTES);
  events.wait_count = 1, events.wait_list = &gate, events.event = &done;
  args.opencl = &events;
  test_ok(ctx, scan_plan_create_sort(ctx, &sort, N, &plan), "scan_plan_create_sort");
  test_ok(ctx, scan_plan_run_sort(plan, N, &args), "scan_plan_run_sort");
  CL_OK(clFlush(app.queue));
  assert_int_not_equal(status_of_event(done), CL_COMPLETE);
  CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CL_OK(clWaitForEvents(1, &done));
  CL_OK(clEnqueueReadBuffer(app.queue, app.in, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
  assert_memory_equal(got, want, BYTES);
  CL_OK(clReleaseEvent(gate));
  CL_OK(clReleaseEvent(done));
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
}

/* A split waits for a gate. The number of keys is behind the keys in one buffer, and so are the offsets. */
static void test_split_waits(void **state) {
  (void)state;
  cl_int status;
  cl_event done = NULL;
  const uint64_t n = N - 5;
  uint64_t offsets[3];
  scan_ctx *ctx = adopt();
  scan_plan *plan = NULL;
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  const scan_split_spec split = SCAN_SPLIT_SPEC_INIT(SCAN_I32, 0, 1);
  scan_split_args args = { .struct_bytes = sizeof args,
                           .keys_in = scan_opencl_mem(app.in, 0),
                           .keys_out = scan_opencl_mem(app.out, 0) };
  cl_event gate = clCreateUserEvent(app.context, &status);
  CL_OK(status);
  for (int32_t i = 0; i < N; i++) values[i] = i;
  for (int32_t i = 0; i < N - 5; i++) want[i / 2 + (i % 2 ? (N - 4) / 2 : 0)] = i;
  CL_OK(clEnqueueWriteBuffer(app.queue, app.in, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
  CL_OK(clEnqueueWriteBuffer(app.queue, app.in, CL_TRUE, BYTES, sizeof n, &n, 0, NULL, NULL));
  test_ok(ctx, scan_alloc(ctx, sizeof offsets, &args.offsets), "scan_alloc");
  args.n_from = scan_opencl_mem(app.in, BYTES);
  events.wait_count = 1, events.wait_list = &gate, events.event = &done;
  args.opencl = &events;
  test_ok(ctx, scan_plan_create_split(ctx, &split, N, &plan), "scan_plan_create_split");
  test_ok(ctx, scan_plan_run_split(plan, N, &args), "scan_plan_run_split");
  CL_OK(clFlush(app.queue));
  assert_int_not_equal(status_of_event(done), CL_COMPLETE);
  CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CL_OK(clWaitForEvents(1, &done));
  CL_OK(clEnqueueReadBuffer(app.queue, app.out, CL_TRUE, 0, n * 4, got, 0, NULL, NULL));
  assert_memory_equal(got, want, n * 4);
  test_ok(ctx, scan_read(ctx, args.offsets, offsets, sizeof offsets), "scan_read");
  assert_int_equal(offsets[1], (n + 1) / 2);
  assert_int_equal(offsets[2], n);
  CL_OK(clReleaseEvent(gate));
  CL_OK(clReleaseEvent(done));
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
}

/* A refused scan enqueues nothing: it makes no event, and later commands do not wait for the list. */
static void test_refused_scan_enqueues_nothing(void **state) {
  (void)state;
  cl_int status;
  cl_event done = NULL;
  scan_ctx *ctx = adopt();
  scan_plan *plan = plan_of(ctx);
  cl_event gate = clCreateUserEvent(app.context, &status);
  CL_OK(status);
  const scan_mem in = scan_opencl_mem(app.in, 0), out = scan_opencl_mem(app.out, 0);
  check_refusal(ctx, run_with_events(plan, N, in, out, 1, NULL, &done),
                "args->opencl->wait_count is 1 and wait_list is NULL");
  check_refusal(ctx, run_with_events(plan, N, in, out, 0, &gate, &done),
                "args->opencl->wait_count is 0 and wait_list is not NULL");
  check_refusal(ctx, run_with_events(plan, N + 1, in, out, 1, &gate, &done),
                "n is 20001, but the plan was created for at most 20000");
  check_refusal(ctx, run_with_events(plan, N, scan_offset(in, 2 * BYTES), out, 1, &gate, &done),
                "in is too small: 80000 bytes needed, 0 there");
  assert_null(done);
  CL_OK(clEnqueueMarkerWithWaitList(app.queue, 0, NULL, &done));
  CL_OK(clFlush(app.queue));
  for (int i = 0; i < 20000000 && status_of_event(done) != CL_COMPLETE; i++) {}
  const cl_int reached = status_of_event(done);
  CL_OK(clSetUserEventStatus(gate, CL_COMPLETE)); /* lets the queue continue in any case */
  CL_OK(clFinish(app.queue));
  CL_OK(clReleaseEvent(gate));
  CL_OK(clReleaseEvent(done));
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
  assert_int_equal(reached, CL_COMPLETE);
}

/* Buffers that the application's allocator has given and not taken back. */
static int live_buffers, given_buffers;

static void *allocate(uint64_t bytes, void *queue, void *user) {
  cl_int status;
  cl_mem buffer = clCreateBuffer(user, CL_MEM_READ_WRITE, bytes, NULL, &status);
  assert_ptr_equal(queue, app.queue);
  if (status != CL_SUCCESS) return NULL;
  live_buffers++;
  given_buffers++;
  return buffer;
}

static void release(void *memory, uint64_t bytes, void *queue, void *user) {
  size_t size = 0;
  (void)user;
  assert_ptr_equal(queue, app.queue);
  CL_OK(clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL));
  assert_int_equal(size, bytes);
  CL_OK(clReleaseMemObject(memory));
  live_buffers--;
}

/* Plans, staging memory and scan_alloc take all their buffers from the application's allocator, and give them back. */
static void test_allocator(void **state) {
  (void)state;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  scan_mem mem;
  options.allocate = allocate;
  options.release = release;
  options.user = app.context;
  live_buffers = given_buffers = 0;
  test_ok(NULL, scan_opencl_ctx_create(&options, app.context, app.queue, &ctx), "scan_opencl_ctx_create");
  for (int i = 0; i < N; i++) values[i] = i % 13;
  test_ok(ctx, scan_run(ctx, &spec, N, scan_host(values), scan_host(got)), "scan_run");
  for (int i = 0, sum = 0; i < N; i++) assert_int_equal(got[i], sum += values[i]);
  if (given_buffers < 3) test_fail("%d buffers: a workspace and two of staging were expected", given_buffers);
  test_ok(ctx, scan_alloc(ctx, BYTES, &mem), "scan_alloc");
  test_ok(ctx, scan_free(ctx, mem), "scan_free");
  scan_ctx_destroy(ctx);
  assert_int_equal(live_buffers, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, app_open, app_close)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_adopted_queue),
    TEST(test_objects_are_retained),
    TEST(test_wrong_arguments),
    TEST(test_buffers_and_offsets),
    TEST(test_allocated_memory_has_a_buffer),
    TEST(test_sizes_are_asked_for),
    TEST(test_sub_buffers),
    TEST(test_foreign_objects),
    TEST(test_backends_do_not_mix),
    TEST(test_wait_list),
    TEST(test_compaction_waits),
    TEST(test_sort_waits),
    TEST(test_split_waits),
    TEST(test_nothing_to_scan_still_has_an_event),
    TEST(test_refused_scan_enqueues_nothing),
    TEST(test_allocator),
  };
  opencl_app_open();
  return test_exit(cmocka_run_group_tests_name("opencl_interop", tests, NULL, NULL));
}
