/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_report.c @brief The table, the words and the summary of `scanrt verify`. */
#include "verify.h"

#include <inttypes.h>
#include <stdarg.h>

void verify_report_failure(verify_report *report, verify_counts *counts, const char *format, ...) {
  va_list args;
  /* One a cell, so that ten words tell of ten cells. */
  if (counts->failed++) return;
  for (int i = 0; i < VERIFY_MAX_WORDS; i++) {
    if (report->words[i][0]) continue;
    va_start(args, format);
    vsnprintf(report->words[i], VERIFY_WORDS_BYTES, format, args);
    va_end(args);
    return;
  }
}

void verify_report_begin(verify_report *report) {
  if (report->as_json) {
    json_open(&report->json, NULL, '{');
    json_string(&report->json, "version", scan_version());
    json_open(&report->json, "rows", '[');
    return;
  }
  printf("%-10s %-9s", "device", "type");
  for (int s = 0; s < report->strategy_count; s++) printf("  %-16s", scan_strategy_name(report->strategies[s]));
  putchar('\n');
}

static void add(verify_counts *sum, const verify_counts *more) {
  sum->passed += more->passed;
  sum->failed += more->failed;
  sum->not_applicable += more->not_applicable;
}

static void print_cell(const verify_counts *cell) {
  char text[64];
  uint64_t ran = cell->passed + cell->failed;
  if (cell->failed)
    snprintf(text, sizeof text, "FAIL %" PRIu64 "/%" PRIu64, cell->failed, ran);
  else if (ran)
    snprintf(text, sizeof text, "pass %" PRIu64, ran);
  else
    snprintf(text, sizeof text, "n/a");
  printf("  %-16s", text);
}

static void json_cells(json *j, const verify_report *report, const verify_row *row) {
  for (int s = 0; s < report->strategy_count; s++) {
    json_open(j, NULL, '{');
    json_string(j, "device", row->device);
    json_string(j, "type", row->type);
    json_string(j, "strategy", scan_strategy_name(report->strategies[s]));
    json_count(j, "passed", row->cells[s].passed);
    json_count(j, "failed", row->cells[s].failed);
    json_count(j, "not_applicable", row->cells[s].not_applicable);
    json_close(j, '}');
  }
}

void verify_report_row(verify_report *report, const verify_row *row) {
  for (int s = 0; s < report->strategy_count; s++) add(&report->total, &row->cells[s]);
  if (report->as_json) {
    json_cells(&report->json, report, row);
    return;
  }
  printf("%-10s %-9s", row->device, row->type);
  for (int s = 0; s < report->strategy_count; s++) print_cell(&row->cells[s]);
  putchar('\n');
  fflush(stdout);
}

static void end_json(verify_report *report) {
  json *j = &report->json;
  json_close(j, ']');
  json_open(j, "failures", '[');
  for (int i = 0; i < VERIFY_MAX_WORDS && report->words[i][0]; i++) json_string(j, NULL, report->words[i]);
  json_close(j, ']');
  json_count(j, "passed", report->total.passed);
  json_count(j, "failed", report->total.failed);
  json_count(j, "not_applicable", report->total.not_applicable);
  json_close(j, '}');
}

void verify_report_end(verify_report *report) {
  const verify_counts *total = &report->total;
  if (report->as_json) {
    end_json(report);
    return;
  }
  if (total->failed) puts("\nFirst failures:");
  for (int i = 0; i < VERIFY_MAX_WORDS && report->words[i][0]; i++) printf("  %s\n", report->words[i]);
  printf("\n%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " not applicable\n", total->passed, total->failed,
         total->not_applicable);
}
