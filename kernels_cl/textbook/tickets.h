/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared parts of the textbook single-pass scans: tiles by ticket, and a descriptor a tile with its state. The
 * descriptors are those of descriptor.h with the state in place of the epoch, so that they must be cleared before each
 * launch, as in the original papers. */
#ifndef SCANRT_CL_TICKETS_H
#define SCANRT_CL_TICKETS_H

#include "lib/descriptor.h"
#include "textbook/rake.h"
#include "lib/test_hooks.h"

#define STATE_INVALID 0u
#define STATE_AGGREGATE 1u
#define STATE_PREFIX 2u
#define CONTROL_TICKET 0 /* index in 32-bit words: the next tile to hand out */

/* Returns the work-group's tile. Waits cannot form a cycle: every work-group with an earlier ticket has started. */
FUNC scanrt_u32 scanrt_ticket_draw(const scanrt_lookback_state *lookback, LOCAL scanrt_rake_scratch *s) {
  if (ITEM() == 0) s->tile = ATOMIC_ADD(lookback->control + CONTROL_TICKET, 1u);
  BARRIER();
  return s->tile;
}

FUNC void scanrt_state_put(const scanrt_lookback_state *lookback, scanrt_u32 tile, scanrt_value_t value,
                           scanrt_u32 state) {
  if (PUBLISHES(tile)) scanrt_descriptor_put(lookback->tiles, tile, value, state);
}

/* Polls a descriptor until its state is `least` or more, and returns the state. If the wait ends before, gives up and
 * returns the identity as a prefix. */
FUNC scanrt_u32 scanrt_state_wait(const scanrt_lookback_state *lookback, scanrt_u32 tile, scanrt_u32 least,
                                  scanrt_value_t *value) {
  for (scanrt_u32 polls = 1;; polls++) {
    scanrt_u64 word[DESCRIPTOR_WORDS];
    scanrt_descriptor_load(lookback->tiles, tile, word);
    if (scanrt_descriptor_decode(word, value, STATE_PREFIX)) return STATE_PREFIX;
    if (least == STATE_AGGREGATE && scanrt_descriptor_decode(word, value, STATE_AGGREGATE)) return STATE_AGGREGATE;
    if (WAIT_ENDS(lookback, polls)) break;
  }
  scanrt_lookback_give_up(lookback);
  *value = IDENTITY;
  return STATE_PREFIX;
}
#endif
