/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans of calls other than scans: a state behind the handle that scan_mpi_plan_destroy takes. */
#ifndef SCANRT_MPI_PLANS_H
#define SCANRT_MPI_PLANS_H

#include "mpi/mpi.h"

/* The arguments that a plan is made of. */
typedef struct mpi_plan_call {
  const char *name;
  const void *spec;
  uint64_t max_local_n;
  uint64_t capacity; /* of sorts and splits, as the distribution is */
  int distribution;
  uint64_t max_n; /* max_local_n of all ranks; UINT64_MAX: as many or more. scan_mpi_plan_open sets it */
  int is_once;    /* 1: the plan runs once. scan_mpi_plan_once sets it */
} mpi_plan_call;

/* The calls of one kind of plan. A state begins with the handle, a scan_mpi *. */
typedef struct mpi_plan_kind {
  const char *create; /* the public function that makes such plans */
  size_t state_bytes;
  scan_status (*open)(void *state, const mpi_plan_call *call); /* checks the call, and allocates, for this rank alone */
  scan_status (*join)(void *state, const mpi_plan_call *call); /* does what all ranks do together. Collective */
  scan_status (*run)(void *state, uint64_t local_n, const void *args, scan_mpi_part *part);
  void (*close)(void *state); /* frees what the state names */
} mpi_plan_kind;

/* Makes a plan, and has all ranks agree on it. Collective. @param[out] plan  the caller's argument; NULL is refused. */
scan_status scan_mpi_plan_open(scan_mpi *mpi, const mpi_plan_kind *kind, const mpi_plan_call *given,
                               scan_mpi_plan **plan);

/* Begins a run of a plan. Refuses NULL, and a plan of another kind. @param kind  NULL: that of scans */
scan_status scan_mpi_plan_begin(scan_mpi_plan *plan, const mpi_plan_kind *kind);

/* Runs a plan of a kind. Collective. */
scan_status scan_mpi_plan_do(scan_mpi_plan *plan, const mpi_plan_kind *kind, uint64_t local_n, const void *args,
                             scan_mpi_part *part);

/* Makes a plan, runs it with max_local_n elements, and frees it. Collective. */
scan_status scan_mpi_plan_once(scan_mpi *mpi, const mpi_plan_kind *kind, const mpi_plan_call *call, const void *args,
                               scan_mpi_part *part);

#endif
