/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles: a rank's contexts, and the library's own communicator. */
#include <dlfcn.h>
#include <stdio.h>

#include "mpi/transport.h"

enum {
  LEAST_PART_ITEMS = 1 << 22, /* keys of a rank from which on a sort in parts is expected to gain */
  MOST_SPLIT_RANKS = 128,     /* with more, more than half of 256 digits have a cut */
  LAUNCH_BYTES = 1 << 16      /* 6 us at 10 GB/s */
};

/* 1 if the running MPI says that it accepts addresses of CUDA devices. Open MPI and MPICH have the function. */
static int asks_for_cuda(void) {
  int (*query)(void) = NULL;
  void *symbol = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
  if (symbol == NULL) return 0;
  memcpy(&query, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function pointer */
  return query() == 1;
}

/* Copies the error text to the thread's, for a caller without a handle. */
static scan_status copy_error_text(const scan_mpi *mpi, scan_status status) {
  snprintf(scan_mpi_thread_text(), MPI_ERROR_BYTES, "%s", mpi->text);
  return status;
}

static scan_status check_comm(scan_mpi *mpi, MPI_Comm comm) {
  int is_initialized = 0, is_finalized = 0, is_inter = 0;
  if (MPI_Initialized(&is_initialized) != MPI_SUCCESS || !is_initialized)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_create: call MPI_Init first");
  if (MPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_create: MPI_Finalize has been called");
  if (comm == MPI_COMM_NULL) return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_create: comm is MPI_COMM_NULL");
  MPI_TRY(MPI_CALL(mpi, MPI_Comm_test_inter, comm, &is_inter));
  if (is_inter)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                         "scan_mpi_create: comm is an intercommunicator: its ranks have no "
                         "one order");
  return SCAN_SUCCESS;
}

/* Duplicates the communicator. The duplicate has the caller's error handler until it gets its own, so that only errors
 * of MPI_Comm_dup itself reach the caller's. */
static scan_status duplicate(scan_mpi *mpi, MPI_Comm comm) {
  MPI_TRY(MPI_CALL(mpi, MPI_Comm_dup, comm, &mpi->comm));
  MPI_TRY(MPI_CALL(mpi, MPI_Comm_set_errhandler, mpi->comm, MPI_ERRORS_RETURN));
  MPI_TRY(MPI_CALL(mpi, MPI_Comm_rank, mpi->comm, &mpi->rank));
  return MPI_CALL(mpi, MPI_Comm_size, mpi->comm, &mpi->ranks);
}

static scan_status check_contexts(scan_mpi *mpi, scan_ctx *const *ctxs, int count, scan_mpi **out) {
  if (out == NULL) return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_create: mpi is NULL");
  if (ctxs == NULL || count < 1 || count > MPI_MOST_CONTEXTS)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                         "scan_mpi_create_contexts: ctxs is %s and ctx_count %d: 1 to %d contexts",
                         ctxs == NULL ? "NULL" : "given", count, MPI_MOST_CONTEXTS);
  for (int i = 0; i < count; i++) {
    if (ctxs[i] == NULL && count == 1) return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_create: ctx is NULL");
    if (ctxs[i] == NULL) return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_create: ctxs[%d] is NULL", i);
    for (int k = 0; k < i; k++)
      if (ctxs[k] == ctxs[i])
        return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_create: ctxs[%d] is ctxs[%d] once more", i, k);
  }
  return SCAN_SUCCESS;
}

static scan_status ask_device(scan_mpi *mpi) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_ctx_device(mpi->ctx, &info)));
  mpi->backend = info.backend;
  /* An MPI that accepts device memory does so for one device of a process. */
  mpi->takes_device_memory = info.backend == SCAN_BACKEND_HOST ||
                             (info.backend == SCAN_BACKEND_CUDA && mpi->own_contexts == 1 && asks_for_cuda());
  return SCAN_SUCCESS;
}

/* Makes this rank's contexts, without the fields that depend on other ranks. */
static scan_status make_contexts(scan_mpi *made, scan_ctx *const *ctxs, int count, scan_mpi **own, scan_mpi **out) {
  MPI_TRY(check_contexts(made, ctxs, count, out));
  made->own_contexts = count;
  made->first_contexts = scan_mpi_allocate(made, (uint64_t)made->ranks + 1, sizeof *made->first_contexts);
  made->counts = scan_mpi_allocate(made, 2 * (uint64_t)made->ranks, sizeof *made->counts);
  *own = scan_mpi_allocate(made, (uint64_t)count, sizeof **own);
  if (made->first_contexts == NULL || made->counts == NULL || *own == NULL) return SCAN_OUT_OF_MEMORY;
  for (int i = 0; i < count; i++) {
    made->ctx = ctxs[i];
    MPI_TRY(ask_device(made));
    (*own)[i] = *made;
  }
  return SCAN_SUCCESS;
}

