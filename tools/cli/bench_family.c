/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_family.c @brief What `scanrt bench --select` and `--sort` have in common. */
#define _POSIX_C_SOURCE 200809L
#include "bench_beside.h"
#include "bench_family.h"

#include <string.h>

/* ---- subjects ---- */

bench_subject *bench_family_subject(bench_lab *lab, bench_role role, int (*start)(bench_subject *, uint64_t),
                                    uint64_t bytes, const char *label) {
  bench_subject *s = &lab->subjects[lab->subject_count++];
  memset(s, 0, sizeof *s);
  s->lab = lab;
  s->role = role;
  s->start = start;
  s->expect = BENCH_EXPECT_SEQUENTIAL; /* bit for bit */
  s->bytes = bytes;
  snprintf(s->label, sizeof s->label, "%s", label);
  return s;
}

static double median_of(const bench_lab *lab, const bench_subject *s) {
  return bench_evaluate(s, lab->request->reps).median_seconds;
}

/** The first right subject of a role, or NULL. */
static const bench_subject *first_of(const bench_lab *lab, bench_role role) {
  for (size_t i = 0; i < lab->subject_count; i++)
    if (lab->subjects[i].role == role && !lab->subjects[i].wrong) return &lab->subjects[i];
  return NULL;
}

/** Whether another way of the same peer was faster. */
static int is_outdone(const bench_lab *lab, const bench_subject *s) {
  if (!s->peer || s->wrong) return 0;
  for (size_t i = 0; i < lab->subject_count; i++) {
    const bench_subject *other = &lab->subjects[i];
    if (other == s || other->peer != s->peer || other->wrong) continue;
    const double theirs = median_of(lab, other), own = median_of(lab, s);
    if (theirs < own || (theirs <= own && other < s)) return 1;
  }
  return 0;
}

/** The fastest way of the first peer, or NULL. */
static const bench_subject *first_peer(const bench_lab *lab) {
  const bench_subject *first = first_of(lab, BENCH_PEER), *s = first;
  for (size_t i = 0; i < lab->subject_count; i++) {
    const bench_subject *other = &lab->subjects[i];
    if (first && other->peer == first->peer && !other->wrong && !is_outdone(lab, other)) s = other;
  }
  return s;
}

/* ---- lines ---- */

/** How long the limit, the copy or memcpy, takes for so many bytes. */
static double limit_seconds(const bench_lab *lab, uint64_t bytes) {
  const bench_subject *copy = first_of(lab, BENCH_COPY);
  if (!copy) copy = first_of(lab, BENCH_MEMCPY);
  return copy ? median_of(lab, copy) * (double)bytes / (double)copy->bytes : 0;
}

static int report_subjects(const bench_family *family, const bench_lab *lab, bench_sheet *sheet) {
  const bench_subject *loop = first_of(lab, BENCH_LOOP), *peer = first_peer(lab);
  int rc = CLI_OK;
  for (size_t i = 0; i < lab->subject_count; i++) {
    const bench_subject *s = &lab->subjects[i];
    bench_line line = { .role = s->role, .label = s->label, .bytes = s->bytes, .wrong = s->wrong };
    line.peer = peer ? peer->peer->name : "";
    if (s->wrong) rc = CLI_FAILED;
    if (is_outdone(lab, s)) continue;
    if (!s->wrong) {
      line.time = bench_evaluate(s, lab->request->reps);
      line.limit_ratio = limit_seconds(lab, s->bytes) / line.time.median_seconds;
      if (loop) line.loop_ratio = median_of(lab, loop) / line.time.median_seconds;
      line.one_ratio = bench_beside_median(lab, s) / line.time.median_seconds;
      if (peer) line.peer_ratio = median_of(lab, peer) / line.time.median_seconds;
    }
    bench_line_write(family->columns, sheet, lab, &line);
  }
  return rc;
}

/* ---- cases and devices ---- */

static int cold_case(const bench_family *family, bench_lab *lab) {
  lab->mode = BENCH_EAGER;
  int rc = family->list(lab);
  if (rc == CLI_OK) rc = bench_cold_run(lab);
  bench_subjects_clear(lab);
  return rc;
}

int bench_family_case(const bench_family *family, bench_lab *lab, bench_sheet *sheet) {
  int rc = CLI_OK;
  if (lab->cold) return cold_case(family, lab);
  for (int mode = BENCH_EAGER; mode <= BENCH_GRAPH; mode++) {
    if (!lab->request->modes[mode] || !bench_mode_runs(lab, (bench_mode)mode)) continue;
    lab->mode = (bench_mode)mode;
    int one = family->list(lab);
    if (one == CLI_OK) one = bench_measure(lab);
    if (one == CLI_OK) one = report_subjects(family, lab, sheet);
    bench_subjects_clear(lab);
    if (one != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

static int run_cold(const bench_family *family, const bench_request *r) {
  bench_report report;
  int rc = bench_report_begin(&report, r);
  if (rc != CLI_OK) return rc;
  for (size_t d = 0; d < r->devices.count; d++)
    if (bench_cold(r, r->devices.selector[d], &report, family->cold) != CLI_OK) rc = CLI_FAILED;
  return bench_report_end(&report) == CLI_OK ? rc : CLI_FAILED;
}

int bench_family_run(const bench_family *family, const bench_request *r) {
  bench_sheet sheet;
  bench_peers peers = { .count = 0 };
  if (r->cold) return run_cold(family, r);
  char csv_head[512];
  bench_csv_columns(family->columns, csv_head, sizeof csv_head);
  int rc = bench_sheet_open(&sheet, csv_head, r);
  if (rc != CLI_OK) return rc;
  bench_peers_load(r, &peers);
  for (size_t d = 0; d < r->devices.count; d++)
    if (family->measure(r, r->devices.selector[d], NULL, &peers, &sheet) != CLI_OK) rc = CLI_FAILED;
  return bench_sheet_close(&sheet) == CLI_OK ? rc : CLI_FAILED;
}

/* ---- the command line ---- */

int bench_family_check(const char *command, const bench_request *r) {
  if (r->no_peers && r->peer_count) return cli_usage(command, "--peer and --no-peers exclude each other");
  if (r->as_json && r->csv && !strcmp(r->csv, "-")) return cli_usage(command, "--json and --csv - exclude each other");
  return bench_check_beside(command, r);
}
