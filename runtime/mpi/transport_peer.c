/* SPDX-License-Identifier: BSD-2-Clause */
/* The transport `peer`: copies between CUDA devices of one host. Each context has windows of device memory that the
 * other ranks map (CUDA IPC). A sender copies a piece to the receiver's window, and the receiver copies it from there
 * to its place. So the caller's memory may be of any kind, and may be freed at any time. A sort's columns are copied
 * right to their places, in memory of the first context that the other ranks map, too.
 *
 * Rounds use three windows in turn. A sender may fill a window again when all ranks have agreed after the receivers
 * emptied it: round k + 1 is sent while round k is waited for, and emptied windows are those of round k - 2. */
#include <stdio.h>

#include <scanrt/scan_cuda.h>

#include "mpi/gpu.h"
#include "mpi/transport.h"

enum { WINDOWS = 3 };

/* Bytes of a window for all senders together; the least and the multiple of a sender's part of it. */
static const uint64_t most_window_bytes = UINT64_C(32) << 20, least_piece_bytes = UINT64_C(64) << 10;
/* Allocations of whole blocks of the driver, which alone can be mapped without an offset. */
static const uint64_t block_bytes = UINT64_C(2) << 20;

/* Memory of each context that other ranks map. */
typedef struct peer_memory {
  gpu_pointer *own;    /* for each of this rank's contexts: its memory */
  gpu_pointer *others; /* own_contexts * contexts: the memory of a context as one of this rank's reaches it; 0: this
                          rank's own */
} peer_memory;

typedef struct peer_windows {
  uint64_t piece_bytes;
  peer_memory memory;
} peer_windows;

typedef struct mpi_peer {
  peer_windows windows;
  uint64_t most_piece_bytes; /* larger windows could not be had, or would be of no use */
  peer_memory mapped;        /* of first contexts, for exchanges without windows */
  uint64_t mapped_bytes;
  uint64_t *own_places, *places; /* for each rank: where it writes to `mapped`, and where this one writes to its */
} mpi_peer;

/* ---- windows ---- */

/* Returns the number of contexts on other ranks that come before `sender`, as a context of `rank` counts them. */
static int index_of(const scan_mpi *mpi, int sender, int rank) {
  const int first = mpi->first_contexts[rank], end = mpi->first_contexts[rank + 1];
  return sender < first ? sender : sender - (end - first);
}

/* Returns where the piece of a sender begins in a receiver's windows. */
static uint64_t place_in_windows(const scan_mpi *mpi, const peer_windows *w, int sender, int receiver, uint64_t round) {
  const int rank = scan_mpi_rank_of(mpi, receiver);
  const int senders = mpi->contexts - (mpi->first_contexts[rank + 1] - mpi->first_contexts[rank]);
  const uint64_t window = round % WINDOWS * (uint64_t)senders;
  return (window + (uint64_t)index_of(mpi, sender, rank)) * w->piece_bytes;
}

static void close_memory(scan_mpi *handle, peer_memory *m) {
  const mpi_kept_text kept = scan_mpi_keep_text(handle);
  for (int i = 0; m->others != NULL && i < handle->own_contexts; i++)
    for (int c = 0; c < handle->contexts; c++) {
      const gpu_pointer mapped = m->others[i * handle->contexts + c];
      if (mapped != 0) (void)GPU_CALL(&handle[i], "cuIpcCloseMemHandle", handle[i].gpu->driver->ipc_close(mapped));
    }
  /* Memory is freed when no rank has it mapped any more. If MPI has failed that is unknown, and the memory stays. */
  const int is_unmapped = MPI_Barrier(handle->comm) == MPI_SUCCESS;
  for (int i = 0; is_unmapped && m->own != NULL && i < handle->own_contexts; i++)
    if (m->own[i] != 0) (void)GPU_CALL(&handle[i], "cuMemFree", handle[i].gpu->driver->mem_free(m->own[i]));
  scan_mpi_restore_text(handle, &kept);
  free(m->own);
  free(m->others);
  *m = (peer_memory){ 0 };
}

