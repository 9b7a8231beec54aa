/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi.c @brief `scanrt bench --mpi`: scans over the ranks of MPI, beside scans of each rank's own
 * elements. All ranks run the same cases and rounds, since all use the slowest rank's times. */
#define _POSIX_C_SOURCE 200809L
#include "bench_mpi.h"
#include "bench_options.h"
#include "plain_loop.h"
#include "progress.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one call ---- */

static int start_alone(bench_subject *s, uint64_t pair) {
  const bench_mpi_lab *lab = (const bench_mpi_lab *)s->lab;
  const scan_status status = scan_plan_run(s->plan, s->lab->n, lab->in, lab->out);
  (void)pair;
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(s->lab->ctx, status, "a scan of a rank's own elements failed");
}

static int start_over_ranks(bench_subject *s, uint64_t pair) {
  const bench_mpi_lab *lab = (const bench_mpi_lab *)s->lab;
  const scan_status status = lab->ranks->mpi->plan_run(lab->plan, s->lab->n, lab->in, lab->out);
  (void)pair;
  return status == SCAN_SUCCESS ? CLI_OK : ranks_fail(lab->ranks, lab->mpi, status, "the scan over ranks failed");
}

/** Lists the subjects: the scan over all ranks and that of the rank's own elements. Both read and write each element
 * once. */
static int list(bench_lab *base) {
  const bench_mpi_lab *lab = (const bench_mpi_lab *)base;
  const uint64_t bytes = 2 * base->n * lab->item_bytes;
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create(base->ctx, &base->spec, base->n, &plan);
  const int rc = status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(base->ctx, status, "a rank's own elements");
  bench_subject *alone = bench_add(base, BENCH_COPY, start_alone, bytes, "alone");
  alone->plan = plan;
  alone->expect = BENCH_EXPECT_NOTHING;
  bench_add(base, BENCH_SCAN, start_over_ranks, bytes, "over ranks");
  return bench_mpi_agree(lab, rc);
}

/* ---- all ranks together ---- */

static void begin(bench_lab *base) {
  const bench_mpi_lab *lab = (const bench_mpi_lab *)base;
  lab->ranks->mpi->wait(lab->some);
}

static int end(bench_lab *base, int rc, double *seconds) {
  const bench_mpi_lab *lab = (const bench_mpi_lab *)base;
  *seconds = ranks_max(lab->ranks, lab->some, *seconds);
  return bench_mpi_agree(lab, rc);
}

static int poison(bench_subject *s) {
  const bench_mpi_lab *lab = (const bench_mpi_lab *)s->lab;
  const uint64_t bytes = s->lab->n * lab->item_bytes;
  memset(lab->host, BENCH_POISON_BYTE, (size_t)bytes);
  const scan_status status = scan_write(s->lab->ctx, lab->out, lab->host, bytes);
  return bench_mpi_agree(lab, status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(s->lab->ctx, status, "cannot write"));
}

static int check(bench_subject *s) {
  bench_mpi_lab *lab = (bench_mpi_lab *)s->lab;
  const scan_status status = scan_read(s->lab->ctx, lab->out, lab->host, s->lab->n * lab->item_bytes);
  const int rc =
      bench_mpi_agree(lab, status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(s->lab->ctx, status, "cannot read"));
  if (rc != CLI_OK) return rc;
  s->wrong = !bench_mpi_is_right(lab);
  lab->sent_bytes = (uint64_t)ranks_max(lab->ranks, lab->some, (double)lab->ranks->mpi->sent_bytes(lab->mpi));
  return CLI_OK;
}

/* ---- a number of ranks ---- */

/** Prepares a case: the steps that can fail on one rank alone. */
static int prepare(bench_mpi_lab *lab) {
  int rc = bench_mpi_expect(lab);
  if (rc == CLI_OK) rc = bench_mpi_fill_host(lab);
  if (rc != CLI_OK) return rc;
  const uint64_t bytes = lab->base.n * lab->item_bytes;
  scan_status status = scan_alloc(lab->base.ctx, bytes, &lab->in);
  if (status == SCAN_SUCCESS) status = scan_alloc(lab->base.ctx, bytes, &lab->out);
  if (status == SCAN_SUCCESS) status = scan_write(lab->base.ctx, lab->in, lab->host, bytes);
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->base.ctx, status, "a rank's own elements");
}

