/* SPDX-License-Identifier: BSD-2-Clause */
/** @file
 * Sums of numbers for scanrt/device/group.h: by instructions of CUDA, and by local memory in place of shuffles. */
#ifndef SCANRT_DEVICE_SUM_H
#define SCANRT_DEVICE_SUM_H

#include "scanrt/device/dialect.h"
#include "scanrt/device/shuffle.h"

/* SCANRT_DEVICE_..._1 is of a sum of numbers, ..._0 of another operator. */
#define SCANRT_DEVICE_STEP_0(value, x, distance)
#define SCANRT_DEVICE_TOTAL_0(value, x)
#define SCANRT_DEVICE_BEFORE_0(value, x, own)
#define SCANRT_DEVICE_NOTHING_0(value, x) (x)

/* The identity of sums: x plus it is x for every x, a zero of either sign too. */
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

/* ---- sums by slots ---- */

#define SCANRT_DEVICE_SLOTS_0(name, value)
#define SCANRT_DEVICE_DEFINE_QUADS_0(name, value)
#define SCANRT_DEVICE_DEFINE_SLOTS_0(name, value)
#define SCANRT_DEVICE_SCAN_SLOTS_0(name, value, x, s)
#define SCANRT_DEVICE_SCAN_MANY_SLOTS_0(name, value, x, s)
#define SCANRT_DEVICE_REDUCE_SLOTS_0(name, value, x, s)

/* The work-items store their values, and the first row combines them, several consecutive ones in each of its
 * work-items: fewer instructions than by each row. Reductions keep the order of operations of rows; scans of 32-bit
 * integers need none. A work-item writes and reads its own slot alone before and after the two barriers, so that no
 * barrier is needed before the next call. */
#if defined(__CUDACC__) && !defined(__HIPCC__) && SCANRT_GROUP_ITEMS >= 128 && 1024 % SCANRT_GROUP_ITEMS == 0
#define SCANRT_DEVICE_HAS_SLOTS(value) (sizeof(value) == 4 || (sizeof(value) == 8 && SCANRT_DEVICE_ROWS <= 8))
#define SCANRT_DEVICE_SCANS_SLOTS(value) (sizeof(value) == 4 && SCANRT_DEVICE_IS_INTEGER(value))
/* Reductions by rows are faster for 4 rows of 32-bit integers, which have an instruction for a row's total, and for 16
 * rows and more of 64-bit values, which take many registers here. */
#define SCANRT_DEVICE_REDUCES_SLOTS(value)                                                                             \
  (SCANRT_DEVICE_HAS_SLOTS(value) && !(SCANRT_DEVICE_SCANS_SLOTS(value) && SCANRT_DEVICE_ROWS == 4))
/* Slots of 16 bytes, of which a work-item of the first row takes several; one between 8 keeps a row's accesses to the
 * banks of memory apart. */
#define SCANRT_DEVICE_QUAD(value) (16 / (scanrt_device_u32)sizeof(value))
#define SCANRT_DEVICE_QUADS(value) (SCANRT_DEVICE_ROWS * (scanrt_device_u32)sizeof(value) / 16)
#define SCANRT_DEVICE_PLACE(quad) ((quad) + (quad) / 8)
#define SCANRT_DEVICE_SLOT(s, value, item)                                                                             \
  (s)->slot[SCANRT_DEVICE_PLACE((item) / SCANRT_DEVICE_QUAD(value))].of[(item) % SCANRT_DEVICE_QUAD(value)]
#define SCANRT_DEVICE_DEFINE_QUADS_1(name, value)                                                                      \
  typedef struct alignas(16) scanrt_device_quad_##name {                                                               \
    value of[SCANRT_DEVICE_HAS_SLOTS(value) ? SCANRT_DEVICE_QUAD(value) : 1];                                          \
  } scanrt_device_quad_##name;
#define SCANRT_DEVICE_SLOTS_1(name, value)                                                                             \
  scanrt_device_quad_##name                                                                                            \
      slot[SCANRT_DEVICE_HAS_SLOTS(value) ? SCANRT_DEVICE_PLACE(32 * SCANRT_DEVICE_QUADS(value)) : 1];
