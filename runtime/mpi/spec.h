/* SPDX-License-Identifier: BSD-2-Clause */
/* A spec that the ranks have agreed on, and the scans of libscanrt that carry it out. */
#ifndef SCANRT_MPI_SPEC_H
#define SCANRT_MPI_SPEC_H

#include "mpi/layout.h"

enum { MPI_VALUE_BYTES = SCAN_OP_MOST_BYTES, MPI_GROUP_TILES = 128 };

typedef struct mpi_value {
  _Alignas(16) unsigned char bytes[MPI_VALUE_BYTES];
} mpi_value;

/* The scans of libscanrt that a scan over ranks is made of. */
typedef enum mpi_scan_id {
  MPI_PIECE,          /* scans a piece, whose segments are marked by flags */
  MPI_CONTINUED,      /* MPI_PIECE begun from a carry: without segments, it has no initial value */
  MPI_LEFT,           /* the total of MPI_CONTINUED */
  MPI_REDUCE,         /* gives a block's value */
  MPI_PIECE_KEYS,     /* MPI_PIECE in the caller's memory, whose segments are marked by the caller's keys */
  MPI_CONTINUED_KEYS, /* MPI_CONTINUED there */
  MPI_REDUCE_KEYS,    /* MPI_REDUCE there */
  MPI_REDUCE_OPEN,    /* exact: gives the value of a run which begins in an earlier block */
  MPI_SCANS
} mpi_scan_id;

typedef struct mpi_spec {
  scan_spec asked; /* the caller's spec; its initial value is `init` */
  scan_spec scans[MPI_SCANS];
  scan_spec fold; /* the scan that combines the values of blocks */
  int by_keys;    /* 1: pieces of the caller's memory are marked by the caller's keys */
  mpi_value init; /* the bytes that asked.init_bytes points to, if it is used */
  mpi_value seed; /* the value that the scan begins with */
  mpi_value identity;
  mpi_value reduce_init;
  int has_seed;
  int is_exact;         /* 1: the result does not depend on the order of operations; each context's part is a block */
  int reduces_groups;   /* 1: blocks' values are those of groups, which the device may compute */
  int sum_is_plus_zero; /* 1: an exclusive floating-point sum without a seed, which outputs +0.0 first */
  uint32_t in_bytes, out_bytes, value_bytes;
  const char *refusal; /* the kind of scan that is limited to one block, in words; NULL: there is no limit */
  mpi_cut cut;
} mpi_spec;

/* Copies the caller's spec, and refuses what no scan over ranks takes. */
scan_status scan_mpi_spec_read(scan_mpi *mpi, const scan_spec *given, scan_spec *own);

/* Checks a spec, for this context alone. @param op this context's operator, in place of the spec's; NULL: the
 * spec's. */
scan_status scan_mpi_spec_copy_in(scan_mpi *mpi, const scan_spec *given, scan_op *op, mpi_spec *spec);

/* 1 if two contexts of this rank have equivalent specs. */
int scan_mpi_spec_equals(const mpi_spec *a, const mpi_spec *b);

/* Refuses a spec that differs from rank 0's. Collective. */
scan_status scan_mpi_spec_compare(scan_mpi *mpi, const mpi_spec *spec);

#endif
