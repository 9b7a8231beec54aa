/* SPDX-License-Identifier: BSD-2-Clause */
/* How many elements are kept before a tile: counts of tiles, and sums of 128 of them, are words of 64 bits that carry
 * the launch's epoch. Where runs are encoded, a tile's word also has its last head, and groups have another for theirs.
 * A wait that reaches its bound ends with the tile counted here, or, where the input may be gone, with CONTROL_ERROR.
 * Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_LOOK_BACK_CUH
#define SCANRT_SELECT_PIPELINED_LOOK_BACK_CUH

#define LEAVES (GROUP_TILES / 32)

/* What tiles have together: how many are kept, and 1 + the last of those, from the first tile of its group on (0: there
 * is none, or nobody asks). */
typedef struct scanrt_kept {
  scanrt_u32 count, last;
} scanrt_kept;

/* Counts a tile whose owner does not, publishes that, and returns its word to every lane. */
FUNC scanrt_u32 scanrt_warp_rescue(const scanrt_pipe &p, scanrt_u32 tile KEEP_PARAMETER) {
  const scanrt_u32 items = scanrt_tile_items(p, tile);
  scanrt_u32 count = 0, last = 0;
  if (FALLBACK(p.flags & SELECT_OVER ? FLAG_IN_PLACE : 0) & FLAG_IN_PLACE) {
    ATOMIC_STORE(p.board.control + CONTROL_ERROR, 1u);
    return 0;
  }
  NO_UNROLL
  for (scanrt_u32 e = ITEM() % 32; e < items; e += 32) {
    const scanrt_u32 is_kept = scanrt_keep_one(p, scanrt_tile_first(p, tile) + e PREDICATE_PARAMETER);
    count += is_kept;
    if (SELECT_ENCODES && is_kept) last = e + 1;
  }
  const scanrt_u32 word =
      SELECT_ENCODES ? KEPT_WORD(scanrt_warp_sum(count), scanrt_warp_max(last)) : scanrt_warp_sum(count);
  if (ITEM() % 32 == 0) scanrt_word_store(p.board.tiles + tile, scanrt_word_of(word, p.board.epoch));
  return word;
}

/* The last head of a tile, of a group's. */
FUNC scanrt_u32 scanrt_last_in_group(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 word) {
  return KEPT_LAST(word) ? tile * p.tile_items + KEPT_LAST(word) : 0;
}

/* The first `count` tiles of a group, in every lane. Lane l asks for tiles l, l + 32, l + 64 and l + 96, all before the
 * first is looked at. */
FUNC scanrt_kept scanrt_warp_tiles(const scanrt_pipe &p, scanrt_u32 group, scanrt_u32 count KEEP_PARAMETER) {
  const scanrt_u32 lane = ITEM() % 32;
  volatile scanrt_u64 *const words = p.board.tiles + (scanrt_u64)group * GROUP_TILES + lane;
  scanrt_u32 leaf[LEAVES], missing = 0, sum = 0, last = 0, polls = 0;
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
  for (scanrt_u32 k = 0; k < LEAVES; k++) {
    sum += KEPT_COUNT(leaf[k]);
    if (KEPT_LAST(leaf[k])) last = scanrt_last_in_group(p, k * 32 + lane, leaf[k]);
  }
  sum = scanrt_warp_sum(sum);
  if (SELECT_ENCODES) last = scanrt_warp_max(last);
  if (polls >= p.spin_limit)
    for (scanrt_u32 k = 0; k < LEAVES; k++)
      for (scanrt_u32 owner = 0; owner < 32; owner++)
        if (scanrt_shuffle_from_u32(missing >> k & 1u, owner)) {
          const scanrt_u32 tile = k * 32 + owner;
          const scanrt_u32 word = scanrt_warp_rescue(p, group * GROUP_TILES + tile PREDICATE_PARAMETER);
          const scanrt_u32 found = scanrt_last_in_group(p, tile, word);
          sum += KEPT_COUNT(word);
          last = found > last ? found : last;
        }
  const scanrt_kept all = { sum, last };
  return all;
}

FUNC scanrt_kept scanrt_warp_publish_group(const scanrt_pipe &p, scanrt_u32 group KEEP_PARAMETER) {
  const scanrt_kept all = scanrt_warp_tiles(p, group, GROUP_TILES PREDICATE_PARAMETER);
  if (ITEM() % 32 == 0) {
    if (SELECT_ENCODES) scanrt_word_store(p.board.lasts + group, scanrt_word_of(all.last, p.board.epoch));
    scanrt_word_store(p.board.groups + group, scanrt_word_of(all.count, p.board.epoch));
  }
  return all;
}

/* What is known of the tiles before one: how many elements are kept, and 1 + the last of them. */
typedef struct scanrt_kept_before {
  scanrt_u64 count, last;
} scanrt_kept_before;

/* Adds a group, or its first tiles, to what is before. */
FUNC void scanrt_kept_add(const scanrt_pipe &p, scanrt_kept_before &before, scanrt_u32 group, scanrt_kept kept) {
  before.count += kept.count;
  if (kept.last) before.last = (scanrt_u64)group * GROUP_TILES * p.tile_items + kept.last;
}

