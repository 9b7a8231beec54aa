/* SPDX-License-Identifier: BSD-2-Clause */
/* What work-groups that wait for one another share: a control block, words for tiles and words for groups of
 * GROUP_TILES of them. Included behind claim_packed.h or what has the same names. */
#ifndef SCANRT_CL_BOARD_H
#define SCANRT_CL_BOARD_H

#include "control_block.h"

typedef struct scanrt_board {
  volatile GLOBAL scanrt_u32 *control;
  volatile GLOBAL scanrt_descriptor_word *tiles;
  volatile GLOBAL scanrt_descriptor_word *groups;
  scanrt_u64 words;
  scanrt_u32 epoch; /* comes with the first claim */
} scanrt_board;

/* `each`: words of a tile, and of a group. */
FUNC scanrt_board scanrt_board_at(GLOBAL scanrt_u8 *workspace, scanrt_u32 tile_capacity, scanrt_u32 each) {
  scanrt_board b;
  b.control = (volatile GLOBAL scanrt_u32 *)workspace;
  b.tiles = (volatile GLOBAL scanrt_descriptor_word *)(workspace + CONTROL_BYTES);
  b.groups = b.tiles + (scanrt_u64)tile_capacity * each;
  b.words = ((scanrt_u64)tile_capacity + tile_capacity / GROUP_TILES + 1) * each;
  b.epoch = 0;
  return b;
}

/* The tile in the low half, the launch's epoch above. `claims` is how many there are in the whole launch. */
FUNC scanrt_u64 scanrt_board_claim(const scanrt_board *b, scanrt_u64 claims) {
  return scanrt_claim_next(b->control, claims);
}

/* Called once by each work-group when it has no tile left. Where the last claim has not done it, the last one out
 * makes the workspace ready for the next launch. Before the epoch comes round, the descriptors are cleared: one would
 * otherwise be taken for fresh when its epoch returns. */
FUNC void scanrt_board_close(const scanrt_board *b, scanrt_u32 tiles_done, scanrt_u32 tiles) {
  if (!COUNTS_TILES && b->epoch < EPOCH_LAST) return;
  ATOMIC_ADD(b->control + CONTROL_DONE, tiles_done);
  FENCE(); /* the count is there before the exit is */
  if (ATOMIC_ADD(b->control + CONTROL_EXITED, 1u) + 1 != GROUPS()) return;
  FENCE(); /* and what the others did before theirs is seen: all counts, and no word of theirs after it is cleared */
  if (ATOMIC_LOAD(b->control + CONTROL_DONE) != tiles) ATOMIC_STORE(b->control + CONTROL_ERROR, 1u);
  ATOMIC_STORE(b->control + CONTROL_DONE, 0u);
  ATOMIC_STORE(b->control + CONTROL_EXITED, 0u);
  if (b->epoch >= EPOCH_LAST)
    for (scanrt_u64 i = 0; i < b->words; i++) scanrt_descriptor_word_clear(b->tiles + i);
  scanrt_claim_restart(b->control, b->epoch >= EPOCH_LAST ? 0 : b->epoch);
}
#endif
