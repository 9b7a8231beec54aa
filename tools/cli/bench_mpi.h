/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi.h @brief The parts of `scanrt bench --mpi`: command line, measurements, checks, reports. */
#ifndef SCANRT_CLI_BENCH_MPI_H
#define SCANRT_CLI_BENCH_MPI_H

#include <string.h>

#include "bench.h"
#include "bench_sort.h"
#include "ranks.h"

/** How the number of elements depends on the number of ranks. */
typedef enum bench_scaling {
  BENCH_WEAK,  /**< n elements on each rank. */
  BENCH_STRONG /**< n times the number of all ranks, whatever number of ranks takes part. */
} bench_scaling;

/** Keys of sorts. */
typedef enum bench_mpi_shape {
  BENCH_MPI_RANDOM,
  BENCH_MPI_BITS24, /**< Random numbers below 2^24. */
  BENCH_MPI_EQUAL,
  BENCH_MPI_SHAPES
} bench_mpi_shape;

/** The parsed command line. */
typedef struct bench_mpi_request {
  bench_request base;           /**< Uses its types, kinds, sizes, rounds, --cold and reports. */
  const char *device;           /**< The last of base.devices; NULL: chosen by ranks_device. */
  uint64_t threads;             /**< Threads of a host device; 0: the library's default. */
  int scalings[2];              /**< Indexed by bench_scaling: 1 if requested. */
  int sorts[BENCH_SORTS];       /**< Requested outputs of sorts, in place of scans. */
  int shapes[BENCH_MPI_SHAPES]; /**< Requested keys of sorts. */
} bench_mpi_request;

enum { BENCH_MPI_LIBRARY_BYTES = 96 };

typedef struct bench_mpi_state bench_mpi_state;

/** The functions of a kind of measurement: scans, sorts. */
typedef struct bench_mpi_job {
  int (*fill)(bench_mpi_state *bench);         /**< Allocates and fills bench->host, and sets what is expected. */
  scan_status (*plan)(bench_mpi_state *bench); /**< Makes bench->plan. */
  scan_status (*plan_alone)(bench_mpi_state *bench, scan_plan **plan);
  scan_status (*run)(bench_mpi_state *bench);
  scan_status (*run_alone)(bench_mpi_state *bench, scan_plan *plan);
  int (*is_right)(const bench_mpi_state *bench); /**< 1 if all ranks' results in bench->host are right. Collective. */
  const char *(*kind)(const bench_mpi_state *bench); /**< The column "kind". */
  void (*title)(const bench_mpi_state *bench, char *text, size_t bytes);
} bench_mpi_job;

/** The ranks, and the case being measured. */
struct bench_mpi_state {
  bench_state base; /**< Only rank 0 has a table. */
  const bench_mpi_job *job;
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
  uint64_t bytes;        /**< Size of this rank's elements. */
  void *host;            /**< n elements on the host. */
  uint64_t sent_bytes;   /**< Bytes sent by the rank that sent most. */
  uint64_t due[2];       /**< Rank 0: expected checksum of the results, by bench_scaling. */
  uint64_t due_total[2]; /**< Number of elements that due[] was computed for. */
  /* For sorts: */
  uint32_t what; /**< A BENCH_SORT_ of peer.h. */
  bench_mpi_shape shape;
  uint64_t values_at; /**< In the memory of a rank: offset of the values or indices. */
  uint64_t due_sum;   /**< Sum of the hashes of all ranks' elements. */
};

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

extern const bench_mpi_job bench_mpi_sorts;
extern const char *const bench_mpi_shape_names[BENCH_MPI_SHAPES];

/** Returns the bits of element i of an array. */
static inline uint64_t bench_mpi_bits(const void *elements, uint64_t item_bytes, uint64_t i) {
  uint64_t bits = 0;
  memcpy(&bits, (const unsigned char *)elements + i * item_bytes, (size_t)item_bytes);
  return bits;
}

/** 1 if sorts are requested, and no scans. */
static inline int bench_mpi_has_sorts(const bench_mpi_request *r) {
  return r->sorts[BENCH_SORT_KEYS] || r->sorts[BENCH_SORT_PAIRS] || r->sorts[BENCH_SORT_ARGSORT];
}

/** Divides bench->total among the ranks that take part. */
void bench_mpi_divide(bench_mpi_state *bench);

/** Sets the columns that only scans over ranks have. */
void bench_mpi_fill_case(const bench_mpi_state *bench, bench_row *row);

#endif
