/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select.c @brief `scanrt bench --select`: visits the cases of a device, and fills their columns. */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"
#include "bench_select.h"

#include <inttypes.h>
#include <string.h>

static int make_predicate(select_lab *lab, uint32_t bytes) {
  const double begun = cli_seconds();
  const scan_status status = select_predicate_make(lab, bytes);
  if (lab->base.cold) lab->base.cold->source = cli_seconds() - begun;
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->base.ctx, status, "cannot make the predicate");
}

/** Swaps context, predicate and plan with those of one thread, so that the next objects are created there. */
static void swap_one(select_lab *lab) {
  scan_op *const predicate = lab->predicate;
  scan_plan *const plan = lab->plan;
  bench_beside_swap(&lab->base);
  lab->predicate = lab->one_predicate;
  lab->one_predicate = predicate;
  lab->plan = lab->one_plan;
  lab->one_plan = plan;
}

/** Calls make(lab, bytes), and again in the one-thread context if there is one. */
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
  if (lab->base.cold) lab->base.cold->plan = cli_seconds() - begun;
  if (status == SCAN_SUCCESS && lab->request->base.also_in_place && select_runs_in_place(lab->by) && !lab->placed_plan)
    status = make_select_plan(lab, 1, &lab->placed_plan);
  return bench_forward(&lab->base, status);
}

/* ---- one case ---- */

static int measure_case(select_lab *lab, const select_share *share) {
  lab->share = share;
  if (select_data_fill(lab) != CLI_OK) return CLI_FAILED;
  return bench_case(&lab->base, BENCH_EAGER, BENCH_GRAPH);
}

/* ---- sweeps ---- */

/** Measures all shares, or lengths of runs, at one n. */
static int measure_size(select_lab *lab, uint64_t n) {
  const select_request *r = lab->request;
  const int by_runs = select_is_by_runs(lab->by);
  const select_share *shares = by_runs ? r->runs : r->shares;
  const size_t count = by_runs ? r->run_count : r->share_count;
  lab->n = n;
  int rc = select_data_make(lab);
  if (rc == CLI_OK) rc = make_both(lab, make_plan, 0);
  const int made = rc == CLI_OK;
  for (size_t i = 0; i < count && made; i++)
    if (measure_case(lab, &shares[i]) != CLI_OK) rc = CLI_FAILED;
  scan_plan_destroy(lab->placed_plan);
  scan_plan_destroy(lab->one_plan);
  scan_plan_destroy(lab->plan);
  lab->plan = lab->one_plan = lab->placed_plan = NULL;
  select_data_clear(lab);
  return rc;
}

static int measure_payload(select_lab *lab, const select_payload *payload) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  lab->payload = payload;
  if (select_has_threshold(lab->by) || lab->by == BENCH_SELECT_PAIR)
    rc = make_both(lab, make_predicate, payload->arrays ? payload->bytes[0] : 4);
  const int made = rc == CLI_OK;
  for (size_t i = 0; i < r->size_count && made; i++)
    if (measure_size(lab, r->sizes[i]) != CLI_OK) rc = CLI_FAILED;
  scan_op_destroy(lab->one_predicate);
  scan_op_destroy(lab->predicate);
  lab->predicate = lab->one_predicate = NULL;
  return rc;
}

/** Measures values of each type by each operator; without a reduction only the payload. */
static int measure_values(select_lab *lab, const select_payload *payload) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  if (lab->by != BENCH_SELECT_REDUCE) return measure_payload(lab, payload);
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++) {
      lab->base.spec = (scan_spec)SCAN_SPEC_INIT(r->types[t], r->ops[o], SCAN_INCLUSIVE);
      if (measure_payload(lab, payload) != CLI_OK) rc = CLI_FAILED;
    }
  return rc;
}

/** Measures all cases in the order of the help: by criterion, rest, payload. */
static int measure(bench_lab *base) {
  static const uint32_t order[] = { SCAN_SELECT_PREDICATE,   SCAN_SELECT_FLAGS,        SCAN_SELECT_BITS,
                                    SCAN_SELECT_FIRST,       SCAN_SELECT_LAST,         BENCH_SELECT_PAIR,
                                    BENCH_SELECT_PARTITION3, BENCH_SELECT_RUN_LENGTHS, BENCH_SELECT_REDUCE };
  select_lab *lab = (select_lab *)base;
  const select_request *r = (const select_request *)base->request;
  int rc = CLI_OK;
  lab->request = r;
  for (size_t b = 0; b < sizeof order / sizeof order[0]; b++)
    for (int rest = 0; rest < SELECT_RESTS && r->by[order[b]]; rest++)
      for (size_t p = 0; p < r->payload_count && r->rest[rest]; p++) {
        lab->by = order[b];
        lab->rest = lab->by == BENCH_SELECT_PARTITION3 ? SCAN_REST_APART : (scan_select_rest)rest;
        if (measure_values(lab, &r->payloads[p]) != CLI_OK) rc = CLI_FAILED;
      }
  return rc;
}

/* ---- lines ---- */

static const char *type_of(const select_lab *lab) {
  return lab->by == BENCH_SELECT_REDUCE ? scan_type_name(lab->base.spec.type) : NULL;
}

static const char *op_of(const select_lab *lab) {
  return lab->by == BENCH_SELECT_REDUCE ? scan_op_name(lab->base.spec.op) : NULL;
}

static void describe(const bench_lab *base, char *text, size_t bytes) {
  const select_lab *lab = (const select_lab *)base;
  const select_payload *p = lab->payload;
  if (lab->by == BENCH_SELECT_RUN_LENGTHS)
    snprintf(text, bytes, "run-length encoding, keys of bytes: %s", p->name);
  else if (lab->by == BENCH_SELECT_REDUCE)
    snprintf(text, bytes, "reduction by key, %s of %s, keys of bytes: %s", op_of(lab), type_of(lab), p->name);
  else if (lab->by == BENCH_SELECT_PARTITION3)
    snprintf(text, bytes, "partition into three, elements of bytes: %s", p->name);
  else
    snprintf(text, bytes, "select by %s, the rest %s, %s%s", select_by_name(lab->by), select_rest_name(lab->rest),
             p->arrays ? "elements of bytes: " : "u32 indices", p->arrays ? p->name : "");
}

static void fill(const bench_subject *s, bench_row *row) {
  const select_lab *lab = (const select_lab *)s->lab;
  if (s->role == BENCH_SCAN) row->role = "select";
  row->by = select_by_name(lab->by);
  row->rest = select_rest_name(lab->rest);
  row->payload = lab->payload->name;
  row->type = type_of(lab);
  row->op = op_of(lab);
  row->given = lab->share->name;
  if (select_is_by_runs(lab->by))
    row->run_length = lab->share->name;
  else
    row->share = lab->share->name;
  row->kept = lab->truth.kept;
  row->kept_ratio = (double)lab->truth.kept / (double)lab->n;
}

const bench_family bench_select = { .name = "select",
                                    .options = bench_select_options,
                                    .request_bytes = sizeof(select_request),
                                    .lab_bytes = sizeof(select_lab),
                                    .reps = 21,
                                    .help = select_help,
                                    .complete = select_complete,
                                    .measure = measure,
                                    .list = select_subjects_list,
                                    .poison = select_poison,
                                    .check = select_check,
                                    .describe = describe,
                                    .fill = fill };
