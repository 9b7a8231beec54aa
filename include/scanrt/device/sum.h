/* SPDX-License-Identifier: BSD-2-Clause */
/** @file
 * Sums of numbers for scanrt/device/group.h: by instructions of CUDA, and by runs. */
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
#define SCANRT_DEVICE_HAS_TOTAL(value) (sizeof(value) == 4 && SCANRT_DEVICE_IS_INTEGER(value))
#define SCANRT_DEVICE_TOTAL_1(value, x)                                                                                \
  if (SCANRT_DEVICE_HAS_TOTAL(value))                                                                                  \
    x = (value)scanrt_device_total((scanrt_device_u32)x);                                                              \
  else
#else
#define SCANRT_DEVICE_HAS_TOTAL(value) 0
#define SCANRT_DEVICE_TOTAL_1(value, x)
#endif
#else
#define SCANRT_DEVICE_STEP_1(value, x, distance)
#define SCANRT_DEVICE_HAS_TOTAL(value) 0
#define SCANRT_DEVICE_TOTAL_1(value, x)
#endif

/* ---- sums by runs ---- */

#define SCANRT_DEVICE_DEFINE_RUN_0(name, value)
#define SCANRT_DEVICE_RUNS_0(name, value)

/* Mesa 25's llvmpipe miscompiles copies of a struct: values are copied one by one.
 * The work-items store their values, and the first row adds them up: each of its work-items a run of consecutive ones.
 * That takes fewer instructions than a scan in each row. Outside of that row a work-item writes and
 * reads its own place alone, before and after the two barriers, so that no barrier is needed before the next call. */
#if SCANRT_GROUP_ITEMS > 32
/* Values that are stored and loaded at once, and their places: one of 128 bytes is unused, which keeps a row's accesses
 * to the banks of memory apart. */
#define SCANRT_DEVICE_VECTOR(value)                                                                                    \
  (SCANRT_DEVICE_ROWS * sizeof(value) % 16 == 0 ? 16 / (scanrt_device_u32)sizeof(value) : 1)
#define SCANRT_DEVICE_VECTORS(value) (SCANRT_DEVICE_ROWS / SCANRT_DEVICE_VECTOR(value))
#define SCANRT_DEVICE_PLACE(value, vector)                                                                             \
  ((vector) + (vector) / (128 / (SCANRT_DEVICE_VECTOR(value) * (scanrt_device_u32)sizeof(value))))
#define SCANRT_DEVICE_OF_RUN(s, value, item)                                                                           \
  (s)->run[SCANRT_DEVICE_PLACE(value, (item) / SCANRT_DEVICE_VECTOR(value))].of[(item) % SCANRT_DEVICE_VECTOR(value)]
#define SCANRT_DEVICE_DEFINE_RUN_1(name, value)                                                                        \
  typedef struct SCANRT_DEVICE_ALIGN(SCANRT_DEVICE_VECTOR(value) * sizeof(value)) scanrt_device_run_##name {           \
    value of[SCANRT_DEVICE_VECTOR(value)];                                                                             \
  } scanrt_device_run_##name;
#define SCANRT_DEVICE_RUNS_1(name, value)                                                                              \
  scanrt_device_run_##name run[SCANRT_DEVICE_PLACE(value, 32 * SCANRT_DEVICE_VECTORS(value))];                         \
  value all;

#if SCANRT_SHUFFLE
#define SCANRT_DEVICE_IF_ADDS() if (SCANRT_ITEM() < 32)
#define SCANRT_DEVICE_HAS_RUN() 1
#else
/* The functions of rows have barriers: all rows call them. */
#define SCANRT_DEVICE_IF_ADDS()
#define SCANRT_DEVICE_HAS_RUN() (SCANRT_ITEM() < 32)
#endif

/* Reductions of integers may have any order. Where the row's total is an instruction and work-items have many values,
 * whose additions keep the units for integers busy, rows take fewer of these than runs. */
#define SCANRT_DEVICE_REDUCES_ROWS(value, count) (SCANRT_DEVICE_HAS_TOTAL(value) && (count) >= 8)

/* Makes the compiler load a long run again, and not keep it in registers. */
#if defined(__CUDACC__) && !defined(__HIPCC__)
#define SCANRT_DEVICE_RELOAD(value)                                                                                    \
  if (SCANRT_DEVICE_ROWS * sizeof(value) > 32) __syncwarp();
#else
#define SCANRT_DEVICE_RELOAD(value)
#endif