static int make_plan(bench_mpi_lab *lab) {
  const mpi_module *mpi = lab->ranks->mpi;
  scan_status status = mpi->create(lab->base.ctx, lab->some, &lab->mpi);
  if (status != SCAN_SUCCESS) return ranks_fail(lab->ranks, NULL, status, "scan_mpi_create");
  status = mpi->plan_create(lab->mpi, &lab->base.spec, lab->base.n, &lab->plan);
  return status == SCAN_SUCCESS ? CLI_OK : ranks_fail(lab->ranks, lab->mpi, status, "scan_mpi_plan_create");
}

static void clear(bench_mpi_lab *lab) {
  const mpi_module *mpi = lab->ranks->mpi;
  mpi->plan_destroy(lab->plan);
  if (lab->mpi) mpi->destroy(lab->mpi);
  lab->plan = NULL;
  lab->mpi = NULL;
  (void)scan_free(lab->base.ctx, lab->in);
  (void)scan_free(lab->base.ctx, lab->out);
  lab->in = lab->out = SCAN_NO_MEM;
  free(lab->host);
  lab->host = NULL;
}

static int measure_some(bench_mpi_lab *lab) {
  int rc = bench_mpi_agree(lab, prepare(lab));
  if (rc == CLI_OK) rc = make_plan(lab);
  if (rc == CLI_OK) rc = bench_case(&lab->base, BENCH_EAGER, BENCH_EAGER);
  clear(lab);
  return rc;
}

/** Measures the first `count` ranks; the others wait. */
static int measure_ranks(bench_mpi_lab *lab, int count, uint64_t n) {
  int rc = CLI_OK;
  lab->total = n * (uint64_t)(lab->scaling == BENCH_WEAK ? count : lab->ranks->count);
  lab->some = lab->ranks->mpi->first(lab->ranks->all, count);
  if (lab->some) rc = measure_some(lab);
  lab->ranks->mpi->leave(lab->some);
  lab->some = NULL;
  return ranks_agree(lab->ranks, rc);
}

static int measure_size(bench_mpi_lab *lab, uint64_t n) {
  const int *scalings = ((const bench_mpi_request *)lab->base.request)->scalings;
  int rc = CLI_OK;
  for (int count = 1; rc == CLI_OK; count = 2 * count < lab->ranks->count ? 2 * count : lab->ranks->count) {
    for (int scaling = BENCH_WEAK; scaling <= BENCH_STRONG && rc == CLI_OK; scaling++) {
      lab->scaling = (bench_scaling)scaling;
      if (scalings[scaling]) rc = measure_ranks(lab, count, n);
    }
    if (count == lab->ranks->count) break;
  }
  return rc;
}

/* ---- --cold: one call that creates all it needs, on host memory ---- */

/** Times a call. @param[out] seconds  on the slowest rank */
static int time_call(const bench_mpi_lab *lab, void *out, double *seconds) {
  lab->ranks->mpi->wait(lab->some);
  const double begun = cli_seconds();
  const scan_status status = lab->ranks->mpi->run(lab->base.ctx, lab->some, &lab->base.spec, lab->base.n,
                                                  scan_host(lab->host), scan_host(out));
  *seconds = ranks_max(lab->ranks, lab->some, cli_seconds() - begun);
  return status == SCAN_SUCCESS ? CLI_OK : ranks_fail(lab->ranks, NULL, status, "scan_mpi_run failed");
}

static double time_loop(const bench_mpi_lab *lab, void *out) {
  const scan_value seed = reference_seed(&lab->built_in);
  lab->ranks->mpi->wait(lab->some);
  const double begun = cli_seconds();
  plain_loop(lab->built_in.type, lab->built_in.op, lab->built_in.kind, lab->base.n, &seed, lab->host, out);
  __asm__ volatile("" : : "r"(out) : "memory");
  return ranks_max(lab->ranks, lab->some, cli_seconds() - begun);
}

