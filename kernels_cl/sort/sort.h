/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable radix sort: arguments and geometry for the kernels (sort.cl) and runtime/strategy/sort/sort.c. A pass orders
 * the keys by one digit of 8 bits, and moves a value with each: an index, or an element of 4 or 8 bytes. A first launch
 * counts the digits of all passes. The next one finds where each digit begins, and which passes are taken: a pass whose
 * digit all keys share is left out. So every launch knows its pass's source and destination, and the last pass writes
 * to the output. A pass is three launches: the first counts the digits of each tile, the second turns counts into
 * places, the third moves. No work-group waits for another, except where a pass is one launch (below). */
#ifndef SCANRT_CL_SORT_H
#define SCANRT_CL_SORT_H

/* Keys go from `in` to `out` by way of `keys_spare`, and values by way of theirs. `digits` is described below. The
 * workspace has a number for each digit of each tile. A tile has `tile_items` keys. */
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

/* One launch that sorts a tile by all passes. */
#define SORT_ALONE_ARGUMENTS(FIRST, NEXT, SOURCE) SORT_MOVE_ARGUMENTS(FIRST, NEXT, SOURCE) NEXT(MEMORY, n_overflow)

/* The launch that counts all digits, with `tiles` work-groups. `n_overflow` gets the n in device memory if it exceeds
 * the run's. */
#define SORT_DIGITS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                     \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, digits)                                                                                                 \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(MEMORY, n_overflow)                                                                                             \
  NEXT(U64, n) NEXT(U32, tile_items) NEXT(U32, tiles) NEXT(U32, first_bit) NEXT(U32, end_bit) NEXT(U32, flags)

/* Gathers elements of `element_words` units of the kernel's type, in the order of the indices in `values_in`. */
#define SORT_GATHER_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                     \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, values_in)                                                                                              \
  NEXT(MEMORY, n_from) NEXT(U64, n) NEXT(U32, tile_items) NEXT(U32, element_words) NEXT(U32, flags)

/* A pass in one launch: on CUDA from sm_80 on (kernels_cu/sort/sort_onesweep.cuh), after one launch that counts all
 * digits; on OpenCL where work-groups look back (sort_lookback.cl), after two. The workspace has a ticket for each
 * launch, and two look-back states of `tile_capacity` tiles, between which passes alternate: a pass clears the next
 * one's.
 *
 * A count has 30 bits. More keys are sorted in parts of `part_tiles` tiles: every pass has a launch for each part, one
 * after the other. A part looks back no further than to its first tile. It begins where the digits of the parts before
 * end, as the last tile of the part before has left them. */
#define SORT_HISTOGRAM_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                  \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, digits)                                                                                                 \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(MEMORY, n_overflow)                                                                                             \
  NEXT(MEMORY, bins)                                                                                                   \
  NEXT(U64, n)                                                                                                         \
  NEXT(U32, tile_items) NEXT(U32, first_bit) NEXT(U32, end_bit) NEXT(U32, buckets) NEXT(U32, flags)
#define SORT_ONESWEEP_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                   \
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

/* split_starts replaces the digits' counts in `digits`, which a split's tiles have left there, by where each digit
 * begins, and writes these to `bins`, too (`buckets` and one more). Launches that count all digits beforehand write
 * `bins` themselves: the same, or the counts of a histogram. In a sort `buckets` is 0. */
#define SPLIT_STARTS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                    \
  FIRST(MEMORY, digits)                                                                                                \
  NEXT(MEMORY, bins)                                                                                                   \
  NEXT(MEMORY, n_from) NEXT(MEMORY, n_overflow) NEXT(U64, n) NEXT(U32, buckets) NEXT(U32, flags)

