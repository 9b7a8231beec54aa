/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_cold.c @brief How long a program waits for its first scan. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "data.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

enum { COLD_ITEMS = 1 << 20, POISON_BYTE = 0xA5 };

/** Input, output and expected output. */
typedef struct cold_data {
  int32_t *in;
  int32_t *out;
  int32_t *expected;
} cold_data;

/** Milliseconds of the steps. */
typedef struct cold_times {
  double create;
  double first;
  double second;
  double again; /**< A later context of the process: create and first. */
} cold_times;

/** Runs one scan over a poisoned output. @param[out] ms its time. @return CLI_OK or CLI_FAILED */
static int run_once(scan_ctx *ctx, const char *selector, const scan_spec *spec, const cold_data *data, double *ms) {
  memset(data->out, POISON_BYTE, COLD_ITEMS * sizeof(int32_t));
  double begun = cli_seconds();
  scan_status status = scan_run(ctx, spec, COLD_ITEMS, scan_host(data->in), scan_host(data->out));
  *ms = 1e3 * (cli_seconds() - begun);
  if (status != SCAN_SUCCESS) return cli_fail_scan(ctx, status, selector);
  if (reference_mismatch(spec->type, COLD_ITEMS, data->out, data->expected) == COLD_ITEMS) return CLI_OK;
  return cli_fail("%s: WRONG result", selector);
}

/** A context of its own: its opening, and two scans. */
static int time_device(const char *selector, const scan_spec *spec, const cold_data *data, cold_times *times) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  options.device = selector;
  double begun = cli_seconds();
  scan_status status = scan_ctx_create(&options, &ctx);
  times->create = 1e3 * (cli_seconds() - begun);
  if (status != SCAN_SUCCESS) return cli_fail_scan(NULL, status, "cannot open the device");
  int rc = run_once(ctx, selector, spec, data, &times->first);
  if (rc == CLI_OK) rc = run_once(ctx, selector, spec, data, &times->second);
  scan_ctx_destroy(ctx);
  return rc;
}

/** The first context of the process, then one that finds the drivers loaded and the programs in the cache. */
static int time_both(const char *selector, const scan_spec *spec, const cold_data *data, cold_times *times) {
  cold_times later = { 0 };
  int rc = time_device(selector, spec, data, times);
  if (rc == CLI_OK) rc = time_device(selector, spec, data, &later);
  times->again = later.create + later.first;
  return rc;
}

static void report_times(bench_report *report, const char *selector, const cold_times *t) {
  double total = t->create + t->first;
  if (!report->request->as_json) {
    printf("%-10s %12.2f %14.2f %15.3f %10.2f %16.2f\n", selector, t->create, t->first, t->second, total, t->again);
    return;
  }
  json_open(&report->json, NULL, '{');
  json_string(&report->json, "device", selector);
  json_real(&report->json, "create_ms", t->create);
  json_real(&report->json, "first_run_ms", t->first);
  json_real(&report->json, "second_run_ms", t->second);
  json_real(&report->json, "total_ms", total);
  json_real(&report->json, "later_context_ms", t->again);
  json_close(&report->json, '}');
}

int bench_cold(const char *selector, bench_report *report) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  data_style style = { .seed = 1 };
  cold_times times = { 0 };
  const size_t items = COLD_ITEMS;
  int32_t *all = malloc(3 * items * sizeof *all);
  if (!all) return cli_fail("no memory for the arrays");
  cold_data data = { all, all + items, all + 2 * items };
  data_fill(spec.type, spec.op, COLD_ITEMS, &style, data.in);
  reference_scan(&spec, COLD_ITEMS, data.in, data.expected);
  const int rc = time_both(selector, &spec, &data, &times);
  if (rc == CLI_OK) report_times(report, selector, &times);
  free(all);
  return rc;
}
