/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back for the number of kept elements before a tile: counts of tiles, and sums of 128 of them, are 64-bit words
 * that carry the launch's epoch. For run-length encoding a tile's word also has its last run start, and groups have a
 * second word for theirs. If a wait reaches its bound, the warp counts the tile itself, or sets CONTROL_ERROR if the
 * input may be overwritten. Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_LOOK_BACK_CUH
#define SCANRT_SELECT_PIPELINED_LOOK_BACK_CUH

/* The sum over some tiles of a group: the number of kept elements, and 1 + the last of them, counted from the group's
 * first tile on (0: none, or not used). */
typedef struct scanrt_kept {
  scanrt_u32 count, last;
#if SELECT_REDUCES
  scanrt_carry carry;
#endif
} scanrt_kept;

FUNC volatile scanrt_u64 *scanrt_tile_words(const scanrt_pipe &p, scanrt_u32 tile) {
  return p.lookback.tiles + (scanrt_u64)tile * LOOKBACK_WORDS;
}
FUNC volatile scanrt_u64 *scanrt_group_words(const scanrt_pipe &p, scanrt_u32 group) {
  return p.lookback.groups + (scanrt_u64)group * LOOKBACK_WORDS;
}

#if SELECT_REDUCES
#define KEPT_NONE(kept) scanrt_kept kept = { 0, 0, scanrt_carry_none() }
#else
#define KEPT_NONE(kept) scanrt_kept kept = { 0, 0 }
/* The words of a tile or a group, loaded from the look-back state at once. */
typedef struct scanrt_lookback_words {
  scanrt_u64 word[LOOKBACK_WORDS];
} scanrt_lookback_words;
FUNC void scanrt_lookback_words_load(volatile scanrt_u64 *words, scanrt_lookback_words &asked) {
  asked.word[0] = scanrt_word_load(words);
}
FUNC scanrt_u32 scanrt_lookback_words_are_fresh(const scanrt_lookback_words &asked, scanrt_u32 epoch) {
  return scanrt_word_epoch(asked.word[0]) == epoch;
}
#endif

/* Returns 1 + the last run start of a tile, counted from its group's first tile on; 0 if there is none. */
FUNC scanrt_u32 scanrt_last_in_group(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 word) {
  return SELECT_ENCODES && KEPT_LAST(word) ? tile % GROUP_TILES * p.tile_items + KEPT_LAST(word) : 0;
}

/* Returns the state that a tile has published. */
FUNC scanrt_kept scanrt_kept_of(const scanrt_pipe &p, scanrt_u32 tile, const scanrt_lookback_words &asked) {
  const scanrt_u32 word = (scanrt_u32)asked.word[0];
  KEPT_NONE(kept);
  kept.count = KEPT_COUNT(word), kept.last = scanrt_last_in_group(p, tile, word);
#if SELECT_REDUCES
  kept.carry = scanrt_carry_of(asked);
#endif
  return kept;
}