/* Adds the groups from `first` to `last`, not with it; 32 are asked for at once. */
FUNC void scanrt_warp_groups(const scanrt_pipe &p, scanrt_u32 first, scanrt_u32 last,
                             scanrt_kept_before &before KEEP_PARAMETER) {
  const scanrt_u32 lane = ITEM() % 32;
  for (; first < last; first += 32) {
    scanrt_u32 missing = first + lane < last, polls = 0, total = 0, in_group = 0;
    do {
      const scanrt_u64 word = missing ? scanrt_word_load(p.board.groups + first + lane) : 0;
      const scanrt_u64 at = SELECT_ENCODES && missing ? scanrt_word_load(p.board.lasts + first + lane) : word;
      if (missing && (scanrt_u32)(word >> 32) == p.board.epoch && (scanrt_u32)(at >> 32) == p.board.epoch)
        total = (scanrt_u32)word, in_group = (scanrt_u32)at, missing = 0;
    } while (!__all_sync(~0u, missing == 0) && ++polls < p.spin_limit);
    before.count += scanrt_warp_sum(total);
    if (SELECT_ENCODES) {
      const scanrt_u32 with = __ballot_sync(~0u, in_group != 0), latest = with ? 31 - (scanrt_u32)__clz(with) : 0;
      const scanrt_kept none = { 0, scanrt_shuffle_from_u32(in_group, latest) };
      scanrt_kept_add(p, before, first + latest, none);
    }
    if (polls >= p.spin_limit)
      for (scanrt_u32 owner = 0; owner < 32; owner++)
        if (scanrt_shuffle_from_u32(missing, owner)) {
          scanrt_kept_before own = { 0, 0 };
          scanrt_kept_add(p, own, first + owner, scanrt_warp_publish_group(p, first + owner PREDICATE_PARAMETER));
          before.count += own.count;
          before.last = own.last > before.last ? own.last : before.last;
        }
  }
}

#if SELECT_ENCODES
/* The length of the last run of all, which no head ends. */
FUNC void scanrt_last_run_put(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                              const scanrt_kept_before &before) {
  const scanrt_u32 last = p.shared->last[at.stage];
  const scanrt_u64 begins = (last ? scanrt_tile_first(p, tile) + last : before.last) - 1;
  const scanrt_u64 place = before.count + p.shared->count[at.stage] - 1;
  if (!(p.flags & SELECT_RUN_LENGTHS) || place >= p.capacity) return;
  if (p.flags & SELECT_WIDE_LENGTHS)
    ((scanrt_u64 *)p.lengths)[place] = p.n - begins;
  else
    ((scanrt_u32 *)p.lengths)[place] = (scanrt_u32)(p.n - begins);
}
#else
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
#endif

/* What the look-back warp leaves of a tile: for its writers, and, of the last one, in memory. */
FUNC void scanrt_prefix_post(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                             const scanrt_kept_before &before) {
#if SELECT_ENCODES
  p.shared->last_before[at.stage] = before.last;
  if (tile + 1 == p.tiles) scanrt_last_run_put(p, at, tile, before);
#endif
  if (tile + 1 == p.tiles) *p.kept = before.count + p.shared->count[at.stage];
  p.shared->prefix[at.stage] = before.count;
}

/* One of the look-back warps. It begins when the tile's own count is there: asking earlier is polling. */
FUNC void scanrt_role_look_back(const scanrt_pipe &p, scanrt_u32 turn KEEP_PARAMETER) {
  scanrt_pipe_place at = { 0, 0, 0 };
  scanrt_kept_before before = { 0, 0 };
  scanrt_u32 group = 0; /* `before` has the groups up to it */
  scanrt_place_next(p, at, turn);
  for (;; scanrt_place_next(p, at, PIPE_LOOK_BACKS)) {
    const scanrt_u32 tile = scanrt_stage_tile(p, at);
    if (tile >= p.tiles) return;
    scanrt_mbarrier_wait(&p.shared->compacted[at.stage], at.phase);
    scanrt_warp_groups(p, group, tile / GROUP_TILES, before PREDICATE_PARAMETER);
    group = tile / GROUP_TILES;
    scanrt_kept_before own = before;
    scanrt_kept_add(p, own, group, scanrt_warp_tiles(p, group, tile % GROUP_TILES PREDICATE_PARAMETER));
#if !SELECT_ENCODES
    if (p.flags & SELECT_PLACES) scanrt_places_put(p, at, tile, own.count);
#endif
    if (ITEM() % 32 == 0) scanrt_prefix_post(p, at, tile, own);
    scanrt_warp_arrive(&p.shared->prefixed[at.stage]);
  }
}

FUNC void scanrt_role_group_total(const scanrt_pipe &p KEEP_PARAMETER) {
  for (scanrt_pipe_place at = { 0, 0, 0 };; scanrt_place_next(p, at, 1)) {
    const scanrt_u32 tile = scanrt_stage_tile(p, at);
    if (tile >= p.tiles) return;
    if (PUBLISHES_GROUPS && tile % GROUP_TILES == GROUP_TILES - 1 && tile + 1 < p.tiles)
      (void)scanrt_warp_publish_group(p, tile / GROUP_TILES PREDICATE_PARAMETER);
    scanrt_warp_arrive(&p.shared->empty[at.stage]);
  }
}
#endif
