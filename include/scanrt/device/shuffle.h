/* SPDX-License-Identifier: BSD-2-Clause */
/** @file
 * Exchange of registers in a row, 32 consecutive work-items, and CUDA's instructions for sums. Included by
 * scanrt/device/group.h. */
#ifndef SCANRT_DEVICE_SHUFFLE_H
#define SCANRT_DEVICE_SHUFFLE_H

#include "scanrt/device/dialect.h"

#if SCANRT_SHUFFLE
#if defined(__HIPCC__)

/* Returns x of the work-item `distance` before this one, and in *is_there whether the row has it. */
SCANRT_FUNC scanrt_device_u32 scanrt_device_shuffle_up(scanrt_device_u32 x, scanrt_device_u32 distance,
                                                       scanrt_device_u32 *is_there) {
  *is_there = SCANRT_ITEM() % 32 >= distance;
  return (scanrt_device_u32)__shfl_up((int)x, distance, 32);
}
/* Returns x of the work-item whose number in the row differs in the bits of `mask`. */
SCANRT_FUNC scanrt_device_u32 scanrt_device_shuffle_xor(scanrt_device_u32 x, scanrt_device_u32 mask) {
  return (scanrt_device_u32)__shfl_xor((int)x, (int)mask, 32);
}

#else

/* The shuffle says itself whether the row has the work-item, which saves a comparison. */
SCANRT_FUNC scanrt_device_u32 scanrt_device_shuffle_up(scanrt_device_u32 x, scanrt_device_u32 distance,
                                                       scanrt_device_u32 *is_there) {
  scanrt_device_u32 y, valid;
  __asm__ __volatile__("{ .reg .pred p;\n"
                       "shfl.sync.up.b32 %0|p, %2, %3, 0, 0xffffffff;\n"
                       "selp.u32 %1, 1, 0, p; }"
                       : "=r"(y), "=r"(valid)
                       : "r"(x), "r"(distance));
  *is_there = valid;
  return y;
}
SCANRT_FUNC scanrt_device_u32 scanrt_device_shuffle_xor(scanrt_device_u32 x, scanrt_device_u32 mask) {
  scanrt_device_u32 y;
  __asm__ __volatile__("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(y) : "r"(x), "r"(mask));
  return y;
}

#endif
#endif

/* ---- sums ---- */

/* SCANRT_DEVICE_..._1 is of a sum of numbers, ..._0 of another operator. */
#define SCANRT_DEVICE_STEP_0(value, x, distance)
#define SCANRT_DEVICE_TOTAL_0(value, x)
#define SCANRT_DEVICE_BEFORE_0(value, x, own)
#define SCANRT_DEVICE_NOTHING_0(value, x) (x)

/* What leaves every number as it is when it is added, zeros with a sign too. */
#define SCANRT_DEVICE_NOTHING_1(value, x) ((value)-0.0f)
#define SCANRT_DEVICE_IS_INTEGER(value) ((value)0.5f == (value)0)
/* Sets own to x without it, followed by the statement for types where that is not exact. */
#define SCANRT_DEVICE_BEFORE_1(value, x, own)                                                                          \
  if (SCANRT_DEVICE_IS_INTEGER(value))                                                                                 \
    own = x - own;                                                                                                     \
  else

#if defined(__CUDACC__) && !defined(__HIPCC__)
/* Each adds x of the work-item `distance` before this one, if the row has it, to x. The shuffle's predicate guards the
 * addition, where a compiler would select a zero and add it. */
SCANRT_FUNC scanrt_device_u32 scanrt_device_sum_u32(scanrt_device_u32 x, scanrt_device_u32 distance) {
  asm volatile("{ .reg .pred p; .reg .u32 y;\n"
               "shfl.sync.up.b32 y|p, %0, %1, 0, 0xffffffff;\n"
               "@p add.u32 %0, y, %0; }"
               : "+r"(x)
               : "r"(distance));
  return x;
}
SCANRT_FUNC float scanrt_device_sum_f32(float x, scanrt_device_u32 distance) {
  asm volatile("{ .reg .pred p; .reg .f32 y;\n"
               "shfl.sync.up.b32 y|p, %0, %1, 0, 0xffffffff;\n"
               "@p add.f32 %0, y, %0; }"
               : "+f"(x)
               : "r"(distance));
  return x;
}
#define SCANRT_DEVICE_DEFINE_SUM_64(type, suffix, letter)                                                              \
  SCANRT_FUNC type scanrt_device_sum_##suffix(type x, scanrt_device_u32 distance) {                                    \
    asm volatile("{ .reg .pred p; .reg .b32 low, high; .reg ." #suffix " y;\n"                                         \
                 "mov.b64 {low, high}, %0;\n"                                                                          \
                 "shfl.sync.up.b32 low, low, %1, 0, 0xffffffff;\n"                                                     \
                 "shfl.sync.up.b32 high|p, high, %1, 0, 0xffffffff;\n"                                                 \
                 "mov.b64 y, {low, high};\n"                                                                           \
                 "@p add." #suffix " %0, y, %0; }"                                                                     \
                 : "+" letter(x)                                                                                       \
                 : "r"(distance));                                                                                     \
    return x;                                                                                                          \
  }
SCANRT_DEVICE_DEFINE_SUM_64(scanrt_device_u64, u64, "l")
SCANRT_DEVICE_DEFINE_SUM_64(double, f64, "d")

/* A step of a row's scan, followed by the statement for types without an instruction. */
#define SCANRT_DEVICE_STEP_1(value, x, distance)                                                                       \
  if (sizeof(value) == 4 && SCANRT_DEVICE_IS_INTEGER(value))                                                           \
    x = (value)scanrt_device_sum_u32((scanrt_device_u32)x, distance);                                                  \
  else if (sizeof(value) == 4)                                                                                         \
    x = (value)scanrt_device_sum_f32((float)x, distance);                                                              \
  else if (sizeof(value) == 8 && SCANRT_DEVICE_IS_INTEGER(value))                                                      \
    x = (value)scanrt_device_sum_u64((scanrt_device_u64)x, distance);                                                  \
  else if (sizeof(value) == 8)                                                                                         \
    x = (value)scanrt_device_sum_f64((double)x, distance);                                                             \
  else

/* The row's total, followed by the statement for types without an instruction. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
SCANRT_FUNC scanrt_device_u32 scanrt_device_total(scanrt_device_u32 x) {
  scanrt_device_u32 y;
  asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(y) : "r"(x));
  return y;
}
#define SCANRT_DEVICE_TOTAL_1(value, x)                                                                                \
  if (sizeof(value) == 4 && SCANRT_DEVICE_IS_INTEGER(value))                                                           \
    x = (value)scanrt_device_total((scanrt_device_u32)x);                                                              \
  else
#else
#define SCANRT_DEVICE_TOTAL_1(value, x)
#endif
#else
#define SCANRT_DEVICE_STEP_1(value, x, distance)
#define SCANRT_DEVICE_TOTAL_1(value, x)
#endif

#endif
