/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges elements by MPI_Alltoallv. Memory that MPI takes is exchanged at once where its places are ints; else all
 * ranks go through host memory, in rounds of as many elements a pair of ranks as fit there. */
#include "mpi/exchange.h"

/* One direction of an exchange on this rank. */
typedef struct mpi_side {
  scan_mem mem;
  const uint64_t *items, *places;
  char *direct;      /* the address that MPI takes; NULL: elements go through `stage` */
  char *stage;       /* host memory */
  int *counts, *ats; /* elements and place of each rank's piece in a round */
} mpi_side;

scan_status scanrt_mpi_exchange_reserve(scan_mpi *mpi, uint64_t most_bytes) {
  const uint64_t least = (uint64_t)mpi->ranks * SCAN_OP_MOST_BYTES;
  uint64_t bytes = most_bytes < MPI_STAGE_BYTES ? most_bytes : MPI_STAGE_BYTES;
  if (bytes < least) bytes = least;
  if (mpi->pieces == NULL) {
    mpi->pieces = scan_mpi_allocate(mpi, 4 * (uint64_t)mpi->ranks, sizeof *mpi->pieces);
    mpi->most_places = INT_MAX;
  }
  if (mpi->pieces == NULL) return SCAN_OUT_OF_MEMORY;
  if (mpi->stage_bytes >= bytes) return SCAN_SUCCESS;
  char *stage = scan_mpi_allocate(mpi, 2 * bytes, 1);
  if (stage == NULL) return SCAN_OUT_OF_MEMORY;
  free(mpi->stage);
  mpi->stage = stage;
  mpi->stage_bytes = bytes;
  return SCAN_SUCCESS;
}

void scanrt_mpi_exchange_release(scan_mpi *mpi) {
  free(mpi->pieces);
  free(mpi->stage);
}

/* 1 if MPI's ints reach all pieces. */
static int is_reachable(const scan_mpi *mpi, const uint64_t *items, const uint64_t *places) {
  const uint64_t most = (uint64_t)mpi->most_places;
  for (int r = 0; r < mpi->ranks; r++)
    if (places[r] > most || items[r] > most - places[r]) return 0;
  return 1;
}

static uint64_t sum_of(const scan_mpi *mpi, const uint64_t *items) {
  uint64_t sum = 0;
  for (int r = 0; r < mpi->ranks; r++) sum += items[r];
  return sum;
}

/* Sets the address that MPI takes, if it takes the memory. */
static void find_direct(const scan_mpi *mpi, mpi_side *side) {
  if (!is_reachable(mpi, side->items, side->places)) return;
  side->direct = sum_of(mpi, side->items) > 0 ? scan_mpi_pointer(mpi, side->mem) : side->stage;
}

/* Agrees on the rounds: each moves at most *chunk elements between two ranks. Signed, because MPICH 4.0 compares
 * unsigned numbers as signed ones. */
static scan_status agree_rounds(scan_mpi *mpi, const mpi_side *send, const mpi_side *receive, uint64_t staged,
                                uint64_t *chunk, uint64_t *rounds) {
  int64_t own[2] = { 0, -(int64_t)INT_MAX }, most[2];
  for (int r = 0; r < mpi->ranks; r++)
    if ((int64_t)send->items[r] > own[0]) own[0] = (int64_t)send->items[r];
  if (send->direct == NULL || receive->direct == NULL) own[1] = -(int64_t)staged;
  MPI_TRY(MPI_CALL(mpi, MPI_Allreduce, own, most, 2, MPI_INT64_T, MPI_MAX, mpi->comm));
  *chunk = (uint64_t)-most[1];
  *rounds = ((uint64_t)most[0] + *chunk - 1) / *chunk;
  return SCAN_SUCCESS;
}