/** Times the calls. The results of the last one replace the elements in lab->host. */
static int time_calls(bench_mpi_lab *lab, void *out, bench_row *row) {
  double calls[BENCH_MAX_REPS], loops[BENCH_MAX_REPS];
  const uint64_t reps = lab->base.request->reps;
  const size_t bytes = (size_t)(lab->base.n * lab->item_bytes);
  int rc = time_call(lab, out, &row->first);
  for (uint64_t i = 0; i < reps && rc == CLI_OK; i++) {
    loops[i] = time_loop(lab, out);
    memset(out, BENCH_POISON_BYTE, bytes);
    rc = time_call(lab, out, &calls[i]);
  }
  if (rc != CLI_OK) return rc;
  memcpy(lab->host, out, bytes);
  const bench_result time = bench_summarise(calls, reps);
  row->correct = (uint64_t)bench_mpi_is_right(lab);
  if (!row->correct) return CLI_FAILED;
  row->median = time.median_seconds;
  row->spread = time.spread;
  row->loop = bench_summarise(loops, reps).median_seconds;
  return CLI_OK;
}

static int measure_cold(bench_mpi_lab *lab, double open_seconds) {
  ranks *all = lab->ranks;
  char caption[BENCH_CAPTION_BYTES];
  bench_row row;
  lab->total = lab->base.request->sizes[0] * (uint64_t)all->count;
  lab->some = all->all;
  int rc = bench_mpi_expect(lab);
  if (rc == CLI_OK) rc = bench_mpi_fill_host(lab);
  void *out = rc == CLI_OK ? malloc((size_t)(lab->base.n * lab->item_bytes)) : NULL;
  if (rc == CLI_OK && !out) rc = cli_fail("no memory for %" PRIu64 " results: give less --n", lab->base.n);
  if (out) memset(out, BENCH_POISON_BYTE, (size_t)(lab->base.n * lab->item_bytes)); /* allocates the pages */
  rc = ranks_agree(all, rc);
  bench_row_fill(&lab->base, &row);
  bench_mpi_fill_case(lab, &row);
  row.open = ranks_max(all, all->all, open_seconds);
  if (rc == CLI_OK) rc = time_calls(lab, out, &row);
  bench_describe(&lab->base, caption, sizeof caption);
  if (lab->base.sheet && row.correct != UINT64_MAX) bench_sheet_write(lab->base.sheet, &row, caption);
  free(out);
  free(lab->host);
  lab->host = NULL;
  lab->some = NULL;
  return ranks_agree(all, rc);
}

/* ---- all ---- */

static int measure_kind(bench_mpi_lab *lab, scan_type type, scan_kind kind, double open_seconds) {
  const bench_request *r = lab->base.request;
  int rc = CLI_OK;
  lab->built_in = (scan_spec)SCAN_SPEC_INIT(type, SCAN_ADD, kind);
  lab->base.spec = lab->built_in;
  if (lab->op) lab->base.spec = (scan_spec)SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, kind);
  lab->base.spec.custom_op = lab->op;
  lab->item_bytes = scan_type_bytes(type);
  memset(lab->due_total, 0, sizeof lab->due_total);
  if (r->cold) return measure_cold(lab, open_seconds);
  for (size_t i = 0; i < r->size_count && rc == CLI_OK; i++) rc = measure_size(lab, r->sizes[i]);
  return rc;
}

static int measure_type(bench_mpi_lab *lab, scan_type type, double open_seconds) {
  const bench_request *r = lab->base.request;
  int rc = CLI_OK;
  if (r->source_count > 0) {
    const scan_status status = source_operator_create(&r->sources[0], type, lab->base.ctx, &lab->op);
    rc = status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->base.ctx, status, "--op-source");
    rc = ranks_agree(lab->ranks, rc);
  }
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE && rc == CLI_OK; kind++)
    if (r->kinds[kind]) rc = measure_kind(lab, type, (scan_kind)kind, open_seconds);
  scan_op_destroy(lab->op);
  lab->op = NULL;
  return rc;
}

