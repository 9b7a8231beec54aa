/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of the runs of few elements in one launch, keys included. A work-group claims one tile. Its warps:
 *
 *   values  copy the tile to the stage; a warp reduces a part and stores the values of its ends side by side
 *   keys    a warp copies the keys of a part, writes where runs begin, and stores the last keys of runs; the first one
 *           finds what precedes the tile
 *
 * All warps meet at barriers of their own roles. A work-group waits only for work-groups that have claimed a tile
 * before it, so waits cannot form a cycle. Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_ALONE_CUH
#define SCANRT_SELECT_ALONE_CUH

#if SELECT_ALONE_ITEMS != 2 * PIPE_COMPACTORS * 32
#error "select.h counts other warps"
#endif
#define ALONE_BARRIER() NUMBERED_BARRIER(1, SELECT_ALONE_ITEMS)

FUNC unsigned char *scanrt_alone_room(const scanrt_pipe &p, scanrt_u32 bytes, scanrt_u32 number) {
  return p.ring + STAGE_BYTES + number * SELECT_ALONE_KEYS(SELECT_BYTES, bytes);
}

/* Starts the warp's copies of a tile. */
FUNC void scanrt_alone_copy(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 warp) {
  if (warp < PIPE_COMPACTORS) {
    scanrt_piece_fill(scanrt_piece_of_tile(p, p.ring, tile), warp, PIPE_COMPACTORS);
    return;
  }
  const scanrt_u32 number = warp - PIPE_COMPACTORS, bytes = scanrt_key_kind_of(p.flags).bytes;
  if (number * PART_ITEMS < p.tile_items)
    scanrt_keys_copy(p, bytes, scanrt_tile_first(p, tile) + number * PART_ITEMS, scanrt_alone_room(p, bytes, number));
}

/* The barriers: the stage and the bits are there; parts are reduced; ends are stored and the prefix is known; the open
 * end has its value. */
FUNC void scanrt_alone_values(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 number) {
  const scanrt_pipe_place at = { 0, 0, 0, 0 };
  scanrt_lane_vectors x;
  scanrt_part part;
  scanrt_u32 has_few = 0;
  scanrt_async_wait();
  ALONE_BARRIER();
  const scanrt_u32 is_there = scanrt_part_begin(p, at, tile, number, x, part, has_few);
  ALONE_BARRIER();
  scanrt_part_end(p, at, tile, number, x, part, is_there);
  ALONE_BARRIER();
  ALONE_BARRIER();
  const scanrt_u64 prefix = p.shared->prefix[0];
  const scanrt_u32 count = scanrt_fitting(prefix, p.shared->count[0], p.capacity);
  if (number < PIPE_WRITERS) scanrt_write_run(p.out + prefix * SELECT_BYTES, p.ring + STAGE_TILE, 0, count, number);
}

/* Finds what precedes a tile, and publishes the sum of a group that ends with it. */
FUNC scanrt_kept_before scanrt_alone_look_back(const scanrt_pipe &p, scanrt_u32 tile) {
  const scanrt_u32 group = tile / GROUP_TILES;
  scanrt_kept_before before = { 0, 0, scanrt_carry_none() };
  if (PUBLISHES_GROUPS && ENDS_GROUP(tile, p.tiles)) (void)scanrt_warp_publish_group(p, group);
  scanrt_warp_groups(p, 0, group, before);
  scanrt_kept_add(p, before, group, scanrt_warp_tiles(p, group, tile % GROUP_TILES));
  return before;
}

