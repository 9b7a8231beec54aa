/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_lines.c @brief Fills the columns of a measured case: times and ratios between its subjects. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>

enum { TITLE_BYTES = 256 };

static const char *const mode_names[] = { [BENCH_EAGER] = "eager", [BENCH_GRAPH] = "graph", [BENCH_HOST] = "host" };
static const char *const role_names[] = {
  [BENCH_SCAN] = "scan",       [BENCH_COPY] = "copy",     [BENCH_PEER] = "peer",
  [BENCH_LOOP] = "plain loop", [BENCH_MEMCPY] = "memcpy", [BENCH_EMPTY] = "launch"
};

const char *bench_mode_name(bench_mode mode) { return mode_names[mode]; }
const char *bench_kind_name(scan_kind kind) { return kind == SCAN_EXCLUSIVE ? "exclusive" : "inclusive"; }

/* ---- comparisons ---- */

/** Returns the median of a subject; 0 if it is missing or wrong. */
static double median_of(const bench_subject *s) {
  return s && !s->wrong ? bench_evaluate(s, s->lab->request->reps).median_seconds : 0;
}

/** Returns the first subject of a role that is not wrong, or NULL. */
static const bench_subject *first_of(const bench_lab *lab, bench_role role) {
  for (size_t i = 0; i < lab->subject_count; i++)
    if (lab->subjects[i].role == role && !lab->subjects[i].wrong) return &lab->subjects[i];
  return NULL;
}

/** Returns the first plain scan that is not wrong, or NULL. */
static const bench_subject *plain_scan(const bench_lab *lab) {
  for (size_t i = 0; i < lab->subject_count; i++)
    if (lab->subjects[i].manner == BENCH_PLAIN && !lab->subjects[i].wrong) return &lab->subjects[i];
  return NULL;
}

/** 1 if another variant of the same peer was faster. */
static int is_outdone(const bench_lab *lab, const bench_subject *s) {
  if (!s->peer || s->wrong) return 0;
  for (size_t i = 0; i < lab->subject_count; i++) {
    const bench_subject *other = &lab->subjects[i];
    if (other == s || other->peer != s->peer || other->wrong) continue;
    const double theirs = median_of(other), own = median_of(s);
    if (theirs < own || (theirs <= own && other < s)) return 1;
  }
  return 0;
}

/** Returns the fastest variant of the first peer, or NULL. */
static const bench_subject *first_peer(const bench_lab *lab) {
  const bench_subject *first = first_of(lab, BENCH_PEER), *s = first;
  for (size_t i = 0; i < lab->subject_count; i++) {
    const bench_subject *other = &lab->subjects[i];
    if (first && other->peer == first->peer && !other->wrong && !is_outdone(lab, other)) s = other;
  }
  return s;
}

/** Returns the limit's time for `bytes` bytes: that of a copy of the same size, else of the first copy or memcpy in
 * proportion. */
static double limit_seconds(const bench_lab *lab, uint64_t bytes) {
  const bench_subject *copy = first_of(lab, BENCH_COPY);
  for (size_t i = 0; i < lab->subject_count; i++)
    if (lab->subjects[i].role == BENCH_COPY && lab->subjects[i].bytes == bytes) return median_of(&lab->subjects[i]);
  if (!copy) copy = first_of(lab, BENCH_MEMCPY);
  return copy ? median_of(copy) * (double)bytes / (double)copy->bytes : 0;
}

/* ---- lines ---- */

/** Returns other / own, or NaN (an absent column) if there is no other time. */
static double ratio(double other, double own) { return other > 0 ? other / own : NAN; }

/** Fills the times of a subject that is not wrong. */
static void fill_times(const bench_subject *s, bench_row *row) {
  const bench_lab *lab = s->lab;
  const bench_result time = bench_evaluate(s, lab->request->reps);
  const bench_subject *peer = first_peer(lab);
  const double median = time.median_seconds, empty = median_of(first_of(lab, BENCH_EMPTY));
  row->median = median;
  row->spread = time.spread;
  row->least = time.least_seconds;
  if (empty > 0) row->over_empty = median - empty;
  if (lab->mode == BENCH_HOST) return;
  row->bytes_per_s = median > 0 ? (double)s->bytes / median : 0;
  row->limit_ratio = ratio(limit_seconds(lab, s->bytes), median);
  row->loop_ratio = ratio(median_of(first_of(lab, BENCH_LOOP)), median);
  row->one_ratio = ratio(bench_beside_median(lab, s), median);
  row->plain_ratio = ratio(median_of(plain_scan(lab)), median);
  if (!peer) return;
  row->peer = peer->peer->name;
  row->peer_ratio = ratio(median_of(peer), median);
}

/** Returns the columns of the case's table. */
static unsigned shown_of(const bench_lab *lab) {
  if (lab->mode == BENCH_HOST) return BENCH_SHOWS_HOST;
  return BENCH_SHOWS_RATE | (first_of(lab, BENCH_LOOP) ? BENCH_SHOWS_LOOP : 0) |
         (lab->request->has_beside ? BENCH_SHOWS_ONE : 0) | (plain_scan(lab) ? BENCH_SHOWS_PLAIN : 0) |
         (first_peer(lab) ? BENCH_SHOWS_PEER : 0) | (lab->request->gallery ? BENCH_SHOWS_COST : 0);
}

void bench_describe(const bench_lab *lab, char *text, size_t bytes) {
  const scan_device_info *info = &lab->info;
  const bench_request *r = lab->request;
  char what[TITLE_BYTES], beside[BENCH_LABEL_BYTES];
  lab->family->describe(lab, what, sizeof what);
  bench_beside_words(r, beside, sizeof beside);
  snprintf(text, bytes, "%s: %s; %s\n%s; medians of %" PRIu64 "%s\n", info->selector, info->name, info->driver, what,
           r->reps, beside);
}

void bench_row_fill(const bench_lab *lab, bench_row *row) {
  bench_row_start(row);
  row->device = lab->info.selector;
  row->device_name = lab->info.name;
  row->driver = lab->info.driver;
  row->reps = lab->request->reps;
  row->n = lab->n;
}

int bench_report_case(const bench_lab *lab) {
  const bench_subject *peer = first_peer(lab);
  char caption[BENCH_CAPTION_BYTES], title[TITLE_BYTES];
  int rc = CLI_OK;
  lab->family->describe(lab, title, sizeof title);
  bench_describe(lab, caption, sizeof caption);
  for (size_t i = 0; i < lab->subject_count; i++) {
    const bench_subject *s = &lab->subjects[i];
    bench_row row;
    if (s->wrong) rc = CLI_FAILED;
    if (is_outdone(lab, s) || (lab->family->is_reported && !lab->family->is_reported(s))) continue;
    bench_row_fill(lab, &row);
    row.what = s->label;
    row.series = s->series;
    row.title = title;
    row.role = role_names[s->role];
    row.mode = mode_names[lab->mode];
    row.bytes = s->bytes;
    row.correct = !s->wrong;
    row.shown = shown_of(lab);
    row.peer_head = peer ? peer->peer->name : NULL;
    if (!s->wrong) fill_times(s, &row);
    lab->family->fill(s, &row);
    if (lab->sheet) bench_sheet_write(lab->sheet, &row, caption);
  }
  return rc;
}
