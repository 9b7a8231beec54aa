/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back for the number of kept elements before a tile: counts of tiles, and sums of 128 of them, are 64-bit words
 * that carry the launch's epoch (claim_packed.h). A wait that reaches its bound notes the missing tile or group; the
 * whole work-group then counts that tile itself, or gives up if the input may be overwritten. Included by
 * select_lookback.h. */
#ifndef SCANRT_CL_SELECT_LOOKBACK_BOARD_H
#define SCANRT_CL_SELECT_LOOKBACK_BOARD_H

#define NOTHING_MISSING 0xffffffffu
#define LEAVES ((GROUP_TILES + SCAN_GROUP_ITEMS - 1) / SCAN_GROUP_ITEMS) /* tiles of a group for each work-item */
#define FOLD_FIRST (SCAN_GROUP_ITEMS > GROUP_TILES ? GROUP_TILES : 0)

typedef struct scanrt_select_look {
  scanrt_u64 groups; /* kept elements of the first `folded` groups, in the folding work-items */
  scanrt_u32 folded;
  scanrt_u64 asked[LEAVES];
} scanrt_select_look;

FUNC void scanrt_look_start(scanrt_select_look *look) {
  look->groups = 0;
  look->folded = 0;
}

FUNC void scanrt_look_init(LOCAL scanrt_select_scratch *s) {
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
    if ((scanrt_u32)(x >> 32) == job->board.epoch) return 1;
    if (polls >= job->spin_limit) break;
    if (polls % 1024 == 0 && ATOMIC_LOAD(job->board.control + CONTROL_ERROR)) break;
  }
  *count = 0;
  return 0;
}

/* Counts a tile for its owner and publishes the count. Returns 0 if the input may be overwritten. */
FUNC scanrt_u32 scanrt_tile_rescue(const scanrt_select_job *job, scanrt_u32 tile, LOCAL scanrt_select_scratch *s) {
  const scanrt_u32 items = scanrt_tile_items(job, tile);
  scanrt_u32 own = 0;
  if (FALLBACK(job->flags & SELECT_OVER ? FLAG_IN_PLACE : 0) & FLAG_IN_PLACE) {
    if (ITEM() == 0) ATOMIC_STORE(job->board.control + CONTROL_ERROR, 1u);
    return 0;
  }
  NO_UNROLL
  for (scanrt_u32 e = ITEM(); e < items; e += SCAN_GROUP_ITEMS)
    own += scanrt_keep_one(job, scanrt_tile_first(tile) + e);
  const scanrt_u32 count = scanrt_group_sum(own, s->sums);
  if (ITEM() == 0) scanrt_count_put(job->board.tiles + tile, count, job->board.epoch);
  BARRIER();
  return 1;
}

/* Publishes the sum of a group. Returns 0 if one of its tiles is missing and the input may be overwritten. */
FUNC scanrt_u32 scanrt_group_publish(const scanrt_select_job *job, scanrt_u32 group, LOCAL scanrt_select_scratch *s) {
  for (;;) {
    scanrt_u32 own = 0;
    for (scanrt_u32 q = ITEM(); q < GROUP_TILES; q += SCAN_GROUP_ITEMS) {
      scanrt_u32 count;
      if (!scanrt_count_wait(job, job->board.tiles + group * GROUP_TILES + q, &count))
        ATOMIC_MIN_LOCAL(&s->missing_tile, group * GROUP_TILES + q);
      own += count;
    }
    const scanrt_u32 sum = scanrt_group_sum(own, s->sums), missing = s->missing_tile;
    BARRIER();
    if (missing == NOTHING_MISSING) {
      if (ITEM() == 0) scanrt_count_put(job->board.groups + group, sum, job->board.epoch);
      return 1;
    }
    scanrt_look_init(s);
    BARRIER();
    if (!scanrt_tile_rescue(job, missing, s)) return 0;
  }
}

