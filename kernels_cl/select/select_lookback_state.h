/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back (lookback.h) for the number of kept elements before a tile. Included by select_lookback.h. */
#ifndef SCANRT_CL_SELECT_LOOKBACK_STATE_H
#define SCANRT_CL_SELECT_LOOKBACK_STATE_H

/* Returns the number of kept elements of a tile, in every work-item. */
FUNC scanrt_u32 scanrt_tile_total(const scanrt_select_job *job, scanrt_u32 tile, LOCAL scanrt_select_scratch *s) {
  const scanrt_u32 items = scanrt_tile_items(job, tile);
  scanrt_u32 own = 0;
  NO_UNROLL
  for (scanrt_u32 e = ITEM(); e < items; e += SCAN_GROUP_ITEMS)
    own += scanrt_keep_one(job, scanrt_tile_first(tile) + e);
  scanrt_group_sum_put(own, s->sums);
  BARRIER();
  return scanrt_group_sum(s->sums);
}

typedef scanrt_select_job scanrt_lookback_job;
typedef scanrt_select_scratch scanrt_lookback_scratch;
typedef scanrt_u64 scanrt_lookback_sum;
#define LOOKBACK_COUNTS 1
#define LOOKBACK_NONE 0u
#define LOOKBACK_COMBINE(sum, count) ((sum) + (count))
#define LOOKBACK_FROM(count, lane) scanrt_shuffle_from_u32((count), (lane))
#define LEAVES_FOLD(count, s) scanrt_group_sum_put((count), (s)->sums)
#define LEAVES_TOTAL(s) scanrt_group_sum((s)->sums)
#include "lib/lookback.h"
#endif
