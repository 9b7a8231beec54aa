/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of a sub-tile by one work-item of a processor, in vector registers: prefix sums of integers, whose order does
 * not show (segment_floats.h has those of floating-point numbers). */
#ifndef SCANRT_CL_SEGMENT_SUMS_H
#define SCANRT_CL_SEGMENT_SUMS_H

#include "scan/segment_item.h"

#ifndef SCAN_SOURCE_SUM
#error "a build parameter is missing"
#endif
/* SCAN_SOURCE_SUM is the type of a built-in sum, 0 for other operators. */
#define IS_INTEGER_SUM TYPE_IS_UNSIGNED(SCAN_SOURCE_SUM)
#define IS_FLOAT_SUM (SCAN_SOURCE_SUM == 9 || SCAN_SOURCE_SUM == 10)

#if IS_INTEGER_SUM || IS_FLOAT_SUM
#if IS_FLOAT_SUM
#define SUM_T scanrt_bare_t
#else
#define SUM_T TYPE_T(SCAN_SOURCE_SUM)
#endif
#if SCAN_SOURCE_MAPS
typedef const SUM_T *SUMS_T;
#else
typedef GLOBAL const SUM_T *SUMS_T;
#endif

#define FEW_ENDS 6 /* with up to this many ends in a word, one at a time is faster than all 32 elements in turn */

/* Copies the sums of 32 elements whose bits are set to `ends`; returns the place behind them. */
FUNC SUM_T *scanrt_ends_take(const SUM_T *sums, scanrt_u32 word, SUM_T *ends) {
  if (BITS_SET(word) <= FEW_ENDS) {
    for (; word != 0; word &= word - 1) *ends++ = sums[LAST_BIT(word & (0u - word))];
    return ends;
  }
  UNROLL
  for (scanrt_u32 k = 0; k < 32; k++) {
    *ends = sums[k];
    ends += word >> k & 1;
  }
  return ends;
}
#endif

#if IS_INTEGER_SUM
/* A register of sums: the prefix sums of its elements, and those plus `all`, the sum before them. */
#if VALUE_BYTES == 4
#define SUM_LANES 8
typedef uint8 scanrt_sums_t;
FUNC scanrt_sums_t scanrt_sums_scan(scanrt_sums_t x) {
  const uint8 none = 0;
  x += shuffle2(x, none, (uint8)(8, 0, 1, 2, 3, 4, 5, 6));
  x += shuffle2(x, none, (uint8)(8, 8, 0, 1, 2, 3, 4, 5));
  return x + shuffle2(x, none, (uint8)(8, 8, 8, 8, 0, 1, 2, 3));
}
#define SUMS_LOAD(x, i) vload8((i), (x))
#define SUMS_STORE(sums, i, to) vstore8((sums), (i), (to))
#define SUMS_LAST(sums) (sums).s7
#else
#define SUM_LANES 4
typedef ulong4 scanrt_sums_t;
FUNC scanrt_sums_t scanrt_sums_scan(scanrt_sums_t x) {
  const ulong4 none = 0;
  x += shuffle2(x, none, (ulong4)(4, 0, 1, 2));
  return x + shuffle2(x, none, (ulong4)(4, 4, 0, 1));
}
#define SUMS_LOAD(x, i) vload4((i), (x))
#define SUMS_STORE(sums, i, to) vstore4((sums), (i), (to))
#define SUMS_LAST(sums) (sums).s3
#endif

/* Writes the sums of a whole sub-tile's elements up to each one whose bit is set, behind ends[0], which is 0. Returns
 * the sum of all. Up to 32 elements behind are overwritten. */
FUNC SUM_T scanrt_sums_at_ends(SUMS_T x, GLOBAL const scanrt_u32 *words, SUM_T *ends) {
  SUM_T sums[32], all = 0;
  *ends++ = 0;
  for (scanrt_u32 w = 0; w < SUBTILE_ITEMS / 32; w++) {
    UNROLL
    for (scanrt_u32 i = 0; i < 32 / SUM_LANES; i++) {
      const scanrt_sums_t scanned = scanrt_sums_scan(SUMS_LOAD(x + w * 32, i)) + all;
      SUMS_STORE(scanned, i, sums);
      all = SUMS_LAST(scanned);
    }
    ends = scanrt_ends_take(sums, words[w], ends);
  }
  return all;
}
#endif
#endif
