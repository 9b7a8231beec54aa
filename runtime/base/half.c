/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/half.h"

#include <stddef.h>

/* Of binary16 the exponent is 15 above zero where binary32's is 127: 112 more, and of infinities and NaNs 224. What has
 * no leading one (a denormal) is given the one of 2^-14, which is then taken off. Narrowed, it is the significand
 * shifted down, where what is shifted out rounds; above, the sum may carry into the exponent, and from 65520 on gives
 * infinity. Below 2^-14 the sum with 0.5 rounds: its last bit is binary16's. All results are computed and one is
 * selected, without branches, since GPUs would run the branches one after another. */
SCAN_OP_TEXT(
    f16_text,
    typedef union float_bits {
      float f;
      uint32_t u;
    } float_bits;
    static inline float f16_widen(uint16_t x, uint64_t index) {
      const uint32_t a = (uint32_t)(x & 0x7fff) << 13;
      float_bits v;
      float_bits denormal;
      (void)index;
      denormal.u = a + 0x38800000u;
      denormal.f -= 6.103515625e-5f;
      v.u = a + (a >= 0x0f800000u ? 0x70000000u : 0x38000000u);
      v.u = a < 0x00800000u ? denormal.u : v.u;
      v.u |= (uint32_t)(x & 0x8000) << 16;
      return v.f;
    } static inline uint16_t f16_of(float x) {
      float_bits v;
      float_bits denormal;
      v.f = x;
      const uint32_t sign = v.u >> 16 & 0x8000;
      const uint32_t a = v.u & 0x7fffffffu;
      denormal.u = a;
      denormal.f += 0.5f;
      uint32_t h = (a - 0x38000000u + 0xfff + (a >> 13 & 1)) >> 13;
      h = a < 0x38800000u ? denormal.u - 0x3f000000u : h;
      h = a >= 0x47800000u ? 0x7c00 : h;
      h = a > 0x7f800000u ? 0x7e00 | (a >> 13 & 0x3ff) : h;
      return (uint16_t)(sign | h);
    } static inline uint16_t f16_inclusive(float inclusive, float exclusive, uint16_t x, uint64_t index) {
      (void)exclusive;
      (void)x;
      (void)index;
      return f16_of(inclusive);
    } static inline uint16_t f16_exclusive(float inclusive, float exclusive, uint16_t x, uint64_t index) {
      (void)inclusive;
      (void)x;
      (void)index;
      return f16_of(exclusive);
    });

