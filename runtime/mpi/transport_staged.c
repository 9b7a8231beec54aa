/* SPDX-License-Identifier: BSD-2-Clause */
/* The transport `staged`: elements pass through host memory in pieces. While the messages of a round are on their way,
 * the next round's pieces are copied from the devices and those of the round before are copied to them. */
#include "mpi/gpu.h"
#include "mpi/transport.h"

/* Bytes that a context sends in a round, to all others together; to one other at least the second number. */
static const uint64_t round_bytes = UINT64_C(16) << 20, least_piece_bytes = UINT64_C(64) << 10;

typedef struct mpi_staged {
  mpi_host_buffer sent[2], received[2]; /* those of every other round */
} mpi_staged;

/* An exchange in progress. */
typedef struct staging {
  const mpi_exchange *x;
  mpi_staged *state;
  uint64_t piece_bytes;
} staging;

static void staged_close(scan_mpi *handle, void *state) {
  mpi_staged *staged = state;
  for (int i = 0; i < 2; i++) {
    scan_mpi_host_free(handle, &staged->sent[i]);
    scan_mpi_host_free(handle, &staged->received[i]);
  }
  free(staged);
}

static scan_status staged_open(scan_mpi *handle, void **state) {
  *state = scan_mpi_allocate(handle, 1, sizeof(mpi_staged));
  const scan_status status = scan_mpi_agree(handle, *state != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY);
  if (status == SCAN_SUCCESS) return SCAN_SUCCESS;
  free(*state);
  *state = NULL;
  return status;
}

/* ---- rounds ---- */

static uint64_t bytes_of_round(const mpi_move *moves, int count, uint64_t done, uint64_t piece_bytes) {
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += scan_mpi_move_bytes(&moves[i], done, piece_bytes);
  return bytes;
}

/* Reserves host memory for the first two rounds; later ones have no more bytes. */
static scan_status reserve_rounds(const staging *s) {
  const mpi_exchange *x = s->x;
  for (int i = 0; i < 2; i++) {
    const uint64_t done = (uint64_t)i * s->piece_bytes;
    MPI_TRY(scan_mpi_host_reserve(x->mpi, &s->state->sent[i],
                                  bytes_of_round(x->sends, x->send_count, done, s->piece_bytes)));
    MPI_TRY(scan_mpi_host_reserve(x->mpi, &s->state->received[i],
                                  bytes_of_round(x->receives, x->receive_count, done, s->piece_bytes)));
  }
  return SCAN_SUCCESS;
}

/* Begins to copy a round's pieces from the contexts' memory to a host buffer, or the other way. */
static scan_status begin_copies(const staging *s, uint64_t round, int is_read) {
  const mpi_exchange *x = s->x;
  const mpi_move *moves = is_read ? x->sends : x->receives;
  const int count = is_read ? x->send_count : x->receive_count;
  const uint64_t done = round * s->piece_bytes;
  char *host = (is_read ? s->state->sent : s->state->received)[round % 2].memory;
  for (int i = 0; i < count; i++) {
    const uint64_t bytes = scan_mpi_move_bytes(&moves[i], done, s->piece_bytes);
    scan_mpi *own = &x->mpi[moves[i].own];
    if (bytes == 0) continue;
    const scan_mem mem = scan_offset(moves[i].mem, done);
    MPI_TRY(scan_mpi_own_words(own, is_read ? scan_mpi_begin_read(own, host, mem, bytes)
                                            : scan_mpi_begin_write(own, mem, host, bytes)));
    host += bytes;
  }
  return SCAN_SUCCESS;
}

/* One round: while its messages are on their way, the next one's pieces are read, and those of the one before are
 * written. A rank whose device has failed goes on to send, so that no rank waits for it. */
static int do_round(const staging *s, uint64_t round, scan_status *status) {
  mpi_staged *state = s->state;
  const uint64_t done = round * s->piece_bytes;
  int is_abandoned = 0;
  MPI_KEEP(status, scan_mpi_finish_all(s->x->mpi, GPU_READS));
  MPI_KEEP(status, scan_mpi_finish_all(s->x->mpi, GPU_WRITES)); /* the buffers of this round */
  const scan_status begun = scan_mpi_moves_begin(s->x, done, s->piece_bytes, state->sent[round % 2].memory,
                                                 state->received[round % 2].memory);
  if (done + s->piece_bytes < s->x->most_bytes) MPI_KEEP(status, begin_copies(s, round + 1, 1));
  if (round > 0) MPI_KEEP(status, begin_copies(s, round - 1, 0));
  const scan_status passed = scan_mpi_messages_finish(s->x->mpi, s->x->messages, begun, &is_abandoned);
  if (is_abandoned)
    *status = passed;
  else
    MPI_KEEP(status, passed);
  return is_abandoned;
}

static uint64_t piece_bytes_for(const scan_mpi *mpi) {
  const uint64_t each = round_bytes / (uint64_t)(mpi->contexts > 1 ? mpi->contexts - 1 : 1);
  return scan_mpi_piece_bytes(mpi, each < least_piece_bytes ? least_piece_bytes
                                                            : each / least_piece_bytes * least_piece_bytes);
}

/* Returns the most bytes of a round in which `done` bytes of each move have been sent before, of moves to or from the
 * contexts of all other ranks that have `bytes` bytes together. */
static uint64_t most_of_round(const scan_mpi *handle, uint64_t bytes, uint64_t done, uint64_t piece_bytes) {
  const uint64_t moves = (uint64_t)handle->own_contexts * (uint64_t)(handle->contexts - handle->own_contexts);
  const uint64_t most = moves * piece_bytes, left = bytes > done ? bytes - done : 0;
  return left < most ? left : most;
}

static scan_status staged_reserve(scan_mpi *handle, void *state, const mpi_bounds *bounds) {
  mpi_staged *staged = state;
  const uint64_t piece = piece_bytes_for(handle);
  for (int i = 0; i < 2; i++) {
    const uint64_t done = (uint64_t)i * piece;
    MPI_TRY(scan_mpi_host_reserve(handle, &staged->sent[i], most_of_round(handle, bounds->send_bytes, done, piece)));
    MPI_TRY(
        scan_mpi_host_reserve(handle, &staged->received[i], most_of_round(handle, bounds->receive_bytes, done, piece)));
  }
  return SCAN_SUCCESS;
}

static scan_status staged_exchange(void *state, mpi_exchange *x) {
  const staging s = { x, state, piece_bytes_for(x->mpi) };
  int is_abandoned = 0;
  if (x->most_bytes == 0) return SCAN_SUCCESS;
  x->is_agreed = 1;
  MPI_TRY(scan_mpi_agree(x->mpi, reserve_rounds(&s)));
  scan_status status = begin_copies(&s, 0, 1);
  uint64_t rounds = 0;
  for (; !is_abandoned && rounds * s.piece_bytes < x->most_bytes; rounds++)
    is_abandoned = do_round(&s, rounds, &status);
  x->is_agreed = is_abandoned;
  MPI_KEEP(&status, begin_copies(&s, rounds - 1, 0));
  return scan_mpi_finish_streams(x->mpi, GPU_READS, GPU_WRITES, status);
}

static void staged_check(scan_mpi *handle, char *reason, size_t reason_bytes) {
  (void)handle;
  if (reason_bytes > 0) reason[0] = '\0';
}

const mpi_transport_ops scan_mpi_transport_staged = { .name = "staged",
                                                      .check = staged_check,
                                                      .open = staged_open,
                                                      .reserve = staged_reserve,
                                                      .exchange = staged_exchange,
                                                      .close = staged_close };
