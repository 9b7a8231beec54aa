/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back for the number of kept elements before a tile: counts of tiles, and sums of 128 of them, are 64-bit words
 * that carry the launch's epoch (claim_packed.h). A wait that reaches its bound notes the missing tile or group; the
 * whole work-group then counts that tile itself, or gives up if the input may be overwritten. Included by
 * select_lookback.h. */
#ifndef SCANRT_CL_SELECT_LOOKBACK_STATE_H
#define SCANRT_CL_SELECT_LOOKBACK_STATE_H

#define NOTHING_MISSING 0xffffffffu
#define LEAVES ((GROUP_TILES + SCAN_GROUP_ITEMS - 1) / SCAN_GROUP_ITEMS) /* tiles of a group for each work-item */
#define FOLD_FIRST (SCAN_GROUP_ITEMS > GROUP_TILES ? GROUP_TILES : 0)

typedef struct scanrt_select_lookback_cursor {
  scanrt_u64 groups; /* kept elements of the first `folded` groups, in the folding work-items */
  scanrt_u32 folded;
  scanrt_u64 prefetched[LEAVES];
} scanrt_select_lookback_cursor;

FUNC void scanrt_lookback_init(scanrt_select_lookback_cursor *cursor) {
  cursor->groups = 0;
  cursor->folded = 0;
}

FUNC void scanrt_lookback_clear_missing(LOCAL scanrt_select_scratch *s) {
  if (ITEM() != 0) return;
  s->missing_tile = NOTHING_MISSING;
  s->missing_group = NOTHING_MISSING;
}

FUNC void scanrt_count_put(volatile GLOBAL scanrt_u64 *word, scanrt_u32 count, scanrt_u32 epoch) {
  scanrt_word_store(word, (scanrt_u64)epoch << 32 | count);
}

/* Polls a count at most spin_limit times; gives up early once another work-group has given up. Returns 1 if it
 * arrived. */
FUNC scanrt_u32 scanrt_count_wait(const scanrt_select_job *job, volatile GLOBAL scanrt_u64 *word, scanrt_u32 *count) {
  for (scanrt_u32 polls = 1;; polls++) {
    const scanrt_u64 x = scanrt_word_load(word);
    *count = (scanrt_u32)x;
    if ((scanrt_u32)(x >> 32) == job->lookback.epoch) return 1;
    if (polls >= job->spin_limit) break;
    if (polls % 1024 == 0 && ATOMIC_LOAD(job->lookback.control + CONTROL_ERROR)) break;
  }
  *count = 0;
  return 0;
}

/* Counts a tile for its owner and publishes the count. Returns 0 if the input may be overwritten. */
FUNC scanrt_u32 scanrt_tile_recompute(const scanrt_select_job *job, scanrt_u32 tile, LOCAL scanrt_select_scratch *s) {
  const scanrt_u32 items = scanrt_tile_items(job, tile);
  scanrt_u32 own = 0;
  if (FALLBACK(job->flags & SELECT_OVER ? FLAG_IN_PLACE : 0) & FLAG_IN_PLACE) {
    if (ITEM() == 0) ATOMIC_STORE(job->lookback.control + CONTROL_ERROR, 1u);
    return 0;
  }
  NO_UNROLL
  for (scanrt_u32 e = ITEM(); e < items; e += SCAN_GROUP_ITEMS)
    own += scanrt_keep_one(job, scanrt_tile_first(tile) + e);
  const scanrt_u32 count = scanrt_group_sum(own, s->sums);
  if (ITEM() == 0) scanrt_count_put(job->lookback.tiles + tile, count, job->lookback.epoch);
  BARRIER();
  return 1;
}

/* Publishes the sum of a group. Returns 0 if one of its tiles is missing and the input may be overwritten. */
FUNC scanrt_u32 scanrt_group_publish(const scanrt_select_job *job, scanrt_u32 group, LOCAL scanrt_select_scratch *s) {
  for (;;) {
    scanrt_u32 own = 0;
    for (scanrt_u32 q = ITEM(); q < GROUP_TILES; q += SCAN_GROUP_ITEMS) {
      scanrt_u32 count;
      if (!scanrt_count_wait(job, job->lookback.tiles + group * GROUP_TILES + q, &count))
        ATOMIC_MIN_LOCAL(&s->missing_tile, group * GROUP_TILES + q);
      own += count;
    }
    const scanrt_u32 sum = scanrt_group_sum(own, s->sums), missing = s->missing_tile;
    BARRIER();
    if (missing == NOTHING_MISSING) {
      if (ITEM() == 0) scanrt_count_put(job->lookback.groups + group, sum, job->lookback.epoch);
      return 1;
    }
    scanrt_lookback_clear_missing(s);
    BARRIER();
    if (!scanrt_tile_recompute(job, missing, s)) return 0;
  }
}

