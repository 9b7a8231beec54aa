/* SPDX-License-Identifier: BSD-2-Clause */
/* Stream compaction, as the kernels and runtime/strategy/select.c both know it. Elements are tiles, one a work-group; a
 * bit an element says whether it is kept. The bits are made of flags, of runs of equal keys or of a predicate
 * (select_marks.cl, select_predicate.cl), or are the caller's; then one work-group makes places of the tiles' counts,
 * and each array is moved by a launch of its own (select.cl). Nobody waits for another. */
#ifndef SCANRT_CL_SELECT_H
#define SCANRT_CL_SELECT_H

/* `heads` has the bits; the workspace a 64-bit number for each tile, and one more: how many elements of the tile are
 * kept, then how many before it. */
#define SELECT_MARK_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                     \
  FIRST(MEMORY, marks)                                                                                                 \
  NEXT(MEMORY, heads) NEXT(MEMORY, workspace) NEXT(MEMORY, n_from) NEXT(U64, n) NEXT(U32, flags)

/* Of a predicate from source, with its parameters as words. */
#define SELECT_PREDICATE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                \
  SELECT_MARK_ARGUMENTS(FIRST, NEXT, SOURCE) NEXT(U64, seed_bits) SOURCE()

/* Of a bucket function, likewise: `out` takes a byte an element, its bucket of `pieces` (sort.h). */
#define SPLIT_BUCKETS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                   \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, n_from) NEXT(U64, n) NEXT(U32, pieces) NEXT(U32, flags) NEXT(U64, seed_bits) SOURCE()

/* `out` takes how many are not kept, of which `kept` has the others. */
#define SELECT_LEFT_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                     \
  FIRST(MEMORY, kept) NEXT(MEMORY, n_from) NEXT(MEMORY, out) NEXT(U64, n) NEXT(U32, flags)

/* `kept` takes how many are kept; `excess` the n of device memory, where that is more than the plan is for. */
#define SELECT_PLACES_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                   \
  FIRST(MEMORY, workspace) NEXT(MEMORY, kept) NEXT(MEMORY, n_from) NEXT(MEMORY, excess) NEXT(U64, n) NEXT(U32, flags)

/* An element is `pieces` of the kernel's type. Nothing is written at the places `capacity` and `rest_capacity` or past
 * them. */
#define SELECT_MOVE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                     \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, rest)                                                                                                   \
  NEXT(MEMORY, heads)                                                                                                  \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, n_from) NEXT(U64, n) NEXT(U64, capacity) NEXT(U64, rest_capacity) NEXT(U32, pieces) NEXT(U32, flags)

/* Of runs whose first elements are kept; `capacity` as above. */
#define SELECT_LENGTHS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                  \
  FIRST(MEMORY, out)                                                                                                   \
  NEXT(MEMORY, heads)                                                                                                  \
  NEXT(MEMORY, workspace) NEXT(MEMORY, n_from) NEXT(U64, n) NEXT(U64, capacity) NEXT(U32, flags)

/* In one launch (kernels_cu/select_pipelined.cuh), of elements of 1, 2, 4, 8 or 16 bytes. `workspace` is a board; a
 * tile has `pieces` parts. With SELECT_BEHIND `kept` has what it will have. */
#define SELECT_PIPELINED_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, rest)                                                                                                   \
  NEXT(MEMORY, marks)                                                                                                  \
  NEXT(MEMORY, heads)                                                                                                  \
  NEXT(MEMORY, places)                                                                                                 \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, kept)                                                                                                   \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(MEMORY, excess)                                                                                                 \
  NEXT(U64, n)                                                                                                         \
  NEXT(U64, capacity)                                                                                                  \
  NEXT(U64, rest_capacity)                                                                                             \
  NEXT(U32, tile_capacity)                                                                                             \
  NEXT(U32, pieces) NEXT(U32, flags) NEXT(U32, spin_limit) NEXT(U64, seed_bits) SOURCE()

/* Words of its board: of tiles, of their groups, and of groups again where runs are encoded. */
#define SELECT_GROUP_TILES 128
#define SELECT_WORDS(tiles) ((tiles) + 2 * ((tiles) / SELECT_GROUP_TILES + 1))
/* Where runs are reduced, there are so many for each: values of 4 or 8 bytes take one or two more, and a pair is read
 * at once. */
#define SELECT_REDUCE_WORDS(bytes) ((bytes) / 2)

/* Run-length encoding in one launch (kernels_cu/select_pipelined_encode.cuh), of keys of 4 or 8 bytes: `out` gets
 * each run's first key, as far as flags ask for it. */
#define SELECT_ENCODE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                   \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, lengths)                                                                                                \
  NEXT(MEMORY, starts)                                                                                                 \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, kept)                                                                                                   \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(MEMORY, excess)                                                                                                 \
  NEXT(U64, n) NEXT(U64, capacity) NEXT(U32, tile_capacity) NEXT(U32, pieces) NEXT(U32, flags) NEXT(U32, spin_limit)

/* What `flags` may be. */
#define SELECT_LAST 1u    /* of a run the last element is kept, not the first */
#define SELECT_N_FROM 2u  /* n_from has n, of which `n` is the most */
#define SELECT_REST 4u    /* the elements that are not kept are written, too, */
#define SELECT_BEHIND 8u  /* behind those that are, as far as their capacity goes */
#define SELECT_OVER 16u   /* in one launch: the output is the input, which nobody can read again; */
#define SELECT_EMITS 32u  /* `heads` gets the bits, */
#define SELECT_PLACES 64u /* `places` how many are kept before every SELECT_TILE_ITEMS elements, and in all */
/* With SELECT_LAST the bits that `heads` gets are those of runs' first elements. */
#define SELECT_BEGINS 4096u
/* Encoding: what is written, in what width. */
#define SELECT_RUN_KEYS 128u
#define SELECT_RUN_LENGTHS 256u
#define SELECT_RUN_STARTS 512u
#define SELECT_WIDE_LENGTHS 1024u /* 8 bytes each, not 4 */
#define SELECT_WIDE_STARTS 2048u
#define SELECT_INDICES 8192u /* select_lookback.h: elements are indices, which are not read */

/* Elements of a part of its tiles: 4 KiB of them, or 1024 where they are smaller. A tile has up to 8 `pieces`. */
#define SELECT_PART_ITEMS(bytes) ((bytes) > 4 ? 4096 / (bytes) : 1024)
#define SELECT_MOST_PARTS 8

/* A work-item alone goes through its tile; work-groups have a list of its elements in local memory. */
#define SELECT_TILE_ITEMS 4096
#define SELECT_TILES(n) ((n) / SELECT_TILE_ITEMS + ((n) % SELECT_TILE_ITEMS != 0))
#endif
