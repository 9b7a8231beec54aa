/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_select.c @brief Compaction, runs of equal keys and sorts in `scanrt verify`: runs the cases on all
 * devices, counts and reports. */
#include "verify_select.h"

#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** Number of cases in each family. */
static const struct {
  uint64_t quick, usual;
} family_cases[FAMILIES] = { [FAMILY_COMPACTION] = { 210, 840 },
                             [FAMILY_RUNS] = { 60, 240 },
                             [FAMILY_SORTS] = { 144, 576 },
                             [FAMILY_SCANS] = { 200, 800 } };

/* ---- counting ---- */

static verify_cell *cell_of(verify_report *report, const scan_case *c, int device) {
  return &report->selections->cells[device][c->by][case_column(c)];
}

/** Records a failure. @param other  the device that it disagrees with, or -1 */
static void failure_note(verify_report *report, const scan_case *c, int device, int other, const char *words) {
  char beside[CLI_SELECTOR_BYTES + 16] = "";
  verify_failure *f = verify_new_failure(report, case_family_of(c->by), device, other);
  if (!f) return;
  f->n = c->n;
  f->seed = c->seed;
  f->in_place = c->in_place;
  case_to_line(c, f->name);
  snprintf(f->words, sizeof f->words, "%s", words);
  if (other >= 0) snprintf(beside, sizeof beside, " --device %s", report->devices[other].selector);
  snprintf(f->command, sizeof f->command, "scanrt verify --device %s%s%s --case '%s'", report->devices[device].selector,
           beside, report->request->may_give_up ? " --may-give-up" : "", f->name);
}

/** Counts a failure, and records the first one of a cell. */
static void count_failed(verify_report *report, const scan_case *c, int device, const char *words) {
  if (verify_count_failed(report, cell_of(report, c, device), device)) failure_note(report, c, device, -1, words);
}

/* ---- one case on one device ---- */

/** Returns the hash of a device's output, never 0. */
static uint64_t hash_of(const scan_case *c) {
  const uint64_t hash = case_hash(c);
  return hash ? hash : 1;
}

static scan_status run_on(verify_state *state, scan_case *c, int device, char reason[CASE_WORDS_BYTES]) {
  case_contexts *contexts = &state->report->selections->contexts[device];
  contexts->plain = state->report->devices[device].ctx;
  contexts->device = state->report->devices[device].selector;
  return case_run_on(contexts, c, reason);
}

/** Runs a case on a device. @return the hash of the result, or 0 if there is none */
static uint64_t run_one(verify_state *state, scan_case *c, int device) {
  verify_device *d = &state->report->devices[device];
  char reason[CASE_WORDS_BYTES] = "", words[320];
  if (d->info.flushes_denormals && case_has_denormals(c)) {
    snprintf(reason, sizeof reason, "%s flushes denormals to zero: what comes to some is left out", d->selector);
    verify_count_refused(state->report, cell_of(state->report, c, device), device, reason);
    return 0;
  }
  const scan_status status = run_on(state, c, device, reason);
  if (status == SCAN_UNSUPPORTED || (status == SCAN_NO_PROGRESS && state->report->request->may_give_up)) {
    verify_count_refused(state->report, cell_of(state->report, c, device), device, reason);
    return 0;
  }
  if (status != SCAN_SUCCESS) {
    snprintf(words, sizeof words, "%s: %.280s", scan_status_name(status), reason);
    count_failed(state->report, c, device, words);
    if (status != SCAN_DEVICE_ERROR) return 0;
    verify_select_leave(state->report, device);
    verify_lose_device(d);
    return 0;
  }
  case_difference(c, words, sizeof words);
  if (*words)
    count_failed(state->report, c, device, words);
  else
    verify_count_passed(state->report, cell_of(state->report, c, device), device);
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
      if (pair->different++ == 0) failure_note(report, c, b, a, words);
      report->disagreements++;
    }
}

