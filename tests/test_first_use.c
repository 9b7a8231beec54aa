/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the library's first calls in a process, by several threads at once. All see the same devices, and each gets a
 * context that scans. Each round is a process, forked before this one has called the library. Real drivers fail only in
 * some processes; tests/fake_opencl aborts if two threads are in it. */
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 4, FAILED = 1, N = 5000 };

/* The first call of a thread: counts devices, opens a context, or opens one and scans. */
typedef enum first_call { COUNTS, OPENS, SCANS } first_call;

typedef struct worker {
  pthread_barrier_t *start;
  first_call first;
  int count;
  char text[TEST_TEXT];
} worker;

/* 1 if a scan failed only because tests/fake_opencl has no compiler. */
static int is_no_compiler(scan_ctx *ctx, scan_status status) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  return status == SCAN_BUILD_FAILED && scan_ctx_device(ctx, &info) == SCAN_SUCCESS && strcmp(info.name, "fake") == 0;
}

static void scan(worker *w, scan_ctx *ctx) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  float values[N], results[N] = { 0 };
  for (int i = 0; i < N; i++) values[i] = (float)(i % 3);
  const scan_status status = scan_run(ctx, &spec, N, scan_host(values), scan_host(results));
  if (is_no_compiler(ctx, status)) return;
  if (status != SCAN_SUCCESS) {
    snprintf(w->text, sizeof w->text, "scan_run: %s", scan_last_error(ctx));
    return;
  }
  for (int i = 0, sum = 0; i < N && w->text[0] == '\0'; i++) {
    sum += i % 3;
    if (results[i] != (float)sum) snprintf(w->text, sizeof w->text, "element %d is %g", i, (double)results[i]);
  }
}

static void open_context(worker *w) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  options.device = test_selector();
  if (scan_ctx_create(&options, &ctx) != SCAN_SUCCESS)
    snprintf(w->text, sizeof w->text, "scan_ctx_create: %s", scan_last_error(NULL));
  else if (w->first == SCANS)
    scan(w, ctx);
  scan_ctx_destroy(ctx);
}

static void *work(void *argument) {
  worker *w = argument;
  (void)pthread_barrier_wait(w->start);
  if (w->first != COUNTS) open_context(w);
  if (scan_device_count(&w->count) != SCAN_SUCCESS)
    snprintf(w->text, sizeof w->text, "scan_device_count: %s", scan_last_error(NULL));
  return NULL;
}

/* Compares the threads' results in the round's process. If no context can be made, all threads get the same error. */
static int differ(const worker *workers) {
  for (int t = 0; t < THREADS; t++) {
    if (workers[t].count != workers[0].count)
      return fprintf(stderr, "threads see %d and %d devices\n", workers[0].count, workers[t].count);
    if (workers[t].text[0] != '\0') return fprintf(stderr, "thread %d: %s\n", t, workers[t].text);
  }
  return 0;
}

/* Runs a round: all threads count; every second one opens a context; all open one; or all scan. */
static int run_round(int round) {
  pthread_barrier_t start;
  pthread_t threads[THREADS];
  static worker workers[THREADS];
  static const first_call firsts[ROUNDS][2] = {
    { COUNTS, COUNTS }, { OPENS, COUNTS }, { OPENS, OPENS }, { SCANS, SCANS }
  };
  if (pthread_barrier_init(&start, NULL, THREADS) != 0) return FAILED;
  for (int t = 0; t < THREADS; t++) {
    workers[t] = (worker){ .start = &start, .first = firsts[round][t % 2] };
    if (pthread_create(&threads[t], NULL, work, &workers[t]) != 0) return FAILED;
  }
  for (int t = 0; t < THREADS; t++)
    if (pthread_join(threads[t], NULL) != 0) return FAILED;
  return differ(workers) != 0 ? FAILED : 0;
}

static void test_first_use(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    int status = 0;
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(run_round(round)); /* skips the drivers' exit handlers */
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) test_fail("round %d: signal %d", round, WTERMSIG(status));
    if (WEXITSTATUS(status) != 0) test_fail("round %d: see above", round);
  }
}

/* Ends the program if the device is missing. Asks in a process, so that this one has not called the library. */
static void need_device(void) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    (void)test_device_open();
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) test_skip_program("no process could be made");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) test_skip_program("%s is not here", test_selector());
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test_setup(test_first_use, test_count_setup) };
  need_device();
  return test_exit(cmocka_run_group_tests_name("first_use", tests, NULL, NULL));
}
