/* SPDX-License-Identifier: BSD-2-Clause */
/* What the single-pass scans of the gallery share: tiles by ticket, and a descriptor a tile that says how far it is.
 * The descriptors are descriptor.h's, with the tile's state in place of the epoch, so that a launch of its own must
 * clear them first, as the originals have it. */
#ifndef SCANRT_CL_TICKETS_H
#define SCANRT_CL_TICKETS_H

#include "descriptor.h"
#include "gallery/rake.h"
#include "schedules.h"

#define STATE_INVALID 0u
#define STATE_AGGREGATE 1u
#define STATE_PREFIX 2u
#define CONTROL_TICKET 0 /* 32-bit words: the next tile to hand out */

/* A descriptor an item. */
FUNC void tickets_clear(const scan_job *job, GLOBAL scan_u8 *workspace) {
  const scan_u32 tiles = tiles_of(job, TILE), tile = GROUP() * SCAN_GROUP_ITEMS + ITEM();
  const scan_board board = board_open(workspace, tiles);
  if (tile < tiles) descriptor_put(board.tiles, tile, (value_t)0, STATE_INVALID);
  if (tile == 0) ATOMIC_STORE(board.control + CONTROL_TICKET, 0u);
}

/* The work-group's tile. No waiting in a circle: whoever has an earlier ticket has started. */
FUNC scan_u32 ticket_take(const scan_board *b, LOCAL rake_scratch *s) {
  if (ITEM() == 0) s->tile = ATOMIC_ADD(b->control + CONTROL_TICKET, 1u);
  BARRIER();
  return s->tile;
}

FUNC void state_put(const scan_board *b, scan_u32 tile, value_t value, scan_u32 state) {
  if (PUBLISHES(tile)) descriptor_put(b->tiles, tile, value, state);
}

/* Polls a descriptor, at most spin_limit times, until its state is `least` or more; the host then hears of it. */
FUNC scan_u32 state_wait(const scan_board *b, scan_u32 tile, scan_u32 least, value_t *value, scan_u32 spin_limit) {
  for (scan_u32 polls = 1;; polls++) {
    scan_u64 word[DESCRIPTOR_WORDS];
    descriptor_ask(b->tiles, tile, word);
    if (descriptor_decode(word, value, STATE_PREFIX)) return STATE_PREFIX;
    if (least == STATE_AGGREGATE && descriptor_decode(word, value, STATE_AGGREGATE)) return STATE_AGGREGATE;
    if (polls >= spin_limit || (polls % 1024 == 0 && ATOMIC_LOAD(b->control + CONTROL_ERROR))) break;
  }
  ATOMIC_STORE(b->control + CONTROL_ERROR, 1u);
  *value = IDENTITY;
  return STATE_PREFIX;
}
#endif
