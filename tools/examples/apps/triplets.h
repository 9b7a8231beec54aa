/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file triplets.h
 * @brief Sparse matrices as they are assembled, and the plain loop that makes CSR of them.
 *
 * A matrix is a list of triplets in the order of rows, then columns, with several triplets for one place, which are to
 * be added up. All values are small whole numbers: sums are exact in any order.
 */
#ifndef SCANRT_EXAMPLE_TRIPLETS_H
#define SCANRT_EXAMPLE_TRIPLETS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct triplets {
  uint64_t *place; /**< row << 32 | column, ascending. */
  double *value;
  uint64_t count;
  uint32_t rows;         /**< Some may have no triplet. */
  uint64_t most_entries; /**< A bound of the number of places that is known before they are counted. */
} triplets;

/** A matrix in CSR form. */
typedef struct csr {
  uint32_t *offset; /**< rows + 1 */
  uint32_t *column; /**< `entries`, ascending in each row. */
  double *value;    /**< `entries` */
  uint64_t entries;
  uint32_t rows;
} csr;

/** What the programs are asked for. */
typedef struct triplets_options {
  const char *path;   /**< Of the graph. */
  uint64_t laplacian; /**< Nodes a side of the grid; 0: the graph. */
  uint64_t upper;     /**< 1: what is above the diagonal alone; so the last row has nothing. */
  uint64_t shuffle;   /**< 1: triplets_shuffle is asked for. */
  uint64_t rounds;    /**< Times that each step is timed. */
} triplets_options;

/** Options of both programs: [FILE] [--laplacian SIDE] [--upper] [--shuffle] [--rounds N]. @return 0, or -1 with words
 */
int triplets_parse(int argc, char **argv, triplets_options *options);

/**
 * Makes the matrix that was asked for, and says which it is.
 *
 * Of a graph it is the Laplacian, assembled edge by edge: each edge adds 1 to the diagonals of both vertices, and -1 at
 * both places between them. Of a cubic grid it is twelve times the stiffness matrix of the Laplacian in trilinear
 * hexahedra, assembled element by element: each of the 64 pairs of an element's nodes adds 4 where both are one node,
 * 0 along an edge, -1 across a face or the element. So the stencil has 27 points.
 * @param[out] matrix  free with triplets_free. @return 0, or -1 after saying what failed
 */
int triplets_make(const triplets_options *options, triplets *matrix);

/** Brings the triplets into a random order, the same every time. */
void triplets_shuffle(triplets *matrix);

void triplets_free(triplets *matrix);

/** Memory for a matrix of so many rows and entries. @param[out] matrix  free with csr_free. @return 0 or -1, with words
 */
int csr_alloc(uint32_t rows, uint64_t entries, csr *matrix);

/** The plain loop. @param to  memory of csr_alloc for the rows and most_entries; `entries` is set. */
void csr_of_triplets(const triplets *from, csr *to);

/** Compares all of two matrices. @return 0, or -1 after saying where they differ */
int csr_compare(const csr *got, const csr *want);

void csr_free(csr *matrix);

/** Bytes that the way from triplets to CSR reads and writes at least. */
double csr_bytes(const triplets *from, uint64_t entries);

#ifdef __cplusplus
}
#endif
#endif
