/* SPDX-License-Identifier: BSD-2-Clause */
/* What the single-pass scans of the gallery share: tiles by ticket, and a descriptor a tile that says how far it is.
 * The descriptors are descriptor.h's, with the tile's state in place of the epoch, so that they must be
 * cleared first, as the originals have it. */
#ifndef SCANRT_CL_TICKETS_H
#define SCANRT_CL_TICKETS_H

#include "descriptor.h"
#include "gallery/rake.h"
#include "schedules.h"

#define STATE_INVALID 0u
#define STATE_AGGREGATE 1u
#define STATE_PREFIX 2u
#define CONTROL_TICKET 0 /* 32-bit words: the next tile to hand out */

/* The work-group's tile. No waiting in a circle: whoever has an earlier ticket has started. */
FUNC scanrt_u32 scanrt_ticket_take(const scanrt_board *b, LOCAL scanrt_rake_scratch *s) {
  if (ITEM() == 0) s->tile = ATOMIC_ADD(b->control + CONTROL_TICKET, 1u);
  BARRIER();
  return s->tile;
}

FUNC void scanrt_state_put(const scanrt_board *b, scanrt_u32 tile, scanrt_value_t value, scanrt_u32 state) {
  if (PUBLISHES(tile)) scanrt_descriptor_put(b->tiles, tile, value, state);
}

/* Polls a descriptor, at most spin_limit times, until its state is `least` or more; the host then hears of it. */
FUNC scanrt_u32 scanrt_state_wait(const scanrt_board *b, scanrt_u32 tile, scanrt_u32 least, scanrt_value_t *value,
                                  scanrt_u32 spin_limit) {
  for (scanrt_u32 polls = 1;; polls++) {
    scanrt_u64 word[DESCRIPTOR_WORDS];
    scanrt_descriptor_ask(b->tiles, tile, word);
    if (scanrt_descriptor_decode(word, value, STATE_PREFIX)) return STATE_PREFIX;
    if (least == STATE_AGGREGATE && scanrt_descriptor_decode(word, value, STATE_AGGREGATE)) return STATE_AGGREGATE;
    if (polls >= spin_limit || (polls % 1024 == 0 && ATOMIC_LOAD(b->control + CONTROL_ERROR))) break;
  }
  ATOMIC_STORE(b->control + CONTROL_ERROR, 1u);
  *value = IDENTITY;
  return STATE_PREFIX;
}
#endif
