/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file mpi_module.h
 * @brief The functions of MPI and libscanrt_mpi that `scanrt run --mpi`, `scanrt sort --mpi` and `scanrt bench
 * --mpi` need. The module `libscanrt_tool_mpi.so` exports them as `scanrt_tool_mpi`, so that the program links neither
 * library.
 *
 * Calls come from one thread. A function is collective over the ranks passed to it unless stated otherwise. A failure
 * of MPI itself ends all ranks with MPI's own message, by its error handler.
 */
#ifndef SCANRT_CLI_MPI_MODULE_H
#define SCANRT_CLI_MPI_MODULE_H

#include <stdint.h>

#include <scanrt/scan.h>
#include <scanrt/scan_array.h>
#include <scanrt/scan_sort.h>

/** Version of this header. A module with another version is refused. */
enum { MPI_MODULE_VERSION = 3 };

/** Ranks that work together: a communicator. */
typedef struct mpi_ranks mpi_ranks;

typedef struct scan_mpi scan_mpi;           /**< As in scan_mpi.h, which includes mpi.h. */
typedef struct scan_mpi_plan scan_mpi_plan; /**< As in scan_mpi.h. */

typedef struct mpi_module {
  uint32_t version; /**< MPI_MODULE_VERSION. */

  /** Starts MPI, once in a process. @return all ranks; NULL when memory ran out or MPI was started before. */
  mpi_ranks *(*begin)(void);
  /** Frees all ranks and ends MPI. */
  void (*end)(mpi_ranks *all);

  int (*rank)(const mpi_ranks *ranks);  /**< Number of this rank. Not collective. */
  int (*count)(const mpi_ranks *ranks); /**< Number of ranks. Not collective. */
  /** Number of this rank among those of its host. */
  int (*local_rank)(const mpi_ranks *ranks);
  /** Writes the first line of MPI's description of itself. Not collective. @param text  text_bytes */
  void (*library)(char *text, size_t text_bytes);

  /** Makes a group of the first `count` ranks; returns NULL on the others. Free it with leave. */
  mpi_ranks *(*first)(const mpi_ranks *ranks, int count);
  void (*leave)(mpi_ranks *ranks); /**< NULL is accepted. */
  /** Gathers the bytes of each rank on all ranks. @param[out] all  count times `bytes`, in the order of the ranks */
  void (*gather)(const mpi_ranks *ranks, const void *own, int bytes, void *all);
  void (*wait)(const mpi_ranks *ranks); /**< Waits until all ranks call it. */

  /* Functions of scan_mpi.h with these names; `ranks` is their communicator. */
  scan_status (*create)(scan_ctx *ctx, const mpi_ranks *ranks, scan_mpi **mpi);
  void (*destroy)(scan_mpi *mpi);
  const char *(*last_error)(const scan_mpi *mpi);
  int (*takes_device_memory)(const scan_mpi *mpi);
  uint64_t (*sent_bytes)(const scan_mpi *mpi);
  scan_status (*run)(scan_ctx *ctx, const mpi_ranks *ranks, const scan_spec *spec, uint64_t local_n, scan_mem in,
                     scan_mem out);
  scan_status (*run_args)(scan_mpi *mpi, const scan_spec *spec, uint64_t local_n, const scan_args *args);
  scan_status (*overflow_index)(const scan_mpi *mpi, uint64_t *index);
  scan_status (*plan_create)(scan_mpi *mpi, const scan_spec *spec, uint64_t max_local_n, scan_mpi_plan **plan);
  scan_status (*plan_run)(scan_mpi_plan *plan, uint64_t local_n, scan_mem in, scan_mem out);
  void (*plan_destroy)(scan_mpi_plan *plan);
  scan_status (*run_array)(scan_mpi *mpi, const scan_spec *spec, const scan_array *array, scan_mem in, scan_mem out);
  /* Sorts by SCAN_MPI_AS_GIVEN. */
  scan_status (*sort)(scan_mpi *mpi, const scan_sort_spec *spec, uint64_t local_n, const scan_sort_args *args);
  scan_status (*plan_create_sort)(scan_mpi *mpi, const scan_sort_spec *spec, uint64_t max_local_n,
                                  scan_mpi_plan **plan);
  scan_status (*plan_run_sort)(scan_mpi_plan *plan, uint64_t local_n, const scan_sort_args *args);
} mpi_module;

/** Type of the function that the module exports. @return its table, never NULL */
typedef const mpi_module *mpi_module_get(void);

#define MPI_MODULE_SYMBOL "scanrt_tool_mpi"

#endif