static void count_case(verify_selections *s, const scan_case *c) {
  s->cases[case_family_of(c->by)]++;
  s->elements += c->items;
  s->bytes += c->in_bytes + c->out_bytes;
}

/** Runs a drawn or parsed case on all devices, then frees it. */
static int run_case(verify_state *state, scan_case *c) {
  verify_report *report = state->report;
  uint64_t hashes[CLI_MAX_DEVICES] = { 0 };
  const int failed = case_build(c);
  for (int d = 0; d < report->device_count && !failed; d++)
    if (report->devices[d].ctx) hashes[d] = run_one(state, c, d);
  if (!failed) count_case(report->selections, c);
  if (!failed) count_agreement(report, c, hashes);
  case_free(c);
  return failed ? cli_fail("no memory for a case of %s", case_by_name((int)c->by)) : CLI_OK;
}

int verify_select_case(verify_state *state, case_family family, uint64_t number) {
  const verify_request *r = state->report->request;
  const case_limits limits = { .seed = r->seed, .quick = r->quick, .large = r->large, .largest = r->largest };
  scan_case c;
  case_draw_number(&limits, family, number, &c);
  return run_case(state, &c);
}

void verify_select_leave(verify_report *report, int d) { case_contexts_close(&report->selections->contexts[d]); }

int verify_select_open(verify_report *report) {
  report->selections = calloc(1, sizeof *report->selections);
  if (!report->selections) return cli_fail("no memory for the report");
  return CLI_OK;
}

static int run_cases(verify_state *state, case_family family) {
  const verify_request *r = state->report->request;
  const uint64_t cases = r->quick ? family_cases[family].quick : family_cases[family].usual;
  const uint64_t first = r->has_case ? r->one_case : 0, count = r->has_case ? 1 : cases;
  progress bar;
  int rc = CLI_OK;
  progress_begin(&bar, case_family_name(family), count);
  for (uint64_t i = 0; i < count && rc == CLI_OK; i++) {
    rc = verify_select_case(state, family, first + i);
    progress_set(&bar, i);
  }
  progress_end(&bar);
  return rc;
}

int verify_select_run(verify_state *state) {
  verify_report *report = state->report;
  int rc = verify_select_open(report);
  if (rc == CLI_OK && report->request->line) {
    scan_case c = *report->request->line;
    rc = run_case(state, &c);
  }
  for (case_family family = FAMILY_COMPACTION; family < FAMILIES && rc == CLI_OK && !report->request->line; family++)
    if (verify_select_asks(report->request, family)) rc = run_cases(state, family);
  for (int d = 0; d < report->device_count && report->selections; d++) verify_select_leave(report, d);
  return rc;
}

static void merge_cell(verify_report *report, verify_cell *cell, const verify_report *other, const verify_cell *more) {
  verify_add(&cell->counts, &more->counts);
  if (!cell->reason && more->reason) cell->reason = verify_number_of_reason(report, other->reasons[more->reason - 1]);
}

static void merge_failure(verify_report *report, const verify_failure *failure) {
  verify_failure *f = failure->family == FAMILIES ? NULL : verify_new_failure(report, failure->family, 0, 0);
  if (f) *f = *failure;
}

void verify_select_merge(verify_report *report, const verify_report *other) {
  verify_selections *to = report->selections;
  const verify_selections *from = other->selections;
  for (int d = 0; d < report->device_count; d++)
    for (int by = 0; by < CASE_BYS; by++)
      for (int column = 0; column < CASE_COLUMNS; column++)
        merge_cell(report, &to->cells[d][by][column], other, &from->cells[d][by][column]);
  for (int i = 0; i < other->failure_count; i++) merge_failure(report, &other->failures[i]);
  for (int family = 0; family < FAMILIES; family++) to->cases[family] += from->cases[family];
  to->elements += from->elements;
  to->bytes += from->bytes;
}
