/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file ranks.h
 * @brief Arrays of rank 0 dealt out evenly to all ranks of MPI_COMM_WORLD, and gathered again.
 *
 * All functions but ranks_first are collective. If MPI fails, its error handler ends the program.
 */
#ifndef SCANRT_EXAMPLE_RANKS_H
#define SCANRT_EXAMPLE_RANKS_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include <scanrt/scan.h>

#include "triplets.h"

/** Returns the number of elements of the ranks before `rank` if `n` elements are dealt out evenly. */
uint64_t ranks_first(uint64_t n, int rank);

/** Makes this rank's context: on $SCANRT_DEVICE, where cuda:local is the device of the rank's number on its host; on
 * the host with this rank's share of the processors, which the launcher must not bind it to. */
scan_status ranks_context(scan_ctx **ctx);

/** Returns the largest exit status of all ranks. */
int ranks_agree(int rc);

/** Deals out n elements. @param all  of rank 0; other ranks may have NULL. @param[out] own  this rank's */
void ranks_deal(const void *all, uint64_t n, size_t element_bytes, void *own);

/** Gathers elements in the order of the ranks. @param[out] all  room on rank 0 for all; other ranks may have NULL */
void ranks_gather(const void *own, uint64_t count, size_t element_bytes, void *all);

/** Waits for all ranks without using the processor, as others may be timed. */
void ranks_rest(void);

/** Deals out triplets. @param all  of rank 0. @param[out] own  this rank's, for triplets_free; rows, most_entries and
 * tolerance are those of the whole. @return an exit status, the same on all ranks */
int ranks_deal_triplets(const triplets *all, triplets *own);

/** Gathers the rows of all ranks. @param own  offsets count from 0. @param[out] all  of csr_alloc on rank 0 */
void ranks_gather_rows(const csr *own, csr *all);

#endif
