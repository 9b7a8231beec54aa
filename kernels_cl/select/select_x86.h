/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction's inner loops for single work-items on x86 processors, where OpenCL C is compiled for the processor itself
 * (PoCL). The host has the same macros in device/host/select/host_lanes.h. */
#ifndef SCANRT_CL_SELECT_X86_H
#define SCANRT_CL_SELECT_X86_H

#include "lib/dialect.h"

#if defined(__AVX2__) && defined(__has_builtin)
#if defined(__AVX512F__) && !defined(SCAN_TEST_AVX2) && __has_builtin(__builtin_ia32_compresssi512_mask) &&            \
    __has_builtin(__builtin_ia32_compressdi512_mask) && __has_builtin(__builtin_ia32_storedqusi512_mask) &&            \
    __has_builtin(__builtin_ia32_storedqudi512_mask)
#define FRONT_4(to, from, word) scanrt_front_4((GLOBAL scanrt_i32 *)(to), (GLOBAL const scanrt_i32 *)(from), (word))
#define FRONT_8(to, from, word) scanrt_front_8((GLOBAL scanrt_i64 *)(to), (GLOBAL const scanrt_i64 *)(from), (word))
#define FRONT_IS_EXACT 1
#define FIRST_BITS(count) ((1u << (count)) - 1)

/* Moves those of 32 elements of 4 bytes whose bits are set, and writes nothing else. */
FUNC void scanrt_front_4(GLOBAL scanrt_i32 *to, GLOBAL const scanrt_i32 *from, scanrt_u32 word) {
  const scanrt_u16 low = (scanrt_u16)word, high = (scanrt_u16)(word >> 16);
  const scanrt_u32 lows = popcount((scanrt_u32)low), highs = popcount((scanrt_u32)high);
  const int16 first = __builtin_ia32_compresssi512_mask(vload16(0, from), (int16)0, low);
  const int16 second = __builtin_ia32_compresssi512_mask(vload16(1, from), (int16)0, high);
  __builtin_ia32_storedqusi512_mask(to, first, (scanrt_u16)FIRST_BITS(lows));
  __builtin_ia32_storedqusi512_mask(to + lows, second, (scanrt_u16)FIRST_BITS(highs));
}

/* Moves those of 32 elements of 8 bytes whose bits are set, and writes nothing else. */
FUNC void scanrt_front_8(GLOBAL scanrt_i64 *to, GLOBAL const scanrt_i64 *from, scanrt_u32 word) {
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++, word >>= 8) {
    const scanrt_u32 count = popcount(word & 0xffu);
    const long8 kept = __builtin_ia32_compressdi512_mask(vload8(k, from), (long8)0, (scanrt_u8)word);
    __builtin_ia32_storedqudi512_mask(to, kept, (scanrt_u8)FIRST_BITS(count));
    to += count;
  }
}
#elif defined(__BMI2__) && !defined(__znver1__) && !defined(__znver2__) /* their pdep and pext are slow */ &&          \
    __has_builtin(__builtin_ia32_permvarsi256) && __has_builtin(__builtin_ia32_pdep_di) &&                             \
    __has_builtin(__builtin_ia32_pext_di)
#define FRONT_4(to, from, word) scanrt_front_4((GLOBAL scanrt_i32 *)(to), (GLOBAL const scanrt_i32 *)(from), (word))
#define FRONT_8(to, from, word) scanrt_front_8((GLOBAL scanrt_i32 *)(to), (GLOBAL const scanrt_i32 *)(from), (word))

/* Returns eight lanes, those whose bits are set before the others. */
FUNC int8 scanrt_lanes_front(int8 v, scanrt_u32 bits) {
  const scanrt_u64 bytes = __builtin_ia32_pdep_di(bits, (scanrt_u64)0x0101010101010101) * 0xff;
  const scanrt_u64 lanes = __builtin_ia32_pext_di((scanrt_u64)0x0706050403020100, bytes);
  return __builtin_ia32_permvarsi256(v, convert_int8(as_uchar8(lanes)));
}

/* Moves those of 32 elements of 4 bytes whose bits are set; overwrites the bytes after them, up to 32 elements in
 * all. */
FUNC void scanrt_front_4(GLOBAL scanrt_i32 *to, GLOBAL const scanrt_i32 *from, scanrt_u32 word) {
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++, word >>= 8) {
    vstore8(scanrt_lanes_front(vload8(k, from), word & 0xffu), 0, to);
    to += popcount(word & 0xffu);
  }
}

/* Moves those of 32 elements of 8 bytes, two lanes each, whose bits are set; overwrites the bytes after them, up to 32
 * elements in all. */
FUNC void scanrt_front_8(GLOBAL scanrt_i32 *to, GLOBAL const scanrt_i32 *from, scanrt_u32 word) {
  UNROLL
  for (scanrt_u32 k = 0; k < 8; k++, word >>= 4) {
    vstore8(scanrt_lanes_front(vload8(k, from), (scanrt_u32)__builtin_ia32_pdep_di(word & 15u, 0x55) * 3), 0, to);
    to += 2 * popcount(word & 15u);
  }
}
#endif

#if __has_builtin(__builtin_ia32_movmskps256)
#define KEYS_4_OF_32(key) scanrt_keys_4_of_32(key)
#define KEYS_8_OF_32(key) scanrt_keys_8_of_32(key)

/* Returns a bit for each of 32 keys of 4 bytes, set if the key differs from the one before. */
FUNC scanrt_u32 scanrt_keys_4_of_32(GLOBAL const scanrt_u32 *key) {
  scanrt_u32 word = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) {
    const int8 same = vload8(k, key - 1) == vload8(k, key);
    word |= (scanrt_u32)__builtin_ia32_movmskps256(as_float8(same)) << (8 * k);
  }
  return ~word;
}

/* Returns a bit for each of 32 keys of 8 bytes, set if the key differs from the one before. */
FUNC scanrt_u32 scanrt_keys_8_of_32(GLOBAL const scanrt_u64 *key) {
  scanrt_u32 word = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) {
    const int8 same = convert_int8(vload8(k, key - 1) == vload8(k, key));
    word |= (scanrt_u32)__builtin_ia32_movmskps256(as_float8(same)) << (8 * k);
  }
  return ~word;
}
#endif
#endif
#endif
