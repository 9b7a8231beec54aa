/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable radix sort, as the kernels (sort.cl) and runtime/strategy/sort.c both know it. A pass brings the keys into the
 * order of one digit of 8 bits, and a value with each: an index, or an element of 4 or 8 bytes. A first launch counts
 * all passes' digits, and the next one makes of the counts where each digit begins, and which passes there are: one
 * whose digit is the same in all keys is left out. So every launch knows from where to where its pass goes, and the
 * last pass ends in the output. Of a pass the first launch counts the digits of each tile, the second makes places of
 * the counts, and the third moves. Nobody waits for another, but where a pass is one launch (below). */
#ifndef SCANRT_CL_SORT_H
#define SCANRT_CL_SORT_H

/* Keys go from `in` to `out` by way of `keys_spare`, values likewise; `digits` is laid out below; the workspace has a
 * number for each digit of each tile. A tile has `tile_items` keys. */
#define SORT_COUNT_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                      \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, keys_spare)                                                                                             \
  NEXT(MEMORY, digits)                                                                                                 \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(U64, n) NEXT(U32, tile_items) NEXT(U32, pass) NEXT(U32, first_bit) NEXT(U32, end_bit) NEXT(U32, flags)
#define SORT_MOVE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                       \
  SORT_COUNT_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                            \
  NEXT(MEMORY, values_in) NEXT(MEMORY, values_out) NEXT(MEMORY, values_spare)

/* All passes of a tile in one launch. */
#define SORT_ALONE_ARGUMENTS(FIRST, NEXT, SOURCE) SORT_MOVE_ARGUMENTS(FIRST, NEXT, SOURCE) NEXT(MEMORY, excess)

/* All digits of the keys, by `tiles` work-groups; `excess` gets the n of device memory, where that is more than the run
 * is for. */
#define SORT_DIGITS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                     \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, digits)                                                                                                 \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(MEMORY, excess)                                                                                                 \
  NEXT(U64, n) NEXT(U32, tile_items) NEXT(U32, tiles) NEXT(U32, first_bit) NEXT(U32, end_bit) NEXT(U32, flags)

/* Elements of `pieces` of the kernel's type, in the order of the indices that `values_in` has. */
#define SORT_GATHER_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                     \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, values_in) NEXT(MEMORY, n_from) NEXT(U64, n) NEXT(U32, tile_items) NEXT(U32, pieces) NEXT(U32, flags)

/* On CUDA, from sm_80 on, a pass is one launch (kernels_cu/sort_sweep.cuh), behind one that counts all digits; on
 * OpenCL likewise where work-groups look back (sort_lookback.cl), behind two. The workspace has a ticket for each
 * launch, and two boards of `tile_capacity` tiles, which passes use by turns: a pass clears the next one's.
 *
 * A count has 30 bits, so that more keys are several parts of `part_tiles` tiles, each a launch of every pass, one
 * behind the other. A part looks back no further than to its first tile, and begins where the digits of the parts
 * before end, which the last tile of the part before it has left. */
#define SORT_HISTOGRAM_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                  \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, digits)                                                                                                 \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(MEMORY, excess)                                                                                                 \
  NEXT(U64, n) NEXT(U32, tile_items) NEXT(U32, first_bit) NEXT(U32, end_bit) NEXT(U32, flags)
#define SORT_SWEEP_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                      \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, keys_spare)                                                                                             \
  NEXT(MEMORY, digits)                                                                                                 \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, values_in)                                                                                              \
  NEXT(MEMORY, values_out)                                                                                             \
  NEXT(MEMORY, values_spare)                                                                                           \
  NEXT(U32, tile_capacity)                                                                                             \
  NEXT(U32, part_tiles) NEXT(U32, part) NEXT(U32, pass) NEXT(U32, first_bit) NEXT(U32, end_bit) NEXT(U32, flags)

#define SORT_LANES_ARGUMENTS(FIRST, NEXT, SOURCE) FIRST(MEMORY, digits)

/* Of a split the digits' counts that its tiles leave in `digits` become where each digit begins, there and in `bins`,
 * of which there are `pieces`, and one. Where a launch has counted all digits it is `split_bins` that writes them, or
 * the counts of a histogram. */
#define SPLIT_BEGINS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                    \
  FIRST(MEMORY, digits)                                                                                                \
  NEXT(MEMORY, bins)                                                                                                   \
  NEXT(MEMORY, n_from) NEXT(MEMORY, excess) NEXT(U64, n) NEXT(U32, pieces) NEXT(U32, flags)

/* The counts of `tiles` work-groups, of all digits, become their sums in `bins`: a work-group a bin. */
#define HISTOGRAM_SUMS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                  \
  FIRST(MEMORY, digits)                                                                                                \
  NEXT(MEMORY, bins) NEXT(U32, tiles) NEXT(U32, first_bit) NEXT(U32, end_bit)

