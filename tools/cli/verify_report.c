/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_report.c @brief Reports of `scanrt verify`: the table and text, the JSON, and the HTML page. */
#define _POSIX_C_SOURCE 200809L
#include "verify.h"
#include "verify_select.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* ---- the tables ---- */

enum { CELL_CHARACTERS = 12 };

/** Names of the families in reports, and headings of their tables. */
static const struct {
  const char *type, *head;
} families[FAMILIES] = { [FAMILY_COMPACTION] = { "compaction", "compaction by" },
                         [FAMILY_RUNS] = { "compaction", "compaction by" },
                         [FAMILY_SORTS] = { "sort", "sort of" },
                         [FAMILY_SCANS] = { "random", "random" } };

/** Rows of these tables, in order. */
static const int order[] = { SCAN_SELECT_FLAGS, SCAN_SELECT_BITS, SCAN_SELECT_PREDICATE,
                             SCAN_SELECT_FIRST, SCAN_SELECT_LAST, CASE_PAIR,
                             CASE_PARTITION3,   CASE_RUN_LENGTHS, CASE_REDUCE,
                             CASE_SORT_KEYS,    CASE_SORT_PAIRS,  CASE_ARGSORT,
                             CASE_SCAN,         CASE_SOURCE,      CASE_ARRAY,
                             CASE_STREAM,       CASE_DIFFERENCE,  CASE_HISTOGRAM };
enum { ORDER_COUNT = sizeof order / sizeof order[0] };

static int device_width(const verify_report *report) {
  size_t width = strlen("device");
  for (int d = 0; d < report->device_count; d++) {
    const size_t length = strlen(report->devices[d].selector);
    if (length > width) width = length;
  }
  return (int)width;
}

static int column_width(const verify_report *report, int s) {
  const int length = (int)strlen(scan_strategy_name(report->strategies[s]));
  return length > CELL_CHARACTERS ? length : CELL_CHARACTERS;
}

void verify_text_head(const verify_report *report) {
  for (int d = 0; d < report->device_count; d++) {
    const verify_device *device = &report->devices[d];
    printf("%-*s  %s, %s\n", device_width(report), device->selector,
           device->ctx ? device->info.name : "could not be opened", device->info.driver);
  }
  putchar('\n');
  if (report->pair_count == 0) return;
  printf("%-*s  %-8s  %-3s", device_width(report), "device", "type", "op");
  for (int s = 0; s < report->strategy_count; s++)
    printf("  %-*s", column_width(report, s), scan_strategy_name(report->strategies[s]));
  putchar('\n');
}

static void print_cell(const verify_cell *cell, int width) {
  char text[64];
  const uint64_t ran = cell->counts.passed + cell->counts.failed;
  if (cell->counts.failed)
    snprintf(text, sizeof text, "FAIL %" PRIu64 "/%" PRIu64, cell->counts.failed, ran);
  else if (ran)
    snprintf(text, sizeof text, "pass %" PRIu64, ran);
  else if (cell->counts.not_applicable)
    snprintf(text, sizeof text, "n/a [%d]", cell->reason);
  else
    snprintf(text, sizeof text, "-");
  printf("  %-*s", width, text);
}

/** Prints a table row. @param op  0: all operators in one row */
static void print_row(const verify_report *report, int device, int pair, int op) {
  printf("%-*s  %-8s  %-3s", device_width(report), report->devices[device].selector, report->pairs[pair].name,
         op ? scan_op_name((scan_op_id)op) : "all");
  for (int s = 0; s < report->strategy_count; s++) {
    const verify_cell cell = verify_sum(report, device, pair, op, s);
    print_cell(&cell, column_width(report, s));
  }
  putchar('\n');
}

static verify_counts row_counts(const verify_report *report, int device, int pair, int op) {
  verify_counts sum = { 0, 0, 0 };
  for (int s = 0; s < report->strategy_count; s++) {
    const verify_cell cell = verify_sum(report, device, pair, op, s);
    verify_add(&sum, &cell.counts);
  }
  return sum;
}

/** Prints a row for all operators and one for each operator that failed; with by_operator one for each. */
void verify_text_pair(const verify_report *report, int pair) {
  for (int d = 0; d < report->device_count; d++) {
    if (!report->request->by_operator) print_row(report, d, pair, 0);
    for (int op = SCAN_ADD; op < VERIFY_OPS; op++) {
      const verify_counts sum = row_counts(report, d, pair, op);
      const int ran = sum.passed || sum.failed || sum.not_applicable;
      if (sum.failed || (report->request->by_operator && ran)) print_row(report, d, pair, op);
    }
  }
  fflush(stdout);
}

