/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back by a work-group: 128 work-items read the aggregates of the tile's group at once; the work-items from
 * FOLD_FIRST on fold the totals of the groups that are not yet folded. A wait that reaches its bound notes the missing
 * tile or group; the whole work-group then reduces that tile itself (fallback), which is valid only while the input is
 * not overwritten. */
#ifndef SCANRT_CL_LOOKBACK_GROUP_H
#define SCANRT_CL_LOOKBACK_GROUP_H

#include "lib/descriptor.h"
#include "scan/scan_tile.h"

typedef struct scanrt_lookback_cursor {
  scanrt_value_t groups; /* the seed and the first `folded` groups, in the folding work-items */
  scanrt_u32 folded;
  scanrt_descriptor_word prefetched[DESCRIPTOR_WORDS]; /* loaded by scanrt_lookback_prefetch */
} scanrt_lookback_cursor;

FUNC void scanrt_lookback_init(scanrt_lookback_cursor *cursor, scanrt_value_t seed) {
  cursor->groups = seed;
  cursor->folded = 0;
}

#define FOLD_FIRST (SCAN_GROUP_ITEMS > GROUP_TILES ? GROUP_TILES : 0)

FUNC void scanrt_lookback_clear_missing(LOCAL scanrt_tile_scratch *s) {
  if (ITEM() != 0) return;
  s->missing_tile = NOTHING_MISSING;
  s->missing_group = NOTHING_MISSING;
}

/* Reduces a tile for its owner and publishes the same bits. Returns 0 if the input may be overwritten. */
FUNC scanrt_u32 scanrt_tile_recompute(const scanrt_job *job, const scanrt_lookback_state *lookback, scanrt_u32 tile,
                                      LOCAL scanrt_tile_scratch *s, scanrt_u32 flags) {
  if (flags & FLAG_IN_PLACE) {
    if (ITEM() == 0) ATOMIC_STORE(lookback->control + CONTROL_ERROR, 1u);
    return 0;
  }
  const scanrt_value_t aggregate = scanrt_tile_total(job, tile, s);
  if (ITEM() == 0) scanrt_descriptor_put(lookback->tiles, tile, aggregate, lookback->epoch);
  BARRIER();
  return 1;
}

/* Publishes the total of a group of 128 tiles. Returns 0 if a tile is missing and the input may be overwritten. */
FUNC scanrt_u32 scanrt_group_publish(const scanrt_job *job, const scanrt_lookback_state *lookback, scanrt_u32 group,
                                     LOCAL scanrt_tile_scratch *s, scanrt_u32 flags, scanrt_u32 spin_limit) {
  for (;;) {
    const scanrt_u32 tile = group * GROUP_TILES + ITEM();
    scanrt_value_t leaf = IDENTITY;
    if (ITEM() < GROUP_TILES && !scanrt_descriptor_wait(lookback, lookback->tiles, tile, &leaf, spin_limit))
      ATOMIC_MIN_LOCAL(&s->missing_tile, tile);
    scanrt_tree_fold(leaf, s);
    BARRIER();
    const scanrt_u32 missing = s->missing_tile;
    const scanrt_value_t total = scanrt_tree_total(s);
    BARRIER();
    if (missing == NOTHING_MISSING) {
      if (ITEM() == 0) scanrt_descriptor_put(lookback->groups, group, total, lookback->epoch);
      return 1;
    }
    scanrt_lookback_clear_missing(s);
    BARRIER();
    if (!scanrt_tile_recompute(job, lookback, missing, s, flags)) return 0;
  }
}

