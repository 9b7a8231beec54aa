/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_device.c @brief Measures one device: scan against copy, and on the host against a plain loop. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "data.h"
#include "number.h"
#include "plain_loop.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECT_SCAN, SUBJECT_COPY, SUBJECT_LOOP, SUBJECT_MEMCPY, SUBJECT_COUNT, POISON_BYTE = 0xA5 };

/** One device, one n. The reference is kept while it fits (sequential has its own for floating point). */
typedef struct bench_lab {
  const bench_request *request;
  const char *selector;
  scan_ctx *ctx;
  scan_device_info info;
  scan_spec spec;
  scan_plan *plan;
  uint64_t n;
  uint64_t bytes; /**< Of n elements. */
  scan_mem device_in;
  scan_mem device_out;
  void *in;
  void *out;
  void *expected;
  int expected_is; /**< -1: none yet, 0: canonical, 1: sequential. */
  bench_subject *subjects;
} bench_lab;

/* ---- what is timed ---- */

static scan_status start_scan(void *state) {
  bench_lab *lab = (bench_lab *)state;
  return scan_plan_run(lab->plan, lab->n, lab->device_in, lab->device_out);
}

static scan_status start_copy(void *state) {
  bench_lab *lab = (bench_lab *)state;
  return scan_copy(lab->ctx, lab->device_out, lab->device_in, lab->bytes);
}

static scan_status start_loop(void *state) {
  bench_lab *lab = (bench_lab *)state;
  scan_value seed = reference_seed(&lab->spec);
  plain_loop(lab->spec.type, lab->spec.op, lab->spec.kind, lab->n, &seed, lab->in, lab->out);
  return SCAN_SUCCESS;
}

static scan_status start_memcpy(void *state) {
  bench_lab *lab = (bench_lab *)state;
  memcpy(lab->out, lab->in, (size_t)lab->bytes);
  return SCAN_SUCCESS;
}

static scan_status finish_device(void *state) { return scan_sync(((bench_lab *)state)->ctx); }

/** Keeps the compiler from dropping the host's work, whose result nobody reads. */
static scan_status finish_host(void *state) {
  bench_lab *lab = (bench_lab *)state;
  __asm__ volatile("" : : "r"(lab->out) : "memory");
  return SCAN_SUCCESS;
}

/* ---- checking ---- */

static int find_expected(bench_lab *lab) {
  int wanted = lab->spec.strategy == SCAN_STRATEGY_SEQUENTIAL;
  if (lab->expected_is == wanted) return CLI_OK;
  if (reference_scan(&lab->spec, wanted, lab->n, lab->in, lab->expected) != 0)
    return cli_fail("no memory for the reference");
  lab->expected_is = wanted;
  return CLI_OK;
}

/** Compares the device's output. @param[out] wrong 1 when it differs. */
static scan_status check_output(bench_lab *lab, int *wrong) {
  char got[NUMBER_TEXT_BYTES], expected[NUMBER_TEXT_BYTES];
  scan_status status = scan_read(lab->ctx, lab->device_out, lab->out, lab->bytes);
  if (status != SCAN_SUCCESS) return status;
  uint64_t at = reference_mismatch(lab->spec.type, lab->n, lab->out, lab->expected);
  uint64_t item_bytes = lab->bytes / lab->n;
  if (at == lab->n) return SCAN_SUCCESS;
  number_format(lab->spec.type, (char *)lab->out + at * item_bytes, got);
  number_format(lab->spec.type, (char *)lab->expected + at * item_bytes, expected);
  cli_say_failure("%s: n = %" PRIu64 ": element %" PRIu64 " is %s, expected %s", lab->selector, lab->n, at, got,
                  expected);
  *wrong = 1;
  return SCAN_SUCCESS;
}

/** One scan over a poisoned output. */
static scan_status run_checked(bench_lab *lab, int *wrong) {
  memset(lab->out, POISON_BYTE, (size_t)lab->bytes);
  scan_status status = scan_write(lab->ctx, lab->device_out, lab->out, lab->bytes);
  if (status == SCAN_SUCCESS) status = start_scan(lab);
  if (status == SCAN_SUCCESS) status = finish_device(lab);
  return status == SCAN_SUCCESS ? check_output(lab, wrong) : status;
}

/* ---- one strategy ---- */

static size_t list_subjects(bench_lab *lab) {
  bench_subject *s = lab->subjects;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  int on_host =
      lab->info.backend == SCAN_BACKEND_HOST || (lab->info.backend == SCAN_BACKEND_OPENCL && lab->info.is_cpu);
  scan_plan_info(lab->plan, &facts);
  for (int i = 0; i < SUBJECT_COUNT; i++) s[i].state = lab;
  s[SUBJECT_SCAN].start = start_scan;
  s[SUBJECT_COPY].start = start_copy;
  s[SUBJECT_LOOP].start = start_loop;
  s[SUBJECT_MEMCPY].start = start_memcpy;
  s[SUBJECT_SCAN].finish = s[SUBJECT_COPY].finish = finish_device;
  s[SUBJECT_LOOP].finish = s[SUBJECT_MEMCPY].finish = finish_host;
  snprintf(s[SUBJECT_SCAN].label, BENCH_LABEL_BYTES, "%s%s", scan_strategy_name(facts.strategy),
           lab->spec.strategy == SCAN_STRATEGY_AUTO ? " (auto)" : "");
  snprintf(s[SUBJECT_COPY].label, BENCH_LABEL_BYTES, "copy");
  snprintf(s[SUBJECT_LOOP].label, BENCH_LABEL_BYTES, "plain loop");
  snprintf(s[SUBJECT_MEMCPY].label, BENCH_LABEL_BYTES, "memcpy");
  return on_host ? SUBJECT_COUNT : SUBJECT_LOOP;
}