static scan_status allocate(scan_mpi *mpi, uint64_t bytes, gpu_pointer *memory, gpu_ipc_handle *ipc) {
  const gpu_driver *driver;
  const uint64_t blocks = (bytes + block_bytes - 1) / block_bytes;
  if (mpi->gpu == NULL) return scan_mpi_fail(mpi, SCAN_UNSUPPORTED, "the CUDA context is unknown");
  driver = mpi->gpu->driver;
  MPI_TRY(GPU_CALL(mpi, "cuMemAlloc", driver->mem_alloc(memory, (size_t)(blocks * block_bytes))));
  return GPU_CALL(mpi, "cuIpcGetMemHandle", driver->ipc_handle(ipc, *memory));
}

/* Allocates memory of the first context, and of each of the others. */
static scan_status allocate_all(scan_mpi *handle, uint64_t first_bytes, uint64_t bytes, peer_memory *m,
                                gpu_ipc_handle *all) {
  m->own = scan_mpi_allocate(handle, (uint64_t)handle->own_contexts, sizeof *m->own);
  m->others = scan_mpi_allocate(handle, (uint64_t)handle->own_contexts * (uint64_t)handle->contexts, sizeof *m->others);
  if (m->own == NULL || m->others == NULL || all == NULL) return SCAN_OUT_OF_MEMORY;
  for (int i = 0; i < handle->own_contexts; i++)
    MPI_TRY(scan_mpi_own_words(
        &handle[i], allocate(&handle[i], i == 0 ? first_bytes : bytes, &m->own[i], &all[handle->context + i])));
  return SCAN_SUCCESS;
}

/* Maps the memory of other ranks. */
static scan_status map_others(scan_mpi *handle, const peer_memory *m, const gpu_ipc_handle *all) {
  for (int i = 0; i < handle->own_contexts; i++)
    for (int c = 0; c < handle->contexts; c++) {
      scan_mpi *mpi = &handle[i];
      if (scan_mpi_is_own(handle, c)) continue;
      const scan_status status =
          GPU_CALL(mpi, "cuIpcOpenMemHandle",
                   mpi->gpu->driver->ipc_open(&m->others[i * handle->contexts + c], all[c], GPU_IPC_LAZY_PEER_ACCESS));
      MPI_TRY(scan_mpi_own_words(mpi, status));
    }
  return SCAN_SUCCESS;
}

/* Collective: all ranks return the same status. */
static scan_status open_memory(scan_mpi *handle, uint64_t first_bytes, uint64_t bytes, peer_memory *m) {
  gpu_ipc_handle *all = scan_mpi_allocate(handle, (uint64_t)handle->contexts, sizeof *all);
  *m = (peer_memory){ 0 };
  scan_status status = scan_mpi_agree(handle, allocate_all(handle, first_bytes, bytes, m, all));
  if (status == SCAN_SUCCESS) status = scan_mpi_report_all(handle, all, sizeof *all);
  if (status == SCAN_SUCCESS) status = scan_mpi_agree(handle, map_others(handle, m, all));
  free(all);
  if (status != SCAN_SUCCESS) close_memory(handle, m);
  return status;
}

static scan_status open_windows(scan_mpi *handle, uint64_t piece_bytes, peer_windows *w) {
  const uint64_t bytes = WINDOWS * (uint64_t)(handle->contexts - handle->own_contexts) * piece_bytes;
  w->piece_bytes = piece_bytes;
  return open_memory(handle, bytes, bytes, &w->memory);
}

/* Opens larger windows if they are of use. Where they cannot be had, the ones that are there are kept. */
static void grow_windows(scan_mpi *handle, mpi_peer *peer, uint64_t most_bytes) {
  peer_windows larger;
  const mpi_kept_text kept = scan_mpi_keep_text(handle);
  uint64_t piece = peer->windows.piece_bytes;
  while (piece < most_bytes && piece < peer->most_piece_bytes) piece *= 2;
  if (piece > peer->most_piece_bytes) piece = peer->most_piece_bytes;
  if (piece == peer->windows.piece_bytes) return;
  if (open_windows(handle, piece, &larger) == SCAN_SUCCESS) {
    close_memory(handle, &peer->windows.memory);
    peer->windows = larger;
  } else {
    peer->most_piece_bytes = peer->windows.piece_bytes;
    scan_mpi_restore_text(handle, &kept); /* the call has not failed */
  }
}

static scan_status peer_reserve(scan_mpi *handle, void *state, const mpi_bounds *bounds) {
  grow_windows(handle, state, bounds->most_bytes);
  return SCAN_SUCCESS;
}

