/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort.c @brief `scanrt bench --sort`: goes through devices and cases. */
#define _POSIX_C_SOURCE 200809L
#include "bench_sort.h"

/* ---- the plan ---- */

static scan_sort_spec spec_of(const bench_sort_case *sort) {
  const scan_type indices = sort->value_bytes == 8 ? SCAN_U64 : SCAN_U32;
  switch (sort->what) {
  case BENCH_SORT_KEYS: return (scan_sort_spec)SCAN_SORT_SPEC_INIT(sort->key_type);
  case BENCH_SORT_ARGSORT: return (scan_sort_spec)SCAN_SORT_INDEX_INIT(sort->key_type, indices);
  default: return (scan_sort_spec)SCAN_SORT_PAIRS_INIT(sort->key_type, sort->value_bytes);
  }
}

static int make_plan(sorting_lab *lab) {
  const scan_sort_spec spec = spec_of(&lab->sort);
  const double begun = cli_seconds();
  const scan_status status = scan_plan_create_sort(lab->base.ctx, &spec, lab->n, &lab->plan);
  if (lab->base.cold) lab->base.cold->plan = 1e3 * (cli_seconds() - begun);
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->base.ctx, status, lab->base.info.selector);
}

/* ---- one case ---- */

static double median_of(const sorting_lab *lab, const bench_subject *s) {
  return bench_evaluate(s, lab->base.request->reps).median_seconds;
}

/** The first right subject of a role, or NULL. */
static const bench_subject *first_of(const sorting_lab *lab, bench_role role) {
  for (size_t i = 0; i < lab->base.subject_count; i++)
    if (lab->base.subjects[i].role == role && !lab->base.subjects[i].wrong) return &lab->base.subjects[i];
  return NULL;
}

/** Whether another way of the same peer was faster. */
static int is_outdone(const sorting_lab *lab, const bench_subject *s) {
  if (!s->peer || s->wrong) return 0;
  for (size_t i = 0; i < lab->base.subject_count; i++) {
    const bench_subject *other = &lab->base.subjects[i];
    if (other == s || other->peer != s->peer || other->wrong) continue;
    const double theirs = median_of(lab, other), own = median_of(lab, s);
    if (theirs < own || (theirs <= own && other < s)) return 1;
  }
  return 0;
}

/** The fastest way of the first peer, or NULL. */
static const bench_subject *first_peer(const sorting_lab *lab) {
  const bench_subject *first = first_of(lab, BENCH_PEER), *s = first;
  for (size_t i = 0; i < lab->base.subject_count; i++) {
    const bench_subject *other = &lab->base.subjects[i];
    if (first && other->peer == first->peer && !other->wrong && !is_outdone(lab, other)) s = other;
  }
  return s;
}

/** How long the limit, the copy or memcpy, takes for so many bytes. */
static double limit_seconds(const sorting_lab *lab, uint64_t bytes) {
  const bench_subject *copy = first_of(lab, BENCH_COPY);
  if (!copy) copy = first_of(lab, BENCH_MEMCPY);
  return copy ? median_of(lab, copy) * (double)bytes / (double)copy->bytes : 0;
}

static int report_subjects(const sorting_lab *lab, sorting_report *report) {
  const bench_subject *loop = first_of(lab, BENCH_LOOP), *peer = first_peer(lab);
  int rc = CLI_OK;
  for (size_t i = 0; i < lab->base.subject_count; i++) {
    const bench_subject *s = &lab->base.subjects[i];
    sorting_row row = { .role = s->role, .label = s->label, .bytes = s->bytes, .wrong = s->wrong };
    row.peer = peer ? peer->peer->name : "";
    if (s->wrong) rc = CLI_FAILED;
    if (is_outdone(lab, s)) continue;
    if (!s->wrong) {
      row.time = bench_evaluate(s, lab->base.request->reps);
      row.limit_ratio = limit_seconds(lab, s->bytes) / row.time.median_seconds;
      if (loop) row.loop_ratio = median_of(lab, loop) / row.time.median_seconds;
      if (peer) row.peer_ratio = median_of(lab, peer) / row.time.median_seconds;
    }
    sorting_report_row(report, lab, &row);
  }
  return rc;
}

/** The plan's first two runs. */
static int measure_cold_case(sorting_lab *lab) {
  lab->base.mode = BENCH_EAGER;
  int rc = sorting_subjects_list(lab);
  if (rc == CLI_OK) rc = bench_cold_run(&lab->base);
  sorting_subjects_clear(lab);
  return rc;
}

