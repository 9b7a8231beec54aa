/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_soak.c @brief `scanrt verify --soak`: random cases on several threads until the time is over. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"
#include "verify_select.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
  RENEW_CASES = 256, /**< Cases after which a thread closes its devices and opens them again. */
  TURN = 8
};

/** The order in which families take turns. */
static const case_family turn[TURN] = { FAMILY_SCANS, FAMILY_COMPACTION, FAMILY_SCANS, FAMILY_SORTS,
                                        FAMILY_SCANS, FAMILY_RUNS,       FAMILY_SCANS, FAMILY_SORTS };

/** State shared by all threads. */
typedef struct soak {
  const verify_request *request;
  case_family families[TURN]; /**< Requested families of a turn, in order. */
  uint64_t family_count;
  double ends;
  _Atomic uint64_t next; /**< Index of the next case to run. */
  progress bar;
} soak;

/** A thread with its own devices and counts. */
typedef struct worker {
  soak *shared;
  verify_state *state;
  pthread_t thread;
  int rc;
} worker;

/* ---- cases ---- */

/** Maps a case's index to its family and its number there. The numbers of each family ascend by one. */
static case_family find_case(const soak *s, uint64_t index, uint64_t *number) {
  const uint64_t at = index % s->family_count;
  const case_family family = s->families[at];
  uint64_t in_turn = 0, before = 0;
  for (uint64_t i = 0; i < s->family_count; i++) {
    in_turn += s->families[i] == family;
    before += i < at && s->families[i] == family;
  }
  *number = index / s->family_count * in_turn + before;
  return family;
}

/** Renews the contexts. Devices that could not be opened or were lost stay closed. */
static void renew_devices(verify_state *state) {
  verify_report *report = state->report;
  for (int d = 0; d < report->device_count; d++) {
    verify_device *device = &report->devices[d];
    if (!device->ctx) continue;
    verify_select_leave(report, d);
    verify_lose_device(device);
    if (verify_open_device(state, device) == CLI_OK) continue;
    device->total.failed++;
    report->total.failed++;
  }
}

static int has_device(const verify_report *report) {
  for (int d = 0; d < report->device_count; d++)
    if (report->devices[d].ctx) return 1;
  return 0;
}

static void *work(void *of) {
  worker *w = of;
  soak *s = w->shared;
  for (uint64_t done = 1; w->rc == CLI_OK && has_device(w->state->report) && cli_seconds() < s->ends; done++) {
    const uint64_t index = atomic_fetch_add(&s->next, 1);
    uint64_t number = 0;
    if (s->request->most_cases && index >= s->request->most_cases) break;
    const case_family family = find_case(s, index, &number);
    w->rc = verify_select_case(w->state, family, number);
    if (done % RENEW_CASES == 0) renew_devices(w->state);
    progress_set(&s->bar, index);
  }
  return NULL;
}

/* ---- threads ---- */

/** Opens a thread's devices. @return CLI_OK if the thread can run; close it in both cases */
static int open_worker(worker *w, soak *s) {
  w->shared = s;
  w->state = calloc(1, sizeof *w->state);
  if (w->state) w->state->report = calloc(1, sizeof *w->state->report);
  if (!w->state || !w->state->report) return cli_fail("no memory for the report");
  int rc = verify_report_init(w->state->report, s->request);
  if (rc == CLI_OK) rc = verify_open(w->state);
  return rc == CLI_OK ? verify_select_open(w->state->report) : rc;
}

static void close_worker(worker *w) {
  verify_report *report = w->state ? w->state->report : NULL;
  for (int d = 0; report && report->selections && d < report->device_count; d++) verify_select_leave(report, d);
  if (report) verify_close(w->state);
  if (report) verify_report_free(report);
  free(report);
  free(w->state);
}

static void soak_merge(verify_report *report, const verify_report *other) {
  verify_add(&report->total, &other->total);
  report->disagreements += other->disagreements;
  report->failures_left_out += other->failures_left_out;
  for (int d = 0; d < report->device_count; d++) verify_add(&report->devices[d].total, &other->devices[d].total);
  for (int pair = 0; pair < report->device_count * report->device_count; pair++) {
    report->agreement[pair].compared += other->agreement[pair].compared;
    report->agreement[pair].different += other->agreement[pair].different;
  }
  verify_select_merge(report, other);
}

static int run_threads(soak *s, verify_report *report, worker *workers, uint64_t count) {
  uint64_t opened = 0, started = 0;
  int rc = CLI_OK;
  for (; opened < count && rc == CLI_OK; opened++) rc = open_worker(&workers[opened], s);
  for (; started < count && rc == CLI_OK; started += rc == CLI_OK)
    if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0)
      rc = cli_fail("cannot start thread %" PRIu64, started);
  for (uint64_t i = 0; i < started; i++) {
    pthread_join(workers[i].thread, NULL);
    if (rc == CLI_OK) rc = workers[i].rc;
    soak_merge(report, workers[i].state->report);
  }
  for (uint64_t i = 0; i < opened; i++) close_worker(&workers[i]);
  return rc;
}

int verify_soak(verify_state *state) {
  verify_report *report = state->report;
  const verify_request *r = report->request;
  const double begun = cli_seconds();
  soak s = { .request = r, .ends = begun + 60 * r->soak_minutes };
  worker *workers = calloc((size_t)r->threads, sizeof *workers);
  int rc = verify_select_open(report);
  for (int i = 0; i < TURN; i++)
    if (verify_select_asks(r, turn[i])) s.families[s.family_count++] = turn[i];
  if (!workers) rc = cli_fail("no memory for the threads");
  progress_begin(&s.bar, "soak", 0);
  if (rc == CLI_OK) rc = run_threads(&s, report, workers, r->threads);
  progress_end(&s.bar);
  for (int d = 0; report->selections && d < report->device_count; d++) verify_select_leave(report, d);
  report->soaked_seconds = cli_seconds() - begun;
  free(workers);
  return rc;
}

/* ---- reports ---- */

static uint64_t case_count(const verify_selections *s) {
  uint64_t sum = 0;
  for (int family = 0; family < FAMILIES; family++) sum += s->cases[family];
  return sum;
}

void verify_soak_text(const verify_report *report) {
  const verify_selections *s = report->selections;
  if (report->soaked_seconds <= 0 || !s) return;
  printf("\nSoaked for %.0f s, %" PRIu64 " thread%s, seed %" PRIu64 ": %" PRIu64 " cases (", report->soaked_seconds,
         report->request->threads, report->request->threads == 1 ? "" : "s", report->request->seed, case_count(s));
  for (case_family family = FAMILY_COMPACTION; family < FAMILIES; family++)
    printf("%s%s %" PRIu64, family ? ", " : "", case_family_name(family), s->cases[family]);
  printf(") of %" PRIu64 " elements, %" PRIu64 " bytes\n", s->elements, s->bytes);
}

void verify_soak_json(json *j, const verify_report *report) {
  const verify_selections *s = report->selections;
  if (report->soaked_seconds <= 0 || !s) return;
  json_open(j, "soak", '{');
  json_count(j, "seconds", (uint64_t)report->soaked_seconds);
  json_count(j, "threads", report->request->threads);
  json_count(j, "cases", case_count(s));
  for (case_family family = FAMILY_COMPACTION; family < FAMILIES; family++)
    json_count(j, case_family_name(family), s->cases[family]);
  json_count(j, "elements", s->elements);
  json_count(j, "bytes", s->bytes);
  json_close(j, '}');
}
