/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests two contexts of one device in two threads at once. */
#include "guarded.h"
#include "reference.h"
#include "support.h"
#include "values.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, SMALL_N = 20000, MAX_N = 150000 };

struct worker {
  uint64_t seed;
  int scans;
  pthread_barrier_t *start;
  int failed;
  char text[TEST_TEXT];
};

static const scan_spec specs[] = {
  SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE),
  SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE),
  SCAN_SPEC_INIT(SCAN_U8, SCAN_MAX, SCAN_INCLUSIVE),
  SCAN_SPEC_INIT(SCAN_I64, SCAN_ADD, SCAN_INCLUSIVE),
};
enum { SPECS = sizeof(specs) / sizeof(specs[0]) };

/* Runs one scan. The error goes to w->text, because only the main thread may use cmocka's assertions. */
static int run_one(struct worker *w, scan_ctx *ctx, struct rng *rng, void *in) {
  const scan_spec *spec = &specs[rng_below(rng, SPECS)];
  const uint64_t n = rng_below(rng, rng_below(rng, 4) ? SMALL_N : MAX_N) + 1;
  values_fill(rng, spec->type, spec->op, n, n, in);
  return guarded_scan(ctx, spec, n, in, NULL, w->text) == SCAN_SUCCESS;
}

static void run_all(struct worker *w, scan_ctx *ctx) {
  struct rng rng = { .state = w->seed };
  void *in = reference_alloc(MAX_N * sizeof(uint64_t));
  for (int i = 0; i < w->scans && !w->failed; i++) w->failed = !run_one(w, ctx, &rng, in);
  free(in);
}

static void *work(void *argument) {
  struct worker *w = argument;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  options.device = test_selector();
  pthread_barrier_wait(w->start);
  if (scan_ctx_create(&options, &ctx) == SCAN_SUCCESS) {
    run_all(w, ctx);
  } else {
    w->failed = 1;
    snprintf(w->text, TEST_TEXT, "scan_ctx_create: %s", scan_last_error(NULL));
  }
  scan_ctx_destroy(ctx);
  return NULL;
}

static void test_two_contexts_two_threads(void **state) {
  (void)state;
  pthread_barrier_t start;
  pthread_t threads[THREADS];
  struct worker workers[THREADS];
  assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
  for (int t = 0; t < THREADS; t++) {
    workers[t] =
        (struct worker){ .seed = (uint64_t)t + 1, .scans = test_is_small() ? 20 : 200, .start = &start, .failed = 0 };
    assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
  }
  for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
  pthread_barrier_destroy(&start);
  for (int t = 0; t < THREADS; t++) {
    if (workers[t].failed) test_fail("thread %d: %s", t, workers[t].text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_two_contexts_two_threads, test_count_setup),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("threads", tests, NULL, NULL));
}
