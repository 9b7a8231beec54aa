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

/* A reduction by key of up to SELECT_TILE_ITEMS elements in one launch. `ends` has the keys, of element_bytes bytes and
 * of type SELECT_KEY_TYPE(flags); `marks` and `places` get what the list above has there. `rest` gets the last key of
 * each run, up to rest_capacity, `kept` their number, `n_overflow` the n in device memory if it exceeds the run's. */
#define SEGMENT_ALONE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                   \
  FIRST(MEMORY, ends)                                                                                                  \
  NEXT(MEMORY, rest)                                                                                                   \
  NEXT(MEMORY, kept)                                                                                                   \
  NEXT(MEMORY, n_overflow)                                                                                             \
  NEXT(U64, rest_capacity)                                                                                             \
  NEXT(U32, element_bytes)                                                                                             \
  SEGMENT_MARKED_ARGUMENTS(NEXT, NEXT, SOURCE)

/* A bit of `flags` besides those of arguments.h: n_from has the number of elements, if that is less than n. */
#define FLAG_COUNTED 16384u
#endif
