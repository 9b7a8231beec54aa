/* SPDX-License-Identifier: BSD-2-Clause */
/* How many elements are kept before a tile: counts of tiles, and sums of 128 of them, are words of 64 bits that carry
 * the launch's epoch. Where runs are encoded, a tile's word also has its last head, and groups have another for theirs.
 * A wait that reaches its bound ends with the tile counted here, or, where the input may be gone, with CONTROL_ERROR.
 * Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_LOOK_BACK_CUH
#define SCANRT_SELECT_PIPELINED_LOOK_BACK_CUH

/* What tiles have together: how many are kept, and 1 + the last of those, from the first tile of its group on (0: there
 * is none, or nobody asks). */
typedef struct scanrt_kept {
  scanrt_u32 count, last;
#if SELECT_REDUCES
  scanrt_carry carry;
#endif
} scanrt_kept;

FUNC volatile scanrt_u64 *scanrt_tile_words(const scanrt_pipe &p, scanrt_u32 tile) {
  return p.board.tiles + (scanrt_u64)tile * BOARD_WORDS;
}
FUNC volatile scanrt_u64 *scanrt_group_words(const scanrt_pipe &p, scanrt_u32 group) {
  return p.board.groups + (scanrt_u64)group * BOARD_WORDS;
}

#if SELECT_REDUCES
#define KEPT_NONE(kept) scanrt_kept kept = { 0, 0, scanrt_carry_none() }
#else
#define KEPT_NONE(kept) scanrt_kept kept = { 0, 0 }
/* As many words as a tile has, asked of the board at once. */
typedef struct scanrt_board_words {
  scanrt_u64 word[BOARD_WORDS];
} scanrt_board_words;
FUNC void scanrt_board_ask(volatile scanrt_u64 *words, scanrt_board_words &asked) {
  asked.word[0] = scanrt_word_load(words);
}
FUNC scanrt_u32 scanrt_board_has(const scanrt_board_words &asked, scanrt_u32 epoch) {
  return (scanrt_u32)(asked.word[0] >> 32) == epoch;
}
#endif

/* The last head of a tile, of a group's. */
FUNC scanrt_u32 scanrt_last_in_group(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 word) {
  return SELECT_ENCODES && KEPT_LAST(word) ? tile % GROUP_TILES * p.tile_items + KEPT_LAST(word) : 0;
}

/* What a tile says. */
FUNC scanrt_kept scanrt_kept_of(const scanrt_pipe &p, scanrt_u32 tile, const scanrt_board_words &asked) {
  const scanrt_u32 word = (scanrt_u32)asked.word[0];
  KEPT_NONE(kept);
  kept.count = KEPT_COUNT(word), kept.last = scanrt_last_in_group(p, tile, word);
#if SELECT_REDUCES
  kept.carry = scanrt_carry_of(asked);
#endif
  return kept;
}

/* Counts a tile whose owner does not, publishes that, and returns it to every lane. */
FUNC scanrt_kept scanrt_warp_rescue(const scanrt_pipe &p, scanrt_u32 tile KEEP_PARAMETER) {
  const scanrt_u32 items = scanrt_tile_items(p, tile);
  scanrt_u32 count = 0;
  KEPT_NONE(kept);
  if (FALLBACK(p.flags & SELECT_OVER ? FLAG_IN_PLACE : 0) & FLAG_IN_PLACE) {
    ATOMIC_STORE(p.board.control + CONTROL_ERROR, 1u);
    return kept;
  }
  NO_UNROLL
  for (scanrt_u32 e = ITEM() % 32; e < items; e += 32) {
    const scanrt_u32 is_kept = scanrt_keep_one(p, scanrt_tile_first(p, tile) + e PREDICATE_PARAMETER);
    count += is_kept;
    if (SELECT_ENCODES && !SELECT_REDUCES && is_kept) kept.last = e + 1;
  }
  kept.count = scanrt_warp_sum(count);
#if SELECT_REDUCES
  kept.carry = scanrt_carry_rescue(p, tile);
  if (ITEM() % 32 == 0) scanrt_carry_store(scanrt_tile_words(p, tile), kept.count, kept.carry, p.board.epoch);
#else
  const scanrt_u32 word = KEPT_WORD(kept.count, SELECT_ENCODES ? scanrt_warp_max(kept.last) : 0);
  kept.last = scanrt_last_in_group(p, tile, word);
  if (ITEM() % 32 == 0) scanrt_word_store(scanrt_tile_words(p, tile), scanrt_word_of(word, p.board.epoch));
#endif
  return kept;
}

