/* SPDX-License-Identifier: BSD-2-Clause */
/* A spec as the ranks have agreed on it, and the scans of libscanrt's that it is done by. */
#ifndef SCANRT_MPI_SPEC_H
#define SCANRT_MPI_SPEC_H

#include "mpi/layout.h"

enum { MPI_VALUE_BYTES = SCAN_OP_MOST_BYTES, MPI_GROUP_TILES = 128 };

typedef struct mpi_value {
  _Alignas(16) unsigned char bytes[MPI_VALUE_BYTES];
} mpi_value;

typedef struct mpi_spec {
  scan_spec asked;     /* as the caller gave it; its initial value is `init` */
  scan_spec piece;     /* a piece of it: segments are told by flags */
  scan_spec continued; /* the same begun from a carry: where there are no segments, without initial value */
  scan_spec reduce;    /* what gives a block's value */
  scan_spec fold;      /* the values of blocks, one after the other */
  mpi_value init;      /* what asked.init_bytes points to, where that is used */
  mpi_value seed;      /* what the scan begins from, as a value */
  mpi_value identity;
  mpi_value reduce_init;
  int has_seed;
  int is_exact;         /* the order of operations does not show: blocks are the parts of the contexts */
  int reduces_groups;   /* values of blocks are those of groups, which the device may give */
  int sum_is_plus_zero; /* an exclusive floating-point sum without a seed, which shows +0.0 first */
  uint32_t in_bytes, out_bytes, value_bytes;
  const char *refusal; /* what it is that can have no more than one block; NULL: it can */
  mpi_cut cut;
} mpi_spec;

/* Checks a spec, for this context alone. @param op this context's, in place of the spec's; NULL: the spec's. */
scan_status scan_mpi_spec_take(scan_mpi *mpi, const scan_spec *given, scan_op *op, mpi_spec *spec);

/* Whether two contexts of this rank have been given specs that say the same. */
int scan_mpi_spec_equals(const mpi_spec *a, const mpi_spec *b);

/* Refuses a spec that says another thing than rank 0's. Collective. */
scan_status scan_mpi_spec_compare(scan_mpi *mpi, const mpi_spec *spec);

#endif
