/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi_cold.c @brief `scanrt bench --mpi --cold`: one call that makes all that it needs, from host memory.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench_mpi.h"
#include "plain_loop.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** Seconds of a call on the slowest rank. */
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

/** The last call's results take the elements' place in lab->host. */
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

int bench_mpi_cold(bench_mpi_lab *lab, double open_seconds) {
  ranks *all = lab->ranks;
  char caption[BENCH_CAPTION_BYTES];
  bench_row row;
  lab->total = lab->base.request->sizes[0] * (uint64_t)all->count;
  lab->some = all->all;
  int rc = bench_mpi_expect(lab);
  if (rc == CLI_OK) rc = bench_mpi_fill_host(lab);
  void *out = rc == CLI_OK ? malloc((size_t)(lab->base.n * lab->item_bytes)) : NULL;
  if (rc == CLI_OK && !out) rc = cli_fail("no memory for %" PRIu64 " results: give less --n", lab->base.n);
  if (out) memset(out, BENCH_POISON_BYTE, (size_t)(lab->base.n * lab->item_bytes)); /* its pages are there */
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
