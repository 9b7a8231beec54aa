/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select.c @brief `scanrt bench --select`: visits the cases of a device, and fills their columns. */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"
#include "bench_select.h"

#include <inttypes.h>
#include <string.h>

static int make_predicate(select_state *bench, uint32_t bytes) {
  const double begun = cli_seconds();
  const scan_status status = select_predicate_make(bench, bytes);
  if (bench->base.cold) bench->base.cold->source = cli_seconds() - begun;
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(bench->base.ctx, status, "cannot make the predicate");
}

/** Swaps context, predicate and plan with those of one thread, so that the next objects are created there. */
static void swap_one(select_state *bench) {
  scan_op *const predicate = bench->predicate;
  scan_plan *const plan = bench->plan;
  bench_beside_swap(&bench->base);
  bench->predicate = bench->one_predicate;
  bench->one_predicate = predicate;
  bench->plan = bench->one_plan;
  bench->one_plan = plan;
}

/** Calls make(state, bytes), and again in the one-thread context if there is one. */
static int make_both(select_state *bench, int (*make)(select_state *, uint32_t), uint32_t bytes) {
  int rc = make(bench, bytes);
  if (rc != CLI_OK || !bench->base.one) return rc;
  swap_one(bench);
  rc = make(bench, bytes);
  swap_one(bench);
  return rc;
}

/* ---- the plan ---- */

static scan_status make_select_plan(select_state *bench, int in_place, scan_plan **plan) {
  const uint32_t by = bench->by == BENCH_SELECT_PAIR ? SCAN_SELECT_FIRST : bench->by;
  scan_select_spec spec = { .struct_bytes = sizeof spec, .by = (scan_select_by)by, .rest = bench->rest };
  spec.arrays = bench->payload->arrays;
  memcpy(spec.element_bytes, bench->payload->bytes, sizeof spec.element_bytes);
  if (!spec.arrays) spec.index_type = SCAN_U32;
  if (select_is_by_runs(bench->by) && !bench->predicate) spec.key_type = select_key_type(bench->looked_bytes);
  spec.predicate = bench->predicate;
  spec.in_place = (uint32_t)in_place;
  return scan_plan_create_select(bench->base.ctx, &spec, bench->n, plan);
}

static scan_status make_plan_of(select_state *bench) {
  if (select_computes(bench->by)) return select_runs_plan(bench);
  return bench->by == BENCH_SELECT_PARTITION3 ? select_partition_plan(bench) : make_select_plan(bench, 0, &bench->plan);
}

static int make_plan(select_state *bench, uint32_t bytes) {
  (void)bytes;
  const double begun = cli_seconds();
  scan_status status = make_plan_of(bench);
  if (bench->base.cold) bench->base.cold->plan = cli_seconds() - begun;
  if (status == SCAN_SUCCESS && bench->request->base.also_in_place && select_runs_in_place(bench->by) &&
      !bench->placed_plan)
    status = make_select_plan(bench, 1, &bench->placed_plan);
  return bench_forward(&bench->base, status);
}

/* ---- one case ---- */

static int measure_case(select_state *bench, const select_share *share) {
  bench->share = share;
  if (select_data_fill(bench) != CLI_OK) return CLI_FAILED;
  return bench_case(&bench->base, BENCH_EAGER, BENCH_GRAPH);
}

/* ---- sweeps ---- */

/** Measures all shares, or lengths of runs, at one n. */
static int measure_size(select_state *bench, uint64_t n) {
  const select_request *r = bench->request;
  const int by_runs = select_is_by_runs(bench->by);
  const select_share *shares = by_runs ? r->runs : r->shares;
  const size_t count = by_runs ? r->run_count : r->share_count;
  bench->n = n;
  int rc = select_data_make(bench);
  if (rc == CLI_OK) rc = make_both(bench, make_plan, 0);
  const int made = rc == CLI_OK;
  for (size_t i = 0; i < count && made; i++)
    if (measure_case(bench, &shares[i]) != CLI_OK) rc = CLI_FAILED;
  scan_plan_destroy(bench->placed_plan);
  scan_plan_destroy(bench->one_plan);
  scan_plan_destroy(bench->plan);
  bench->plan = bench->one_plan = bench->placed_plan = NULL;
  select_data_clear(bench);
  return rc;
}

