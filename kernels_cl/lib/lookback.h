/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back by a work-group, for values of any kind. The work-items read the descriptors of the tile's group at once
 * and fold them; those from FOLD_FIRST on fold the totals of the groups that are not yet folded. A wait that reaches
 * its bound notes the missing tile or group. The whole work-group then computes that tile itself, which is valid only
 * while the input is not overwritten, or else gives up.
 *
 * scanrt/device/lookback.h, for users' kernels, has the same words of descriptors and the same end of a wait
 * (scanrt/device/words.h). The rest differs. Here groups are folded from left to right, which is the canonical order,
 * and a work-group that takes several tiles keeps that fold; there blocks of groups are folded, too, in the order of
 * group.h. Here one 64-bit atomic claims a tile and reads the epoch, missing tiles are computed anew, and tiles are
 * counted.
 *
 * Include it after descriptor.h or descriptor_count.h and after these names, which say what the values are:
 * scanrt_lookback_job: what computes tiles
 * scanrt_lookback_scratch: local memory; has `groups`, a scanrt_lookback_sum, and `missing_tile` and `missing_group`
 * scanrt_lookback_sum: what precedes a tile
 * LOOKBACK_NONE: the value of a tile that does not exist
 * LOOKBACK_COMBINE(sum, value): a value added to a sum
 * LOOKBACK_FROM(value, lane): the value of another work-item of the same 32, if SCAN_SHUFFLE is not 0
 * LOOKBACK_COUNTS (0, 1): values are counts, whose sum does not depend on their order
 * LEAVES_FOLD(value, s), LEAVES_TOTAL(s): the fold of the work-items' values, in two steps with a barrier between them
 * scanrt_tile_total(job, tile, s): the value of a tile, from memory, in every work-item */
#ifndef SCANRT_CL_LOOKBACK_H
#define SCANRT_CL_LOOKBACK_H

#define NOTHING_MISSING 0xffffffffu
#define FOLD_FIRST (SCAN_GROUP_ITEMS > GROUP_TILES ? GROUP_TILES : 0)
#define LEAVES ((GROUP_TILES + SCAN_GROUP_ITEMS - 1) / SCAN_GROUP_ITEMS) /* tiles of a group for each work-item */
#if GROUP_TILES > SCAN_GROUP_ITEMS && !LOOKBACK_COUNTS
#error "a work-item folds several tiles in another order"
#endif

/* Unrolls loops over a work-item's tiles; not on PoCL, which takes minutes to compile them unrolled. */
#if defined(POCL_DEVICE_ADDRESS_BITS)
#define LEAVES_UNROLL NO_UNROLL
#else
#define LEAVES_UNROLL UNROLL
#endif

typedef struct scanrt_lookback_cursor {
  scanrt_lookback_sum groups; /* the seed and the first `folded` groups, in the folding work-items */
  scanrt_u32 folded;
  scanrt_descriptor_word prefetched[LEAVES * DESCRIPTOR_WORDS]; /* loaded by scanrt_lookback_prefetch */
} scanrt_lookback_cursor;

FUNC void scanrt_lookback_init(scanrt_lookback_cursor *cursor, scanrt_lookback_sum seed) {
  cursor->groups = seed;
  cursor->folded = 0;
}

FUNC void scanrt_lookback_clear_missing(LOCAL scanrt_lookback_scratch *s) {
  if (ITEM() != 0) return;
  s->missing_tile = NOTHING_MISSING;
  s->missing_group = NOTHING_MISSING;
}

/* Computes a tile for its owner and publishes the same bits. Returns 0 if the input may be overwritten. */
FUNC scanrt_u32 scanrt_tile_recompute(const scanrt_lookback_job *job, const scanrt_lookback_state *lookback,
                                      scanrt_u32 tile, LOCAL scanrt_lookback_scratch *s) {
  if (!lookback->recomputes) {
    if (ITEM() == 0) scanrt_lookback_give_up(lookback);
    return 0;
  }
  const scanrt_lookback_value total = scanrt_tile_total(job, tile, s);
  if (ITEM() == 0) scanrt_descriptor_put(lookback->tiles, tile, total, lookback->epoch);
  BARRIER();
  return 1;
}

/* Waits for the work-item's tiles among the first `count` of a group. Returns their fold, and sets s->missing_tile if
 * one does not arrive. `words` are what scanrt_lookback_prefetch has loaded, or 0. */
FUNC scanrt_lookback_value scanrt_leaves_await(const scanrt_lookback_state *lookback, scanrt_u32 group,
                                               scanrt_u32 count, const scanrt_descriptor_word *words,
                                               LOCAL scanrt_lookback_scratch *s) {
  scanrt_lookback_value own = LOOKBACK_NONE;
  LEAVES_UNROLL
  for (scanrt_u32 k = 0; k < LEAVES; k++) {
    const scanrt_u32 q = k * SCAN_GROUP_ITEMS + ITEM(), tile = group * GROUP_TILES + q;
    scanrt_lookback_value leaf = LOOKBACK_NONE;
    if (q < count && !(words && scanrt_descriptor_decode(words + k * DESCRIPTOR_WORDS, &leaf, lookback->epoch)) &&
        !scanrt_descriptor_wait(lookback, lookback->tiles, tile, &leaf)) {
      ATOMIC_MIN_LOCAL(&s->missing_tile, tile);
#if LOOKBACK_COUNTS
      leaf = 0; /* after giving up, the output is written by a sum that is not too large */
#endif
    }
#if LOOKBACK_COUNTS
    own += leaf;
#else
    own = leaf;
#endif
  }
  return own;
}

