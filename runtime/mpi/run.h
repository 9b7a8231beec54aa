/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan over the ranks while it is done: scan.c has the steps in their order, edges.c what passes between ranks,
 * values.c the values of blocks, pieces.c the scans. */
#ifndef SCANRT_MPI_RUN_H
#define SCANRT_MPI_RUN_H

#include "mpi/heads.h"

/* Signed: MPICH 4.0 takes the least of unsigned numbers as if they had a sign. */
#define MPI_NOWHERE INT64_MAX

/* Places for values in memory of the device. */
enum { SLOT_IDENTITY, SLOT_CARRY, SLOT_CARRY_HELD, SLOT_LEFT, SLOT_TOTAL, SLOTS };

/* What a rank tells the others first. */
typedef struct mpi_hello {
  uint64_t local_n;
  int32_t has_carry, wants_carry, has_failed;
} mpi_hello;

struct scan_mpi_plan {
  scan_mpi *mpi;
  mpi_spec spec;
  uint64_t max_local_n;
  mpi_hello *hellos;     /* of all ranks */
  mpi_buffer slots;      /* SLOTS values */
  mpi_buffer held_in;    /* a block that does not lie in this rank's memory alone, with room for an element behind it */
  mpi_buffer held_out;   /* its results */
  mpi_buffer held_heads; /* where segments begin in it */
  mpi_buffer heads;      /* where segments begin in this rank's memory */
  mpi_buffer outputs;    /* what blocks are reduced into */
  mpi_buffer values;     /* of this rank's blocks */
  void *tiles;           /* values of their tiles, the host's */
  uint64_t tiles_bytes;
};

typedef struct mpi_run {
  scan_mpi *mpi;
  scan_mpi_plan *plan;
  const mpi_spec *spec;
  scan_args args;
  uint64_t local_n;
  mpi_layout layout;
  mpi_range places; /* of this rank's elements */
  mpi_range blocks; /* which are this rank's own */
  mpi_range held;   /* the places of the last of them where it is in held_in; else empty */
  int is_shared;    /* other ranks have elements of it */
  int has_edges;    /* a rank gives elements to another one; the same on all ranks */
  int ends_alone;   /* the last block of all is this rank's, with all its elements: nobody wants this rank's values */
  int has_carry, wants_carry;
  int shows_plus_zero; /* spec.sum_is_plus_zero, where no carry comes in */
  mpi_value seed;
  int has_seed;
  mpi_heads heads;
  unsigned char *held_heads; /* the host's of held_heads */
  int *counts;               /* two for each rank, for MPI's calls */
  unsigned char *values;     /* of all blocks */
  unsigned char *has_head;   /* whether a segment begins in each */
  mpi_value left, total;     /* what the whole leaves and comes to, on the rank that has the last element */
  int64_t overflow_at;       /* a place; MPI_NOWHERE: nothing has overflowed */
} mpi_run;

/* Where places lie on this rank: in the caller's memory, or held. */
typedef struct mpi_piece {
  scan_mem in, out, heads;
  uint64_t n;
} mpi_piece;
mpi_piece scan_mpi_piece_of(const mpi_run *run, mpi_range places, int is_held);

/* A place for a value of the device. */
scan_mem scan_mpi_slot(const mpi_run *run, int slot);

/* ---- edges.c ---- */

typedef struct mpi_edges mpi_edges;

/* Makes room for the block that is held, with this rank's elements of it, and for what passes through the host. */
scan_status scan_mpi_edges_open(mpi_run *run, mpi_edges **edges);
void scan_mpi_edges_close(const scan_mpi *mpi, mpi_edges *edges);

/* Brings elements to the ranks whose blocks they are in; only MPI is called. */
scan_status scan_mpi_edges_send(mpi_run *run, mpi_edges *edges);

/* Puts what has come where scans find it, with an element behind it. */
scan_status scan_mpi_edges_place(mpi_run *run, mpi_edges *edges);

/* The same ways back, of results: taken from where the scan left them, sent, and put into the caller's memory. */
scan_status scan_mpi_edges_take(mpi_run *run, mpi_edges *edges);
scan_status scan_mpi_edges_return(mpi_run *run, mpi_edges *edges);
scan_status scan_mpi_edges_deliver(mpi_run *run, mpi_edges *edges);

/* ---- values.c ---- */

/* The values of this rank's blocks, and whether segments begin in them. */
scan_status scan_mpi_values_reduce(mpi_run *run);

/* Those of all ranks; only MPI is called. */
scan_status scan_mpi_values_share(mpi_run *run);

/* What comes before a block. @param with_seed 0: of a sum that shows +0.0 first, without it. @param[out] is_there 0:
 * nothing does. */
scan_status scan_mpi_value_before(mpi_run *run, uint64_t block, int with_seed, mpi_value *value, int *is_there);

/* Whether a segment begins at that place in the order of the scan, which this rank has or holds. */
int scan_mpi_begins_segment(const mpi_run *run, uint64_t place);

/* ---- pieces.c ---- */

/* Scans this rank's blocks. */
scan_status scan_mpi_pieces_scan(mpi_run *run);

#endif
