/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_cold.c @brief How long a program waits for its first scan. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

static double milliseconds_since(double begun) { return 1e3 * (cli_seconds() - begun); }

/** One scan over a poisoned output, checked. @param[out] ms its time. */
static int run_once(bench_subject *s, double *ms) {
  int rc = bench_poison(s);
  if (rc == CLI_OK && scan_sync(s->lab->ctx) != SCAN_SUCCESS) rc = CLI_FAILED;
  const double begun = cli_seconds();
  if (rc == CLI_OK) rc = s->start(s, s->calls++);
  const scan_status status = scan_sync(s->lab->ctx);
  *ms = milliseconds_since(begun);
  if (rc == CLI_OK && status != SCAN_SUCCESS) rc = cli_fail_scan(s->lab->ctx, status, s->lab->info.selector);
  if (rc == CLI_OK) rc = bench_check(s);
  return s->wrong ? CLI_FAILED : rc;
}

int bench_cold_run(bench_lab *lab) {
  if (!lab->subject_count) return CLI_OK;
  const int rc = run_once(&lab->subjects[0], &lab->cold->first);
  return rc == CLI_OK ? run_once(&lab->subjects[0], &lab->cold->second) : rc;
}

static double total(const bench_cold_times *t) { return t->open + t->source + t->plan + t->first; }

static void report_times(bench_report *report, const char *selector, const bench_cold_times *t, double later) {
  if (!report->sheet.request->as_json) {
    printf("%-15s %10.2f %12.2f %10.2f %14.2f %15.3f %10.2f %16.2f\n", selector, t->open, t->source, t->plan, t->first,
           t->second, total(t), later);
    return;
  }
  json_open(&report->sheet.json, NULL, '{');
  json_string(&report->sheet.json, "device", selector);
  json_real(&report->sheet.json, "create_ms", t->open);
  json_real(&report->sheet.json, "operator_ms", t->source);
  json_real(&report->sheet.json, "plan_ms", t->plan);
  json_real(&report->sheet.json, "first_run_ms", t->first);
  json_real(&report->sheet.json, "second_run_ms", t->second);
  json_real(&report->sheet.json, "total_ms", total(t));
  json_real(&report->sheet.json, "later_context_ms", later);
  json_close(&report->sheet.json, '}');
}

int bench_cold(const bench_request *request, const char *selector, bench_report *report, bench_cold_way *way) {
  bench_cold_times times = { 0 }, later = { 0 };
  int rc = way(request, selector, &times);
  if (rc == CLI_OK) rc = way(request, selector, &later);
  if (rc == CLI_OK) report_times(report, selector, &times, total(&later));
  return rc;
}
