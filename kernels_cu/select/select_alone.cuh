/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of the runs of few elements in one launch, keys included: a work-group a tile. For each part of a tile
 *
 *   values  are copied to the stage and reduced, and those of ends stored side by side
 *   keys    are copied, and the last keys of runs stored; two of the warps find what precedes the tile
 *
 * SELECT_ALONE is the number of warps that do so for a part: 2, one of them for the keys; or 1, with which a
 * multiprocessor holds twice as many work-groups. All warps meet at barriers. If a wait for another work-group reaches
 * its bound, the warp reduces that work-group's tile itself. Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_ALONE_CUH
#define SCANRT_SELECT_ALONE_CUH

#if SELECT_SUMS_PARTS != PIPE_COMPACTORS
#error "select.h counts other parts"
#endif
#define ALONE_ITEMS SELECT_ALONE_ITEMS(SELECT_ALONE)
#define ALONE_GROUPS 3 - SELECT_ALONE /* a multiprocessor */
#define ALONE_BARRIER() NUMBERED_BARRIER(1, ALONE_ITEMS)

FUNC unsigned char *scanrt_alone_room(const scanrt_pipe &p, scanrt_u32 bytes, scanrt_u32 number) {
  return p.ring + STAGE_BYTES + number * SELECT_ALONE_KEYS(SELECT_BYTES, bytes);
}

/* Starts a warp's copies of a tile. */
FUNC void scanrt_alone_copy(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 warp) {
  const scanrt_u32 number = warp % PIPE_COMPACTORS, first = number * PART_ITEMS;
  const scanrt_u32 bytes = scanrt_key_kind_of(p.flags).bytes;
  const scanrt_u32 has_keys = warp >= PIPE_COMPACTORS * (SELECT_ALONE - 1) && first < p.tile_items;
  const scanrt_piece values = scanrt_piece_of_tile(p, p.ring, tile);
  const scanrt_piece keys =
      scanrt_piece_of_keys(p, bytes, scanrt_tile_first(p, tile) + first, scanrt_alone_room(p, bytes, number));
  if (warp < PIPE_COMPACTORS) scanrt_piece_fill(values, number, PIPE_COMPACTORS);
  if (has_keys) scanrt_piece_fill(keys, 0, 1);
  if (warp == 0) scanrt_piece_end(values);
  if (has_keys) scanrt_piece_end(keys);
}

/* Finds the sum over the tiles of the first group, if a tile is of the second one, and leaves it in the places of
 * another slot. */
FUNC void scanrt_alone_first_group(const scanrt_pipe &p, scanrt_u32 tile) {
  if (tile < GROUP_TILES) return;
  const scanrt_kept first = scanrt_warp_tiles(p, 0, GROUP_TILES);
  if (ITEM() % 32 != 0) return;
  p.shared->sub[1][0] = first.carry.value;
  p.shared->part[1][0] = first.count, p.shared->part[1][1] = first.carry.starts_run;
}

/* Returns what precedes a tile, `own` in its own group. */
FUNC scanrt_kept_before scanrt_alone_before(const scanrt_pipe &p, scanrt_u32 tile, const scanrt_kept &own) {
  scanrt_kept_before before = { 0, 0, scanrt_carry_none() };
  if (tile >= GROUP_TILES) {
    const scanrt_carry carry = { p.shared->sub[1][0], p.shared->part[1][1] };
    const scanrt_kept first = { p.shared->part[1][0], 0, carry };
    scanrt_kept_add(p, before, 0, first);
  }
  scanrt_kept_add(p, before, tile / GROUP_TILES, own);
  return before;
}

/* Reduces a part of a tile whose copies have begun. The barriers: the stage, the bits and the launch's epoch are there;
 * parts are reduced; ends are stored, and what precedes the tile is known; the open end has its value. */
