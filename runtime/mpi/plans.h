/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans of calls other than scans: a state behind the handle that scan_mpi_plan_destroy takes. */
#ifndef SCANRT_MPI_PLANS_H
#define SCANRT_MPI_PLANS_H

#include "mpi/mpi.h"

typedef struct mpi_plan_kind {
  const char *create; /* the public function that makes such plans */
  size_t state_bytes;
  void (*close)(void *state); /* frees what the state names */
} mpi_plan_kind;

/* Makes a plan with a state of zeros. @param[out] state the plan's; NULL: no memory. */
scan_status scan_mpi_plan_make(scan_mpi *mpi, const mpi_plan_kind *kind, scan_mpi_plan **plan, void **state);

/* Begins a run of a plan: returns its state. Refuses NULL, and a plan of another kind. */
scan_status scan_mpi_plan_begin(scan_mpi_plan *plan, const mpi_plan_kind *kind, void **state);

#endif