/* Adds up the groups before `group`. Sets s->missing_group if one does not arrive. */
#if SCAN_SHUFFLE
FUNC void scanrt_groups_fold(const scanrt_select_job *job, scanrt_u32 group, scanrt_select_look *look,
                             LOCAL scanrt_select_scratch *s) {
  const scanrt_u32 lane = ITEM() % 32;
  if (ITEM() / 32 != FOLD_FIRST / 32) return;
  while (look->folded < group) {
    const scanrt_u32 here = group - look->folded < 32 ? group - look->folded : 32;
    scanrt_u32 sum = 0;
    const scanrt_u32 lacks = lane < here && !scanrt_count_wait(job, job->board.groups + look->folded + lane, &sum);
    if (lacks) ATOMIC_MIN_LOCAL(&s->missing_group, look->folded + lane);
    if (scanrt_warp_sum(lacks) != 0) return;
    look->groups += scanrt_warp_sum(sum);
    look->folded += here;
  }
  if (lane == 0) s->groups = look->groups;
}
#else
FUNC void scanrt_groups_fold(const scanrt_select_job *job, scanrt_u32 group, scanrt_select_look *look,
                             LOCAL scanrt_select_scratch *s) {
  if (ITEM() != FOLD_FIRST) return;
  for (; look->folded < group; look->folded++) {
    scanrt_u32 sum;
    if (!scanrt_count_wait(job, job->board.groups + look->folded, &sum)) {
      s->missing_group = look->folded;
      return;
    }
    look->groups += sum;
  }
  s->groups = look->groups;
}
#endif

/* Starts the loads of the work-item's words of the tile's group, which scanrt_look_back reads. */
FUNC void scanrt_look_ask(const scanrt_select_job *job, scanrt_u32 tile, scanrt_select_look *look) {
  ROWS_UNROLL
  for (scanrt_u32 k = 0; k < LEAVES; k++) {
    const scanrt_u32 q = k * SCAN_GROUP_ITEMS + ITEM();
    if (q < tile % GROUP_TILES)
      look->asked[k] = scanrt_word_load(job->board.tiles + tile / GROUP_TILES * GROUP_TILES + q);
  }
}

/* Returns the sum over the work-item's tiles of the group. Sets s->missing_tile if one does not arrive. */
FUNC scanrt_u32 scanrt_leaves_sum(const scanrt_select_job *job, scanrt_u32 tile, const scanrt_select_look *look,
                                  LOCAL scanrt_select_scratch *s) {
  scanrt_u32 own = 0;
  ROWS_UNROLL
  for (scanrt_u32 k = 0; k < LEAVES; k++) {
    const scanrt_u32 q = k * SCAN_GROUP_ITEMS + ITEM(), other = tile / GROUP_TILES * GROUP_TILES + q;
    scanrt_u32 count = (scanrt_u32)look->asked[k];
    if (q >= tile % GROUP_TILES) continue;
    if ((scanrt_u32)(look->asked[k] >> 32) != job->board.epoch &&
        !scanrt_count_wait(job, job->board.tiles + other, &count))
      ATOMIC_MIN_LOCAL(&s->missing_tile, other);
    own += count;
  }
  return own;
}

/* Returns the number of kept elements before a tile, in every work-item. Call scanrt_look_ask for the tile first. */
FUNC scanrt_u64 scanrt_look_back(const scanrt_select_job *job, scanrt_u32 tile, scanrt_select_look *look,
                                 LOCAL scanrt_select_scratch *s) {
  for (;;) {
    const scanrt_u32 own = scanrt_leaves_sum(job, tile, look, s);
    scanrt_groups_fold(job, tile / GROUP_TILES, look, s);
    const scanrt_u64 sum = scanrt_group_sum(own, s->sums), prefix = s->groups + sum;
    const scanrt_u32 missing_tile = s->missing_tile, missing_group = s->missing_group;
    if (missing_tile == NOTHING_MISSING && missing_group == NOTHING_MISSING) return prefix;
    BARRIER();
    scanrt_look_init(s);
    BARRIER();
    if (missing_group != NOTHING_MISSING && !scanrt_group_publish(job, missing_group, s)) return prefix;
    if (missing_tile != NOTHING_MISSING && !scanrt_tile_rescue(job, missing_tile, s)) return prefix;
    BARRIER();
  }
}
#endif