/* What `flags` may be. */
#define SORT_SIGNED 1u        /* keys are signed integers, */
#define SORT_FLOAT 2u         /* or floating-point numbers */
#define SORT_DESCENDING 4u    /* from the largest to the smallest */
#define SORT_IN_PLACE 8u      /* an output may be its input: the first pass does not write to it */
#define SORT_VALUES 16u       /* there are values, of 4 bytes, */
#define SORT_WIDE_VALUES 32u  /* or of 8, with SORT_VALUES; a sweep's of 4 end as such */
#define SORT_INDICES 64u      /* which are the keys' indices: the first pass reads none */
#define SORT_N_FROM 128u      /* n_from has the number of keys: at most n */
#define SORT_WIDE_COUNTS 256u /* the workspace's numbers have 8 bytes, not 4 */
#define SORT_BY_PLACES 512u   /* a sweep proves its tiles' order by keys' places */
#define SORT_TEST_LANES 1024u /* of tests: a sweep's lanes take keys in another order */
#define SORT_BYTES 2048u      /* a sweep's keys have 1 byte in the input and the output, */
#define SORT_HALVES 4096u     /* or 2; between two passes they have 4 */

/* Of keys of two integers each. Both have a sign, if any has. */
#define SORT_WORDS 8192u
#define SORT_HIGH_FIRST 16384u /* the first in memory is the more significant one */

/* Segments' offsets have 8 bytes, not 4 (sort_segments.h). */
#define SORT_WIDE_OFFSETS 32768u

/* A split: its one pass orders whatever the keys are, and no launch has counted all digits. */
#define SORT_SPLIT 65536u

/* Floating-point keys are in the numeric order: NaNs are all equal and larger than all numbers, and so are both zeros.
 * The kernels' file says it, too (SORT_NUMERIC_KEYS). Their keys of 2 bytes are bfloat16, not binary16. */
#define SORT_NUMERIC 131072u
#define SORT_BRAIN 262144u

/* The host's one launch: `digits` has counts for so many chunks of keys a thread, and parts that all threads are yet to
 * divide, of which there are no more than so many a thread, and one (device/host/host_sort.c). */
#define SORT_CHUNKS_A_THREAD 4
#define SORT_PARTS_A_THREAD 4
#define SORT_PART_BYTES 24

#define SORT_DIGIT_BITS 8
#define SORT_DIGITS 256
#define SORT_MOST_PASSES 16 /* of keys of two words of 64 bits */

/* Passes for a range of bits; and with one that only moves, so that there is an even number of them where an output may
 * be its input. */
#define SORT_PASSES(first_bit, end_bit) (((end_bit) - (first_bit) + SORT_DIGIT_BITS - 1) / SORT_DIGIT_BITS)
#define SORT_SLOTS(first_bit, end_bit, is_in_place)                                                                    \
  (SORT_PASSES(first_bit, end_bit) + ((is_in_place) ? SORT_PASSES(first_bit, end_bit) % 2 : 0))

/* `digits`, 64-bit words: where each digit of each pass begins; 1 for a pass that orders, else 0; and the counts of the
 * work-groups that have counted, each of all passes; or of a split those of all tiles together. */
#define SORT_WORD_BEGINS 0
#define SORT_WORD_ORDERS (SORT_MOST_PASSES * SORT_DIGITS)
#define SORT_WORD_COUNTS (SORT_WORD_ORDERS + 64)

/* Of sweeps: what each pass does; a digit that many keys have, 4 times, or all ones; the number of keys; tiles that
 * were put in order; the work-groups that have counted, of whose sums SORT_WORD_COUNTS has 32-bit words; and whether
 * any found keys out of order. The last two, and the sums, are 0 between launches. */
#define SORT_WORD_ROUTES (SORT_WORD_ORDERS + 16)
#define SORT_WORD_CROWDS (SORT_WORD_ORDERS + 32)
#define SORT_WORD_N (SORT_WORD_ORDERS + 48)
#define SORT_WORD_REPAIRS (SORT_WORD_ORDERS + 49)
#define SORT_WORD_DONE (SORT_WORD_ORDERS + 50)
#define SORT_WORD_UNSORTED (SORT_WORD_ORDERS + 51)
#define SORT_ROUTE_TAKEN 1u
#define SORT_ROUTE_FIRST 2u
#define SORT_ROUTE_LAST 4u
#define SORT_ROUTE_MOVES 8u /* and orders nothing */
#define SORT_ROUTE_ODD 16u  /* the second of the boards */
#define SORT_ROUTE_FROM 8   /* shifts of two bits each: 0 the input, 1 the output, 2 the spare */
#define SORT_ROUTE_TO 10

