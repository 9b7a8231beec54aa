/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_HOST_LANES_H
#define SCANRT_HOST_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "device/host/host_simd.h"

/* Row m: the numbers of the bits set in m, ascending, then those of the others, ascending. */
extern const uint8_t scan_host_lanes[256][8];

#if defined(REG_BYTES) && REG_BYTES == 32
/* ---- compaction by AVX2; macros are for kernels_cl/select/select.cl and select_marks.cl ---- */

#include "device/host/prefetch.h"

/* Returns row `bits`. */
static inline __m128i host_lanes_row(uint32_t bits) {
  return _mm_loadl_epi64((const __m128i *)(const void *)scan_host_lanes[bits]);
}

/* Returns eight lanes, those whose bits are set before the others. */
static inline __m256i host_lanes_front(const void *from, uint32_t bits) {
  return _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from), _mm256_cvtepu8_epi32(host_lanes_row(bits)));
}

/* Moves those of 32 elements of 4 bytes whose bits are set; overwrites the bytes after them, up to 32 elements in
 * all. */
static inline void compress_store_4(uint32_t *to, const uint32_t *from, uint32_t word) {
  for (int k = 0; k < 4; k++, word >>= 8) {
    _mm256_storeu_si256((__m256i *)(void *)to, host_lanes_front(from + (ptrdiff_t)(8 * k), word & 0xff));
    to += __builtin_popcount(word & 0xff);
  }
}

/* Moves those of 32 elements of 8 bytes whose bits are set; overwrites the bytes after them, up to 32 elements in
 * all. */
static inline void compress_store_8(uint64_t *to, const uint64_t *from, uint32_t word) {
  for (int k = 0; k < 8; k++, word >>= 4) {
    const uint32_t pairs = ((word & 1) + (word & 2) * 2 + (word & 4) * 4 + (word & 8) * 8) * 3;
    _mm256_storeu_si256((__m256i *)(void *)to, host_lanes_front(from + (ptrdiff_t)(4 * k), pairs));
    to += __builtin_popcount(word & 0xf);
  }
}
#define FRONT_4(to, from, word) compress_store_4((to), (from), (word))
#define FRONT_8(to, from, word) compress_store_8((to), (from), (word))

/* Returns a bit for each of 32 bytes, set if the byte is not 0. */
static inline uint32_t host_bits_of_flags(const uint8_t *flag) {
  const __m256i is_zero =
      _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)flag), _mm256_setzero_si256());
  return ~(uint32_t)_mm256_movemask_epi8(is_zero);
}
#define FLAGS_OF_32(flag) host_bits_of_flags(flag)

/* Returns a bit for each of 32 keys of 4 bytes, set if the key differs from the one before. */
static inline uint32_t host_bits_of_keys_4(const uint32_t *key) {
  uint32_t same = 0;
  scan_host_prefetch((const uint8_t *)key, 32 * sizeof *key);
  for (int k = 0; k < 4; k++) {
    const __m256i before = _mm256_loadu_si256((const __m256i *)(const void *)(key + (ptrdiff_t)(8 * k) - 1));
    const __m256i own = _mm256_loadu_si256((const __m256i *)(const void *)(key + (ptrdiff_t)(8 * k)));
    same |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(before, own))) << (8 * k);
  }
  return ~same;
}
#define KEYS_4_OF_32(key) host_bits_of_keys_4(key)
#elif defined(__aarch64__)
/* ---- compaction by NEON ---- */

#include "device/host/prefetch.h"

/* Returns row `bits` twice. */
static inline uint8x16_t host_lanes_row(uint32_t bits) {
  uint64_t row;
  memcpy(&row, scan_host_lanes[bits], sizeof row);
  return vreinterpretq_u8_u64(vdupq_n_u64(row));
}

/* Returns the numbers of the bytes of 16 / bytes elements, which `row` names from its element `first` on. */
static inline uint8x16_t host_lanes_bytes(uint8x16_t row, uint32_t first, uint32_t bytes) {
  uint8_t element[16], byte[16];
  for (uint32_t i = 0; i < 16; i++) element[i] = (uint8_t)(first + i / bytes), byte[i] = (uint8_t)(i % bytes);
  const uint8x16_t each = vqtbl1q_u8(row, vld1q_u8(element));
  return vmlaq_u8(vld1q_u8(byte), each, vdupq_n_u8((uint8_t)bytes));
}