static scan_status peer_map(scan_mpi *handle, void *state, uint64_t bytes, scan_mem *memory) {
  mpi_peer *peer = state;
  peer_memory larger;
  int own = bytes > peer->mapped_bytes, any = 0;
  MPI_TRY(MPI_CALL(handle, MPI_Allreduce, &own, &any, 1, MPI_INT, MPI_MAX, handle->comm));
  if (!any) return SCAN_SUCCESS;
  const mpi_kept_text kept = scan_mpi_keep_text(handle);
  const uint64_t wanted = own ? bytes : peer->mapped_bytes;
  if (open_memory(handle, wanted, 1, &larger) != SCAN_SUCCESS) {
    scan_mpi_restore_text(handle, &kept); /* the call has not failed */
    return SCAN_SUCCESS;
  }
  if (peer->mapped.own != NULL) close_memory(handle, &peer->mapped);
  peer->mapped = larger;
  peer->mapped_bytes = wanted;
  *memory = scan_cuda_mem(larger.own[0], wanted);
  return SCAN_SUCCESS;
}

static void peer_check(scan_mpi *handle, char *reason, size_t reason_bytes) {
  for (int i = 0; i < handle->own_contexts; i++)
    if (handle[i].backend != SCAN_BACKEND_CUDA) snprintf(reason, reason_bytes, "a context is on no CUDA device");
  if (reason[0] != '\0') return;
  if (!handle->is_one_host)
    snprintf(reason, reason_bytes, "the ranks are on several hosts");
  else
    (void)scan_mpi_has_driver(reason, reason_bytes);
}

static void peer_close(scan_mpi *handle, void *state) {
  mpi_peer *peer = state;
  close_memory(handle, &peer->windows.memory);
  if (peer->mapped.own != NULL) close_memory(handle, &peer->mapped);
  free(peer->own_places);
  free(peer);
}

static mpi_peer *make_peer(scan_mpi *handle) {
  const uint64_t others = (uint64_t)(handle->contexts > 1 ? handle->contexts - 1 : 1), ranks = (uint64_t)handle->ranks;
  mpi_peer *peer = scan_mpi_allocate(handle, 1, sizeof *peer);
  if (peer == NULL) return NULL;
  peer->own_places = scan_mpi_allocate(handle, 2 * ranks, sizeof *peer->own_places);
  if (peer->own_places == NULL) {
    free(peer);
    return NULL;
  }
  peer->places = peer->own_places + ranks;
  peer->most_piece_bytes = most_window_bytes / others / least_piece_bytes * least_piece_bytes;
  if (peer->most_piece_bytes < least_piece_bytes) peer->most_piece_bytes = least_piece_bytes;
  return peer;
}

static scan_status peer_open(scan_mpi *handle, void **state) {
  mpi_peer *peer = make_peer(handle);
  scan_status status = scan_mpi_agree(handle, peer != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY);
  if (status == SCAN_SUCCESS) status = open_windows(handle, least_piece_bytes, &peer->windows);
  if (status == SCAN_SUCCESS) {
    *state = peer;
    return SCAN_SUCCESS;
  }
  if (peer != NULL) free(peer->own_places);
  free(peer);
  return status;
}

/* ---- rounds ---- */

static gpu_pointer pointer_at(scan_mem mem, uint64_t offset) {
  return (gpu_pointer)(uintptr_t)scan_mpi_device_pointer(mem) + offset;
}

/* Begins to copy a round's pieces to the receivers' windows. */
static scan_status begin_sends(const mpi_peer *peer, const mpi_exchange *x, uint64_t round) {
  const peer_windows *w = &peer->windows;
  const uint64_t piece = scan_mpi_piece_bytes(x->mpi, w->piece_bytes), done = round * piece;
  for (int i = 0; i < x->send_count; i++) {
    const mpi_move *move = &x->sends[i];
    scan_mpi *mpi = &x->mpi[move->own];
    const uint64_t bytes = scan_mpi_move_bytes(move, done, piece);
    if (bytes == 0) continue;
    const gpu_pointer to = w->memory.others[move->own * mpi->contexts + move->other] +
                           place_in_windows(mpi, w, mpi->context, move->other, round);
    MPI_TRY(scan_mpi_own_words(mpi, GPU_CALL(mpi, "cuMemcpyDtoDAsync",
                                             mpi->gpu->driver->mem_copy(to, pointer_at(move->mem, done), (size_t)bytes,
                                                                        mpi->gpu->streams[GPU_SENDS + round % 2]))));
  }
  return SCAN_SUCCESS;
}

