/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges of elements between the contexts of all ranks. A transport is a way to move elements to other ranks, and a
 * table of functions; transport.c chooses one for a handle. Elements for contexts of the same rank are copied in the
 * process whatever the transport is (copies.c). */
#ifndef SCANRT_MPI_TRANSPORT_H
#define SCANRT_MPI_TRANSPORT_H

#include "mpi/messages.h"

/* ---- what transports are given ---- */

/* The elements that one context of this rank sends and receives. Each array has a number for each context of all ranks:
 * its elements, and the index of the first one in `send` or `receive`. Ranges of `receive` overlap neither each other
 * nor `send`. */
typedef struct mpi_parcel {
  scan_mem send, receive;
  const uint64_t *send_items, *send_places, *receive_items, *receive_places;
} mpi_parcel;

/* Bytes that one of this rank's contexts sends to a context of another rank, or receives from it. */
typedef struct mpi_move {
  int own;      /* index of this rank's context */
  int other;    /* number of the other context among those of all ranks */
  scan_mem mem; /* the first byte */
  uint64_t bytes;
} mpi_move;

/* An exchange with other ranks. Moves without bytes are left out. Between two ranks, the sends of one and the receives
 * of the other come in the same order. */
typedef struct mpi_exchange {
  scan_mpi *mpi; /* the handle */
  mpi_move *sends, *receives;
  int send_count, receive_count;
  uint64_t most_bytes;    /* no move of any rank has more; the same on all ranks */
  mpi_messages *messages; /* with room for all moves */
  int is_mapped;          /* 1: of first contexts, into memory of `map` */
  int is_agreed;          /* set by the transport: 1: the status that it returns is that of all ranks */
} mpi_exchange;

/* Bounds of exchanges between ranks. */
typedef struct mpi_bounds {
  uint64_t send_bytes, receive_bytes; /* of this rank's contexts, to all other ranks together, and from them */
  uint64_t most_bytes;                /* no rank sends more; the same on all ranks */
} mpi_bounds;

/* ---- transports ---- */

typedef struct mpi_transport_ops {
  const char *name;
  int is_for_devices; /* 1: moves must be of memory of CUDA devices, and never of host memory */
  /* Says why this rank cannot use the transport, or nothing. `handle` has all contexts, but no transport yet. */
  void (*check)(scan_mpi *handle, char *reason, size_t reason_bytes);
  /* Makes the state, for the first exchange. Collective: all ranks return the same status. NULL: there is no state. */
  scan_status (*open)(scan_mpi *handle, void **state);
  /* Allocates what exchanges within these bounds need, so that they allocate nothing. Collective. A failure may be this
   * rank's alone. NULL: exchanges allocate nothing. */
  scan_status (*reserve)(scan_mpi *handle, void *state, const mpi_bounds *bounds);
  /* Allocates `bytes` of the first context's memory that other ranks write to, unless it has as many. Sets *memory; if
   * there is no room, *memory stays as it is. Collective: all ranks return the same status. NULL: unsupported. */
  scan_status (*map)(scan_mpi *handle, void *state, uint64_t bytes, scan_mem *memory);
  /* Moves the bytes, and returns when this rank's have been sent and received. Collective. A failure may be this rank's
   * alone, unless is_agreed is set. */
  scan_status (*exchange)(void *state, mpi_exchange *exchange);
  /* Frees the state. Not collective. NULL: there is none. */
  void (*close)(scan_mpi *handle, void *state);
} mpi_transport_ops;

extern const mpi_transport_ops scan_mpi_transport_peer, scan_mpi_transport_mpi, scan_mpi_transport_nccl,
    scan_mpi_transport_staged;

/* ---- transport.c ---- */

/* Chooses the handle's transport: SCANRT_MPI_TRANSPORT, or the first one that all ranks can use. Collective. */
scan_status scan_mpi_transport_choose(scan_mpi *handle);
void scan_mpi_transport_close(scan_mpi *handle);

/* Returns room for the parcels of an exchange. */
mpi_parcel *scan_mpi_parcels(scan_mpi *handle);

