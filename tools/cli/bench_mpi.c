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

static int start_alone(bench_entry *s, uint64_t pair) {
  bench_mpi_state *bench = (bench_mpi_state *)s->bench;
  const scan_status status = bench->job->run_alone(bench, s->plan);
  (void)pair;
  return status == SCAN_SUCCESS ? CLI_OK
                                : cli_fail_scan(s->bench->ctx, status, "a call on a rank's own elements failed");
}

static int start_over_ranks(bench_entry *s, uint64_t pair) {
  bench_mpi_state *bench = (bench_mpi_state *)s->bench;
  const scan_status status = bench->job->run(bench);
  (void)pair;
  return status == SCAN_SUCCESS ? CLI_OK : ranks_fail(bench->ranks, bench->mpi, status, "the call over ranks failed");
}

/** Lists the entries: the call over all ranks and that on the rank's own elements. Both read and write each element
 * once. */
static int mpi_list(bench_state *base) {
  bench_mpi_state *bench = (bench_mpi_state *)base;
  const uint64_t bytes = 2 * base->n * bench->item_bytes;
  scan_plan *plan = NULL;
  const scan_status status = bench->job->plan_alone(bench, &plan);
  const int rc = status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(base->ctx, status, "a rank's own elements");
  bench_entry *alone = bench_add(base, BENCH_COPY, start_alone, bytes, "alone");
  alone->plan = plan;
  alone->expect = BENCH_EXPECT_NOTHING;
  bench_add(base, BENCH_SCAN, start_over_ranks, bytes, "over ranks");
  return bench_mpi_agree(bench, rc);
}

static int fill_scan(bench_mpi_state *bench) {
  const int rc = bench_mpi_expect(bench);
  return rc == CLI_OK ? bench_mpi_fill_host(bench) : rc;
}

static scan_status plan_scan(bench_mpi_state *bench) {
  return bench->ranks->mpi->plan_create(bench->mpi, &bench->base.spec, bench->base.n, &bench->plan);
}

static scan_status plan_scan_alone(bench_mpi_state *bench, scan_plan **plan) {
  return scan_plan_create(bench->base.ctx, &bench->base.spec, bench->base.n, plan);
}

static scan_status run_scan(bench_mpi_state *bench) {
  return bench->ranks->mpi->plan_run(bench->plan, bench->base.n, bench->in, bench->out);
}

static scan_status run_scan_alone(bench_mpi_state *bench, scan_plan *plan) {
  return scan_plan_run(plan, bench->base.n, bench->in, bench->out);
}

static const char *kind_of_scan(const bench_mpi_state *bench) { return bench_kind_name(bench->built_in.kind); }

static void title_scan(const bench_mpi_state *bench, char *text, size_t bytes) {
  snprintf(text, bytes, "%s sums of %s%s", bench_kind_name(bench->built_in.kind), scan_type_name(bench->built_in.type),
           bench->op ? " from source" : "");
}

static const bench_mpi_job scans = { .fill = fill_scan,
                                     .plan = plan_scan,
                                     .plan_alone = plan_scan_alone,
                                     .run = run_scan,
                                     .run_alone = run_scan_alone,
                                     .is_right = bench_mpi_is_right,
                                     .kind = kind_of_scan,
                                     .title = title_scan };

/* ---- all ranks together ---- */

static void mpi_begin(bench_state *base) {
  const bench_mpi_state *bench = (const bench_mpi_state *)base;
  bench->ranks->mpi->wait(bench->some);
}

static int mpi_end(bench_state *base, int rc, double *seconds) {
  const bench_mpi_state *bench = (const bench_mpi_state *)base;
  *seconds = ranks_max(bench->ranks, bench->some, *seconds);
  return bench_mpi_agree(bench, rc);
}

static int mpi_poison(bench_entry *s) {
  const bench_mpi_state *bench = (const bench_mpi_state *)s->bench;
  memset(bench->host, BENCH_POISON_BYTE, (size_t)bench->bytes);
  const scan_status status = scan_write(s->bench->ctx, bench->out, bench->host, bench->bytes);
  return bench_mpi_agree(bench, status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(s->bench->ctx, status, "cannot write"));
}

static int mpi_check(bench_entry *s) {
  bench_mpi_state *bench = (bench_mpi_state *)s->bench;
  const scan_status status = scan_read(s->bench->ctx, bench->out, bench->host, bench->bytes);
  const int rc =
      bench_mpi_agree(bench, status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(s->bench->ctx, status, "cannot read"));
  if (rc != CLI_OK) return rc;
  s->wrong = !bench->job->is_right(bench);
  bench->sent_bytes = (uint64_t)ranks_max(bench->ranks, bench->some, (double)bench->ranks->mpi->sent_bytes(bench->mpi));
  return CLI_OK;
}

