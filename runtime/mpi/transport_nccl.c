/* SPDX-License-Identifier: BSD-2-Clause */
/* The transport `nccl`: ncclSend and ncclRecv, one communicator a context, whose rank is the context's number.
 *
 * A rank that waits for others within NCCL must learn that one of them has failed. So communicators do not block: calls
 * return at once, and a rank waits by asking NCCL for their state (settle). A rank that has failed sends a message to
 * all others, which they look for meanwhile. Then all ranks agree, and if one has failed all abort their communicators,
 * which ends kernels that wait for it. The next exchange makes new ones. */
#include <sched.h>
#include <stdio.h>

#include "mpi/gpu.h"
#include "mpi/library.h"
#include "mpi/nccl.h"
#include "mpi/transport.h"

enum { TAG_ABANDON = 3 };

typedef struct mpi_nccl {
  scan_mpi *handle;
  const nccl_api *api;
  nccl_comm *comms; /* of each of this rank's contexts */
  int *failed;      /* for each rank: 1: it has failed in the current step */
  MPI_Request *requests;
  int was_abandoned; /* 1: this rank has failed because another one has */
  int is_ready;      /* 1: the communicators can be used; the same on all ranks */
} mpi_nccl;

static const nccl_api *open_library(char *reason, size_t reason_bytes) {
  static mpi_library library = { .lock = PTHREAD_MUTEX_INITIALIZER,
                                 .variable = "SCANRT_LIBNCCL",
                                 .name = "libnccl.so.2" };
  static nccl_api api;
  static const mpi_function functions[] = {
#define NCCL_ENTRY(member, name, parameters) { #name, offsetof(nccl_api, member) },
    NCCL_FUNCTIONS(NCCL_ENTRY)
#undef NCCL_ENTRY
        { "ncclGetErrorString", offsetof(nccl_api, error_text) },
  };
  const size_t count = sizeof functions / sizeof functions[0];
  return scan_mpi_library_open(&library, functions, count, &api, reason, reason_bytes) ? &api : NULL;
}

static scan_status check_result(const mpi_nccl *n, scan_mpi *mpi, const char *call, int result) {
  if (result == NCCL_OK || result == NCCL_IN_PROGRESS) return SCAN_SUCCESS;
  return scan_mpi_fail(mpi, SCAN_DEVICE_ERROR, "%s failed: %s", call, n->api->error_text(result));
}

/* ---- agreement ---- */

/* Sends all other ranks a message that this one has failed, so that they do not wait for it in NCCL. */
static scan_status send_failure(mpi_nccl *n) {
  scan_mpi *mpi = n->handle;
  for (int r = 0; r < mpi->ranks; r++)
    if (r != mpi->rank)
      MPI_TRY(MPI_CALL(mpi, MPI_Isend, NULL, 0, MPI_BYTE, r, TAG_ABANDON, mpi->comm, &n->requests[r]));
  return SCAN_SUCCESS;
}

/* 1 if there is a message of another rank that has failed. */
static int is_abandoned(const scan_mpi *mpi) {
  MPI_Status status;
  int is_there = 0;
  return MPI_Iprobe(MPI_ANY_SOURCE, TAG_ABANDON, mpi->comm, &is_there, &status) == MPI_SUCCESS && is_there;
}

/* Waits for what has been begun with a communicator. */
static scan_status settle_comm(mpi_nccl *n, scan_mpi *mpi, nccl_comm comm) {
  int state = NCCL_IN_PROGRESS;
  while (state == NCCL_IN_PROGRESS) {
    const int result = n->api->async_error(comm, &state);
    if (result != NCCL_OK) return check_result(n, mpi, "ncclCommGetAsyncError", result);
    if (state != NCCL_IN_PROGRESS) break;
    n->was_abandoned = is_abandoned(n->handle);
    if (n->was_abandoned) return scan_mpi_fail(mpi, SCAN_DEVICE_ERROR, "another rank has failed in NCCL");
    sched_yield();
  }
  return check_result(n, mpi, "NCCL", state);
}

static scan_status settle(mpi_nccl *n) {
  for (int i = 0; i < n->handle->own_contexts; i++) {
    scan_mpi *mpi = &n->handle[i];
    if (scan_mpi_gpu_enter(mpi) != SCAN_SUCCESS) return scan_mpi_own_words(mpi, SCAN_DEVICE_ERROR);
    const scan_status status = settle_comm(n, mpi, n->comms[i]);
    (void)scan_mpi_gpu_leave(mpi, "", GPU_OK);
    MPI_TRY(scan_mpi_own_words(mpi, status));
  }
  return SCAN_SUCCESS;
}