/* Begins to copy a round's pieces from this rank's windows to their places. */
static scan_status begin_receives(const mpi_peer *peer, const mpi_exchange *x, uint64_t round) {
  const peer_windows *w = &peer->windows;
  const uint64_t piece = scan_mpi_piece_bytes(x->mpi, w->piece_bytes), done = round * piece;
  for (int i = 0; i < x->receive_count; i++) {
    const mpi_move *move = &x->receives[i];
    scan_mpi *mpi = &x->mpi[move->own];
    const uint64_t bytes = scan_mpi_move_bytes(move, done, piece);
    if (bytes == 0) continue;
    const gpu_pointer from = w->memory.own[move->own] + place_in_windows(mpi, w, move->other, mpi->context, round);
    MPI_TRY(
        scan_mpi_own_words(mpi, GPU_CALL(mpi, "cuMemcpyDtoDAsync",
                                         mpi->gpu->driver->mem_copy(pointer_at(move->mem, done), from, (size_t)bytes,
                                                                    mpi->gpu->streams[GPU_RECEIVES]))));
  }
  return SCAN_SUCCESS;
}

/* Copies elements to their places in other ranks' memory. A rank that comes here awaits what the others copy. */
static scan_status exchange_mapped(const mpi_peer *peer, const mpi_exchange *x) {
  scan_mpi *mpi = x->mpi;
  scan_status status = SCAN_SUCCESS;
  for (int i = 0; i < x->receive_count; i++) {
    const mpi_move *move = &x->receives[i];
    peer->own_places[scan_mpi_rank_of(mpi, move->other)] = pointer_at(move->mem, 0) - peer->mapped.own[0];
  }
  MPI_TRY(MPI_CALL(mpi, MPI_Alltoall, peer->own_places, 1, MPI_UINT64_T, peer->places, 1, MPI_UINT64_T, mpi->comm));
  for (int i = 0; i < x->send_count; i++) {
    const mpi_move *move = &x->sends[i];
    const gpu_pointer to = peer->mapped.others[move->other] + peer->places[scan_mpi_rank_of(mpi, move->other)];
    MPI_KEEP(&status, GPU_CALL(mpi, "cuMemcpyDtoDAsync",
                               mpi->gpu->driver->mem_copy(to, pointer_at(move->mem, 0), (size_t)move->bytes,
                                                          mpi->gpu->streams[GPU_SENDS])));
  }
  return scan_mpi_finish_streams(mpi, GPU_SENDS, GPU_SENDS, status);
}

static scan_status peer_exchange(void *state, mpi_exchange *x) {
  mpi_peer *peer = state;
  if (x->is_mapped) return exchange_mapped(peer, x);
  grow_windows(x->mpi, peer, x->most_bytes);
  const uint64_t piece = scan_mpi_piece_bytes(x->mpi, peer->windows.piece_bytes),
                 rounds = (x->most_bytes + piece - 1) / piece;
  scan_status status = rounds > 0 ? begin_sends(peer, x, 0) : SCAN_SUCCESS;
  for (uint64_t round = 0; round < rounds; round++) {
    if (round + 1 < rounds) MPI_KEEP(&status, begin_sends(peer, x, round + 1));
    MPI_KEEP(&status, scan_mpi_finish_all(x->mpi, GPU_SENDS + (int)(round % 2)));
    MPI_KEEP(&status, scan_mpi_finish_all(x->mpi, GPU_RECEIVES)); /* those of the round before */
    status = scan_mpi_agree(x->mpi, status);
    x->is_agreed = status != SCAN_SUCCESS;
    if (x->is_agreed) break;
    status = begin_receives(peer, x, round);
  }
  return scan_mpi_finish_streams(x->mpi, GPU_SENDS, GPU_RECEIVES, status);
}

const mpi_transport_ops scan_mpi_transport_peer = { .name = "peer",
                                                    .is_for_devices = 1,
                                                    .check = peer_check,
                                                    .open = peer_open,
                                                    .reserve = peer_reserve,
                                                    .map = peer_map,
                                                    .exchange = peer_exchange,
                                                    .close = peer_close };
