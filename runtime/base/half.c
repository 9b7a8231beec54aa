/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/half.h"

#include <stddef.h>

/* Conversions of binary16. Its exponent bias is 15, binary32's is 127: widening adds 112, and 224 for infinities and
 * NaNs. A denormal, which has no leading one, is given that of 2^-14, which is then subtracted. Narrowing shifts the
 * significand down and rounds by the bits shifted out; the sum may carry into the exponent, and gives infinity from
 * 65520 on. Below 2^-14 adding 0.5 rounds: the sum's last bit is binary16's. All results are computed and one is
 * selected, without branches, because GPUs would run the branches one after another. */
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
    });
SCAN_OP_TEXT(
    f16_emits,
    static inline uint16_t f16_inclusive(float inclusive, float exclusive, uint16_t x, uint64_t index) {
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

/* Conversions of bfloat16, the upper half of binary32. */
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
    });
SCAN_OP_TEXT(
    bf16_emits,
    static inline uint16_t bf16_inclusive(float inclusive, float exclusive, uint16_t x, uint64_t index) {
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

/* The conversions by NVIDIA's instructions, used if source_open.h finds them. Their NaN is 0x7fff, the only half that
 * is above the canonical NaN as a signed number. */
static const char f16_ptx[] =
    "#ifdef SCANRT_F16_PTX\n"
    "static inline float f16_widen(uint16_t x, uint64_t index) "
    "{ float f; (void)index; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : \"h\"(x)); return f; }\n"
    "static inline uint16_t f16_of(float x) "
    "{ uint16_t h; asm(\"cvt.rn.f16.f32 %0, %1; min.s16 %0, %0, 32256;\" : \"=h\"(h) : \"f\"(x)); return h; }\n"
    "#else\n";
static const char bf16_ptx[] =
    "#ifdef SCANRT_BF16_PTX\n"
    "static inline float bf16_widen(uint16_t x, uint64_t index) "
    "{ float f; (void)index; asm(\"mov.b32 %0, {%1, %2};\" : \"=f\"(f) : \"h\"((uint16_t)0), \"h\"(x)); return f; }\n"
    "static inline uint16_t bf16_of(float x) "
    "{ uint16_t h; asm(\"cvt.rn.bf16.f32 %0, %1; min.s16 %0, %0, 32704;\" : \"=h\"(h) : \"f\"(x)); return h; }\n"
    "#else\n";

/* The conversions for the host's loops: without branches, so that compilers vectorise them. */
typedef uint16_t scanrt_u16;
typedef uint32_t scanrt_u32;
typedef float scanrt_f32;
#define FUNC static inline
FUNC uint32_t bits_of(float f) { return ((float_bits){ .f = f }).u; }
FUNC float float_of(uint32_t u) { return ((float_bits){ .u = u }).f; }
#define F32_BITS(x) bits_of(x)
#define BITS_F32(x) float_of(x)
/* NOLINTBEGIN(readability-duplicate-include): for one type and for the other */
#define SCAN_TYPE 11
#include "kernels_cl/lib/half.h"
#undef SCANRT_CL_HALF_H
#undef SCAN_TYPE
#undef HALF_BELOW
#undef HALF_SHOWN
#undef HALF_WIDEN
#undef HALF_NARROW
#define SCAN_TYPE 12
#include "kernels_cl/lib/half.h"
/* NOLINTEND(readability-duplicate-include) */

static inline float host_f16_widen(uint16_t x, uint64_t index) {
  (void)index;
  return scanrt_f16_widen(x);
}

#define EMIT(NAME, VALUE)                                                                                              \
  static inline uint16_t host_##NAME(float inclusive, float exclusive, uint16_t x, uint64_t index) {                   \
    (void)inclusive, (void)exclusive, (void)x, (void)index;                                                            \
    return VALUE;                                                                                                      \
  }
EMIT(f16_inclusive, scanrt_f16_narrow(inclusive))
EMIT(f16_exclusive, scanrt_f16_narrow(exclusive))
EMIT(bf16_inclusive, scanrt_bf16_narrow(inclusive))
EMIT(bf16_exclusive, scanrt_bf16_narrow(exclusive))

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

static const scan_half f16 = { { f16_ptx, f16_text, "\n#endif\n", f16_emits },
                               "f16_widen",
                               { "f16_inclusive", "f16_exclusive" },
                               f16_widen_host,
                               { f16_inclusive_host, f16_exclusive_host },
                               f16_widen_host_loop,
                               { f16_inclusive_fast_loop, f16_exclusive_fast_loop } };
static const scan_half bf16 = { { bf16_ptx, bf16_text, "\n#endif\n", bf16_emits },
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
