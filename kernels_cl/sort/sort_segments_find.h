/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by segments: finds the segments of a work-group. */
#ifndef SCANRT_CL_SORT_SEGMENTS_FIND_H
#define SCANRT_CL_SORT_SEGMENTS_FIND_H

#include "sort/sort_segments_table.h"

/* Narrows a search after a round that looked at places `stride` apart, the first `found` of which lie before the
 * target. */
FUNC void scanrt_search_narrow(scanrt_u64 *begin, scanrt_u64 *end, scanrt_u64 stride, scanrt_u32 found) {
  const scanrt_u64 below = *begin + found * stride, above = below + stride - 1;
  *begin = below < *end ? below : *end;
  *end = above < *end ? above : *end;
}

/* A range of segments, by number. */
typedef struct scanrt_segment_range {
  scanrt_u64 begin, end;
} scanrt_segment_range;

/* Returns the segments that begin from key `first` on and before key `limit`. In each round every work-item looks at
 * one offset for either end; two words of local memory count those that are below. */
FUNC scanrt_segment_range scanrt_segments_find(LOCAL scanrt_u32 *found, GLOBAL const scanrt_u8 *offsets,
                                               scanrt_u64 count, scanrt_u64 first, scanrt_u64 limit, scanrt_u64 all,
                                               scanrt_u32 flags) {
  scanrt_u64 begin[2], end[2];
  scanrt_segment_range range;
  begin[0] = begin[1] = 0;
  end[0] = end[1] = count;
  NO_UNROLL
  while (begin[0] < end[0] || begin[1] < end[1]) {
    scanrt_u64 stride[2];
    if (ITEM() < 2) found[ITEM()] = 0;
    BARRIER();
    UNROLL
    for (scanrt_u32 e = 0; e < 2; e++) {
      stride[e] = (end[e] - begin[e]) / (SCAN_GROUP_ITEMS + 1) + 1;
      const scanrt_u64 at = begin[e] + (ITEM() + 1) * stride[e] - 1;
      if (at < end[e] && scanrt_segment_offset(offsets, at, all, flags) < (e == 0 ? first : limit))
        ATOMIC_INC_LOCAL(&found[e]);
    }
    BARRIER();
    UNROLL
    for (scanrt_u32 e = 0; e < 2; e++) scanrt_search_narrow(&begin[e], &end[e], stride[e], found[e]);
    BARRIER();
  }
  range.begin = begin[0];
  range.end = begin[1];
  return range;
}
#endif