/* Sends elements from all contexts to all contexts. Collective: all ranks return the same status. The received ones are
 * there on return.
 * @param parcels     one for each of this rank's contexts.
 * @param most_items  no context has more elements for another one; the same on all ranks. */
scan_status scan_mpi_exchange(scan_mpi *handle, const mpi_parcel *parcels, uint64_t item_bytes, uint64_t most_items);

/* Facts about an exchange. */
enum {
  EXCHANGE_BESIDE = 1, /* `send` is complete, and the contexts' work uses neither that nor `receive`: it goes on */
  EXCHANGE_MAPPED = 2  /* `receive` lies in the memory of scan_mpi_exchange_map; the same on all ranks */
};

/* Sends elements from the first contexts of all ranks to each other. The parcel's arrays have a number for each rank.
 * Collective, as scan_mpi_exchange. @param facts  of EXCHANGE_BESIDE and so on. */
scan_status scan_mpi_exchange_ranks(scan_mpi *handle, const mpi_parcel *parcel, uint64_t item_bytes, unsigned facts);

/* Opens the transport, and allocates what exchanges need for at most these bytes of this rank's device memory, to all
 * other ranks and contexts together and from them, so that they allocate nothing. Collective, as scan_mpi_exchange. */
scan_status scan_mpi_exchange_reserve(scan_mpi *handle, uint64_t send_bytes, uint64_t receive_bytes);

/* Allocates memory of this rank's first context to which other ranks send directly, at least `bytes`. It is the
 * handle's, for one run at a time, and moves when a later call needs more. Collective, as scan_mpi_exchange.
 * @param[out] is_mapped  0: no such memory can be had; the same on all ranks. */
scan_status scan_mpi_exchange_map(scan_mpi *handle, uint64_t bytes, int *is_mapped);

/* Returns the memory of scan_mpi_exchange_map. */
scan_mem scan_mpi_mapped_memory(const scan_mpi *handle);

/* Makes a call unless an earlier one has failed; the first failure stays in *status. */
#define MPI_KEEP(status, call)                                                                                         \
  do {                                                                                                                 \
    if (*(status) == SCAN_SUCCESS) *(status) = (call);                                                                 \
  } while (0)

/* ---- moves.c ---- */

/* Lists what this rank sends to others and receives from them. `exchange` has its handle, and lists with room for
 * own_contexts * contexts moves each. */
void scan_mpi_moves_list(mpi_exchange *exchange, const mpi_parcel *parcels, uint64_t item_bytes);

/* Returns the bytes of a move in a round: those from `done` on, at most piece_bytes. */
static inline uint64_t scan_mpi_move_bytes(const mpi_move *move, uint64_t done, uint64_t piece_bytes) {
  const uint64_t left = move->bytes > done ? move->bytes - done : 0;
  return left < piece_bytes ? left : piece_bytes;
}

/* Returns the bytes of the pieces that a transport sends: its own choice, or less in tests. */
static inline uint64_t scan_mpi_piece_bytes(const scan_mpi *handle, uint64_t chosen) {
  return chosen < handle->most_piece_bytes ? chosen : handle->most_piece_bytes;
}

/* Begins the messages of a round. @param sent, received  host memory in which the round's bytes of all sends or
 * receives follow one another; NULL: they are in the moves' own memory. */
scan_status scan_mpi_moves_begin(const mpi_exchange *exchange, uint64_t done, uint64_t piece_bytes, const char *sent,
                                 char *received);

/* ---- copies.c ---- */

/* Allocates host memory for copies of so many bytes between two of this rank's devices, if they have no copies of their
 * own. */
scan_status scan_mpi_reserve_bounce(scan_mpi *handle, uint64_t bytes);

/* Waits for the work of all contexts of this rank. */
scan_status scan_mpi_wait_for_contexts(scan_mpi *handle);

/* Begins to copy the elements that contexts of this rank have for each other and for themselves. */
scan_status scan_mpi_begin_own_copies(scan_mpi *handle, const mpi_parcel *parcels, uint64_t item_bytes);
scan_status scan_mpi_finish_own_copies(scan_mpi *handle);

#endif
