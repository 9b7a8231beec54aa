/* SPDX-License-Identifier: BSD-2-Clause */
/* The moves of an exchange, and their messages. Sends come in the order of (sender, receiver), and so do receives:
 * messages between two ranks then match. */
#include "mpi/transport.h"

static void add_move(mpi_move *moves, int *count, mpi_move move) {
  if (move.bytes > 0) moves[(*count)++] = move;
}

static void list_sends(mpi_exchange *x, const mpi_parcel *parcels, uint64_t item_bytes) {
  const scan_mpi *mpi = x->mpi;
  for (int own = 0; own < mpi->own_contexts; own++)
    for (int other = 0; other < mpi->contexts; other++) {
      const mpi_parcel *p = &parcels[own];
      if (scan_mpi_is_own(mpi, other)) continue;
      add_move(x->sends, &x->send_count,
               (mpi_move){ own, other, scan_offset(p->send, p->send_places[other] * item_bytes),
                           p->send_items[other] * item_bytes });
    }
}

static void list_receives(mpi_exchange *x, const mpi_parcel *parcels, uint64_t item_bytes) {
  const scan_mpi *mpi = x->mpi;
  for (int other = 0; other < mpi->contexts; other++)
    for (int own = 0; own < mpi->own_contexts; own++) {
      const mpi_parcel *p = &parcels[own];
      if (scan_mpi_is_own(mpi, other)) continue;
      add_move(x->receives, &x->receive_count,
               (mpi_move){ own, other, scan_offset(p->receive, p->receive_places[other] * item_bytes),
                           p->receive_items[other] * item_bytes });
    }
}

void scan_mpi_moves_list(mpi_exchange *exchange, const mpi_parcel *parcels, uint64_t item_bytes) {
  exchange->send_count = exchange->receive_count = 0;
  list_sends(exchange, parcels, item_bytes);
  list_receives(exchange, parcels, item_bytes);
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
