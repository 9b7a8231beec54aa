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
  int count, first, all; /**< Contexts of this rank, the number of its first one, and contexts of all. */
  scan_mpi *mpi;
  void (*arm)(void), (*disarm)(void); /**< Called before and after what may fail; NULL: nothing is called. */
  int (*live)(void);                  /**< Counts what the fake CUDA driver has given out; NULL: there is none. */
  int has_strays;   /**< 1: messages of the last exchange are left, and with them its communicator and memory. */
  char words[2048]; /**< The error text of the last exchange. */
} exchange_set;

/** Opens the contexts and makes a handle. */
void exchange_set_open(exchange_set *s, group *g);
void exchange_set_close(exchange_set *s);

/** Looks up a function of the library that the variable names; NULL: there is none. */
void *exchange_look_up(const char *variable, const char *name);

/** SMALL: at most a few thousand bytes for each pair of contexts. LARGE: some pairs have several MiB. RESERVED: as
 * large, of device memory, after scan_mpi_exchange_reserve where each rank has one context. */
typedef enum exchange_size { EXCHANGE_SMALL, EXCHANGE_LARGE, EXCHANGE_RESERVED } exchange_size;

/** Runs an exchange, by a handle that lives for this call where s->mpi is NULL. Checks that all ranks have succeeded,
 *  unless may_fail, and the bytes where they have. Returns the status, the same on all ranks. */
scan_status exchange_run(exchange_set *s, struct rng *rng, exchange_size size, int may_fail);

#endif
