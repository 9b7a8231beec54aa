/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction's inner loops as a compress_stores, for registers of REG_BYTES (host_simd.h). */
#include "device/host/select/compress_store.h"

#include <string.h>

#include "device/host/host_simd.h"
#include "device/host/host_stream.h"
#include "device/host/prefetch.h"
#include "device/host/select/host_lanes.h"

/* Returns word w of m, without bits past its elements. */
static inline uint32_t word_of(const host_marked *m, uint32_t w) {
  const uint32_t left = m->items - w * 32, valid = left >= 32 ? ~0u : (1u << left) - 1;
  return (m->words[w] ^ m->flip) & valid;
}

static uint64_t count(const host_marked *m) {
  uint64_t sum = 0;
  for (uint32_t w = 0; w * 32 < m->items; w++) sum += (uint64_t)__builtin_popcount(word_of(m, w));
  return sum;
}

/* Moves elements one by one: for large elements, whose copies dominate. */
static uint8_t *any(uint8_t *to, const host_marked *m) {
  for (uint32_t w = 0; w * 32 < m->items; w++)
    for (uint32_t word = word_of(m, w); word != 0; word &= word - 1) {
      const uint64_t i = (uint64_t)w * 32 + (uint32_t)__builtin_ctz(word);
      memcpy(to, m->from + i * m->bytes, m->bytes);
      to += m->bytes;
    }
  return to;
}

/* COUNTS_OF declares the numbers of set bits of each `each` bits of a word, COUNT_OF is that of those from bit k on.
 * NEON counts in vector registers, so that a count at a time would cost two moves between registers. */
#if defined(__aarch64__)
#define COUNTS_OF(counts, word, each)                                                                                  \
  const uint32_t counts = (each) == 8 ? host_counts_of_8(word) : (each) == 4 ? host_counts_of_4(word) : (word)
#define COUNT_OF(counts, k, each, bits) ((void)(bits), (counts) >> (k) & ((1u << (each)) - 1))
#else
#define COUNTS_OF(counts, word, each) (void)0
#define COUNT_OF(counts, k, each, bits) ((uint32_t)__builtin_popcount(bits))
#endif

/* STEP(to, m, i, bits) moves those of `each` elements from number i on whose bits are set. Its work does not depend on
 * the bits, so that no branch is mispredicted. LAST handles the elements of a last word that is not full. */
#define FRONT_BY(name, size, each, STEP, LAST, ahead)                                                                  \
  static uint8_t *name(uint8_t *to, const host_marked *m) {                                                            \
    const uint32_t full = m->items / 32;                                                                               \
    for (uint32_t w = 0; w < full; w++) {                                                                              \
      const uint32_t word = m->words[w] ^ m->flip;                                                                     \
      COUNTS_OF(counts, word, each);                                                                                   \
      if ((ahead)) scan_host_prefetch(m->from + (uint64_t)w * 32 * (size), 32 * (size));                               \
      for (uint32_t k = 0; k < 32; k += (each)) {                                                                      \
        const uint32_t bits = word >> k & (uint32_t)(((uint64_t)1 << (each)) - 1);                                     \
        STEP(to, m, (uint64_t)w * 32 + k, bits);                                                                       \
        to += (size_t)((size)*COUNT_OF(counts, k, each, bits));                                                        \
      }                                                                                                                \
    }                                                                                                                  \
    if (m->items % 32 == 0) return to;                                                                                 \
    for (uint32_t word = word_of(m, full); word != 0; word &= word - 1, to += (size))                                  \
      LAST(to, m, (uint64_t)full * 32 + (uint32_t)__builtin_ctz(word), 1u);                                            \
    return to;                                                                                                         \
  }