/* bfloat16 is the upper half of binary32. */
SCAN_OP_TEXT(
    bf16_text,
    typedef union upper_bits {
      float f;
      uint32_t u;
    } upper_bits;
    static inline float bf16_widen(uint16_t x, uint64_t index) {
      upper_bits v;
      (void)index;
      v.u = (uint32_t)x << 16;
      return v.f;
    } static inline uint16_t bf16_of(float x) {
      upper_bits v;
      v.f = x;
      if ((v.u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(v.u >> 16 | 0x40);
      return (uint16_t)((v.u + 0x7fff + (v.u >> 16 & 1)) >> 16);
    } static inline uint16_t bf16_inclusive(float inclusive, float exclusive, uint16_t x, uint64_t index) {
      (void)exclusive;
      (void)x;
      (void)index;
      return bf16_of(inclusive);
    } static inline uint16_t bf16_exclusive(float inclusive, float exclusive, uint16_t x, uint64_t index) {
      (void)inclusive;
      (void)x;
      (void)index;
      return bf16_of(exclusive);
    });

/* The same for the host, by bits where a choice would make a branch, and so no vectors of a loop: a < least ? x : y,
 * of numbers below 2^31. */
#define BELOW(a, least, x, y) ((y) ^ (((x) ^ (y)) & (0u - (((a) - (least)) >> 31))))

static inline float host_f16_widen(uint16_t x, uint64_t index) {
  float_bits denormal, v;
  (void)index;
  const uint32_t a = (uint32_t)(x & 0x7fff) << 13;
  denormal.u = a + 0x38800000u;
  denormal.f -= 6.103515625e-5f;
  v.u = a + BELOW(a, 0x0f800000u, 0x38000000u, 0x70000000u);
  v.u = BELOW(a, 0x00800000u, denormal.u, v.u) | (uint32_t)(x & 0x8000) << 16;
  return v.f;
}

static inline uint16_t host_f16_of(float x) {
  float_bits denormal, v;
  v.f = x;
  const uint32_t a = v.u & 0x7fffffffu;
  denormal.u = a;
  denormal.f += 0.5f;
  uint32_t h = (a - 0x38000000u + 0xfff + (a >> 13 & 1)) >> 13;
  h = BELOW(a, 0x38800000u, denormal.u - 0x3f000000u, h);
  h = BELOW(a, 0x47800000u, h, 0x7c00u);
  h = BELOW(a, 0x7f800001u, h, 0x7e00u | (a >> 13 & 0x3ff));
  return (uint16_t)((v.u >> 16 & 0x8000) | h);
}

static inline uint16_t host_bf16_of(float x) {
  upper_bits v;
  v.f = x;
  const uint32_t rounded = (v.u + 0x7fff + (v.u >> 16 & 1)) >> 16;
  return (uint16_t)BELOW(v.u & 0x7fffffffu, 0x7f800001u, rounded, v.u >> 16 | 0x40);
}

#define EMIT(NAME, VALUE)                                                                                              \
  static inline uint16_t host_##NAME(float inclusive, float exclusive, uint16_t x, uint64_t index) {                   \
    (void)inclusive, (void)exclusive, (void)x, (void)index;                                                            \
    return VALUE;                                                                                                      \
  }
EMIT(f16_inclusive, host_f16_of(inclusive))
EMIT(f16_exclusive, host_f16_of(exclusive))
EMIT(bf16_inclusive, host_bf16_of(inclusive))
EMIT(bf16_exclusive, host_bf16_of(exclusive))

SCAN_MAP_HOST(f16_widen_host, uint16_t, float, host_f16_widen);
SCAN_EMIT_HOST(f16_inclusive_host, float, uint16_t, uint16_t, f16_inclusive);
SCAN_EMIT_HOST(f16_inclusive_fast, float, uint16_t, uint16_t, host_f16_inclusive);
SCAN_EMIT_HOST(f16_exclusive_host, float, uint16_t, uint16_t, f16_exclusive);
SCAN_EMIT_HOST(f16_exclusive_fast, float, uint16_t, uint16_t, host_f16_exclusive);
SCAN_MAP_HOST(bf16_widen_host, uint16_t, float, bf16_widen);
SCAN_EMIT_HOST(bf16_inclusive_host, float, uint16_t, uint16_t, bf16_inclusive);
SCAN_EMIT_HOST(bf16_inclusive_fast, float, uint16_t, uint16_t, host_bf16_inclusive);
SCAN_EMIT_HOST(bf16_exclusive_host, float, uint16_t, uint16_t, bf16_exclusive);
SCAN_EMIT_HOST(bf16_exclusive_fast, float, uint16_t, uint16_t, host_bf16_exclusive);

static const scan_half f16 = { f16_text,
                               "f16_widen",
                               { "f16_inclusive", "f16_exclusive" },
                               f16_widen_host,
                               { f16_inclusive_host, f16_exclusive_host },
                               f16_widen_host_loop,
                               { f16_inclusive_fast_loop, f16_exclusive_fast_loop } };
static const scan_half bf16 = { bf16_text,
                                "bf16_widen",
                                { "bf16_inclusive", "bf16_exclusive" },
                                bf16_widen_host,
                                { bf16_inclusive_host, bf16_exclusive_host },
                                bf16_widen_host_loop,
                                { bf16_inclusive_fast_loop, bf16_exclusive_fast_loop } };

const scan_half *scan_half_of(scan_type type) { return type == SCAN_F16 ? &f16 : type == SCAN_BF16 ? &bf16 : NULL; }

float scan_half_value(scan_type type, uint16_t bits) {
  return type == SCAN_F16 ? f16_widen(bits, 0) : bf16_widen(bits, 0);
}
