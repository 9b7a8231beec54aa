/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-pass scan with decoupled look-back (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
 * Look-back", NVIDIA, 2016). Tiles are claimed by an atomic ticket and published ahead: a work-group loads its next
 * tile and publishes that tile's aggregate before it looks back for its current one, so that look-backs rarely wait.
 *
 * Waits cannot form a cycle: a look-back waits only for tiles before the current one. Consider the lowest tile that is
 * claimed and not published: if its owner waits, it waits in a look-back for a lower tile, and all that this look-back
 * needs is published. */
#include "lib/descriptor.h"
#include "scan/scan_tile.h"
#include "lib/test_hooks.h"

#if SCAN_GROUP_ITEMS == 1
#include "scan/lookback_item.h"
#else
#include "scan/lookback_group.h"
#endif

#define NO_TILE 0xffffffffu

#if SCAN_GROUP_ITEMS == 1
/* Tiles of a claim. Two processors take 0.1 us for one, as long as for a third of a tile's total. */
#define CLAIM_MOST 8
#define CLAIMS_A_GROUP 8
#if SCAN_ENDS_LOOPS
#define CLAIM_TILES(job) 1
#else
#define CLAIM_TILES(job) (SKIPS(job) ? scanrt_claim_tiles((job)->tiles) : 1)
FUNC scanrt_u32 scanrt_claim_tiles(scanrt_u32 tiles) {
  const scanrt_u32 most = tiles / (GROUPS() * CLAIMS_A_GROUP);
  return most < 1 ? 1 : most < CLAIM_MOST ? most : CLAIM_MOST;
}
#endif

/* A work-item keeps its tile in the cache instead of looking ahead.
 *
 * The loop has the form that llvmpipe (Mesa 22.3) needs, which runs a work-item as one lane of eight. The other lanes
 * get 0 from every atomic and keep a loop going until its iterations run out; by then, variables that the loop assigns
 * and later code reads are overwritten. So iterations are counted, the loop is left at its top, and the launch is
 * finished inside it. */
KERNEL(scan_lookback)(PARAMETERS(LOOKBACK_ARGUMENTS)) {
  scanrt_job job = JOB();
  const scanrt_u32 each = CLAIM_TILES(&job), runs = (job.tiles + each - 1) / each;
  const scanrt_u64 claims = (scanrt_u64)runs + GROUPS();
  scanrt_lookback_state lookback = scanrt_lookback_state_open(MEMORY(workspace), tile_capacity, SPIN_LIMIT(spin_limit),
                                                              RECOMPUTES(flags & FLAG_IN_PLACE));
  scanrt_u32 done = 0;
  scanrt_lookback_cursor cursor;
#ifdef READ_AHEAD
  /* The distance to the tile that is usually claimed next: half of the work-groups run, the others wait for a
   * processor. */
  job.ahead_bytes = (GROUPS() + 1) / 2 * JOB_TILE_ITEMS(&job) * INPUT_BYTES;
#endif
  scanrt_lookback_init(&cursor, SEED());
  for (scanrt_u32 turn = 0, is_open = 1; is_open && turn <= runs; turn++) {
    const scanrt_u64 claim = scanrt_lookback_claim(&lookback, claims);
    const scanrt_u32 run = CLAIMED((scanrt_u32)claim, runs);
    lookback.epoch = (scanrt_u32)(claim >> 32);
    if (run >= runs) {
      scanrt_lookback_finish_launch(&lookback, done, job.tiles);
      is_open = 0;
      continue;
    }
    for (scanrt_u32 tile = run * each; tile < (run + 1) * each && tile < job.tiles; tile++) {
      if (LOSES(tile)) continue;
      if (LOOKS_ANEW) scanrt_lookback_init(&cursor, SEED());
      const scanrt_value_t aggregate = scanrt_tile_reduce(&job, tile);
      STALL(&lookback, tile);
      if (PUBLISHES(tile)) scanrt_descriptor_put(lookback.tiles, tile, aggregate, lookback.epoch);
      if (TILE_WANTED(&job, tile)) {
        const scanrt_value_t prefix = scanrt_lookback_prefix(&job, &lookback, tile, &cursor);
        scanrt_tile_state none;
        scanrt_tile_sink(&job, tile, &none, prefix);
        scanrt_lookback_advance(&lookback, tile, aggregate, &cursor, PUBLISHES_GROUPS);
      }
      done += scanrt_tile_is_complete(job.zero);
    }
  }
  FINISH_EMPTY(&job, SEED());
}
#else
KERNEL(scan_lookback)(PARAMETERS(LOOKBACK_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);
  const scanrt_job job = JOB();
  const scanrt_u32 claimer = ITEM() == SCAN_GROUP_ITEMS - 1; /* not one of the 128 work-items that look back */
  const scanrt_u32 once = GROUPS() == job.tiles;             /* each work-group has one tile: no tile to load ahead */
  const scanrt_u64 claims = (scanrt_u64)job.tiles + (once ? 0 : GROUPS());
  const scanrt_u32 first_wanted = FIRST_WANTED(&job);
  scanrt_lookback_state lookback = scanrt_lookback_state_open(MEMORY(workspace), tile_capacity, SPIN_LIMIT(spin_limit),
                                                              RECOMPUTES(flags & FLAG_IN_PLACE));
  /* Out of place, the work-group's number can then be its ticket. The tile is loaded while the claim, which only
   * brings the epoch, is on its way. Work-groups may start in any order: one that waits for a tile reduces it. */
  const scanrt_u32 own = OWN_TILES && once && lookback.recomputes;
  scanrt_u32 tile = NO_TILE, done = 0;
  scanrt_lookback_cursor cursor;
  scanrt_tile_state current, next;
  scanrt_lookback_init(&cursor, SEED());
  scanrt_lookback_clear_missing(scratch);
  if (!once) scanrt_tile_prefetch(&job, GROUP()); /* some work-group claims it at once */
  for (;;) {
    /* The claim is made no earlier: a tile that is claimed and not yet published delays all tiles after it (claiming
     * before the look-back: 79 % of a copy instead of 91 %, int32, n = 2^28, H200). */
    scanrt_u32 ahead = NO_TILE;
    if (own && tile == NO_TILE) {
      ahead = GROUP();
    } else if (!once || tile == NO_TILE) {
      if (claimer) scratch->claim = scanrt_lookback_claim(&lookback, claims);
      BARRIER();
      ahead = CLAIMED((scanrt_u32)scratch->claim, job.tiles);
      lookback.epoch = (scanrt_u32)(scratch->claim >> 32);
    }
    if (ahead < job.tiles) scanrt_tile_load(&job, ahead, &next);
    if (own && tile == NO_TILE && claimer) scratch->claim = scanrt_lookback_claim(&lookback, claims);
    if (!once) scanrt_tile_prefetch(&job, ahead + (scanrt_u64)GROUPS()); /* keeps memory busy during the computation */
    if (tile != NO_TILE && tile >= first_wanted) {                       /* while the next tile is loading */
      scanrt_lookback_prefetch(&lookback, tile, &cursor);
      scanrt_tile_scan(&job, tile, &current);
    }
    if (ahead < job.tiles) {
      scanrt_tile_fold(&job, ahead, &next, scratch); /* its barrier is also the one after the claim */
      if (own) lookback.epoch = (scanrt_u32)(scratch->claim >> 32);
      STALL(&lookback, ahead);
      if (ITEM() == 0 && PUBLISHES(ahead)) scanrt_descriptor_put(lookback.tiles, ahead, next.aggregate, lookback.epoch);
      if (PUBLISHES_GROUPS && ENDS_GROUP(ahead, job.tiles))
        (void)scanrt_group_publish(&job, &lookback, ahead / GROUP_TILES, scratch);
    }
    if (tile != NO_TILE && tile >= first_wanted) {
      if (LOOKS_ANEW) scanrt_lookback_init(&cursor, SEED());
      const scanrt_value_t prefix = scanrt_lookback_prefix(&job, &lookback, tile, &cursor, scratch);
      if (!LOSES(tile)) scanrt_tile_sink(&job, tile, &current, prefix);
    }
    if (tile != NO_TILE && !LOSES(tile)) done += scanrt_tile_is_complete(job.zero);
    if (ahead >= job.tiles) break;
    current = next;
    tile = ahead;
  }
  if (ITEM() == 0) scanrt_lookback_finish_launch(&lookback, done, job.tiles);
  FINISH_EMPTY(&job, SEED());
}
#endif
