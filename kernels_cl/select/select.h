/* SPDX-License-Identifier: BSD-2-Clause */
/* Stream compaction: arguments, flags and geometry for the kernels and runtime/strategy/select/select.c. Elements form
 * tiles, one a work-group; a bit an element says whether it is kept. The bits come from flags, runs of equal keys or a
 * predicate (select_marks.cl, select_predicate.cl), or from the caller. One work-group then turns the tiles' counts
 * into places, and a launch of its own moves each array (select.cl). No work-group waits for another. */
#ifndef SCANRT_CL_SELECT_H
#define SCANRT_CL_SELECT_H

/* Kernels that make bits. `segment_flags` holds the bits, the workspace a 64-bit number for each tile and one more:
 * first the number of kept elements in the tile, then the number before it. */
#define SELECT_MARK_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                     \
  FIRST(MEMORY, marks)                                                                                                 \
  NEXT(MEMORY, segment_flags) NEXT(MEMORY, workspace) NEXT(MEMORY, n_from) NEXT(U64, n) NEXT(U32, flags)

/* A kernel with a predicate from source, whose parameters are passed as words. */
#define SELECT_PREDICATE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                \
  SELECT_MARK_ARGUMENTS(FIRST, NEXT, SOURCE) NEXT(U64, seed_bits) SOURCE()

/* A kernel with a bucket function from source, whose parameters are passed as words. `out` takes a byte an element: its
 * bucket of `buckets` (sort.h). */
#define SPLIT_BUCKETS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                   \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, n_from) NEXT(U64, n) NEXT(U32, buckets) NEXT(U32, flags) NEXT(U64, seed_bits) SOURCE()

/* `places` takes the number of elements that are not kept; `kept` has the number of those that are. */
#define SELECT_LEFT_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                     \
  FIRST(MEMORY, kept) NEXT(MEMORY, n_from) NEXT(MEMORY, places) NEXT(U64, n) NEXT(U32, flags)

/* `kept` takes the number of kept elements; `n_overflow` takes the n in device memory if it exceeds the plan's. */
#define SELECT_PLACES_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                   \
  FIRST(MEMORY, workspace)                                                                                             \
  NEXT(MEMORY, kept) NEXT(MEMORY, n_from) NEXT(MEMORY, n_overflow) NEXT(U64, n) NEXT(U32, flags)

/* An element is `element_words` units of the kernel's type. Nothing is written at places from `capacity` and
 * `rest_capacity` on. */
#define SELECT_MOVE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                     \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, rest)                                                                                                   \
  NEXT(MEMORY, segment_flags)                                                                                          \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(U64, n) NEXT(U64, capacity) NEXT(U64, rest_capacity) NEXT(U32, element_words) NEXT(U32, flags)

/* Lengths of the runs whose first elements are kept. Nothing is written at places from `capacity` on. */
#define SELECT_LENGTHS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                  \
  FIRST(MEMORY, out)                                                                                                   \
  NEXT(MEMORY, segment_flags)                                                                                          \
  NEXT(MEMORY, workspace) NEXT(MEMORY, n_from) NEXT(U64, n) NEXT(U64, capacity) NEXT(U32, flags)

/* Compaction in one launch (kernels_cu/select/select_pipelined.cuh, select_lookback.h), of elements of 1, 2, 4, 8 or 16
 * bytes. `workspace` is a look-back state; a tile has `tile_parts` parts. With SELECT_BEHIND `kept` holds its result
 * before the launch. */
#define SELECT_PIPELINED_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, rest)                                                                                                   \
  NEXT(MEMORY, marks)                                                                                                  \
  NEXT(MEMORY, segment_flags)                                                                                          \
  NEXT(MEMORY, places)                                                                                                 \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, kept)                                                                                                   \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(MEMORY, n_overflow)                                                                                             \
  NEXT(U64, n)                                                                                                         \
  NEXT(U64, capacity)                                                                                                  \
  NEXT(U64, rest_capacity)                                                                                             \
  NEXT(U32, tile_capacity)                                                                                             \
  NEXT(U32, tile_parts) NEXT(U32, flags) NEXT(U32, spin_limit) NEXT(U64, seed_bits) SOURCE()

