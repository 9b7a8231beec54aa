/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: places of keys by whole digits. 32 consecutive work-items (a "warp") have counters of their own, and rank a
 * row of 32 keys at a time: those of one digit find one another by a vote, the last of them counts them all, and each
 * takes what was counted before and those before it in the row. Rows of a warp are in turn: a row's exchange waits for
 * its additions, which have one work-item each for a counter, and the next row's additions come behind it. So no order
 * of atomic operations matters, and nobody needs to be in step. */
#ifndef SCANRT_CL_SORT_RANKS_H
#define SCANRT_CL_SORT_RANKS_H

#include "sort_keys.h"

#define RANK_WARPS (SCAN_GROUP_ITEMS / 32)
#define RANK_COUNTERS (RANK_WARPS * SORT_DIGITS)

/* Two numbers of 16 bits to a register. */
#define PACKED(keys) (((keys) + 1) / 2)
#define PACK(packed, u, x) ((packed)[(u) / 2] = (u) % 2 != 0 ? (packed)[(u) / 2] | (x) << 16 : (x))
#define UNPACK(packed, u) ((u) % 2 != 0 ? (packed)[(u) / 2] >> 16 : (packed)[(u) / 2] & 0xffffu)

typedef struct scanrt_sort_ranks {
  scanrt_u32 counter[RANK_COUNTERS];
  scanrt_u32 sums[SCAN_GROUP_ITEMS];
#if SCAN_SHUFFLE != 1
  scanrt_u32 digit[SCAN_GROUP_ITEMS];
#endif
} scanrt_sort_ranks;

#if SCAN_SHUFFLE == 1
#define RANKS_UNROLL UNROLL

/* The lanes that have the lane's digit, itself among them. */
FUNC scanrt_u32 scanrt_sort_alike(scanrt_u32 digit) {
  scanrt_u32 alike = ~0u;
  UNROLL
  for (scanrt_u32 b = 0; b < SORT_DIGIT_BITS; b++) {
    const scanrt_u32 bit = digit & 1u << b, set = WARP_BALLOT(bit);
    alike &= bit != 0 ? set : ~set;
  }
  return alike;
}

/* The ranks of rows of keys among the warp's of their digits. */
FUNC void scanrt_sort_rank_rows(LOCAL scanrt_sort_ranks *ranks, const scanrt_u32 *digit, scanrt_u32 *rank,
                                scanrt_u32 rows) {
  LOCAL scanrt_u32 *counter = ranks->counter + ITEM() / 32 * SORT_DIGITS;
  const scanrt_u32 lane = ITEM() % 32;
  UNROLL
  for (scanrt_u32 u = 0; u < rows; u++) {
    const scanrt_u32 alike = scanrt_sort_alike(digit[u]), last = LAST_BIT(alike);
    rank[u] = 0;
    if (lane == last) rank[u] = ATOMIC_ADD_LOCAL(&counter[digit[u]], (scanrt_u32)popcount(alike));
    rank[u] = scanrt_shuffle_from_u32(rank[u], last) + (scanrt_u32)popcount(alike & ((1u << lane) - 1));
  }
}

/* Of the work-items before: the sum of what they have. All work-items do this. */
FUNC scanrt_u32 scanrt_sort_sum_before(LOCAL scanrt_u32 *sums, scanrt_u32 own) {
  const scanrt_u32 lane = ITEM() % 32, warp = ITEM() / 32;
  scanrt_u32 sum = own;
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d *= 2) {
    const scanrt_u32 other = scanrt_shuffle_up_u32(sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31) sums[warp] = sum;
  BARRIER();
  sum -= own;
  UNROLL
  for (scanrt_u32 w = 0; w + 1 < RANK_WARPS; w++) {
    const scanrt_u32 other = sums[w];
    if (w < warp) sum += other;
  }
  return sum;
}
#else
#define RANKS_UNROLL NO_UNROLL

/* By local memory, whose counters have one writer each. */
FUNC void scanrt_sort_rank_rows(LOCAL scanrt_sort_ranks *ranks, const scanrt_u32 *digit, scanrt_u32 *rank,
                                scanrt_u32 rows) {
  LOCAL scanrt_u32 *counter = ranks->counter + ITEM() / 32 * SORT_DIGITS;
  LOCAL const scanrt_u32 *row = ranks->digit + ITEM() / 32 * 32;
  const scanrt_u32 lane = ITEM() % 32;
  NO_UNROLL
  for (scanrt_u32 u = 0; u < rows; u++) {
    const scanrt_u32 own = digit[u];
    scanrt_u32 before = 0, behind = 0;
    ranks->digit[ITEM()] = own;
    BARRIER();
    NO_UNROLL
    for (scanrt_u32 l = 0; l < 32; l++) {
      before += row[l] == own && l < lane;
      behind += row[l] == own && l > lane;
    }
    const scanrt_u32 counted = counter[own];
    rank[u] = counted + before;
    BARRIER();
    if (behind == 0) counter[own] = counted + before + 1;
  }
}

FUNC scanrt_u32 scanrt_sort_sum_before(LOCAL scanrt_u32 *sums, scanrt_u32 own) {
  scanrt_u32 sum = 0;
  sums[ITEM()] = own;
  BARRIER();
  NO_UNROLL
  for (scanrt_u32 i = 0; i < ITEM(); i++) sum += sums[i];
  return sum;
}
#endif
#endif
