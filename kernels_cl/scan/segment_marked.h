/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of segment_marked.cl, shared with the host. */
#ifndef SCANRT_CL_SEGMENT_MARKED_H
#define SCANRT_CL_SEGMENT_MARKED_H

/* `out` is scratch memory of a sub-tile's results for each work-item. `marks` has the bits of segments' last elements,
 * `places` the number of set bits before every SELECT_TILE_ITEMS elements (select.cl). Results from `capacity` on are
 * not written. */
#define SEGMENT_MARKED_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                  \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, marks)                                                                                                  \
  NEXT(MEMORY, places)                                                                                                 \
  NEXT(MEMORY, totals)                                                                                                 \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(U64, n)                                                                                                         \
  NEXT(U64, capacity)                                                                                                  \
  NEXT(U64, seed_bits) NEXT(U32, flags) NEXT(MEMORY, carry) NEXT(MEMORY, carry_out) SOURCE()

/* A bit of `flags` besides those of arguments.h: n_from has the number of elements, if that is less than n. */
#define FLAG_COUNTED 16384u
#endif
