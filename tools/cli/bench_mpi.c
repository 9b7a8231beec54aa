/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi.c @brief `scanrt bench --mpi`: scans over the ranks of MPI, beside scans of each rank's own
 * elements. */
#define _POSIX_C_SOURCE 200809L
#include "bench_mpi.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const double BATCH_SECONDS = 2e-3;
enum { MOST_CALLS = 1 << 16, POISON = 0xA5 };

/** What is timed: one of the two plans. */
typedef struct subject {
  scan_mpi_plan *over_ranks;
  scan_plan *alone;
  uint64_t batch;
  double seconds[BENCH_MAX_REPS];
} subject;

/* ---- times ---- */

static int start(const bench_mpi_lab *lab, const subject *s) {
  if (s->alone) {
    const scan_status status = scan_plan_run(s->alone, lab->n, lab->in, lab->out);
    return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->ctx, status, "a scan of a rank's own elements failed");
  }
  const scan_status status = lab->ranks->mpi->plan_run(s->over_ranks, lab->n, lab->in, lab->out);
  return status == SCAN_SUCCESS ? CLI_OK : ranks_fail(lab->ranks, lab->mpi, status, "the scan over ranks failed");
}

/** Seconds of a call on the slowest rank, over a batch. */
static int time_batch(const bench_mpi_lab *lab, const subject *s, double *seconds) {
  int rc = CLI_OK;
  lab->ranks->mpi->wait(lab->some);
  const double begun = cli_seconds();
  for (uint64_t i = 0; i < s->batch && rc == CLI_OK; i++) rc = start(lab, s);
  const scan_status status = scan_sync(lab->ctx);
  const double own = (cli_seconds() - begun) / (double)s->batch;
  if (rc == CLI_OK && status != SCAN_SUCCESS) rc = cli_fail_scan(lab->ctx, status, "a scan failed");
  *seconds = ranks_max(lab->ranks, lab->some, own);
  return bench_mpi_agree(lab, rc);
}

/** The batches tried are the warm-up. All ranks find the same one, since they have the same times. */
static int find_batch(const bench_mpi_lab *lab, subject *s) {
  double seconds = 0;
  s->batch = 1;
  int rc = time_batch(lab, s, &seconds);
  while (rc == CLI_OK && s->batch < MOST_CALLS) {
    rc = time_batch(lab, s, &seconds);
    if ((double)s->batch * seconds > BATCH_SECONDS) break;
    s->batch *= 2;
  }
  return rc;
}

static int poison(const bench_mpi_lab *lab) {
  memset(lab->host, POISON, (size_t)(lab->n * lab->item_bytes));
  const scan_status status = scan_write(lab->ctx, lab->out, lab->host, lab->n * lab->item_bytes);
  return bench_mpi_agree(lab, status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->ctx, status, "cannot write"));
}

static int time_rounds(const bench_mpi_lab *lab, subject *alone, subject *over_ranks) {
  int rc = find_batch(lab, alone);
  if (rc == CLI_OK) rc = find_batch(lab, over_ranks);
  for (uint64_t i = 0; i < lab->request->base.reps && rc == CLI_OK; i++) {
    rc = time_batch(lab, alone, &alone->seconds[i]);
    if (rc == CLI_OK && i + 1 == lab->request->base.reps) rc = poison(lab);
    if (rc == CLI_OK) rc = time_batch(lab, over_ranks, &over_ranks->seconds[i]);
  }
  return rc;
}

/* ---- a number of ranks ---- */

/** What can fail on one rank alone. */
static int prepare(bench_mpi_lab *lab, bench_scaling scaling, subject *alone) {
  int rc = bench_mpi_expect(lab, scaling);
  if (rc == CLI_OK) rc = bench_mpi_fill_host(lab);
  if (rc != CLI_OK) return rc;
  const uint64_t bytes = lab->n * lab->item_bytes;
  scan_status status = scan_alloc(lab->ctx, bytes, &lab->in);
  if (status == SCAN_SUCCESS) status = scan_alloc(lab->ctx, bytes, &lab->out);
  if (status == SCAN_SUCCESS) status = scan_write(lab->ctx, lab->in, lab->host, bytes);
  if (status == SCAN_SUCCESS) status = scan_plan_create(lab->ctx, &lab->spec, lab->n, &alone->alone);
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->ctx, status, "a rank's own elements");
}

