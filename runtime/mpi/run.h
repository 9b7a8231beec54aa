/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan over the ranks in progress: scan.c has the steps in order, edges.c the messages between contexts, places.c
 * addresses of elements, values.c the values of blocks, fold.c their sums, pieces.c the scans, scan_memory.c memory. */
#ifndef SCANRT_MPI_RUN_H
#define SCANRT_MPI_RUN_H

#include "mpi/messages.h"
#include "mpi/plans.h"
#include "mpi/segment_flags.h"

/* Signed, because MPICH 4.0 compares unsigned numbers as signed ones in MPI_MIN. */
#define MPI_NOWHERE INT64_MAX

enum { MPI_MARKS_BYTES = 1 << 20 /* of marks that are read at a time, if they are no host memory */ };

/* Slots for values in device memory. */
enum { SLOT_IDENTITY, SLOT_CARRY, SLOT_CARRY_HELD, SLOT_LEFT, SLOT_TOTAL, SLOT_COUNT, SLOTS };

/* The first data that each context sends to the others. */
typedef struct mpi_hello {
  uint64_t local_n;
  int32_t has_carry, wants_carry, has_failed;
} mpi_hello;

typedef struct mpi_run mpi_run;

/* The ends of a context's elements, as it sends them to the others. */
typedef struct mpi_end {
  unsigned char first_key[8], last_key[8];
  uint8_t first, behind;
} mpi_end;

/* Another context's part of the block that a context holds. */
typedef struct mpi_held_part {
  int context;
  mpi_range places;
} mpi_held_part;

/* The elements that a context gives to another one and those that it scans for others. */
typedef struct mpi_edges {
  mpi_range given; /* this context's places that another context scans */
  int taker;       /* the context that scans `given` */
  unsigned char *given_flags;
  mpi_held_part *parts; /* parts of others that this context scans */
  int part_count;
  uint64_t *given_items, *part_items; /* for each context: elements given to it, and of its part */
  uint64_t *part_places, *zeros;      /* for each context: the index of its part in the held block, and 0 */
} mpi_edges;

/* Host memory of a scan, which a run names by its own fields. */
typedef struct mpi_arrays {
  uint64_t *starts, *block_starts; /* first context only: the layout's */
  unsigned char *values;           /* first context only: of all blocks */
  unsigned char *starts_segment;   /* first context only: a byte for each block */
  mpi_end *ends;                   /* first context only: of all contexts */
  unsigned char *begins;           /* first context only: a byte for each context */
  mpi_held_part *parts;            /* one for each context */
  uint64_t *numbers;               /* four for each context */
  unsigned char *given_flags, *held_flags;
  unsigned char *folded, *folds; /* values that are folded, and their folds */
} mpi_arrays;

/* A step of a scan that a context of this rank does on its own. */
typedef scan_status mpi_step(mpi_run *run);

/* A plan: an array of one for each context of this rank. The first one is the plan, and alone has the fields of the
 * whole rank. */
struct scan_mpi_plan {
  scan_mpi *mpi;
  const mpi_plan_kind *kind; /* NULL: the plan of a scan; else the plan has `state` alone */
  void *state;
  mpi_spec spec;
  uint64_t max_local_n;
  mpi_run *runs;         /* first only: the runs of this rank's contexts */
  mpi_hello *hellos;     /* first only: the data of all contexts */
  mpi_messages messages; /* first only: segment flags of all of them */
  mpi_buffer slots;      /* SLOTS values */
  mpi_buffer held_in;    /* the block that is not in this context's memory alone, with room for an element behind it */
  mpi_buffer held_out;   /* results of the held block */
  mpi_buffer held_flags; /* segment flags of the held block */
  mpi_buffer segment_flags; /* segment flags of the caller's elements */
  mpi_buffer host_flags;    /* copy on the host of segment_flags, if these are on a device */
  mpi_buffer marks;         /* marks on the host, if the caller's are no host memory */
  mpi_buffer outputs;       /* outputs of the scans that reduce blocks */
  mpi_buffer values;        /* values of this context's blocks */
  mpi_buffer folded, folds; /* copies on the device of the arrays of these names, if it folds */
  mpi_buffer arena;         /* memory of `arrays` */
  mpi_arrays arrays;
  uint64_t reserved_n; /* elements of all ranks that there is memory for, if there is an arena */
  /* Plans of libscanrt, which allocate nothing when they run. NULL: not needed, or the plan is made for one run. */
  scan_plan *scans[MPI_SCANS];
  scan_plan *folding;
  scan_plan *comparing; /* encodes keys, to find out if they are equal */
};

