/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file sort_cells.h
 * @brief What the tests of sorts and those of splits do with a cell (sort_bench.h): many of them by a plan or two.
 */
#ifndef SCANRT_TESTS_SORT_CELLS_H
#define SCANRT_TESTS_SORT_CELLS_H

#include "sort_bench.h"

enum { SORT_TILE = 4096 /**< Keys of a tile, more or less. */ };

/** Sizes of which all are taken, or shapes that are gone through. */
typedef struct sort_sizes {
  const uint64_t *of;
  int count;
} sort_sizes;
typedef struct sort_shapes {
  const sort_shape *of;
  int count;
} sort_shapes;

/** Elements of several arrays. */
extern const uint32_t sort_cells_mixed[SCAN_SORT_MOST_ARRAYS];

/** Processors that compile kernels, and simulators, take fewer cells of what takes a plan each. */
int sort_cells_are_thorough(void);

/** The cell with so many arrays, of the sizes by turns. */
sort_cell sort_cells_arrays(sort_cell c, uint32_t arrays, const uint32_t *bytes);

/** The shapes, of about n keys, by a plan of their own, from either end. */
void sort_cells_few(sort_cell c, uint64_t n, sort_shapes shapes);

/** Every n up to 260 of every shape, and the sizes, of so many of the shapes, by one plan. */
void sort_cells_sizes(sort_cell c, sort_sizes edges, sort_shapes shapes);

/** The shapes, of about n keys, which are many; at other addresses by turns where it is so asked. */
void sort_cells_many(sort_cell c, uint64_t n, sort_shapes shapes, int is_shifted);

/** All shapes, from either end. */
void sort_cells_all_shapes(sort_cell c);

/** By the cell's bits, from either end. */
void sort_cells_bits(sort_cell c, uint64_t n);

/** Over the input, or not; random, and of another shape. */
void sort_cells_in_place(sort_cell c, uint32_t in_place, sort_shape other);

/** The cells in every way but by a plan of the caller's: hidden plans, host memory, and both kinds of memory. */
void sort_cells_calls(const sort_cell *cells, int count);

/** At every address, of which vectors are read and written. */
void sort_cells_shifts(sort_cell c);

/** Nothing behind n_from elements changes. */
void sort_cells_n_from(sort_cell c, sort_shape other);

#endif
