/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests failures of the CUDA driver: each call of a trial fails once. The status and the error text say so, nothing is
 * leaked, the caller's context stays current, and the context still works. */
#include "fake_cuda.h"
#include "reference.h"
#include "support.h"

#include <limits.h>
#include <scanrt/scan_cuda.h>
#include <stdio.h>
#include <string.h>

enum { N = 9000, BYTES = N * 4, OUT_OF_MEMORY = 2, LAUNCH_FAILED = 719, MOST_CALLS = 2000 };

static const fake_cuda *fake;
static int32_t values[N], want[N], got[N];

/* The first failure of a trial. */
struct outcome {
  const char *step; /* NULL: none */
  scan_status status;
  char words[1024];
};

struct trial {
  scan_ctx *ctx;
  scan_plan *plan;
  scan_mem in, out;
  struct outcome outcome;
};

static scan_spec spec_of(scan_strategy strategy) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  spec.strategy = strategy;
  return spec;
}

/* Notes the first failure; 1 if the trial may go on. */
static int step(struct trial *s, const char *name, scan_status status) {
  struct outcome *o = &s->outcome;
  if (status == SCAN_SUCCESS) return 1;
  *o = (struct outcome){ .step = name, .status = status };
  strncpy(o->words, scan_last_error(s->ctx), sizeof o->words - 1);
  return 0;
}

static int open_trial(struct trial *s) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  options.device = "cuda:0";
  return step(s, "scan_ctx_create", scan_ctx_create(&options, &s->ctx));
}

/* Scans of host data in three chunks from a pointer and from a callback; carries, and a total. */
static int give(void *user, uint64_t first, uint64_t items, void *to) {
  (void)user;
  memcpy(to, values + first, items * sizeof *values);
  return 0;
}

static int stream_all(struct trial *s) {
  const scan_spec spec = spec_of(SCAN_STRATEGY_AUTO);
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  options.chunk_items = N / 5;
  options.read = give;
  const scan_status pinned = scan_stream_pin(s->ctx, got, BYTES);
  if (!step(s, "scan_stream_pin", pinned)) return 0;
  const int streamed = step(s, "scan_stream", scan_stream(s->ctx, &spec, N, NULL, got, &options));
  const scan_status unpinned = scan_stream_unpin(s->ctx, got);
  return streamed && step(s, "scan_stream_unpin", unpinned);
}

static int find_total(struct trial *s) {
  scan_spec spec = spec_of(SCAN_STRATEGY_AUTO);
  spec.kind = SCAN_TOTAL;
  scan_args args = SCAN_ARGS_INIT(scan_host(values), scan_host(got + 1));
  args.carry_out = scan_host(got);
  return step(s, "scan_run_args, total", scan_run_args(s->ctx, &spec, N, &args));
}

static void work(struct trial *s) {
  const scan_spec lookback = spec_of(SCAN_STRATEGY_LOOKBACK), rts = spec_of(SCAN_STRATEGY_REDUCE_THEN_SCAN);
  (void)(step(s, "scan_alloc", scan_alloc(s->ctx, BYTES, &s->in)) &&
         step(s, "scan_alloc", scan_alloc(s->ctx, BYTES, &s->out)) &&
         step(s, "scan_plan_create", scan_plan_create(s->ctx, &lookback, N, &s->plan)) &&
         step(s, "scan_write", scan_write(s->ctx, s->in, values, BYTES)) &&
         step(s, "scan_plan_run", scan_plan_run(s->plan, N, s->in, s->out)) &&
         step(s, "scan_sync", scan_sync(s->ctx)) && /* reads the control block */
         step(s, "scan_copy", scan_copy(s->ctx, s->in, s->out, BYTES)) &&
         step(s, "scan_read", scan_read(s->ctx, s->in, got, BYTES)) &&
         step(s, "scan_run", scan_run(s->ctx, &rts, N, scan_host(values), scan_host(got))));
}

