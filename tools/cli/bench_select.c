/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select.c @brief `scanrt bench --select`: goes through devices and cases. */
#define _POSIX_C_SOURCE 200809L
#include "bench_select.h"

#include <string.h>

static int make_predicate(select_lab *lab, uint32_t bytes) {
  const double begun = cli_seconds();
  const scan_status status = select_predicate_make(lab, bytes);
  if (lab->base.cold) lab->base.cold->source = 1e3 * (cli_seconds() - begun);
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->base.ctx, status, "cannot make the predicate");
}

/* ---- the plan ---- */

scan_type select_key_type(uint32_t bytes) {
  return bytes == 1 ? SCAN_U8 : bytes == 2 ? SCAN_U16 : bytes == 8 ? SCAN_U64 : SCAN_U32;
}

static scan_status make_select_plan(select_lab *lab, int in_place, scan_plan **plan) {
  const uint32_t by = lab->by == BENCH_SELECT_PAIR ? SCAN_SELECT_FIRST : lab->by;
  scan_select_spec spec = { .struct_bytes = sizeof spec, .by = (scan_select_by)by, .rest = lab->rest };
  spec.arrays = lab->payload->arrays;
  memcpy(spec.element_bytes, lab->payload->bytes, sizeof spec.element_bytes);
  if (!spec.arrays) spec.index_type = SCAN_U32;
  if (select_is_by_runs(lab->by) && !lab->predicate) spec.key_type = select_key_type(lab->looked_bytes);
  spec.predicate = lab->predicate;
  spec.in_place = (uint32_t)in_place;
  return scan_plan_create_select(lab->base.ctx, &spec, lab->n, plan);
}

static scan_status make_plan_of(select_lab *lab) {
  if (select_computes(lab->by)) return select_runs_plan(lab);
  return lab->by == BENCH_SELECT_PARTITION3 ? select_partition_plan(lab) : make_select_plan(lab, 0, &lab->plan);
}

static int make_plan(select_lab *lab) {
  const double begun = cli_seconds();
  scan_status status = make_plan_of(lab);
  if (lab->base.cold) lab->base.cold->plan = 1e3 * (cli_seconds() - begun);
  if (status == SCAN_SUCCESS && lab->request->in_place && select_runs_in_place(lab->by))
    status = make_select_plan(lab, 1, &lab->placed_plan);
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->base.ctx, status, lab->base.info.selector);
}

/* ---- one case ---- */

static double median_of(const select_lab *lab, const bench_subject *s) {
  return bench_evaluate(s, lab->base.request->reps).median_seconds;
}

/** The first right subject of a role, or NULL. */
static const bench_subject *first_of(const select_lab *lab, bench_role role) {
  for (size_t i = 0; i < lab->base.subject_count; i++)
    if (lab->base.subjects[i].role == role && !lab->base.subjects[i].wrong) return &lab->base.subjects[i];
  return NULL;
}

/** How long the limit, the copy or memcpy, takes for so many bytes. */
static double limit_seconds(const select_lab *lab, uint64_t bytes) {
  const bench_subject *copy = first_of(lab, BENCH_COPY);
  if (!copy) copy = first_of(lab, BENCH_MEMCPY);
  return copy ? median_of(lab, copy) * (double)bytes / (double)copy->bytes : 0;
}

static int report_subjects(const select_lab *lab, select_report *report) {
  const bench_subject *loop = first_of(lab, BENCH_LOOP), *peer = first_of(lab, BENCH_PEER);
  int rc = CLI_OK;
  for (size_t i = 0; i < lab->base.subject_count; i++) {
    const bench_subject *s = &lab->base.subjects[i];
    select_row row = { .role = s->role, .label = s->label, .bytes = s->bytes, .wrong = s->wrong };
    row.peer = peer ? peer->peer->name : "";
    if (s->wrong) {
      rc = CLI_FAILED;
    } else {
      row.time = bench_evaluate(s, lab->base.request->reps);
      row.limit_ratio = limit_seconds(lab, s->bytes) / row.time.median_seconds;
      if (loop) row.loop_ratio = median_of(lab, loop) / row.time.median_seconds;
      if (peer) row.peer_ratio = median_of(lab, peer) / row.time.median_seconds;
    }
    select_report_row(report, lab, &row);
  }
  return rc;
}

/** The plan's first two runs. */
static int measure_cold_case(select_lab *lab) {
  lab->base.mode = BENCH_EAGER;
  int rc = select_subjects_list(lab);
  if (rc == CLI_OK) rc = bench_cold_run(&lab->base);
  select_subjects_clear(lab);
  return rc;
}