/* ---- a number of ranks ---- */

/** Prepares a case: the steps that can fail on one rank alone. */
static int mpi_prepare(bench_mpi_state *bench) {
  const int rc = bench->job->fill(bench);
  if (rc != CLI_OK) return rc;
  scan_status status = scan_alloc(bench->base.ctx, bench->bytes, &bench->in);
  if (status == SCAN_SUCCESS) status = scan_alloc(bench->base.ctx, bench->bytes, &bench->out);
  if (status == SCAN_SUCCESS) status = scan_write(bench->base.ctx, bench->in, bench->host, bench->bytes);
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(bench->base.ctx, status, "a rank's own elements");
}

static int make_plan(bench_mpi_state *bench) {
  const mpi_module *mpi = bench->ranks->mpi;
  scan_status status = mpi->create(bench->base.ctx, bench->some, &bench->mpi);
  if (status != SCAN_SUCCESS) return ranks_fail(bench->ranks, NULL, status, "scan_mpi_create");
  status = bench->job->plan(bench);
  return status == SCAN_SUCCESS ? CLI_OK : ranks_fail(bench->ranks, bench->mpi, status, "a plan over ranks");
}

static void mpi_clear(bench_mpi_state *bench) {
  const mpi_module *mpi = bench->ranks->mpi;
  mpi->plan_destroy(bench->plan);
  if (bench->mpi) mpi->destroy(bench->mpi);
  bench->plan = NULL;
  bench->mpi = NULL;
  (void)scan_free(bench->base.ctx, bench->in);
  (void)scan_free(bench->base.ctx, bench->out);
  bench->in = bench->out = SCAN_NO_MEM;
  free(bench->host);
  bench->host = NULL;
}

static int measure_some(bench_mpi_state *bench) {
  int rc = bench_mpi_agree(bench, mpi_prepare(bench));
  if (rc == CLI_OK) rc = make_plan(bench);
  if (rc == CLI_OK) rc = bench_case(&bench->base, BENCH_EAGER, BENCH_EAGER);
  mpi_clear(bench);
  return rc;
}

/** Measures the first `count` ranks; the others wait. */
static int measure_ranks(bench_mpi_state *bench, int count, uint64_t n) {
  int rc = CLI_OK;
  bench->total = n * (uint64_t)(bench->scaling == BENCH_WEAK ? count : bench->ranks->count);
  bench->some = bench->ranks->mpi->first(bench->ranks->all, count);
  if (bench->some) rc = measure_some(bench);
  bench->ranks->mpi->leave(bench->some);
  bench->some = NULL;
  return ranks_agree(bench->ranks, rc);
}

static int measure_size(bench_mpi_state *bench, uint64_t n) {
  const int *scalings = ((const bench_mpi_request *)bench->base.request)->scalings;
  int rc = CLI_OK;
  for (int count = 1; rc == CLI_OK; count = 2 * count < bench->ranks->count ? 2 * count : bench->ranks->count) {
    for (int scaling = BENCH_WEAK; scaling <= BENCH_STRONG && rc == CLI_OK; scaling++) {
      bench->scaling = (bench_scaling)scaling;
      if (scalings[scaling]) rc = measure_ranks(bench, count, n);
    }
    if (count == bench->ranks->count) break;
  }
  return rc;
}

/* ---- --cold: one call that creates all it needs, on host memory ---- */

/** Times a call. @param[out] seconds  on the slowest rank */
static int time_call(const bench_mpi_state *bench, void *out, double *seconds) {
  bench->ranks->mpi->wait(bench->some);
  const double begun = cli_seconds();
  const scan_status status = bench->ranks->mpi->run(bench->base.ctx, bench->some, &bench->base.spec, bench->base.n,
                                                    scan_host(bench->host), scan_host(out));
  *seconds = ranks_max(bench->ranks, bench->some, cli_seconds() - begun);
  return status == SCAN_SUCCESS ? CLI_OK : ranks_fail(bench->ranks, NULL, status, "scan_mpi_run failed");
}

static double time_loop(const bench_mpi_state *bench, void *out) {
  const scan_value seed = reference_seed(&bench->built_in);
  bench->ranks->mpi->wait(bench->some);
  const double begun = cli_seconds();
  plain_loop(bench->built_in.type, bench->built_in.op, bench->built_in.kind, bench->base.n, &seed, bench->host, out);
  __asm__ volatile("" : : "r"(out) : "memory");
  return ranks_max(bench->ranks, bench->some, cli_seconds() - begun);
}

