/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a bit an element, and a count a tile, by flags or by runs of equal keys. A flag is a byte (SCAN_TYPE 2 alone)
 * that is not 0 if the element is kept. Of each run, the first or the last key of SCAN_TYPE is kept; keys compare as in
 * marks.h. */
#include "lib/marks.h"
#include "select/select_bits.h"

/* Returns 1 if element i exists and its flag is set. */
FUNC scanrt_u32 scanrt_select_by_flag(GLOBAL const scanrt_u8 *flag, scanrt_u64 i, scanrt_u64 n) {
  return i < n && flag[i] != 0;
}
/* Returns 1 if element i exists and is the first (`shift` 0) or the last one (`shift` 1) of its run. */
FUNC scanrt_u32 scanrt_select_by_run(GLOBAL const scanrt_mark_t *keys, scanrt_u64 i, scanrt_u64 n, scanrt_u32 shift) {
  if (i >= n) return 0;
  return i + shift == 0 || i + shift == n || IS_START(keys[i + shift - 1], keys[i + shift]);
}

#if SCAN_GROUP_ITEMS == 1
#ifdef __OPENCL_VERSION__
#include "select/select_x86.h"
#define LOAD8(pointer) as_ulong(vload8(0, (pointer)))
#else
#define LOAD8(pointer) scanrt_select_load8(pointer)
FUNC scanrt_u64 scanrt_select_load8(const scanrt_u8 *pointer) {
  scanrt_u64 word;
  memcpy(&word, pointer, sizeof word);
  return word;
}
#endif

/* Returns a bit for each of eight bytes, 1 if the byte is not 0. */
FUNC scanrt_u32 scanrt_select_bits8(scanrt_u64 bytes) {
  const scanrt_u64 rest = (scanrt_u64)0x7f7f7f7f7f7f7f7f, top = ~rest;
  const scanrt_u64 ones = ((((bytes & rest) + rest) | bytes) & top) >> 7;
  return (scanrt_u32)(ones * (scanrt_u64)0x0102040810204080 >> 56);
}

FUNC scanrt_u32 scanrt_select_flags_word(GLOBAL const scanrt_u8 *flag, scanrt_u64 i, scanrt_u64 n) {
  scanrt_u32 word = 0;
#ifdef FLAGS_OF_32 /* the host defines it where SIMD registers test 32 flags at once */
  if (i + 32 <= n) return FLAGS_OF_32(flag + i);
#endif
  if (i + 32 <= n) {
    UNROLL
    for (scanrt_u32 k = 0; k < 4; k++) word |= scanrt_select_bits8(LOAD8(flag + i + 8 * k)) << (8 * k);
  } else {
    for (scanrt_u32 k = 0; k < 32; k++) word |= scanrt_select_by_flag(flag, i + k, n) << k;
  }
  return word;
}

FUNC scanrt_u32 scanrt_select_runs_word(GLOBAL const scanrt_mark_t *keys, scanrt_u64 i, scanrt_u64 n,
                                        scanrt_u32 shift) {
  scanrt_u32 word = 0;
  if (i + shift > 0 && i + 32 + shift <= n) {
    GLOBAL const scanrt_mark_t *from = keys + (i + shift);
#if SCAN_TYPE == 6 && defined(KEYS_4_OF_32)
    return KEYS_4_OF_32(from);
#elif SCAN_TYPE == 8 && defined(KEYS_8_OF_32)
    return KEYS_8_OF_32(from);
#endif
    for (scanrt_u32 k = 0; k < 32; k++) word |= (scanrt_u32)(IS_START(from[(scanrt_i32)k - 1], from[k])) << k;
  } else {
    for (scanrt_u32 k = 0; k < 32; k++) word |= scanrt_select_by_run(keys, i + k, n, shift) << k;
  }
  return word;
}

#if SCAN_TYPE == 2
KERNEL(select_flags)(PARAMETERS(SELECT_MARK_ARGUMENTS)) {
  OPEN(scanrt_u8);
  MARK_TILE(scanrt_select_flags_word(marks, i, items));
}
#endif

KERNEL(select_runs)(PARAMETERS(SELECT_MARK_ARGUMENTS)) {
  OPEN(scanrt_mark_t);
  const scanrt_u32 shift = (flags & SELECT_LAST) != 0;
  MARK_TILE(scanrt_select_runs_word(marks, i, items, shift));
}
#else
#if SCAN_TYPE == 2
KERNEL(select_flags)(PARAMETERS(SELECT_MARK_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_select_bytes, tile, 1);
  LOCAL_ARRAY(scanrt_u32, sums, SCAN_GROUP_ITEMS);
  OPEN(scanrt_u8);
  MARK_TILE(scanrt_select_by_flag(marks, i, items));
}
#endif

KERNEL(select_runs)(PARAMETERS(SELECT_MARK_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_select_bytes, tile, 1);
  LOCAL_ARRAY(scanrt_u32, sums, SCAN_GROUP_ITEMS);
  OPEN(scanrt_mark_t);
  const scanrt_u32 shift = (flags & SELECT_LAST) != 0;
  MARK_TILE(scanrt_select_by_run(marks, i, items, shift));
}
#endif

#if SCAN_TYPE == 2
#define PRIMITIVE_KERNELS(ROW) ROW(select_flags, SELECT_MARK_ARGUMENTS) ROW(select_runs, SELECT_MARK_ARGUMENTS)
#else
#define PRIMITIVE_KERNELS(ROW) ROW(select_runs, SELECT_MARK_ARGUMENTS)
#endif