#define MOVE_1(to, m, i, bits) memcpy((to), (m)->from + (i), 1)
#define MOVE_2(to, m, i, bits) memcpy((to), (m)->from + (i)*2, 2)
#define MOVE_4(to, m, i, bits) memcpy((to), (m)->from + (i)*4, 4)
#define MOVE_8(to, m, i, bits) memcpy((to), (m)->from + (i)*8, 8)
#define MOVE_16(to, m, i, bits) memcpy((to), (m)->from + (i)*16, 16)
#define INDEX_4(to, m, i, bits) *(uint32_t *)(void *)(to) = (uint32_t)((m)->index + (i))
#define INDEX_8(to, m, i, bits) *(uint64_t *)(void *)(to) = (m)->index + (i)

#if REG_BYTES == 64
/* One instruction moves the lanes whose bits are set to the front and clears the others. */
static inline void lanes_1(uint8_t *to, const uint8_t *from, uint32_t bits) {
  const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)from);
  _mm256_storeu_si256((__m256i *)(void *)to, _mm256_maskz_compress_epi8(bits, v));
}
static inline void lanes_2(uint8_t *to, const uint8_t *from, uint32_t bits) {
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi16(bits, _mm512_loadu_si512(from)));
}
static inline void lanes_4(uint8_t *to, const uint8_t *from, uint32_t bits) {
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, _mm512_loadu_si512(from)));
}
static inline void lanes_8(uint8_t *to, const uint8_t *from, uint32_t bits) {
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi64((__mmask8)bits, _mm512_loadu_si512(from)));
}
static inline void numbers_4(uint8_t *to, uint32_t first, uint32_t bits) {
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i all = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)first));
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, all));
}
static inline void numbers_8(uint8_t *to, uint64_t first, uint32_t bits) {
  const __m512i all = _mm512_add_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64((long long)first));
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi64((__mmask8)bits, all));
}
#define LANES_OF_1 32
#define LANES_OF_2 32
#define LANES_OF_4 16
#define LANES_OF_8 8
#elif REG_BYTES == 32
/* Moves eight elements, those whose bits are set before the others; of 8 bytes four. */
static inline void lanes_1(uint8_t *to, const uint8_t *from, uint32_t bits) {
  const __m128i v = _mm_loadl_epi64((const __m128i *)(const void *)from);
  _mm_storel_epi64((__m128i *)(void *)to, _mm_shuffle_epi8(v, host_lanes_row(bits)));
}
static inline void lanes_2(uint8_t *to, const uint8_t *from, uint32_t bits) {
  const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)from);
  const __m128i low = _mm_add_epi8(host_lanes_row(bits), host_lanes_row(bits));
  const __m128i both = _mm_unpacklo_epi8(low, _mm_add_epi8(low, _mm_set1_epi8(1)));
  _mm_storeu_si128((__m128i *)(void *)to, _mm_shuffle_epi8(v, both));
}
static inline void lanes_4(uint8_t *to, const uint8_t *from, uint32_t bits) {
  _mm256_storeu_si256((__m256i *)(void *)to, host_lanes_front(from, bits));
}
static inline void lanes_8(uint8_t *to, const uint8_t *from, uint32_t bits) {
  lanes_4(to, from, ((bits & 1) + (bits & 2) * 2 + (bits & 4) * 4 + (bits & 8) * 8) * 3);
}
static inline void numbers_4(uint8_t *to, uint32_t first, uint32_t bits) {
  const __m256i lanes = _mm256_cvtepu8_epi32(host_lanes_row(bits));
  _mm256_storeu_si256((__m256i *)(void *)to, _mm256_add_epi32(lanes, _mm256_set1_epi32((int)first)));
}
static inline void numbers_8(uint8_t *to, uint64_t first, uint32_t bits) {
  const __m256i lanes = _mm256_cvtepu8_epi64(host_lanes_row(bits));
  _mm256_storeu_si256((__m256i *)(void *)to, _mm256_add_epi64(lanes, _mm256_set1_epi64x((long long)first)));
}
#define LANES_OF_1 8
#define LANES_OF_2 8
#define LANES_OF_4 8
#define LANES_OF_8 4
#elif defined(__aarch64__)
/* Moves eight elements, those whose bits are set before the others; of 8 bytes four. */
static inline void lanes_1(uint8_t *to, const uint8_t *from, uint32_t bits) {
  vst1_u8(to, vtbl1_u8(vld1_u8(from), vget_low_u8(host_lanes_row(bits))));
}
static inline void lanes_2(uint8_t *to, const uint8_t *from, uint32_t bits) {
  vst1q_u8(to, vqtbl1q_u8(vld1q_u8(from), host_lanes_bytes(host_lanes_row(bits), 0, 2)));
}
#ifndef __ARM_FEATURE_SVE2
static inline void lanes_4(uint8_t *to, const uint8_t *from, uint32_t bits) { host_lanes_front(to, from, bits, 4); }
static inline void lanes_8(uint8_t *to, const uint8_t *from, uint32_t bits) { host_lanes_front(to, from, bits, 8); }
static inline void numbers_4(uint8_t *to, uint32_t first, uint32_t bits) {
  const uint16x8_t lanes = vmovl_u8(vget_low_u8(host_lanes_row(bits)));
  const uint32x4_t all = vdupq_n_u32(first);
  vst1q_u8(to, vreinterpretq_u8_u32(vaddw_u16(all, vget_low_u16(lanes))));
  vst1q_u8(to + 16, vreinterpretq_u8_u32(vaddw_u16(all, vget_high_u16(lanes))));
}
static inline void numbers_8(uint8_t *to, uint64_t first, uint32_t bits) {
  const uint32x4_t lanes = vmovl_u16(vget_low_u16(vmovl_u8(vget_low_u8(host_lanes_row(bits)))));
  const uint64x2_t all = vdupq_n_u64(first);
  vst1q_u8(to, vreinterpretq_u8_u64(vaddw_u32(all, vget_low_u32(lanes))));
  vst1q_u8(to + 16, vreinterpretq_u8_u64(vaddw_u32(all, vget_high_u32(lanes))));
}
#endif
#define LANES_OF_1 8
#define LANES_OF_2 8
#define LANES_OF_4 8
#define LANES_OF_8 4
#endif

