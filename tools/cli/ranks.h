/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file ranks.h
 * @brief The ranks of `scanrt run --mpi`, `scanrt sort --mpi` and `scanrt bench --mpi`: loads MPI by its module, and
 * makes ranks fail together.
 *
 * Steps that can fail on one rank alone lie between two agreements (ranks_agree); collective steps follow an agreement.
 * Each rank keeps the words of its faults until then; rank 0 prints them, equal ones once.
 */
#ifndef SCANRT_CLI_RANKS_H
#define SCANRT_CLI_RANKS_H

#include "cli.h"
#include "mpi_module.h"

enum { RANKS_WORDS_BYTES = 2048 };

typedef struct ranks {
  const mpi_module *mpi;
  mpi_ranks *all;
  int rank, count;
  int local_rank;                /**< Number of this rank among those of its host. */
  char words[RANKS_WORDS_BYTES]; /**< Words of faults, kept until the next agreement. */
} ranks;

/** 1 if --mpi is among the options. */
int ranks_asked(int argc, char **argv);

/** Refuses to run as one of many processes that are not connected by --mpi. @return CLI_OK or CLI_USAGE */
int ranks_refuse_many(const char *command);

/** Loads the module and starts MPI. @return CLI_OK; call ranks_close in the end, whatever fails. CLI_FAILED after
 * saying why; CLI_USAGE if the launcher of another MPI started the processes */
int ranks_open(ranks *r, const char *command);

/** Agrees on the worst status of all ranks and prints their words. @return that status */
int ranks_agree(ranks *r, int rc);

/** Agrees, and ends MPI. @return the status agreed on */
int ranks_close(ranks *r, int rc);

/** Returns the largest number of all ranks. */
double ranks_max(const ranks *r, const mpi_ranks *of, double own);
/** Returns the sum of all ranks' numbers. */
uint64_t ranks_sum(const ranks *r, const mpi_ranks *of, uint64_t own);
/** Returns the number of rank 0. */
uint64_t ranks_from_first(const ranks *r, const mpi_ranks *of, uint64_t own);

/** Chooses this rank's device.
 * @param given  value of --device. KIND:local is the device of that kind with this rank's number on its host, modulo
 * their count. NULL: $SCANRT_DEVICE, else cuda:local if there is a CUDA device, else the default.
 * @param[out] selector  "": the default device. @return CLI_OK or CLI_FAILED */
int ranks_device(const ranks *r, const char *given, char selector[CLI_SELECTOR_BYTES]);

/** Opens the device of ranks_device. @param threads  of a host device; 0: the library's default */
int ranks_open_device(const ranks *r, const char *given, uint64_t threads, scan_ctx **ctx, scan_device_info *info);

/** Words a failed call of the module. @param mpi  NULL: a call without a handle. @return CLI_FAILED */
int ranks_fail(const ranks *r, const scan_mpi *mpi, scan_status status, const char *what);

#endif
