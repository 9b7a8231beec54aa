/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a board on devices with 64-bit atomics: a value of 32 bits below, the launch's epoch above. The claim is one
 * of them: the next tile to hand out below, the launch's epoch, less one, above. */
#ifndef SCANRT_CL_CLAIM_PACKED_H
#define SCANRT_CL_CLAIM_PACKED_H

#include "dialect.h"

typedef scanrt_u64 scanrt_descriptor_word;
#define EPOCH_LAST 0xfffffffeu
#define CONTROL_CLAIM 0 /* of 64-bit words */

/* Devices that end loops by themselves, without a word, are found out by the tiles that are missing. NVIDIA's do not.
 */
#define COUNTS_TILES (!SCAN_PTX)

/* What a claim brings: the tile in the low half, the launch's epoch above. `claims` is how many there are in the whole
 * launch: whoever makes the last one readies the word for the next launch, so that a scan is one launch and a recorded
 * graph replays. */
FUNC scanrt_u64 scanrt_claim_next(volatile GLOBAL scanrt_u32 *control, scanrt_u64 claims) {
  volatile GLOBAL scanrt_u64 *word = (volatile GLOBAL scanrt_u64 *)control + CONTROL_CLAIM;
  const scanrt_u64 claim = ATOMIC_ADD64(word, (scanrt_u64)1) + ((scanrt_u64)1 << 32);
  if (!COUNTS_TILES && (claim & 0xffffffffu) == claims - 1 && (scanrt_u32)(claim >> 32) < EPOCH_LAST)
    scanrt_word_store(word, claim >> 32 << 32);
  return claim;
}

/* The last work-group is out: the next launch starts at tile 0, in the epoch after this one. */
FUNC void scanrt_claim_restart(volatile GLOBAL scanrt_u32 *control, scanrt_u32 epoch) {
  scanrt_word_store((volatile GLOBAL scanrt_u64 *)control + CONTROL_CLAIM, (scanrt_u64)epoch << 32);
}

FUNC void scanrt_descriptor_word_clear(volatile GLOBAL scanrt_descriptor_word *word) { scanrt_word_store(word, 0); }
#endif