/* Publishes the total of a group of 128 tiles. Returns 0 if a tile is missing and the input may be overwritten. */
FUNC scanrt_u32 scanrt_group_publish(const scanrt_lookback_job *job, const scanrt_lookback_state *lookback,
                                     scanrt_u32 group, LOCAL scanrt_lookback_scratch *s) {
  for (;;) {
    LEAVES_FOLD(scanrt_leaves_await(lookback, group, GROUP_TILES, 0, s), s);
    BARRIER();
    const scanrt_u32 missing = s->missing_tile;
    const scanrt_lookback_value total = LEAVES_TOTAL(s);
    BARRIER();
    if (missing == NOTHING_MISSING) {
      if (ITEM() == 0) scanrt_descriptor_put(lookback->groups, group, total, lookback->epoch);
      return 1;
    }
    scanrt_lookback_clear_missing(s);
    BARRIER();
    if (!scanrt_tile_recompute(job, lookback, missing, s)) return 0;
  }
}

/* Folds the totals of the groups before `group`, left to right. Sets s->missing_group if one does not arrive. */
#if SCAN_SHUFFLE
FUNC void scanrt_groups_fold(const scanrt_lookback_state *lookback, scanrt_u32 group, scanrt_lookback_cursor *cursor,
                             LOCAL scanrt_lookback_scratch *s) {
  const scanrt_u32 lane = ITEM() % 32;
  if (ITEM() / 32 != FOLD_FIRST / 32) return;
  while (cursor->folded < group) {
    const scanrt_u32 count = group - cursor->folded < 32 ? group - cursor->folded : 32;
    scanrt_lookback_value total = LOOKBACK_NONE;
    scanrt_u32 there =
        lane >= count || scanrt_descriptor_wait(lookback, lookback->groups, cursor->folded + lane, &total);
#if LOOKBACK_COUNTS
    if (scanrt_warp_sum(!there) == 0) {
      cursor->groups += scanrt_warp_sum(total);
      cursor->folded += count;
      continue;
    }
#endif
    for (scanrt_u32 q = 0; q < count; q++) {
      if (!scanrt_shuffle_from_u32(there, q)) {
        if (lane == 0) s->missing_group = cursor->folded;
        return;
      }
      cursor->groups = LOOKBACK_COMBINE(cursor->groups, LOOKBACK_FROM(total, q));
      cursor->folded++;
    }
  }
  if (lane == 0) s->groups = cursor->groups;
}
#else
FUNC void scanrt_groups_fold(const scanrt_lookback_state *lookback, scanrt_u32 group, scanrt_lookback_cursor *cursor,
                             LOCAL scanrt_lookback_scratch *s) {
  if (ITEM() != FOLD_FIRST) return;
  for (; cursor->folded < group; cursor->folded++) {
    scanrt_lookback_value total;
    if (!scanrt_descriptor_wait(lookback, lookback->groups, cursor->folded, &total)) {
      s->missing_group = cursor->folded;
      return;
    }
    cursor->groups = LOOKBACK_COMBINE(cursor->groups, total);
  }
  s->groups = cursor->groups;
}
#endif

/* Starts the loads of the work-item's descriptors of the tile's group, which scanrt_lookback_prefix reads. */
FUNC void scanrt_lookback_prefetch(const scanrt_lookback_state *lookback, scanrt_u32 tile,
                                   scanrt_lookback_cursor *cursor) {
  LEAVES_UNROLL
  for (scanrt_u32 k = 0; k < LEAVES; k++) {
    const scanrt_u32 q = k * SCAN_GROUP_ITEMS + ITEM();
    if (q < tile % GROUP_TILES)
      scanrt_descriptor_load(lookback->tiles, tile / GROUP_TILES * GROUP_TILES + q,
                             cursor->prefetched + k * DESCRIPTOR_WORDS);
  }
}

/* Returns the exclusive prefix of a tile, in every work-item. Call scanrt_lookback_prefetch for the tile first. */
FUNC scanrt_lookback_sum scanrt_lookback_prefix(const scanrt_lookback_job *job, const scanrt_lookback_state *lookback,
                                                scanrt_u32 tile, scanrt_lookback_cursor *cursor,
                                                LOCAL scanrt_lookback_scratch *s) {
  const scanrt_u32 group = tile / GROUP_TILES;
  for (;;) {
    LEAVES_FOLD(scanrt_leaves_await(lookback, group, tile % GROUP_TILES, cursor->prefetched, s), s);
    scanrt_groups_fold(lookback, group, cursor, s);
    BARRIER();
    const scanrt_u32 missing_tile = s->missing_tile, missing_group = s->missing_group;
    const scanrt_lookback_sum groups = s->groups, prefix = LOOKBACK_COMBINE(groups, LEAVES_TOTAL(s));
    if (missing_tile == NOTHING_MISSING && missing_group == NOTHING_MISSING) return prefix;
    BARRIER();
    scanrt_lookback_clear_missing(s);
    BARRIER();
    if (missing_group != NOTHING_MISSING && !scanrt_group_publish(job, lookback, missing_group, s)) return prefix;
    if (missing_tile != NOTHING_MISSING && !scanrt_tile_recompute(job, lookback, missing_tile, s)) return prefix;
    BARRIER();
  }
}
#endif
