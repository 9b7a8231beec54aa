/* SPDX-License-Identifier: BSD-2-Clause */
/* The moves of an exchange, and their messages. Between two ranks, sends come in the order of (sender, receiver), and
 * so do receives: messages then match. Each rank sends to the next rank first, so that no rank receives from all at
 * once.
 */
#include "mpi/transport.h"

/* Lists this rank's moves: sends by (own, other) from the next rank's contexts on, receives by (other, own). */
static int list_moves(const scan_mpi *mpi, const mpi_parcel *parcels, uint64_t item_bytes, int is_send,
                      mpi_move *moves) {
  const int next = mpi->first_contexts[mpi->rank + 1];
  int count = 0;
  for (int i = 0; i < mpi->own_contexts * mpi->contexts; i++) {
    const int own = is_send ? i / mpi->contexts : i % mpi->own_contexts;
    const int other = is_send ? (next + i) % mpi->contexts : i / mpi->own_contexts;
    const mpi_parcel *p = &parcels[own];
    const uint64_t place = is_send ? p->send_places[other] : p->receive_places[other];
    const uint64_t items = is_send ? p->send_items[other] : p->receive_items[other];
    if (items == 0 || scan_mpi_is_own(mpi, other)) continue;
    moves[count++] =
        (mpi_move){ own, other, scan_offset(is_send ? p->send : p->receive, place * item_bytes), items * item_bytes };
  }
  return count;
}

void scan_mpi_moves_list(mpi_exchange *exchange, const mpi_parcel *parcels, uint64_t item_bytes) {
  exchange->send_count = list_moves(exchange->mpi, parcels, item_bytes, 1, exchange->sends);
  exchange->receive_count = list_moves(exchange->mpi, parcels, item_bytes, 0, exchange->receives);
}

static scan_status begin_receives(const mpi_exchange *x, uint64_t done, uint64_t piece_bytes, char *received) {
  for (int i = 0; i < x->receive_count; i++) {
    const mpi_move *move = &x->receives[i];
    scan_mpi *own = &x->mpi[move->own];
    const uint64_t bytes = scan_mpi_move_bytes(move, done, piece_bytes);
    if (bytes == 0) continue;
    char *to = received != NULL ? received : scan_mpi_pointer(own, move->mem) + done;
    const scan_status status =
        scan_mpi_receive(own, x->messages, to, bytes, scan_mpi_rank_of(own, move->other), TAG_ELEMENTS);
    MPI_TRY(scan_mpi_own_words(own, status));
    if (received != NULL) received += bytes;
  }
  return SCAN_SUCCESS;
}

static scan_status begin_sends(const mpi_exchange *x, uint64_t done, uint64_t piece_bytes, const char *sent) {
  for (int i = 0; i < x->send_count; i++) {
    const mpi_move *move = &x->sends[i];
    scan_mpi *own = &x->mpi[move->own];
    const uint64_t bytes = scan_mpi_move_bytes(move, done, piece_bytes);
    if (bytes == 0) continue;
    const char *from = sent != NULL ? sent : scan_mpi_pointer(own, move->mem) + done;
    const scan_status status =
        scan_mpi_send(own, x->messages, from, bytes, scan_mpi_rank_of(own, move->other), TAG_ELEMENTS);
    MPI_TRY(scan_mpi_own_words(own, status));
    if (sent != NULL) sent += bytes;
  }
  return SCAN_SUCCESS;
}

scan_status scan_mpi_moves_begin(const mpi_exchange *exchange, uint64_t done, uint64_t piece_bytes, const char *sent,
                                 char *received) {
  MPI_TRY(begin_receives(exchange, done, piece_bytes, received));
  return begin_sends(exchange, done, piece_bytes, sent);
}
