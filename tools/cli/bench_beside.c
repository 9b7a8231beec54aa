/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_beside.c @brief `scanrt bench --beside`: busy loops, and a one-thread context. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOOPS = 1024 };

struct bench_beside {
  pthread_t *threads;
  uint64_t started;
  atomic_int stops;
};

int bench_parse_beside(const char *command, const char *text, void *request) {
  bench_request *r = (bench_request *)request;
  r->has_beside = 1;
  return cli_parse_within(command, "--beside", text, 0, MOST_LOOPS, &r->beside);
}

int bench_check_beside(const char *command, const bench_request *r) {
  if (r->has_beside && r->cold) return cli_usage(command, "--beside and --cold exclude each other");
  return CLI_OK;
}

void bench_beside_words(const bench_request *r, char *text, size_t bytes) {
  *text = '\0';
  if (r->has_beside) snprintf(text, bytes, ", beside %" PRIu64 " busy loop%s", r->beside, r->beside == 1 ? "" : "s");
}

/* ---- busy loops ---- */

static void *run_loop(void *argument) {
  bench_beside *beside = (bench_beside *)argument;
  while (!atomic_load_explicit(&beside->stops, memory_order_relaxed)) {}
  return NULL;
}

static void stop(bench_beside *beside) {
  if (!beside) return;
  atomic_store(&beside->stops, 1);
  for (uint64_t i = 0; i < beside->started; i++) pthread_join(beside->threads[i], NULL);
  free(beside->threads);
  free(beside);
}

static int thread_start(uint64_t loops, bench_beside **result) {
  bench_beside *beside = (bench_beside *)calloc(1, sizeof *beside);
  if (beside) beside->threads = (pthread_t *)calloc((size_t)loops + 1, sizeof *beside->threads);
  if (!beside || !beside->threads) {
    free(beside);
    return cli_fail("no memory for --beside");
  }
  while (beside->started < loops && pthread_create(&beside->threads[beside->started], NULL, run_loop, beside) == 0)
    beside->started++;
  *result = beside;
  return beside->started == loops ? CLI_OK : cli_fail("--beside: thread %" PRIu64 " does not start", beside->started);
}

/* ---- the state ---- */

int bench_beside_open(bench_state *bench) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_device_info info;
  if (!bench->request->has_beside) return CLI_OK;
  if (bench->info.backend != SCAN_BACKEND_HOST)
    return cli_fail("--beside compares the host's threads with one: give --device host, not %s", bench->info.selector);
  options.device = bench->info.selector;
  options.threads = 1;
  const int rc = cli_open_by(&options, &bench->one, &info);
  return rc == CLI_OK ? thread_start(bench->request->beside, &bench->beside) : rc;
}

void bench_beside_close(bench_state *bench) {
  stop(bench->beside);
  scan_ctx_destroy(bench->one);
}

void bench_beside_swap(bench_state *bench) {
  scan_ctx *const ctx = bench->ctx;
  scan_op *const op = bench->custom_op;
  bench->ctx = bench->one;
  bench->one = ctx;
  bench->custom_op = bench->one_op;
  bench->one_op = op;
  if (bench->composite) bench->spec.custom_op = bench->custom_op;
}

void bench_beside_mark(bench_entry *s) {
  char name[BENCH_LABEL_BYTES];
  s->one_thread = 1;
  snprintf(name, sizeof name, "one thread%s%.50s", *s->series ? ": " : "", s->series);
  memcpy(s->series, name, sizeof name);
  memcpy(s->label, name, sizeof name);
}

double bench_beside_median(const bench_state *bench, const bench_entry *s) {
  for (size_t i = 0; i < bench->entry_count; i++) {
    const bench_entry *one = &bench->entries[i];
    if (one->one_thread && !one->wrong && s->role == BENCH_SCAN && !s->restore && one->manner == s->manner &&
        one->axis == s->axis)
      return bench_evaluate(one, bench->rounds).median_seconds;
  }
  return 0;
}
