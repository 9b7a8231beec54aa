/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi_check.c @brief Elements of `scanrt bench --mpi`, checks of the results, and the columns of its
 * cases. */
#include "bench_mpi.h"
#include "bench_mpi_elements.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int bench_mpi_fill_host(bench_mpi_lab *lab) {
  const mpi_module *mpi = lab->ranks->mpi;
  const uint64_t count = (uint64_t)mpi->count(lab->some), rank = (uint64_t)mpi->rank(lab->some);
  const uint64_t share = lab->total / count;
  lab->first = rank * share;
  lab->base.n = rank + 1 < count ? share : lab->total - lab->first;
  lab->host = malloc((size_t)(lab->base.n * lab->item_bytes));
  if (!lab->host) return cli_fail("no memory for %" PRIu64 " elements: give less --n", lab->base.n);
  bench_mpi_fill(lab->built_in.type, lab->item_bytes, lab->first, lab->base.n, lab->host);
  return CLI_OK;
}

/** Returns the bits of element i. */
static uint64_t bits_of(const void *elements, uint64_t item_bytes, uint64_t i) {
  switch (item_bytes) {
  case 1: return ((const uint8_t *)elements)[i];
  case 2: return ((const uint16_t *)elements)[i];
  case 4: return ((const uint32_t *)elements)[i];
  default: return ((const uint64_t *)elements)[i];
  }
}

/** Returns a checksum over the bits and the indices of all elements. */
static uint64_t sum_bits(const bench_mpi_lab *lab, const void *elements, uint64_t first, uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t bits = bits_of(elements, lab->item_bytes, i);
    sum += (bits + 1) * (2 * (first + i) + 1) ^ bits << 20;
  }
  return sum;
}

int bench_mpi_expect(bench_mpi_lab *lab) {
  const bench_scaling scaling = lab->scaling;
  if (lab->ranks->rank != 0 || lab->due_total[scaling] == lab->total) return CLI_OK;
  const bench_scaling other = scaling == BENCH_WEAK ? BENCH_STRONG : BENCH_WEAK;
  if (lab->due_total[other] == lab->total) {
    lab->due[scaling] = lab->due[other];
  } else {
    void *all = malloc((size_t)(lab->total * lab->item_bytes));
    if (!all) return cli_fail("no memory for the reference of %" PRIu64 " elements: give less --n", lab->total);
    bench_mpi_fill(lab->built_in.type, lab->item_bytes, 0, lab->total, all);
    reference_scan(&lab->built_in, lab->total, all, all);
    lab->due[scaling] = sum_bits(lab, all, 0, lab->total);
    free(all);
  }
  lab->due_total[scaling] = lab->total;
  return CLI_OK;
}

int bench_mpi_is_right(const bench_mpi_lab *lab) {
  const uint64_t own = sum_bits(lab, lab->host, lab->first, lab->base.n);
  const uint64_t all = ranks_sum(lab->ranks, lab->some, own);
  return all == ranks_from_first(lab->ranks, lab->some, lab->due[lab->scaling]);
}

int bench_mpi_agree(const bench_mpi_lab *lab, int rc) { return (int)ranks_max(lab->ranks, lab->some, rc); }

void bench_mpi_fill_case(const bench_mpi_lab *lab, bench_row *row) {
  row->mpi = lab->library;
  row->takes_device_memory = lab->mpi ? (uint64_t)lab->ranks->mpi->takes_device_memory(lab->mpi) : 0;
  row->type = scan_type_name(lab->built_in.type);
  row->kind = bench_kind_name(lab->built_in.kind);
  row->from_source = lab->op != NULL;
  row->op_source = lab->op ? "add" : NULL;
  row->scaling = lab->scaling == BENCH_WEAK ? "weak" : "strong";
  row->ranks = (uint64_t)lab->ranks->mpi->count(lab->some);
}