/* Counts a tile whose owner does not, publishes the count, and returns it in every lane. */
FUNC scanrt_kept scanrt_warp_recompute(const scanrt_pipe &p, scanrt_u32 tile KEEP_PARAMETER) {
  const scanrt_u32 items = scanrt_tile_items(p, tile);
  scanrt_u32 count = 0;
  KEPT_NONE(kept);
  if (!p.lookback.recomputes) {
    scanrt_lookback_give_up(&p.lookback);
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
  kept.carry = scanrt_carry_recompute(p, tile);
  if (ITEM() % 32 == 0) scanrt_carry_store(scanrt_tile_words(p, tile), kept.count, kept.carry, p.lookback.epoch);
#else
  const scanrt_u32 word = KEPT_WORD(kept.count, SELECT_ENCODES ? scanrt_warp_max(kept.last) : 0);
  kept.last = scanrt_last_in_group(p, tile, word);
  if (ITEM() % 32 == 0) scanrt_word_store(scanrt_tile_words(p, tile), scanrt_word_of(word, p.lookback.epoch));
#endif
  return kept;
}

/* Returns the sum over the first `count` tiles of a group; lane l has tiles l, l + 32, l + 64 and l + 96. */
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

/* Returns the sum over the first `count` tiles of a group, in every lane. A lane starts all its loads before it tests
 * the first one. */
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
    scanrt_lookback_words asked[LEAVES];
    UNROLL
    for (scanrt_u32 k = 0; k < LEAVES; k++)
      if (missing >> k & 1u) scanrt_lookback_words_load(scanrt_tile_words(p, first + k * 32 + lane), asked[k]);
    UNROLL
    for (scanrt_u32 k = 0; k < LEAVES; k++)
      if (missing >> k & 1u && scanrt_lookback_words_are_fresh(asked[k], p.lookback.epoch)) {
        leaf[k] = scanrt_kept_of(p, k * 32 + lane, asked[k]);
        missing &= ~(1u << k);
      }
  } while (!__all_sync(~0u, missing == 0) && ++polls < p.lookback.spin_limit);
  if (polls >= p.lookback.spin_limit) NO_UNROLL
  for (scanrt_u32 tile = 0; tile < count; tile++)
    if (scanrt_shuffle_from_u32(missing >> tile / 32 & 1u, tile % 32)) {
      const scanrt_kept found = scanrt_warp_recompute(p, first + tile PREDICATE_PARAMETER);
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
  scanrt_carry_store(scanrt_group_words(p, group), all.count, all.carry, p.lookback.epoch);
#else
  if (SELECT_ENCODES) scanrt_word_store(p.lasts + group, scanrt_word_of(all.last, p.lookback.epoch));
  scanrt_word_store(scanrt_group_words(p, group), scanrt_word_of(all.count, p.lookback.epoch));
#endif
  return all;
}

/* The sum over all tiles before one: the number of kept elements, and 1 + the last of them. */
typedef struct scanrt_kept_before {
  scanrt_u64 count, last;
#if SELECT_REDUCES
  scanrt_carry carry;
#endif
} scanrt_kept_before;

/* Adds a group, or its first tiles. */
FUNC void scanrt_kept_add(const scanrt_pipe &p, scanrt_kept_before &before, scanrt_u32 group, scanrt_kept kept) {
  before.count += kept.count;
  if (kept.last) before.last = (scanrt_u64)group * GROUP_TILES * p.tile_items + kept.last;
#if SELECT_REDUCES
  before.carry = scanrt_carry_combine(before.carry, kept.carry);
#endif
}

/* Returns 1, and sets *kept, if a group has published its sum. */
FUNC scanrt_u32 scanrt_group_get(const scanrt_pipe &p, scanrt_u32 group, scanrt_kept *kept) {
  scanrt_lookback_words asked;
  scanrt_lookback_words_load(scanrt_group_words(p, group), asked);
  const scanrt_u64 last = SELECT_ENCODES ? scanrt_word_load(p.lasts + group) : asked.word[0];
  if (!scanrt_lookback_words_are_fresh(asked, p.lookback.epoch) || scanrt_word_epoch(last) != p.lookback.epoch)
    return 0;
#if SELECT_REDUCES
  kept->count = (scanrt_u32)asked.word[0] & 0x7fffffffu;
  kept->carry = scanrt_carry_of(asked);
#else
  kept->count = (scanrt_u32)asked.word[0];
  kept->last = SELECT_ENCODES ? (scanrt_u32)last : 0;
#endif
  return 1;
}

/* Adds the `count` groups from `first` on, which the lanes have, in their order. */
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

