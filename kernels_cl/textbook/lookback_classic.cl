/* SPDX-License-Identifier: BSD-2-Clause */
/* Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA NVR-2016-002, 2016, as
 * published: a tile publishes its aggregate as soon as it is known, polls the 32 tiles before it at once, adds up
 * aggregates back to the nearest prefix, over as many such windows as needed, and publishes its own prefix. */
#include "textbook/tickets.h"

#define WINDOW 32

typedef struct scanrt_lookback_scratch {
  scanrt_rake_scratch tile;
  scanrt_value_t value[WINDOW]; /* the tiles before, nearest first */
  scanrt_u32 state[WINDOW];
} scanrt_lookback_scratch;

/* Returns the prefix of a tile other than the first; valid in item 0. */
FUNC scanrt_value_t scanrt_lookback_prefix(const scanrt_lookback_state *lookback, scanrt_u32 tile,
                                           LOCAL scanrt_lookback_scratch *s) {
  scanrt_value_t run = IDENTITY;
  for (scanrt_u32 nearest = tile;; nearest -= WINDOW) {
    /* Tile 0 always has a prefix: entries for tiles before it are never read. */
    if (ITEM() < WINDOW && ITEM() < nearest) {
      scanrt_value_t value;
      s->state[ITEM()] = scanrt_state_wait(lookback, nearest - 1 - ITEM(), STATE_AGGREGATE, &value);
      s->value[ITEM()] = value;
    }
    BARRIER();
    scanrt_u32 last = 0;
    while (last < WINDOW - 1 && s->state[last] != STATE_PREFIX) last++;
    const scanrt_u32 found = s->state[last] == STATE_PREFIX;
    if (ITEM() == 0)
      for (scanrt_u32 l = 0; l <= last; l++)
        run = l == 0 && nearest == tile ? s->value[0] : scanrt_combine(s->value[l], run);
    BARRIER(); /* before the next window */
    if (found) return run;
  }
}

KERNEL(lookback_classic_scan)(PARAMETERS(TEXTBOOK_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_lookback_scratch, scratch, 1);
  LOCAL scanrt_rake_scratch *const s = &scratch->tile;
  const scanrt_job job = JOB();
  const scanrt_lookback_state lookback =
      scanrt_lookback_state_open(MEMORY(workspace), scanrt_tiles_of(&job, TILE), spin_limit, 0);
  const scanrt_u32 tile = scanrt_ticket_draw(&lookback, s);
  scanrt_value_t total, prefix = BITS_VALUE(seed_bits);
  const scanrt_value_t before = scanrt_group_scan(scanrt_rake_load(&job, tile, s), 0, &total, &s->group);
  if (tile > 0) {
    if (ITEM() == 0) scanrt_state_put(&lookback, tile, total, STATE_AGGREGATE);
    prefix = scanrt_lookback_prefix(&lookback, tile, scratch);
  }
  if (ITEM() == 0) {
    scanrt_state_put(&lookback, tile, scanrt_combine(prefix, total), STATE_PREFIX);
    s->prefix = prefix;
  }
  BARRIER();
  scanrt_rake_store(&job, tile, scanrt_combine(s->prefix, before), s);
}