/* Keys of a part, at most, for descriptors have two bits besides a count; keys that sweeps sort; and so many parts. */
#define SORT_PART_MOST ((1u << 30) - 1)
#define SORT_SWEEP_MOST 0xffffffffu
#define SORT_SWEEP_PARTS 5

/* Where the digits of a part begin: behind the sums, what the parts before the second, the third ... have left. */
#define SORT_WORD_PARTS (SORT_WORD_COUNTS + SORT_MOST_PASSES * SORT_DIGITS / 2)
#define SORT_WORD_PART_BEGINS(pass, part)                                                                              \
  ((part) == 0 ? SORT_WORD_BEGINS + (pass)*SORT_DIGITS : SORT_WORD_PARTS + ((part)-1) * SORT_DIGITS)
#define SORT_SWEEP_DIGIT_WORDS (SORT_WORD_PARTS + SORT_SWEEP_PARTS * SORT_DIGITS)

/* 32-bit words of the workspace of sweeps, and the ticket of a launch. */
#define SORT_TICKETS 64
#define SORT_TICKET(pass, part) ((pass)*SORT_SWEEP_PARTS + (part))
#define SORT_SWEEP_WORDS(tile_capacity) (SORT_TICKETS + (tile_capacity)*2 * SORT_DIGITS)

/* Shared memory of a sweep: counters of each warp, the tile, and three tables; then keys' places, of 2 bytes, if it is
 * proved by them. */
#define SORT_SWEEP_AT_SLOTS(items) ((items) / 32 * 4 * SORT_DIGITS)
#define SORT_SWEEP_AT_STARTS(items, tile, key, value) (SORT_SWEEP_AT_SLOTS(items) + (tile) * ((key) + (value)))
#define SORT_SWEEP_BYTES(items, tile, key, value) (SORT_SWEEP_AT_STARTS(items, tile, key, value) + 8 * SORT_DIGITS + 64)
#define SORT_PLACE_BYTES 2

#define SORT_DIGIT_WORDS(tiles, passes) (SORT_WORD_COUNTS + (tiles) * (passes)*SORT_DIGITS)

/* Keys that are counted by one digit after the other while they are in the cache; a work-group's tile is smaller. */
#define SORT_COUNTED_ITEMS 4096

/* Few keys by a cluster of work-groups in one launch (kernels_cu/sort_cluster.cuh); and its
 * shared memory. */
#define SORT_CLUSTER_GROUPS 16
#define SORT_CLUSTER_ITEMS 1024
#define SORT_CLUSTER_KEYS 4                                         /* of a work-item */
#define SORT_CLUSTER_ALONE (SORT_CLUSTER_ITEMS * SORT_CLUSTER_KEYS) /* keys that one of them sorts */
#define SORT_CLUSTER_MOST 65536u                                    /* SORT_CLUSTER_GROUPS times as many */
#define SORT_CLUSTER_BYTES(key, value)                                                                                 \
  (SORT_CLUSTER_ITEMS / 32 * ((SORT_DIGITS + 1) * 4 + 4) + 4 * SORT_DIGITS * 4 +                                       \
   2 * SORT_CLUSTER_ALONE * ((key) + (value)))

/* Keys of a work-item where OpenCL's work-groups look back (sort_lookback.cl), by the bytes of a key and of its value;
 * and their local memory: the tile, counters of each warp, and what there is of each digit and work-item. */
#ifndef SORT_LOOK_KEYS
#define SORT_LOOK_KEYS(key, value) ((value) == 0 ? ((key) == 8 ? 16 : 22) : (key) == 8 || (value) == 8 ? 12 : 20)
#endif
#define SORT_LOOK_BYTES(items, key, value)                                                                             \
  ((items)*SORT_LOOK_KEYS(key, value) * ((key) > (value) ? (key) : (value)) + (items) / 32 * 4 * SORT_DIGITS +         \
   8 * (items) + 4 * SORT_DIGITS + 64)
#define SORT_SUM_BYTES 32768 /* of the launch that counts all digits */

/* Few keys in CUDA: one work-group sorts and merges them (kernels_cu/sort_merged.cuh). */
#define SORT_MERGED_ITEMS 1024
#define SORT_MERGED_KEYS 4 /* of a work-item */
#define SORT_MERGED_MOST (SORT_MERGED_ITEMS * SORT_MERGED_KEYS)

/* Keys that a work-item alone sorts in one launch; work-groups do it with a tile. */
#define SORT_ALONE_ITEMS 4096

/* Keys that a work-item of a work-group has in its registers; an odd number, which spreads them over the banks of local
 * memory. Keys, their places in the tile and the counters are 30 KiB with work-groups of 256. */
#define SORT_ITEM_KEYS(bytes) ((bytes) == 16 ? 3 : (bytes) == 8 ? 7 : (bytes) == 4 ? 11 : 15)
#endif
