/* SPDX-License-Identifier: BSD-2-Clause */
/** @file counts.h @brief Counts what a program asks of MPI, by MPI's profiling interface: the functions that counts.c
 * defines stand before MPI's own. */
#ifndef SCANRT_MPI_COUNTS_H
#define SCANRT_MPI_COUNTS_H

#include <stdint.h>

enum { COUNT_ALLREDUCE, COUNT_BCAST, COUNT_ALLGATHER, COUNT_ALLTOALL, COUNT_EXSCAN, COUNT_SEND, COUNT_KINDS };

/** Calls of one kind. MPI_Allgather and MPI_Allgatherv are one kind. */
typedef struct mpi_count {
  uint64_t calls;
  uint64_t bytes; /**< That this rank has after the calls: those of all ranks for gathers; for sends those sent. */
} mpi_count;

/** Returns the name of a kind of calls. */
const char *counts_name(int kind);

/** Sets all counts to 0. */
void counts_clear(void);

/** Copies this rank's counts. */
void counts_read(mpi_count counts[COUNT_KINDS]);

#endif
