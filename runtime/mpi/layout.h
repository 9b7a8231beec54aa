/* SPDX-License-Identifier: BSD-2-Clause */
/* The division of all contexts' elements into blocks, each reduced and scanned by one context: arithmetic alone. A rank
 * has one context or several, whose elements follow one another.
 *
 * Places count in the order of the scan: place 0 is the first element, or of backward scans the last one. */
#ifndef SCANRT_MPI_LAYOUT_H
#define SCANRT_MPI_LAYOUT_H

#include "mpi/mpi.h"

typedef struct mpi_layout {
  int contexts, backward;
  uint64_t n;       /* elements of all contexts */
  uint64_t *starts; /* contexts + 1: index of each one's first element in memory's order */
  uint64_t blocks;
  uint64_t *block_starts; /* blocks + 1: the place of each block's first element, and n */
} mpi_layout;

typedef struct mpi_range {
  uint64_t begin, end;
} mpi_range;

/* The size of blocks. Each has group_items elements; the last one has also the rest if that is no group of its own (at
 * most tail_items). With group_items 0 each context's part is a block, if it has elements. */
typedef struct mpi_cut {
  uint64_t group_items, tail_items;
} mpi_cut;

/* Returns the number of blocks of n elements, of which `filled_contexts` contexts have some. */
uint64_t scan_mpi_blocks(uint64_t n, uint64_t filled_contexts, mpi_cut cut);

/* Cuts the elements of a layout into blocks. It has all fields but `blocks`, and room for block_starts. */
void scan_mpi_layout_cut(mpi_layout *layout, mpi_cut cut);

/* Returns the places of a context's elements. */
mpi_range scan_mpi_places_of(const mpi_layout *layout, int context);

/* Returns the blocks that begin among a context's elements; they are that context's own. */
mpi_range scan_mpi_blocks_of(const mpi_layout *layout, int context);

/* Returns the context that owns a block. */
int scan_mpi_owner_of(const mpi_layout *layout, uint64_t block);

/* Returns the places of a context's elements that belong to a block of another context; an empty range if there are
 * none. */
mpi_range scan_mpi_places_sent(const mpi_layout *layout, int context);

/* Returns the index of the first of the places in memory's order. */
static inline uint64_t scan_mpi_memory_of(const mpi_layout *layout, mpi_range places) {
  return layout->backward ? layout->n - places.end : places.begin;
}

static inline uint64_t scan_mpi_items(mpi_range range) { return range.end > range.begin ? range.end - range.begin : 0; }

#endif
