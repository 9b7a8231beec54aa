/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors on devices whose atomics are 32 bits wide (SCAN_SPLIT 1). A descriptor is a 32-bit word for each 16 bits
 * of the value: these below, the launch's epoch above. The claim is a 32-bit ticket; the epoch is a word of its own,
 * which nobody writes before the last work-group is out. Both lie where the packed claim has its halves, so that the
 * host finds the epoch in the same place. */
#ifndef SCANRT_CL_DESCRIPTOR_SPLIT_H
#define SCANRT_CL_DESCRIPTOR_SPLIT_H

#include "scan_value.h"

typedef scanrt_u32 scanrt_descriptor_word;
#if SCAN_TYPE == 0
#define DESCRIPTOR_PARTS ((VALUE_BYTES + 1) / 2)
#define DESCRIPTOR_WORDS (DESCRIPTOR_PARTS + DESCRIPTOR_MARKS)
#else
#define DESCRIPTOR_WORDS ((VALUE_BYTES + 1) / 2)
#endif
#define EPOCH_LAST 0xfffeu
#define CONTROL_TICKET 0
#define CONTROL_EPOCH 1 /* the launch's, less one */

/* The last work-group out readies the control block, on every device. */
#define COUNTS_TILES 1

/* What a claim brings: the tile in the low half, the launch's epoch above. */
FUNC scanrt_u64 scanrt_claim_next(volatile GLOBAL scanrt_u32 *control, scanrt_u64 claims) {
  const scanrt_u32 tile = ATOMIC_ADD(control + CONTROL_TICKET, 1u);
  (void)claims;
  return (scanrt_u64)(ATOMIC_LOAD(control + CONTROL_EPOCH) + 1) << 32 | tile;
}

/* The last work-group is out: the next launch starts at tile 0, in the epoch after this one. */
FUNC void scanrt_claim_restart(volatile GLOBAL scanrt_u32 *control, scanrt_u32 epoch) {
  ATOMIC_STORE(control + CONTROL_TICKET, 0u);
  ATOMIC_STORE(control + CONTROL_EPOCH, epoch);
}

FUNC void scanrt_descriptor_word_clear(volatile GLOBAL scanrt_descriptor_word *word) { ATOMIC_STORE(word, 0u); }

#if SCAN_TYPE != 0 /* descriptor_source.h has these for values of any size */
/* No loops here: where a device counts their turns, a wait would use them up. */
FUNC scanrt_u32 scanrt_descriptor_part(scanrt_u64 bits, scanrt_u32 k, scanrt_u32 epoch) {
  return epoch << 16 | (scanrt_u32)(bits >> (16 * k) & 0xffffu);
}

FUNC void scanrt_descriptor_put(volatile GLOBAL scanrt_descriptor_word *board, scanrt_u64 index, scanrt_value_t value,
                                scanrt_u32 epoch) {
  volatile GLOBAL scanrt_descriptor_word *word = board + index * DESCRIPTOR_WORDS;
  const scanrt_u64 bits = (scanrt_u64)VALUE_BITS(value);
  ATOMIC_STORE(word, scanrt_descriptor_part(bits, 0, epoch));
#if DESCRIPTOR_WORDS > 1
  ATOMIC_STORE(word + 1, scanrt_descriptor_part(bits, 1, epoch));
#endif
#if DESCRIPTOR_WORDS > 2
  ATOMIC_STORE(word + 2, scanrt_descriptor_part(bits, 2, epoch));
  ATOMIC_STORE(word + 3, scanrt_descriptor_part(bits, 3, epoch));
#endif
}

/* Returns 1 when the words of a descriptor are of this epoch; *value is what they hold. */
FUNC scanrt_u32 scanrt_descriptor_decode(const scanrt_descriptor_word word[DESCRIPTOR_WORDS], scanrt_value_t *value,
                                         scanrt_u32 epoch) {
  scanrt_u32 fresh = word[0] >> 16 == epoch;
#if DESCRIPTOR_WORDS == 1
  *value = BITS_VALUE(word[0] & 0xffffu);
#else
  const scanrt_u32 low = word[1] << 16 | (word[0] & 0xffffu);
  fresh &= word[1] >> 16 == epoch;
#if DESCRIPTOR_WORDS == 2
  *value = BITS_VALUE(low);
#else
  *value = BITS_VALUE((scanrt_u64)(word[3] << 16 | (word[2] & 0xffffu)) << 32 | low);
  fresh &= (word[2] >> 16 == epoch) & (word[3] >> 16 == epoch);
#endif
#endif
  return fresh;
}

/* Asks for a descriptor: the answer need not be there before it is looked at. */
FUNC void scanrt_descriptor_ask(volatile GLOBAL scanrt_descriptor_word *board, scanrt_u64 index,
                                scanrt_descriptor_word word[DESCRIPTOR_WORDS]) {
  volatile GLOBAL scanrt_descriptor_word *at = board + index * DESCRIPTOR_WORDS;
  word[0] = ATOMIC_LOAD(at);
#if DESCRIPTOR_WORDS > 1
  word[1] = ATOMIC_LOAD(at + 1);
#endif
#if DESCRIPTOR_WORDS > 2
  word[2] = ATOMIC_LOAD(at + 2);
  word[3] = ATOMIC_LOAD(at + 3);
#endif
}
#endif
#endif
