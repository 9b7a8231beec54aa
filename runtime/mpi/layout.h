/* SPDX-License-Identifier: BSD-2-Clause */
/* How the elements of all contexts are cut into blocks that are reduced and scanned by one context each: arithmetic
 * alone. A rank has a context, or several, whose elements lie one behind the other's.
 *
 * Places count in the order of the scan: place 0 is the first element, or of backward scans the last one. */
#ifndef SCANRT_MPI_LAYOUT_H
#define SCANRT_MPI_LAYOUT_H

#include "mpi/mpi.h"

typedef struct mpi_layout {
  int contexts, backward;
  uint64_t n;       /* elements of all */
  uint64_t *starts; /* contexts + 1: where each one's begin in memory's order */
  uint64_t blocks;
  uint64_t *begins; /* blocks + 1: the place where each block begins, and n */
} mpi_layout;

typedef struct mpi_range {
  uint64_t begin, end;
} mpi_range;

/* What blocks are: group_items elements each, the last one as many more as are no group of their own (tail_items at
 * most); with group_items 0 the part of each context that has one. */
typedef struct mpi_cut {
  uint64_t group_items, tail_items;
} mpi_cut;

/* How many blocks n elements have, of which `parts` contexts have some. */
uint64_t scan_mpi_blocks(uint64_t n, uint64_t parts, mpi_cut cut);

/* Makes the layout of so many elements a context. Free it, after a failure too. */
scan_status scan_mpi_layout_make(scan_mpi *mpi, const uint64_t *counts, int backward, mpi_cut cut, mpi_layout *layout);
void scan_mpi_layout_free(mpi_layout *layout);

/* The places of a context's elements. */
mpi_range scan_mpi_places_of(const mpi_layout *layout, int context);

/* The blocks that begin among a context's elements, which are its own. */
mpi_range scan_mpi_blocks_of(const mpi_layout *layout, int context);

/* The context whose own a block is. */
int scan_mpi_owner_of(const mpi_layout *layout, uint64_t block);

/* The places of a context's elements that belong to a block of another context; empty: there are none. */
mpi_range scan_mpi_given_away(const mpi_layout *layout, int context);

/* Where places begin in memory's order. */
static inline uint64_t scan_mpi_memory_of(const mpi_layout *layout, mpi_range places) {
  return layout->backward ? layout->n - places.end : places.begin;
}

static inline uint64_t scan_mpi_items(mpi_range range) { return range.end > range.begin ? range.end - range.begin : 0; }

#endif
