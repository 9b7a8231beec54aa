/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back by a work-group: the aggregates of the tile's group are read all at once by 128 work-items, the totals of
 * groups not yet folded by the work-items from FOLD_FIRST on. A wait that reaches its bound names what is missing; the
 * whole work-group then reduces that tile itself (fallback), which is right only while nobody overwrites the input. */
#ifndef SCANRT_CL_LOOKBACK_GROUP_H
#define SCANRT_CL_LOOKBACK_GROUP_H

#include "descriptor.h"
#include "scan_tile.h"

typedef struct look_state {
  value_t groups; /* the seed and the first `folded` groups; kept by the folding work-items */
  scan_u32 folded;
  descriptor_word asked[DESCRIPTOR_WORDS]; /* the answer to look_ask */
} look_state;

FUNC void look_start(look_state *look, value_t seed) {
  look->groups = seed;
  look->folded = 0;
}

#define FOLD_FIRST (SCAN_GROUP_ITEMS > GROUP_TILES ? GROUP_TILES : 0)

FUNC void look_init(LOCAL tile_scratch *s) {
  if (ITEM() != 0) return;
  s->missing_tile = NOTHING_MISSING;
  s->missing_group = NOTHING_MISSING;
}

/* Reduces a tile on behalf of its owner and publishes the same bits. Returns 0 where the input may be overwritten. */
FUNC scan_u32 tile_rescue(const scan_job *job, const scan_board *b, scan_u32 tile, LOCAL tile_scratch *s,
                          scan_u32 flags) {
  if (flags & FLAG_IN_PLACE) {
    if (ITEM() == 0) ATOMIC_STORE(b->control + CONTROL_ERROR, 1u);
    return 0;
  }
  const value_t aggregate = tile_total(job, tile, s);
  if (ITEM() == 0) descriptor_put(b->tiles, tile, aggregate, b->epoch);
  BARRIER();
  return 1;
}

/* Publishes the total of a group of 128 tiles. Returns 0 where one of them is missing and the input may be overwritten.
 */
FUNC scan_u32 group_publish(const scan_job *job, const scan_board *b, scan_u32 group, LOCAL tile_scratch *s,
                            scan_u32 flags, scan_u32 spin_limit) {
  for (;;) {
    const scan_u32 tile = group * GROUP_TILES + ITEM();
    value_t leaf = IDENTITY;
    if (ITEM() < GROUP_TILES && !descriptor_wait(b, b->tiles, tile, &leaf, spin_limit))
      ATOMIC_MIN_LOCAL(&s->missing_tile, tile);
    tree_fold(leaf, s);
    BARRIER();
    const scan_u32 missing = s->missing_tile;
    const value_t total = tree_total(s);
    BARRIER();
    if (missing == NOTHING_MISSING) {
      if (ITEM() == 0) descriptor_put(b->groups, group, total, b->epoch);
      return 1;
    }
    look_init(s);
    BARRIER();
    if (!tile_rescue(job, b, missing, s, flags)) return 0;
  }
}

/* Folds the totals of the groups before `group`, left to right. */
#if SCAN_SHUFFLE
FUNC void groups_fold(const scan_board *b, scan_u32 group, look_state *look, LOCAL tile_scratch *s,
                      scan_u32 spin_limit) {
  const scan_u32 lane = ITEM() % 32;
  if (ITEM() / 32 != FOLD_FIRST / 32) return;
  while (look->folded < group) {
    const scan_u32 count = group - look->folded < 32 ? group - look->folded : 32;
    value_t total = IDENTITY;
    scan_u32 there = lane >= count || descriptor_wait(b, b->groups, look->folded + lane, &total, spin_limit);
    for (scan_u32 q = 0; q < count; q++) {
      if (!shuffle_from_u32(there, q)) {
        if (lane == 0) s->missing_group = look->folded;
        return;
      }
      look->groups = combine(look->groups, shuffle_from(total, q));
      look->folded++;
    }
  }
  if (lane == 0) s->groups = look->groups;
}
#else
FUNC void groups_fold(const scan_board *b, scan_u32 group, look_state *look, LOCAL tile_scratch *s,
                      scan_u32 spin_limit) {
  if (ITEM() != FOLD_FIRST) return;
  for (; look->folded < group; look->folded++) {
    value_t total;
    if (!descriptor_wait(b, b->groups, look->folded, &total, spin_limit)) {
      s->missing_group = look->folded;
      return;
    }
    look->groups = combine(look->groups, total);
  }
  s->groups = look->groups;
}
#endif

/* Asks for the work-item's descriptor of the tile's group, for look_back to find the answer there. */
FUNC void look_ask(const scan_board *b, scan_u32 tile, look_state *look) {
  if (ITEM() < tile % GROUP_TILES) descriptor_ask(b->tiles, tile / GROUP_TILES * GROUP_TILES + ITEM(), look->asked);
}

/* The exclusive prefix of a tile for which look_ask has been called, in every work-item. */
FUNC value_t look_back(const scan_job *job, const scan_board *b, scan_u32 tile, look_state *look, LOCAL tile_scratch *s,
                       scan_u32 flags, scan_u32 spin_limit) {
  const scan_u32 group = tile / GROUP_TILES, before = tile % GROUP_TILES;
  for (;;) {
    const scan_u32 other = group * GROUP_TILES + ITEM();
    value_t leaf = IDENTITY;
    if (ITEM() < before && !descriptor_decode(look->asked, &leaf, b->epoch) &&
        !descriptor_wait(b, b->tiles, other, &leaf, spin_limit))
      ATOMIC_MIN_LOCAL(&s->missing_tile, other);
    tree_fold(leaf, s);
    groups_fold(b, group, look, s, spin_limit);
    BARRIER();
    const scan_u32 missing_tile = s->missing_tile, missing_group = s->missing_group;
    const value_t groups = s->groups, prefix = combine(groups, tree_total(s));
    if (missing_tile == NOTHING_MISSING && missing_group == NOTHING_MISSING) return prefix;
    BARRIER();
    look_init(s);
    BARRIER();
    if (missing_group != NOTHING_MISSING && !group_publish(job, b, missing_group, s, flags, spin_limit)) return prefix;
    if (missing_tile != NOTHING_MISSING && !tile_rescue(job, b, missing_tile, s, flags)) return prefix;
    BARRIER();
  }
}
#endif