static int make_plan(bench_mpi_lab *lab, subject *over_ranks) {
  const mpi_module *mpi = lab->ranks->mpi;
  scan_status status = mpi->create(lab->ctx, lab->some, &lab->mpi);
  if (status != SCAN_SUCCESS) return ranks_fail(lab->ranks, NULL, status, "scan_mpi_create");
  status = mpi->plan_create(lab->mpi, &lab->spec, lab->n, &over_ranks->over_ranks);
  return status == SCAN_SUCCESS ? CLI_OK : ranks_fail(lab->ranks, lab->mpi, status, "scan_mpi_plan_create");
}

/** Reads the results and reports. */
static int finish(const bench_mpi_lab *lab, bench_scaling scaling, subject *alone, subject *over_ranks) {
  const mpi_module *mpi = lab->ranks->mpi;
  const uint64_t reps = lab->request->base.reps;
  bench_mpi_row row = { .scaling = scaling, .ranks = mpi->count(lab->some), .n = lab->n };
  row.sent_bytes = (uint64_t)ranks_max(lab->ranks, lab->some, (double)mpi->sent_bytes(lab->mpi));
  row.takes_device = mpi->takes_device_memory(lab->mpi);
  const scan_status status = scan_read(lab->ctx, lab->out, lab->host, lab->n * lab->item_bytes);
  int rc = bench_mpi_agree(lab, status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->ctx, status, "cannot read"));
  if (rc != CLI_OK) return rc;
  row.wrong = !bench_mpi_is_right(lab, scaling);
  row.alone = bench_summarise(alone->seconds, reps);
  row.time = bench_summarise(over_ranks->seconds, reps);
  if (lab->ranks->rank == 0) bench_mpi_report_row(lab, &row);
  return row.wrong ? CLI_FAILED : CLI_OK;
}

static void clear(bench_mpi_lab *lab, subject *alone, subject *over_ranks) {
  const mpi_module *mpi = lab->ranks->mpi;
  mpi->plan_destroy(over_ranks->over_ranks);
  scan_plan_destroy(alone->alone);
  if (lab->mpi) mpi->destroy(lab->mpi);
  lab->mpi = NULL;
  (void)scan_free(lab->ctx, lab->in);
  (void)scan_free(lab->ctx, lab->out);
  lab->in = lab->out = SCAN_NO_MEM;
  free(lab->host);
  lab->host = NULL;
}

static int measure_some(bench_mpi_lab *lab, bench_scaling scaling) {
  subject alone = { .batch = 1 }, over_ranks = { .batch = 1 };
  int rc = bench_mpi_agree(lab, prepare(lab, scaling, &alone));
  if (rc == CLI_OK) rc = make_plan(lab, &over_ranks);
  if (rc == CLI_OK) rc = time_rounds(lab, &alone, &over_ranks);
  if (rc == CLI_OK) rc = finish(lab, scaling, &alone, &over_ranks);
  clear(lab, &alone, &over_ranks);
  return rc;
}

/** The first `count` of all ranks; the others wait. */
static int measure_ranks(bench_mpi_lab *lab, int count, bench_scaling scaling, uint64_t n) {
  int rc = CLI_OK;
  lab->total = n * (uint64_t)(scaling == BENCH_WEAK ? count : lab->ranks->count);
  lab->some = lab->ranks->mpi->first(lab->ranks->all, count);
  if (lab->some) rc = measure_some(lab, scaling);
  lab->ranks->mpi->leave(lab->some);
  lab->some = NULL;
  return ranks_agree(lab->ranks, rc);
}