/* The part of a scan that one context of this rank does. */
struct mpi_run {
  mpi_work work; /* must be the first member */
  scan_mpi *mpi;
  scan_mpi_plan *plan;
  const mpi_spec *spec;
  const scan_spec *asked; /* the caller's spec, and this context's operator in place of its own; used to make a plan */
  scan_op *op;
  const scan_args *given; /* the caller's args */
  scan_args args;
  uint64_t local_n;
  mpi_layout layout; /* the same for all of this rank's contexts */
  mpi_range places;  /* places of this context's elements */
  mpi_range blocks;  /* this context's own blocks */
  mpi_range held;    /* places of this context's last block if it is in held_in; else empty */
  int is_shared;     /* 1: other contexts have elements of the held block */
  int has_edges;     /* 1: some context gives elements to another one; the same on all ranks */
  int ends_alone;    /* 1: this context has the last block of all, with all its elements, so that no context needs its
                        value */
  int has_carry, wants_carry;
  int shows_plus_zero; /* spec.sum_is_plus_zero, unless a carry comes in */
  mpi_value seed;
  int has_seed;
  mpi_segment_flags segment_flags;
  uint64_t open_begin;       /* by keys: the place where the last run of the blocks that are not held begins in them */
  unsigned char *held_flags; /* host copy of the plan's held_flags; NULL: no block is held, or it has no segments */
  mpi_edges edges;
  unsigned char *values;         /* values of all blocks; shared by the rank's contexts */
  unsigned char *starts_segment; /* 1 for each block in which a segment begins; shared by the rank's contexts */
  mpi_value left, total;         /* the scan's carry and total, on the context that has the last element */
  int64_t overflow_at;           /* place of the first overflow; MPI_NOWHERE: none */
  mpi_step *step;
};

/* The arguments of a public call. */
typedef struct mpi_call {
  const char *name;
  int contexts; /* number of contexts that the arguments are for */
  const scan_spec *spec;
  scan_op *const *ops;
  const uint64_t *local_ns;
  const scan_args *args;
} mpi_call;

/* ---- scan.c ---- */

/* Runs the scan of a call, for all of this rank's contexts. */
scan_status scan_mpi_scan(scan_mpi_plan *plan, const mpi_call *call);

/* Makes the plan of a call. Collective. @param is_once  1: it runs once, and allocates and compiles then what its
 * elements need. @param[out] plan  NULL is refused */
scan_status scan_mpi_scan_plan(scan_mpi *mpi, const mpi_call *call, int is_once, scan_mpi_plan **plan);

/* Refuses a call whose number of contexts is not this rank's. */
scan_status scan_mpi_check_contexts(scan_mpi *mpi, const mpi_call *call);

/* ---- contexts.c ---- */

/* Runs a step for each of this rank's contexts. From here on `runs` is an array of all of the rank's runs. */
scan_status scan_mpi_each(mpi_run *runs, mpi_step *step);

/* ---- scan_memory.c ---- */

/* Allocates host memory for the segment flags of up to local_n of the context's elements. */
scan_status scan_mpi_scan_reserve_flags(scan_mpi_plan *plan, uint64_t local_n);

/* Allocates memory for scans of up to n elements of all ranks, and local_n of this context, unless there is enough. */
scan_status scan_mpi_scan_reserve(scan_mpi_plan *plan, uint64_t n, uint64_t local_n);

