/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_select.c @brief Compaction, runs of equal keys and sorts in `scanrt verify`: runs the cases on all
 * devices, counts and reports. */
#include "verify_select.h"

#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** How many cases a family has, what reports call it, and the head of its table. */
static const struct {
  uint64_t quick_cases, cases;
  const char *type, *head;
} families[FAMILIES] = { [FAMILY_COMPACTION] = { 210, 840, "compaction", "compaction by" },
                         [FAMILY_RUNS] = { 60, 240, "compaction", "compaction by" },
                         [FAMILY_SORTS] = { 144, 576, "sort", "sort of" },
                         [FAMILY_SCANS] = { 200, 800, "random", "random" } };

static const int order[] = { SCAN_SELECT_FLAGS, SCAN_SELECT_BITS, SCAN_SELECT_PREDICATE,
                             SCAN_SELECT_FIRST, SCAN_SELECT_LAST, CASE_PAIR,
                             CASE_PARTITION3,   CASE_RUN_LENGTHS, CASE_REDUCE,
                             CASE_SORT_KEYS,    CASE_SORT_PAIRS,  CASE_ARGSORT,
                             CASE_SCAN,         CASE_SOURCE,      CASE_ARRAY,
                             CASE_STREAM,       CASE_DIFFERENCE,  CASE_HISTOGRAM };
enum { ORDER_COUNT = sizeof order / sizeof order[0] };

static case_family family_in_order(int b) { return case_family_of((uint32_t)order[b]); }

/* ---- counting ---- */

static verify_cell *cell_of(verify_report *report, const scan_case *c, int device) {
  return &report->selections->cells[device][c->by][case_column(c)];
}

static void count_passed(verify_report *report, const scan_case *c, int device) {
  cell_of(report, c, device)->counts.passed++;
  report->devices[device].total.passed++;
  report->total.passed++;
}

static void count_refused(verify_report *report, const scan_case *c, int device, const char *reason) {
  verify_cell *cell = cell_of(report, c, device);
  cell->counts.not_applicable++;
  report->devices[device].total.not_applicable++;
  report->total.not_applicable++;
  if (!cell->reason) cell->reason = verify_number_of_reason(report, reason);
}

/** @param other  -1, or the device that it disagrees with */
static void note(verify_report *report, const scan_case *c, int device, int other, const char *words) {
  verify_selections *s = report->selections;
  const verify_request *r = report->request;
  char beside[CLI_SELECTOR_BYTES + 16] = "", line[CASE_LINE_BYTES];
  if (s->failure_count == VERIFY_MAX_FAILURES) {
    report->failures_left_out++;
    return;
  }
  case_failure *f = &s->failures[s->failure_count++];
  *f = (case_failure){ .device = device, .other = other, .n = c->n, .seed = c->seed };
  f->family = case_family_of(c->by);
  f->in_place = c->in_place;
  case_to_line(c, line);
  snprintf(f->name, sizeof f->name, "%s", line);
  snprintf(f->words, sizeof f->words, "%s", words);
  if (other >= 0) snprintf(beside, sizeof beside, " --device %s", report->devices[other].selector);
  snprintf(f->command, sizeof f->command, "scanrt verify --device %s%s%s --case '%s'", report->devices[device].selector,
           beside, r->may_give_up ? " --may-give-up" : "", line);
}

/** The first failure of a cell is kept. */
static void count_failed(verify_report *report, const scan_case *c, int device, const char *words) {
  report->devices[device].total.failed++;
  report->total.failed++;
  if (cell_of(report, c, device)->counts.failed++ == 0) note(report, c, device, -1, words);
}

/* ---- one case on one device ---- */

/** FNV-1a of what a device wrote, never 0. */
static uint64_t hash_of(const scan_case *c) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (uint64_t i = 0; i < c->out_bytes; i++) hash = (hash ^ c->got[i]) * UINT64_C(0x100000001b3);
  return hash ? hash : 1;
}

static scan_status run_on(verify_lab *lab, scan_case *c, int device, char reason[CASE_WORDS_BYTES]) {
  case_contexts *contexts = &lab->report->selections->contexts[device];
  contexts->plain = lab->report->devices[device].ctx;
  contexts->device = lab->report->devices[device].selector;
  return case_run_on(contexts, c, reason);
}

/** @return the hash of the result, or 0 where there is none */
static uint64_t run_one(verify_lab *lab, scan_case *c, int device) {
  verify_device *d = &lab->report->devices[device];
  char reason[CASE_WORDS_BYTES] = "", words[320];
  if (d->info.flushes_denormals && case_has_denormals(c)) {
    snprintf(reason, sizeof reason, "%s flushes denormals to zero: what comes to some is left out", d->selector);
    count_refused(lab->report, c, device, reason);
    return 0;
  }
  const scan_status status = run_on(lab, c, device, reason);
  if (status == SCAN_UNSUPPORTED || (status == SCAN_NO_PROGRESS && lab->report->request->may_give_up)) {
    count_refused(lab->report, c, device, reason);
    return 0;
  }
  if (status != SCAN_SUCCESS) {
    snprintf(words, sizeof words, "%s: %.280s", scan_status_name(status), reason);
    count_failed(lab->report, c, device, words);
    if (status != SCAN_DEVICE_ERROR) return 0;
    verify_select_leave(lab->report, device);
    verify_lose_device(d);
    return 0;
  }
  case_difference(c, words, sizeof words);
  if (*words)
    count_failed(lab->report, c, device, words);
  else
    count_passed(lab->report, c, device);
  return hash_of(c);
}

