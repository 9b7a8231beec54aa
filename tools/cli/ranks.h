/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file ranks.h
 * @brief The ranks of `scanrt run --mpi` and `scanrt bench --mpi`: MPI by its module, and how they end together.
 *
 * Between two agreements a rank does what can fail on it alone; what all take part in stands behind an agreement. What
 * a rank says of its faults is kept until then, and printed by rank 0, once where several say the same.
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
  int local_rank;                /**< Among the ranks of its host. */
  char words[RANKS_WORDS_BYTES]; /**< Kept. */
} ranks;

/** Whether --mpi is among the options. */
int ranks_asked(int argc, char **argv);

/** Refuses to work as one of many processes that know nothing of each other. @return CLI_OK or CLI_USAGE */
int ranks_refuse_many(const char *command);

/** Loads the module and starts MPI. @return CLI_OK; then ranks_close, whatever fails. CLI_FAILED after saying why;
 *  CLI_USAGE where a launcher of another MPI has started the processes */
int ranks_open(ranks *r, const char *command);

/** Agrees on the worst status of all ranks, whose words are printed. @return it */
int ranks_agree(ranks *r, int rc);

/** Agrees, and ends MPI. @return what was agreed on */
int ranks_close(ranks *r, int rc);

/** The largest of all ranks' numbers; their sum; a value of rank 0. */
double ranks_max(const ranks *r, const mpi_ranks *of, double own);
uint64_t ranks_sum(const ranks *r, const mpi_ranks *of, uint64_t own);
uint64_t ranks_from_first(const ranks *r, const mpi_ranks *of, uint64_t own);

/** This rank's device. @param given  of --device; KIND:local is the one of that kind whose place is this rank's among
 *  those of its host, counted around. NULL: $SCANRT_DEVICE, cuda:local where there is a CUDA device, or the default.
 *  @param[out] selector  "": the default. @return CLI_OK or CLI_FAILED */
int ranks_device(const ranks *r, const char *given, char selector[CLI_SELECTOR_BYTES]);

/** Opens it. @param threads  of a host device; 0: the library's choice */
int ranks_open_device(const ranks *r, const char *given, uint64_t threads, scan_ctx **ctx, scan_device_info *info);

/** Words a failed call of the module. @param mpi  NULL: a call without a handle. @return CLI_FAILED */
int ranks_fail(const ranks *r, const scan_mpi *mpi, scan_status status, const char *what);

#endif