/* A split of few keys in one launch, on CUDA (kernels_cu/sort/split_alone.cuh). */
#define SPLIT_ALONE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                     \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, values_in)                                                                                              \
  NEXT(MEMORY, values_out)                                                                                             \
  NEXT(MEMORY, n_from)                                                                                                 \
  NEXT(MEMORY, n_overflow)                                                                                             \
  NEXT(MEMORY, bins)                                                                                                   \
  NEXT(U64, n)                                                                                                         \
  NEXT(U32, tile_items) NEXT(U32, first_bit) NEXT(U32, end_bit) NEXT(U32, buckets) NEXT(U32, flags)

/* Adds up the counts of all digits by `tiles` work-groups to `bins`; a work-group a bin. */
#define HISTOGRAM_SUMS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                  \
  FIRST(MEMORY, digits)                                                                                                \
  NEXT(MEMORY, bins) NEXT(U32, tiles) NEXT(U32, first_bit) NEXT(U32, end_bit)

/* The bits of `flags`. */
#define SORT_SIGNED 1u        /* keys are signed integers */
#define SORT_FLOAT 2u         /* keys are floating-point numbers */
#define SORT_DESCENDING 4u    /* keys go from the largest to the smallest */
#define SORT_IN_PLACE 8u      /* an output may be its input: the first pass does not write to it */
#define SORT_VALUES 16u       /* there are values, of 4 bytes */
#define SORT_WIDE_VALUES 32u  /* with SORT_VALUES: values have 8 bytes; onesweep widens 4 bytes in its last pass */
#define SORT_INDICES 64u      /* values are the keys' indices: the first pass reads none */
#define SORT_N_FROM 128u      /* n_from has the number of keys: at most n */
#define SORT_WIDE_COUNTS 256u /* the workspace's numbers have 8 bytes, not 4 */
#define SORT_BY_PLACES 512u   /* onesweep proves its tiles' order by the keys' places */
#define SORT_TEST_LANES 1024u /* for tests: onesweep's lanes take keys in another order */
#define SORT_BYTES 2048u      /* onesweep's keys have 1 byte in input and output, 4 in between */
#define SORT_HALVES 4096u     /* onesweep's keys have 2 bytes in input and output, 4 in between */

/* A key is two integers; both are signed, or neither is. */
#define SORT_WORDS 8192u
#define SORT_HIGH_FIRST 16384u /* with SORT_WORDS: the first integer in memory is the more significant one */

/* The offsets of segments have 8 bytes, not 4 (sort_segments.h). */
#define SORT_WIDE_OFFSETS 32768u

/* The sort is a split: its one pass always orders, and no launch has counted all digits. */
#define SORT_SPLIT 65536u

/* Floating-point keys are in the numeric order: all NaNs are equal and larger than all numbers, and both zeros are
 * equal. The kernels' file defines SORT_NUMERIC_KEYS. */
#define SORT_NUMERIC 131072u
/* Numeric keys of 2 bytes are bfloat16, not binary16. */
#define SORT_BRAIN 262144u
#define SORT_CHOOSES 524288u      /* onesweep's counting launch may choose wide digits */
#define SORT_COUNTS_ONLY 4194304u /* no passes follow onesweep's counting launch */
#define SORT_RECOUNTS 1048576u    /* with SORT_CHOOSES: the launch counts digits of 8 bits if the choice failed */

/* The host's one launch (device/host/sort/host_sort.c): `digits` has counts for SORT_CHUNKS_A_THREAD chunks of keys a
 * thread, and a list of parts that are still to be divided, at most SORT_PARTS_A_THREAD a thread and one more. */
#define SORT_CHUNKS_A_THREAD 4
#define SORT_PARTS_A_THREAD 4
#define SORT_PART_BYTES 24

#define SORT_DIGIT_BITS 8
#define SORT_DIGITS 256
#define SORT_MOST_PASSES 16 /* for keys of two words of 64 bits */

/* The passes for a range of bits. */
#define SORT_PASSES(first_bit, end_bit) (((end_bit) - (first_bit) + SORT_DIGIT_BITS - 1) / SORT_DIGIT_BITS)
/* These passes and, where an output may be its input, one that only moves if their number is odd. */
#define SORT_SLOTS(first_bit, end_bit, is_in_place)                                                                    \
  (SORT_PASSES(first_bit, end_bit) + ((is_in_place) ? SORT_PASSES(first_bit, end_bit) % 2 : 0))

