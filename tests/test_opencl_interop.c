/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests an application's own OpenCL context, queue, buffers and allocator. */
#include "opencl_app.h"
#include "reference.h"
#include "values.h"

#include <scanrt/scan_array.h>
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
  app.device = opencl_app_device();
  assert_non_null(app.device);
  app.context = opencl_app_context(1, &app.device);
  app.queue = opencl_app_queue(app.context, app.device, 0);
  app.in = opencl_app_buffer(app.context, 2 * BYTES);
  app.out = opencl_app_buffer(app.context, 2 * BYTES);
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
  cl_context context = opencl_app_context(1, &app.device);
  cl_command_queue queue = opencl_app_queue(context, app.device, 0);
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

static void test_sub_buffers(void **state) {
  (void)state;
  enum { ORIGIN = 16384 }; /* a multiple of the devices' alignment */
  static const char overlap[] = "in and out overlap: they must be the same memory with elements of one size, or apart";
  const uint64_t n = ORIGIN / 4, shape[] = { n };
  scan_array array = SCAN_ARRAY_INIT;
  scan_ctx *ctx = adopt();
  scan_plan *plan = plan_of(ctx);
  cl_mem low = opencl_app_part(app.in, 0, 2 * ORIGIN), high = opencl_app_part(app.in, ORIGIN, 2 * ORIGIN),
         low_too = opencl_app_part(app.in, 0, 2 * ORIGIN);
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

/* Sub-buffers at the smallest origins that the device accepts, and memory at every element offset in them. Elements are
 * bytes, so that offsets have no alignment. Neighbouring bytes must not change. */
static void test_parts_at_small_origins(void **state) {
  (void)state;
  enum { ITEMS = 3000 };
  const scan_spec of_bytes = SCAN_SPEC_INIT(SCAN_U8, SCAN_ADD, SCAN_INCLUSIVE);
  static unsigned char items[ITEMS], sums[ITEMS], all[9 * ITEMS], before[9 * ITEMS];
  struct rng rng = { 9 };
  cl_uint align_bits = 0;
  CL_OK(clGetDeviceInfo(app.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits, &align_bits, NULL));
  const size_t align = align_bits / 8, half = (4 * ITEMS + align - 1) / align * align;
  if (2 * half + align > sizeof all) {
    test_skipped("%s wants parts of buffers to begin at multiples of %d bytes", test_selector(), (int)align);
    return;
  }
  scan_ctx *ctx = adopt();
  cl_mem whole = opencl_app_buffer(app.context, sizeof all);
  for (size_t shift = 0; shift < 17; shift++) {
    cl_mem in = opencl_app_part(whole, align, half - align),
           out = opencl_app_part(whole, half + align, sizeof all - half - align);
    const uint64_t n = ITEMS - shift;
    memset(before, 0x5c, sizeof before);
    for (uint64_t i = 0; i < n; i++) items[i] = (unsigned char)rng_below(&rng, 256);
    reference_scan(&of_bytes, n, items, sums);
    memcpy(before + align + shift, items, n);
    CL_OK(clEnqueueWriteBuffer(app.queue, whole, CL_TRUE, 0, sizeof before, before, 0, NULL, NULL));
    test_ok(ctx, scan_run(ctx, &of_bytes, n, scan_opencl_mem(in, shift), scan_opencl_mem(out, 2 * shift)), "scan_run");
    CL_OK(clEnqueueReadBuffer(app.queue, whole, CL_TRUE, 0, sizeof all, all, 0, NULL, NULL));
    memcpy(before + half + align + 2 * shift, sums, n);
    assert_memory_equal(all, before, sizeof all);
    CL_OK(clReleaseMemObject(in));
    CL_OK(clReleaseMemObject(out));
  }
  CL_OK(clReleaseMemObject(whole));
  scan_ctx_destroy(ctx);
}

/* Objects of another cl_context of the same device. */
static void test_foreign_objects(void **state) {
  (void)state;
  static const char in_is_foreign[] = "in: the buffer is of another cl_context than the scans' queue",
                    out_is_foreign[] = "out: the buffer is of another cl_context than the scans' queue";
  scan_ctx *ctx = NULL;
  cl_context other = opencl_app_context(1, &app.device);
  cl_mem buffer = opencl_app_buffer(other, BYTES);
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
  const scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  scan_args args = SCAN_ARGS_INIT(scan_host(values), scan_host(got));
  cl_command_queue queue = NULL;
  scan_ctx *host = test_ctx_on("host");
  scan_plan *plan = plan_of(host);
  check_refusal(host, scan_run(host, &spec, N, scan_opencl_mem(app.in, 0), scan_host(got)),
                "in is an OpenCL buffer, which a context on host cannot use here");
  check_refusal(host, scan_opencl_queue(host, &queue), "scan_opencl_queue: the context is on host, not on OpenCL");
  args.opencl = &events;
  check_refusal(host, scan_plan_run_args(plan, N, &args), "args->opencl: the context is on host, not on OpenCL");
  scan_plan_destroy(plan);
  scan_ctx_destroy(host);
  scan_ctx *ctx = adopt();
  plan = plan_of(ctx);
  test_refusal(ctx, scan_plan_run(plan, N, scan_host(values), scan_opencl_mem(app.out, 0)), SCAN_INVALID_ARGUMENT,
               "in is host memory, which a context on ");
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
}

/* ---- the allocator ---- */

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
    TEST(test_parts_at_small_origins),
    TEST(test_foreign_objects),
    TEST(test_backends_do_not_mix),
    TEST(test_allocator),
  };
  opencl_app_open();
  return test_exit(cmocka_run_group_tests_name("opencl_interop", tests, NULL, NULL));
}