/* Puts the first `count` tiles of a group together, of which lane l has l, l + 32, l + 64 and l + 96. */
FUNC scanrt_kept scanrt_leaves_fold(scanrt_kept leaf[LEAVES], scanrt_u32 count) {
  KEPT_NONE(all);
  UNROLL
  for (scanrt_u32 k = 0; k < LEAVES; k++) {
    all.count += leaf[k].count;
    if (leaf[k].last) all.last = leaf[k].last;
  }
  all.count = scanrt_warp_sum(all.count);
  if (SELECT_ENCODES) all.last = scanrt_warp_max(all.last);
  (void)count;
#if SELECT_REDUCES
  scanrt_carry carry[LEAVES];
  UNROLL
  for (scanrt_u32 k = 0; k < LEAVES; k++) carry[k] = leaf[k].carry;
  all.carry = scanrt_carries_fold(carry, count);
#endif
  return all;
}

/* The first `count` tiles of a group, in every lane. All that a lane asks for is asked before the first is looked at.
 */
FUNC scanrt_kept scanrt_warp_tiles(const scanrt_pipe &p, scanrt_u32 group, scanrt_u32 count KEEP_PARAMETER) {
  const scanrt_u32 lane = ITEM() % 32, first = group * GROUP_TILES;
  scanrt_u32 missing = 0, polls = 0;
  KEPT_NONE(none);
  scanrt_kept leaf[LEAVES];
  UNROLL
  for (scanrt_u32 k = 0; k < LEAVES; k++) {
    leaf[k] = none;
    if (k * 32 + lane < count) missing |= 1u << k;
  }
  do {
    scanrt_board_words asked[LEAVES];
    UNROLL
    for (scanrt_u32 k = 0; k < LEAVES; k++)
      if (missing >> k & 1u) scanrt_board_ask(scanrt_tile_words(p, first + k * 32 + lane), asked[k]);
    UNROLL
    for (scanrt_u32 k = 0; k < LEAVES; k++)
      if (missing >> k & 1u && scanrt_board_has(asked[k], p.board.epoch)) {
        leaf[k] = scanrt_kept_of(p, k * 32 + lane, asked[k]);
        missing &= ~(1u << k);
      }
  } while (!__all_sync(~0u, missing == 0) && ++polls < p.spin_limit);
  if (polls >= p.spin_limit) NO_UNROLL
  for (scanrt_u32 tile = 0; tile < count; tile++)
    if (scanrt_shuffle_from_u32(missing >> tile / 32 & 1u, tile % 32)) {
      const scanrt_kept found = scanrt_warp_rescue(p, first + tile PREDICATE_PARAMETER);
      UNROLL
      for (scanrt_u32 k = 0; k < LEAVES; k++)
        if (k * 32 + lane == tile) leaf[k] = found;
    }
  return scanrt_leaves_fold(leaf, count);
}

FUNC scanrt_kept scanrt_warp_publish_group(const scanrt_pipe &p, scanrt_u32 group KEEP_PARAMETER) {
  const scanrt_kept all = scanrt_warp_tiles(p, group, GROUP_TILES PREDICATE_PARAMETER);
  if (ITEM() % 32 != 0) return all;
#if SELECT_REDUCES
  scanrt_carry_store(scanrt_group_words(p, group), all.count, all.carry, p.board.epoch);
#else
  if (SELECT_ENCODES) scanrt_word_store(p.board.lasts + group, scanrt_word_of(all.last, p.board.epoch));
  scanrt_word_store(scanrt_group_words(p, group), scanrt_word_of(all.count, p.board.epoch));
#endif
  return all;
}

/* What is known of the tiles before one: how many elements are kept, and 1 + the last of them. */
typedef struct scanrt_kept_before {
  scanrt_u64 count, last;
#if SELECT_REDUCES
  scanrt_carry carry;
#endif
} scanrt_kept_before;

