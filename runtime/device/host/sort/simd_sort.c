/* SPDX-License-Identifier: BSD-2-Clause */
/* simd_sort.h in registers of REG_BYTES (host_simd.h). Names end in the bytes of a key, which is a signed integer to
 * these functions. A bit of `lanes` is a lane of a register, the lowest bit the first lane. Keys of 8 bytes have loops
 * for AVX-512 alone: with AVX2 the digits of host_sort_loops.h are faster (tools/doc/measurements/host.md). */
#include "device/host/sort/simd_sort.h"

#include <string.h>

#include "device/host/host_simd.h"
#include "device/host/host_stream.h"
#include "device/host/select/host_lanes.h"

#define JOIN_OF(a, b) a##_##b
#define JOIN(a, b) JOIN_OF(a, b)

#if REG_BYTES == 64
typedef __m512i reg;

static inline reg load(const void *from) { return _mm512_loadu_si512(from); }
static inline void store(void *to, reg v) { _mm512_storeu_si512(to, v); }
static inline void stream(void *to, reg v) { _mm512_stream_si512(to, v); }
static inline reg reg_xor(reg a, reg b) { return _mm512_xor_si512(a, b); }
static inline reg reg_and(reg a, reg b) { return _mm512_and_si512(a, b); }

static inline reg all_4(uint32_t key) { return _mm512_set1_epi32((int)key); }
static inline reg lane_numbers_4(void) {
  return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}
static inline reg signs_4(reg v) { return _mm512_srai_epi32(v, 31); }
static inline uint32_t above_4(reg a, reg b) { return _mm512_cmpgt_epi32_mask(a, b); }
static inline uint32_t equal_4(reg a, reg b) { return _mm512_cmpeq_epi32_mask(a, b); }
static inline reg least_4(reg a, reg b) { return _mm512_min_epi32(a, b); }
static inline reg most_4(reg a, reg b) { return _mm512_max_epi32(a, b); }
static inline reg choose_4(reg a, reg b, uint32_t lanes) { return _mm512_mask_mov_epi32(a, (__mmask16)lanes, b); }
static inline reg front_4(reg v, uint32_t lanes) { return _mm512_maskz_compress_epi32((__mmask16)lanes, v); }
static inline reg load_lanes_4(const void *from, uint32_t lanes) {
  return _mm512_maskz_loadu_epi32((__mmask16)lanes, from);
}
static inline void store_lanes_4(void *to, uint32_t lanes, reg v) { _mm512_mask_storeu_epi32(to, (__mmask16)lanes, v); }
static inline reg exchange_4(reg v, uint32_t bits) {
  return _mm512_permutexvar_epi32(reg_xor(lane_numbers_4(), all_4(bits)), v);
}
/* Returns a register that begins with the lanes not above; *high ends with the lanes above. The barrier keeps gcc from
 * exchanging the compressions, which took a quarter more of a sort's time (AMD EPYC, Zen 5). */
static inline reg part_4(reg v, uint32_t above, reg *high) {
  reg low = front_4(v, above ^ 0xffff);
  __asm__("" : "+v"(low), "+v"(v));
  *high = exchange_4(front_4(v, above), 15);
  return low;
}
static inline reg zip_low_4(reg a, reg b) {
  return _mm512_permutex2var_epi32(a, _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0), b);
}
static inline reg zip_high_4(reg a, reg b) {
  return _mm512_permutex2var_epi32(a, _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8),
                                   b);
}