/* Moves 32 / bytes elements, of 4 or 8 bytes, those whose bits are set before the others. */
static inline void host_lanes_front(void *to, const void *from, uint32_t bits, uint32_t bytes) {
  const uint8x16x2_t v = { { vld1q_u8(from), vld1q_u8((const uint8_t *)from + 16) } };
  const uint8x16_t row = host_lanes_row(bits);
  vst1q_u8(to, vqtbl2q_u8(v, host_lanes_bytes(row, 0, bytes)));
  vst1q_u8((uint8_t *)to + 16, vqtbl2q_u8(v, host_lanes_bytes(row, 16 / bytes, bytes)));
}

/* Returns the number of bits set in each 4 bits of the word. */
static inline uint32_t host_counts_of_4(uint32_t word) {
  word -= word >> 1 & 0x55555555;
  return (word & 0x33333333) + (word >> 2 & 0x33333333);
}

/* Returns the number of bits set in each 8 bits of the word. */
static inline uint32_t host_counts_of_8(uint32_t word) {
  word = host_counts_of_4(word);
  return (word + (word >> 4)) & 0x0f0f0f0f;
}

/* Moves those of 32 elements of 4 bytes whose bits are set; overwrites the bytes after them, up to 32 elements in
 * all. */
static inline void compress_store_4(uint32_t *to, const uint32_t *from, uint32_t word) {
  const uint32_t counts = host_counts_of_8(word);
  for (uint32_t k = 0; k < 32; k += 8) {
    host_lanes_front(to, from + k, word >> k & 0xff, 4);
    to += counts >> k & 0xff;
  }
}

/* Moves those of 32 elements of 8 bytes whose bits are set; overwrites the bytes after them, up to 32 elements in
 * all. */
static inline void compress_store_8(uint64_t *to, const uint64_t *from, uint32_t word) {
  const uint32_t counts = host_counts_of_4(word);
  for (uint32_t k = 0; k < 32; k += 4) {
    host_lanes_front(to, from + k, word >> k & 0xf, 8);
    to += counts >> k & 0xf;
  }
}
#define FRONT_4(to, from, word) compress_store_4((to), (from), (word))
#define FRONT_8(to, from, word) compress_store_8((to), (from), (word))

/* Returns a bit for each of 32 bytes, all of whose bits are equal. */
static inline uint32_t host_bits_of_masks(uint8x16_t low, uint8x16_t high) {
  const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
  uint8x16_t sums = vpaddq_u8(vandq_u8(low, bit), vandq_u8(high, bit));
  sums = vpaddq_u8(sums, sums);
  sums = vpaddq_u8(sums, sums);
  return vgetq_lane_u32(vreinterpretq_u32_u8(sums), 0);
}

/* Returns a bit for each of 32 bytes, set if the byte is not 0. */
static inline uint32_t host_bits_of_flags(const uint8_t *flag) {
  const uint8x16_t low = vld1q_u8(flag), high = vld1q_u8(flag + 16);
  return host_bits_of_masks(vtstq_u8(low, low), vtstq_u8(high, high));
}
#define FLAGS_OF_32(flag) host_bits_of_flags(flag)

/* Returns 16 bytes, 0xff where one of 16 keys equals the one before, else 0. */
static inline uint8x16_t host_same_keys_16(const uint32_t *key) {
  uint16x8_t same[2];
  for (ptrdiff_t k = 0; k < 2; k++) {
    const uint32_t *own = key + 8 * k;
    same[k] = vuzp1q_u16(vreinterpretq_u16_u32(vceqq_u32(vld1q_u32(own - 1), vld1q_u32(own))),
                         vreinterpretq_u16_u32(vceqq_u32(vld1q_u32(own + 3), vld1q_u32(own + 4))));
  }
  return vuzp1q_u8(vreinterpretq_u8_u16(same[0]), vreinterpretq_u8_u16(same[1]));
}

/* Returns a bit for each of 32 keys of 4 bytes, set if the key differs from the one before. */
static inline uint32_t host_bits_of_keys_4(const uint32_t *key) {
  scan_host_prefetch((const uint8_t *)key, 32 * sizeof *key);
  return ~host_bits_of_masks(host_same_keys_16(key), host_same_keys_16(key + 16));
}
#define KEYS_4_OF_32(key) host_bits_of_keys_4(key)
#endif

#endif
