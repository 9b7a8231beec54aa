/* SPDX-License-Identifier: BSD-2-Clause */
/* Geometry of differences of neighbours, for the kernels and runtime/strategy/scan/strategy_difference.c. The elements
 * form tiles, and consecutive tiles form runs, one a work-group. The number of runs is limited. */
#ifndef SCANRT_CL_DIFFERENCE_H
#define SCANRT_CL_DIFFERENCE_H

/* The arguments of both kernels. In place, the workspace holds for each run the neighbour that belongs to another
 * run. */
#define DIFFERENCE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                      \
  FIRST(MEMORY, in) NEXT(MEMORY, out) NEXT(MEMORY, workspace) NEXT(U64, n) NEXT(U32, flags)
#define PRIMITIVE_KERNELS(ROW)                                                                                         \
  ROW(difference_edges, DIFFERENCE_ARGUMENTS) ROW(adjacent_difference, DIFFERENCE_ARGUMENTS)

/* The bytes of a tile: a single work-item walks its tile, the items of a larger work-group have four vectors of 16
 * bytes each. */
#define DIFFERENCE_TILE_BYTES(items) ((items) == 1 ? 65536 : 64 * (items))
#define DIFFERENCE_MOST_RUNS(items) ((items) == 1 ? 4096 : 1 << 20)
/* The most tiles that n elements take, wherever they begin: the first vector may be a partial one. */
#define DIFFERENCE_TILES(n, bytes, items) (((n) + 15 / (bytes)) / (DIFFERENCE_TILE_BYTES(items) / (bytes)) + 1)
/* The tiles of a run. */
#define DIFFERENCE_RUN_TILES(tiles, items) (((tiles)-1) / DIFFERENCE_MOST_RUNS(items) + 1)
#endif