static int measure_case(sorting_lab *lab, sorting_shape shape, sorting_report *report) {
  int rc = CLI_OK;
  lab->shape = shape;
  if (sorting_data_fill(lab) != CLI_OK) return CLI_FAILED;
  if (lab->base.cold) return measure_cold_case(lab);
  for (int mode = BENCH_EAGER; mode <= BENCH_GRAPH; mode++) {
    if (!lab->base.request->modes[mode] || !bench_mode_runs(&lab->base, (bench_mode)mode)) continue;
    lab->base.mode = (bench_mode)mode;
    int one = sorting_subjects_list(lab);
    if (one == CLI_OK) one = bench_measure(&lab->base);
    if (one == CLI_OK) one = report_subjects(lab, report);
    sorting_subjects_clear(lab);
    if (one != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

/* ---- sweeps ---- */

/** All shapes of one n. */
static int measure_size(sorting_lab *lab, uint64_t n, sorting_report *report) {
  lab->n = lab->sort.n = n;
  int rc = sorting_data_make(lab);
  if (rc == CLI_OK) rc = make_plan(lab);
  const int made = rc == CLI_OK;
  for (int shape = 0; shape < SORTING_SHAPES && made; shape++)
    if (lab->request->shapes[shape] && measure_case(lab, (sorting_shape)shape, report) != CLI_OK) rc = CLI_FAILED;
  scan_plan_destroy(lab->plan);
  lab->plan = NULL;
  sorting_data_clear(lab);
  return rc;
}

static int measure_sizes(sorting_lab *lab, uint32_t what, uint32_t value_bytes, sorting_report *report) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  for (size_t t = 0; t < r->type_count; t++) {
    lab->sort = (bench_sort_case){ .what = what, .key_type = r->types[t], .value_bytes = value_bytes };
    lab->key_bytes = (uint32_t)scan_type_bytes(r->types[t]);
    for (size_t i = 0; i < r->size_count; i++)
      if (measure_size(lab, r->sizes[i], report) != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

/** What is written, in the order of the help, and of what bytes. */
static int measure_device(sorting_lab *lab, sorting_report *report) {
  const sorting_request *r = lab->request;
  int rc = CLI_OK;
  for (uint32_t what = 0; what < BENCH_SORTS; what++) {
    const int has_values = what != BENCH_SORT_KEYS;
    for (size_t p = 0; p < (has_values ? r->payload_count : 1) && r->what[what]; p++)
      if (measure_sizes(lab, what, has_values ? r->payloads[p] : 0, report) != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

/** @param cold, peers, report  of the first alone, or of the others */
static int measure_on(const sorting_request *r, const char *selector, bench_cold_times *cold, const bench_peers *peers,
                      sorting_report *report) {
  static const bench_judge judge = { sorting_poison, sorting_check };
  sorting_lab lab = { .base = { .request = &r->base, .loaded = peers, .judge = &judge, .cold = cold }, .request = r };
  int rc = bench_lab_open(&lab.base, selector);
  if (rc == CLI_OK) rc = measure_device(&lab, report);
  bench_lab_close(&lab.base);
  return rc;
}

static int measure_cold_on(const bench_request *base, const char *selector, bench_cold_times *times) {
  return measure_on((const sorting_request *)base, selector, times, NULL, NULL);
}

static int measure_cold(const sorting_request *r) {
  bench_report report;
  int rc = bench_report_begin(&report, &r->base);
  if (rc != CLI_OK) return rc;
  for (size_t d = 0; d < r->base.devices.count; d++)
    if (bench_cold(&r->base, r->base.devices.selector[d], &report, measure_cold_on) != CLI_OK) rc = CLI_FAILED;
  return bench_report_end(&report) == CLI_OK ? rc : CLI_FAILED;
}

static int measure(const sorting_request *r) {
  sorting_report report;
  bench_peers peers = { .count = 0 };
  int rc = sorting_report_begin(&report, r);
  if (rc != CLI_OK) return rc;
  bench_peers_load(&r->base, &peers);
  for (size_t d = 0; d < r->base.devices.count; d++)
    if (measure_on(r, r->base.devices.selector[d], NULL, &peers, &report) != CLI_OK) rc = CLI_FAILED;
  return sorting_report_end(&report) == CLI_OK ? rc : CLI_FAILED;
}

int bench_sort(int argc, char **argv) {
  sorting_request request;
  int rc = sorting_parse(argc, argv, &request);
  if (rc == CLI_HELP) return sorting_print_help();
  if (rc == CLI_OK) rc = request.base.cold ? measure_cold(&request) : measure(&request);
  const int flushed = cli_flush_output();
  return rc != CLI_OK ? rc : flushed;
}