static void report_subjects(const bench_lab *lab, bench_report *report, size_t count, int wrong) {
  uint64_t reps = lab->request->reps;
  double copy = wrong ? 0 : bench_evaluate(&lab->subjects[SUBJECT_COPY], reps).median_seconds;
  double loop = wrong || count <= SUBJECT_LOOP ? 0 : bench_evaluate(&lab->subjects[SUBJECT_LOOP], reps).median_seconds;
  bench_row row = { .device = lab->selector, .n = lab->n, .bytes = 2 * lab->bytes, .wrong = wrong };
  for (size_t i = 0; i < (wrong ? 1 : count); i++) {
    row.label = lab->subjects[i].label;
    if (!wrong) {
      row.time = bench_evaluate(&lab->subjects[i], reps);
      row.copy_ratio = copy / row.time.median_seconds;
      row.loop_ratio = loop / row.time.median_seconds;
    }
    bench_report_row(report, &row);
  }
}

/** Measures a planned strategy. The last timed scan is followed by copies, so the check after timing runs once more. */
static int measure_plan(bench_lab *lab, bench_report *report) {
  int wrong = 0;
  int rc = find_expected(lab);
  if (rc != CLI_OK) return rc;
  size_t count = list_subjects(lab);
  scan_status status = run_checked(lab, &wrong);
  if (status == SCAN_SUCCESS && !wrong) status = bench_measure(lab->subjects, count, lab->request->reps);
  if (status == SCAN_SUCCESS && !wrong) status = run_checked(lab, &wrong);
  if (status != SCAN_SUCCESS) return cli_fail_scan(lab->ctx, status, lab->selector);
  report_subjects(lab, report, count, wrong);
  return wrong ? CLI_FAILED : CLI_OK;
}

static int measure_strategy(bench_lab *lab, scan_strategy strategy, bench_report *report) {
  lab->spec.strategy = strategy;
  scan_status status = scan_plan_create(lab->ctx, &lab->spec, lab->n, &lab->plan);
  if (status != SCAN_SUCCESS) return cli_fail_scan(lab->ctx, status, lab->selector);
  int rc = measure_plan(lab, report);
  scan_plan_destroy(lab->plan);
  lab->plan = NULL;
  return rc;
}

/* ---- one n ---- */

static int measure_strategies(bench_lab *lab, bench_report *report) {
  const bench_request *request = lab->request;
  int rc = CLI_OK;
  for (size_t s = 0; s < request->strategy_count; s++)
    if (measure_strategy(lab, request->strategies[s], report) != CLI_OK) rc = CLI_FAILED;
  return rc;
}

/** Gets the memory, fills the input, measures. */
static int measure_size(bench_lab *lab, bench_report *report) {
  data_style style = { .seed = lab->n };
  int rc = CLI_FAILED;
  lab->in = malloc((size_t)lab->bytes);
  lab->out = malloc((size_t)lab->bytes);
  lab->expected = malloc((size_t)lab->bytes);
  lab->device_in = lab->device_out = (scan_mem){ 0 };
  lab->expected_is = -1;
  if (!lab->in || !lab->out || !lab->expected) {
    cli_say_failure("no memory for n = %" PRIu64, lab->n);
    goto free_host;
  }
  data_fill(lab->spec.type, lab->spec.op, lab->n, &style, lab->in);
  scan_status status = scan_alloc(lab->ctx, lab->bytes, &lab->device_in);
  if (status == SCAN_SUCCESS) status = scan_alloc(lab->ctx, lab->bytes, &lab->device_out);
  if (status == SCAN_SUCCESS) status = scan_write(lab->ctx, lab->device_in, lab->in, lab->bytes);
  if (status != SCAN_SUCCESS)
    cli_fail_scan(lab->ctx, status, lab->selector);
  else
    rc = measure_strategies(lab, report);
  scan_free(lab->ctx, lab->device_out);
  scan_free(lab->ctx, lab->device_in);
free_host:
  free(lab->expected);
  free(lab->out);
  free(lab->in);
  return rc;
}

int bench_device(const bench_request *request, const char *selector, bench_report *report) {
  bench_lab lab = { .request = request, .selector = selector };
  lab.spec = (scan_spec)SCAN_SPEC_INIT(request->type, request->op, request->kind);
  int rc = cli_open(selector, SCAN_STRATEGY_AUTO, &lab.ctx, &lab.info);
  if (rc != CLI_OK) return rc;
  lab.selector = lab.info.selector;
  lab.subjects = calloc(SUBJECT_COUNT, sizeof *lab.subjects);
  if (!lab.subjects) {
    rc = cli_fail("no memory for the timings");
    goto close_device;
  }
  for (size_t i = 0; i < request->size_count; i++) {
    lab.n = request->sizes[i];
    lab.bytes = lab.n * scan_type_bytes(request->type);
    if (measure_size(&lab, report) != CLI_OK) rc = CLI_FAILED;
  }
  free(lab.subjects);
close_device:
  scan_ctx_destroy(lab.ctx);
  return rc;
}
