/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors on devices with 64-bit atomics (SCAN_SPLIT 0). A descriptor is one 64-bit word (two for 8-byte values):
 * 32 bits of the value below, the launch's epoch above. The claim is a word of the same make: the next tile to hand
 * out below, the launch's epoch, less one, above. */
#ifndef SCANRT_CL_DESCRIPTOR_PACKED_H
#define SCANRT_CL_DESCRIPTOR_PACKED_H

#include "scan_value.h"

typedef scan_u64 descriptor_word;
#if SCAN_TYPE == 0
#define DESCRIPTOR_PARTS ((VALUE_BYTES + 3) / 4)
#define DESCRIPTOR_WORDS (DESCRIPTOR_PARTS + DESCRIPTOR_MARKS)
#elif VALUE_BYTES > 4
#define DESCRIPTOR_WORDS 2
#else
#define DESCRIPTOR_WORDS 1
#endif
#define EPOCH_LAST 0xfffffffeu
#define CONTROL_CLAIM 0 /* of 64-bit words */

/* Devices that end loops by themselves, without a word, are found out by the tiles that are missing. NVIDIA's do not.
 */
#define COUNTS_TILES (!SCAN_PTX)

/* What a claim brings: the tile in the low half, the launch's epoch above. `claims` is how many there are in the whole
 * launch: whoever makes the last one readies the word for the next launch, so that a scan is one launch and a recorded
 * graph replays. */
FUNC scan_u64 claim_next(volatile GLOBAL scan_u32 *control, scan_u64 claims) {
  volatile GLOBAL scan_u64 *word = (volatile GLOBAL scan_u64 *)control + CONTROL_CLAIM;
  const scan_u64 claim = ATOMIC_ADD64(word, (scan_u64)1) + ((scan_u64)1 << 32);
  if (!COUNTS_TILES && (claim & 0xffffffffu) == claims - 1 && (scan_u32)(claim >> 32) < EPOCH_LAST)
    word_store(word, claim >> 32 << 32);
  return claim;
}

/* The last work-group is out: the next launch starts at tile 0, in the epoch after this one. */
FUNC void claim_restart(volatile GLOBAL scan_u32 *control, scan_u32 epoch) {
  word_store((volatile GLOBAL scan_u64 *)control + CONTROL_CLAIM, (scan_u64)epoch << 32);
}

FUNC void descriptor_word_clear(volatile GLOBAL descriptor_word *word) { word_store(word, 0); }

#if SCAN_TYPE != 0 /* descriptor_source.h has these for values of any size */
FUNC void descriptor_put(volatile GLOBAL descriptor_word *board, scan_u64 index, value_t value, scan_u32 epoch) {
  const scan_u64 bits = (scan_u64)VALUE_BITS(value), flag = (scan_u64)epoch << 32;
  word_store(board + index * DESCRIPTOR_WORDS, flag | (bits & 0xffffffffu));
#if DESCRIPTOR_WORDS == 2
  word_store(board + index * DESCRIPTOR_WORDS + 1, flag | (bits >> 32));
#endif
}

/* Returns 1 when the words of a descriptor are of this epoch; *value is what they hold. */
FUNC scan_u32 descriptor_decode(const descriptor_word word[DESCRIPTOR_WORDS], value_t *value, scan_u32 epoch) {
#if DESCRIPTOR_WORDS == 2
  *value = BITS_VALUE((word[1] << 32) | (word[0] & 0xffffffffu));
  return (scan_u32)(word[0] >> 32) == epoch && (scan_u32)(word[1] >> 32) == epoch;
#else
  *value = BITS_VALUE((scan_u32)word[0]);
  return (scan_u32)(word[0] >> 32) == epoch;
#endif
}

/* Asks for a descriptor: the answer need not be there before it is looked at. */
FUNC void descriptor_ask(volatile GLOBAL descriptor_word *board, scan_u64 index,
                         descriptor_word word[DESCRIPTOR_WORDS]) {
#if DESCRIPTOR_WORDS == 2
  WORD_LOAD_PAIR(board + index * 2, word[0], word[1]);
#else
  word[0] = word_load(board + index);
#endif
}
#endif
#endif
