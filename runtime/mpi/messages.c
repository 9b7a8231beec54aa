/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi/messages.h"

void scan_mpi_messages_free(mpi_messages *messages) {
  free(messages->requests);
  free(messages->statuses);
  free(messages->is_send);
  *messages = (mpi_messages){ 0 };
}

scan_status scan_mpi_messages_reserve(scan_mpi *mpi, mpi_messages *messages, uint64_t room) {
  if (messages->room >= room) return SCAN_SUCCESS;
  scan_mpi_messages_free(messages);
  messages->requests = scan_mpi_allocate(mpi, room, sizeof(MPI_Request));
  messages->statuses = scan_mpi_allocate(mpi, room, sizeof(MPI_Status));
  messages->is_send = scan_mpi_allocate(mpi, room, 1);
  if (messages->requests == NULL || messages->statuses == NULL || messages->is_send == NULL) return SCAN_OUT_OF_MEMORY;
  messages->room = room;
  return SCAN_SUCCESS;
}

scan_status scan_mpi_send(scan_mpi *mpi, mpi_messages *messages, const void *from, uint64_t bytes, int rank, int tag) {
  MPI_TRY(
      MPI_CALL(mpi, MPI_Isend, from, (int)bytes, MPI_BYTE, rank, tag, mpi->comm, &messages->requests[messages->count]));
  messages->is_send[messages->count++] = 1;
  return SCAN_SUCCESS;
}

scan_status scan_mpi_receive(scan_mpi *mpi, mpi_messages *messages, void *to, uint64_t bytes, int rank, int tag) {
  MPI_TRY(
      MPI_CALL(mpi, MPI_Irecv, to, (int)bytes, MPI_BYTE, rank, tag, mpi->comm, &messages->requests[messages->count]));
  messages->is_send[messages->count++] = 0;
  return SCAN_SUCCESS;
}

/* Undoes messages that were begun. A send that no rank receives any more can neither be waited for nor, in every MPI,
 * be cancelled: it is freed. */
static void drop(mpi_messages *messages, int count) {
  for (int i = 0; i < count; i++) {
    if (messages->is_send[i]) {
      (void)MPI_Request_free(&messages->requests[i]);
      continue;
    }
    (void)MPI_Cancel(&messages->requests[i]);
    (void)MPI_Wait(&messages->requests[i], &messages->statuses[i]);
  }
}

scan_status scan_mpi_messages_finish(scan_mpi *mpi, mpi_messages *messages, scan_status begun, int *is_abandoned) {
  const int count = messages->count;
  const scan_status all = scan_mpi_agree(mpi, begun);
  messages->count = 0;
  *is_abandoned = all != SCAN_SUCCESS;
  if (all == SCAN_SUCCESS) return MPI_CALL(mpi, MPI_Waitall, count, messages->requests, messages->statuses);
  drop(messages, count);
  mpi->handle->has_strays = 1;
  return all;
}