/** Returns the family whose table has row b. */
static case_family table_of(int b) {
  const case_family family = case_family_of((uint32_t)order[b]);
  return family == FAMILY_RUNS ? FAMILY_COMPACTION : family;
}

static void print_rows(const verify_report *report, case_family table, int d) {
  for (int b = 0; b < ORDER_COUNT; b++) {
    if (table_of(b) != table || !verify_select_asks(report->request, case_family_of((uint32_t)order[b]))) continue;
    printf("%-*s  %-14s", device_width(report), report->devices[d].selector, case_by_name(order[b]));
    for (int column = 0; column < CASE_COLUMNS && case_column_name(table, column); column++)
      print_cell(&report->selections->cells[d][order[b]][column], CELL_CHARACTERS);
    putchar('\n');
  }
}

static void print_table(const verify_report *report, case_family table) {
  printf("%-*s  %-14s", device_width(report), "device", families[table].head);
  for (int column = 0; column < CASE_COLUMNS && case_column_name(table, column); column++)
    printf("  %-*s", CELL_CHARACTERS, case_column_name(table, column));
  putchar('\n');
  for (int d = 0; d < report->device_count; d++) print_rows(report, table, d);
}

void verify_text_families(const verify_report *report) {
  const verify_request *r = report->request;
  int printed = report->pair_count;
  for (case_family table = FAMILY_COMPACTION; table < FAMILIES && report->selections; table++) {
    const int asked =
        verify_select_asks(r, table) || (table == FAMILY_COMPACTION && verify_select_asks(r, FAMILY_RUNS));
    if (table == FAMILY_RUNS || !asked) continue;
    if (printed++) putchar('\n');
    print_table(report, table);
  }
}

static void print_agreement(const verify_report *report) {
  const int width = device_width(report);
  if (report->device_count > 1) puts("\nDevice against device, bit for bit:");
  for (int a = 0; a < report->device_count; a++)
    for (int b = a + 1; b < report->device_count; b++) {
      const verify_agreement *pair = &report->agreement[a * report->device_count + b];
      printf("  %-*s  %-*s  ", width, report->devices[a].selector, width, report->devices[b].selector);
      if (pair->different)
        printf("DISAGREE in %" PRIu64 " of %" PRIu64 " cases\n", pair->different, pair->compared);
      else if (pair->compared)
        printf("the same in %" PRIu64 " cases\n", pair->compared);
      else
        puts("no case that both ran");
    }
}

static void print_failures(const verify_report *report) {
  if (report->failure_count) puts("\nFirst failures of each device, type, operator and strategy:");
  for (int i = 0; i < report->failure_count; i++) {
    const verify_failure *f = &report->failures[i];
    const char *const type = f->family == FAMILIES ? "" : families[f->family].type;
    printf("  %s: %s%s%s: %s\n    %s\n", report->devices[f->device].selector, type, *type ? ", " : "", f->name,
           f->words, f->command);
  }
  if (report->failures_left_out) printf("  and %" PRIu64 " more\n", report->failures_left_out);
}

void verify_text_end(const verify_report *report) {
  const verify_counts *total = &report->total;
  print_agreement(report);
  if (report->reason_count) puts("\nNot applicable (n/a), and cases left out of a cell:");
  for (int i = 0; i < report->reason_count; i++) printf("  [%d] %s\n", i + 1, report->reasons[i]);
  print_failures(report);
  verify_soak_text(report);
  printf("\n%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " not applicable, %" PRIu64 " disagreements\n",
         total->passed, total->failed, total->not_applicable, report->disagreements);
}

/* ---- JSON ---- */

static void json_counts(json *j, const verify_counts *counts) {
  json_count(j, "passed", counts->passed);
  json_count(j, "failed", counts->failed);
  json_count(j, "not_applicable", counts->not_applicable);
}

