/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests scans within a user's own kernels on OpenCL: device/kernels.h behind the text of scan_device_text, for several
 * sizes of work-groups, ways to exchange registers and widths of atomics. */
#include <scanrt/device/state.h>
#include <scanrt/scan_device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl_app.h"

enum { MOST = 70000, VALUES = 4, RESULTS = 9 + 2 * VALUES, FLOATS = 3 + VALUES, MOST_ITEMS = 256, ROW = 32 };
enum { ONE_LAUNCH, COUNTS, PLACES, PROGRAMS }; /* values of SCANRT_LAUNCH */

struct app {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program[PROGRAMS];
  scan_ctx *ctx;
  cl_mem state;
  size_t items, groups;
  int launches;
};

static const struct form {
  unsigned items, groups;
  int launches; /* 2: one that counts and one that places */
  const char *options;
} forms[] = {
  { 1, 20000, 1, "" },
  { 1, 129, 1, "-DSCANRT_SPLIT=1" },
  { 1, 33000, 2, "" },
  { 1, 300, 2, "-DSCANRT_SPLIT=1" },
  { 32, 700, 1, "" },
  { 64, 300, 1, "-DSCANRT_SPLIT=1" },
  { 64, 140, 2, "" },
  { 256, 260, 1, "" },
  { 256, 130, 1, "-DSCANRT_SHUFFLE=0" },
  { 128, 140, 2, "-DSCANRT_SPLIT=1" },
};

static uint32_t numbers[MOST], found[MOST * RESULTS];

static char *read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) test_fail("%s cannot be opened", path);
  static char text[1 << 16];
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  (void)fclose(f);
  return text;
}

