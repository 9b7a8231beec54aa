/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts the few keys of a segment by one work-item. A key's place is the number of keys before it that are not above
 * it, and of those behind it that are below it: no branch depends on the keys. */
#ifndef SCANRT_CL_SORT_SEGMENTS_ITEM_H
#define SCANRT_CL_SORT_SEGMENTS_ITEM_H

#include "sort/sort_move.h"
#include "sort/sort_segments.h"

/* A register of keys' ranks and one of counts. RANKS_ARE is 1 for each lane in which the condition holds. */
#if KEY_BYTES <= 4
#define RANK_T scanrt_u32
#define RANK_LANES 8u
typedef uint8 scanrt_ranks_t;
typedef int8 scanrt_rank_counts_t;
#elif KEY_BYTES == 8
#define RANK_T scanrt_u64
#define RANK_LANES 8u
typedef ulong8 scanrt_ranks_t;
typedef long8 scanrt_rank_counts_t;
#else
#define RANK_T KEY_T
#define RANK_LANES 1u
typedef KEY_T scanrt_ranks_t;
typedef scanrt_i32 scanrt_rank_counts_t;
#endif
#if RANK_LANES == 1
#define RANKS_LOAD(rank) (*(rank))
#define RANKS_ARE(condition) ((condition) ? 1 : 0)
#define RANKS_LANE 0
#define RANKS_STORE(counts, place) (*(place) = (scanrt_u32)(counts))
#else
#define RANKS_LOAD(rank) vload8(0, (rank))
#define RANKS_ARE(condition) (-(condition))
#define RANKS_LANE (scanrt_rank_counts_t)(0, 1, 2, 3, 4, 5, 6, 7)
#define RANKS_STORE(counts, place) vstore8(convert_uint8(counts), 0, (place))
#endif

/* Returns where the keys go. The rank of a key that fills the last register is the largest one. */
FUNC void scanrt_segment_ranks(const RANK_T *rank, scanrt_u32 items, scanrt_u32 *place) {
  const scanrt_rank_counts_t lane = RANKS_LANE;
  for (scanrt_u32 first = 0; first < items; first += RANK_LANES) {
    const scanrt_ranks_t own = RANKS_LOAD(rank + first);
    scanrt_rank_counts_t counts = 0;
    scanrt_u32 j = 0;
    for (; j < first; j++) counts += RANKS_ARE(own >= rank[j]);
    UNROLL
    for (scanrt_u32 k = 0; k < RANK_LANES; k++, j++)
      counts += RANKS_ARE((own > rank[j]) | ((own == rank[j]) & (lane > (scanrt_i32)k)));
    for (; j < items; j++) counts += RANKS_ARE(own > rank[j]);
    RANKS_STORE(counts, place + first);
  }
}

/* Moves the values of type T. All are read before the first one is written, which may be at the same place. */
#define RANKS_MOVE_VALUES(T)                                                                                           \
  {                                                                                                                    \
    GLOBAL const T *values = (GLOBAL const T *)ends.values + ends.first;                                               \
    GLOBAL T *values_to = (GLOBAL T *)ends.values_to + ends.first;                                                     \
    T value[SEGMENTS_RANKED_ITEMS];                                                                                    \
    for (scanrt_u32 i = 0; i < items; i++) value[i] = ends.makes_indices ? (T)(ends.first + i) : values[i];            \
    for (scanrt_u32 i = 0; i < items; i++) values_to[place[i]] = value[i];                                             \
  }

/* Sorts up to SEGMENTS_RANKED_ITEMS keys by the bits set in `bits`. */
FUNC void scanrt_segment_ranked(GLOBAL const KEY_T *keys, scanrt_u32 items, scanrt_sort_order order, KEY_T bits,
                                scanrt_sort_ends ends) {
  KEY_T key[SEGMENTS_RANKED_ITEMS];
  RANK_T rank[SEGMENTS_RANKED_ITEMS + RANK_LANES];
  scanrt_u32 place[SEGMENTS_RANKED_ITEMS + RANK_LANES];
  for (scanrt_u32 i = 0; i < items; i++) {
    key[i] = keys[i];
    rank[i] = (RANK_T)(scanrt_sort_ordered(keys[i], order) & bits);
  }
  for (scanrt_u32 k = 0; k < RANK_LANES; k++) rank[items + k] = (RANK_T)0 - 1;
  scanrt_segment_ranks(rank, items, place);
  for (scanrt_u32 i = 0; i < items; i++) ends.to[ends.first + place[i]] = key[i];
  if (ends.value_bytes == 4) RANKS_MOVE_VALUES(scanrt_u32)
  if (ends.value_bytes == 8) RANKS_MOVE_VALUES(scanrt_u64)
}
#endif
