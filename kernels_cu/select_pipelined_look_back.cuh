/* SPDX-License-Identifier: BSD-2-Clause */
/* How many elements are kept before a tile: counts of tiles, and sums of 128 of them, are words of 64 bits that carry
 * the launch's epoch. A wait that reaches its bound ends with the tile counted here, or, where the input may be gone,
 * with CONTROL_ERROR. Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_LOOK_BACK_CUH
#define SCANRT_SELECT_PIPELINED_LOOK_BACK_CUH

#define LEAVES (GROUP_TILES / 32)

/* Counts a tile whose owner does not, publishes that, and returns it to every lane. */
FUNC scanrt_u32 scanrt_warp_rescue(const scanrt_pipe &p, scanrt_u32 tile KEEP_PARAMETER) {
  const scanrt_u32 items = scanrt_tile_items(p, tile);
  scanrt_u32 count = 0;
  if (FALLBACK(p.flags & SELECT_OVER ? FLAG_IN_PLACE : 0) & FLAG_IN_PLACE) {
    ATOMIC_STORE(p.board.control + CONTROL_ERROR, 1u);
    return 0;
  }
  NO_UNROLL
  for (scanrt_u32 e = ITEM() % 32; e < items; e += 32)
    count += scanrt_keep_one(p, scanrt_tile_first(p, tile) + e PREDICATE_PARAMETER);
  count = scanrt_warp_sum(count);
  if (ITEM() % 32 == 0) scanrt_word_store(p.board.tiles + tile, scanrt_word_of(count, p.board.epoch));
  return count;
}

/* The sum over the first `count` tiles of a group, in every lane. Lane l asks for tiles l, l + 32, l + 64 and l + 96,
 * all before the first is looked at. */
FUNC scanrt_u32 scanrt_warp_tiles(const scanrt_pipe &p, scanrt_u32 group, scanrt_u32 count KEEP_PARAMETER) {
  const scanrt_u32 lane = ITEM() % 32;
  volatile scanrt_u64 *const words = p.board.tiles + (scanrt_u64)group * GROUP_TILES + lane;
  scanrt_u32 leaf[LEAVES], missing = 0, sum = 0, polls = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < LEAVES; k++) {
    leaf[k] = 0;
    if (k * 32 + lane < count) missing |= 1u << k;
  }
  do {
    scanrt_u64 word[LEAVES];
    UNROLL
    for (scanrt_u32 k = 0; k < LEAVES; k++)
      if (missing >> k & 1u) word[k] = scanrt_word_load(words + k * 32);
    UNROLL
    for (scanrt_u32 k = 0; k < LEAVES; k++)
      if (missing >> k & 1u && (scanrt_u32)(word[k] >> 32) == p.board.epoch) {
        leaf[k] = (scanrt_u32)word[k];
        missing &= ~(1u << k);
      }
  } while (!__all_sync(~0u, missing == 0) && ++polls < p.spin_limit);
  UNROLL
  for (scanrt_u32 k = 0; k < LEAVES; k++) sum += leaf[k];
  sum = scanrt_warp_sum(sum);
  if (polls >= p.spin_limit)
    for (scanrt_u32 k = 0; k < LEAVES; k++)
      for (scanrt_u32 owner = 0; owner < 32; owner++)
        if (scanrt_shuffle_from_u32(missing >> k & 1u, owner))
          sum += scanrt_warp_rescue(p, group * GROUP_TILES + k * 32 + owner PREDICATE_PARAMETER);
  return sum;
}

FUNC scanrt_u32 scanrt_warp_publish_group(const scanrt_pipe &p, scanrt_u32 group KEEP_PARAMETER) {
  const scanrt_u32 sum = scanrt_warp_tiles(p, group, GROUP_TILES PREDICATE_PARAMETER);
  if (ITEM() % 32 == 0) scanrt_word_store(p.board.groups + group, scanrt_word_of(sum, p.board.epoch));
  return sum;
}

