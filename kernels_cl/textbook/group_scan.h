/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan of one value an item over the work-group, in two levels of 32: Kogge and Stone, "A Parallel Algorithm for the
 * Efficient Solution of a General Class of Recurrence Equations", IEEE Trans. Computers C-22(8), 1973, over the lanes
 * of a warp, by shuffles (Sengupta, Harris, Garland, "Efficient Parallel Scan Algorithms for GPUs", 2008), then over
 * the warps' totals. Without shuffles, lanes exchange values through local memory. */
#ifndef SCANRT_CL_GROUP_SCAN_H
#define SCANRT_CL_GROUP_SCAN_H

#include "textbook/textbook.h"
#include "lib/vector.h"

#define WARPS (SCAN_GROUP_ITEMS / 32)

typedef struct scanrt_group_scratch {
  scanrt_value_t warps[32];
#if !SCAN_SHUFFLE
  scanrt_value_t lanes[SCAN_GROUP_ITEMS];
#endif
  scanrt_value_t carry;
} scanrt_group_scratch;

/* Returns the value of the lane `distance` before this one; the first `distance` lanes get their own. */
#if SCAN_SHUFFLE
FUNC scanrt_value_t scanrt_lane_before(scanrt_value_t x, scanrt_u32 distance, LOCAL scanrt_group_scratch *s) {
  (void)s;
  return scanrt_shuffle_up(x, distance);
}
#else
FUNC scanrt_value_t scanrt_lane_before(scanrt_value_t x, scanrt_u32 distance, LOCAL scanrt_group_scratch *s) {
  BARRIER(); /* the values of the last exchange have been read */
  s->lanes[ITEM()] = x;
  BARRIER();
  return s->lanes[ITEM() % 32 >= distance ? ITEM() - distance : ITEM()];
}
#endif

/* Scans inclusively over the first `lanes` lanes of each warp that takes part. */
FUNC scanrt_value_t scanrt_lanes_scan(scanrt_value_t x, scanrt_u32 lanes, scanrt_u32 takes_part,
                                      LOCAL scanrt_group_scratch *s) {
  for (scanrt_u32 d = 1; d < lanes; d <<= 1) {
    const scanrt_value_t before = scanrt_lane_before(x, d, s);
    if (takes_part && ITEM() % 32 >= d) x = scanrt_combine(before, x);
  }
  return x;
}

/* Scans one value an item over the work-group. Every item calls it; the scratch may be used again after a barrier. */
FUNC scanrt_value_t scanrt_group_scan(scanrt_value_t x, scanrt_u32 inclusive, scanrt_value_t *total,
                                      LOCAL scanrt_group_scratch *s) {
  x = scanrt_lanes_scan(x, 32, 1, s);
  scanrt_value_t before = scanrt_lane_before(x, 1, s);
  if (ITEM() % 32 == 0) before = IDENTITY;
  if (ITEM() % 32 == 31) s->warps[ITEM() / 32] = x;
  BARRIER();
  const scanrt_value_t scanned = scanrt_lanes_scan(s->warps[ITEM() % WARPS], WARPS, ITEM() < WARPS, s);
  BARRIER();
  if (ITEM() < WARPS) s->warps[ITEM()] = scanned;
  BARRIER();
  *total = s->warps[WARPS - 1];
  return scanrt_combine(ITEM() >= 32 ? s->warps[ITEM() / 32 - 1] : IDENTITY, inclusive ? x : before);
}
#endif
