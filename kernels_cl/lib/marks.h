/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks, which say where segments begin. SCAN_SEGMENTS is their kind:
 * 1: a byte an element, other than 0 for the first element of a segment
 * 2: a bit an element, bit i % 32 of 32-bit word i / 32
 * 3: keys (SCAN_KEY_TYPE, a number of scan.h); a segment begins where a key differs from the one before it
 * IS_START(before, mark) is 1 if `mark` begins a segment. Without SCAN_SEGMENTS marks are keys, of SCAN_TYPE if there
 * is no SCAN_KEY_TYPE. */
#ifndef SCANRT_CL_MARKS_H
#define SCANRT_CL_MARKS_H

#include "lib/dialect.h"
#include "lib/types.h"

/* 1 if keys differ, as integers. `magnitude` has all bits but the sign of floating-point types, `most` is the bit
 * pattern of infinity; all bits for integers. */
#define KEYS_DIFFER(a, b, magnitude, most)                                                                             \
  ((a) == (b) ? ((a) & (magnitude)) > (most) : (((a) | (b)) & (magnitude)) != 0)

#if SCAN_SEGMENTS == 1
typedef scanrt_u8 scanrt_mark_t;
#define MARK_BYTES 1
#define IS_START(before, mark) ((mark) != 0)
#elif SCAN_SEGMENTS == 3 || !defined(SCAN_SEGMENTS)
#ifdef SCAN_KEY_TYPE
#define MARK_TYPE SCAN_KEY_TYPE
#else
#define MARK_TYPE SCAN_TYPE
#endif
/* Keys compare as in C, but by integers, so that no device flushes a denormal: a NaN differs from every key, and +0.0
 * equals -0.0. KEY_INFINITY is the bit pattern of infinity. */
typedef TYPE_WORD(MARK_TYPE) scanrt_mark_t;
#define MARK_BYTES TYPE_BYTES(MARK_TYPE)
#if MARK_TYPE < 9
#define IS_START(before, mark) ((before) != (mark))
#else
#define IS_START(before, mark) scanrt_keys_differ((before), (mark))
#define KEY_INFINITY TYPE_ROW(KEY_INFINITY_, MARK_TYPE)
#define KEY_INFINITY_9 ((scanrt_mark_t)0x7f800000u)
#define KEY_INFINITY_10 ((scanrt_mark_t)0x7ff << 52)
#define KEY_INFINITY_11 ((scanrt_mark_t)0x7c00u)
#define KEY_INFINITY_12 ((scanrt_mark_t)0x7f80u)
FUNC scanrt_u32 scanrt_keys_differ(scanrt_mark_t a, scanrt_mark_t b) {
  const scanrt_mark_t positive = (scanrt_mark_t)((scanrt_mark_t) ~(scanrt_mark_t)0 >> 1); /* all bits but the sign */
  return KEYS_DIFFER(a, b, positive, KEY_INFINITY);
}
#endif
#endif
#endif
