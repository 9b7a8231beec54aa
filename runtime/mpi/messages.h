/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds of messages between ranks. Every rank begins its messages of a round, and then all agree that they have:
 * if any rank could not begin one, all undo theirs, so that no rank waits for a message that is not sent.
 *
 * Messages between two ranks have no numbers: both ranks begin them in one order, and MPI delivers them in it. */
#ifndef SCANRT_MPI_MESSAGES_H
#define SCANRT_MPI_MESSAGES_H

#include "mpi/mpi.h"

enum { TAG_ELEMENTS = 1, TAG_FLAGS = 2 };

typedef struct mpi_messages {
  MPI_Request *requests;
  MPI_Status *statuses;
  char *is_send; /* of each request: 1: a send */
  uint64_t room; /* number of requests that there is memory for */
  int count;     /* requests of the current round */
} mpi_messages;

/* Allocates memory for this many messages of a round, unless there is enough. */
scan_status scan_mpi_messages_reserve(scan_mpi *mpi, mpi_messages *messages, uint64_t room);
void scan_mpi_messages_free(mpi_messages *messages);

/* Begins a message. At most 2^31 - 1 bytes. */
scan_status scan_mpi_send(scan_mpi *mpi, mpi_messages *messages, const void *from, uint64_t bytes, int rank, int tag);
scan_status scan_mpi_receive(scan_mpi *mpi, mpi_messages *messages, void *to, uint64_t bytes, int rank, int tag);

/* Ends a round: agrees with all ranks that each has begun its messages, and waits for this rank's. Collective.
 * @param begun              this rank's status of beginning them.
 * @param[out] is_abandoned  1: a rank could not begin a message, so that all ranks return its failure, and none has
 *                           received anything. 0: a failure that is returned is this rank's alone. */
scan_status scan_mpi_messages_finish(scan_mpi *mpi, mpi_messages *messages, scan_status begun, int *is_abandoned);

#endif