/* Receives the messages of ranks that have failed, and waits for this rank's own. */
static void collect_failures(mpi_nccl *n) {
  scan_mpi *mpi = n->handle;
  MPI_Status status;
  for (int r = 0; r < mpi->ranks; r++) {
    if (r == mpi->rank) continue;
    if (n->failed[r]) (void)MPI_Recv(NULL, 0, MPI_BYTE, r, TAG_ABANDON, mpi->comm, &status);
    if (n->failed[mpi->rank]) (void)MPI_Wait(&n->requests[r], &status);
  }
}

static void abort_comms(mpi_nccl *n) {
  const mpi_kept_text kept = scan_mpi_keep_text(n->handle);
  for (int i = 0; n->comms != NULL && i < n->handle->own_contexts; i++) {
    scan_mpi *mpi = &n->handle[i];
    if (n->comms[i] == NULL) continue;
    const int has_entered = scan_mpi_gpu_enter(mpi) == SCAN_SUCCESS;
    (void)n->api->abort(n->comms[i]);
    if (has_entered) (void)scan_mpi_gpu_leave(mpi, "", GPU_OK);
    n->comms[i] = NULL;
  }
  n->is_ready = 0;
  scan_mpi_restore_text(n->handle, &kept);
}

/* Ends a step: waits for NCCL, and agrees with all ranks. Aborts the communicators if any rank has failed. Collective:
 * all ranks return the same status. */
static scan_status conclude(mpi_nccl *n, scan_status status) {
  scan_mpi *mpi = n->handle;
  n->was_abandoned = 0;
  if (status == SCAN_SUCCESS) status = settle(n);
  for (int r = 0; r < mpi->ranks; r++) n->requests[r] = MPI_REQUEST_NULL;
  if (status != SCAN_SUCCESS) (void)send_failure(n);
  n->failed[mpi->rank] = status != SCAN_SUCCESS;
  const scan_status gathered =
      MPI_CALL(mpi, MPI_Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, n->failed, 1, MPI_INT, mpi->comm);
  if (gathered == SCAN_SUCCESS) collect_failures(n);
  if (gathered != SCAN_SUCCESS) status = gathered;
  status = scan_mpi_agree(mpi, n->was_abandoned ? SCAN_SUCCESS : status); /* the other rank says why */
  if (status != SCAN_SUCCESS) abort_comms(n);
  return status;
}

/* ---- communicators ---- */

static scan_status make_id(const mpi_nccl *n, nccl_id *id) {
  if (n->handle->rank != 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_gpu_enter(n->handle));
  const int result = n->api->unique_id(id);
  (void)scan_mpi_gpu_leave(n->handle, "", GPU_OK);
  return check_result(n, n->handle, "ncclGetUniqueId", result);
}

static scan_status begin_comm(const mpi_nccl *n, int own, nccl_id id) {
  scan_mpi *mpi = &n->handle[own];
  nccl_config config = NCCL_CONFIG;
  MPI_TRY(scan_mpi_gpu_enter(mpi));
  const int result = n->api->init(&n->comms[own], mpi->contexts, id, mpi->context, &config);
  (void)scan_mpi_gpu_leave(mpi, "", GPU_OK);
  return check_result(n, mpi, "ncclCommInitRankConfig", result);
}

/* Encloses calls of all contexts in a group: NCCL works on them together. */
static scan_status end_group(const mpi_nccl *n, scan_status status) {
  scan_mpi *mpi = n->handle;
  if (scan_mpi_gpu_enter(mpi) != SCAN_SUCCESS) return SCAN_DEVICE_ERROR;
  const int result = n->api->group_end();
  (void)scan_mpi_gpu_leave(mpi, "", GPU_OK);
  return status != SCAN_SUCCESS ? status : check_result(n, mpi, "ncclGroupEnd", result);
}

static scan_status begin_comms(const mpi_nccl *n, nccl_id id) {
  scan_status status = check_result(n, n->handle, "ncclGroupStart", n->api->group_start());
  if (status != SCAN_SUCCESS) return status;
  for (int i = 0; status == SCAN_SUCCESS && i < n->handle->own_contexts; i++)
    status = scan_mpi_own_words(&n->handle[i], begin_comm(n, i, id));
  return end_group(n, status);
}

static scan_status check_gpus(scan_mpi *handle) {
  for (int i = 0; i < handle->own_contexts; i++)
    if (handle[i].gpu == NULL)
      return scan_mpi_own_words(&handle[i],
                                scan_mpi_fail(&handle[i], SCAN_UNSUPPORTED, "nccl: the CUDA context is unknown"));
  return SCAN_SUCCESS;
}

