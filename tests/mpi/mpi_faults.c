/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi_faults.h"

#include <mpi.h>
#include <stddef.h>
#include <string.h>

static const char *failing; /* the name of the call */
static int passes, on_rank; /* calls that succeed first; the failing rank, -1: all */

int mpi_fault_failures;
fault_plan mpi_fault_plan;
long mpi_fault_objects;

static int own_rank(void) {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/* 1 for calls of which ranks make different numbers. */
static int is_message(const char *call) { return strcmp(call, "MPI_Isend") == 0 || strcmp(call, "MPI_Irecv") == 0; }

static int fails(const char *call) {
  if (!is_message(call) && fault_is_due(&mpi_fault_plan, call)) return 1;
  if (failing == NULL || strcmp(call, failing) != 0 || (on_rank >= 0 && on_rank != own_rank())) return 0;
  if (passes-- > 0) return 0;
  mpi_fault_failures++;
  return 1;
}

void mpi_fault_arm(const char *call, int after, int rank) {
  failing = call;
  passes = after;
  on_rank = rank;
  if (call != NULL) mpi_fault_failures = 0;
}

static int count(int result, long made) {
  if (result == MPI_SUCCESS) mpi_fault_objects += made;
  return result;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
  return fails("MPI_Comm_dup") ? MPI_ERR_OTHER : count(PMPI_Comm_dup(comm, made), 1);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made) {
  return fails("MPI_Comm_split_type") ? MPI_ERR_OTHER : count(PMPI_Comm_split_type(comm, type, key, info, made), 1);
}

int MPI_Comm_free(MPI_Comm *comm) { return count(PMPI_Comm_free(comm), -1); }

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  return fails("MPI_Comm_set_errhandler") ? MPI_ERR_OTHER : PMPI_Comm_set_errhandler(comm, handler);
}

int MPI_Comm_test_inter(MPI_Comm comm, int *is_inter) {
  return fails("MPI_Comm_test_inter") ? MPI_ERR_OTHER : PMPI_Comm_test_inter(comm, is_inter);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  return fails("MPI_Comm_rank") ? MPI_ERR_OTHER : PMPI_Comm_rank(comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int *ranks) {
  return fails("MPI_Comm_size") ? MPI_ERR_OTHER : PMPI_Comm_size(comm, ranks);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return fails("MPI_Allreduce") ? MPI_ERR_OTHER : PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Exscan(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return fails("MPI_Exscan") ? MPI_ERR_OTHER : PMPI_Exscan(from, to, count, type, op, comm);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return fails("MPI_Bcast") ? MPI_ERR_OTHER : PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Allgather(const void *from, int sent, MPI_Datatype sent_type, void *to, int got, MPI_Datatype got_type,
                  MPI_Comm comm) {
  return fails("MPI_Allgather") ? MPI_ERR_OTHER : PMPI_Allgather(from, sent, sent_type, to, got, got_type, comm);
}

int MPI_Allgatherv(const void *from, int sent, MPI_Datatype sent_type, void *to, const int *got, const int *places,
                   MPI_Datatype got_type, MPI_Comm comm) {
  return fails("MPI_Allgatherv") ? MPI_ERR_OTHER
                                 : PMPI_Allgatherv(from, sent, sent_type, to, got, places, got_type, comm);
}

int MPI_Alltoall(const void *from, int sent, MPI_Datatype sent_type, void *to, int got, MPI_Datatype got_type,
                 MPI_Comm comm) {
  return fails("MPI_Alltoall") ? MPI_ERR_OTHER : PMPI_Alltoall(from, sent, sent_type, to, got, got_type, comm);
}

int MPI_Barrier(MPI_Comm comm) { return fails("MPI_Barrier") ? MPI_ERR_OTHER : PMPI_Barrier(comm); }

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  return fails("MPI_Isend") ? MPI_ERR_OTHER : PMPI_Isend(from, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  return fails("MPI_Irecv") ? MPI_ERR_OTHER : PMPI_Irecv(to, count, type, from, tag, comm, request);
}