template <int HAS_VALUES, int HAS_KEYS>
FUNC void scanrt_alone_part(scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 number) {
  const scanrt_pipe_place at = { 0, 0, 0, 0 };
  const scanrt_key_kind kind = scanrt_key_kind_of(p.flags);
  const scanrt_u32 lane = ITEM() % 32, has_keys = HAS_KEYS && number * PART_ITEMS < p.tile_items;
  const scanrt_u64 first = scanrt_tile_first(p, tile) + number * PART_ITEMS;
  const scanrt_part_keys keys = scanrt_keys_place(p, kind.bytes, first, scanrt_alone_room(p, kind.bytes, number));
  scanrt_u32 *const words = (scanrt_u32 *)(p.ring + STAGE_MARKS) + number * PART_WORDS;
  scanrt_kept own = { 0, 0, scanrt_carry_none() };
  scanrt_lane_vectors x;
  scanrt_part part;
  scanrt_u32 has_few = 0, is_there = 0;
  if (has_keys) scanrt_keys_mark(p, kind, keys, (number + 1) * PART_ITEMS == p.tile_items, words);
  scanrt_async_wait();
  ALONE_BARRIER();
  p.lookback.epoch = (scanrt_u32)(p.shared->first_claim >> 32);
  if (HAS_VALUES) is_there = scanrt_part_begin(p, at, tile, number, x, part, has_few);
  ALONE_BARRIER();
  if (HAS_VALUES) scanrt_part_end(p, at, tile, number, x, part, is_there);
  const scanrt_u32 kept = HAS_KEYS ? scanrt_warp_sum(lane < number ? KEPT_COUNT(p.shared->part[0][lane]) : 0) : 0;
  const scanrt_u32 ends = has_keys ? scanrt_word_ends(p, first, words) : 0;
  if (HAS_KEYS && number == 0) own = scanrt_warp_tiles(p, tile / GROUP_TILES, tile % GROUP_TILES);
  if (HAS_KEYS && number == 1) scanrt_alone_first_group(p, tile);
  ALONE_BARRIER();
  if (HAS_KEYS && number == 0 && lane == 0) scanrt_prefix_post(p, at, tile, scanrt_alone_before(p, tile, own));
  ALONE_BARRIER();
  const scanrt_u64 prefix = p.shared->prefix[0];
  const scanrt_u32 count = scanrt_fitting(prefix, p.shared->count[0], p.capacity);
  if (HAS_VALUES && number < PIPE_WRITERS)
    scanrt_write_run(p.out + prefix * SELECT_BYTES, p.ring + STAGE_TILE, 0, count, number);
  if (has_keys) scanrt_keys_store(p, kind.bytes, prefix + kept, ends, keys);
}

FUNC void scanrt_alone_tile(scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 warp) {
#if SELECT_ALONE == 1
  scanrt_alone_part<1, 1>(p, tile, warp);
#else
  if (warp < PIPE_COMPACTORS)
    scanrt_alone_part<1, 0>(p, tile, warp);
  else
    scanrt_alone_part<0, 1>(p, tile, warp - PIPE_COMPACTORS);
#endif
}

extern "C" __global__ void __launch_bounds__(ALONE_ITEMS, ALONE_GROUPS) SELECT_KERNEL {
  DYNAMIC_SHARED(pipe_ring);
  __shared__ scanrt_select_shared shared;
  const scanrt_u32 warp = ITEM() / 32;
  PIPE_OPEN(0);
  p.marks = MEMORY(marks), p.rest = MEMORY(rest);
  p.capacity = capacity, p.rest_capacity = rest_capacity;
  p.shared = &shared;
  p.ring = pipe_ring;
  p.marks_shift = 0;
  p.tiles = (scanrt_u32)((p.n + p.tile_items - 1) / p.tile_items);
  p.stages = p.slots = 1;
  (void)seed_bits;
  const scanrt_u32 tile = GROUP();
  if (tile < p.tiles) scanrt_alone_copy(p, tile, warp);
  if (ITEM() == 0) { /* for the epoch alone */
    shared.first_claim = scanrt_lookback_claim(&p.lookback, GROUPS());
    scanrt_first_claimed(p, shared.first_claim, from, n, (scanrt_u64 *)MEMORY(n_overflow));
  }
  if (tile < p.tiles)
    scanrt_alone_tile(p, tile, warp);
  else
    BARRIER();
  p.lookback.epoch = (scanrt_u32)(shared.first_claim >> 32);
  if (p.lookback.epoch < EPOCH_LAST) return;
  BARRIER();
  if (ITEM() == 0) scanrt_lookback_finish_launch(&p.lookback, 0, 0);
}
#endif
