/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file triplets.h
 * @brief Sparse matrices as triplets, and the plain loop that converts them to CSR.
 *
 * A matrix is a list of triplets ordered by row, then column. Several triplets of one place are to be added up. All
 * values are small whole numbers, so that sums are exact in any order; with --fractions they are not.
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
  uint32_t rows;         /**< Some rows may have no triplet. */
  uint64_t most_entries; /**< An upper bound of the number of places, known before they are counted. */
  double tolerance;      /**< Relative error that the order of additions may cause; 0: sums are exact. */
} triplets;

/** A matrix in CSR form. */
typedef struct csr {
  uint32_t *offset; /**< rows + 1 */
  uint32_t *column; /**< `entries`, ascending in each row. */
  double *value;    /**< `entries` */
  uint64_t entries;
  uint32_t rows;
  double tolerance; /**< Relative error of values that csr_compare allows; 0: all bits must be equal. */
} csr;

/** The parsed command line. */
typedef struct triplets_options {
  const char *path;   /**< File of the graph. */
  uint64_t laplacian; /**< Nodes along a side of the grid; 0: the graph is used. */
  uint64_t upper;     /**< 1: only entries above the diagonal, so that the last row is empty. */
  uint64_t shuffle;   /**< 1: shuffles the triplets. */
  uint64_t fractions; /**< 1: multiplies each value by a random number from 1 to 2. */
  uint64_t rounds;    /**< Rounds in which each step is timed. */
} triplets_options;

/** Parses the options of all programs: [FILE] [--laplacian SIDE] [--upper] [--shuffle] [--fractions] [--rounds N].
 * @return 0, or -1 after reporting the fault */
int triplets_parse(int argc, char **argv, triplets_options *options);

/**
 * Makes the requested matrix and prints its description.
 *
 * The matrix of a graph is the Laplacian, assembled edge by edge: each edge adds 1 to the diagonals of both vertices,
 * and -1 at both places between them. The matrix of a cubic grid is twelve times the stiffness matrix of the Laplacian
 * in trilinear hexahedra, assembled element by element: each of the 64 pairs of an element's nodes adds 4 if both are
 * one node, 0 along an edge, -1 across a face or the element. So the stencil has 27 points.
 * @param[out] matrix  free with triplets_free. @return 0, or -1 after saying what failed
 */
int triplets_make(const triplets_options *options, triplets *matrix);

/** Brings the triplets into a random order, the same every time. */
void triplets_shuffle(triplets *matrix);

void triplets_free(triplets *matrix);

/** Allocates a matrix. @param[out] matrix  free with csr_free. @return 0, or -1 after reporting the fault */
int csr_alloc(uint32_t rows, uint64_t entries, csr *matrix);

/** Converts with a plain loop. @param to  of csr_alloc for the rows and most_entries; its `entries` and `tolerance` are
 * set */
void csr_of_triplets(const triplets *from, csr *to);

/** Compares two matrices, by want->tolerance. @return 0, or -1 after reporting a difference */
int csr_compare(const csr *got, const csr *want);

void csr_free(csr *matrix);

/** Returns the least number of bytes that a conversion from triplets to CSR reads and writes. */
double csr_bytes(const triplets *from, uint64_t entries);

#ifdef __cplusplus
}
#endif
#endif