FUNC void scanrt_alone_keys(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 number) {
  const scanrt_pipe_place at = { 0, 0, 0, 0 };
  const scanrt_key_kind kind = scanrt_key_kind_of(p.flags);
  const scanrt_u64 first = scanrt_tile_first(p, tile) + number * PART_ITEMS;
  scanrt_u32 *const words = (scanrt_u32 *)(p.ring + STAGE_MARKS) + number * PART_WORDS;
  const scanrt_u32 is_there = number * PART_ITEMS < p.tile_items, lane = ITEM() % 32;
  scanrt_kept_before before = { 0, 0, scanrt_carry_none() };
  scanrt_part_keys keys = { 0, first };
  if (is_there) {
    keys = scanrt_keys_place(p, kind.bytes, first, scanrt_alone_room(p, kind.bytes, number));
    scanrt_keys_mark(p, kind, keys, (number + 1) * PART_ITEMS == p.tile_items, words);
  }
  ALONE_BARRIER();
  ALONE_BARRIER();
  const scanrt_u32 kept = scanrt_warp_sum(lane < number ? KEPT_COUNT(p.shared->part[0][lane]) : 0);
  const scanrt_u32 ends = is_there ? scanrt_word_ends(p, first, words) : 0;
  if (number == 0) before = scanrt_alone_look_back(p, tile);
  ALONE_BARRIER();
  if (number == 0 && lane == 0) scanrt_prefix_post(p, at, tile, before);
  ALONE_BARRIER();
  if (is_there) scanrt_keys_store(p, kind.bytes, p.shared->prefix[0] + kept, ends, keys);
}

extern "C" __global__ void __launch_bounds__(SELECT_ALONE_ITEMS, 1) SELECT_KERNEL {
  DYNAMIC_SHARED(pipe_ring);
  __shared__ scanrt_select_shared shared;
  const scanrt_u32 warp = ITEM() / 32;
  const scanrt_u64 *const from = (const scanrt_u64 *)MEMORY(n_from);
  scanrt_pipe p;
  p.in = MEMORY(in), p.marks = MEMORY(marks), p.out = MEMORY(out), p.rest = MEMORY(rest);
  p.n = flags & SELECT_N_FROM && *from < n ? *from : n;
  p.capacity = capacity, p.rest_capacity = rest_capacity;
  p.kept = (scanrt_u64 *)MEMORY(kept);
  p.lookback =
      scanrt_lookback_state_at(MEMORY(workspace), tile_capacity, LOOKBACK_WORDS, SPIN_LIMIT(spin_limit), RECOMPUTES(0));
  p.lookback.words = SELECT_WORDS((scanrt_u64)tile_capacity) * LOOKBACK_WORDS;
  p.shared = &shared;
  p.ring = pipe_ring;
  p.flags = flags;
  p.in_shift = (scanrt_u32)(ADDRESS(p.in) % 16), p.marks_shift = 0;
  p.tile_items = tile_parts * PART_ITEMS, p.stage_bytes = STAGE_BYTES, p.is_sparse = 0;
  p.tiles = (scanrt_u32)((p.n + p.tile_items - 1) / p.tile_items);
  p.stages = p.slots = 1;
  (void)seed_bits;
  const scanrt_u32 is_one = GROUPS() == 1; /* the tile is known before it is claimed */
  if (is_one && p.tiles != 0) scanrt_alone_copy(p, 0, warp);
  if (ITEM() == 0) {
    shared.first_claim = scanrt_lookback_claim(&p.lookback, GROUPS());
    scanrt_first_claimed(p, shared.first_claim, from, n, (scanrt_u64 *)MEMORY(n_overflow));
  }
  BARRIER();
  const scanrt_u32 tile = (scanrt_u32)shared.first_claim;
  p.lookback.epoch = (scanrt_u32)(shared.first_claim >> 32);
  if (tile < p.tiles) {
    if (!is_one) scanrt_alone_copy(p, tile, warp);
    if (warp < PIPE_COMPACTORS)
      scanrt_alone_values(p, tile, warp);
    else
      scanrt_alone_keys(p, tile, warp - PIPE_COMPACTORS);
  }
  if (p.lookback.epoch < EPOCH_LAST) return;
  BARRIER();
  if (ITEM() == 0) scanrt_lookback_finish_launch(&p.lookback, 0, 0);
}
#endif