/** Measures each type and kind; --cold has one of each. */
static int measure(bench_mpi_lab *lab, double open_seconds) {
  const bench_request *r = lab->base.request;
  int rc = CLI_OK;
  for (size_t t = 0; t < r->type_count && rc == CLI_OK; t++) rc = measure_type(lab, r->types[t], open_seconds);
  return rc;
}

static int open_and_measure(const bench_mpi_request *request, ranks *all) {
  bench_sheet sheet;
  bench_mpi_lab lab = { .base = { .request = &request->base, .family = &bench_mpi, .buffers = { .pairs = 1 } },
                        .ranks = all };
  const double begun = cli_seconds();
  int rc = ranks_open_device(all, request->device, request->threads, &lab.base.ctx, &lab.base.info);
  const double open_seconds = cli_seconds() - begun;
  if (rc == CLI_OK) rc = bench_subjects_make(&lab.base);
  if (all->rank == 0 && rc == CLI_OK) {
    rc = bench_sheet_open(&sheet, &request->base);
    if (rc == CLI_OK) lab.base.sheet = &sheet;
  }
  all->mpi->library(lab.library, sizeof lab.library);
  rc = ranks_agree(all, rc);
  if (rc == CLI_OK) rc = measure(&lab, open_seconds);
  if (lab.base.sheet && bench_sheet_close(&sheet) != CLI_OK) rc = CLI_FAILED;
  free(lab.base.subjects);
  scan_ctx_destroy(lab.base.ctx);
  return rc;
}

static int run(int argc, char **argv, const bench_family *const *families) {
  bench_mpi_request request = { .threads = 0 };
  ranks all;
  int rc = ranks_open(&all, argv[0]);
  if (rc != CLI_OK) return rc;
  if (all.rank != 0) progress_hide();
  rc = ranks_agree(&all, bench_parse(argc, argv, families, BENCH_FAMILY_MPI, &request.base));
  if (rc == CLI_HELP && all.rank == 0) bench_mpi_help();
  if (rc == CLI_OK) rc = open_and_measure(&request, &all);
  if (all.rank == 0 && cli_flush_output() != CLI_OK && rc == CLI_OK) rc = CLI_FAILED;
  rc = ranks_close(&all, rc == CLI_HELP ? CLI_OK : rc);
  return rc;
}

/* ---- lines ---- */

static int is_reported(const bench_subject *s) { return s->role == BENCH_SCAN; }

static void describe(const bench_lab *base, char *text, size_t bytes) {
  const bench_mpi_lab *lab = (const bench_mpi_lab *)base;
  snprintf(text, bytes, "%s sums of %s%s; %d rank%s, rank 0 on %s; %s", bench_kind_name(lab->built_in.kind),
           scan_type_name(lab->built_in.type), lab->op ? " from source" : "", lab->ranks->count,
           lab->ranks->count == 1 ? "" : "s", base->info.selector, lab->library);
}

/** Sets the columns of scans over ranks. The scan of a rank's own elements takes the role of the copy. */
static void fill(const bench_subject *s, bench_row *row) {
  const bench_mpi_lab *lab = (const bench_mpi_lab *)s->lab;
  bench_mpi_fill_case(lab, row);
  row->sent_bytes = lab->sent_bytes;
  row->alone_ratio = row->limit_ratio;
  if (!s->wrong) row->alone = bench_evaluate(s->lab->subjects, s->lab->request->reps).median_seconds;
}

const bench_family bench_mpi = { .name = "mpi",
                                 .options = bench_mpi_options,
                                 .request_bytes = sizeof(bench_mpi_request),
                                 .lab_bytes = sizeof(bench_mpi_lab),
                                 .reps = 20,
                                 .help = bench_mpi_help,
                                 .complete = bench_mpi_complete,
                                 .run = run,
                                 .list = list,
                                 .poison = poison,
                                 .check = check,
                                 .begin = begin,
                                 .end = end,
                                 .is_reported = is_reported,
                                 .describe = describe,
                                 .fill = fill };