/* Checks that the context and the plan still scan after a failure. */
static void check_usable(struct trial *s) {
  const scan_spec spec = spec_of(SCAN_STRATEGY_AUTO);
  memset(got, 0x5a, sizeof got);
  test_ok(s->ctx, scan_run(s->ctx, &spec, N, scan_host(values), scan_host(got)), "scan_run after a fault");
  assert_memory_equal(got, want, BYTES);
  if (s->plan == NULL) return;
  test_ok(s->ctx, scan_write(s->ctx, s->in, values, BYTES), "scan_write after a fault");
  test_ok(s->ctx, scan_plan_run(s->plan, N, s->in, s->in), "scan_plan_run after a fault");
  test_ok(s->ctx, scan_read(s->ctx, s->in, got, BYTES), "scan_read after a fault");
  assert_memory_equal(got, want, BYTES);
}

static void close_trial(struct trial *s) {
  if (s->ctx == NULL) return;
  if (s->in.kind != SCAN_MEM_NONE) (void)step(s, "scan_free", scan_free(s->ctx, s->in));
  scan_plan_destroy(s->plan);
  scan_ctx_destroy(s->ctx); /* frees s->out, too */
  s->ctx = NULL;
}

static int is_one_of(const char *name, const char *const *names) {
  for (; *names != NULL; names++)
    if (strcmp(*names, name) == 0) return 1;
  return 0;
}

/* 1 for calls whose failure only makes the list of devices shorter or less detailed. */
static int only_lists(const char *function) {
  static const char *const names[] = {
    "cuDriverGetVersion",  "cuDeviceGetCount",     "cuDeviceGet", "cuDeviceGetName", "cuInit",
    "cuDeviceTotalMem_v2", "cuDeviceGetAttribute", NULL
  };
  return is_one_of(function, names);
}

/* 1 for calls that leave an object behind when they fail. */
static int leaves_something(const char *function) {
  static const char *const names[] = { "cuMemFree_v2",
                                       "cuModuleUnload",
                                       "cuMemFreeHost",
                                       "cuMemHostUnregister",
                                       "cuEventDestroy_v2",
                                       "cuStreamDestroy_v2",
                                       "cuDevicePrimaryCtxRelease_v2",
                                       "cuCtxPushCurrent_v2",
                                       NULL };
  return is_one_of(function, names);
}

/* 1 for calls of a stream whose failure need not be reported because the results are right: queries of memory that is
 * then treated as pageable, and calls that free the stream's objects. */
static int only_clears_up(const char *function) {
  static const char *const names[] = { "cuMemHostGetFlags",   "cuMemFreeHost",
                                       "cuEventDestroy_v2",   "cuMemFree_v2",
                                       "cuStreamDestroy_v2",  "cuStreamSynchronize",
                                       "cuCtxPushCurrent_v2", NULL };
  return is_one_of(function, names);
}

/* 1 for calls around the work, on which it does not depend. The capture mode matters only during a capture. */
static int is_avoided(const char *function) {
  static const char *const names[] = { "cuCtxPopCurrent_v2", "cuThreadExchangeStreamCaptureMode", NULL };
  return is_one_of(function, names);
}

/* Checks that the error text names the call, as the CUDA reference spells it, and the driver's error. */
static void check_words(const struct outcome *o, const char *function, const char *error_name) {
  char name[64] = "";
  strncpy(name, function, sizeof name - 1);
  char *version = strstr(name, "_v2");
  if (version != NULL) *version = '\0';
  if (strstr(o->words, name) == NULL || strstr(o->words, error_name) == NULL)
    test_fail("%s: \"%s\" does not name %s and %s", o->step, o->words, name, error_name);
}