/* The words of its look-back state: for tiles, for their groups, and for groups again where runs are encoded. */
#define SELECT_GROUP_TILES 128
#define SELECT_WORDS(tiles) ((tiles) + 2 * ((tiles) / SELECT_GROUP_TILES + 1))
/* The words of each where runs are reduced: a value of 4 or 8 bytes takes one or two more, and words are read in
 * pairs. */
#define SELECT_REDUCE_WORDS(bytes) ((bytes) / 2)

/* Run-length encoding in one launch (kernels_cu/select/select_pipelined_encode.cuh), of keys of 4 or 8 bytes. `out`
 * gets each run's first key, `lengths` its length, `starts` its start, if flags ask for them. */
#define SELECT_ENCODE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                   \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, lengths)                                                                                                \
  NEXT(MEMORY, starts)                                                                                                 \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, kept)                                                                                                   \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(MEMORY, n_overflow)                                                                                             \
  NEXT(U64, n) NEXT(U64, capacity) NEXT(U32, tile_capacity) NEXT(U32, tile_parts) NEXT(U32, flags) NEXT(U32, spin_limit)

/* The bits of `flags`. */
#define SELECT_LAST 1u    /* keep the last element of each run, not the first */
#define SELECT_N_FROM 2u  /* n_from has n, and `n` is its maximum */
#define SELECT_REST 4u    /* write the elements that are not kept, too */
#define SELECT_BEHIND 8u  /* with SELECT_REST: write them behind the kept ones, up to their capacity */
#define SELECT_OVER 16u   /* in one launch: the output overwrites the input, which cannot be read again */
#define SELECT_EMITS 32u  /* in one launch: `segment_flags` gets the bits */
#define SELECT_PLACES 64u /* in one launch: `places` gets the counts before every SELECT_TILE_ITEMS, and in all */
/* With SELECT_LAST, `segment_flags` gets the bits of runs' first elements. */
#define SELECT_RUN_FIRSTS 4096u
/* Run-length encoding: the outputs, and their widths. */
#define SELECT_RUN_KEYS 128u
#define SELECT_RUN_LENGTHS 256u
#define SELECT_RUN_STARTS 512u
#define SELECT_WIDE_LENGTHS 1024u /* 8 bytes each, instead of 4 */
#define SELECT_WIDE_STARTS 2048u
#define SELECT_INDICES 8192u /* select_lookback.h: elements are indices, which are not loaded */
#define SELECT_LEFT 16384u   /* in one launch, by a predicate: `places` gets the number of elements that are not kept */
/* With SELECT_BEHIND, on CUDA: the launch finds the number of all kept elements itself, before it writes the rest. */
#define SELECT_TOTAL 32768u
/* In one launch on CUDA: moves a second array of the same element size, too. `segment_flags` is its input and `rest`
 * its output, with `rest_capacity`. */
#define SELECT_SECOND 1048576u /* above the bits of SELECT_OF_KEYS */

/* The elements of a part of its tiles: 4 KiB of them, at most 1024. */
#define SELECT_PART_ITEMS(bytes) ((bytes) > 4 ? 4096 / (bytes) : 1024)
/* The parts of a full tile of sums, which has the canonical order. TUNE_SELECT_PARTS says those of other tiles. */
#define SELECT_SUMS_PARTS 8

/* Sums of runs in one launch (kernels_cu/select/select_alone.cuh): `marks` are keys, and `rest` gets the last one of
 * each run. Its work-items, with 1 or 2 warps a part; the shared memory of a part's keys; and the kernel's type of the
 * keys in `flags`. */
#define SELECT_ALONE_ITEMS(warps) ((warps)*SELECT_SUMS_PARTS * 32)
#define SELECT_ALONE_KEYS(bytes, key_bytes) (SELECT_PART_ITEMS(bytes) * (key_bytes) + 16)
#define SELECT_OF_KEYS(type) ((type) << 16)
#define SELECT_KEY_TYPE(flags) ((flags) >> 16 & 15u)

/* The elements of a tile of other kernels. Work-groups list them in local memory; a single work-item walks its tile. */
#define SELECT_TILE_ITEMS 4096
#define SELECT_TILES(n) ((n) / SELECT_TILE_ITEMS + ((n) % SELECT_TILE_ITEMS != 0))
#endif
