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

/* Starts the loads of a tile's descriptors, as scanrt_lookback_prefetch, and of the total of a group before it, in each
 * of the work-items that fold groups. Returns the latter. */
FUNC scanrt_descriptor_word scanrt_look_ahead(const scanrt_lookback_state *lookback, scanrt_u32 tile,
                                              scanrt_lookback_cursor *cursor) {
  const scanrt_u32 group = cursor->folded + ITEM() % 32;
  scanrt_descriptor_word word[DESCRIPTOR_WORDS] = { 0 };
  scanrt_lookback_prefetch(lookback, tile, cursor);
  if (SCAN_SHUFFLE && ITEM() / 32 == FOLD_FIRST / 32 && group < tile / GROUP_TILES)
    scanrt_descriptor_load(lookback->groups, group, word);
  return word[0];
}

/* Folds the totals of groups that scanrt_look_ahead has loaded, if all of them were there. */
FUNC void scanrt_groups_take(const scanrt_lookback_state *lookback, scanrt_u32 tile, scanrt_descriptor_word word,
                             scanrt_lookback_cursor *cursor) {
#if SCAN_SHUFFLE
  const scanrt_u32 left = tile / GROUP_TILES - cursor->folded, count = left < 32 ? left : 32;
  scanrt_u32 total = 0;
  if (ITEM() / 32 != FOLD_FIRST / 32 || left == 0) return;
  const scanrt_u32 there = ITEM() % 32 >= count || scanrt_descriptor_decode(&word, &total, lookback->epoch);
  if (scanrt_warp_sum(!there) != 0) return;
  cursor->groups += scanrt_warp_sum(ITEM() % 32 < count ? total : 0);
  cursor->folded += count;
#else
  (void)lookback, (void)tile, (void)word, (void)cursor;
#endif
}
#endif