#define SCANRT_DEVICE_DEFINE_SLOTS_1(name, value)                                                                      \
  SCANRT_FUNC value scanrt_device_scan_slots_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                  \
    const scanrt_device_u32 item = SCANRT_ITEM(), quads = SCANRT_DEVICE_QUADS(value);                                  \
    SCANRT_DEVICE_SLOT(s, value, item) = x;                                                                            \
    SCANRT_BARRIER();                                                                                                  \
    if (item < 32) {                                                                                                   \
      value all = 0;                                                                                                   \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 q = 0; q < quads; q++) {                                                                  \
        const scanrt_device_quad_##name v = s->slot[SCANRT_DEVICE_PLACE(item * quads + q)];                            \
        SCANRT_UNROLL                                                                                                  \
        for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_QUAD(value); k++) all = all + v.of[k];                         \
      }                                                                                                                \
      value before = scanrt_device_row_##name(all, s) - all;                                                           \
      if (quads > 2) __syncwarp(); /* makes the compiler load again, and not keep many registers */                    \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 q = 0; q < quads; q++) {                                                                  \
        scanrt_device_quad_##name v = s->slot[SCANRT_DEVICE_PLACE(item * quads + q)];                                  \
        SCANRT_UNROLL                                                                                                  \
        for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_QUAD(value); k++) {                                            \
          before = before + v.of[k];                                                                                   \
          v.of[k] = before;                                                                                            \
        }                                                                                                              \
        s->slot[SCANRT_DEVICE_PLACE(item * quads + q)] = v;                                                            \
      }                                                                                                                \
      if (item == 31) scanrt_device_put_total_##name(before, s);                                                       \
    }                                                                                                                  \
    SCANRT_BARRIER();                                                                                                  \
    return SCANRT_DEVICE_SLOT(s, value, item);                                                                         \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_reduce_slots_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                \
    const scanrt_device_u32 item = SCANRT_ITEM(), quads = SCANRT_DEVICE_QUADS(value), lanes = 32 / SCANRT_DEVICE_ROWS; \
    SCANRT_DEVICE_SLOT(s, value, item) = x;                                                                            \
    SCANRT_BARRIER();                                                                                                  \
    if (item < 32) {                                                                                                   \
      value v[SCANRT_DEVICE_ROWS];                                                                                     \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 q = 0; q < quads; q++) {                                                                  \
        const scanrt_device_quad_##name quad = s->slot[SCANRT_DEVICE_PLACE(item * quads + q)];                         \
        SCANRT_UNROLL                                                                                                  \
        for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_QUAD(value); k++)                                              \
          v[q * SCANRT_DEVICE_QUAD(value) + k] = quad.of[k];                                                           \
      }                                                                                                                \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 d = 1; d < SCANRT_DEVICE_ROWS; d *= 2) {                                                  \
        SCANRT_UNROLL                                                                                                  \
        for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_ROWS; k += 2 * d) v[k] = v[k] + v[k + d];                      \
      }                                                                                                                \
      x = v[0];                                                                                                        \
      SCANRT_DEVICE_TOTAL_1(value, x) {                                                                                \
        SCANRT_UNROLL                                                                                                  \
        for (scanrt_device_u32 d = 1; d < lanes; d *= 2) x = x + scanrt_device_xor_##name(x, d);                       \
        if (item % lanes == 0) s->total[item / lanes] = x;                                                             \
        __syncwarp();                                                                                                  \
        x = s->total[0];                                                                                               \
        SCANRT_UNROLL                                                                                                  \
        for (scanrt_device_u32 r = 1; r < SCANRT_DEVICE_ROWS; r++) x = x + s->total[r];                                \
      }                                                                                                                \
      if (SCANRT_DEVICE_ROWS > 4 && item == 0) scanrt_device_put_total_##name(x, s);                                   \
    }                                                                                                                  \
    SCANRT_BARRIER();                                                                                                  \
    return x;                                                                                                          \
  }
#define SCANRT_DEVICE_SCAN_SLOTS_1(name, value, x, s)                                                                  \
  if (SCANRT_DEVICE_SCANS_SLOTS(value))                                                                                \
    x = scanrt_device_scan_slots_##name(x, s) - x;                                                                     \
  else
/* Sets x to the inclusive sum, if there are many rows. */
#define SCANRT_DEVICE_SCAN_MANY_SLOTS_1(name, value, x, s)                                                             \
  if (SCANRT_DEVICE_SCANS_SLOTS(value) && SCANRT_DEVICE_ROWS > 4)                                                      \
    x = scanrt_device_scan_slots_##name(x, s);                                                                         \
  else
#define SCANRT_DEVICE_REDUCE_SLOTS_1(name, value, x, s)                                                                \
  if (SCANRT_DEVICE_REDUCES_SLOTS(value))                                                                              \
    x = scanrt_device_reduce_slots_##name(x, s);                                                                       \
  else
#else
#define SCANRT_DEVICE_SLOTS_1(name, value)
#define SCANRT_DEVICE_DEFINE_QUADS_1(name, value)
#define SCANRT_DEVICE_DEFINE_SLOTS_1(name, value)
#define SCANRT_DEVICE_SCAN_SLOTS_1(name, value, x, s)
#define SCANRT_DEVICE_SCAN_MANY_SLOTS_1(name, value, x, s)
#define SCANRT_DEVICE_REDUCE_SLOTS_1(name, value, x, s)
#endif

#endif
