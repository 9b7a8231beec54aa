/* SPDX-License-Identifier: BSD-2-Clause */
/* A prefix sum over a work-group. */
#ifndef SCANRT_CL_GROUP_SUMS_H
#define SCANRT_CL_GROUP_SUMS_H

#include "lib/dialect.h"

#if SCAN_GROUP_ITEMS > 1
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