/* Adds the groups from `first` to `last` - 1; 32 of them are loaded at once. */
FUNC void scanrt_warp_groups(const scanrt_pipe &p, scanrt_u32 first, scanrt_u32 last,
                             scanrt_kept_before &before KEEP_PARAMETER) {
  const scanrt_u32 lane = ITEM() % 32;
  for (; first < last; first += 32) {
    const scanrt_u32 count = last - first < 32 ? last - first : 32;
    scanrt_u32 missing = lane < count, polls = 0;
    KEPT_NONE(own);
    do {
      if (missing && scanrt_group_get(p, first + lane, &own)) missing = 0;
    } while (!__all_sync(~0u, missing == 0) && ++polls < p.lookback.spin_limit);
    if (polls >= p.lookback.spin_limit) NO_UNROLL
    for (scanrt_u32 owner = 0; owner < count; owner++)
      if (scanrt_shuffle_from_u32(missing, owner)) {
        const scanrt_kept found = scanrt_warp_publish_group(p, first + owner PREDICATE_PARAMETER);
        if (lane == owner) own = found;
      }
    scanrt_groups_add(p, before, first, count, own);
  }
}

#if SELECT_ENCODES
/* Writes the length of the last run, which no run start ends. */
FUNC void scanrt_last_run_put(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                              const scanrt_kept_before &before) {
  const scanrt_u32 last = p.shared->last[at.slot];
  const scanrt_u64 run_start = (last ? scanrt_tile_first(p, tile) + last : before.last) - 1;
  const scanrt_u64 place = before.count + p.shared->count[at.slot] - 1;
  if (!(p.flags & SELECT_RUN_LENGTHS) || place >= p.capacity) return;
  if (p.flags & SELECT_WIDE_LENGTHS)
    ((scanrt_u64 *)p.lengths)[place] = p.n - run_start;
  else
    ((scanrt_u32 *)p.lengths)[place] = (scanrt_u32)(p.n - run_start);
}
#elif !SELECT_REDUCES
/* Writes the number of kept elements before each SELECT_TILE_ITEMS elements that begin in the tile, and after the last
 * tile the number in all. */
FUNC void scanrt_places_put(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u64 prefix) {
  const scanrt_u32 lane = ITEM() % 32, items = scanrt_tile_items(p, tile);
  const scanrt_u64 first = scanrt_tile_first(p, tile) + lane * PART_ITEMS;
  scanrt_u64 before = prefix;
  for (scanrt_u32 q = 0; q < PIPE_COMPACTORS; q++)
    if (q < lane) before += p.shared->part[at.slot][q];
  if (lane * PART_ITEMS < items && first % SELECT_TILE_ITEMS == 0) p.places[first / SELECT_TILE_ITEMS] = before;
  if (tile + 1 == p.tiles && lane == 0) p.places[SELECT_TILES(p.n)] = prefix + p.shared->count[at.slot];
}
#endif

#if !SELECT_ENCODES && !SELECT_REDUCES
/* Leaves the number of all kept elements to the writers. `before` has the groups before `group`. */
FUNC void scanrt_total_put(const scanrt_pipe &p, scanrt_kept_before before, scanrt_u32 group KEEP_PARAMETER) {
  const scanrt_u32 last = (p.tiles - 1) / GROUP_TILES;
  scanrt_warp_groups(p, group, last, before PREDICATE_PARAMETER);
  scanrt_kept_add(p, before, last, scanrt_warp_tiles(p, last, p.tiles - last * GROUP_TILES PREDICATE_PARAMETER));
  if (ITEM() % 32 == 0) p.shared->behind = before.count;
}
#endif

/* Gives a tile's prefix to its writers; for the last tile also writes the results to memory. */
FUNC void scanrt_prefix_post(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                             const scanrt_kept_before &before) {
#if SELECT_ENCODES
  p.shared->last_before[at.slot] = before.last;
  if (tile + 1 == p.tiles) scanrt_last_run_put(p, at, tile, before);
#endif
#if SELECT_REDUCES
  const scanrt_open_end &open = p.shared->open[at.slot];
  if (open.items) {
    scanrt_value_to((scanrt_u32 *)(scanrt_stage_of(p, at) + STAGE_TILE), 0,
                    OUTPUT_OF(scanrt_open_end_value(open, before.carry.value)));
    scanrt_copy_engine_fence();
  }
#endif
  if (tile + 1 == p.tiles) {
    const scanrt_u64 kept = before.count + p.shared->count[at.slot];
    *p.kept = kept;
#if SELECT_BY == SELECT_BY_PREDICATE
    if (p.flags & SELECT_LEFT) *p.places = p.n - kept;
#endif
  }
#if GOES_BACK
  if (scanrt_goes_back(p)) { /* kept elements of tiles with smaller numbers lie behind the tile's */
    p.shared->prefix[at.slot] = p.shared->behind - before.count - p.shared->count[at.slot];
    return;
  }
#endif
  p.shared->prefix[at.slot] = before.count;
}