/* ---- all ---- */

static void count_agreement(verify_report *report, const scan_case *c, const uint64_t *hashes) {
  char words[128];
  for (int a = 0; a < report->device_count; a++)
    for (int b = a + 1; b < report->device_count; b++) {
      verify_agreement *pair = &report->agreement[a * report->device_count + b];
      if (!hashes[a] || !hashes[b]) continue;
      pair->compared++;
      if (hashes[a] == hashes[b]) continue;
      snprintf(words, sizeof words, "disagrees with %.64s", report->devices[a].selector);
      if (pair->different++ == 0) note(report, c, b, a, words);
      report->disagreements++;
    }
}

static void count_case(verify_selections *s, const scan_case *c) {
  s->cases[case_family_of(c->by)]++;
  s->elements += c->items;
  s->bytes += c->in_bytes + c->out_bytes;
}

/** A case that was drawn or read, on all devices. Frees it. */
static int run_case(verify_lab *lab, scan_case *c) {
  verify_report *report = lab->report;
  uint64_t hashes[CLI_MAX_DEVICES] = { 0 };
  const int failed = case_build(c);
  for (int d = 0; d < report->device_count && !failed; d++)
    if (report->devices[d].ctx) hashes[d] = run_one(lab, c, d);
  if (!failed) count_case(report->selections, c);
  if (!failed) count_agreement(report, c, hashes);
  case_free(c);
  return failed ? cli_fail("no memory for a case of %s", case_by_name((int)c->by)) : CLI_OK;
}

int verify_select_case(verify_lab *lab, case_family family, uint64_t number) {
  const verify_request *r = lab->report->request;
  const case_limits limits = { .seed = r->seed, .quick = r->quick, .large = r->large, .largest = r->largest };
  scan_case c;
  case_draw_number(&limits, family, number, &c);
  return run_case(lab, &c);
}

void verify_select_leave(verify_report *report, int d) { case_contexts_close(&report->selections->contexts[d]); }

int verify_select_open(verify_report *report) {
  report->selections = calloc(1, sizeof *report->selections);
  if (!report->selections) return cli_fail("no memory for the report");
  return CLI_OK;
}

static int run_cases(verify_lab *lab, case_family family) {
  const verify_request *r = lab->report->request;
  const uint64_t cases = r->quick ? families[family].quick_cases : families[family].cases;
  const uint64_t first = r->has_case ? r->one_case : 0, count = r->has_case ? 1 : cases;
  progress bar;
  int rc = CLI_OK;
  progress_begin(&bar, case_family_name(family), count);
  for (uint64_t i = 0; i < count && rc == CLI_OK; i++) {
    rc = verify_select_case(lab, family, first + i);
    progress_set(&bar, i);
  }
  progress_end(&bar);
  return rc;
}

int verify_select_run(verify_lab *lab) {
  verify_report *report = lab->report;
  int rc = verify_select_open(report);
  if (rc == CLI_OK && report->request->line) {
    scan_case c = *report->request->line;
    rc = run_case(lab, &c);
  }
  for (case_family family = FAMILY_COMPACTION; family < FAMILIES && rc == CLI_OK && !report->request->line; family++)
    if (verify_select_asks(report->request, family)) rc = run_cases(lab, family);
  for (int d = 0; d < report->device_count && report->selections; d++) verify_select_leave(report, d);
  return rc;
}

static void merge_cell(verify_report *report, verify_cell *cell, const verify_report *other, const verify_cell *more) {
  verify_add(&cell->counts, &more->counts);
  if (!cell->reason && more->reason) cell->reason = verify_number_of_reason(report, other->reasons[more->reason - 1]);
}

static void merge_failure(verify_report *report, const case_failure *failure) {
  verify_selections *s = report->selections;
  if (s->failure_count == VERIFY_MAX_FAILURES)
    report->failures_left_out++;
  else
    s->failures[s->failure_count++] = *failure;
}

void verify_select_merge(verify_report *report, const verify_report *other) {
  verify_selections *to = report->selections;
  const verify_selections *from = other->selections;
  for (int d = 0; d < report->device_count; d++)
    for (int by = 0; by < CASE_BYS; by++)
      for (int column = 0; column < CASE_COLUMNS; column++)
        merge_cell(report, &to->cells[d][by][column], other, &from->cells[d][by][column]);
  for (int i = 0; i < from->failure_count; i++) merge_failure(report, &from->failures[i]);
  for (int family = 0; family < FAMILIES; family++) to->cases[family] += from->cases[family];
  to->elements += from->elements;
  to->bytes += from->bytes;
}

