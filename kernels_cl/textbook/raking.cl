/* SPDX-License-Identifier: BSD-2-Clause */
/* Raking reduce-then-scan: Blelloch, Chatterjee, Zagha, "Solving Linear Recurrences with Loop Raking", 1992; by one
 * warp of a work-group Dotsenko and others, "Fast Scan Algorithms on Graphics Processors", ICS 2008. Each of 32 lanes
 * folds a segment of the tile in local memory, Kogge and Stone's scan over the lanes makes the segments' prefixes, and
 * each lane scans its segment from there. The first segment has no prefix: its fold already is its scan. */
#include "textbook/group_scan.h"

#define TEXTBOOK(part) raking_##part
#define PER_ITEM 1
#define SEGMENT (SCAN_GROUP_ITEMS / 32)
#define TILE_SCRATCH scanrt_raking_scratch

typedef struct scanrt_raking_scratch {
  scanrt_value_t x[PADDED(SCAN_GROUP_ITEMS - 1) + 1];
  scanrt_group_scratch lanes;
  scanrt_value_t total;
  scanrt_value_t carry;
} scanrt_raking_scratch;

/* Folds the segment of a lane. The first lane leaves its running values in place. */
FUNC scanrt_value_t scanrt_segment_fold(LOCAL scanrt_raking_scratch *s) {
  scanrt_value_t sum = s->x[PADDED(ITEM() * SEGMENT)];
  for (scanrt_u32 k = 1; k < SEGMENT; k++) {
    LOCAL scanrt_value_t *x = s->x + PADDED(ITEM() * SEGMENT + k);
    sum = scanrt_combine(sum, *x);
    if (ITEM() == 0) *x = sum;
  }
  return sum;
}

/* Scans the segment of a lane from its prefix. */
FUNC void scanrt_segment_scan(scanrt_value_t prefix, LOCAL scanrt_raking_scratch *s) {
  for (scanrt_u32 k = 0; k < SEGMENT; k++) {
    LOCAL scanrt_value_t *x = s->x + PADDED(ITEM() * SEGMENT + k);
    prefix = scanrt_combine(prefix, *x);
    *x = prefix;
  }
}

/* Scans a tile that the work-group holds, element ITEM() + k * SCAN_GROUP_ITEMS in x[k]. */
FUNC void scanrt_tile_scan(scanrt_value_t x[PER_ITEM], scanrt_u32 inclusive, scanrt_value_t *total,
                           LOCAL scanrt_raking_scratch *s) {
  const scanrt_u32 rakes = ITEM() < 32;
  s->x[PADDED(ITEM())] = x[0];
  BARRIER();
  scanrt_value_t sum = IDENTITY;
  if (rakes) sum = scanrt_segment_fold(s);
  sum = scanrt_lanes_scan(sum, 32, rakes, &s->lanes);
  const scanrt_value_t prefix = scanrt_lane_before(sum, 1, &s->lanes);
  if (rakes && ITEM() > 0) scanrt_segment_scan(prefix, s);
  if (ITEM() == 31) s->total = sum;
  BARRIER();
  *total = s->total;
  x[0] = inclusive ? s->x[PADDED(ITEM())] : ITEM() > 0 ? s->x[PADDED(ITEM() - 1)] : IDENTITY;
}

#include "textbook/scan_then_add.h"