#ifdef LANES_OF_1
#define LANES_1(to, m, i, bits) lanes_1((to), (m)->from + (i), (bits))
#define LANES_2(to, m, i, bits) lanes_2((to), (m)->from + (i)*2, (bits))
#define LANES_4(to, m, i, bits) lanes_4((to), (m)->from + (i)*4, (bits))
#define LANES_8(to, m, i, bits) lanes_8((to), (m)->from + (i)*8, (bits))
#define NUMBERS_4(to, m, i, bits) numbers_4((to), (uint32_t)((m)->index + (i)), (bits))
#define NUMBERS_8(to, m, i, bits) numbers_8((to), (m)->index + (i), (bits))
FRONT_BY(front_1, 1, LANES_OF_1, LANES_1, MOVE_1, 1)
FRONT_BY(front_2, 2, LANES_OF_2, LANES_2, MOVE_2, 1)
#ifndef __ARM_FEATURE_SVE2
FRONT_BY(front_4, 4, LANES_OF_4, LANES_4, MOVE_4, 1)
FRONT_BY(front_8, 8, LANES_OF_8, LANES_8, MOVE_8, 1)
FRONT_BY(index_4, 4, LANES_OF_4, NUMBERS_4, INDEX_4, 0)
FRONT_BY(index_8, 8, LANES_OF_8, NUMBERS_8, INDEX_8, 0)
#endif
#else
FRONT_BY(front_1, 1, 1, MOVE_1, MOVE_1, 1)
FRONT_BY(front_2, 2, 1, MOVE_2, MOVE_2, 1)
FRONT_BY(front_4, 4, 1, MOVE_4, MOVE_4, 1)
FRONT_BY(front_8, 8, 1, MOVE_8, MOVE_8, 1)
FRONT_BY(index_4, 4, 1, INDEX_4, INDEX_4, 0)
FRONT_BY(index_8, 8, 1, INDEX_8, INDEX_8, 0)
#endif
FRONT_BY(front_16, 16, 1, MOVE_16, MOVE_16, 1)

