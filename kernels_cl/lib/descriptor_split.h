/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors on devices whose atomics are 32 bits wide (SCAN_SPLIT 1). A descriptor has a 32-bit word for each 16 bits
 * of the value, which are in its low half; the launch's epoch is in the high half. The claim is a 32-bit ticket; the
 * epoch is a word of its own, which only the last work-group out writes. Both lie where the packed claim has its
 * halves, so that the host finds the epoch in the same place. */
#ifndef SCANRT_CL_DESCRIPTOR_SPLIT_H
#define SCANRT_CL_DESCRIPTOR_SPLIT_H

#include "lib/scan_value.h"
#include "lib/words.h"

typedef scanrt_u32 scanrt_descriptor_word;
#define DESCRIPTOR_PARTS SCANRT_WORD_PARTS(VALUE_BYTES)
#define DESCRIPTOR_WORDS (DESCRIPTOR_PARTS + DESCRIPTOR_MARKS)
#define EPOCH_LAST 0xfffeu
#define CONTROL_TICKET 0
#define CONTROL_EPOCH 1 /* the launch's epoch - 1 */

/* The last work-group out readies the control block, on every device. */
#define COUNTS_TILES 1

/* Claims a tile: returns it in the low half, the launch's epoch in the high half. */
FUNC scanrt_u64 scanrt_claim_next(volatile GLOBAL scanrt_u32 *control, scanrt_u64 claims) {
  const scanrt_u32 tile = ATOMIC_ADD(control + CONTROL_TICKET, 1u);
  (void)claims;
  return (scanrt_u64)(ATOMIC_LOAD(control + CONTROL_EPOCH) + 1) << 32 | tile;
}

/* Called by the last work-group out: the next launch starts at tile 0, in the epoch after `epoch`. */
FUNC void scanrt_claim_restart(volatile GLOBAL scanrt_u32 *control, scanrt_u32 epoch) {
  ATOMIC_STORE(control + CONTROL_TICKET, 0u);
  ATOMIC_STORE(control + CONTROL_EPOCH, epoch);
}

FUNC void scanrt_descriptor_word_clear(volatile GLOBAL scanrt_descriptor_word *word) { ATOMIC_STORE(word, 0u); }
#endif
