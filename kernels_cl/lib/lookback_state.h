/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that waiting work-groups share: a control block, words for tiles, and words for groups of GROUP_TILES
 * tiles. Include it after claim_packed.h or a header with the same names. */
#ifndef SCANRT_CL_LOOKBACK_STATE_H
#define SCANRT_CL_LOOKBACK_STATE_H

#include "lib/control_block.h"
#include "lib/words.h"

/* 1 if a wait ends after so many polls: it has reached its bound, or another work-group has given up. */
#ifndef POLL_PAUSE
#define POLL_PAUSE() ((void)0)
#endif
#define WAIT_ENDS(lookback, polls)                                                                                     \
  (POLL_PAUSE(), SCANRT_WAIT_ENDS(polls, (lookback)->spin_limit, (lookback)->control + CONTROL_ERROR))

/* 1 if a tile is the last one of its group and other tiles follow, which need the group's total. */
#define ENDS_GROUP(tile, tiles) ((tile) % GROUP_TILES == GROUP_TILES - 1 && (tile) + 1 < (tiles))

typedef struct scanrt_lookback_state {
  volatile GLOBAL scanrt_u32 *control;
  volatile GLOBAL scanrt_descriptor_word *tiles;
  volatile GLOBAL scanrt_descriptor_word *groups;
  scanrt_u64 words;
  scanrt_u32 epoch;      /* set by the first claim */
  scanrt_u32 spin_limit; /* the polls of a wait */
  scanrt_u32 recomputes; /* 1 if a tile that is missing may be computed anew: the input is not overwritten */
} scanrt_lookback_state;

/* Returns the look-back state in the workspace. `each` is the number of words of a tile and of a group. */
FUNC scanrt_lookback_state scanrt_lookback_state_at(GLOBAL scanrt_u8 *workspace, scanrt_u32 tile_capacity,
                                                    scanrt_u32 each, scanrt_u32 spin_limit, scanrt_u32 recomputes) {
  scanrt_lookback_state lookback;
  lookback.control = (volatile GLOBAL scanrt_u32 *)workspace;
  lookback.tiles = (volatile GLOBAL scanrt_descriptor_word *)(workspace + CONTROL_BYTES);
  lookback.groups = lookback.tiles + (scanrt_u64)tile_capacity * each;
  lookback.words = ((scanrt_u64)tile_capacity + tile_capacity / GROUP_TILES + 1) * each;
  lookback.epoch = 0;
  lookback.spin_limit = spin_limit;
  lookback.recomputes = recomputes;
  return lookback;
}

/* Claims a tile: returns it in the low half, the launch's epoch in the high half. `claims` is the number of claims in
 * the whole launch. */
FUNC scanrt_u64 scanrt_lookback_claim(const scanrt_lookback_state *lookback, scanrt_u64 claims) {
  return scanrt_claim_next(lookback->control, claims);
}

/* Reports that the output is invalid. Waits of other work-groups then end early. */
FUNC void scanrt_lookback_give_up(const scanrt_lookback_state *lookback) {
  ATOMIC_STORE(lookback->control + CONTROL_ERROR, 1u);
}

/* Ends the launch for a work-group; each calls it once, when it has no tile left. Unless the last claim has reset the
 * control block, the last work-group out does so, after comparing the tiles written with the tiles of the launch. In
 * the last epoch it also clears the descriptors, which would otherwise seem fresh when their epoch returns. */
FUNC void scanrt_lookback_finish_launch(const scanrt_lookback_state *lookback, scanrt_u32 tiles_done,
                                        scanrt_u32 tiles) {
  if (!COUNTS_TILES && lookback->epoch < EPOCH_LAST) return;
  ATOMIC_ADD(lookback->control + CONTROL_DONE, tiles_done);
  FENCE(); /* the count is visible before the exit */
  if (ATOMIC_ADD(lookback->control + CONTROL_EXITED, 1u) + 1 != GROUPS()) return;
  FENCE(); /* after all exits: all counts are visible, and no other work-group writes a word after it is cleared */
  if (ATOMIC_LOAD(lookback->control + CONTROL_DONE) != tiles) scanrt_lookback_give_up(lookback);
  ATOMIC_STORE(lookback->control + CONTROL_DONE, 0u);
  ATOMIC_STORE(lookback->control + CONTROL_EXITED, 0u);
  if (lookback->epoch >= EPOCH_LAST)
    for (scanrt_u64 i = 0; i < lookback->words; i++) scanrt_descriptor_word_clear(lookback->tiles + i);
  scanrt_claim_restart(lookback->control, lookback->epoch >= EPOCH_LAST ? 0 : lookback->epoch);
}
#endif
