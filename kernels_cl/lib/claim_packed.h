/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of the look-back state on devices with 64-bit atomics: 32 bits of a value in the low half, the launch's epoch
 * in the high half. The claim is such a word: the next tile to hand out in the low half, the launch's epoch - 1 in the
 * high half. */
#ifndef SCANRT_CL_CLAIM_PACKED_H
#define SCANRT_CL_CLAIM_PACKED_H

#include "lib/dialect.h"

typedef scanrt_u64 scanrt_descriptor_word;
#define EPOCH_LAST 0xfffffffeu
#define CONTROL_CLAIM 0 /* index in 64-bit words */

/* 1 on devices that may end loops silently: the last work-group out then counts the tiles written. NVIDIA's do not. */
#define COUNTS_TILES (!SCAN_PTX)

/* Called by the last claim or the last work-group out: the next launch starts at tile 0, in the epoch after `epoch`. */
FUNC void scanrt_claim_restart(volatile GLOBAL scanrt_u32 *control, scanrt_u32 epoch) {
  scanrt_word_store((volatile GLOBAL scanrt_u64 *)control + CONTROL_CLAIM, (scanrt_u64)epoch << 32);
}

/* Starts a claim, which scanrt_claim_end completes, so that other work hides the latency. No wait for another
 * work-group may lie between them. */
FUNC scanrt_u64 scanrt_claim_begin(volatile GLOBAL scanrt_u32 *control) {
  return ATOMIC_ADD64((volatile GLOBAL scanrt_u64 *)control + CONTROL_CLAIM, (scanrt_u64)1);
}

/* Returns the claimed tile in the low half, the launch's epoch in the high half. `claims` is the number of claims in
 * the whole launch. If tiles are not counted, the last claim readies the word for the next launch, so that a scan is
 * one launch and a recorded graph can replay it. */
FUNC scanrt_u64 scanrt_claim_end(volatile GLOBAL scanrt_u32 *control, scanrt_u64 claims, scanrt_u64 begun) {
  const scanrt_u64 claim = begun + ((scanrt_u64)1 << 32);
  if (!COUNTS_TILES && (claim & 0xffffffffu) == claims - 1 && (scanrt_u32)(claim >> 32) < EPOCH_LAST)
    scanrt_claim_restart(control, (scanrt_u32)(claim >> 32));
  return claim;
}

FUNC scanrt_u64 scanrt_claim_next(volatile GLOBAL scanrt_u32 *control, scanrt_u64 claims) {
  return scanrt_claim_end(control, claims, scanrt_claim_begin(control));
}

FUNC void scanrt_descriptor_word_clear(volatile GLOBAL scanrt_descriptor_word *word) { scanrt_word_store(word, 0); }

FUNC scanrt_descriptor_word scanrt_word_of(scanrt_u32 bits, scanrt_u32 epoch) {
  return (scanrt_descriptor_word)epoch << 32 | bits;
}
FUNC scanrt_u32 scanrt_word_epoch(scanrt_descriptor_word word) { return (scanrt_u32)(word >> 32); }
#endif
