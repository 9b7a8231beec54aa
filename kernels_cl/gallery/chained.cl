/* SPDX-License-Identifier: BSD-2-Clause */
/* Yan, Long, Zhang, "StreamScan: Fast Scan Algorithms for GPUs without Global Barrier Synchronization", PPoPP 2013: one
 * pass, in which each tile waits for the prefix of the one before it and hands on its own. The chain is as long as
 * there are tiles. Tiles are claimed by ticket. */
#include "gallery/tickets.h"

KERNEL(chained_clear)(SCAN_PARAMETERS) {
  const scan_job job = JOB();
  (void)seed_bits, (void)tile_capacity, (void)spin_limit;
  tickets_clear(&job, workspace);
}

KERNEL(chained_scan)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(rake_scratch, scratch, 1);
  const scan_job job = JOB();
  const scan_board board = board_open(workspace, tiles_of(&job, TILE));
  const scan_u32 tile = ticket_take(&board, scratch);
  (void)tile_capacity;
  value_t total;
  const value_t before = group_scan(rake_load(&job, tile, scratch), 0, &total, &scratch->group);
  if (ITEM() == 0) {
    value_t prefix = BITS_VALUE(seed_bits);
    if (tile > 0) (void)state_wait(&board, tile - 1, STATE_PREFIX, &prefix, spin_limit);
    state_put(&board, tile, combine(prefix, total), STATE_PREFIX);
    scratch->prefix = prefix;
  }
  BARRIER();
  rake_store(&job, tile, combine(scratch->prefix, before), scratch);
}
