/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file exchange_case.h
 * @brief Random exchanges between the contexts of all ranks. Every rank draws the same numbers.
 */
#ifndef SCANRT_TESTS_MPI_EXCHANGE_CASE_H
#define SCANRT_TESTS_MPI_EXCHANGE_CASE_H

#include "group.h"
#include "mpi/transport.h"

enum { EXCHANGE_MOST_OWN = 2, EXCHANGE_MOST = 32 };

/** Contexts of this rank: one, or with SCANRT_TEST_CONTEXTS=1 two on odd ranks. */
typedef struct exchange_set {
  group *g;
  scan_ctx *ctxs[EXCHANGE_MOST_OWN];
  int count, all; /**< Contexts of this rank and of all. */
  scan_mpi *mpi;
} exchange_set;

/** Opens the contexts and makes a handle. */
void exchange_set_open(exchange_set *s, group *g);
void exchange_set_close(exchange_set *s);

/** SMALL: at most a few thousand bytes for each pair of contexts. LARGE: some pairs have several MiB. */
typedef enum exchange_size { EXCHANGE_SMALL, EXCHANGE_LARGE } exchange_size;

/** Runs an exchange. Checks that all ranks have succeeded, with the right bytes, unless may_fail. Returns the status,
 *  the same on all ranks. */
scan_status exchange_run(exchange_set *s, struct rng *rng, exchange_size size, int may_fail);

#endif
