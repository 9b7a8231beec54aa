/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that waiting work-groups share: a control block, words for tiles, and words for groups of GROUP_TILES
 * tiles. Include it after claim_packed.h or a header with the same names. */
#ifndef SCANRT_CL_LOOKBACK_STATE_H
#define SCANRT_CL_LOOKBACK_STATE_H

#include "lib/control_block.h"

typedef struct scanrt_lookback_state {
  volatile GLOBAL scanrt_u32 *control;
  volatile GLOBAL scanrt_descriptor_word *tiles;
  volatile GLOBAL scanrt_descriptor_word *groups;
  scanrt_u64 words;
  scanrt_u32 epoch; /* set by the first claim */
} scanrt_lookback_state;

/* Returns the look-back state in the workspace. `each` is the number of words of a tile and of a group. */
FUNC scanrt_lookback_state scanrt_lookback_state_at(GLOBAL scanrt_u8 *workspace, scanrt_u32 tile_capacity,
                                                    scanrt_u32 each) {
  scanrt_lookback_state lookback;
  lookback.control = (volatile GLOBAL scanrt_u32 *)workspace;
  lookback.tiles = (volatile GLOBAL scanrt_descriptor_word *)(workspace + CONTROL_BYTES);
  lookback.groups = lookback.tiles + (scanrt_u64)tile_capacity * each;
  lookback.words = ((scanrt_u64)tile_capacity + tile_capacity / GROUP_TILES + 1) * each;
  lookback.epoch = 0;
  return lookback;
}

/* Claims a tile: returns it in the low half, the launch's epoch in the high half. `claims` is the number of claims in
 * the whole launch. */
FUNC scanrt_u64 scanrt_lookback_claim(const scanrt_lookback_state *lookback, scanrt_u64 claims) {
  return scanrt_claim_next(lookback->control, claims);
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
  if (ATOMIC_LOAD(lookback->control + CONTROL_DONE) != tiles) ATOMIC_STORE(lookback->control + CONTROL_ERROR, 1u);
  ATOMIC_STORE(lookback->control + CONTROL_DONE, 0u);
  ATOMIC_STORE(lookback->control + CONTROL_EXITED, 0u);
  if (lookback->epoch >= EPOCH_LAST)
    for (scanrt_u64 i = 0; i < lookback->words; i++) scanrt_descriptor_word_clear(lookback->tiles + i);
  scanrt_claim_restart(lookback->control, lookback->epoch >= EPOCH_LAST ? 0 : lookback->epoch);
}
#endif
