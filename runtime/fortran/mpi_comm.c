/* SPDX-License-Identifier: BSD-2-Clause */
/* scan_mpi.h for Fortran, where communicators are integers. Module scanrt_mpi_c declares these functions. */
#include <scanrt/scan_mpi.h>

SCAN_API scan_status scan_fortran_mpi_create(scan_ctx *ctx, MPI_Fint comm, scan_mpi **mpi);
SCAN_API scan_status scan_fortran_mpi_create_contexts(scan_ctx *const *ctxs, int ctx_count, MPI_Fint comm,
                                                      scan_mpi **mpi);
SCAN_API scan_status scan_fortran_mpi_run(scan_ctx *ctx, MPI_Fint comm, const scan_spec *spec, uint64_t local_n,
                                          scan_mem in, scan_mem out);
SCAN_API scan_status scan_fortran_mpi_offsets(MPI_Fint comm, uint64_t count, uint64_t *offset, uint64_t *total);

/* Converts a communicator. Before MPI_Init there is no valid one; MPI_COMM_NULL makes libscanrt_mpi report that. */
static MPI_Comm comm_of(MPI_Fint comm) {
  int is_initialized = 0;
  if (MPI_Initialized(&is_initialized) != MPI_SUCCESS || !is_initialized) return MPI_COMM_NULL;
  return MPI_Comm_f2c(comm);
}

scan_status scan_fortran_mpi_create(scan_ctx *ctx, MPI_Fint comm, scan_mpi **mpi) {
  return scan_mpi_create(ctx, comm_of(comm), mpi);
}

scan_status scan_fortran_mpi_create_contexts(scan_ctx *const *ctxs, int ctx_count, MPI_Fint comm, scan_mpi **mpi) {
  return scan_mpi_create_contexts(ctxs, ctx_count, comm_of(comm), mpi);
}

scan_status scan_fortran_mpi_run(scan_ctx *ctx, MPI_Fint comm, const scan_spec *spec, uint64_t local_n, scan_mem in,
                                 scan_mem out) {
  return scan_mpi_run(ctx, comm_of(comm), spec, local_n, in, out);
}

scan_status scan_fortran_mpi_offsets(MPI_Fint comm, uint64_t count, uint64_t *offset, uint64_t *total) {
  return scan_mpi_offsets(comm_of(comm), count, offset, total);
}
