/* SPDX-License-Identifier: BSD-2-Clause */
/* A prefix sum over a work-group. */
#ifndef SCANRT_CL_GROUP_SUMS_H
#define SCANRT_CL_GROUP_SUMS_H

#include "lib/dialect.h"

#if SCAN_GROUP_ITEMS > 1
#if SCAN_SHUFFLE
#define GROUP_SUMS_WORDS (SCAN_GROUP_ITEMS / 32)
#else
#define GROUP_SUMS_WORDS (SCAN_GROUP_ITEMS + SCAN_GROUP_ITEMS / 32)
#endif
/* Returns the sum over the work-items before this one, in two levels; sets *all to the sum over all. `sums` has
 * GROUP_SUMS_WORDS and may be used again behind the next barrier. */
FUNC scanrt_u32 scanrt_group_count(scanrt_u32 own, LOCAL scanrt_u32 *sums, scanrt_u32 *all) {
  const scanrt_u32 warp = ITEM() / 32;
#if SCAN_SHUFFLE
  LOCAL scanrt_u32 *parts = sums;
  scanrt_u32 before = own;
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d *= 2) {
#ifdef SUM_BELOW
    before = SUM_BELOW(before, d);
#else
    const scanrt_u32 other = scanrt_shuffle_up_u32(before, d);
    if (ITEM() % 32 >= d) before += other;
#endif
  }
  before -= own;
#else
  LOCAL scanrt_u32 *parts = sums + SCAN_GROUP_ITEMS;
  scanrt_u32 before = 0;
  sums[ITEM()] = own;
  BARRIER();
  for (scanrt_u32 k = warp * 32; k < ITEM(); k++) before += sums[k];
#endif
  if (ITEM() % 32 == 31) parts[warp] = before + own;
  BARRIER();
  *all = 0;
#if SCAN_SHUFFLE
  UNROLL
#endif
  for (scanrt_u32 q = 0; q < SCAN_GROUP_ITEMS / 32; q++) {
    const scanrt_u32 part = parts[q];
    if (q < warp) before += part;
    *all += part;
  }
  return before;
}

/* Returns the sum over the work-items before this one; sets *sum to the sum over all. */
FUNC scanrt_u64 scanrt_group_before(scanrt_u64 own, LOCAL scanrt_u64 *sums, scanrt_u64 *sum) {
  sums[ITEM()] = own;
  BARRIER();
  for (scanrt_u32 d = 1; d < SCAN_GROUP_ITEMS; d *= 2) {
    const scanrt_u64 other = ITEM() >= d ? sums[ITEM() - d] : 0;
    BARRIER();
    sums[ITEM()] += other;
    BARRIER();
  }
  const scanrt_u64 before = sums[ITEM()] - own;
  *sum = sums[SCAN_GROUP_ITEMS - 1];
  BARRIER();
  return before;
}
#endif
#endif