static int measure_payload(select_state *bench, const select_payload *payload) {
  const bench_request *r = &bench->request->base;
  int rc = CLI_OK;
  bench->payload = payload;
  if (select_has_threshold(bench->by) || bench->by == BENCH_SELECT_PAIR)
    rc = make_both(bench, make_predicate, payload->arrays ? payload->bytes[0] : 4);
  const int made = rc == CLI_OK;
  for (size_t i = 0; i < r->size_count && made; i++)
    if (measure_size(bench, r->sizes[i]) != CLI_OK) rc = CLI_FAILED;
  scan_op_destroy(bench->one_predicate);
  scan_op_destroy(bench->predicate);
  bench->predicate = bench->one_predicate = NULL;
  return rc;
}

/** Measures values of each type by each operator; without a reduction only the payload. */
static int measure_values(select_state *bench, const select_payload *payload) {
  const bench_request *r = &bench->request->base;
  int rc = CLI_OK;
  if (bench->by != BENCH_SELECT_REDUCE) return measure_payload(bench, payload);
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++) {
      bench->base.spec = (scan_spec)SCAN_SPEC_INIT(r->types[t], r->ops[o], SCAN_INCLUSIVE);
      if (measure_payload(bench, payload) != CLI_OK) rc = CLI_FAILED;
    }
  return rc;
}

/** Measures all cases in the order of the help: by criterion, rest, payload. */
static int compaction_measure(bench_state *base) {
  static const uint32_t order[] = { SCAN_SELECT_PREDICATE,   SCAN_SELECT_FLAGS,        SCAN_SELECT_BITS,
                                    SCAN_SELECT_FIRST,       SCAN_SELECT_LAST,         BENCH_SELECT_PAIR,
                                    BENCH_SELECT_PARTITION3, BENCH_SELECT_RUN_LENGTHS, BENCH_SELECT_REDUCE };
  select_state *bench = (select_state *)base;
  const select_request *r = (const select_request *)base->request;
  int rc = CLI_OK;
  bench->request = r;
  for (size_t b = 0; b < sizeof order / sizeof order[0]; b++)
    for (int rest = 0; rest < SELECT_RESTS && r->by[order[b]]; rest++)
      for (size_t p = 0; p < r->payload_count && r->rest[rest]; p++) {
        bench->by = order[b];
        bench->rest = bench->by == BENCH_SELECT_PARTITION3 ? SCAN_REST_APART : (scan_select_rest)rest;
        if (measure_values(bench, &r->payloads[p]) != CLI_OK) rc = CLI_FAILED;
      }
  return rc;
}

/* ---- lines ---- */

static const char *type_of(const select_state *bench) {
  return bench->by == BENCH_SELECT_REDUCE ? scan_type_name(bench->base.spec.type) : NULL;
}

static const char *op_of(const select_state *bench) {
  return bench->by == BENCH_SELECT_REDUCE ? scan_op_name(bench->base.spec.op) : NULL;
}

static void compaction_describe(const bench_state *base, char *text, size_t bytes) {
  const select_state *bench = (const select_state *)base;
  const select_payload *p = bench->payload;
  if (bench->by == BENCH_SELECT_RUN_LENGTHS)
    snprintf(text, bytes, "run-length encoding, keys of bytes: %s", p->name);
  else if (bench->by == BENCH_SELECT_REDUCE)
    snprintf(text, bytes, "reduction by key, %s of %s, keys of bytes: %s", op_of(bench), type_of(bench), p->name);
  else if (bench->by == BENCH_SELECT_PARTITION3)
    snprintf(text, bytes, "partition into three, elements of bytes: %s", p->name);
  else
    snprintf(text, bytes, "select by %s, the rest %s, %s%s", select_by_name(bench->by), select_rest_name(bench->rest),
             p->arrays ? "elements of bytes: " : "u32 indices", p->arrays ? p->name : "");
}

static void compaction_fill(const bench_entry *s, bench_row *row) {
  const select_state *bench = (const select_state *)s->bench;
  if (s->role == BENCH_SCAN) row->role = "select";
  row->by = select_by_name(bench->by);
  row->rest = select_rest_name(bench->rest);
  row->payload = bench->payload->name;
  row->type = type_of(bench);
  row->op = op_of(bench);
  row->given = bench->share->name;
  if (select_is_by_runs(bench->by))
    row->run_length = bench->share->name;
  else
    row->share = bench->share->name;
  row->kept = bench->truth.kept;
  row->kept_ratio = (double)bench->truth.kept / (double)bench->n;
}

const bench_kind bench_select = { .name = "select",
                                  .options = bench_select_options,
                                  .request_bytes = sizeof(select_request),
                                  .bench_state_bytes = sizeof(select_state),
                                  .reps = 21,
                                  .help = select_help,
                                  .complete = select_complete,
                                  .measure = compaction_measure,
                                  .list = select_entries_list,
                                  .poison = select_poison,
                                  .check = select_check,
                                  .describe = compaction_describe,
                                  .fill = compaction_fill };