/* Makes all that runs of a rank's plan need, so that they allocate nothing. Collective. */
scan_status scan_mpi_scan_prepare(scan_mpi_plan *plan);

/* Frees the memory of one context's plan. */
void scan_mpi_scan_release(scan_mpi_plan *plan);

/* Runs a scan of libscanrt, by its plan if that takes the memory. */
scan_status scan_mpi_scan_own(const mpi_run *run, mpi_scan_id scan, uint64_t n, const scan_args *args);

/* ---- places.c ---- */

/* The memory of a range of places in this context: the caller's, or the held block's. */
typedef struct mpi_piece {
  scan_mem in, out, marks;
  uint64_t n;
} mpi_piece;
mpi_piece scan_mpi_piece_of(const mpi_run *run, mpi_range places, int is_held);

/* Returns the device memory of a slot. */
scan_mem scan_mpi_slot(const mpi_run *run, int slot);

/* ---- edges.c ---- */

/* Lists the edges, and copies this context's elements of the held block. */
scan_status scan_mpi_edges_open(mpi_run *run);

/* Sends elements to the contexts that own their blocks, for all of this rank's `runs`. Collective. */
scan_status scan_mpi_edges_send(mpi_run *runs);

/* Adds an element behind the held block, and copies its segment flags to the device. */
scan_status scan_mpi_edges_place(mpi_run *run);

/* Copies the held block's results to this context's output. */
scan_status scan_mpi_edges_copy_out(mpi_run *run);

/* Sends results back to the contexts that gave the elements, for all of this rank's `runs`. Collective. */
scan_status scan_mpi_edges_return(mpi_run *runs);

/* ---- segment_flags.c ---- */

static inline int scan_mpi_has_segments(const mpi_run *run) { return run->spec->asked.segments != SCAN_SEGMENTS_NONE; }

/* Reads this context's marks, or by keys the first and the last one. */
scan_status scan_mpi_flags_read(mpi_run *run);

/* Copies the flags of `count` of this context's elements, from index `first` on. */
scan_status scan_mpi_flags_copy(const mpi_run *run, uint64_t first, uint64_t count, unsigned char *to);

/* Finds the last run of this context's elements from index `first` to index `end`, by keys: sets *start to the index of
 * its first element among them. */
scan_status scan_mpi_last_run(const mpi_run *run, uint64_t first, uint64_t end, uint64_t *start);

/* Completes the flags on both sides of each boundary between contexts, for all of this rank's `runs`. Collective.
 * @param status this rank's status so far: if any rank has failed, nothing is done. */
scan_status scan_mpi_flags_join(mpi_run *runs, scan_status status);

/* ---- values.c ---- */

/* Computes the values of this context's blocks, and whether segments begin in them. */
scan_status scan_mpi_values_reduce(mpi_run *run);

/* Distributes all ranks' block values. Calls only MPI. Collective. */
scan_status scan_mpi_values_share(const mpi_run *run);

/* Computes the value before a block. @param with_seed 0: without the seed, for a sum that outputs +0.0 first.
 * @param[out] is_there 0: nothing precedes the block. */
scan_status scan_mpi_value_before(mpi_run *run, uint64_t block, int with_seed, mpi_value *value, int *is_there);

/* Finds out if a segment begins at that place of the scan, which this context has. */
scan_status scan_mpi_begins_segment(const mpi_run *run, uint64_t place, int *begins);

/* ---- fold.c ---- */

/* Makes the plan that folds up to `count` values. */
scan_status scan_mpi_fold_open(scan_mpi_plan *plan, uint64_t count);

/* Folds `count` values of the plan's array `folded`. */
scan_status scan_mpi_fold(const mpi_run *run, uint64_t count, mpi_value *value);

/* ---- pieces.c ---- */

/* Scans this context's blocks. */
scan_status scan_mpi_pieces_scan(mpi_run *run);

#endif
