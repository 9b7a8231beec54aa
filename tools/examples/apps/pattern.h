/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file pattern.h
 * @brief The pattern of a sparse matrix over ranks, found once from the places of triplets and kept for many sets of
 * values.
 *
 * Each rank owns as many rows. pattern_make sorts the places of all ranks with the triplets' numbers, and moves both to
 * the rows' ranks. There they become columns, offsets and, for each triplet, the place of its value among this rank's
 * and the received ones. pattern_set then sends values to their ranks, and a kernel adds up those of one place: it
 * neither sorts nor allocates, and sends values alone.
 *
 * Values of one place are added up in the order of the triplets of all ranks, one after the other: so the bits depend
 * neither on the number of ranks nor on the device. Those of scan_mpi_reduce_by_key (coo_to_csr_mpi.c) do not, either,
 * but it has another order.
 *
 * libscanrt_mpi has no exchange by counts that a caller keeps: values go by MPI_Alltoallv, from a device through host
 * memory.
 */
#ifndef SCANRT_EXAMPLE_PATTERN_H
#define SCANRT_EXAMPLE_PATTERN_H

#include <scanrt/scan_mpi_sort.h>

#include "row_cuts.h"
#include "triplets.h"

/** Memory of a pattern. */
enum {
  PATTERN_PACKS,   /**< For each value that is sent its triplet. */
  PATTERN_PACKED,  /**< Values that are sent. */
  PATTERN_GIVEN,   /**< The caller writes the values of this rank's triplets; received ones come behind them. */
  PATTERN_NUMBERS, /**< For each triplet of this rank's rows the place of its value in PATTERN_GIVEN. */
  PATTERN_BEGIN,   /**< entries + 1: the first triplet of each entry. */
  PATTERN_COLUMN,
  PATTERN_OFFSET, /**< rows + 1 */
  PATTERN_VALUE,  /**< Sums of the entries. */
  PATTERN_MEMORIES
};

/** Numbers of values for each rank, and where they begin. */
typedef struct pattern_counts {
  int *sends, *send_places, *receives, *receive_places;
} pattern_counts;

typedef struct pattern {
  scan_ctx *ctx;
  scan_mpi *mpi;
  int rank, ranks;
  uint64_t own;            /**< This rank's triplets. */
  uint64_t wanted;         /**< Triplets of this rank's rows. */
  uint64_t sent, received; /**< Values that go to other ranks, and come from them. */
  uint64_t entries;        /**< Entries of this rank's rows. */
  uint32_t first_row, rows;
  scan_mem memory[PATTERN_MEMORIES];
  app_kernels *kernels, *splitting;
  pattern_counts counts;
  double *host[2]; /**< Memory that MPI sends from and receives to. */
  int is_staged;   /**< 1: `host` are copies of memory of a device. */
} pattern;

/** Finds the pattern. Collective; ends all ranks if a call fails. @param from  this rank's triplets: rows are those of
 * the whole matrix. @param place  their places, in memory of app_alloc. @param cuts  of ctx */
void pattern_make(scan_ctx *ctx, scan_mpi *mpi, const triplets *from, scan_mem place, row_cuts *cuts, pattern *made);

/** Adds up the values of PATTERN_GIVEN into PATTERN_VALUE, and waits. Collective. */
void pattern_set(pattern *p);

void pattern_destroy(pattern *p);

#endif