/* Makes the communicators. Collective: all ranks return the same status. */
static scan_status connect_all(mpi_nccl *n) {
  scan_mpi *mpi = n->handle;
  nccl_id id = { { 0 } };
  scan_status status = check_gpus(mpi);
  if (status == SCAN_SUCCESS) status = make_id(n, &id);
  MPI_TRY(scan_mpi_agree(mpi, status));
  MPI_TRY(MPI_CALL(mpi, MPI_Bcast, &id, (int)sizeof id, MPI_BYTE, 0, mpi->comm));
  MPI_TRY(conclude(n, begin_comms(n, id)));
  n->is_ready = 1;
  return SCAN_SUCCESS;
}

static void nccl_check(scan_mpi *handle, char *reason, size_t reason_bytes) {
  for (int i = 0; i < handle->own_contexts; i++)
    if (handle[i].backend != SCAN_BACKEND_CUDA) snprintf(reason, reason_bytes, "a context is on no CUDA device");
  if (reason[0] == '\0' && scan_mpi_has_driver(reason, reason_bytes)) (void)open_library(reason, reason_bytes);
}

static void nccl_close(scan_mpi *handle, void *state) {
  mpi_nccl *n = state;
  (void)handle;
  abort_comms(n);
  free(n->comms);
  free(n->failed);
  free(n->requests);
  free(n);
}

static scan_status nccl_open(scan_mpi *handle, void **state) {
  char reason[160] = "";
  mpi_nccl *n = scan_mpi_allocate(handle, 1, sizeof *n);
  MPI_TRY(scan_mpi_agree(handle, n != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY));
  n->handle = handle;
  n->api = open_library(reason, sizeof reason);
  n->comms = scan_mpi_allocate(handle, (uint64_t)handle->own_contexts, sizeof *n->comms);
  n->failed = scan_mpi_allocate(handle, (uint64_t)handle->ranks, sizeof *n->failed);
  n->requests = scan_mpi_allocate(handle, (uint64_t)handle->ranks, sizeof *n->requests);
  scan_status status = scan_mpi_agree(handle, n->comms && n->failed && n->requests ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY);
  if (status == SCAN_SUCCESS) status = connect_all(n);
  if (status == SCAN_SUCCESS)
    *state = n;
  else
    nccl_close(handle, n);
  return status;
}

/* ---- exchanges ---- */

static scan_status begin_move(const mpi_nccl *n, const mpi_move *move, int is_send) {
  scan_mpi *mpi = &n->handle[move->own];
  const nccl_comm comm = n->comms[move->own];
  const gpu_stream stream = mpi->gpu->streams[GPU_SENDS];
  char *memory = scan_mpi_device_pointer(move->mem);
  MPI_TRY(scan_mpi_gpu_enter(mpi));
  const int result = is_send ? n->api->send(memory, (size_t)move->bytes, NCCL_UINT8, move->other, comm, stream)
                             : n->api->receive(memory, (size_t)move->bytes, NCCL_UINT8, move->other, comm, stream);
  (void)scan_mpi_gpu_leave(mpi, "", GPU_OK);
  return check_result(n, mpi, is_send ? "ncclSend" : "ncclRecv", result);
}

static scan_status begin_moves(const mpi_nccl *n, const mpi_exchange *x) {
  scan_status status = check_result(n, n->handle, "ncclGroupStart", n->api->group_start());
  if (status != SCAN_SUCCESS) return status;
  for (int i = 0; status == SCAN_SUCCESS && i < x->send_count; i++)
    status = scan_mpi_own_words(&n->handle[x->sends[i].own], begin_move(n, &x->sends[i], 1));
  for (int i = 0; status == SCAN_SUCCESS && i < x->receive_count; i++)
    status = scan_mpi_own_words(&n->handle[x->receives[i].own], begin_move(n, &x->receives[i], 0));
  return end_group(n, status);
}

static scan_status nccl_exchange(void *state, mpi_exchange *x) {
  mpi_nccl *n = state;
  if (x->most_bytes == 0) return SCAN_SUCCESS;
  x->is_agreed = 1;
  if (!n->is_ready) MPI_TRY(connect_all(n));
  MPI_TRY(conclude(n, begin_moves(n, x)));
  x->is_agreed = 0;
  return scan_mpi_finish_all(x->mpi, GPU_SENDS);
}

const mpi_transport_ops scan_mpi_transport_nccl = { .name = "nccl",
                                                    .is_for_devices = 1,
                                                    .check = nccl_check,
                                                    .open = nccl_open,
                                                    .exchange = nccl_exchange,
                                                    .close = nccl_close };