/* The layout of `digits`, in 64-bit words: where each digit of each pass begins; 1 for each pass that orders, else 0;
 * and the counts of each work-group that has counted, for all passes, or for a split those of all tiles together. */
#define SORT_WORD_STARTS 0
#define SORT_WORD_ORDERS (SORT_MOST_PASSES * SORT_DIGITS)
#define SORT_WORD_COUNTS (SORT_WORD_ORDERS + 64)

/* More words of `digits`, for onesweep: the routes of passes; for each pass a digit that many keys have, 4 times, or
 * all ones; the number of keys; the number of tiles that were repaired; the number of work-groups that have counted,
 * whose sums are 32-bit words from SORT_WORD_COUNTS on; and 1 if any of them found keys out of order. The last two, and
 * the sums, are 0 between launches. */
#define SORT_WORD_ROUTES (SORT_WORD_ORDERS + 16)
#define SORT_WORD_HEAVY_DIGITS (SORT_WORD_ORDERS + 32)
#define SORT_WORD_N (SORT_WORD_ORDERS + 48)
#define SORT_WORD_REPAIRS (SORT_WORD_ORDERS + 49)
#define SORT_WORD_DONE (SORT_WORD_ORDERS + 50)
#define SORT_WORD_UNSORTED (SORT_WORD_ORDERS + 51)
/* Onesweep's wide digits, of up to 9 bits, save passes of keys of 4 bytes that differ in few bits. The counting launch
 * looks at a sample of the keys, and counts wide digits if the bits in which these differ need fewer passes so. If
 * other keys differ in more bits, a second launch counts digits of 8 bits. */
#define SORT_WIDE_BITS 9
#define SORT_WIDE_DIGITS (1 << SORT_WIDE_BITS)
#define SORT_WIDE_PASS 8   /* the number of the first pass over wide digits */
#define SORT_WIDE_PASSES 3 /* the most of these passes */
#define SORT_WIDE_SLOTS 4  /* and one that only moves, as SORT_SLOTS */
/* More words of `digits`, for the choice: the bits in which keys differ from the first one, 0 between launches. */
#define SORT_WORD_DIFFER (SORT_WORD_ORDERS + 52)
/* The lowest bit of the digits that were counted, and 256 times the bit behind the highest. */
#define SORT_WORD_SPAN (SORT_WORD_ORDERS + 53)
/* 1 if the second launch counts. */
#define SORT_WORD_RECOUNT (SORT_WORD_ORDERS + 54)
/* Bits in which keys of another value differ from the first key's value, and bits in which any such key does not: no
 * bit is in both if the keys have two values. Both words are 0 between launches. */
#define SORT_WORD_ONES (SORT_WORD_ORDERS + 55)
#define SORT_WORD_ZEROS (SORT_WORD_ORDERS + 56)
/* Shared memory of the counting launch besides its counters. */
#define SORT_HISTOGRAM_MORE_BYTES 16
#define SORT_ROUTE_TAKEN 1u
#define SORT_ROUTE_FIRST 2u
#define SORT_ROUTE_LAST 4u
#define SORT_ROUTE_MOVES 8u /* moves, and orders nothing */
#define SORT_ROUTE_ODD 16u  /* uses the second look-back state */
#define SORT_ROUTE_FROM 8   /* shifts of fields of two bits: 0 the input, 1 the output, 2 the spare */
#define SORT_ROUTE_TO 10

/* The most keys of a part: a descriptor has two bits besides a count. */
#define SORT_PART_MOST ((1u << 30) - 1)
/* The most keys that onesweep sorts. */
#define SORT_ONESWEEP_MOST 0xffffffffu
/* The most parts. */
#define SORT_ONESWEEP_PARTS 5

/* The words where a part's digits begin: for the second part and later ones, after the sums; the part before writes
 * them. */
