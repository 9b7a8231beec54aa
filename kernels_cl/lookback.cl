/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-pass scan with decoupled look-back (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
 * Look-back", NVIDIA, 2016), tiles claimed by an atomic ticket and published ahead: a work-group loads its next tile
 * and publishes that tile's aggregate before it looks back for its current one, so that look-backs find their answers
 * there.
 *
 * No waiting in a circle: a look-back waits for tiles before the current one only. Take the lowest tile that is claimed
 * and not published: its owner waits, if at all, in a look-back for a lower tile, whose needs are all published.
 */
#define NO_TILE 0xffffffffu

#ifdef SCAN_TEST_WITHHOLD
#define PUBLISHES(tile) ((tile) % SCAN_TEST_WITHHOLD != SCAN_TEST_WITHHOLD - 1)
#else
#define PUBLISHES(tile) 1
#endif

#if SCAN_GROUP_ITEMS == 1
/* A work-item keeps its tile in the cache instead of looking ahead. */
KERNEL(scan_lookback)(SCAN_PARAMETERS) {
  scan_job job = JOB();
  const scan_u64 claims = (scan_u64)job.tiles + GROUPS();
  scan_board board = board_open(workspace, tile_capacity);
  scan_u32 done = 0;
  look_state look;
  look.prefix = prefix_start(BITS_VALUE(seed_bits));
  look.next = 0;
#ifdef PREFETCH
  /* As a rule the tile that is claimed next: half of the work-groups run, the others wait for a processor. */
  job.ahead_bytes = (GROUPS() + 1) / 2 * TILE_ITEMS * INPUT_BYTES;
#endif
  for (;;) {
    const scan_u64 claim = board_claim(&board, claims);
    const scan_u32 tile = (scan_u32)claim;
    board.epoch = (scan_u32)(claim >> 32);
    if (tile >= job.tiles) break;
    const value_t aggregate = tile_reduce(&job, tile);
    if (PUBLISHES(tile)) descriptor_put(board.tiles, tile, aggregate, board.epoch);
    (void)tile_write(&job, tile, look_back(&job, &board, tile, &look, flags, spin_limit));
    look_past(&board, tile, aggregate, &look);
    done++;
  }
  board_close(&board, done, job.tiles);
}
#else
KERNEL(scan_lookback)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(tile_scratch, scratch, 1);
  const scan_job job = JOB();
  const scan_u32 claimer = ITEM() == SCAN_GROUP_ITEMS - 1; /* not one of the 128 that look back */
  const scan_u32 once = GROUPS() == job.tiles;             /* a tile for each work-group: nothing to look ahead for */
  const scan_u64 claims = (scan_u64)job.tiles + (once ? 0 : GROUPS());
  scan_board board = board_open(workspace, tile_capacity);
  scan_u32 tile = NO_TILE, done = 0;
  look_state look;
  tile_state current, next;
  look.groups = BITS_VALUE(seed_bits);
  look.folded = 0;
  look_init(scratch);
  for (;;) {
    /* Claimed here and not earlier: a tile that is claimed and not yet published holds up everybody after it (claiming
     * before the look-back: 79 % of a copy instead of 91 %, int32, n = 2^28, H200). */
    scan_u32 ahead = NO_TILE;
    if (!once || tile == NO_TILE) {
      if (claimer) scratch->claim = board_claim(&board, claims);
      BARRIER();
      ahead = (scan_u32)scratch->claim;
      board.epoch = (scan_u32)(scratch->claim >> 32);
    }
    if (ahead < job.tiles) tile_load(&job, ahead, &next);
    if (tile != NO_TILE) { /* while the next one is on its way */
      look_ask(&board, tile, &look);
      tile_scan(&current);
    }
    if (ahead < job.tiles) {
      tile_fold(&job, ahead, &next, scratch);
      if (ITEM() == 0 && PUBLISHES(ahead)) descriptor_put(board.tiles, ahead, next.aggregate, board.epoch);
      if (ahead % GROUP_TILES == GROUP_TILES - 1 && ahead + 1 < job.tiles)
        group_publish(&job, &board, ahead / GROUP_TILES, scratch, flags, spin_limit);
    }
    if (tile != NO_TILE) {
      const value_t prefix = look_back(&job, &board, tile, &look, scratch, flags, spin_limit);
      tile_store(&job, tile, &current, prefix);
      done++;
    }
    if (ahead >= job.tiles) break;
    current = next;
    tile = ahead;
  }
  if (ITEM() == 0) board_close(&board, done, job.tiles);
}
#endif