static int measure_case(select_lab *lab, const select_share *share, select_report *report) {
  int rc = CLI_OK;
  lab->share = share;
  if (select_data_fill(lab) != CLI_OK) return CLI_FAILED;
  if (lab->base.cold) return measure_cold_case(lab);
  for (int mode = BENCH_EAGER; mode <= BENCH_GRAPH; mode++) {
    if (!lab->base.request->modes[mode] || !bench_mode_runs(&lab->base, (bench_mode)mode)) continue;
    lab->base.mode = (bench_mode)mode;
    int one = select_subjects_list(lab);
    if (one == CLI_OK) one = bench_measure(&lab->base);
    if (one == CLI_OK) one = report_subjects(lab, report);
    select_subjects_clear(lab);
    if (one != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

/* ---- sweeps ---- */

/** All shares, or lengths of runs, of one n. */
static int measure_size(select_lab *lab, uint64_t n, select_report *report) {
  const select_request *r = lab->request;
  const int by_runs = select_is_by_runs(lab->by);
  const select_share *shares = by_runs ? r->runs : r->shares;
  const size_t count = by_runs ? r->run_count : r->share_count;
  lab->n = n;
  int rc = select_data_make(lab);
  if (rc == CLI_OK) rc = make_plan(lab);
  const int made = rc == CLI_OK;
  for (size_t i = 0; i < count && made; i++)
    if (measure_case(lab, &shares[i], report) != CLI_OK) rc = CLI_FAILED;
  scan_plan_destroy(lab->placed_plan);
  scan_plan_destroy(lab->plan);
  lab->plan = lab->placed_plan = NULL;
  select_data_clear(lab);
  return rc;
}

static int measure_payload(select_lab *lab, const select_payload *payload, select_report *report) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  lab->payload = payload;
  if (select_has_threshold(lab->by) || lab->by == BENCH_SELECT_PAIR)
    rc = make_predicate(lab, payload->arrays ? payload->bytes[0] : 4);
  const int made = rc == CLI_OK;
  for (size_t i = 0; i < r->size_count && made; i++)
    if (measure_size(lab, r->sizes[i], report) != CLI_OK) rc = CLI_FAILED;
  scan_op_destroy(lab->predicate);
  lab->predicate = NULL;
  return rc;
}

/** Values of each type by each operator; of others than reductions the payload alone. */
static int measure_values(select_lab *lab, const select_payload *payload, select_report *report) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  if (lab->by != BENCH_SELECT_REDUCE) return measure_payload(lab, payload, report);
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++) {
      lab->base.spec = (scan_spec)SCAN_SPEC_INIT(r->types[t], r->ops[o], SCAN_INCLUSIVE);
      if (measure_payload(lab, payload, report) != CLI_OK) rc = CLI_FAILED;
    }
  return rc;
}

/** In the order of the help: what keeps, the rest, the payload. */
static int measure_device(select_lab *lab, select_report *report) {
  static const uint32_t order[] = { SCAN_SELECT_PREDICATE,   SCAN_SELECT_FLAGS,        SCAN_SELECT_BITS,
                                    SCAN_SELECT_FIRST,       SCAN_SELECT_LAST,         BENCH_SELECT_PAIR,
                                    BENCH_SELECT_PARTITION3, BENCH_SELECT_RUN_LENGTHS, BENCH_SELECT_REDUCE };
  const select_request *r = lab->request;
  int rc = CLI_OK;
  for (size_t b = 0; b < sizeof order / sizeof order[0]; b++)
    for (int rest = 0; rest < SELECT_RESTS && r->by[order[b]]; rest++)
      for (size_t p = 0; p < r->payload_count && r->rest[rest]; p++) {
        lab->by = order[b];
        lab->rest = lab->by == BENCH_SELECT_PARTITION3 ? SCAN_REST_APART : (scan_select_rest)rest;
        if (measure_values(lab, &r->payloads[p], report) != CLI_OK) rc = CLI_FAILED;
      }
  return rc;
}

/** @param cold, peers, report  of the first alone, or of the others */
static int measure_on(const select_request *r, const char *selector, bench_cold_times *cold, const bench_peers *peers,
                      select_report *report) {
  static const bench_judge judge = { select_poison, select_check };
  select_lab lab = { .base = { .request = &r->base, .loaded = peers, .judge = &judge, .cold = cold }, .request = r };
  int rc = bench_lab_open(&lab.base, selector);
  if (rc == CLI_OK) rc = measure_device(&lab, report);
  bench_lab_close(&lab.base);
  return rc;
}

static int measure_cold_on(const bench_request *base, const char *selector, bench_cold_times *times) {
  return measure_on((const select_request *)base, selector, times, NULL, NULL);
}

static int measure_cold(const select_request *r) {
  bench_report report;
  int rc = bench_report_begin(&report, &r->base);
  if (rc != CLI_OK) return rc;
  for (size_t d = 0; d < r->base.devices.count; d++)
    if (bench_cold(&r->base, r->base.devices.selector[d], &report, measure_cold_on) != CLI_OK) rc = CLI_FAILED;
  return bench_report_end(&report) == CLI_OK ? rc : CLI_FAILED;
}

static int measure(const select_request *r) {
  select_report report;
  bench_peers peers = { .count = 0 };
  int rc = select_report_begin(&report, r);
  if (rc != CLI_OK) return rc;
  bench_peers_load(&r->base, &peers);
  for (size_t d = 0; d < r->base.devices.count; d++)
    if (measure_on(r, r->base.devices.selector[d], NULL, &peers, &report) != CLI_OK) rc = CLI_FAILED;
  return select_report_end(&report) == CLI_OK ? rc : CLI_FAILED;
}

int bench_select(int argc, char **argv) {
  select_request request;
  int rc = select_parse(argc, argv, &request);
  if (rc == CLI_HELP) return select_print_help();
  if (rc == CLI_OK) rc = request.base.cold ? measure_cold(&request) : measure(&request);
  const int flushed = cli_flush_output();
  return rc != CLI_OK ? rc : flushed;
}
