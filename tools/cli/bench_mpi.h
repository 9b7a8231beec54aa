/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi.h @brief The parts of `scanrt bench --mpi`: command line, measurements, checks, reports. */
#ifndef SCANRT_CLI_BENCH_MPI_H
#define SCANRT_CLI_BENCH_MPI_H

#include "bench.h"
#include "ranks.h"

/** How many elements all ranks together have. */
typedef enum bench_scaling {
  BENCH_WEAK,  /**< n a rank. */
  BENCH_STRONG /**< n times all ranks, however many of them take part. */
} bench_scaling;

/** What the command line asks for. */
typedef struct bench_mpi_request {
  bench_request base; /**< Of it types, kinds, sizes, rounds, --cold and the reports. */
  const char *device; /**< Of base.devices the last one; NULL: as ranks_device has it. */
  uint64_t threads;   /**< Of a host device; 0: the library's choice. */
  int scalings[2];    /**< Indexed by bench_scaling: 1 when wanted. */
} bench_mpi_request;

enum { BENCH_MPI_LIBRARY_BYTES = 96 };

/** The ranks, and those that take part. */
typedef struct bench_mpi_lab {
  bench_lab base; /**< Rank 0 alone has a sheet. */
  ranks *ranks;
  char library[BENCH_MPI_LIBRARY_BYTES];
  scan_op *op;        /**< From source, of the type that is measured; NULL: the built-in one is. */
  scan_spec built_in; /**< What has the same results as base.spec: the built-in sum. */
  uint64_t item_bytes;
  bench_scaling scaling;
  uint64_t total; /**< Elements of all that take part, */
  uint64_t first; /**< of those before this rank. */
  mpi_ranks *some;
  scan_mpi *mpi;
  scan_mpi_plan *plan;
  scan_mem in, out;
  void *host;            /**< n elements. */
  uint64_t sent_bytes;   /**< By the rank that sent most. */
  uint64_t due[2];       /**< Rank 0: what the results' bits come to, by bench_scaling, */
  uint64_t due_total[2]; /**< of so many elements. */
} bench_mpi_lab;

/** As bench_family has them. */
int bench_mpi_complete(const char *command, bench_request *request);
void bench_mpi_help(void);

/** Cuts the total among those that take part, and fills lab->host, which is allocated. @return CLI_OK or CLI_FAILED */
int bench_mpi_fill_host(bench_mpi_lab *lab);

/** Rank 0: computes what results of lab->total elements come to, by the reference. @return CLI_OK or CLI_FAILED */
int bench_mpi_expect(bench_mpi_lab *lab);

/** Whether the results in lab->host are right on all ranks that take part. Collective over these. */
int bench_mpi_is_right(const bench_mpi_lab *lab);

/** The worst status of those that take part. Collective over these. */
int bench_mpi_agree(const bench_mpi_lab *lab, int rc);

/** Sets the columns of the case that scans over ranks alone have. */
void bench_mpi_fill_case(const bench_mpi_lab *lab, bench_row *row);

#endif