static int measure_size(bench_mpi_lab *lab, uint64_t n) {
  int rc = CLI_OK;
  for (int count = 1; rc == CLI_OK; count = 2 * count < lab->ranks->count ? 2 * count : lab->ranks->count) {
    for (int scaling = BENCH_WEAK; scaling <= BENCH_STRONG && rc == CLI_OK; scaling++)
      if (lab->request->scalings[scaling]) rc = measure_ranks(lab, count, (bench_scaling)scaling, n);
    if (count == lab->ranks->count) break;
  }
  return rc;
}

/* ---- all ---- */

static int measure_kind(bench_mpi_lab *lab, scan_type type, scan_kind kind, double open_seconds) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  lab->built_in = (scan_spec)SCAN_SPEC_INIT(type, SCAN_ADD, kind);
  lab->spec = lab->built_in;
  if (lab->op) lab->spec = (scan_spec)SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, kind);
  lab->spec.custom_op = lab->op;
  lab->item_bytes = scan_type_bytes(type);
  memset(lab->due_total, 0, sizeof lab->due_total);
  if (lab->ranks->rank == 0) bench_mpi_report_head(lab);
  if (r->cold) return bench_mpi_cold(lab, open_seconds);
  for (size_t i = 0; i < r->size_count && rc == CLI_OK; i++) rc = measure_size(lab, r->sizes[i]);
  return rc;
}

static int measure_type(bench_mpi_lab *lab, scan_type type, double open_seconds) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  if (r->source_count > 0) {
    const scan_status status = source_operator_create(&r->sources[0], type, lab->ctx, &lab->op);
    rc = status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->ctx, status, "--op-source");
    rc = ranks_agree(lab->ranks, rc);
  }
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE && rc == CLI_OK; kind++)
    if (r->kinds[kind]) rc = measure_kind(lab, type, (scan_kind)kind, open_seconds);
  scan_op_destroy(lab->op);
  lab->op = NULL;
  return rc;
}

/** Each type and kind; of --cold there is one of each. */
static int measure(bench_mpi_lab *lab, double open_seconds) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  for (size_t t = 0; t < r->type_count && rc == CLI_OK; t++) rc = measure_type(lab, r->types[t], open_seconds);
  return rc;
}

static int open_and_measure(const bench_mpi_request *request, ranks *all) {
  bench_sheet sheet;
  bench_mpi_lab lab = { .request = request, .ranks = all, .sheet = &sheet };
  const double begun = cli_seconds();
  int rc = ranks_open_device(all, request->device, request->threads, &lab.ctx, &lab.info);
  const double open_seconds = cli_seconds() - begun;
  const int writes = all->rank == 0 && rc == CLI_OK;
  if (writes) rc = bench_sheet_open(&sheet, bench_mpi_csv_head, &request->base);
  all->mpi->library(lab.library, sizeof lab.library);
  const int is_open = writes && rc == CLI_OK;
  rc = ranks_agree(all, rc);
  if (rc == CLI_OK) rc = measure(&lab, open_seconds);
  if (is_open && bench_sheet_close(&sheet) != CLI_OK) rc = CLI_FAILED;
  scan_ctx_destroy(lab.ctx);
  return rc;
}

int bench_mpi(int argc, char **argv, const bench_choice *choices) {
  bench_mpi_request request;
  ranks all;
  int rc = ranks_open(&all, argv[0]);
  if (rc != CLI_OK) return rc;
  rc = ranks_agree(&all, bench_mpi_parse(argc, argv, choices, &request));
  if (rc == CLI_HELP && all.rank == 0) bench_mpi_print_help();
  if (rc == CLI_OK) rc = open_and_measure(&request, &all);
  if (all.rank == 0 && cli_flush_output() != CLI_OK && rc == CLI_OK) rc = CLI_FAILED;
  rc = ranks_close(&all, rc == CLI_HELP ? CLI_OK : rc);
  return rc;
}
