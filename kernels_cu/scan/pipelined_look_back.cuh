/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back by one warp of the pipelined scan: it loads the aggregates of the tile's group all at once, four a lane. If
 * a wait reaches its bound, the warp reduces the tile itself, which is valid only while the input is not overwritten.
 * Included by pipelined.cuh. */
#ifndef SCANRT_PIPELINED_LOOK_BACK_CUH
#define SCANRT_PIPELINED_LOOK_BACK_CUH

/* Returns the total of a sub-tile, which n may cut, in every lane: from the input itself, with few registers. */
FUNC scanrt_value_t scanrt_subtile_reduce_part(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 q) {
  scanrt_value_t sub = IDENTITY;
  NO_UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++)
    sub = scanrt_combine(
        sub,
        scanrt_shuffle_from(
            scanrt_row_total(scanrt_vector_fold(scanrt_vector_load_guarded(&p.job, scanrt_row_first(tile, q, r))), 0),
            0));
  return sub;
}

/* Reduces and publishes a tile whose owner does not publish it. Returns its aggregate in every lane. */
FUNC scanrt_value_t scanrt_warp_recompute(const scanrt_pipe &p, scanrt_u32 tile) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_value_t all = IDENTITY;
  NO_UNROLL
  for (scanrt_u32 q = 0; q < SCAN_SUBTILES; q++) all = scanrt_combine(all, scanrt_subtile_reduce_part(p, tile, q));
  if (lane == 0) scanrt_descriptor_put(p.lookback.tiles, tile, all, p.lookback.epoch);
  return all;
}

/* Returns 1, in every lane, if every lane's `missing` is 0. */
FUNC scanrt_u32 scanrt_nothing_missing(scanrt_u32 missing) { return __all_sync(~0u, missing == 0); }

/* Returns the fold of the first `count` tiles of a group by the tree, in every lane. Lane l loads the leaves l, l + 32,
 * l + 64 and l + 96, all before it tests the first: one round trip. */
FUNC scanrt_value_t scanrt_warp_tiles(const scanrt_pipe &p, scanrt_u32 group, scanrt_u32 count) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_value_t leaf[PIPE_LEAVES];
  scanrt_u32 missing = 0, polls = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < PIPE_LEAVES; k++) {
    leaf[k] = IDENTITY;
    if (k * 32 + lane < count) missing |= 1u << k;
  }
  volatile scanrt_u64 *const words = p.lookback.tiles + (scanrt_u64)group * GROUP_TILES * DESCRIPTOR_WORDS;
  do {
    scanrt_value_t x[PIPE_LEAVES];
    scanrt_u32 fresh = 0;
#if SCAN_TYPE == 0 /* compilers would test each answer before the next load */
    scanrt_descriptor_word asked[PIPE_LEAVES][DESCRIPTOR_WORDS];
    UNROLL
    for (scanrt_u32 k = 0; k < PIPE_LEAVES; k++)
      if (missing >> k & 1u) scanrt_descriptor_load(words, k * 32 + lane, asked[k]);
    UNROLL
    for (scanrt_u32 k = 0; k < PIPE_LEAVES; k++)
      if (missing >> k & 1u) fresh |= scanrt_descriptor_decode(asked[k], &x[k], p.lookback.epoch) << k;
#else
    UNROLL
    for (scanrt_u32 k = 0; k < PIPE_LEAVES; k++)
      if (missing >> k & 1u) fresh |= scanrt_descriptor_get(words, k * 32 + lane, &x[k], p.lookback.epoch) << k;
#endif
    UNROLL
    for (scanrt_u32 k = 0; k < PIPE_LEAVES; k++) leaf[k] = VALUE_SELECT(fresh >> k & 1u, x[k], leaf[k]);
    missing &= ~fresh;
  } while (!scanrt_nothing_missing(missing) && ++polls < p.lookback.spin_limit);
  if (polls >= p.lookback.spin_limit) {
    if (!p.lookback.recomputes) {
      scanrt_lookback_give_up(&p.lookback);
      missing = 0;
    }
    for (scanrt_u32 k = 0; k < PIPE_LEAVES; k++)
      for (scanrt_u32 owner = 0; owner < 32; owner++)
        if (scanrt_shuffle_from_u32(missing >> k & 1u, owner)) {
          const scanrt_value_t x = scanrt_warp_recompute(p, group * GROUP_TILES + k * 32 + owner);
          UNROLL
          for (scanrt_u32 j = 0; j < PIPE_LEAVES; j++) leaf[j] = VALUE_SELECT(j == k && lane == owner, x, leaf[j]);
        }
  }
  return scanrt_leaves_fold(leaf, count);
}

#if SCAN_TYPE == 0
/* Folds the totals of the groups before `group`; 32 of them are loaded at once. Returns the first group whose total
 * does not arrive, or `group` if all have. */
FUNC scanrt_u32 scanrt_warp_groups(const scanrt_pipe &p, scanrt_u32 group, scanrt_lookback_cursor &cursor) {
  const scanrt_u32 lane = ITEM() % 32;
  while (cursor.folded < group) {
    const scanrt_u32 count = group - cursor.folded < 32 ? group - cursor.folded : 32;
    scanrt_value_t total = IDENTITY;
    const scanrt_u32 missing = WARP_BALLOT(
        lane < count && !scanrt_descriptor_wait(&p.lookback, p.lookback.groups, cursor.folded + lane, &total));
    if (missing) return cursor.folded + LAST_BIT(missing & (0u - missing));
    for (scanrt_u32 q = 0; q < count; q++) cursor.groups = scanrt_combine(cursor.groups, scanrt_shuffle_from(total, q));
    cursor.folded += count;
  }
  return group;
}
#else
FUNC void scanrt_warp_publish_group(const scanrt_pipe &p, scanrt_u32 group) {
  const scanrt_value_t total = scanrt_warp_tiles(p, group, GROUP_TILES);
  if (ITEM() % 32 == 0) scanrt_descriptor_put(p.lookback.groups, group, total, p.lookback.epoch);
  __syncwarp();
}

/* Folds the totals of the groups before `group`; 32 of them are loaded at once. */
FUNC void scanrt_warp_groups(const scanrt_pipe &p, scanrt_u32 group, scanrt_lookback_cursor &cursor) {
  const scanrt_u32 lane = ITEM() % 32;
  while (cursor.folded < group) {
    const scanrt_u32 count = group - cursor.folded < 32 ? group - cursor.folded : 32;
    scanrt_value_t total = IDENTITY;
    scanrt_u32 missing =
        lane < count && !scanrt_descriptor_wait(&p.lookback, p.lookback.groups, cursor.folded + lane, &total);
    if (!scanrt_nothing_missing(missing)) {
      for (scanrt_u32 q = 0; q < count; q++)
        if (scanrt_shuffle_from_u32(missing, q)) scanrt_warp_publish_group(p, cursor.folded + q);
      if (missing && !scanrt_descriptor_get(p.lookback.groups, cursor.folded + lane, &total, p.lookback.epoch))
        scanrt_lookback_give_up(&p.lookback);
    }
    for (scanrt_u32 q = 0; q < count; q++) cursor.groups = scanrt_combine(cursor.groups, scanrt_shuffle_from(total, q));
    cursor.folded += count;
  }
}
#endif
#endif