#define SORT_WORD_PARTS (SORT_WORD_COUNTS + SORT_MOST_PASSES * SORT_DIGITS / 2)
#define SORT_WORD_PART_STARTS(pass, part)                                                                              \
  ((part) == 0 ? SORT_WORD_STARTS + (pass)*SORT_DIGITS : SORT_WORD_PARTS + ((part)-1) * SORT_DIGITS)
#define SORT_ONESWEEP_DIGIT_WORDS (SORT_WORD_PARTS + SORT_ONESWEEP_PARTS * SORT_WIDE_DIGITS)

/* The 32-bit words of onesweep's workspace: tickets and two look-back states. SORT_TICKET is the index of a launch's
 * ticket. */
#define SORT_TICKETS 64
#define SORT_TICKET(pass, part) ((pass)*SORT_ONESWEEP_PARTS + (part))
#define SORT_ONESWEEP_WORDS(tile_capacity, digits) (SORT_TICKETS + (tile_capacity)*2 * (digits))
/* A look-back state has a word for each digit of each tile, which is valid by itself: SORT_LOOK_PARTIAL and the tile's
 * count, SORT_LOOK_INCLUSIVE and the count of all tiles up to it, or 0 if nothing is known yet. */
#define SORT_LOOK_PARTIAL (1u << 30)
#define SORT_LOOK_INCLUSIVE (2u << 30)
#define SORT_LOOK_VALUE ((1u << 30) - 1)

/* Shared memory of onesweep: counters of each warp, the tile, and three tables. Keys' places, of 2 bytes, follow if the
 * tile is proved by them. */
#define SORT_ONESWEEP_AT_SLOTS(items, digits, key, value)                                                              \
  (((items) / 32 * SORT_ONESWEEP_COUNTER_BYTES(digits, key, value) + 127) / 128 * 128)
#define SORT_ONESWEEP_AT_STARTS(items, digits, tile, key, value)                                                       \
  (SORT_ONESWEEP_AT_SLOTS(items, digits, key, value) + (tile) * ((key) + (value)))
#define SORT_ONESWEEP_BYTES(items, digits, tile, key, value)                                                           \
  (SORT_ONESWEEP_AT_STARTS(items, digits, tile, key, value) + 8 * (digits) + 64)
/* A warp's counters. Of pairs of 4 bytes 28 bytes lie behind every 32 of them, so that digits which differ in their
 * highest bits alone have different banks: faster on keys with many equal digits, and no slower on random ones. */
#define SORT_ONESWEEP_PAD_BYTES(key, value) ((key) == 4 && (value) == 4 ? 28u : 0u)
#define SORT_ONESWEEP_COUNTER_BYTES(digits, key, value) ((digits) / 32 * (128 + SORT_ONESWEEP_PAD_BYTES(key, value)))
#define SORT_PLACE_BYTES 2

#define SORT_DIGIT_WORDS(tiles, passes) (SORT_WORD_COUNTS + (tiles) * (passes)*SORT_DIGITS)

/* Keys of which all digits are counted, one digit after the other, while they are in the cache; a work-group's tile is
 * smaller. */
#define SORT_COUNTED_ITEMS 4096

/* Few keys, sorted by a cluster of work-groups in one launch (kernels_cu/sort/sort_cluster.cuh), and its shared memory.
 */
#define SORT_CLUSTER_GROUPS 16
#define SORT_CLUSTER_ITEMS 1024
#define SORT_CLUSTER_KEYS 4                                         /* of a work-item */
#define SORT_CLUSTER_ALONE (SORT_CLUSTER_ITEMS * SORT_CLUSTER_KEYS) /* keys that one work-group sorts */
#define SORT_CLUSTER_MOST 65536u                                    /* SORT_CLUSTER_GROUPS times as many */
#define SORT_CLUSTER_BYTES(key, value)                                                                                 \
  (SORT_CLUSTER_ITEMS / 32 * ((SORT_DIGITS + 1) * 4 + 4) + 4 * SORT_DIGITS * 4 +                                       \
   2 * SORT_CLUSTER_ALONE * ((key) + (value)))