static void check_reported(const struct trial *s, const char *function, scan_status status, const char *error_name) {
  const struct outcome *o = &s->outcome;
  if (o->step == NULL || only_lists(function)) return;
  if (o->status != status)
    test_fail("%s (%s fails): %s, not %s", o->step, function, scan_status_name(o->status), scan_status_name(status));
  check_words(o, function, error_name);
}

static void check_nothing_left(const char *function, unsigned k) {
  const int excused = leaves_something(function);
  if (fake->fault()[0] != '\0') test_fail("%s fails (call %u): %s", function, k, fake->fault());
  if (!excused && (fake->live_host_memory() || fake->live_events()))
    test_fail("%s fails (call %u): %d pieces of host memory, %d events left", function, k, fake->live_host_memory(),
              fake->live_events());
  if (!excused && (fake->live_allocations() || fake->live_modules() || fake->live_streams() || fake->reclaimed()))
    test_fail("%s fails (call %u): %d allocations, %d modules, %d streams left, %u reclaimed", function, k,
              fake->live_allocations(), fake->live_modules(), fake->live_streams(), fake->reclaimed());
  if (strcmp(function, "cuDevicePrimaryCtxRelease_v2") != 0) assert_int_equal(fake->primary_refs(0), 0);
  assert_int_equal(fake->context_depth(), 0);
}

/* Runs a trial in which call k fails; 0 if the trial has fewer calls. */
static int trial_with_fault(unsigned k, int streams) {
  struct trial s = { 0 };
  fake->reset();
  fake->inject(NULL, k, LAUNCH_FAILED);
  const int is_open = open_trial(&s);
  if (is_open && streams) (void)(stream_all(&s) && find_total(&s));
  if (is_open && !streams) work(&s);
  const int in_work = fake->failed() != NULL;
  if (in_work && s.ctx != NULL) check_usable(&s);
  close_trial(&s);
  const char *function = fake->failed();
  fake->inject(NULL, 0, 0);
  if (function == NULL) return 0;
  if (in_work && s.outcome.step == NULL && !only_lists(function) && !(streams && only_clears_up(function)) &&
      !is_avoided(function))
    test_fail("call %u, %s, failed and nobody was told", k, function);
  check_reported(&s, function, SCAN_DEVICE_ERROR, "CUDA_ERROR_LAUNCH_FAILED");
  check_nothing_left(function, k);
  while (fake->primary_refs(0) > 0) assert_int_equal(fake->driver.primary_release(0), 0);
  return 1;
}

static void test_every_call_fails_once(void **state) {
  (void)state;
  unsigned k = 1;
  while (trial_with_fault(k, 0) && k < MOST_CALLS) k++;
  print_message("%u calls failed, one a trial\n", k - 1);
  assert_true(k > 50 && k < MOST_CALLS);
}

static void test_every_call_of_a_stream_fails_once(void **state) {
  (void)state;
  unsigned k = 1;
  while (trial_with_fault(k, 1) && k < MOST_CALLS) k++;
  print_message("%u calls failed, one a trial\n", k - 1);
  assert_true(k > 150 && k < MOST_CALLS);
}

/* Runs trials in which each occurrence of one function fails with one driver error. */
static void check_function(const char *function, cuda_result result, scan_status status, const char *error_name) {
  for (unsigned nth = 1;; nth++) {
    struct trial s = { 0 };
    fake->reset();
    fake->inject(function, nth, result);
    if (open_trial(&s)) work(&s);
    const int failed = fake->failed() != NULL;
    fake->inject(NULL, 0, 0);
    if (failed && s.outcome.step == NULL) test_fail("%s %u failed and nobody was told", function, nth);
    if (failed) check_reported(&s, function, status, error_name);
    if (failed && s.ctx != NULL) check_usable(&s);
    close_trial(&s);
    check_nothing_left(function, nth);
    if (!failed) {
      assert_true(nth > 1);
      return;
    }
  }
}

