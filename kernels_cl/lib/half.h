/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts binary16 (SCAN_TYPE 11) and bfloat16 (12) to binary32 and back, like runtime/base/half.c, whose comments
 * explain the steps. */
#ifndef SCANRT_CL_HALF_H
#define SCANRT_CL_HALF_H

/* x if a is below `least`, else y; a and least are below 2^31. It uses bits: compilers make branches of a choice or a
 * comparison, and then do not vectorize the loop. */
#define HALF_BELOW(a, least, x, y) ((y) ^ (((x) ^ (y)) & (0u - (((a) - (least)) >> 31))))

/* A half; the canonical NaN for any NaN. */
#if SCAN_TYPE == 11
#define HALF_SHOWN(h) HALF_BELOW((h)&0x7fffu, 0x7c01u, (h), 0x7e00u)
#else
#define HALF_SHOWN(h) HALF_BELOW((h)&0x7fffu, 0x7f81u, (h), 0x7fc0u)
#endif

#if SCAN_TYPE == 11
FUNC scanrt_f32 scanrt_f16_widen(scanrt_u16 x) {
  const scanrt_u32 a = (scanrt_u32)(x & 0x7fff) << 13, sign = (scanrt_u32)(x & 0x8000) << 16;
  const scanrt_u32 denormal = F32_BITS(BITS_F32(a + 0x38800000u) - 6.103515625e-5f);
  const scanrt_u32 normal = a + HALF_BELOW(a, 0x0f800000u, 0x38000000u, 0x70000000u);
  return BITS_F32(HALF_BELOW(a, 0x00800000u, denormal, normal) | sign);
}

FUNC scanrt_u16 scanrt_f16_narrow(scanrt_f32 x) {
  const scanrt_u32 sign = F32_BITS(x) >> 16 & 0x8000, a = F32_BITS(x) & 0x7fffffffu;
  const scanrt_u32 denormal = F32_BITS(BITS_F32(a) + 0.5f) - 0x3f000000u;
  scanrt_u32 h = (a - 0x38000000u + 0xfff + (a >> 13 & 1)) >> 13;
  h = HALF_BELOW(a, 0x38800000u, denormal, h);
  h = HALF_BELOW(a, 0x47800000u, h, 0x7c00u);
  h = HALF_BELOW(a, 0x7f800001u, h, 0x7e00 | (a >> 13 & 0x3ff));
  return (scanrt_u16)(sign | h);
}
#define HALF_WIDEN(x) scanrt_f16_widen(x)
#define HALF_NARROW(x) scanrt_f16_narrow(x)
#else
FUNC scanrt_u16 scanrt_bf16_narrow(scanrt_f32 x) {
  const scanrt_u32 u = F32_BITS(x), rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
  return (scanrt_u16)HALF_BELOW(u & 0x7fffffffu, 0x7f800001u, rounded, u >> 16 | 0x40);
}
#define HALF_WIDEN(x) BITS_F32((scanrt_u32)(x) << 16)
#define HALF_NARROW(x) scanrt_bf16_narrow(x)
#endif
#endif
