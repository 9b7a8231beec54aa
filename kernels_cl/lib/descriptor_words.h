/* SPDX-License-Identifier: BSD-2-Clause */
/* A descriptor of any number of words: one for each 32 bits of a value from source, or with SCAN_SPLIT one for each 16
 * bits of any value (scanrt/device/words.h). A published value always exists. Segmented scans add a word that says
 * whether a segment begins in what the value covers. */
#ifndef SCANRT_CL_DESCRIPTOR_WORDS_H
#define SCANRT_CL_DESCRIPTOR_WORDS_H

#include "lib/scan_value.h"
#include "lib/words.h"

FUNC void scanrt_descriptor_put(volatile GLOBAL scanrt_descriptor_word *descriptors, scanrt_u64 index,
                                scanrt_value_t value, scanrt_u32 epoch) {
  volatile GLOBAL scanrt_descriptor_word *at = descriptors + index * DESCRIPTOR_WORDS;
  const scanrt_descriptor_word flag = (scanrt_descriptor_word)epoch << SCANRT_WORD_HALF;
  const scanrt_value_words w = VALUE_WORDS_OF(value);
  SCANRT_WORDS_EACH(SCANRT_WORDS_PUT, DESCRIPTOR_PARTS);
#if DESCRIPTOR_MARKS
  SCANRT_WORD_STORE(at + DESCRIPTOR_PARTS, flag | value.there);
#endif
}

/* Returns 1 if all words of a descriptor are of this epoch. Sets *value to what they hold; a value from source exists
 * only if it returns 1. */
FUNC scanrt_u32 scanrt_descriptor_decode(const scanrt_descriptor_word *word, scanrt_value_t *value, scanrt_u32 epoch) {
  scanrt_u32 is_there = 1;
  scanrt_value_words w = WORDS_NONE();
  SCANRT_WORDS_EACH(SCANRT_WORDS_CHECK, DESCRIPTOR_WORDS);
  SCANRT_WORDS_EACH(SCANRT_WORDS_JOIN, DESCRIPTOR_PARTS);
#if DESCRIPTOR_MARKS
  *value = WORDS_VALUE(w, is_there ? (scanrt_u32)word[DESCRIPTOR_PARTS] & 3u : 0);
#else
  *value = WORDS_VALUE(w, is_there);
#endif
  return is_there;
}

/* Starts the loads of a descriptor; they complete when the words are first used. */
FUNC void scanrt_descriptor_load(volatile GLOBAL scanrt_descriptor_word *descriptors, scanrt_u64 index,
                                 scanrt_descriptor_word *word) {
  volatile GLOBAL scanrt_descriptor_word *at = descriptors + index * DESCRIPTOR_WORDS;
  SCANRT_WORDS_EACH(SCANRT_WORDS_LOAD, DESCRIPTOR_WORDS);
}
#endif
