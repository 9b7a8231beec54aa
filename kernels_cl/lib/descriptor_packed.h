/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors on devices with 64-bit atomics (SCAN_SPLIT 0). A descriptor is one 64-bit word (two for 8-byte values):
 * 32 bits of the value in the low half, the launch's epoch in the high half. */
#ifndef SCANRT_CL_DESCRIPTOR_PACKED_H
#define SCANRT_CL_DESCRIPTOR_PACKED_H

#include "lib/claim_packed.h"
#include "lib/scan_value.h"
#include "lib/words.h"

#if SCAN_TYPE == 0
#define DESCRIPTOR_PARTS SCANRT_WORD_PARTS(VALUE_BYTES)
#define DESCRIPTOR_WORDS (DESCRIPTOR_PARTS + DESCRIPTOR_MARKS)
#elif VALUE_BYTES > 4
#define DESCRIPTOR_WORDS 2
#else
#define DESCRIPTOR_WORDS 1
#endif
#if SCAN_TYPE != 0 /* one word or two; descriptor_words.h has these for values of any size */
FUNC void scanrt_descriptor_put(volatile GLOBAL scanrt_descriptor_word *descriptors, scanrt_u64 index,
                                scanrt_value_t value, scanrt_u32 epoch) {
  const scanrt_u64 bits = (scanrt_u64)VALUE_BITS(value), flag = (scanrt_u64)epoch << 32;
  scanrt_word_store(descriptors + index * DESCRIPTOR_WORDS, flag | (bits & 0xffffffffu));
#if DESCRIPTOR_WORDS == 2
  scanrt_word_store(descriptors + index * DESCRIPTOR_WORDS + 1, flag | (bits >> 32));
#endif
}

/* Returns 1 if all words of a descriptor are of this epoch. Sets *value to what they hold. */
FUNC scanrt_u32 scanrt_descriptor_decode(const scanrt_descriptor_word *word, scanrt_value_t *value, scanrt_u32 epoch) {
#if DESCRIPTOR_WORDS == 2
  *value = BITS_VALUE((word[1] << 32) | (word[0] & 0xffffffffu));
  return (scanrt_u32)(word[0] >> 32) == epoch && (scanrt_u32)(word[1] >> 32) == epoch;
#else
  *value = BITS_VALUE((scanrt_u32)word[0]);
  return (scanrt_u32)(word[0] >> 32) == epoch;
#endif
}

/* Starts the loads of a descriptor; they complete when the words are first used. */
FUNC void scanrt_descriptor_load(volatile GLOBAL scanrt_descriptor_word *descriptors, scanrt_u64 index,
                                 scanrt_descriptor_word *word) {
#if DESCRIPTOR_WORDS == 2
  WORD_LOAD_PAIR(descriptors + index * 2, word[0], word[1]);
#else
  word[0] = scanrt_word_load(descriptors + index);
#endif
}
#endif
#endif
