/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences of neighbours, as the kernels and runtime/strategy/strategy_difference.c both know them. The elements are
 * tiles, and consecutive tiles are runs, one a work-group; few runs where there are many tiles. */
#ifndef SCANRT_CL_DIFFERENCE_H
#define SCANRT_CL_DIFFERENCE_H

/* In place the workspace has, for each run, the neighbour that belongs to another one. */
#define DIFFERENCE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                      \
  FIRST(MEMORY, in) NEXT(MEMORY, out) NEXT(MEMORY, workspace) NEXT(U64, n) NEXT(U32, flags)
#define PRIMITIVE_KERNELS(ROW)                                                                                         \
  ROW(difference_edges, DIFFERENCE_ARGUMENTS) ROW(adjacent_difference, DIFFERENCE_ARGUMENTS)

/* Of work-groups of so many items: a work-item alone walks its tile, others have four vectors of 16 bytes. */
#define DIFFERENCE_TILE_BYTES(items) ((items) == 1 ? 65536 : 64 * (items))
#define DIFFERENCE_MOST_RUNS(items) ((items) == 1 ? 4096 : 1 << 20)
/* Wherever the elements begin: the first vector may be a part of one. */
#define DIFFERENCE_TILES(n, bytes, items) (((n) + 15 / (bytes)) / (DIFFERENCE_TILE_BYTES(items) / (bytes)) + 1)
#define DIFFERENCE_RUN_TILES(tiles, items) (((tiles)-1) / DIFFERENCE_MOST_RUNS(items) + 1)
#endif
