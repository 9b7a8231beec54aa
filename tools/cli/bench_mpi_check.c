/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi_check.c @brief Elements of `scanrt bench --mpi`, checks of the results, and the columns of its
 * cases. */
#include "bench_mpi.h"
#include "bench_mpi_elements.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void bench_mpi_divide(bench_mpi_state *bench) {
  const mpi_module *mpi = bench->ranks->mpi;
  const uint64_t count = (uint64_t)mpi->count(bench->some), rank = (uint64_t)mpi->rank(bench->some);
  const uint64_t share = bench->total / count;
  bench->first = rank * share;
  bench->base.n = rank + 1 < count ? share : bench->total - bench->first;
}

int bench_mpi_fill_host(bench_mpi_state *bench) {
  bench_mpi_divide(bench);
  bench->bytes = bench->base.n * bench->item_bytes;
  bench->host = malloc((size_t)bench->bytes);
  if (!bench->host) return cli_fail("no memory for %" PRIu64 " elements: give less --n", bench->base.n);
  bench_mpi_fill(bench->built_in.type, bench->item_bytes, bench->first, bench->base.n, bench->host);
  return CLI_OK;
}

/** Returns a checksum over the bits and the indices of all elements. */
static uint64_t sum_bits(const bench_mpi_state *bench, const void *elements, uint64_t first, uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t bits = bench_mpi_bits(elements, bench->item_bytes, i);
    sum += (bits + 1) * (2 * (first + i) + 1) ^ bits << 20;
  }
  return sum;
}

int bench_mpi_expect(bench_mpi_state *bench) {
  const bench_scaling scaling = bench->scaling;
  if (bench->ranks->rank != 0 || bench->due_total[scaling] == bench->total) return CLI_OK;
  const bench_scaling other = scaling == BENCH_WEAK ? BENCH_STRONG : BENCH_WEAK;
  if (bench->due_total[other] == bench->total) {
    bench->due[scaling] = bench->due[other];
  } else {
    void *all = malloc((size_t)(bench->total * bench->item_bytes));
    if (!all) return cli_fail("no memory for the reference of %" PRIu64 " elements: give less --n", bench->total);
    bench_mpi_fill(bench->built_in.type, bench->item_bytes, 0, bench->total, all);
    reference_scan(&bench->built_in, bench->total, all, all);
    bench->due[scaling] = sum_bits(bench, all, 0, bench->total);
    free(all);
  }
  bench->due_total[scaling] = bench->total;
  return CLI_OK;
}

int bench_mpi_is_right(const bench_mpi_state *bench) {
  const uint64_t own = sum_bits(bench, bench->host, bench->first, bench->base.n);
  const uint64_t all = ranks_sum(bench->ranks, bench->some, own);
  return all == ranks_from_first(bench->ranks, bench->some, bench->due[bench->scaling]);
}

int bench_mpi_agree(const bench_mpi_state *bench, int rc) { return (int)ranks_max(bench->ranks, bench->some, rc); }

void bench_mpi_fill_case(const bench_mpi_state *bench, bench_row *row) {
  row->mpi = bench->library;
  row->takes_device_memory = bench->mpi ? (uint64_t)bench->ranks->mpi->takes_device_memory(bench->mpi) : 0;
  row->type = scan_type_name(bench->built_in.type);
  row->kind = bench->job->kind(bench);
  row->from_source = bench->op != NULL;
  row->op_source = bench->op ? "add" : NULL;
  row->scaling = bench->scaling == BENCH_WEAK ? "weak" : "strong";
  row->ranks = (uint64_t)bench->ranks->mpi->count(bench->some);
}
