/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests an application's pointers: shared virtual memory (SVM) and all kinds of unified shared memory (USM), in every
 * call that takes memory, and together with buffers. Kinds that a device lacks are refused with a sentence. */
#include "opencl_app.h"
#include "reference.h"
#include "values.h"

#include <scanrt/scan_array.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <stdlib.h>
#include <string.h>

enum { N = 20000, BYTES = N * 4, SLACK = 64, SEGMENTS = 100 };

/* Constants and functions of cl_intel_unified_shared_memory. */
enum { DEVICE_MEM_CAPABILITIES = 0x4191, SHARED_MEM_CAPABILITIES = 0x4192, HOST_MEM_CAPABILITIES = 0x4190 };

typedef void *(CL_API_CALL *usm_alloc)(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef void *(CL_API_CALL *usm_device_alloc)(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef cl_int(CL_API_CALL *usm_free)(cl_context, void *);

/* Kinds of memory. */
typedef enum sort_of { SVM, USM_DEVICE, USM_SHARED, USM_HOST, SORTS } sort_of;
static const char *const names[] = { "SVM", "USM of the device", "shared USM", "USM of the host" };

static const scan_spec sum = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);

/* The application's objects. */
static struct {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  scan_ctx *ctx;
  usm_alloc host_alloc;
  usm_device_alloc device_alloc, shared_alloc;
  usm_free free;
  int has_usm;
} app;

static struct rng rng = { 11 };
static int32_t values[N], want[N], got[N];

static void find_function(const char *name, void *member) {
  void *function = clGetExtensionFunctionAddressForPlatform(opencl_app_platform(), name);
  memcpy(member, &function, sizeof function); /* ISO C has no cast from an object to a function pointer */
}

static void find_usm(void) {
  static char extensions[1 << 16];
  CL_OK(clGetDeviceInfo(app.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
  app.has_usm = strstr(extensions, "cl_intel_unified_shared_memory") != NULL;
  if (!app.has_usm) return;
  find_function("clHostMemAllocINTEL", &app.host_alloc);
  find_function("clDeviceMemAllocINTEL", &app.device_alloc);
  find_function("clSharedMemAllocINTEL", &app.shared_alloc);
  find_function("clMemFreeINTEL", &app.free);
}

static int app_open(void **state) {
  app.device = opencl_app_device();
  app.context = opencl_app_context(1, &app.device);
  app.queue = opencl_app_queue(app.context, app.device, 0);
  find_usm();
  test_ok(NULL, scan_opencl_ctx_create(NULL, app.context, app.queue, &app.ctx), "scan_opencl_ctx_create");
  return test_count_setup(state);
}

static int app_close(void **state) {
  (void)state;
  scan_ctx_destroy(app.ctx);
  CL_OK(clReleaseCommandQueue(app.queue));
  CL_OK(clReleaseContext(app.context));
  return 0;
}

/* ---- memory of every kind ---- */

static int has(sort_of sort) {
  static const cl_device_info questions[] = { CL_DEVICE_SVM_CAPABILITIES, DEVICE_MEM_CAPABILITIES,
                                              SHARED_MEM_CAPABILITIES, HOST_MEM_CAPABILITIES };
  cl_ulong capabilities = 0;
  if (sort != SVM && !app.has_usm) return 0;
  return clGetDeviceInfo(app.device, questions[sort], sizeof capabilities, &capabilities, NULL) == CL_SUCCESS &&
         (capabilities & 1) != 0; /* coarse-grained for SVM; access for USM */
}

static int needs(sort_of sort) {
  if (has(sort)) return 1;
  test_skipped("%s has no %s", test_selector(), names[sort]);
  return 0;
}

static void *take(sort_of sort, size_t bytes) {
  cl_int status = CL_SUCCESS;
  void *pointer = NULL;
  switch (sort) {
  case SVM: pointer = clSVMAlloc(app.context, CL_MEM_READ_WRITE, bytes, 0); break;
  case USM_DEVICE: pointer = app.device_alloc(app.context, app.device, NULL, bytes, 0, &status); break;
  case USM_SHARED: pointer = app.shared_alloc(app.context, app.device, NULL, bytes, 0, &status); break;
  default: pointer = app.host_alloc(app.context, NULL, bytes, 0, &status); break;
  }
  if (status != CL_SUCCESS || pointer == NULL) test_fail("%d bytes of %s: %d", (int)bytes, names[sort], status);
  return pointer;
}

static void give_back(sort_of sort, void *pointer) {
  test_ok(app.ctx, scan_sync(app.ctx), "scan_sync");
  if (sort == SVM)
    clSVMFree(app.context, pointer);
  else
    CL_OK(app.free(app.context, pointer));
}

static scan_mem name_it(sort_of sort, void *pointer, uint64_t bytes) {
  return sort == SVM ? scan_opencl_svm(pointer, bytes) : scan_opencl_usm(pointer, bytes);
}

static void check_refusal(scan_status status, scan_status expected, const char *words) {
  test_refusal(app.ctx, status, expected, words);
}

static void new_values(uint64_t n) {
  values_fill(&rng, SCAN_I32, SCAN_ADD, n, n, values);
  reference_scan(&sum, n, values, want);
  memset(got, 0xee, sizeof got);
}

/* ---- scans ---- */

/* Scans between pointers and buffers, at several offsets of elements from a 64-byte boundary; in place, too. */
static void scan_from_and_to(scan_mem in, scan_mem out, int in_place) {
  for (uint64_t shift = 0; shift < 17; shift += 1 + shift / 4) {
    const uint64_t n = N - 1 - rng_below(&rng, 100);
    const scan_mem from = scan_offset(in, 4 * shift), to = in_place ? from : scan_offset(out, 8 * shift);
    new_values(n);
    test_ok(app.ctx, scan_write(app.ctx, from, values, n * 4), "scan_write");
    test_ok(app.ctx, scan_run(app.ctx, &sum, n, from, to), "scan_run");
    test_ok(app.ctx, scan_read(app.ctx, to, got, n * 4), "scan_read");
    assert_memory_equal(got, want, n * 4);
  }
}

static void test_scans(void **state) {
  (void)state;
  const size_t bytes = BYTES + 4 * SLACK;
  cl_mem buffer = opencl_app_buffer(app.context, bytes);
  for (int sort = 0; sort < SORTS; sort++) {
    if (!needs((sort_of)sort)) continue;
    void *a = take((sort_of)sort, bytes), *b = take((sort_of)sort, bytes);
    const scan_mem in = name_it((sort_of)sort, a, bytes), out = name_it((sort_of)sort, b, 0);
    scan_from_and_to(in, out, 0);
    scan_from_and_to(in, out, 1);
    scan_from_and_to(in, scan_opencl_mem(buffer, 0), 0);
    scan_from_and_to(scan_opencl_mem(buffer, 0), out, 0);
    assert_null(scan_opencl_buffer(in));
    give_back((sort_of)sort, a);
    give_back((sort_of)sort, b);
  }
  CL_OK(clReleaseMemObject(buffer));
}

/* The application maps, fills and reads SVM in the order of the queue. The scans use a plan, and no call waits. */
static void test_mapped_svm(void **state) {
  (void)state;
  scan_plan *plan = NULL;
  if (!needs(SVM)) return;
  int32_t *pointer = take(SVM, BYTES);
  const scan_mem memory = scan_opencl_svm(pointer, BYTES);
  test_ok(app.ctx, scan_plan_create(app.ctx, &sum, N, &plan), "scan_plan_create");
  for (int round = 0; round < 5; round++) {
    new_values(N);
    CL_OK(clEnqueueSVMMap(app.queue, CL_TRUE, CL_MAP_WRITE, pointer, BYTES, 0, NULL, NULL));
    memcpy(pointer, values, BYTES);
    CL_OK(clEnqueueSVMUnmap(app.queue, pointer, 0, NULL, NULL));
    test_ok(app.ctx, scan_plan_run(plan, N, memory, memory), "scan_plan_run");
    CL_OK(clEnqueueSVMMap(app.queue, CL_TRUE, CL_MAP_READ, pointer, BYTES, 0, NULL, NULL));
    assert_memory_equal(pointer, want, BYTES);
    CL_OK(clEnqueueSVMUnmap(app.queue, pointer, 0, NULL, NULL));
  }
  scan_plan_destroy(plan);
  give_back(SVM, pointer);
}

/* ---- copies ---- */

/* Copies bytes at odd offsets between two pointers, and between a pointer and a buffer in both directions. */
static void test_copies(void **state) {
  (void)state;
  const size_t bytes = BYTES + SLACK;
  cl_mem buffer = opencl_app_buffer(app.context, bytes);
  for (int sort = 0; sort < SORTS; sort++) {
    if (!needs((sort_of)sort)) continue;
    void *a = take((sort_of)sort, bytes), *b = take((sort_of)sort, bytes);
    const scan_mem buffers[] = { name_it((sort_of)sort, a, bytes), scan_opencl_mem(buffer, 0),
                                 name_it((sort_of)sort, b, bytes), scan_opencl_mem(buffer, 0) };
    new_values(N);
    test_ok(app.ctx, scan_write(app.ctx, scan_offset(buffers[0], 1), values, BYTES), "scan_write");
    for (int k = 0; k < 3; k++)
      test_ok(app.ctx,
              scan_copy(app.ctx, scan_offset(buffers[k + 1], (uint64_t)k + 2), scan_offset(buffers[k], (uint64_t)k + 1),
                        BYTES - 3),
              "scan_copy");
    test_ok(app.ctx, scan_read(app.ctx, scan_offset(buffers[3], 4), got, BYTES - 3), "scan_read");
    assert_memory_equal(got, values, BYTES - 3);
    test_ok(app.ctx, scan_copy(app.ctx, buffers[0], scan_offset(buffers[2], 3), BYTES - 3), "scan_copy");
    test_ok(app.ctx, scan_read(app.ctx, buffers[0], got, BYTES - 3), "scan_read");
    assert_memory_equal(got, values, BYTES - 3);
    give_back((sort_of)sort, a);
    give_back((sort_of)sort, b);
  }
  CL_OK(clReleaseMemObject(buffer));
}

/* ---- the other calls ---- */

/* Scans in pieces, with carries and total in pointers. */
static void run_carries(scan_mem in, scan_mem out, scan_mem numbers) {
  const int32_t first = 7;
  int32_t left = 0;
  new_values(N);
  test_ok(app.ctx, scan_write(app.ctx, in, values, BYTES), "scan_write");
  test_ok(app.ctx, scan_write(app.ctx, numbers, &first, 4), "scan_write");
  for (uint64_t at = 0, piece = 1; at < N; at += piece, piece = 1 + rng_below(&rng, N / 3)) {
    const uint64_t n = piece < N - at ? piece : N - at;
    scan_args args = SCAN_ARGS_INIT(scan_offset(in, 4 * at), scan_offset(out, 4 * at));
    args.carry_in = args.carry_out = numbers;
    test_ok(app.ctx, scan_run_args(app.ctx, &sum, n, &args), "scan_run_args");
  }
  test_ok(app.ctx, scan_read(app.ctx, out, got, BYTES), "scan_read");
  for (int i = 0; i < N; i++) assert_int_equal(got[i], (int32_t)((uint32_t)want[i] + 7));
  test_ok(app.ctx, scan_read(app.ctx, numbers, &left, 4), "scan_read");
  assert_int_equal(left, got[N - 1]);
  /* With n == 0 the carry is passed on. */
  scan_args none = { .struct_bytes = sizeof none, .carry_in = numbers, .carry_out = scan_offset(numbers, 4) };
  test_ok(app.ctx, scan_run_args(app.ctx, &sum, 0, &none), "scan_run_args of nothing");
  test_ok(app.ctx, scan_read(app.ctx, scan_offset(numbers, 4), &left, 4), "scan_read");
  assert_int_equal(left, got[N - 1]);
}

/* Compacts with the flags, n and the count in pointers. */
static void run_select(scan_mem in, scan_mem out, scan_mem marks, scan_mem numbers) {
  static unsigned char flags[N];
  const scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  scan_select_args args = SCAN_SELECT_ARGS_INIT(marks, in, out, scan_offset(numbers, 8));
  uint64_t n = N - 9, kept = 0, reported = 0;
  args.n_from = numbers;
  new_values(N);
  for (uint64_t i = 0; i < N; i++) flags[i] = rng_below(&rng, 2) == 0;
  for (uint64_t i = 0; i < n; i++)
    if (flags[i]) want[kept++] = values[i];
  test_ok(app.ctx, scan_write(app.ctx, in, values, BYTES), "scan_write");
  test_ok(app.ctx, scan_write(app.ctx, marks, flags, N), "scan_write");
  test_ok(app.ctx, scan_write(app.ctx, numbers, &n, sizeof n), "scan_write");
  test_ok(app.ctx, scan_select(app.ctx, &spec, N, &args), "scan_select");
  test_ok(app.ctx, scan_read(app.ctx, scan_offset(numbers, 8), &reported, sizeof reported), "scan_read");
  test_ok(app.ctx, scan_read(app.ctx, out, got, kept * 4), "scan_read");
  assert_int_equal(reported, kept);
  assert_memory_equal(got, want, kept * 4);
}

static void run_sort(scan_mem in, scan_mem out) {
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_I32);
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(in, out);
  new_values(N);
  memcpy(want, values, BYTES);
  qsort(want, N, sizeof want[0], values_compare);
  test_ok(app.ctx, scan_write(app.ctx, in, values, BYTES), "scan_write");
  test_ok(app.ctx, scan_sort(app.ctx, &spec, N, &args), "scan_sort");
  test_ok(app.ctx, scan_read(app.ctx, out, got, BYTES), "scan_read");
  assert_memory_equal(got, want, BYTES);
}

/* Scans segments with their offsets in a pointer, and an array of the same lines. */
static void run_segments(scan_mem in, scan_mem out, scan_mem marks) {
  const uint32_t length = test_info()->loop_limit ? 8000 / SEGMENTS : N / SEGMENTS, n = SEGMENTS * length;
  uint32_t offsets[SEGMENTS + 1];
  scan_spec spec = sum;
  scan_args args = SCAN_ARGS_INIT(in, out);
  spec.segments = SCAN_SEGMENTS_OFFSETS, spec.key_type = SCAN_U32;
  args.marks = marks, args.mark_count = SEGMENTS;
  new_values(n);
  for (uint32_t s = 0; s <= SEGMENTS; s++) offsets[s] = s * length;
  for (uint32_t s = 0; s < SEGMENTS; s++) reference_scan(&sum, length, values + s * length, want + s * length);
  test_ok(app.ctx, scan_write(app.ctx, in, values, n * 4), "scan_write");
  test_ok(app.ctx, scan_write(app.ctx, marks, offsets, sizeof offsets), "scan_write");
  test_ok(app.ctx, scan_run_args(app.ctx, &spec, n, &args), "scan_run_args");
  test_ok(app.ctx, scan_read(app.ctx, out, got, n * 4), "scan_read");
  assert_memory_equal(got, want, n * 4);
  const uint64_t shape[] = { SEGMENTS, length };
  scan_array array = SCAN_ARRAY_INIT;
  test_ok(app.ctx, scan_array_packed(&sum, 2, shape, 1, &array), "scan_array_packed");
  test_ok(app.ctx, scan_run_array(app.ctx, &sum, &array, in, out), "scan_run_array");
  test_ok(app.ctx, scan_read(app.ctx, out, got, n * 4), "scan_read");
  assert_memory_equal(got, want, n * 4);
}

/* Scans backward. */
static void run_backward(scan_mem in, scan_mem out) {
  scan_spec spec = sum;
  const uint64_t n = N - 3;
  spec.flags = SCAN_BACKWARD;
  new_values(n);
  test_ok(app.ctx, scan_write(app.ctx, in, values, n * 4), "scan_write");
  test_ok(app.ctx, scan_run(app.ctx, &spec, n, in, out), "scan_run backward");
  test_ok(app.ctx, scan_read(app.ctx, out, got, n * 4), "scan_read");
  for (uint64_t i = n, total = 0; i-- > 0;) {
    total += (uint64_t)(int64_t)values[i];
    assert_int_equal(got[i], (int32_t)total);
  }
}

static void test_every_call(void **state) {
  (void)state;
  for (int sort = 0; sort < SORTS; sort++) {
    void *pointers[4];
    scan_mem memory[4];
    if (!needs((sort_of)sort)) continue;
    for (int k = 0; k < 4; k++) {
      pointers[k] = take((sort_of)sort, BYTES);
      memory[k] = name_it((sort_of)sort, pointers[k], BYTES);
    }
    run_carries(memory[0], memory[1], memory[2]);
    run_select(memory[0], memory[1], memory[2], memory[3]);
    run_sort(memory[0], memory[1]);
    run_backward(memory[0], memory[1]);
    run_segments(memory[0], memory[1], memory[2]);
    for (int k = 0; k < 4; k++) give_back((sort_of)sort, pointers[k]);
  }
}

/* ---- refusals ---- */

static void test_wrong_pointers(void **state) {
  (void)state;
  static const char overlap[] = "in and out overlap";
  for (int sort = 0; sort < SORTS; sort++) {
    if (!needs((sort_of)sort)) continue;
    void *pointer = take((sort_of)sort, BYTES);
    const scan_mem in = name_it((sort_of)sort, pointer, BYTES), inside = name_it((sort_of)sort, (char *)pointer + 8, 0);
    check_refusal(scan_run(app.ctx, &sum, N, scan_offset(in, 8), in), SCAN_INVALID_ARGUMENT,
                  "in is too small: 80000 bytes needed, 79992 there");
    check_refusal(scan_run(app.ctx, &sum, 10, in, scan_offset(in, 4)), SCAN_INVALID_ARGUMENT, overlap);
    check_refusal(scan_run(app.ctx, &sum, 10, in, inside), SCAN_INVALID_ARGUMENT, overlap);
    check_refusal(scan_run(app.ctx, &sum, 10, scan_offset(in, 2), inside), SCAN_INVALID_ARGUMENT,
                  "in is not aligned to its elements of 4 bytes");
    check_refusal(scan_copy(app.ctx, in, inside, 12), SCAN_INVALID_ARGUMENT, "dst and src overlap");
    check_refusal(scan_write(app.ctx, scan_offset(in, BYTES), values, 1), SCAN_INVALID_ARGUMENT, "0 there");
    check_refusal(scan_read(app.ctx, name_it((sort_of)sort, NULL, 64), got, 4), SCAN_INVALID_ARGUMENT,
                  sort == SVM ? "src is an SVM pointer at NULL" : "src is a USM pointer at NULL");
    if (sort != SVM) /* the driver knows the size of USM */
      check_refusal(scan_write(app.ctx, inside, values, BYTES), SCAN_INVALID_ARGUMENT,
                    "dst is too small: 80000 bytes needed, 79992 there");
    give_back((sort_of)sort, pointer);
  }
}

/* Memory of malloc is not USM, unless the device shares all host memory. */
static void test_foreign_pointer(void **state) {
  (void)state;
  cl_ulong system_memory = 0;
  if (!needs(USM_SHARED)) return;
  (void)clGetDeviceInfo(app.device, 0x4194, sizeof system_memory, &system_memory, NULL);
  if (system_memory != 0) {
    test_skipped("%s shares all of the host's memory", test_selector());
    return;
  }
  check_refusal(scan_run(app.ctx, &sum, N, scan_opencl_usm(values, BYTES), scan_opencl_usm(got, BYTES)),
                SCAN_INVALID_ARGUMENT, "in: the pointer is to no unified shared memory of the cl_context");
}

/* Devices without SVM or USM, and contexts of other backends. */
static void test_devices_without(void **state) {
  (void)state;
  if (!has(SVM))
    check_refusal(scan_run(app.ctx, &sum, 1, scan_opencl_svm(values, 4), scan_opencl_svm(got, 4)), SCAN_UNSUPPORTED,
                  "in: the device has no shared virtual memory (CL_DEVICE_SVM_CAPABILITIES): give a buffer");
  if (!app.has_usm)
    check_refusal(scan_run(app.ctx, &sum, 1, scan_opencl_usm(values, 4), scan_opencl_usm(got, 4)), SCAN_UNSUPPORTED,
                  "in: the device has no cl_intel_unified_shared_memory: give a buffer");
  scan_ctx *host = test_ctx_on("host");
  assert_int_equal(scan_run(host, &sum, 1, scan_opencl_svm(values, 4), scan_host(got)), SCAN_INVALID_ARGUMENT);
  assert_string_equal(scan_last_error(host), "in is an SVM pointer, which a context on host cannot use here");
  assert_int_equal(scan_run(host, &sum, 1, scan_host(values), scan_opencl_usm(got, 4)), SCAN_INVALID_ARGUMENT);
  assert_string_equal(scan_last_error(host), "out is a USM pointer, which a context on host cannot use here");
  scan_ctx_destroy(host);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, app_open, app_close)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_scans),          TEST(test_mapped_svm),      TEST(test_copies),          TEST(test_every_call),
    TEST(test_wrong_pointers), TEST(test_foreign_pointer), TEST(test_devices_without),
  };
  opencl_app_open();
  return test_exit(cmocka_run_group_tests_name("opencl_pointers", tests, NULL, NULL));
}
