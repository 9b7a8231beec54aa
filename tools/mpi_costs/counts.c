/* SPDX-License-Identifier: BSD-2-Clause */
#include "counts.h"

#include <mpi.h>
#include <string.h>

static mpi_count counts[COUNT_KINDS];

const char *counts_name(int kind) {
  static const char *const names[COUNT_KINDS] = { "allreduce", "bcast", "allgather", "alltoall", "exscan", "send" };
  return names[kind];
}

void counts_clear(void) { memset(counts, 0, sizeof counts); }

void counts_read(mpi_count read[COUNT_KINDS]) { memcpy(read, counts, sizeof counts); }

static uint64_t bytes_of(int count, MPI_Datatype type) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  return (uint64_t)count * (uint64_t)bytes;
}

static int ranks_of(MPI_Comm comm) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  return ranks;
}

static void count_call(int kind, uint64_t bytes) {
  counts[kind].calls++;
  counts[kind].bytes += bytes;
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count_call(COUNT_ALLREDUCE, bytes_of(count, type));
  return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  count_call(COUNT_BCAST, bytes_of(count, type));
  return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Exscan(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count_call(COUNT_EXSCAN, bytes_of(count, type));
  return PMPI_Exscan(send, receive, count, type, op, comm);
}

int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  count_call(COUNT_ALLGATHER, bytes_of(receive_count, receive_type) * (uint64_t)ranks_of(comm));
  return PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

int MPI_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *receive_counts,
                   const int *places, MPI_Datatype receive_type, MPI_Comm comm) {
  uint64_t bytes = 0;
  for (int r = 0; r < ranks_of(comm); r++) bytes += bytes_of(receive_counts[r], receive_type);
  count_call(COUNT_ALLGATHER, bytes);
  return PMPI_Allgatherv(send, send_count, send_type, receive, receive_counts, places, receive_type, comm);
}

int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
  count_call(COUNT_ALLTOALL, bytes_of(receive_count, receive_type) * (uint64_t)ranks_of(comm));
  return PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request) {
  count_call(COUNT_SEND, bytes_of(count, type));
  return PMPI_Isend(data, count, type, rank, tag, comm, request);
}
