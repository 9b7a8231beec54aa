/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-pass scan with decoupled look-back (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
 * Look-back", NVIDIA, 2016), tiles claimed by an atomic ticket and published ahead: a work-group loads its next tile
 * and publishes that tile's aggregate before it looks back for its current one, so that look-backs find their answers
 * there.
 *
 * No waiting in a circle: a look-back waits for tiles before the current one only. Take the lowest tile that is claimed
 * and not published: its owner waits, if at all, in a look-back for a lower tile, whose needs are all published.
 */
#include "descriptor.h"
#include "scan_tile.h"
#include "schedules.h"

#if SCAN_GROUP_ITEMS == 1
#include "lookback_item.h"
#else
#include "lookback_group.h"
#endif

#define NO_TILE 0xffffffffu

#if SCAN_GROUP_ITEMS == 1
/* A work-item keeps its tile in the cache instead of looking ahead.
 *
 * The loop's form is llvmpipe's (Mesa 22.3): it runs a work-item as one lane of eight. The other lanes get 0 from every
 * atomic and keep a loop going until its turns run out; what the loop assigns and code after it reads is by then
 * overwritten. So the turns are counted, the loop is left at its top, and the board is closed inside. */
KERNEL(scan_lookback)(SCAN_PARAMETERS) {
  scan_job job = JOB();
  const scan_u32 look_flags = FALLBACK(flags), polls = SPIN_LIMIT(spin_limit);
  const scan_u64 claims = (scan_u64)job.tiles + GROUPS();
  scan_board board = board_open(workspace, tile_capacity);
  scan_u32 done = 0;
  look_state look;
#ifdef READ_AHEAD
  /* As a rule the tile that is claimed next: half of the work-groups run, the others wait for a processor. */
  job.ahead_bytes = (GROUPS() + 1) / 2 * TILE_ITEMS * INPUT_BYTES;
#endif
  look_start(&look, SEED());
  for (scan_u32 turn = 0, is_open = 1; is_open && turn <= job.tiles; turn++) {
    const scan_u64 claim = board_claim(&board, claims);
    const scan_u32 tile = CLAIMED((scan_u32)claim, job.tiles);
    board.epoch = (scan_u32)(claim >> 32);
    if (tile >= job.tiles) {
      board_close(&board, done, job.tiles);
      is_open = 0;
      continue;
    }
    if (LOSES(tile)) continue;
    if (LOOKS_ANEW) look_start(&look, SEED());
    const value_t aggregate = tile_reduce(&job, tile);
    STALL(&board, tile);
    if (PUBLISHES(tile)) descriptor_put(board.tiles, tile, aggregate, board.epoch);
    const value_t prefix = look_back(&job, &board, tile, &look, look_flags, polls);
    tile_state none;
    if (TILE_WANTED(&job, tile)) tile_sink(&job, tile, &none, prefix);
    look_past(&board, tile, aggregate, &look, PUBLISHES_GROUPS);
    done += board_count(job.zero);
  }
}
#else
KERNEL(scan_lookback)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(tile_scratch, scratch, 1);
  const scan_job job = JOB();
  const scan_u32 look_flags = FALLBACK(flags), polls = SPIN_LIMIT(spin_limit);
  const scan_u32 claimer = ITEM() == SCAN_GROUP_ITEMS - 1; /* not one of the 128 that look back */
  const scan_u32 once = GROUPS() == job.tiles;             /* a tile for each work-group: nothing to look ahead for */
  /* Then its own number serves as the ticket, and the tile is loaded while the claim is on its way, which only brings
   * the epoch: in whatever order work-groups start, a tile that is missing is reduced by whoever waits for it. */
  const scan_u32 own = OWN_TILES && once && !(look_flags & FLAG_IN_PLACE);
  const scan_u64 claims = (scan_u64)job.tiles + (once ? 0 : GROUPS());
  scan_board board = board_open(workspace, tile_capacity);
  scan_u32 tile = NO_TILE, done = 0;
  look_state look;
  tile_state current, next;
  look_start(&look, SEED());
  look_init(scratch);
  if (!once) tile_prefetch(&job, GROUP()); /* somebody claims it at once */
  for (;;) {
    /* Claimed here and not earlier: a tile that is claimed and not yet published holds up everybody after it (claiming
     * before the look-back: 79 % of a copy instead of 91 %, int32, n = 2^28, H200). */
    scan_u32 ahead = NO_TILE;
    if (own && tile == NO_TILE) {
      ahead = GROUP();
    } else if (!once || tile == NO_TILE) {
      if (claimer) scratch->claim = board_claim(&board, claims);
      BARRIER();
      ahead = CLAIMED((scan_u32)scratch->claim, job.tiles);
      board.epoch = (scan_u32)(scratch->claim >> 32);
    }
    if (ahead < job.tiles) tile_load(&job, ahead, &next);
    if (own && tile == NO_TILE && claimer) scratch->claim = board_claim(&board, claims);
    if (!once) tile_prefetch(&job, ahead + (scan_u64)GROUPS()); /* the memory does not rest while others compute */
    if (tile != NO_TILE && TILE_WANTED(&job, tile)) {           /* while the next one is on its way */
      look_ask(&board, tile, &look);
      tile_scan(&job, tile, &current);
    }
    if (ahead < job.tiles) {
      tile_fold(&job, ahead, &next, scratch); /* its barrier is the claim's, too */
      if (own) board.epoch = (scan_u32)(scratch->claim >> 32);
      STALL(&board, ahead);
      if (ITEM() == 0 && PUBLISHES(ahead)) descriptor_put(board.tiles, ahead, next.aggregate, board.epoch);
      if (PUBLISHES_GROUPS && ahead % GROUP_TILES == GROUP_TILES - 1 && ahead + 1 < job.tiles)
        (void)group_publish(&job, &board, ahead / GROUP_TILES, scratch, look_flags, polls);
    }
    if (tile != NO_TILE && TILE_WANTED(&job, tile)) {
      if (LOOKS_ANEW) look_start(&look, SEED());
      const value_t prefix = look_back(&job, &board, tile, &look, scratch, look_flags, polls);
      if (!LOSES(tile)) tile_sink(&job, tile, &current, prefix);
    }
    if (tile != NO_TILE && !LOSES(tile)) done += board_count(job.zero);
    if (ahead >= job.tiles) break;
    current = next;
    tile = ahead;
  }
  if (ITEM() == 0) board_close(&board, done, job.tiles);
}
#endif