static inline reg all_8(uint64_t key) { return _mm512_set1_epi64((long long)key); }
static inline reg lane_numbers_8(void) { return _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0); }
static inline reg signs_8(reg v) { return _mm512_srai_epi64(v, 63); }
static inline uint32_t above_8(reg a, reg b) { return _mm512_cmpgt_epi64_mask(a, b); }
static inline uint32_t equal_8(reg a, reg b) { return _mm512_cmpeq_epi64_mask(a, b); }
static inline reg least_8(reg a, reg b) { return _mm512_min_epi64(a, b); }
static inline reg most_8(reg a, reg b) { return _mm512_max_epi64(a, b); }
static inline reg choose_8(reg a, reg b, uint32_t lanes) { return _mm512_mask_mov_epi64(a, (__mmask8)lanes, b); }
static inline reg front_8(reg v, uint32_t lanes) { return _mm512_maskz_compress_epi64((__mmask8)lanes, v); }
/* One permutation takes the processor's only port for them half as long as two compressions. */
static inline reg part_8(reg v, uint32_t above, reg *high) {
  const __m128i row = _mm_loadl_epi64((const __m128i *)(const void *)scan_host_lanes[above ^ 0xff]);
  return *high = _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(row), v);
}
static inline reg load_lanes_8(const void *from, uint32_t lanes) {
  return _mm512_maskz_loadu_epi64((__mmask8)lanes, from);
}
static inline void store_lanes_8(void *to, uint32_t lanes, reg v) { _mm512_mask_storeu_epi64(to, (__mmask8)lanes, v); }
static inline reg exchange_8(reg v, uint32_t bits) {
  return _mm512_permutexvar_epi64(reg_xor(lane_numbers_8(), all_8(bits)), v);
}
static inline reg zip_low_8(reg a, reg b) {
  return _mm512_permutex2var_epi64(a, _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), b);
}
static inline reg zip_high_8(reg a, reg b) {
  return _mm512_permutex2var_epi64(a, _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4), b);
}
#else
typedef __m256i reg;

static inline reg load(const void *from) { return _mm256_loadu_si256(from); }
static inline void store(void *to, reg v) { _mm256_storeu_si256(to, v); }
static inline void stream(void *to, reg v) { _mm256_stream_si256(to, v); }
static inline reg reg_xor(reg a, reg b) { return _mm256_xor_si256(a, b); }
static inline reg reg_and(reg a, reg b) { return _mm256_and_si256(a, b); }

static inline reg all_4(uint32_t key) { return _mm256_set1_epi32((int)key); }
static inline reg lane_numbers_4(void) { return _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0); }
/* Returns a register whose lanes have all bits set or none. */
static inline reg masks_4(uint32_t lanes) {
  const reg bits = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
  return _mm256_cmpeq_epi32(reg_and(all_4(lanes), bits), bits);
}
static inline uint32_t lanes_4(reg masks) { return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(masks)); }
static inline reg signs_4(reg v) { return _mm256_srai_epi32(v, 31); }
static inline uint32_t above_4(reg a, reg b) { return lanes_4(_mm256_cmpgt_epi32(a, b)); }
static inline uint32_t equal_4(reg a, reg b) { return lanes_4(_mm256_cmpeq_epi32(a, b)); }
static inline reg least_4(reg a, reg b) { return _mm256_min_epi32(a, b); }
static inline reg most_4(reg a, reg b) { return _mm256_max_epi32(a, b); }
static inline reg choose_4(reg a, reg b, uint32_t lanes) { return _mm256_blendv_epi8(a, b, masks_4(lanes)); }
static inline reg front_4(reg v, uint32_t lanes) {
  return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(host_lanes_row(lanes)));
}
static inline reg part_4(reg v, uint32_t above, reg *high) { return *high = front_4(v, above ^ 0xff); }
static inline reg load_lanes_4(const void *from, uint32_t lanes) { return _mm256_maskload_epi32(from, masks_4(lanes)); }
static inline void store_lanes_4(void *to, uint32_t lanes, reg v) { _mm256_maskstore_epi32(to, masks_4(lanes), v); }
static inline reg exchange_4(reg v, uint32_t bits) {
  return _mm256_permutevar8x32_epi32(v, reg_xor(lane_numbers_4(), all_4(bits)));
}
static inline reg zip_low_4(reg a, reg b) {
  return _mm256_permute2x128_si256(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b), 0x20);
}
static inline reg zip_high_4(reg a, reg b) {
  return _mm256_permute2x128_si256(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b), 0x31);
}
#endif

/* Divisions of ranks have fewer instructions, but 16 lanes took 6 to 10 % longer by them (AMD EPYC, Zen 5). */
#define SORT_RANKS (REG_BYTES == 32)
#define SORT_KEY uint32_t
#define NAME(name) JOIN(name, 4)
#include "device/host/sort/simd_sort.inc"
#undef SORT_KEY
#undef NAME

#if REG_BYTES == 64
#define SORT_RANKS 1
#define SORT_KEY uint64_t
#define NAME(name) JOIN(name, 8)
#include "device/host/sort/simd_sort.inc"
#endif
