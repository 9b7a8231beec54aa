/* SPDX-License-Identifier: BSD-2-Clause */
/* A reduction by key of few elements in one launch, by one work-item. */
#ifndef SCANRT_CL_SEGMENT_MARKED_ALONE_H
#define SCANRT_CL_SEGMENT_MARKED_ALONE_H

#include "lib/marks.h"

/* Keys differ as in marks.h. `infinity` is 0 for integers, else the bit pattern of infinity. */
FUNC scanrt_u32 scanrt_alone_differ(scanrt_u64 a, scanrt_u64 b, scanrt_u64 positive, scanrt_u64 infinity) {
  return infinity == 0 ? a != b : KEYS_DIFFER(a, b, positive, infinity);
}

/* Declares a function that sets the bits of the last keys of runs, of type T, and returns their number. */
#define ALONE_BITS(name, T)                                                                                            \
  FUNC scanrt_u32 name(GLOBAL const T *key, scanrt_u32 n, scanrt_u64 infinity, GLOBAL scanrt_u32 *words) {             \
    const scanrt_u64 positive = (T) ~(T)0 >> 1;                                                                        \
    scanrt_u32 count = 0;                                                                                              \
    for (scanrt_u32 first = 0; first < n; first += 32) {                                                               \
      scanrt_u32 word = 0;                                                                                             \
      if (first + 32 < n && infinity == 0) {                                                                           \
        for (scanrt_u32 k = 0; k < 32; k++) word |= (scanrt_u32)(key[first + k] != key[first + k + 1]) << k;           \
      } else {                                                                                                         \
        for (scanrt_u32 k = 0; k < 32 && first + k < n; k++)                                                           \
          if (first + k + 1 == n || scanrt_alone_differ(key[first + k], key[first + k + 1], positive, infinity))       \
            word |= 1u << k;                                                                                           \
      }                                                                                                                \
      words[first / 32] = word;                                                                                        \
      count += BITS_SET(word);                                                                                         \
    }                                                                                                                  \
    return count;                                                                                                      \
  }

/* Declares a function that moves keys whose bits are set, of type T, to `limit` places. */
#define ALONE_FEW 6 /* with up to so many bits in a word, one key at a time is faster than 32 stores */
#define ALONE_MOVE(name, T)                                                                                            \
  FUNC void name(GLOBAL const T *key, scanrt_u32 n, GLOBAL const scanrt_u32 *words, GLOBAL T *to, scanrt_u32 limit) {  \
    scanrt_u32 at = 0;                                                                                                 \
    for (scanrt_u32 first = 0; first < n; first += 32) {                                                               \
      scanrt_u32 word = words[first / 32];                                                                             \
      if (first + 32 <= n && at + 32 <= limit && BITS_SET(word) > ALONE_FEW) {                                         \
        for (scanrt_u32 k = 0; k < 32; k++) {                                                                          \
          to[at] = key[first + k];                                                                                     \
          at += word >> k & 1;                                                                                         \
        }                                                                                                              \
      } else {                                                                                                         \
        for (; word != 0 && at < limit; word &= word - 1) to[at++] = key[first + LOWEST_BIT(word)];                    \
      }                                                                                                                \
    }                                                                                                                  \
  }

ALONE_BITS(scanrt_alone_bits_1, scanrt_u8)
ALONE_BITS(scanrt_alone_bits_2, scanrt_u16)
ALONE_BITS(scanrt_alone_bits_4, scanrt_u32)
ALONE_BITS(scanrt_alone_bits_8, scanrt_u64)
ALONE_MOVE(scanrt_alone_move_1, scanrt_u8)
ALONE_MOVE(scanrt_alone_move_2, scanrt_u16)
ALONE_MOVE(scanrt_alone_move_4, scanrt_u32)
ALONE_MOVE(scanrt_alone_move_8, scanrt_u64)

/* The bit pattern of infinity of keys of a floating-point type; 0 for integers. */
FUNC scanrt_u64 scanrt_alone_infinity(scanrt_u32 type) {
  return type == 9    ? 0x7f800000u
         : type == 10 ? (scanrt_u64)0x7ff << 52
         : type == 11 ? 0x7c00u
         : type == 12 ? 0x7f80u
                      : 0;
}

#define ALONE_KEYS(T) ((GLOBAL const T *)MEMORY(ends))
KERNEL(segment_marked_alone)(PARAMETERS(SEGMENT_ALONE_ARGUMENTS)) {
  const scanrt_job job = JOB();
  GLOBAL scanrt_u32 *words = (GLOBAL scanrt_u32 *)MEMORY(marks);
  GLOBAL scanrt_u64 *counts = (GLOBAL scanrt_u64 *)MEMORY(places);
  GLOBAL scanrt_kept_t *tiles = (GLOBAL scanrt_kept_t *)MEMORY(workspace);
  const scanrt_u32 type = SELECT_KEY_TYPE(flags);
  const scanrt_u64 infinity = scanrt_alone_infinity(type);
  scanrt_u32 found, limit;
  OPEN_MARKS();
  const scanrt_u32 items = (scanrt_u32)m.n;
  if (flags & FLAG_COUNTED) {
    GLOBAL scanrt_u64 *n_over = (GLOBAL scanrt_u64 *)MEMORY(n_overflow);
    const scanrt_u64 given = *(GLOBAL const scanrt_u64 *)MEMORY(n_from);
    if (given > n && given > *n_over) *n_over = given;
  }
  if (element_bytes == 1)
    found = scanrt_alone_bits_1(ALONE_KEYS(scanrt_u8), items, infinity, words);
  else if (element_bytes == 2)
    found = scanrt_alone_bits_2(ALONE_KEYS(scanrt_u16), items, infinity, words);
  else if (element_bytes == 4)
    found = scanrt_alone_bits_4(ALONE_KEYS(scanrt_u32), items, infinity, words);
  else
    found = scanrt_alone_bits_8(ALONE_KEYS(scanrt_u64), items, infinity, words);
  counts[0] = 0;
  counts[1] = found;
  *(GLOBAL scanrt_u64 *)MEMORY(kept) = found;
  scanrt_marked_totals(&job, &m, tiles, 0, 1);
  if (job.tiles > 1) scanrt_marked_finish(&job, &m, tiles);
  limit = rest_capacity < found ? (scanrt_u32)rest_capacity : found;
  if (element_bytes == 1)
    scanrt_alone_move_1(ALONE_KEYS(scanrt_u8), items, words, (GLOBAL scanrt_u8 *)MEMORY(rest), limit);
  else if (element_bytes == 2)
    scanrt_alone_move_2(ALONE_KEYS(scanrt_u16), items, words, (GLOBAL scanrt_u16 *)MEMORY(rest), limit);
  else if (element_bytes == 4)
    scanrt_alone_move_4(ALONE_KEYS(scanrt_u32), items, words, (GLOBAL scanrt_u32 *)MEMORY(rest), limit);
  else
    scanrt_alone_move_8(ALONE_KEYS(scanrt_u64), items, words, (GLOBAL scanrt_u64 *)MEMORY(rest), limit);
}
#endif
