/* SPDX-License-Identifier: BSD-2-Clause */
/* A descriptor of any number of words: one for each 32 bits of a value from source, or with SCAN_SPLIT one for each 16
 * bits of any value. descriptor_packed.h and descriptor_split.h describe the words. A published value always exists.
 * Segmented scans add a word that says whether a segment begins in what the value covers. The loops are written out,
 * since some devices count loop iterations. */
/* clang-format off */
#ifndef SCANRT_CL_DESCRIPTOR_WORDS_H
#define SCANRT_CL_DESCRIPTOR_WORDS_H

#include "lib/scan_value.h"

#define DESCRIPTOR_EACH(DO)                                                                                            \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)                 \
  DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31) DO(32)
/* clang-format on */
#if SCAN_SPLIT
#define DESCRIPTOR_SHIFT 16
#define DESCRIPTOR_PART(w, k) ((w).word[(k) / 2] >> (16 * ((k) % 2)) & 0xffffu)
#define DESCRIPTOR_JOIN(w, k, part) ((w).word[(k) / 2] |= ((part)&0xffffu) << (16 * ((k) % 2)))
#define DESCRIPTOR_STORE(pointer, word) ATOMIC_STORE((pointer), (word))
#define DESCRIPTOR_LOAD(pointer) ATOMIC_LOAD(pointer)
#else
#define DESCRIPTOR_SHIFT 32
#define DESCRIPTOR_PART(w, k) ((w).word[k])
#define DESCRIPTOR_JOIN(w, k, part) ((w).word[k] = (scanrt_u32)(part))
#define DESCRIPTOR_STORE(pointer, word) scanrt_word_store((pointer), (word))
#define DESCRIPTOR_LOAD(pointer) scanrt_word_load(pointer)
#endif

FUNC void scanrt_descriptor_put(volatile GLOBAL scanrt_descriptor_word *descriptors, scanrt_u64 index,
                                scanrt_value_t value, scanrt_u32 epoch) {
  volatile GLOBAL scanrt_descriptor_word *at = descriptors + index * DESCRIPTOR_WORDS;
  const scanrt_descriptor_word flag = (scanrt_descriptor_word)epoch << DESCRIPTOR_SHIFT;
  const scanrt_value_words w = VALUE_WORDS_OF(value);
#define PUT(k)                                                                                                         \
  if ((k) < DESCRIPTOR_PARTS) DESCRIPTOR_STORE(at + (k), flag | DESCRIPTOR_PART(w, (k) % DESCRIPTOR_PARTS));
  DESCRIPTOR_EACH(PUT)
#undef PUT
#if DESCRIPTOR_MARKS
  DESCRIPTOR_STORE(at + DESCRIPTOR_PARTS, flag | value.there);
#endif
}

/* Returns 1 if all words of a descriptor are of this epoch. Sets *value to what they hold; a value from source exists
 * only if it returns 1. */
FUNC scanrt_u32 scanrt_descriptor_decode(const scanrt_descriptor_word word[DESCRIPTOR_WORDS], scanrt_value_t *value,
                                         scanrt_u32 epoch) {
  scanrt_u32 fresh = 1;
  scanrt_value_words w = WORDS_NONE();
#define DECODE(k)                                                                                                      \
  if ((k) < DESCRIPTOR_WORDS) {                                                                                        \
    fresh &= (scanrt_u32)(word[(k) % DESCRIPTOR_WORDS] >> DESCRIPTOR_SHIFT) == epoch;                                  \
    if ((k) < DESCRIPTOR_PARTS) DESCRIPTOR_JOIN(w, (k) % DESCRIPTOR_PARTS, word[(k) % DESCRIPTOR_PARTS]);              \
  }
  DESCRIPTOR_EACH(DECODE)
#undef DECODE
#if DESCRIPTOR_MARKS
  *value = WORDS_VALUE(w, fresh ? (scanrt_u32)word[DESCRIPTOR_PARTS] & 3u : 0);
#else
  *value = WORDS_VALUE(w, fresh);
#endif
  return fresh;
}

/* Starts the loads of a descriptor; they complete when the words are first used. */
FUNC void scanrt_descriptor_load(volatile GLOBAL scanrt_descriptor_word *descriptors, scanrt_u64 index,
                                 scanrt_descriptor_word word[DESCRIPTOR_WORDS]) {
  volatile GLOBAL scanrt_descriptor_word *at = descriptors + index * DESCRIPTOR_WORDS;
#define ASK(k)                                                                                                         \
  if ((k) < DESCRIPTOR_WORDS) word[(k) % DESCRIPTOR_WORDS] = DESCRIPTOR_LOAD(at + (k));
  DESCRIPTOR_EACH(ASK)
#undef ASK
}
#endif