/* The keys of a work-item of sort_lookback.cl, by the bytes of a key and of its value. */
#ifndef SORT_LOOK_KEYS
#define SORT_LOOK_KEYS(key, value) ((value) == 0 ? ((key) == 8 ? 16 : 22) : (key) == 8 || (value) == 8 ? 12 : 20)
#endif
/* The local memory of sort_lookback.cl: the tile, counters of each warp, and words for each digit and work-item. */
#define SORT_LOOK_BYTES(items, key, value)                                                                             \
  ((items)*SORT_LOOK_KEYS(key, value) * ((key) > (value) ? (key) : (value)) + (items) / 32 * 4 * SORT_DIGITS +         \
   8 * (items) + 4 * SORT_DIGITS + 64)
#define SORT_SUM_BYTES 32768 /* local memory of the launch that counts all digits */

/* Few keys on CUDA, which one work-group sorts in place (kernels_cu/sort/sort_merged.cuh). */
#define SORT_MERGED_ITEMS 1024
#define SORT_MERGED_KEYS 4 /* of a work-item */
#define SORT_MERGED_MOST (SORT_MERGED_ITEMS * SORT_MERGED_KEYS)

/* Few keys on CUDA, not in place: each work-group ranks its own among all, or among those of their segments
 * (kernels_cu/sort/sort_ranked.cuh). It has 64 own keys up to SORT_RANKED_FEW keys, else 128. A work-item
 * looks up SORT_RANKED_KEYS keys at once. */
#define SORT_RANKED_ITEMS 1024
#define SORT_RANKED_SEGMENTS_ITEMS 512
#define SORT_RANKED_KEYS(has_segments) ((has_segments) ? 2 : 4)
#define SORT_RANKED_FEW 8192
#define SORT_RANKED_MOST 16384
#define SORT_RANKED_SEGMENTS 8192 /* the most segments */
/* Shared memory: own keys as integers, a count for each and one more, and where the own keys' segments begin. */
#define SORT_RANKED_AT_COUNTS(key, own) ((own) * ((key) == 8 ? 8 : 4))
#define SORT_RANKED_AT_BEGINS(key, own) (SORT_RANKED_AT_COUNTS(key, own) + (own)*4 + 16)
#define SORT_RANKED_BYTES(key, own)                                                                                    \
  ((key) == 1 ? SORT_COUNTED_BYTES : SORT_RANKED_AT_BEGINS(key, own) + (own) / 8 + 16) /* a multiple of 8 */
/* So many keys of one byte without values are counted: counters of all digits, which warps share, and eight sums. H200,
 * us, ranked and counted: 1,024 keys 4.7, 6.2; 4,096 5.0, 4.7; 16,384 12.0, 5.4. */
#define SORT_COUNTED_LEAST 4096
#define SORT_COUNTED_COPIES 8
#define SORT_COUNTED_BYTES (SORT_COUNTED_COPIES * SORT_DIGITS * 4 + 32)

/* Few keys on CUDA, split in one launch: each work-group counts all keys, and moves up to SPLIT_ALONE_ITEMS. */
#define SPLIT_ALONE_ITEMS 1024
#define SPLIT_ALONE_LEAST 256 /* keys that a work-group moves if there are enough work-groups */
#define SPLIT_ALONE_MOST 65536u

/* The keys that a single work-item sorts in one launch; work-groups sort a tile instead. */
#define SORT_ALONE_ITEMS 4096

/* The keys that a work-item of a work-group has in registers: an odd number, which spreads them over the banks of local
 * memory. Keys, their places in the tile and the counters take 30 KiB with work-groups of 256. */
#define SORT_ITEM_KEYS(bytes) ((bytes) == 16 ? 3 : (bytes) == 8 ? 7 : (bytes) == 4 ? 11 : 15)
#endif