static void json_devices(json *j, const verify_report *report) {
  json_open(j, "devices", '[');
  for (int d = 0; d < report->device_count; d++) {
    const verify_device *device = &report->devices[d];
    json_open(j, NULL, '{');
    json_string(j, "device", device->selector);
    json_string(j, "name", device->info.name);
    json_string(j, "vendor", device->info.vendor);
    json_string(j, "driver", device->info.driver);
    json_string(j, "backend", scan_backend_name(device->info.backend));
    json_count(j, "memory_bytes", device->info.memory_bytes);
    json_count(j, "compute_units", device->info.compute_units);
    json_bool(j, "has_fp64", (int)device->info.has_fp64);
    json_bool(j, "has_int64_atomics", (int)device->info.has_int64_atomics);
    json_bool(j, "has_fair_progress", (int)device->info.has_fair_progress);
    json_bool(j, "flushes_denormals", (int)device->info.flushes_denormals);
    json_counts(j, &device->total);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void json_cell(json *j, const verify_report *report, const verify_cell *cell, int d,
                      const char *const names[3]) {
  if (!cell->counts.passed && !cell->counts.failed && !cell->counts.not_applicable) return;
  json_open(j, NULL, '{');
  json_string(j, "device", report->devices[d].selector);
  json_count(j, "device_number", (uint64_t)d); /* selectors may be given twice */
  json_string(j, "type", names[0]);
  json_string(j, "operator", names[1]);
  json_string(j, "strategy", names[2]);
  json_counts(j, &cell->counts);
  if (cell->reason) json_string(j, "reason", report->reasons[cell->reason - 1]);
  json_close(j, '}');
}

static void json_pair(json *j, const verify_report *report, int d, int pair) {
  for (int op = SCAN_ADD; op < VERIFY_OPS; op++)
    for (int s = 0; s < report->strategy_count; s++) {
      const char *const names[] = { report->pairs[pair].name, scan_op_name((scan_op_id)op),
                                    scan_strategy_name(report->strategies[s]) };
      json_cell(j, report, verify_cell_of(report, d, pair, op, s), d, names);
    }
}

static void json_family_row(json *j, const verify_report *report, int d, int by) {
  const case_family family = case_family_of((uint32_t)by);
  for (int column = 0; column < CASE_COLUMNS; column++) {
    const char *const names[] = { families[family].type, case_by_name(by), case_column_name(family, column) };
    json_cell(j, report, &report->selections->cells[d][by][column], d, names);
  }
}

static void json_cells(json *j, const verify_report *report) {
  json_open(j, "rows", '[');
  for (int d = 0; d < report->device_count; d++)
    for (int pair = 0; pair < report->pair_count; pair++) json_pair(j, report, d, pair);
  for (int d = 0; d < report->device_count && report->selections; d++)
    for (int b = 0; b < ORDER_COUNT; b++) json_family_row(j, report, d, order[b]);
  json_close(j, ']');
}

static void json_agreement(json *j, const verify_report *report) {
  json_open(j, "agreement", '[');
  for (int a = 0; a < report->device_count; a++)
    for (int b = a + 1; b < report->device_count; b++) {
      const verify_agreement *pair = &report->agreement[a * report->device_count + b];
      json_open(j, NULL, '{');
      json_string(j, "device", report->devices[a].selector);
      json_string(j, "other", report->devices[b].selector);
      json_count(j, "compared", pair->compared);
      json_count(j, "different", pair->different);
      json_close(j, '}');
    }
  json_close(j, ']');
}

static void json_failures(json *j, const verify_report *report) {
  json_open(j, "failures", '[');
  for (int i = 0; i < report->failure_count; i++) {
    const verify_failure *f = &report->failures[i];
    json_open(j, NULL, '{');
    json_string(j, "device", report->devices[f->device].selector);
    if (f->other >= 0) json_string(j, "disagrees_with", report->devices[f->other].selector);
    json_string(j, "case", f->name);
    json_string(j, "words", f->words);
    json_count(j, "n", f->n);
    json_bool(j, "in_place", f->in_place);
    json_count(j, "seed", f->seed);
    if (f->has_element) {
      json_count(j, "index", f->at);
      json_string(j, "expected", f->expected);
      json_string(j, "found", f->found);
    }
    json_string(j, "command", f->command);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void json_date(json *j) {
  char text[32] = "";
  const time_t now = time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts)) strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  json_string(j, "date", text);
}

void verify_json(const verify_report *report, FILE *file) {
  json j = { .file = file };
  json_open(&j, NULL, '{');
  json_string(&j, "version", scan_version());
  json_date(&j);
  json_string(&j, "sizes", report->request->quick ? "quick" : report->request->large ? "large" : "usual");
  json_count(&j, "seed", report->request->seed);
  verify_soak_json(&j, report);
  json_devices(&j, report);
  json_cells(&j, report);
  json_agreement(&j, report);
  json_failures(&j, report);
  json_count(&j, "failures_left_out", report->failures_left_out);
  json_count(&j, "disagreements", report->disagreements);
  json_counts(&j, &report->total);
  json_close(&j, '}');
}

/* ---- the HTML page: a template whose script draws the JSON ---- */

static const char page[] = {
#include "verify_page.inc"
};

void verify_html(const verify_report *report, FILE *file) {
  static const char mark[] = "@REPORT@";
  const char *at = strstr(page, mark);
  fwrite(page, 1, (size_t)(at - page), file);
  verify_json(report, file);
  fputs(at + strlen(mark), file);
}