/** Times the calls. The results of the last one replace the elements in bench->host. */
static int time_calls(bench_mpi_state *bench, void *out, bench_row *row) {
  double calls[BENCH_MAX_REPS], loops[BENCH_MAX_REPS];
  const uint64_t reps = bench->base.request->reps;
  const size_t bytes = (size_t)(bench->base.n * bench->item_bytes);
  int rc = time_call(bench, out, &row->first);
  for (uint64_t i = 0; i < reps && rc == CLI_OK; i++) {
    loops[i] = time_loop(bench, out);
    memset(out, BENCH_POISON_BYTE, bytes);
    rc = time_call(bench, out, &calls[i]);
  }
  if (rc != CLI_OK) return rc;
  memcpy(bench->host, out, bytes);
  const bench_result time = bench_summarise(calls, reps);
  row->correct = (uint64_t)bench_mpi_is_right(bench);
  if (!row->correct) return CLI_FAILED;
  row->median = time.median_seconds;
  row->spread = time.spread;
  row->loop = bench_summarise(loops, reps).median_seconds;
  return CLI_OK;
}

static int measure_cold(bench_mpi_state *bench, double open_seconds) {
  ranks *all = bench->ranks;
  char caption[BENCH_CAPTION_BYTES];
  bench_row row;
  bench->total = bench->base.request->sizes[0] * (uint64_t)all->count;
  bench->some = all->all;
  int rc = bench_mpi_expect(bench);
  if (rc == CLI_OK) rc = bench_mpi_fill_host(bench);
  void *out = rc == CLI_OK ? malloc((size_t)(bench->base.n * bench->item_bytes)) : NULL;
  if (rc == CLI_OK && !out) rc = cli_fail("no memory for %" PRIu64 " results: give less --n", bench->base.n);
  if (out) memset(out, BENCH_POISON_BYTE, (size_t)(bench->base.n * bench->item_bytes)); /* allocates the pages */
  rc = ranks_agree(all, rc);
  bench_row_fill(&bench->base, &row);
  bench_mpi_fill_case(bench, &row);
  row.open = ranks_max(all, all->all, open_seconds);
  if (rc == CLI_OK) rc = time_calls(bench, out, &row);
  bench_describe(&bench->base, caption, sizeof caption);
  if (bench->base.table && row.correct != UINT64_MAX) bench_table_write(bench->base.table, &row, caption);
  free(out);
  free(bench->host);
  bench->host = NULL;
  bench->some = NULL;
  return ranks_agree(all, rc);
}

/* ---- all ---- */

static int measure_kind(bench_mpi_state *bench, scan_type type, scan_kind kind, double open_seconds) {
  const bench_request *r = bench->base.request;
  int rc = CLI_OK;
  bench->built_in = (scan_spec)SCAN_SPEC_INIT(type, SCAN_ADD, kind);
  bench->base.spec = bench->built_in;
  if (bench->op) bench->base.spec = (scan_spec)SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, kind);
  bench->base.spec.custom_op = bench->op;
  bench->job = &scans;
  bench->item_bytes = scan_type_bytes(type);
  memset(bench->due_total, 0, sizeof bench->due_total);
  if (r->cold) return measure_cold(bench, open_seconds);
  for (size_t i = 0; i < r->size_count && rc == CLI_OK; i++) rc = measure_size(bench, r->sizes[i]);
  return rc;
}

static int measure_type(bench_mpi_state *bench, scan_type type, double open_seconds) {
  const bench_request *r = bench->base.request;
  int rc = CLI_OK;
  if (r->source_count > 0) {
    const scan_status status = source_operator_create(&r->sources[0], type, bench->base.ctx, &bench->op);
    rc = status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(bench->base.ctx, status, "--op-source");
    rc = ranks_agree(bench->ranks, rc);
  }
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE && rc == CLI_OK; kind++)
    if (r->kinds[kind]) rc = measure_kind(bench, type, (scan_kind)kind, open_seconds);
  scan_op_destroy(bench->op);
  bench->op = NULL;
  return rc;
}