/* Finds the elements of a round that begins with element `first` of each piece. */
static void lay_out_round(const scan_mpi *mpi, mpi_side *side, uint64_t first, uint64_t chunk) {
  uint64_t staged = 0;
  for (int r = 0; r < mpi->ranks; r++) {
    const uint64_t rest = side->items[r] > first ? side->items[r] - first : 0, count = rest < chunk ? rest : chunk;
    side->counts[r] = (int)count;
    side->ats[r] = (int)(side->direct == NULL ? staged : rest > 0 ? side->places[r] + first : 0);
    staged += count;
  }
}

/* Copies a round's elements between the memory and host memory. */
static scan_status copy_round(scan_mpi *mpi, const mpi_side *side, uint64_t first, size_t item, int is_sending) {
  if (side->direct != NULL) return SCAN_SUCCESS;
  for (int r = 0; r < mpi->ranks; r++) {
    const scan_mem mem = scan_offset(side->mem, (side->places[r] + first) * item);
    const scan_mem stage = scan_host(side->stage + (uint64_t)side->ats[r] * item);
    if (side->counts[r] == 0) continue;
    MPI_TRY(scan_mpi_copy(mpi, is_sending ? stage : mem, is_sending ? mem : stage, (uint64_t)side->counts[r] * item));
  }
  return SCAN_SUCCESS;
}

static void *base_of(const mpi_side *side) { return side->direct != NULL ? side->direct : side->stage; }

/* Does the rounds. Copies that fail are remembered in *copied; a round follows all the same. */
static scan_status do_rounds(scan_mpi *mpi, mpi_side *send, mpi_side *receive, uint64_t chunk, uint64_t rounds,
                             MPI_Datatype type, size_t item, scan_status *copied) {
  for (uint64_t k = 0; k < rounds; k++) {
    lay_out_round(mpi, send, k * chunk, chunk);
    lay_out_round(mpi, receive, k * chunk, chunk);
    if (*copied == SCAN_SUCCESS) *copied = copy_round(mpi, send, k * chunk, item, 1);
    MPI_TRY(MPI_CALL(mpi, MPI_Alltoallv, base_of(send), send->counts, send->ats, type, base_of(receive),
                     receive->counts, receive->ats, type, mpi->comm));
    if (*copied == SCAN_SUCCESS) *copied = copy_round(mpi, receive, k * chunk, item, 0);
  }
  return SCAN_SUCCESS;
}

scan_status scanrt_mpi_exchange(scan_mpi *mpi, scan_mem send, const uint64_t *send_items, const uint64_t *send_places,
                                scan_mem receive, const uint64_t *receive_items, const uint64_t *receive_places,
                                size_t item_bytes) {
  const uint64_t ranks = (uint64_t)mpi->ranks;
  mpi_side from = { send, send_items, send_places, NULL, mpi->stage, mpi->pieces, mpi->pieces + ranks };
  mpi_side to = { receive,
                  receive_items,
                  receive_places,
                  NULL,
                  mpi->stage + mpi->stage_bytes,
                  mpi->pieces + 2 * ranks,
                  mpi->pieces + 3 * ranks };
  uint64_t chunk = 0, rounds = 0;
  MPI_Datatype type;
  scan_status copied = SCAN_SUCCESS;
  find_direct(mpi, &from);
  find_direct(mpi, &to);
  MPI_TRY(agree_rounds(mpi, &from, &to, mpi->stage_bytes / (ranks * item_bytes), &chunk, &rounds));
  if (rounds == 0) return SCAN_SUCCESS;
  for (int r = 0; r < mpi->ranks; r++)
    if (r != mpi->rank) mpi->sent_bytes += send_items[r] * item_bytes;
  MPI_TRY(MPI_CALL(mpi, MPI_Type_contiguous, (int)item_bytes, MPI_BYTE, &type));
  scan_status status = MPI_CALL(mpi, MPI_Type_commit, &type);
  if (status == SCAN_SUCCESS) status = do_rounds(mpi, &from, &to, chunk, rounds, type, item_bytes, &copied);
  (void)MPI_Type_free(&type);
  return status != SCAN_SUCCESS ? status : copied;
}
