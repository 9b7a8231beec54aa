/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi.h @brief The parts of `scanrt bench --mpi`: command line, measurements, checks, reports. */
#ifndef SCANRT_CLI_BENCH_MPI_H
#define SCANRT_CLI_BENCH_MPI_H

#include "bench.h"
#include "ranks.h"

/** How the number of elements depends on the number of ranks. */
typedef enum bench_scaling {
  BENCH_WEAK,  /**< n elements on each rank. */
  BENCH_STRONG /**< n times the number of all ranks, whatever number of ranks takes part. */
} bench_scaling;

/** The parsed command line. */
typedef struct bench_mpi_request {
  bench_request base; /**< Uses its types, kinds, sizes, rounds, --cold and reports. */
  const char *device; /**< The last of base.devices; NULL: chosen by ranks_device. */
  uint64_t threads;   /**< Threads of a host device; 0: the library's default. */
  int scalings[2];    /**< Indexed by bench_scaling: 1 if requested. */
} bench_mpi_request;

enum { BENCH_MPI_LIBRARY_BYTES = 96 };

/** The ranks, and the case being measured. */
typedef struct bench_mpi_state {
  bench_state base; /**< Only rank 0 has a table. */
  ranks *ranks;
  char library[BENCH_MPI_LIBRARY_BYTES];
  scan_op *op;        /**< Operator from source of the measured type; NULL: the built-in one is measured. */
  scan_spec built_in; /**< A built-in sum with the same results as base.spec. */
  uint64_t item_bytes;
  bench_scaling scaling;
  uint64_t total; /**< Elements of all ranks that take part. */
  uint64_t first; /**< Elements of the ranks before this one. */
  mpi_ranks *some;
  scan_mpi *mpi;
  scan_mpi_plan *plan;
  scan_mem in, out;
  void *host;            /**< n elements on the host. */
  uint64_t sent_bytes;   /**< Bytes sent by the rank that sent most. */
  uint64_t due[2];       /**< Rank 0: expected checksum of the results, by bench_scaling. */
  uint64_t due_total[2]; /**< Number of elements that due[] was computed for. */
} bench_mpi_state;

/** Functions of bench_kind. */
int bench_mpi_complete(const char *command, bench_request *request);
void bench_mpi_help(void);

/** Divides the total among the ranks that take part; allocates and fills bench->host. @return CLI_OK or CLI_FAILED */
int bench_mpi_fill_host(bench_mpi_state *bench);

/** Rank 0: computes the checksum of the reference's results for bench->total elements. @return CLI_OK or CLI_FAILED */
int bench_mpi_expect(bench_mpi_state *bench);

/** 1 if the results in bench->host are right on all ranks that take part. Collective over these. */
int bench_mpi_is_right(const bench_mpi_state *bench);

/** Returns the worst status of the ranks that take part. Collective over these. */
int bench_mpi_agree(const bench_mpi_state *bench, int rc);

/** Sets the columns that only scans over ranks have. */
void bench_mpi_fill_case(const bench_mpi_state *bench, bench_row *row);

#endif