#ifdef __ARM_FEATURE_SVE2
#define SVE_LANES_4(m, i, kept) svld1_u32((kept), (const uint32_t *)(const void *)(m)->from + (i))
#define SVE_LANES_8(m, i, kept) svld1_u64((kept), (const uint64_t *)(const void *)(m)->from + (i))
#define SVE_NUMBERS_4(m, i, kept) svindex_u32((uint32_t)((m)->index + (i)), 1)
#define SVE_NUMBERS_8(m, i, kept) svindex_u64((m)->index + (i), 1)

/* A register of any width takes as many elements as it has lanes, at most those of a word. LOAD(m, i, kept) is a
 * register of elements from number i on. Loads and stores touch kept elements alone. */
#define FRONT_SVE(name, width, LOAD, ahead)                                                                            \
  static uint8_t *name(uint8_t *to, const host_marked *m) {                                                            \
    uint##width##_t *out = (uint##width##_t *)(void *)to;                                                              \
    const svbool_t all = svptrue_b##width();                                                                           \
    const svuint##width##_t ones = svdup_u##width(1), bit = svlsl_u##width##_x(all, ones, svindex_u##width(0, 1));     \
    const uint32_t lanes = (uint32_t)svcntb() * 8 / (width), step = lanes < 32 ? lanes : 32;                           \
    for (uint64_t w = 0; w * 32 < m->items; w++) {                                                                     \
      uint64_t word = word_of(m, (uint32_t)w);                                                                         \
      if ((ahead)) scan_host_prefetch(m->from + w * (width)*4, (width)*4);                                             \
      for (uint64_t i = w * 32; word != 0; i += step, word >>= step) {                                                 \
        const svuint##width##_t some = svdup_u##width((uint##width##_t)word);                                          \
        const svbool_t kept = svcmpne_n_u##width(all, svand_u##width##_x(all, some, bit), 0);                          \
        const uint64_t count = svcntp_b##width(all, kept);                                                             \
        svst1_u##width(svwhilelt_b##width##_u64(0, count), out, svcompact_u##width(kept, LOAD(m, i, kept)));           \
        out += count;                                                                                                  \
      }                                                                                                                \
    }                                                                                                                  \
    return (uint8_t *)out;                                                                                             \
  }
FRONT_SVE(front_4, 32, SVE_LANES_4, 1)
FRONT_SVE(front_8, 64, SVE_LANES_8, 1)
FRONT_SVE(index_4, 32, SVE_NUMBERS_4, 0)
FRONT_SVE(index_8, 64, SVE_NUMBERS_8, 0)
#endif

/* Copies past the caches, by whole lines except at both ends. */
static void stream(uint8_t *to, const uint8_t *from, size_t bytes) {
#if REG_BYTES > 16
  enum { LINE = 64 };
  const size_t lead = (LINE - (uintptr_t)to % LINE) % LINE;
  if (bytes >= LINE + lead) {
    size_t i = lead;
    memcpy(to, from, lead);
    for (; i + LINE <= bytes; i += LINE)
#if REG_BYTES == 64
      _mm512_stream_si512((__m512i *)(void *)(to + i), _mm512_loadu_si512(from + i));
#else
      for (size_t k = 0; k < LINE; k += 32)
        _mm256_stream_si256((__m256i *)(void *)(to + i + k),
                            _mm256_loadu_si256((const __m256i *)(const void *)(from + i + k)));
#endif
    to += i, from += i, bytes -= i;
  }
  memcpy(to, from, bytes);
#else
  scan_host_stream_lines(to, from, bytes);
#endif
}

const compress_stores HOST_SIMD_NAME(scan_compress_stores) = {
  .by_bytes = { [1] = front_1, [2] = front_2, [4] = front_4, [8] = front_8, [16] = front_16 },
  .any = any,
  .index4 = index_4,
  .index8 = index_8,
  .count = count,
  .stream = stream
};
