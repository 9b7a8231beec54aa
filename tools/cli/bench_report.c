/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_report.c @brief The table of `scanrt bench`. */
#include "bench.h"

#include <inttypes.h>

void bench_report_begin(bench_report *report, const bench_request *request) {
  if (report->as_json) {
    json_open(&report->json, NULL, '{');
    json_string(&report->json, "version", scan_version());
    if (!request->cold) {
      json_string(&report->json, "type", scan_type_name(request->type));
      json_string(&report->json, "op", scan_op_name(request->op));
      json_string(&report->json, "kind", request->kind == SCAN_EXCLUSIVE ? "exclusive" : "inclusive");
      json_count(&report->json, "reps", request->reps);
    }
    json_open(&report->json, "rows", '[');
    return;
  }
  if (request->cold) {
    printf("%-10s %12s %14s %15s %10s\n", "device", "create ms", "first run ms", "second run ms", "total ms");
    return;
  }
  printf("%s %s %s, medians of %" PRIu64 "\n", request->kind == SCAN_EXCLUSIVE ? "exclusive" : "inclusive",
         scan_type_name(request->type), scan_op_name(request->op), request->reps);
  printf("%-10s %-22s %12s %12s %7s %9s %8s %12s\n", "device", "what", "n", "median us", "IQR %", "GB/s", "% copy",
         "x plain loop");
}

static void json_row(json *j, const bench_row *row) {
  json_open(j, NULL, '{');
  json_string(j, "device", row->device);
  json_string(j, "what", row->label);
  json_count(j, "n", row->n);
  json_bool(j, "correct", !row->wrong);
  if (!row->wrong) {
    json_real(j, "median_us", 1e6 * row->time.median_seconds);
    json_real(j, "iqr_percent", 100 * row->time.spread);
    json_real(j, "gb_per_s", 1e-9 * (double)row->bytes / row->time.median_seconds);
    json_real(j, "percent_of_copy", 100 * row->copy_ratio);
    if (row->loop_ratio > 0) json_real(j, "times_plain_loop", row->loop_ratio);
  }
  json_close(j, '}');
}

void bench_report_row(bench_report *report, const bench_row *row) {
  if (report->as_json) {
    json_row(&report->json, row);
    return;
  }
  printf("%-10s %-22s %12" PRIu64, row->device, row->label, row->n);
  if (row->wrong) {
    puts("        WRONG");
    return;
  }
  printf(" %12.2f %7.1f %9.1f %8.1f", 1e6 * row->time.median_seconds, 100 * row->time.spread,
         1e-9 * (double)row->bytes / row->time.median_seconds, 100 * row->copy_ratio);
  if (row->loop_ratio > 0) printf(" %12.2f", row->loop_ratio);
  putchar('\n');
  fflush(stdout);
}

void bench_report_end(bench_report *report) {
  if (!report->as_json) return;
  json_close(&report->json, ']');
  json_close(&report->json, '}');
}
