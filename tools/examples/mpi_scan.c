/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file mpi_scan.c
 * @brief Scans over rows that are distributed among the ranks of MPI: their offsets in a shared matrix, and a running
 * sum whose bits do not depend on the number of ranks.
 *
 * Usage: mpirun -n 4 mpi_scan. Each rank has a different number of rows, the last one none.
 * Exit status: 0 the results are right; 1 they are wrong, or a call failed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <scanrt/scan_mpi.h>

enum { ROWS = 100000 };

/** Returns the entries of a row. @param row  its number among the rows of all ranks */
static uint32_t entries_of(uint64_t row) { return (uint32_t)(row * 2654435761u % 7); }

/** Scans this rank's rows. @param first  number of the first one. @return 0, or -1 after printing the fault */
static int scan_rows(scan_mpi *mpi, uint64_t rows, uint64_t first, uint32_t *offsets, double *sums) {
  const scan_spec exclusive = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_EXCLUSIVE);
  const scan_spec inclusive = SCAN_SPEC_INIT(SCAN_F64, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_args of_offsets = SCAN_ARGS_INIT(scan_host(offsets), scan_host(offsets));
  const scan_args of_sums = SCAN_ARGS_INIT(scan_host(sums), scan_host(sums));
  for (uint64_t i = 0; i < rows; i++) {
    offsets[i] = entries_of(first + i);
    sums[i] = 1.0 / (double)(first + i + 1);
  }
  if (scan_mpi_run_args(mpi, &exclusive, rows, &of_offsets) == SCAN_SUCCESS &&
      scan_mpi_run_args(mpi, &inclusive, rows, &of_sums) == SCAN_SUCCESS)
    return 0;
  fprintf(stderr, "%s\n", scan_mpi_last_error(mpi));
  return -1;
}

/** 1 if the offsets are those of a plain loop over all rows before. */
static int offsets_are_right(uint64_t rows, uint64_t first, const uint32_t *offsets) {
  uint32_t offset = 0;
  for (uint64_t row = 0; row < first; row++) offset += entries_of(row);
  for (uint64_t i = 0; i < rows; i++) {
    if (offsets[i] != offset) return 0;
    offset += entries_of(first + i);
  }
  return 1;
}

static int run(scan_mpi *mpi, int rank, int ranks) {
  const uint64_t rows = rank + 1 < ranks || ranks == 1 ? ROWS + 1000 * (uint64_t)rank : 0;
  uint32_t *offsets = malloc((rows + 1) * sizeof *offsets);
  double *sums = malloc((rows + 1) * sizeof *sums);
  uint64_t first = 0, all = 0;
  int failed = 1;
  if (scan_mpi_offsets(MPI_COMM_WORLD, rows, &first, &all) == SCAN_SUCCESS && offsets != NULL && sums != NULL)
    failed = scan_rows(mpi, rows, first, offsets, sums) != 0 || !offsets_are_right(rows, first, offsets);
  if (!failed && rank == 0)
    printf("%d ranks, %" PRIu64 " rows; the harmonic sum of rank 0's %" PRIu64 " is %a\n", ranks, all, rows,
           sums[rows - 1]);
  free(offsets);
  free(sums);
  return failed;
}

int main(int argc, char **argv) {
  scan_ctx *ctx = NULL;
  scan_mpi *mpi = NULL;
  int rank = 0, ranks = 0, failed = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  (void)scan_ctx_create(NULL, &ctx); /* if it fails on one rank, scan_mpi_create reports that on all ranks */
  if (scan_mpi_create(ctx, MPI_COMM_WORLD, &mpi) == SCAN_SUCCESS)
    failed = run(mpi, rank, ranks);
  else
    fprintf(stderr, "%s %s\n", scan_mpi_last_error(NULL), scan_last_error(NULL));
  scan_mpi_destroy(mpi);
  scan_ctx_destroy(ctx);
  MPI_Finalize();
  return failed;
}