static cl_mem buffer(struct app *app, size_t bytes, const void *data) {
  cl_mem mem = opencl_app_buffer(app->context, bytes);
  if (data != NULL) CL_OK(clEnqueueWriteBuffer(app->queue, mem, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
  return mem;
}

static cl_program build(const struct app *app, const struct form *form, int which) {
  char define[128];
  cl_int status;
  snprintf(define, sizeof define, "#define SCANRT_GROUP_ITEMS %u\n#define SCANRT_LAUNCH %d\n", form->items, which);
  const char *texts[] = { define, scan_device_text("scanrt/device/lookback.h"), read_file(TEST_KERNELS) };
  const cl_program program = clCreateProgramWithSource(app->context, 3, texts, NULL, &status);
  CL_OK(status);
  if (clBuildProgram(program, 1, &app->device, form->options, NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 14];
    (void)clGetProgramBuildInfo(program, app->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    test_fail("%u work-items, launch %d, %s: %s", form->items, which, form->options, log);
  }
  return program;
}

static int open_app(struct app *app, const struct form *form) {
  size_t most = 0;
  memset(app, 0, sizeof *app);
  app->device = opencl_app_device();
  CL_OK(clGetDeviceInfo(app->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL));
  if (most < form->items) return 0;
  app->context = opencl_app_context(1, &app->device);
  app->queue = opencl_app_queue(app->context, app->device, 0);
  for (int i = ONE_LAUNCH; i < (form->launches == 1 ? COUNTS : PROGRAMS); i++) app->program[i] = build(app, form, i);
  app->launches = form->launches;
  app->items = form->items;
  app->groups = form->groups;
  test_ok(NULL, scan_opencl_ctx_create(NULL, app->context, app->queue, &app->ctx), "scan_opencl_ctx_create");
  app->state = buffer(app, scan_device_state_bytes(form->groups, 8), NULL);
  test_ok(app->ctx, scan_device_state_init(app->ctx, scan_opencl_mem(app->state, 0), form->groups, 8),
          "scan_device_state_init");
  return 1;
}

static void close_app(struct app *app) {
  if (app->context == NULL) return;
  scan_ctx_destroy(app->ctx);
  CL_OK(clReleaseMemObject(app->state));
  for (int i = ONE_LAUNCH; i < PROGRAMS; i++)
    if (app->program[i] != NULL) CL_OK(clReleaseProgram(app->program[i]));
  CL_OK(clReleaseCommandQueue(app->queue));
  CL_OK(clReleaseContext(app->context));
}

/* Launches a kernel of one program with `count` arguments of 4 bytes or buffers. */
static void launch_of(struct app *app, int which, const char *name, int count, const void *const *arguments,
                      const size_t *bytes) {
  cl_int status;
  cl_kernel kernel = clCreateKernel(app->program[which], name, &status);
  CL_OK(status);
  for (int k = 0; k < count; k++) CL_OK(clSetKernelArg(kernel, (cl_uint)k, bytes[k], arguments[k]));
  const size_t local = app->items, global = app->items * app->groups;
  CL_OK(clEnqueueNDRangeKernel(app->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
  CL_OK(clReleaseKernel(kernel));
}

/* Launches it once, or to count and to place. */
static void launch(struct app *app, const char *name, int count, const void *const *arguments, const size_t *bytes) {
  for (int which = app->launches == 1 ? ONE_LAUNCH : COUNTS; which < (app->launches == 1 ? COUNTS : PROGRAMS); which++)
    launch_of(app, which, name, count, arguments, bytes);
}

static void read_found(struct app *app, cl_mem mem, size_t words) {
  CL_OK(clEnqueueReadBuffer(app->queue, mem, CL_TRUE, 0, words * 4, found, 0, NULL, NULL));
}

/* Runs `check` for each form with at most as many launches, on as many elements as its work-items, or a few less. */
static void for_each_form(int launches, void (*check)(struct app *, cl_uint n)) {
  for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
    struct app app;
    if (forms[f].launches > launches || (test_is_small() && forms[f].groups > 1000)) continue;
    if (open_app(&app, &forms[f])) check(&app, (cl_uint)(app.items * app.groups - (app.items > 1 ? 5 : 0)));
    close_app(&app);
  }
  test_ran();
}

/* Waits for the launches. Returns 0 if a wait in one launch gave up, which work-groups that are not scheduled fairly
 * may do: llvmpipe's, beside other busy programs. */
static int is_finished(struct app *app, uint64_t *total) {
  const scan_status status = scan_device_state_check(app->ctx, scan_opencl_mem(app->state, 0), total);
  if (app->launches == 1 && status == SCAN_NO_PROGRESS && !test_info()->has_fair_progress) {
    test_skipped("%zu work-items: a wait gave up, as the state says", app->items);
    return 0;
  }
  test_ok(app->ctx, status, "scan_device_state_check");
  return 1;
}

/* Runs `kernel` three times on n elements of `numbers`, and compares its output with them. */
static void check_repeat(struct app *app, const char *kernel, cl_uint n) {
  uint64_t total = 0, counted = 0;
  for (cl_uint i = 0; i < n; i++) counted += numbers[i] = (i * 2654435761u >> 13) % 4 * (i % 700 < 600);
  memset(found, 0xa5, sizeof found);
  cl_mem counts = buffer(app, sizeof numbers, numbers), out = buffer(app, sizeof found, found);
  const void *const arguments[] = { &counts, &n, &out, &app->state };
  const size_t bytes[] = { sizeof counts, sizeof n, sizeof out, sizeof app->state };
  for (int again = 0; again < 3; again++) launch(app, kernel, 4, arguments, bytes);
  const int is_whole = is_finished(app, &total);
  if (is_whole && total != counted)
    test_fail("%s, %zu work-items, %d launches: total %llu of %llu", kernel, app->items, app->launches,
              (unsigned long long)total, (unsigned long long)counted);
  read_found(app, out, (size_t)counted);
  for (cl_uint i = 0, at = 0; is_whole && i < n; i++)
    for (uint32_t k = 0; k < numbers[i]; k++, at++)
      if (found[at] != i)
        test_fail("%s, %zu work-items, %d launches: place %u has %u, not %u", kernel, app->items, app->launches, at,
                  found[at], i);
  CL_OK(clReleaseMemObject(counts));
  CL_OK(clReleaseMemObject(out));
}

/* Checks places, in launches whose epochs begin anew. */
static void check_places(struct app *app, cl_uint n) {
  const cl_uint epoch = 0xfffffffdu;
  CL_OK(clEnqueueWriteBuffer(app->queue, app->state, CL_TRUE, SCANRT_STATE_EPOCH * sizeof epoch, sizeof epoch, &epoch,
                             0, NULL, NULL));
  check_repeat(app, "test_repeat", n);
  app->groups /= 2;
  check_repeat(app, "test_repeat_twice", (cl_uint)(2 * app->items * app->groups - app->items / 3));
}

/* A map z -> a z + b, modulo 2^32. Maps with a = 1 add up. */
struct map {
  uint32_t a, b;
};

static struct map map_of(uint32_t x, int is_sum) { return (struct map){ is_sum ? 1 : 2 * x + 1, x }; }
static struct map compose(struct map f, struct map g) { return (struct map){ g.a * f.a, g.a * f.b + g.b }; }

/* The expected results of a work-group as device/kernels.h stores them, by a plain loop over its elements `own`. */
static void expect_group(uint32_t *out, const uint32_t *own, size_t items, size_t first_count, int is_sum) {
  const size_t lanes = items == 1 ? 1 : 32;
  const struct map initial = map_of(7, is_sum);
  struct map all = { 1, 0 }, first = all, each = all, row = all;
  for (size_t i = 0; i < items; i++) {
    const struct map f = map_of(own[i], is_sum);
    uint32_t *to = out + i * RESULTS;
    if (i % lanes == 0) row = (struct map){ 1, 0 };
    to[3] = compose(initial, all).b;
    to[8] = compose(initial, row).b;
    all = compose(all, f);
    row = compose(row, f);
    if (i < first_count) first = compose(first, f);
    to[2] = all.b;
    to[7] = row.b;
    for (size_t k = i / lanes * lanes; k <= i; k++) out[k * RESULTS + 6] = row.b;
    for (uint32_t k = 0; k < VALUES; k++) {
      to[9 + VALUES + k] = compose(initial, each).b;
      each = compose(each, map_of(own[i] + k, is_sum));
      to[9 + k] = each.b;
    }
  }
  for (size_t i = 0; i < items; i++) {
    uint32_t *to = out + i * RESULTS;
    to[0] = each.b;
    to[1] = i == 0 ? each.b : 0;
    to[4] = all.b;
    to[5] = first.b;
  }
}

static void check_groups(struct app *app, cl_uint n) {
  static const char *const kernels[] = { "test_sum", "test_maps" };
  const size_t most = test_is_small() ? 6 : 40;
  (void)n;
  if (app->groups > most) app->groups = most;
  const size_t all = app->items * app->groups;
  for (size_t i = 0; i < all; i++) numbers[i] = (uint32_t)(i * 2654435761u >> 7);
  cl_mem x = buffer(app, sizeof numbers, numbers), out = buffer(app, sizeof found, NULL);
  const void *const arguments[] = { &x, &out, &app->state };
  const size_t bytes[] = { sizeof x, sizeof x, sizeof x };
  for (int k = 0; k < 2; k++) {
    memset(found, 0xa5, sizeof found);
    CL_OK(clEnqueueWriteBuffer(app->queue, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    launch(app, kernels[k], 3, arguments, bytes);
    read_found(app, out, all * RESULTS);
    for (size_t g = 0; g < app->groups; g++) {
      static uint32_t expected[MOST_ITEMS * RESULTS];
      const uint32_t *got = found + g * app->items * RESULTS;
      expect_group(expected, numbers + g * app->items, app->items, 1 + g * 37 % app->items, k == 0);
      for (size_t i = 0; i < app->items * RESULTS; i++)
        if (got[i] != expected[i])
          test_fail("%s, %zu work-items: result %zu of work-item %zu of group %zu is %u, not %u", kernels[k],
                    app->items, i % RESULTS, i / RESULTS, g, got[i], expected[i]);
    }
  }
  CL_OK(clReleaseMemObject(out));
  CL_OK(clReleaseMemObject(x));
}

/* Replaces the values of a work-group's items by the sums through them, in the order of group.h: runs of consecutive
 * ones from left to right, and the sums of runs by a row's scan. */
static void scan_floats(float *x, size_t items) {
  const size_t runs = items < ROW ? 1 : ROW, run = items / runs;
  float sum[ROW];
  for (size_t j = 0; j < runs; j++) {
    sum[j] = x[j * run];
    for (size_t k = 1; k < run; k++) sum[j] += x[j * run + k];
  }
  for (size_t d = 1; d < runs; d *= 2)
    for (size_t j = runs - 1; j >= d; j--) sum[j] = sum[j - d] + sum[j];
  for (size_t i = 0; i < items; i++) {
    if (i % run == run - 1)
      x[i] = sum[i / run];
    else if (i > 0)
      x[i] = x[i - 1] + x[i];
  }
}

static void expect_floats(float *out, const float *own, size_t items) {
  static float one[MOST_ITEMS], all[MOST_ITEMS];
  for (size_t i = 0; i < items; i++) {
    float each = own[i];
    one[i] = own[i];
    for (int k = 1; k < VALUES; k++) each += own[i] + (float)k;
    all[i] = each;
  }
  scan_floats(one, items);
  scan_floats(all, items);
  for (size_t i = 0; i < items; i++) {
    float *to = out + i * FLOATS, each = own[i];
    to[0] = one[i];
    to[1] = i > 0 ? 0.5f + one[i - 1] : 0.5f;
    to[2] = one[items - 1];
    for (int k = 0; k < VALUES; k++) {
      if (k > 0) each += own[i] + (float)k;
      to[3 + k] = i > 0 ? all[i - 1] + each : each;
    }
  }
}

static void check_floats(struct app *app, cl_uint n) {
  static float x[MOST], expected[MOST_ITEMS * FLOATS];
  (void)n;
  if (app->groups > 20) app->groups = 20;
  const size_t all = app->items * app->groups, group_bytes = app->items * FLOATS * sizeof(float);
  for (size_t i = 0; i < all; i++) x[i] = (float)(i * 2654435761u >> 9 & 0xfffff) / (float)(1 + i % 7) - 60000;
  cl_mem in = buffer(app, sizeof x, x), out = buffer(app, sizeof found, NULL);
  const void *const arguments[] = { &in, &out, &app->state };
  const size_t bytes[] = { sizeof in, sizeof in, sizeof in };
  launch(app, "test_floats", 3, arguments, bytes);
  read_found(app, out, all * FLOATS);
  for (size_t g = 0; g < app->groups; g++) {
    expect_floats(expected, x + g * app->items, app->items);
    const uint32_t *got = found + g * app->items * FLOATS;
    if (memcmp(got, expected, group_bytes) == 0) continue;
    for (size_t i = 0; i < app->items * FLOATS; i++)
      if (memcmp(got + i, expected + i, sizeof(float)) != 0)
        test_fail("%zu work-items: sum %zu of work-item %zu of group %zu has bits %08x, not those of %g", app->items,
                  i % FLOATS, i / FLOATS, g, got[i], (double)expected[i]);
  }
  CL_OK(clReleaseMemObject(out));
  CL_OK(clReleaseMemObject(in));
}

/* The order of operations is fixed: an equal number of work-items gives equal bits, in one launch and in two, and close
 * to a plain loop. */
static void check_affine(struct app *app, cl_uint n) {
  static float a[MOST], b[MOST], first[MOST];
  for (cl_uint i = 0; i < n; i++) a[i] = (float)((i * 40503u >> 4) % 1000) / 1000, b[i] = (float)(i % 91) - 45;
  cl_mem mem[] = { buffer(app, sizeof a, a), buffer(app, sizeof b, b), buffer(app, sizeof a, NULL) };
  const void *const arguments[] = { &mem[0], &mem[1], &n, &mem[2], &app->state };
  const size_t bytes[] = { sizeof mem[0], sizeof mem[0], sizeof n, sizeof mem[0], sizeof mem[0] };
  const int launches = app->launches;
  for (int again = 0; again < 3; again++) {
    app->launches = again == 1 ? 1 : launches;
    launch(app, "test_recur", 5, arguments, bytes);
    if (!is_finished(app, NULL)) {
      n = 0;
      break;
    }
    read_found(app, mem[2], n);
    if (again == 0) memcpy(first, found, n * sizeof(float));
    assert_memory_equal(first, found, n * sizeof(float));
  }
  double x = 0;
  for (cl_uint i = 0; i < n; i++) {
    x = (double)a[i] * x + (double)b[i];
    if (x - (double)first[i] > 0.01 || x - (double)first[i] < -0.01)
      test_fail("%zu work-items: element %u is %g, not %g", app->items, i, (double)first[i], x);
  }
  for (int k = 0; k < 3; k++) CL_OK(clReleaseMemObject(mem[k]));
}

static void test_places(void **state) {
  (void)state;
  for_each_form(2, check_places);
}
static void test_groups(void **state) {
  (void)state;
  for_each_form(1, check_groups);
}
static void test_floats(void **state) {
  (void)state;
  for_each_form(1, check_floats);
}
static void test_prefixes(void **state) {
  (void)state;
  for_each_form(2, check_affine);
}

/* More work-groups than the state is for, places without counts, and arguments out of range. */
static void test_misuse(void **state) {
  static const struct form form = { 32, 700, 2, "" };
  struct app app;
  uint64_t total;
  (void)state;
  if (!open_app(&app, &form)) return;
  const cl_uint n = 1000;
  const scan_mem mem = scan_opencl_mem(app.state, 0);
  cl_mem counts = buffer(&app, sizeof numbers, numbers), out = buffer(&app, sizeof found, NULL);
  const void *const arguments[] = { &counts, &n, &out, &app.state };
  const size_t bytes[] = { sizeof counts, sizeof n, sizeof out, sizeof app.state };
  test_ok(app.ctx, scan_device_state_init(app.ctx, mem, 5, 8), "scan_device_state_init");
  for (app.launches = 1; app.launches <= 2; app.launches++) {
    launch(&app, "test_repeat", 4, arguments, bytes);
    test_refusal(app.ctx, scan_device_state_check(app.ctx, mem, &total), SCAN_INVALID_ARGUMENT,
                 "more work-groups than the 5");
    test_ok(app.ctx, scan_device_state_init(app.ctx, mem, app.launches == 1 ? 5 : form.groups, 8),
            "scan_device_state_init");
  }
  launch_of(&app, PLACES, "test_repeat", 4, arguments, bytes);
  test_refusal(app.ctx, scan_device_state_check(app.ctx, mem, &total), SCAN_INVALID_ARGUMENT,
               "did not follow one of SCANRT_COUNTS");
  assert_int_equal(scan_device_state_init(app.ctx, mem, 0, 8), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_device_state_init(app.ctx, mem, 1u << 20, 8), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_device_state_bytes(1, 65), 0);
  assert_int_equal(scan_device_state_bytes((UINT64_C(1) << 31) + 1, 4), 0);
  assert_int_equal(scan_device_state_bytes(128, 8), 64 + 129 * 16 + 8);
  assert_null(scan_device_text("scanrt/scan.h"));
  CL_OK(clReleaseMemObject(counts));
  CL_OK(clReleaseMemObject(out));
  close_app(&app);
  test_ran();
}

/* A ticket that no work-group takes: waits for it end, and are reported. llvmpipe ends them after 65,535 polls. */
static void test_lost(void **state) {
  static const struct form form = { 32, 5, 1, "-DSCANRT_MOST_POLLS=100000" };
  struct app app;
  (void)state;
  if (!open_app(&app, &form)) return;
  const cl_uint n = 150, ticket = 1;
  cl_mem counts = buffer(&app, sizeof numbers, numbers), out = buffer(&app, sizeof found, NULL);
  const void *const arguments[] = { &counts, &n, &out, &app.state };
  const size_t bytes[] = { sizeof counts, sizeof n, sizeof out, sizeof app.state };
  CL_OK(clEnqueueWriteBuffer(app.queue, app.state, CL_TRUE, SCANRT_STATE_TICKET * sizeof ticket, sizeof ticket, &ticket,
                             0, NULL, NULL));
  app.groups = form.groups - ticket;
  launch(&app, "test_repeat", 4, arguments, bytes);
  assert_int_equal(scan_device_state_check(app.ctx, scan_opencl_mem(app.state, 0), NULL), SCAN_NO_PROGRESS);
  CL_OK(clReleaseMemObject(counts));
  CL_OK(clReleaseMemObject(out));
  close_app(&app);
  test_ran();
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_groups), cmocka_unit_test(test_places),
                                      cmocka_unit_test(test_floats), cmocka_unit_test(test_prefixes),
                                      cmocka_unit_test(test_misuse), cmocka_unit_test(test_lost) };
  opencl_app_open();
  return test_exit(cmocka_run_group_tests_name("device headers", tests, NULL, NULL));
}