/** Measures the requested sorts of a type. */
static int measure_sorts(bench_mpi_state *bench, scan_type type) {
  const bench_mpi_request *r = (const bench_mpi_request *)bench->base.request;
  int rc = CLI_OK;
  bench->job = &bench_mpi_sorts;
  bench->built_in = (scan_spec)SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE);
  for (uint32_t what = 0; what < BENCH_SORTS; what++)
    for (int shape = 0; shape < BENCH_MPI_SHAPES && r->sorts[what]; shape++) {
      bench->what = what;
      bench->shape = (bench_mpi_shape)shape;
      for (size_t i = 0; i < r->base.size_count && r->shapes[shape] && rc == CLI_OK; i++)
        rc = measure_size(bench, r->base.sizes[i]);
    }
  return rc;
}

/** Measures each type and kind; --cold has one of each. */
static int mpi_measure(bench_mpi_state *bench, double open_seconds) {
  const bench_request *r = bench->base.request;
  int rc = CLI_OK;
  for (size_t t = 0; t < r->type_count && rc == CLI_OK; t++)
    rc = bench_mpi_has_sorts((const bench_mpi_request *)r) ? measure_sorts(bench, r->types[t])
                                                           : measure_type(bench, r->types[t], open_seconds);
  return rc;
}

static int open_and_measure(const bench_mpi_request *request, ranks *all) {
  bench_table table;
  bench_mpi_state bench = { .base = { .request = &request->base, .measurement = &bench_mpi, .buffers = { .pairs = 1 } },
                            .ranks = all };
  const double begun = cli_seconds();
  int rc = ranks_open_device(all, request->device, request->threads, &bench.base.ctx, &bench.base.info);
  const double open_seconds = cli_seconds() - begun;
  if (rc == CLI_OK) rc = bench_entries_make(&bench.base);
  if (all->rank == 0 && rc == CLI_OK) {
    rc = bench_table_open(&table, &request->base);
    if (rc == CLI_OK) bench.base.table = &table;
  }
  all->mpi->library(bench.library, sizeof bench.library);
  rc = ranks_agree(all, rc);
  if (rc == CLI_OK) rc = mpi_measure(&bench, open_seconds);
  if (bench.base.table && bench_table_close(&table) != CLI_OK) rc = CLI_FAILED;
  free(bench.base.entries);
  scan_ctx_destroy(bench.base.ctx);
  return rc;
}

static int mpi_run(int argc, char **argv, const bench_kind *const *measurements) {
  bench_mpi_request request = { .threads = 0 };
  ranks all;
  int rc = ranks_open(&all, argv[0]);
  if (rc != CLI_OK) return rc;
  if (all.rank != 0) progress_hide();
  rc = ranks_agree(&all, bench_parse(argc, argv, measurements, BENCH_KIND_MPI, &request.base));
  if (rc == CLI_HELP && all.rank == 0) bench_mpi_help();
  if (rc == CLI_OK) rc = open_and_measure(&request, &all);
  if (all.rank == 0 && cli_flush_output() != CLI_OK && rc == CLI_OK) rc = CLI_FAILED;
  rc = ranks_close(&all, rc == CLI_HELP ? CLI_OK : rc);
  return rc;
}

/* ---- lines ---- */

static int is_reported(const bench_entry *s) { return s->role == BENCH_SCAN; }

static void mpi_describe(const bench_state *base, char *text, size_t bytes) {
  const bench_mpi_state *bench = (const bench_mpi_state *)base;
  char title[BENCH_CAPTION_BYTES / 2];
  bench->job->title(bench, title, sizeof title);
  snprintf(text, bytes, "%s; %d rank%s, rank 0 on %s; %s", title, bench->ranks->count,
           bench->ranks->count == 1 ? "" : "s", base->info.selector, bench->library);
}

/** Sets the columns of scans over ranks. The scan of a rank's own elements takes the role of the copy. */
static void mpi_fill(const bench_entry *s, bench_row *row) {
  const bench_mpi_state *bench = (const bench_mpi_state *)s->bench;
  bench_mpi_fill_case(bench, row);
  row->sent_bytes = bench->sent_bytes;
  row->alone_ratio = row->limit_ratio;
  if (!s->wrong) row->alone = bench_evaluate(s->bench->entries, s->bench->request->reps).median_seconds;
}

const bench_kind bench_mpi = { .name = "mpi",
                               .options = bench_mpi_options,
                               .request_bytes = sizeof(bench_mpi_request),
                               .bench_state_bytes = sizeof(bench_mpi_state),
                               .reps = 20,
                               .help = bench_mpi_help,
                               .complete = bench_mpi_complete,
                               .run = mpi_run,
                               .list = mpi_list,
                               .poison = mpi_poison,
                               .check = mpi_check,
                               .begin = mpi_begin,
                               .end = mpi_end,
                               .is_reported = is_reported,
                               .describe = mpi_describe,
                               .fill = mpi_fill };
