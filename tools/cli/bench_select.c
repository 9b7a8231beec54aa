/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select.c @brief `scanrt bench --select`: goes through devices and cases. */
#define _POSIX_C_SOURCE 200809L
#include "bench_beside.h"
#include "bench_select.h"

#include <string.h>

static int make_predicate(select_lab *lab, uint32_t bytes) {
  const double begun = cli_seconds();
  const scan_status status = select_predicate_make(lab, bytes);
  if (lab->base.cold) lab->base.cold->source = 1e3 * (cli_seconds() - begun);
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->base.ctx, status, "cannot make the predicate");
}

/** Exchanges context, predicate and plan with those of one thread, so that what is made next is made there. */
static void swap_one(select_lab *lab) {
  scan_op *const predicate = lab->predicate;
  scan_plan *const plan = lab->plan;
  bench_beside_swap(&lab->base);
  lab->predicate = lab->one_predicate;
  lab->one_predicate = predicate;
  lab->plan = lab->one_plan;
  lab->one_plan = plan;
}

/** Calls make(lab, bytes), and again in the context of one thread where there is one. */
static int make_both(select_lab *lab, int (*make)(select_lab *, uint32_t), uint32_t bytes) {
  int rc = make(lab, bytes);
  if (rc != CLI_OK || !lab->base.one) return rc;
  swap_one(lab);
  rc = make(lab, bytes);
  swap_one(lab);
  return rc;
}

/* ---- the plan ---- */

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

static int make_plan(select_lab *lab, uint32_t bytes) {
  (void)bytes;
  const double begun = cli_seconds();
  scan_status status = make_plan_of(lab);
  if (lab->base.cold) lab->base.cold->plan = 1e3 * (cli_seconds() - begun);
  if (status == SCAN_SUCCESS && lab->request->base.also_in_place && select_runs_in_place(lab->by) && !lab->placed_plan)
    status = make_select_plan(lab, 1, &lab->placed_plan);
  return bench_forward(&lab->base, status);
}

/* ---- one case ---- */

static bench_cold_way measure_cold_on;
static int measure_on(const bench_request *base, const char *selector, bench_cold_times *cold, const bench_peers *peers,
                      bench_sheet *sheet);

static const bench_family family = {
  .columns = &select_columns, .list = select_subjects_list, .measure = measure_on, .cold = measure_cold_on
};

static int measure_case(select_lab *lab, const select_share *share, bench_sheet *sheet) {
  lab->share = share;
  if (select_data_fill(lab) != CLI_OK) return CLI_FAILED;
  return bench_family_case(&family, &lab->base, sheet);
}

/* ---- sweeps ---- */

/** All shares, or lengths of runs, of one n. */
static int measure_size(select_lab *lab, uint64_t n, bench_sheet *sheet) {
  const select_request *r = lab->request;
  const int by_runs = select_is_by_runs(lab->by);
  const select_share *shares = by_runs ? r->runs : r->shares;
  const size_t count = by_runs ? r->run_count : r->share_count;
  lab->n = n;
  int rc = select_data_make(lab);
  if (rc == CLI_OK) rc = make_both(lab, make_plan, 0);
  const int made = rc == CLI_OK;
  for (size_t i = 0; i < count && made; i++)
    if (measure_case(lab, &shares[i], sheet) != CLI_OK) rc = CLI_FAILED;
  scan_plan_destroy(lab->placed_plan);
  scan_plan_destroy(lab->one_plan);
  scan_plan_destroy(lab->plan);
  lab->plan = lab->one_plan = lab->placed_plan = NULL;
  select_data_clear(lab);
  return rc;
}

static int measure_payload(select_lab *lab, const select_payload *payload, bench_sheet *sheet) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  lab->payload = payload;
  if (select_has_threshold(lab->by) || lab->by == BENCH_SELECT_PAIR)
    rc = make_both(lab, make_predicate, payload->arrays ? payload->bytes[0] : 4);
  const int made = rc == CLI_OK;
  for (size_t i = 0; i < r->size_count && made; i++)
    if (measure_size(lab, r->sizes[i], sheet) != CLI_OK) rc = CLI_FAILED;
  scan_op_destroy(lab->one_predicate);
  scan_op_destroy(lab->predicate);
  lab->predicate = lab->one_predicate = NULL;
  return rc;
}

/** Values of each type by each operator; of others than reductions the payload alone. */
static int measure_values(select_lab *lab, const select_payload *payload, bench_sheet *sheet) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  if (lab->by != BENCH_SELECT_REDUCE) return measure_payload(lab, payload, sheet);
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++) {
      lab->base.spec = (scan_spec)SCAN_SPEC_INIT(r->types[t], r->ops[o], SCAN_INCLUSIVE);
      if (measure_payload(lab, payload, sheet) != CLI_OK) rc = CLI_FAILED;
    }
  return rc;
}

/** In the order of the help: what keeps, the rest, the payload. */
static int measure_device(select_lab *lab, bench_sheet *sheet) {
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
        if (measure_values(lab, &r->payloads[p], sheet) != CLI_OK) rc = CLI_FAILED;
      }
  return rc;
}

/** @param cold, peers, sheet  of the first alone, or of the others */
static int measure_on(const bench_request *base, const char *selector, bench_cold_times *cold, const bench_peers *peers,
                      bench_sheet *sheet) {
  static const bench_judge judge = { select_poison, select_check };
  const select_request *r = (const select_request *)base;
  select_lab lab = { .base = { .request = base, .loaded = peers, .judge = &judge, .cold = cold }, .request = r };
  int rc = bench_lab_open(&lab.base, selector);
  if (rc == CLI_OK) rc = measure_device(&lab, sheet);
  bench_lab_close(&lab.base);
  return rc;
}

static int measure_cold_on(const bench_request *base, const char *selector, bench_cold_times *times) {
  return measure_on(base, selector, times, NULL, NULL);
}

int bench_select(int argc, char **argv, const bench_choice *choices) {
  select_request request;
  int rc = select_parse(argc, argv, choices, &request);
  if (rc == CLI_HELP) return select_print_help();
  if (rc == CLI_OK) rc = bench_family_run(&family, &request.base);
  const int flushed = cli_flush_output();
  return rc != CLI_OK ? rc : flushed;
}
