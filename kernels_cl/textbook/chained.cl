/* SPDX-License-Identifier: BSD-2-Clause */
/* Yan, Long, Zhang, "StreamScan: Fast Scan Algorithms for GPUs without Global Barrier Synchronization", PPoPP 2013: one
 * pass, in which each tile waits for the prefix of the tile before it and publishes its own. The chain has as many
 * links as there are tiles. Tiles are claimed by ticket. */
#include "textbook/tickets.h"

KERNEL(chained_scan)(PARAMETERS(TEXTBOOK_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_rake_scratch, scratch, 1);
  const scanrt_job job = JOB();
  const scanrt_lookback_state lookback =
      scanrt_lookback_state_open(MEMORY(workspace), scanrt_tiles_of(&job, TILE), spin_limit, 0);
  const scanrt_u32 tile = scanrt_ticket_draw(&lookback, scratch);
  scanrt_value_t total;
  const scanrt_value_t before = scanrt_group_scan(scanrt_rake_load(&job, tile, scratch), 0, &total, &scratch->group);
  if (ITEM() == 0) {
    scanrt_value_t prefix = BITS_VALUE(seed_bits);
    if (tile > 0) (void)scanrt_state_wait(&lookback, tile - 1, STATE_PREFIX, &prefix);
    scanrt_state_put(&lookback, tile, scanrt_combine(prefix, total), STATE_PREFIX);
    scratch->prefix = prefix;
  }
  BARRIER();
  scanrt_rake_store(&job, tile, scanrt_combine(scratch->prefix, before), scratch);
}