static void test_out_of_memory(void **state) {
  (void)state;
  check_function("cuMemAlloc_v2", OUT_OF_MEMORY, SCAN_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY");
  check_function("cuModuleLoadData", OUT_OF_MEMORY, SCAN_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY");
  check_function("cuStreamCreate", OUT_OF_MEMORY, SCAN_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY");
  check_function("cuDevicePrimaryCtxRetain", OUT_OF_MEMORY, SCAN_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY");
}

static void test_image_errors(void **state) {
  (void)state;
  static const struct {
    cuda_result result;
    const char *name;
  } errors[] = {
    { CUDA_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE" },
    { CUDA_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU" },
    { CUDA_INVALID_PTX, "CUDA_ERROR_INVALID_PTX" },
    { CUDA_JIT_COMPILER_NOT_FOUND, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND" },
    { CUDA_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" },
  };
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
    check_function("cuModuleLoadData", errors[i].result, SCAN_BUILD_FAILED, errors[i].name);
}

static void test_driver_that_does_not_start(void **state) {
  (void)state;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  fake->reset();
  fake->inject("cuInit", 1, 100);
  assert_string_equal(scan_backend_note(SCAN_BACKEND_CUDA),
                      "cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)");
  options.device = "cuda:7";
  assert_int_equal(scan_ctx_create(&options, &ctx), SCAN_NO_DEVICE);
  assert_null(ctx);
}

/* If a call fails, the device is not listed, or its facts are right. They are never guesses. */
static void test_listing_with_faults(void **state) {
  (void)state;
  for (unsigned k = 1; k < MOST_CALLS; k++) {
    scan_device_info info = SCAN_DEVICE_INFO_INIT;
    fake->reset();
    fake->inject(NULL, k, LAUNCH_FAILED);
    test_ok(NULL, scan_device_get(0, &info), "scan_device_get");
    const char *function = fake->failed();
    fake->inject(NULL, 0, 0);
    if (function == NULL) return;
    if (info.backend != SCAN_BACKEND_CUDA || strcmp(function, "cuDriverGetVersion") == 0) continue;
    if (info.compute_units == 0 || info.max_group_items == 0 || info.memory_bytes == 0 || info.name[0] == '\0')
      test_fail("call %u, %s, failed, and the device is listed with %u units, %u items, \"%s\"", k, function,
                info.compute_units, info.max_group_items, info.name);
  }
}

/* The driver gives false attributes and names without a NUL: the device is listed and scans, or it is omitted with a
 * reason. */
static void test_lies(void **state) {
  (void)state;
  static const int attributes[] = { CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                    CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
                                    CUDA_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                    CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                    CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                    CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                                    CUDA_ATTRIBUTE_CLUSTER_LAUNCH };
  static const int lies[] = { INT_MIN, -1, 0, 1, 100000, INT_MAX };
  for (size_t i = 0; i < sizeof attributes / sizeof attributes[0] * 6; i++) {
    struct trial s = { 0 };
    fake->reset();
    fake->lie(attributes[i / 6], lies[i % 6]);
    const char *note = scan_backend_note(SCAN_BACKEND_CUDA);
    if (strncmp(note, "0 devices (others are left out: cuda:0 has ", 43) == 0) continue;
    assert_string_equal(note, "1 device");
    if (!open_trial(&s)) test_fail("attribute %d is %d: %s", attributes[i / 6], lies[i % 6], s.outcome.words);
    scan_device_info info = SCAN_DEVICE_INFO_INIT;
    test_ok(s.ctx, scan_ctx_device(s.ctx, &info), "scan_ctx_device");
    assert_int_equal(strlen(info.name), sizeof info.name - 1);
    work(&s);
    if (s.outcome.step != NULL && s.outcome.words[0] == '\0') test_fail("%s fails without words", s.outcome.step);
    close_trial(&s);
    fake->lie(0, 0);
    if (fake->live_allocations() || fake->live_modules() || fake->live_streams() || fake->primary_refs(0))
      test_fail("attribute %d is %d: something is left", attributes[i / 6], lies[i % 6]);
  }
}

/* The driver counts INT_MAX devices. */
static void test_counts_that_are_not_true(void **state) {
  (void)state;
  int count = 0;
  fake->reset();
  fake->set_devices(INT_MAX);
  test_ok(NULL, scan_device_count(&count), "scan_device_count");
  assert_in_range(count, 2, 1000);
  fake->set_devices(-1);
  test_ok(NULL, scan_device_count(&count), "scan_device_count");
  assert_int_equal(count, 1);
}

/* The error text is that of the failed call, not of a later listing, and a fact that is missing is not guessed. */
static void test_words_of_opening(void **state) {
  (void)state;
  static const struct {
    const char *call, *name;
  } calls[] = { { "cuInit", "cuInit" },
                { "cuDeviceGetCount", "cuDeviceGetCount" },
                { "cuDeviceGet", "cuDeviceGet" },
                { "cuDeviceGetName", "cuDeviceGetName" },
                { "cuDeviceTotalMem_v2", "cuDeviceTotalMem" },
                { "cuDriverGetVersion", "cuDriverGetVersion" },
                { "cuDeviceGetAttribute", "cuDeviceGetAttribute" } };
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    struct trial s = { 0 };
    char words[128];
    fake->reset();
    fake->inject(calls[i].call, 1, LAUNCH_FAILED);
    assert_int_equal(open_trial(&s), 0);
    fake->inject(NULL, 0, 0);
    snprintf(words, sizeof words, "%s failed: CUDA_ERROR_LAUNCH_FAILED", calls[i].name);
    if (s.outcome.status != SCAN_NO_DEVICE || strstr(s.outcome.words, words) == NULL ||
        strstr(s.outcome.words, "this machine has: host") == NULL)
      test_fail("%s: %s, \"%s\"", calls[i].call, scan_status_name(s.outcome.status), s.outcome.words);
  }
}

/* Adopts the application's context while each call of that fails. */
static void test_adopting_with_faults(void **state) {
  (void)state;
  fake->reset();
  assert_int_equal(fake->driver.init(0), 0);
  cuda_context context = fake->app_context(0);
  assert_int_equal(fake->driver.ctx_push(context), 0);
  for (unsigned k = 1; k < MOST_CALLS; k++) {
    struct trial s = { 0 };
    fake->inject(NULL, k, LAUNCH_FAILED);
    if (step(&s, "scan_cuda_ctx_create", scan_cuda_ctx_create(NULL, NULL, NULL, &s.ctx))) scan_ctx_destroy(s.ctx);
    const char *function = fake->failed();
    fake->inject(NULL, 0, 0);
    assert_int_equal(fake->context_depth(), 1);
    if (function == NULL) break;
    if (strcmp(function, "cuInit") != 0) check_reported(&s, function, SCAN_DEVICE_ERROR, "CUDA_ERROR_LAUNCH_FAILED");
  }
  assert_int_equal(fake->driver.ctx_pop(NULL), 0);
  assert_string_equal(fake->fault(), "");
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_every_call_fails_once),
    TEST(test_every_call_of_a_stream_fails_once),
    TEST(test_out_of_memory),
    TEST(test_image_errors),
    TEST(test_driver_that_does_not_start),
    TEST(test_listing_with_faults),
    TEST(test_adopting_with_faults),
    TEST(test_lies),
    TEST(test_counts_that_are_not_true),
    TEST(test_words_of_opening),
  };
  const scan_spec spec = spec_of(SCAN_STRATEGY_AUTO);
  fake = fake_cuda_use(FAKE_CUDA_LIBRARY);
  for (int i = 0; i < N; i++) values[i] = i * 7919 - 20000;
  reference_scan(&spec, N, values, want);
  return test_exit(cmocka_run_group_tests_name("cuda_faults", tests, NULL, NULL));
}