/* Adds up the groups before `group`. Sets s->missing_group if one does not arrive. */
#if SCAN_SHUFFLE
FUNC void scanrt_groups_fold(const scanrt_select_job *job, scanrt_u32 group, scanrt_select_lookback_cursor *cursor,
                             LOCAL scanrt_select_scratch *s) {
  const scanrt_u32 lane = ITEM() % 32;
  if (ITEM() / 32 != FOLD_FIRST / 32) return;
  while (cursor->folded < group) {
    const scanrt_u32 here = group - cursor->folded < 32 ? group - cursor->folded : 32;
    scanrt_u32 sum = 0;
    const scanrt_u32 lacks = lane < here && !scanrt_count_wait(job, job->lookback.groups + cursor->folded + lane, &sum);
    if (lacks) ATOMIC_MIN_LOCAL(&s->missing_group, cursor->folded + lane);
    if (scanrt_warp_sum(lacks) != 0) return;
    cursor->groups += scanrt_warp_sum(sum);
    cursor->folded += here;
  }
  if (lane == 0) s->groups = cursor->groups;
}
#else
FUNC void scanrt_groups_fold(const scanrt_select_job *job, scanrt_u32 group, scanrt_select_lookback_cursor *cursor,
                             LOCAL scanrt_select_scratch *s) {
  if (ITEM() != FOLD_FIRST) return;
  for (; cursor->folded < group; cursor->folded++) {
    scanrt_u32 sum;
    if (!scanrt_count_wait(job, job->lookback.groups + cursor->folded, &sum)) {
      s->missing_group = cursor->folded;
      return;
    }
    cursor->groups += sum;
  }
  s->groups = cursor->groups;
}
#endif

/* Starts the loads of the work-item's words of the tile's group, which scanrt_lookback_prefix reads. */
FUNC void scanrt_lookback_prefetch(const scanrt_select_job *job, scanrt_u32 tile,
                                   scanrt_select_lookback_cursor *cursor) {
  ROWS_UNROLL
  for (scanrt_u32 k = 0; k < LEAVES; k++) {
    const scanrt_u32 q = k * SCAN_GROUP_ITEMS + ITEM();
    if (q < tile % GROUP_TILES)
      cursor->prefetched[k] = scanrt_word_load(job->lookback.tiles + tile / GROUP_TILES * GROUP_TILES + q);
  }
}

/* Returns the sum over the work-item's tiles of the group. Sets s->missing_tile if one does not arrive. */
FUNC scanrt_u32 scanrt_leaves_sum(const scanrt_select_job *job, scanrt_u32 tile,
                                  const scanrt_select_lookback_cursor *cursor, LOCAL scanrt_select_scratch *s) {
  scanrt_u32 own = 0;
  ROWS_UNROLL
  for (scanrt_u32 k = 0; k < LEAVES; k++) {
    const scanrt_u32 q = k * SCAN_GROUP_ITEMS + ITEM(), other = tile / GROUP_TILES * GROUP_TILES + q;
    scanrt_u32 count = (scanrt_u32)cursor->prefetched[k];
    if (q >= tile % GROUP_TILES) continue;
    if ((scanrt_u32)(cursor->prefetched[k] >> 32) != job->lookback.epoch &&
        !scanrt_count_wait(job, job->lookback.tiles + other, &count))
      ATOMIC_MIN_LOCAL(&s->missing_tile, other);
    own += count;
  }
  return own;
}

/* Returns the number of kept elements before a tile, in every work-item. Call scanrt_lookback_prefetch for the tile
 * first. */
FUNC scanrt_u64 scanrt_lookback_prefix(const scanrt_select_job *job, scanrt_u32 tile,
                                       scanrt_select_lookback_cursor *cursor, LOCAL scanrt_select_scratch *s) {
  for (;;) {
    const scanrt_u32 own = scanrt_leaves_sum(job, tile, cursor, s);
    scanrt_groups_fold(job, tile / GROUP_TILES, cursor, s);
    const scanrt_u64 sum = scanrt_group_sum(own, s->sums), prefix = s->groups + sum;
    const scanrt_u32 missing_tile = s->missing_tile, missing_group = s->missing_group;
    if (missing_tile == NOTHING_MISSING && missing_group == NOTHING_MISSING) return prefix;
    BARRIER();
    scanrt_lookback_clear_missing(s);
    BARRIER();
    if (missing_group != NOTHING_MISSING && !scanrt_group_publish(job, missing_group, s)) return prefix;
    if (missing_tile != NOTHING_MISSING && !scanrt_tile_recompute(job, missing_tile, s)) return prefix;
    BARRIER();
  }
}
#endif