/* Adds a group, or its first tiles, to what is before. */
FUNC void scanrt_kept_add(const scanrt_pipe &p, scanrt_kept_before &before, scanrt_u32 group, scanrt_kept kept) {
  before.count += kept.count;
  if (kept.last) before.last = (scanrt_u64)group * GROUP_TILES * p.tile_items + kept.last;
#if SELECT_REDUCES
  before.carry = scanrt_carry_combine(before.carry, kept.carry);
#endif
}

/* What a group says, if it does so already. */
FUNC scanrt_u32 scanrt_group_get(const scanrt_pipe &p, scanrt_u32 group, scanrt_kept *kept) {
  scanrt_board_words asked;
  scanrt_board_ask(scanrt_group_words(p, group), asked);
  const scanrt_u64 last = SELECT_ENCODES ? scanrt_word_load(p.board.lasts + group) : asked.word[0];
  if (!scanrt_board_has(asked, p.board.epoch) || (scanrt_u32)(last >> 32) != p.board.epoch) return 0;
#if SELECT_REDUCES
  kept->count = (scanrt_u32)asked.word[0] & 0x7fffffffu;
  kept->carry = scanrt_carry_of(asked);
#else
  kept->count = (scanrt_u32)asked.word[0];
  kept->last = SELECT_ENCODES ? (scanrt_u32)last : 0;
#endif
  return 1;
}

/* Adds the groups from `first` on that lanes have, `count` of them, in their order. */
FUNC void scanrt_groups_add(const scanrt_pipe &p, scanrt_kept_before &before, scanrt_u32 first, scanrt_u32 count,
                            scanrt_kept own) {
  before.count += scanrt_warp_sum(own.count);
  if (SELECT_ENCODES) {
    const scanrt_u32 with = __ballot_sync(~0u, own.last != 0), latest = with ? LAST_BIT(with) : 0;
    const scanrt_u32 last = scanrt_shuffle_from_u32(own.last, latest);
    if (last) before.last = (scanrt_u64)(first + latest) * GROUP_TILES * p.tile_items + last;
  }
#if SELECT_REDUCES
  for (scanrt_u32 q = 0; q < count; q++)
    before.carry = scanrt_carry_combine(before.carry, scanrt_carry_from(own.carry, q));
#endif
  (void)count;
}

/* Adds the groups from `first` to `last`, not with it; 32 are asked for at once. */
FUNC void scanrt_warp_groups(const scanrt_pipe &p, scanrt_u32 first, scanrt_u32 last,
                             scanrt_kept_before &before KEEP_PARAMETER) {
  const scanrt_u32 lane = ITEM() % 32;
  for (; first < last; first += 32) {
    const scanrt_u32 count = last - first < 32 ? last - first : 32;
    scanrt_u32 missing = lane < count, polls = 0;
    KEPT_NONE(own);
    do {
      if (missing && scanrt_group_get(p, first + lane, &own)) missing = 0;
    } while (!__all_sync(~0u, missing == 0) && ++polls < p.spin_limit);
    if (polls >= p.spin_limit) NO_UNROLL
    for (scanrt_u32 owner = 0; owner < count; owner++)
      if (scanrt_shuffle_from_u32(missing, owner)) {
        const scanrt_kept found = scanrt_warp_publish_group(p, first + owner PREDICATE_PARAMETER);
        if (lane == owner) own = found;
      }
    scanrt_groups_add(p, before, first, count, own);
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
#elif !SELECT_REDUCES
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
#if SELECT_REDUCES
  const scanrt_open_end &open = p.shared->open[at.stage];
  if (open.items) {
    scanrt_value_to((scanrt_u32 *)(scanrt_stage_of(p, at) + STAGE_TILE), 0,
                    scanrt_open_end_value(open, before.carry.value));
    scanrt_copy_engine_fence();
  }
#endif
  if (tile + 1 == p.tiles) *p.kept = before.count + p.shared->count[at.stage];
  p.shared->prefix[at.stage] = before.count;
}

/* One of the look-back warps. It begins when the tile's own count is there: asking earlier is polling. */
FUNC void scanrt_role_look_back(const scanrt_pipe &p, scanrt_u32 turn KEEP_PARAMETER) {
  scanrt_pipe_place at = { 0, 0, 0 };
#if SELECT_REDUCES
  scanrt_kept_before before = { 0, 0, scanrt_carry_none() };
#else
  scanrt_kept_before before = { 0, 0 };
#endif
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
#if !SELECT_ENCODES && !SELECT_REDUCES
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