/* ---- reports ---- */

static void print_cell(const verify_cell *cell) {
  char text[64] = "-";
  const uint64_t ran = cell->counts.passed + cell->counts.failed;
  if (cell->counts.failed)
    snprintf(text, sizeof text, "FAIL %" PRIu64 "/%" PRIu64, cell->counts.failed, ran);
  else if (ran)
    snprintf(text, sizeof text, "pass %" PRIu64, ran);
  else if (cell->counts.not_applicable)
    snprintf(text, sizeof text, "n/a [%d]", cell->reason);
  printf("  %-12s", text);
}

/** The family under whose head a row stands. */
static case_family table_of(int b) {
  const case_family family = family_in_order(b);
  return family == FAMILY_RUNS ? FAMILY_COMPACTION : family;
}

static void print_rows(const verify_report *report, int width, case_family table, int d) {
  for (int b = 0; b < ORDER_COUNT; b++) {
    if (table_of(b) != table || !verify_select_asks(report->request, family_in_order(b))) continue;
    printf("%-*s  %-14s", width, report->devices[d].selector, case_by_name(order[b]));
    for (int column = 0; column < CASE_COLUMNS && case_column_name(table, column); column++)
      print_cell(&report->selections->cells[d][order[b]][column]);
    putchar('\n');
  }
}

static void print_table(const verify_report *report, int width, case_family table) {
  printf("%-*s  %-14s", width, "device", families[table].head);
  for (int column = 0; column < CASE_COLUMNS && case_column_name(table, column); column++)
    printf("  %-12s", case_column_name(table, column));
  putchar('\n');
  for (int d = 0; d < report->device_count; d++) print_rows(report, width, table, d);
}

void verify_select_text(const verify_report *report) {
  const verify_request *r = report->request;
  int width = (int)strlen("device"), printed = report->pair_count;
  if (!report->selections) return;
  for (int d = 0; d < report->device_count; d++)
    if ((int)strlen(report->devices[d].selector) > width) width = (int)strlen(report->devices[d].selector);
  for (case_family table = FAMILY_COMPACTION; table < FAMILIES; table++) {
    const int asked =
        verify_select_asks(r, table) || (table == FAMILY_COMPACTION && verify_select_asks(r, FAMILY_RUNS));
    if (table == FAMILY_RUNS || !asked) continue;
    if (printed++) putchar('\n');
    print_table(report, width, table);
  }
}

int verify_select_has_failures(const verify_report *report) {
  return report->selections && report->selections->failure_count;
}

void verify_select_print_failures(const verify_report *report) {
  for (int i = 0; report->selections && i < report->selections->failure_count; i++) {
    const case_failure *f = &report->selections->failures[i];
    printf("  %s: %s, %s: %s\n    %s\n", report->devices[f->device].selector, families[f->family].type, f->name,
           f->words, f->command);
  }
}

static void json_row(json *j, const verify_report *report, int d, int by, int column) {
  const case_family family = case_family_of((uint32_t)by);
  const verify_cell *cell = &report->selections->cells[d][by][column];
  if (!cell->counts.passed && !cell->counts.failed && !cell->counts.not_applicable) return;
  json_open(j, NULL, '{');
  json_string(j, "device", report->devices[d].selector);
  json_count(j, "device_number", (uint64_t)d);
  json_string(j, "type", families[family].type);
  json_string(j, "operator", case_by_name(by));
  json_string(j, "strategy", case_column_name(family, column));
  json_count(j, "passed", cell->counts.passed);
  json_count(j, "failed", cell->counts.failed);
  json_count(j, "not_applicable", cell->counts.not_applicable);
  if (cell->reason) json_string(j, "reason", report->reasons[cell->reason - 1]);
  json_close(j, '}');
}

void verify_select_json_rows(json *j, const verify_report *report) {
  for (int d = 0; report->selections && d < report->device_count; d++)
    for (int b = 0; b < ORDER_COUNT; b++)
      for (int column = 0; column < CASE_COLUMNS; column++) json_row(j, report, d, order[b], column);
}

void verify_select_json_failures(json *j, const verify_report *report) {
  for (int i = 0; report->selections && i < report->selections->failure_count; i++) {
    const case_failure *f = &report->selections->failures[i];
    json_open(j, NULL, '{');
    json_string(j, "device", report->devices[f->device].selector);
    if (f->other >= 0) json_string(j, "disagrees_with", report->devices[f->other].selector);
    json_string(j, "case", f->name);
    json_string(j, "words", f->words);
    json_count(j, "n", f->n);
    json_bool(j, "in_place", f->in_place);
    json_count(j, "seed", f->seed);
    json_string(j, "command", f->command);
    json_close(j, '}');
  }
}
