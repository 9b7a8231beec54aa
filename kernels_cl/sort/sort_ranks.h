/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: ranks of keys by whole digits. Each run of 32 consecutive work-items (a "warp") has counters of its own, and
 * ranks a row of 32 keys at a time, by votes (sort_votes.h) or by local memory. */
#ifndef SCANRT_CL_SORT_RANKS_H
#define SCANRT_CL_SORT_RANKS_H

#include "sort/sort_votes.h"

#define RANK_WARPS (SCAN_GROUP_ITEMS / 32)
#define RANK_COUNTERS (RANK_WARPS * SORT_DIGITS)

/* Two numbers of 16 bits in a register. */
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

/* Sets the ranks of rows of keys among the warp's keys of the same digit. */
FUNC void scanrt_sort_rank_rows(LOCAL scanrt_sort_ranks *ranks, const scanrt_u32 *digit, scanrt_u32 *rank,
                                scanrt_u32 rows) {
  LOCAL scanrt_u32 *counter = ranks->counter + ITEM() / 32 * SORT_DIGITS;
  UNROLL
  for (scanrt_u32 u = 0; u < rows; u++) rank[u] = scanrt_sort_rank_row(counter, digit[u]);
}

/* Returns the sum over the work-items before this one. All work-items call it. */
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
#if RANK_WARPS <= 16
  UNROLL
  for (scanrt_u32 w = 0; w + 1 < RANK_WARPS; w++) {
    const scanrt_u32 other = sums[w];
    if (w < warp) sum += other;
  }
  return sum;
#else /* 17 loads and more would take longer */
  scanrt_u32 before = lane < warp ? sums[lane] : 0;
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d *= 2) before += scanrt_shuffle_xor_u32(before, d);
  return before + sum;
#endif
}
#else
#define RANKS_UNROLL NO_UNROLL

/* Sets the ranks of rows of keys among the warp's keys of the same digit, by local memory. The last lane with a digit
 * alone updates its counter. */
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

/* Reads the warps' counts of the work-item's digit. Returns their sum; 0 if it has no digit. */
FUNC scanrt_u32 scanrt_ranks_total(LOCAL const scanrt_sort_ranks *ranks, scanrt_u32 *count) {
  scanrt_u32 total = 0;
  if (ITEM() < SORT_DIGITS) {
    UNROLL
    for (scanrt_u32 w = 0; w < RANK_WARPS; w++) {
      count[w] = ranks->counter[w * SORT_DIGITS + ITEM()];
      total += count[w];
    }
  }
  return total;
}

/* Replaces the counts by where each warp's keys of a digit begin in the tile. Returns where the work-item's digit
 * begins. */
FUNC scanrt_u32 scanrt_ranks_begins(LOCAL scanrt_sort_ranks *ranks, const scanrt_u32 *count, scanrt_u32 total) {
  const scanrt_u32 begin = scanrt_sort_sum_before(ranks->sums, total);
  scanrt_u32 at = begin;
  if (ITEM() < SORT_DIGITS) {
    UNROLL
    for (scanrt_u32 w = 0; w < RANK_WARPS; w++) {
      ranks->counter[w * SORT_DIGITS + ITEM()] = at;
      at += count[w];
    }
  }
  return begin;
}
#endif
