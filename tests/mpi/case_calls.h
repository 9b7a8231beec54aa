/* SPDX-License-Identifier: BSD-2-Clause */
/** @file case_calls.h @brief The calls of libscanrt_mpi that cases make. */
#ifndef SCANRT_TESTS_MPI_CASE_CALLS_H
#define SCANRT_TESTS_MPI_CASE_CALLS_H

#include <scanrt/scan_mpi_runs.h>

#include "case_part.h"

/** The argument of case_call_ranks. */
typedef struct case_ranks {
  scan_mpi *mpi;
  const case_whole *whole;
  const case_piece *piece;
  scan_mpi_part got[SCAN_PARTITION3_PARTS]; /**< The places that the call gave. */
} case_ranks;

/** Returns why ranks cannot make the case's call; NULL: they can. */
const char *case_lacking(const scan_case *c, int ranks);

/** The call of case_run_by over ranks. @param user  a case_ranks */
scan_status case_call_ranks(scan_ctx *ctx, case_functions *functions, scan_case *c, case_memory *m, void *user);

#endif