#define SCANRT_DEVICE_DEFINE_SCANS_1(name, value, combine)                                                             \
  /* Returns the sum of the work-item's run; nothing in those without one. */                                          \
  SCANRT_FUNC value scanrt_device_add_run_##name(const SCANRT_LOCAL scanrt_scratch_##name *s) {                        \
    const scanrt_device_u32 vectors = SCANRT_DEVICE_VECTORS(value), first = SCANRT_ITEM() * vectors;                   \
    value all = SCANRT_DEVICE_NOTHING_1(value, 0);                                                                     \
    if (SCANRT_DEVICE_HAS_RUN()) {                                                                                     \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 q = 0; q < vectors; q++) {                                                                \
        const SCANRT_LOCAL value *const v = s->run[SCANRT_DEVICE_PLACE(value, first + q)].of;                          \
        SCANRT_UNROLL                                                                                                  \
        for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_VECTOR(value); k++) all = q + k > 0 ? all + v[k] : v[k];       \
      }                                                                                                                \
    }                                                                                                                  \
    return all;                                                                                                        \
  }                                                                                                                    \
  /* Replaces the values of the work-item's run by the sums through them, or before them. */                           \
  SCANRT_FUNC void scanrt_device_scan_run_##name(value before, value through, scanrt_device_u32 is_exclusive,          \
                                                 SCANRT_LOCAL scanrt_scratch_##name *s) {                              \
    const scanrt_device_u32 vectors = SCANRT_DEVICE_VECTORS(value), first = SCANRT_ITEM() * vectors;                   \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 q = 0; q < vectors; q++) {                                                                  \
      SCANRT_LOCAL value *const at = s->run[SCANRT_DEVICE_PLACE(value, first + q)].of;                                 \
      value v[SCANRT_DEVICE_VECTOR(value)];                                                                            \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_VECTOR(value); k++) v[k] = at[k];                                \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_VECTOR(value); k++) {                                            \
        const scanrt_device_u32 is_last = q == vectors - 1 && k == SCANRT_DEVICE_VECTOR(value) - 1;                    \
        const value next = is_last ? through : before + v[k];                                                          \
        v[k] = is_exclusive ? before : next;                                                                           \
        before = next;                                                                                                 \
      }                                                                                                                \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_VECTOR(value); k++) at[k] = v[k];                                \
    }                                                                                                                  \
    if (SCANRT_ITEM() == 31) s->all = through;                                                                         \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_runs_##name(value x, scanrt_device_u32 is_exclusive,                                 \
                                              SCANRT_LOCAL scanrt_scratch_##name *s) {                                 \
    SCANRT_DEVICE_OF_RUN(s, value, SCANRT_ITEM()) = x;                                                                 \
    SCANRT_BARRIER();                                                                                                  \
    SCANRT_DEVICE_IF_ADDS() {                                                                                          \
      const value own = scanrt_device_add_run_##name(s), through = scanrt_device_row_##name(own, s);                   \
      SCANRT_DEVICE_KEEP_ROW(name, through, s)                                                                         \
      const value before = scanrt_device_before_##name(through, own, s);                                               \
      SCANRT_DEVICE_RELOAD(value)                                                                                      \
      if (SCANRT_DEVICE_HAS_RUN()) scanrt_device_scan_run_##name(before, through, is_exclusive, s);                    \
    }                                                                                                                  \
    SCANRT_BARRIER();                                                                                                  \
    return SCANRT_DEVICE_OF_RUN(s, value, SCANRT_ITEM());                                                              \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_total_##name(const SCANRT_LOCAL scanrt_scratch_##name *s) { return s->all; }                \
  SCANRT_FUNC value scanrt_device_preceding_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                   \
    return scanrt_device_runs_##name(x, 1, s);                                                                         \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_inclusive_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                          \
    return scanrt_device_runs_##name(x, 0, s);                                                                         \
  }                                                                                                                    \
  /* Returns the sum of all work-items in work-item 0; each has added up `count` values. */                            \
  SCANRT_FUNC value scanrt_device_reduce_##name(value x, scanrt_device_u32 count,                                      \
                                                SCANRT_LOCAL scanrt_scratch_##name *s) {                               \
    if (SCANRT_DEVICE_REDUCES_ROWS(value, count)) {                                                                    \
      scanrt_device_end_row_##name(scanrt_device_row_last_##name(x, s), SCANRT_ITEM() | 31, s);                        \
      SCANRT_BARRIER();                                                                                                \
      if (SCANRT_ITEM() == 0) {                                                                                        \
        x = SCANRT_DEVICE_ROW_TOTAL(s, 0);                                                                             \
        SCANRT_UNROLL                                                                                                  \
        for (scanrt_device_u32 r = 1; r < SCANRT_DEVICE_ROWS; r++) x = x + SCANRT_DEVICE_ROW_TOTAL(s, r);              \
      }                                                                                                                \
    } else {                                                                                                           \
      SCANRT_DEVICE_OF_RUN(s, value, SCANRT_ITEM()) = x;                                                               \
      SCANRT_BARRIER();                                                                                                \
      SCANRT_DEVICE_IF_ADDS() x = scanrt_device_row_all_##name(scanrt_device_add_run_##name(s), s);                    \
    }                                                                                                                  \
    return x;                                                                                                          \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_reduce_root_##name(value x, scanrt_device_u32 count,                                 \
                                                     SCANRT_LOCAL scanrt_scratch_##name *s) {                          \
    x = scanrt_device_reduce_##name(x, count, s);                                                                      \
    SCANRT_BARRIER();                                                                                                  \
    return x;                                                                                                          \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_reduce_all_##name(value x, scanrt_device_u32 count,                                  \
                                                    SCANRT_LOCAL scanrt_scratch_##name *s) {                           \
    x = scanrt_device_reduce_##name(x, count, s);                                                                      \
    if (SCANRT_ITEM() == 0) s->all = x;                                                                                \
    SCANRT_BARRIER();                                                                                                  \
    return s->all;                                                                                                     \
  }
#else
#define SCANRT_DEVICE_DEFINE_RUN_1(name, value)
#define SCANRT_DEVICE_RUNS_1(name, value)
#define SCANRT_DEVICE_DEFINE_SCANS_1(name, value, combine) SCANRT_DEVICE_DEFINE_SCANS_BY_ROWS(name, value, combine, 1)
#endif

#endif
