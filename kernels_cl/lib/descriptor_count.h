/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that hold a count of 32 bits, on devices with 64-bit atomics: one word each (claim_packed.h). Compaction
 * uses them in place of descriptor.h. */
#ifndef SCANRT_CL_DESCRIPTOR_COUNT_H
#define SCANRT_CL_DESCRIPTOR_COUNT_H

#include "lib/claim_packed.h"

typedef scanrt_u32 scanrt_lookback_value;
#define DESCRIPTOR_WORDS 1

FUNC void scanrt_descriptor_put(volatile GLOBAL scanrt_descriptor_word *descriptors, scanrt_u64 index, scanrt_u32 count,
                                scanrt_u32 epoch) {
  scanrt_word_store(descriptors + index, scanrt_word_of(count, epoch));
}

/* Returns 1 if a descriptor is of this epoch. Sets *count to what it holds. */
FUNC scanrt_u32 scanrt_descriptor_decode(const scanrt_descriptor_word *word, scanrt_u32 *count, scanrt_u32 epoch) {
  *count = (scanrt_u32)word[0];
  return scanrt_word_epoch(word[0]) == epoch;
}

/* Starts the load of a descriptor; it completes when the word is first used. */
FUNC void scanrt_descriptor_load(volatile GLOBAL scanrt_descriptor_word *descriptors, scanrt_u64 index,
                                 scanrt_descriptor_word *word) {
  word[0] = scanrt_word_load(descriptors + index);
}

#include "lib/lookback_state.h"
#include "lib/descriptor_wait.h"
#endif
