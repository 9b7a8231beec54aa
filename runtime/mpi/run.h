/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan over the ranks while it is done: scan.c has the steps in their order, edges.c what passes between contexts,
 * places.c where elements lie, values.c the values of blocks, pieces.c the scans. */
#ifndef SCANRT_MPI_RUN_H
#define SCANRT_MPI_RUN_H

#include "mpi/heads.h"

/* Signed: MPICH 4.0 takes the least of unsigned numbers as if they had a sign. */
#define MPI_NOWHERE INT64_MAX

/* Places for values in memory of the device. */
enum { SLOT_IDENTITY, SLOT_CARRY, SLOT_CARRY_HELD, SLOT_LEFT, SLOT_TOTAL, SLOTS };

/* What a context tells the others first. */
typedef struct mpi_hello {
  uint64_t local_n;
  int32_t has_carry, wants_carry, has_failed;
} mpi_hello;

typedef struct mpi_run mpi_run;
typedef struct mpi_edges mpi_edges;

/* What a context of this rank does of a scan, on its own. */
typedef scan_status mpi_step(mpi_run *run);

/* A plan has one for each context of this rank, side by side: the first one is the plan, and has what is of the rank.
 */
struct scan_mpi_plan {
  scan_mpi *mpi;
  mpi_spec spec;
  uint64_t max_local_n;
  mpi_run *runs;      /* of the plan: for each context of this rank */
  mpi_hello *hellos;  /* of the plan: of all contexts */
  mpi_buffer slots;   /* SLOTS values */
  mpi_buffer held_in; /* a block that does not lie in this context's memory alone, with room for an element behind it */
  mpi_buffer held_out;   /* its results */
  mpi_buffer held_heads; /* where segments begin in it */
  mpi_buffer heads;      /* where segments begin in the caller's memory */
  mpi_buffer outputs;    /* what blocks are reduced into */
  mpi_buffer values;     /* of this context's blocks */
};

/* A scan as one context of this rank does it. */
struct mpi_run {
  mpi_work work; /* the first member */
  scan_mpi *mpi;
  scan_mpi_plan *plan;
  const mpi_spec *spec;
  const scan_spec
      *asked; /* the caller's, and the operator of this context in place of its own: a plan is made of them */
  scan_op *op;
  const scan_args *given; /* the caller's */
  scan_args args;
  uint64_t local_n;
  mpi_layout layout; /* the same for all of this rank's contexts */
  mpi_range places;  /* of this context's elements */
  mpi_range blocks;  /* which are this context's own */
  mpi_range held;    /* the places of the last of them where it is in held_in; else empty */
  int is_shared;     /* other contexts have elements of it */
  int has_edges;     /* a context gives elements to another one; the same on all ranks */
  int ends_alone;    /* the last block of all is this context's, with all its elements: nobody wants its values */
  int has_carry, wants_carry;
  int shows_plus_zero; /* spec.sum_is_plus_zero, where no carry comes in */
  mpi_value seed;
  int has_seed;
  mpi_heads heads;
  unsigned char *held_heads; /* the host's of held_heads */
  mpi_edges *edges;
  unsigned char *values;   /* of all blocks; of the rank */
  unsigned char *has_head; /* whether a segment begins in each; of the rank */
  mpi_value left, total;   /* what the whole leaves and comes to, on the context that has the last element */
  int64_t overflow_at;     /* a place; MPI_NOWHERE: nothing has overflowed */
  mpi_step *step;
};

/* A call of the caller's. */
typedef struct mpi_call {
  const char *name;
  int contexts; /* that it has something for */
  const scan_spec *spec;
  scan_op *const *ops;
  const uint64_t *local_ns;
  const scan_args *args;
} mpi_call;

/* ---- scan.c ---- */

/* Does a call's scan, for all of this rank's contexts. */
scan_status scan_mpi_scan(scan_mpi_plan *plan, const mpi_call *call);

/* Whether the call is one for as many contexts as this rank has. */
scan_status scan_mpi_check_contexts(scan_mpi *mpi, const mpi_call *call);

/* ---- contexts.c ---- */

/* Does a step for each of this rank's contexts, from here for all of its `runs`. */
scan_status scan_mpi_each(mpi_run *runs, mpi_step *step);

/* ---- places.c ---- */

/* Where places lie in this context: in the caller's memory, or held. */
typedef struct mpi_piece {
  scan_mem in, out, heads;
  uint64_t n;
} mpi_piece;
mpi_piece scan_mpi_piece_of(const mpi_run *run, mpi_range places, int is_held);

/* A place for a value of the device. */
scan_mem scan_mpi_slot(const mpi_run *run, int slot);

/* ---- edges.c ---- */

/* Makes room for the block that is held, with this context's elements of it, and for what passes through the host. */
scan_status scan_mpi_edges_open(mpi_run *run);
void scan_mpi_edges_close(mpi_run *run);

/* Brings elements to the contexts whose blocks they are in; only MPI is called, for all of this rank's `runs`. */
scan_status scan_mpi_edges_send(mpi_run *runs);

/* Puts what has come where scans find it, with an element behind it. */
scan_status scan_mpi_edges_place(mpi_run *run);

/* The same ways back, of results: taken from where the scan left them, sent, and put into the caller's memory. */
scan_status scan_mpi_edges_take(mpi_run *run);
scan_status scan_mpi_edges_return(mpi_run *runs);
scan_status scan_mpi_edges_deliver(mpi_run *run);

/* ---- heads.c ---- */

/* Completes the bytes on either side of each boundary of contexts, for all of this rank's `runs`. Collective. @param
 * status of this rank so far: where one has failed nothing is done. */
scan_status scan_mpi_heads_join(mpi_run *runs, scan_status status);

/* ---- values.c ---- */

/* The values of this context's blocks, and whether segments begin in them. */
scan_status scan_mpi_values_reduce(mpi_run *run);

/* Those of all ranks; only MPI is called. */
scan_status scan_mpi_values_share(const mpi_run *run);

/* What comes before a block. @param with_seed 0: of a sum that shows +0.0 first, without it. @param[out] is_there 0:
 * nothing does. */
scan_status scan_mpi_value_before(mpi_run *run, uint64_t block, int with_seed, mpi_value *value, int *is_there);

/* Whether a segment begins at that place in the order of the scan, which this context has or holds. */
int scan_mpi_begins_segment(const mpi_run *run, uint64_t place);

/* ---- pieces.c ---- */

/* Scans this context's blocks. */
scan_status scan_mpi_pieces_scan(mpi_run *run);

#endif
