/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles: a context, and a communicator of the library's own. */
#include <stdio.h>

#include "mpi/mpi.h"

#if defined(OPEN_MPI) && defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

/* Whether MPI takes addresses of CUDA devices, asked of the MPI that runs. */
static int asks_for_cuda(void) {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int is_supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_supported) == MPI_SUCCESS && is_supported;
#else
  return 0;
#endif
}

/* Words for the caller that has no handle. */
static scan_status told_without(const scan_mpi *mpi, scan_status status) {
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

/* The duplicate has the caller's handler until it is given its own, so that only errors of MPI_Comm_dup itself reach
 * that. */
static scan_status duplicate(scan_mpi *mpi, MPI_Comm comm) {
  MPI_TRY(MPI_CALL(mpi, MPI_Comm_dup, comm, &mpi->comm));
  MPI_TRY(MPI_CALL(mpi, MPI_Comm_set_errhandler, mpi->comm, MPI_ERRORS_RETURN));
  MPI_TRY(MPI_CALL(mpi, MPI_Comm_rank, mpi->comm, &mpi->rank));
  return MPI_CALL(mpi, MPI_Comm_size, mpi->comm, &mpi->ranks);
}

static scan_status ask_device(scan_mpi *mpi, scan_mpi **out) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  if (out == NULL) return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_create: mpi is NULL");
  if (mpi->ctx == NULL) return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_create: ctx is NULL");
  MPI_TRY(scan_mpi_take(mpi, scan_ctx_device(mpi->ctx, &info)));
  mpi->backend = info.backend;
  mpi->takes_device_memory =
      info.backend == SCAN_BACKEND_HOST || (info.backend == SCAN_BACKEND_CUDA && asks_for_cuda());
  return SCAN_SUCCESS;
}

scan_status scan_mpi_create(scan_ctx *ctx, MPI_Comm comm, scan_mpi **mpi) {
  scan_mpi made = { .ctx = ctx, .comm = MPI_COMM_NULL };
  scan_status status = check_comm(&made, comm);
  if (status != SCAN_SUCCESS) return told_without(&made, status);
  status = duplicate(&made, comm);
  if (status != SCAN_SUCCESS) {
    if (made.comm != MPI_COMM_NULL) (void)MPI_Comm_free(&made.comm);
    return told_without(&made, status);
  }
  scan_mpi *own = malloc(sizeof *own);
  status =
      own != NULL ? ask_device(&made, mpi) : scan_mpi_fail(&made, SCAN_OUT_OF_MEMORY, "no host memory for a handle");
  status = scan_mpi_agree(&made, status);
  if (status != SCAN_SUCCESS) {
    free(own);
    (void)MPI_Comm_free(&made.comm);
    return told_without(&made, status);
  }
  *own = made;
  *mpi = own;
  return SCAN_SUCCESS;
}

void scan_mpi_destroy(scan_mpi *mpi) {
  if (mpi == NULL) return;
  /* MPICH gives the next communicator the number of one that was freed, and with it what was sent there. */
  if (!mpi->has_strays) (void)MPI_Comm_free(&mpi->comm);
  free(mpi);
}

int scan_mpi_takes_device_memory(const scan_mpi *mpi) { return mpi != NULL && mpi->takes_device_memory; }

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
  if (status != SCAN_SUCCESS) return told_without(&call, status);
  *offset = rank == 0 ? 0 : before; /* MPI leaves rank 0's as it was */
  if (total != NULL) *total = all;
  return SCAN_SUCCESS;
}
