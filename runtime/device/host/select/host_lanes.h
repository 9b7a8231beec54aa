/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_HOST_LANES_H
#define SCANRT_HOST_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "device/host/host_simd.h"

/* Row m: the numbers of the bits set in m, ascending, then zeros. */
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
#define KEYS_OF_32(key) host_bits_of_keys_4(key)
#endif

#endif