/* The sums of the groups from `first` to `last`, not with it; 32 are asked for at once. */
FUNC scanrt_u64 scanrt_warp_groups(const scanrt_pipe &p, scanrt_u32 first, scanrt_u32 last KEEP_PARAMETER) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_u64 sum = 0;
  for (; first < last; first += 32) {
    scanrt_u32 missing = first + lane < last, polls = 0, total = 0;
    do {
      const scanrt_u64 word = missing ? scanrt_word_load(p.board.groups + first + lane) : 0;
      if (missing && (scanrt_u32)(word >> 32) == p.board.epoch) total = (scanrt_u32)word, missing = 0;
    } while (!__all_sync(~0u, missing == 0) && ++polls < p.spin_limit);
    sum += scanrt_warp_sum(total);
    if (polls >= p.spin_limit)
      for (scanrt_u32 owner = 0; owner < 32; owner++)
        if (scanrt_shuffle_from_u32(missing, owner))
          sum += scanrt_warp_publish_group(p, first + owner PREDICATE_PARAMETER);
  }
  return sum;
}

/* Writes how many elements are kept before each SELECT_TILE_ITEMS of all that begin in the tile, and behind the last
 * tile how many in all. */
FUNC void scanrt_places_put(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u64 prefix) {
  const scanrt_u32 lane = ITEM() % 32, items = scanrt_tile_items(p, tile);
  const scanrt_u64 first = scanrt_tile_first(p, tile) + lane * PART_ITEMS;
  scanrt_u64 before = prefix;
  for (scanrt_u32 q = 0; q < PIPE_COMPACTORS; q++)
    if (q < lane) before += p.shared->part[at.stage][q];
  if (lane * PART_ITEMS < items && first % SELECT_TILE_ITEMS == 0) p.places[first / SELECT_TILE_ITEMS] = before;
  if (tile + 1 == p.tiles && lane == 0) p.places[SELECT_TILES(p.n)] = prefix + p.shared->count[at.stage];
}

/* One of the look-back warps. It begins when the tile's own count is there: asking earlier is polling. */
FUNC void scanrt_role_look_back(const scanrt_pipe &p, scanrt_u32 turn KEEP_PARAMETER) {
  scanrt_pipe_place at = { 0, 0 };
  scanrt_u64 before = 0;
  scanrt_u32 group = 0; /* `before` has the groups up to it */
  scanrt_place_next(p, at, turn);
  for (;; scanrt_place_next(p, at, PIPE_LOOK_BACKS)) {
    const scanrt_u32 tile = scanrt_stage_tile(p, at);
    if (tile >= p.tiles) return;
    scanrt_mbarrier_wait(&p.shared->compacted[at.stage], at.phase);
    before += scanrt_warp_groups(p, group, tile / GROUP_TILES PREDICATE_PARAMETER);
    group = tile / GROUP_TILES;
    const scanrt_u64 prefix = before + scanrt_warp_tiles(p, group, tile % GROUP_TILES PREDICATE_PARAMETER);
    if (p.flags & SELECT_PLACES) scanrt_places_put(p, at, tile, prefix);
    if (ITEM() % 32 == 0) {
      if (tile + 1 == p.tiles) *p.kept = prefix + p.shared->count[at.stage];
      p.shared->prefix[at.stage] = prefix;
    }
    scanrt_warp_arrive(&p.shared->prefixed[at.stage]);
  }
}

FUNC void scanrt_role_group_total(const scanrt_pipe &p KEEP_PARAMETER) {
  for (scanrt_pipe_place at = { 0, 0 };; scanrt_place_next(p, at, 1)) {
    const scanrt_u32 tile = scanrt_stage_tile(p, at);
    if (tile >= p.tiles) return;
    if (PUBLISHES_GROUPS && tile % GROUP_TILES == GROUP_TILES - 1 && tile + 1 < p.tiles)
      (void)scanrt_warp_publish_group(p, tile / GROUP_TILES PREDICATE_PARAMETER);
    scanrt_warp_arrive(&p.shared->empty[at.stage]);
  }
}
#endif
