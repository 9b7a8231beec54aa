/* SPDX-License-Identifier: BSD-2-Clause */
/* Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA NVR-2016-002, 2016, as
 * published: a tile publishes its aggregate as soon as it has it, looks at a window of 32 tiles before it at once, adds
 * up aggregates back to the nearest prefix, over as many windows as that takes, and publishes its own prefix. */
#include "gallery/tickets.h"

#define WINDOW 32

typedef struct look_scratch {
  rake_scratch tile;
  value_t value[WINDOW]; /* of the tiles before, the nearest first */
  scan_u32 state[WINDOW];
} look_scratch;

/* The prefix of a tile other than the first, in item 0. */
FUNC value_t look_back(const scan_board *b, scan_u32 tile, LOCAL look_scratch *s, scan_u32 spin_limit) {
  value_t run = IDENTITY;
  for (scan_u32 nearest = tile;; nearest -= WINDOW) {
    /* Tile 0 has a prefix, so that no window begins before it, and none before the first counts. */
    if (ITEM() < WINDOW && ITEM() < nearest) {
      value_t value;
      s->state[ITEM()] = state_wait(b, nearest - 1 - ITEM(), STATE_AGGREGATE, &value, spin_limit);
      s->value[ITEM()] = value;
    }
    BARRIER();
    scan_u32 last = 0;
    while (last < WINDOW - 1 && s->state[last] != STATE_PREFIX) last++;
    const scan_u32 found = s->state[last] == STATE_PREFIX;
    if (ITEM() == 0)
      for (scan_u32 l = 0; l <= last; l++) run = l == 0 && nearest == tile ? s->value[0] : combine(s->value[l], run);
    BARRIER(); /* before the next window */
    if (found) return run;
  }
}

KERNEL(lookback_classic_clear)(SCAN_PARAMETERS) {
  const scan_job job = JOB();
  (void)seed_bits, (void)tile_capacity, (void)spin_limit;
  tickets_clear(&job, workspace);
}

KERNEL(lookback_classic_scan)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(look_scratch, scratch, 1);
  LOCAL rake_scratch *const s = &scratch->tile;
  const scan_job job = JOB();
  const scan_board board = board_open(workspace, tiles_of(&job, TILE));
  const scan_u32 tile = ticket_take(&board, s);
  (void)tile_capacity;
  value_t total, prefix = BITS_VALUE(seed_bits);
  const value_t before = group_scan(rake_load(&job, tile, s), 0, &total, &s->group);
  if (tile > 0) {
    if (ITEM() == 0) state_put(&board, tile, total, STATE_AGGREGATE);
    prefix = look_back(&board, tile, scratch, spin_limit);
  }
  if (ITEM() == 0) {
    state_put(&board, tile, combine(prefix, total), STATE_PREFIX);
    s->prefix = prefix;
  }
  BARRIER();
  rake_store(&job, tile, combine(s->prefix, before), s);
}