/* Folds the totals of the groups before `group`, left to right. Sets s->missing_group if one does not arrive. */
#if SCAN_SHUFFLE
FUNC void scanrt_groups_fold(const scanrt_lookback_state *lookback, scanrt_u32 group, scanrt_lookback_cursor *cursor,
                             LOCAL scanrt_tile_scratch *s, scanrt_u32 spin_limit) {
  const scanrt_u32 lane = ITEM() % 32;
  if (ITEM() / 32 != FOLD_FIRST / 32) return;
  while (cursor->folded < group) {
    const scanrt_u32 count = group - cursor->folded < 32 ? group - cursor->folded : 32;
    scanrt_value_t total = IDENTITY;
    scanrt_u32 there =
        lane >= count || scanrt_descriptor_wait(lookback, lookback->groups, cursor->folded + lane, &total, spin_limit);
    for (scanrt_u32 q = 0; q < count; q++) {
      if (!scanrt_shuffle_from_u32(there, q)) {
        if (lane == 0) s->missing_group = cursor->folded;
        return;
      }
      cursor->groups = scanrt_combine(cursor->groups, scanrt_shuffle_from(total, q));
      cursor->folded++;
    }
  }
  if (lane == 0) s->groups = cursor->groups;
}
#else
FUNC void scanrt_groups_fold(const scanrt_lookback_state *lookback, scanrt_u32 group, scanrt_lookback_cursor *cursor,
                             LOCAL scanrt_tile_scratch *s, scanrt_u32 spin_limit) {
  if (ITEM() != FOLD_FIRST) return;
  for (; cursor->folded < group; cursor->folded++) {
    scanrt_value_t total;
    if (!scanrt_descriptor_wait(lookback, lookback->groups, cursor->folded, &total, spin_limit)) {
      s->missing_group = cursor->folded;
      return;
    }
    cursor->groups = scanrt_combine(cursor->groups, total);
  }
  s->groups = cursor->groups;
}
#endif

/* Starts the load of the work-item's descriptor of the tile's group, which scanrt_lookback_prefix reads. */
FUNC void scanrt_lookback_prefetch(const scanrt_lookback_state *lookback, scanrt_u32 tile,
                                   scanrt_lookback_cursor *cursor) {
  if (ITEM() < tile % GROUP_TILES)
    scanrt_descriptor_load(lookback->tiles, tile / GROUP_TILES * GROUP_TILES + ITEM(), cursor->prefetched);
}

/* Returns the exclusive prefix of a tile, in every work-item. Call scanrt_lookback_prefetch for the tile first. */
FUNC scanrt_value_t scanrt_lookback_prefix(const scanrt_job *job, const scanrt_lookback_state *lookback,
                                           scanrt_u32 tile, scanrt_lookback_cursor *cursor,
                                           LOCAL scanrt_tile_scratch *s, scanrt_u32 flags, scanrt_u32 spin_limit) {
  const scanrt_u32 group = tile / GROUP_TILES, before = tile % GROUP_TILES;
  for (;;) {
    const scanrt_u32 other = group * GROUP_TILES + ITEM();
    scanrt_value_t leaf = IDENTITY;
    if (ITEM() < before && !scanrt_descriptor_decode(cursor->prefetched, &leaf, lookback->epoch) &&
        !scanrt_descriptor_wait(lookback, lookback->tiles, other, &leaf, spin_limit))
      ATOMIC_MIN_LOCAL(&s->missing_tile, other);
    scanrt_tree_fold(leaf, s);
    scanrt_groups_fold(lookback, group, cursor, s, spin_limit);
    BARRIER();
    const scanrt_u32 missing_tile = s->missing_tile, missing_group = s->missing_group;
    const scanrt_value_t groups = s->groups, prefix = scanrt_combine(groups, scanrt_tree_total(s));
    if (missing_tile == NOTHING_MISSING && missing_group == NOTHING_MISSING) return prefix;
    BARRIER();
    scanrt_lookback_clear_missing(s);
    BARRIER();
    if (missing_group != NOTHING_MISSING && !scanrt_group_publish(job, lookback, missing_group, s, flags, spin_limit))
      return prefix;
    if (missing_tile != NOTHING_MISSING && !scanrt_tile_recompute(job, lookback, missing_tile, s, flags)) return prefix;
    BARRIER();
  }
}
#endif
