/* SPDX-License-Identifier: BSD-2-Clause */
/* The exchange of elements between all ranks: each rank sends every rank a piece of its memory. */
#ifndef SCANRT_MPI_EXCHANGE_H
#define SCANRT_MPI_EXCHANGE_H

#include "mpi/mpi.h"

/* Host memory that an exchange copies through, of each direction, at most. */
enum { MPI_STAGE_BYTES = 1 << 26 };

/* Allocates what exchanges of up to `most_bytes` bytes of this context's memory need, so that they allocate nothing.
 * The handle keeps it. */
scan_status scanrt_mpi_exchange_reserve(scan_mpi *mpi, uint64_t most_bytes);

/* Frees the handle's memory. */
void scanrt_mpi_exchange_release(scan_mpi *mpi);

/* Exchanges elements. Rank r gets send_items[r] of them from place send_places[r] of `send`, and receive_items[r] from
 * rank r go to place receive_places[r] of `receive`. Memory is the host's or of this rank's first context, whose work
 * must be done. A rank whose copies fail takes part to the end, so that its status has to be agreed on. Collective. */
scan_status scanrt_mpi_exchange(scan_mpi *mpi, scan_mem send, const uint64_t *send_items, const uint64_t *send_places,
                                scan_mem receive, const uint64_t *receive_items, const uint64_t *receive_places,
                                size_t item_bytes);

#endif