/* The role of a look-back warp. It begins when the tile's own count is known: before that it would only poll. */
FUNC void scanrt_role_look_back(const scanrt_pipe &p, scanrt_u32 turn KEEP_PARAMETER) {
  scanrt_pipe_place at = { 0, 0, 0, 0 };
#if SELECT_REDUCES
  scanrt_kept_before before = { 0, 0, scanrt_carry_none() };
#else
  scanrt_kept_before before = { 0, 0 };
#endif
  scanrt_u32 group = 0; /* `before` has the groups before this one */
#if HAS_TWICE
  scanrt_u32 has_total = 0;
#endif
  scanrt_place_next(p, at, turn);
  for (;; scanrt_place_next(p, at, PIPE_LOOK_BACKS)) {
    const scanrt_u32 number = scanrt_stage_turn(p, at), tile = scanrt_turn_tile(p, number);
    if (number >= p.turns) return;
    scanrt_mbarrier_wait(PIPE_BUFFERS ? &p.shared->taken[at.slot] : &p.shared->compacted[at.slot], at.phase);
    if (scanrt_only_counts(p, number)) {
      scanrt_warp_arrive(&p.shared->prefixed[at.slot]);
      continue;
    }
#if HAS_TWICE
    if (tile / GROUP_TILES < group) {
      scanrt_kept_before passed = { 0, 0 };
      scanrt_warp_groups(p, tile / GROUP_TILES, group, passed PREDICATE_PARAMETER);
      before.count -= passed.count;
      group = tile / GROUP_TILES;
    }
#endif
    scanrt_warp_groups(p, group, tile / GROUP_TILES, before PREDICATE_PARAMETER);
    group = tile / GROUP_TILES;
#if HAS_TWICE
    if (p.flags & SELECT_TWICE && !has_total) {
      scanrt_total_put(p, before, group PREDICATE_PARAMETER);
      has_total = 1;
    }
#endif
    scanrt_kept_before own = before;
    scanrt_kept_add(p, own, group, scanrt_warp_tiles(p, group, tile % GROUP_TILES PREDICATE_PARAMETER));
#if !SELECT_ENCODES && !SELECT_REDUCES
    if (p.flags & SELECT_PLACES) scanrt_places_put(p, at, tile, own.count);
#endif
    if (ITEM() % 32 == 0) scanrt_prefix_post(p, at, tile, own);
    scanrt_warp_arrive(&p.shared->prefixed[at.slot]);
#if !SELECT_ENCODES && !SELECT_REDUCES
    if (p.flags & SELECT_TOTAL && at.turn == 0) {
      scanrt_total_put(p, before, group PREDICATE_PARAMETER);
      scanrt_warp_arrive(&p.shared->total);
    }
#endif
  }
}

FUNC void scanrt_role_group_total(const scanrt_pipe &p KEEP_PARAMETER) {
  for (scanrt_pipe_place at = { 0, 0, 0, 0 };; scanrt_place_next(p, at, 1)) {
    const scanrt_u32 tile = scanrt_stage_turn(p, at); /* that is moved by now, if it is past the last one */
    if (tile >= p.turns) return;
    if (PUBLISHES_GROUPS && tile < p.tiles && ENDS_GROUP(tile, p.tiles))
      (void)scanrt_warp_publish_group(p, tile / GROUP_TILES PREDICATE_PARAMETER);
    scanrt_warp_arrive(&p.shared->empty[at.slot]);
  }
}
#endif