/* Finds the number of each rank's contexts. */
static scan_status count_contexts(scan_mpi *made) {
  int *firsts = made->first_contexts;
  MPI_TRY(MPI_CALL(made, MPI_Allgather, &made->own_contexts, 1, MPI_INT, firsts + 1, 1, MPI_INT, made->comm));
  for (int r = 0; r < made->ranks; r++) firsts[r + 1] += firsts[r];
  return SCAN_SUCCESS;
}

/* Completes the contexts by what depends on other ranks. */
static scan_status join(scan_mpi *own, scan_mpi *made) {
  MPI_TRY(count_contexts(made));
  for (int i = 0; i < made->own_contexts; i++) {
    own[i].handle = own;
    own[i].context = made->first_contexts[made->rank] + i;
    own[i].contexts = made->first_contexts[made->ranks];
  }
  const scan_status status = scan_mpi_transport_choose(own);
  if (status != SCAN_SUCCESS) memcpy(made->text, own->text, sizeof own->text);
  return status;
}

static void free_contexts(scan_mpi *own, const scan_mpi *made) {
  if (own != NULL) scan_mpi_transport_close(own);
  free(made->first_contexts);
  free(made->counts);
  free(own);
}

scan_status scan_mpi_create_contexts(scan_ctx *const *ctxs, int ctx_count, MPI_Comm comm, scan_mpi **mpi) {
  scan_mpi made = { .comm = MPI_COMM_NULL,
                    .least_part_items = LEAST_PART_ITEMS,
                    .most_split_ranks = MOST_SPLIT_RANKS,
                    .launch_bytes = LAUNCH_BYTES,
                    .most_piece_bytes = UINT64_MAX },
           *own = NULL;
  scan_status status = check_comm(&made, comm);
  if (status != SCAN_SUCCESS) return copy_error_text(&made, status);
  status = duplicate(&made, comm);
  if (status == SCAN_SUCCESS) status = scan_mpi_agree(&made, make_contexts(&made, ctxs, ctx_count, &own, mpi));
  if (status == SCAN_SUCCESS) status = join(own, &made);
  if (status != SCAN_SUCCESS) {
    free_contexts(own, &made);
    if (made.comm != MPI_COMM_NULL) (void)MPI_Comm_free(&made.comm);
    return copy_error_text(&made, status);
  }
  *mpi = own;
  return SCAN_SUCCESS;
}

scan_status scan_mpi_create(scan_ctx *ctx, MPI_Comm comm, scan_mpi **mpi) {
  return scan_mpi_create_contexts(&ctx, 1, comm, mpi);
}

void scan_mpi_destroy(scan_mpi *mpi) {
  if (mpi == NULL) return;
  scan_mpi_transport_close(mpi);
  /* MPICH gives the next communicator the number of a freed one, and with it the messages sent there. */
  if (!mpi->has_strays) (void)MPI_Comm_free(&mpi->comm);
  for (int i = 0; i < mpi->own_contexts; i++) scan_ctx_destroy(mpi[i].host);
  free_contexts(mpi, mpi);
}

int scan_mpi_takes_device_memory(const scan_mpi *mpi) {
  if (mpi == NULL) return 0;
  for (int i = 0; i < mpi->own_contexts; i++)
    if (!mpi[i].takes_device_memory) return 0;
  return 1;
}

uint64_t scan_mpi_sent_bytes(const scan_mpi *mpi) { return mpi != NULL ? mpi->sent_bytes : 0; }

scan_status scan_mpi_overflow_index(const scan_mpi *mpi, uint64_t *index) {
  if (mpi == NULL || index == NULL || !mpi->has_overflowed) return SCAN_INVALID_ARGUMENT;
  *index = mpi->overflow_index;
  return SCAN_SUCCESS;
}

scan_status scan_mpi_offsets(MPI_Comm comm, uint64_t count, uint64_t *offset, uint64_t *total) {
  scan_mpi call = { .comm = comm };
  uint64_t before = 0, all = 0;
  int rank = 0;
  scan_status status = MPI_CALL(&call, MPI_Comm_rank, comm, &rank);
  if (status == SCAN_SUCCESS) status = MPI_CALL(&call, MPI_Exscan, &count, &before, 1, MPI_UINT64_T, MPI_SUM, comm);
  if (status == SCAN_SUCCESS) status = MPI_CALL(&call, MPI_Allreduce, &count, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
  if (status == SCAN_SUCCESS && offset == NULL)
    status = scan_mpi_fail(&call, SCAN_INVALID_ARGUMENT, "scan_mpi_offsets: offset is NULL");
  if (status != SCAN_SUCCESS) return copy_error_text(&call, status);
  *offset = rank == 0 ? 0 : before; /* MPI leaves rank 0's result unset */
  if (total != NULL) *total = all;
  return SCAN_SUCCESS;
}
