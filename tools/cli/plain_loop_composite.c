/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file plain_loop_composite.c
 * @brief The plain loop of each composite, and of operators that map. Compiled as plain_loop.c is.
 */
#include "plain_loop.h"

#include <math.h>

/** The loop of one composite. NAME_step(a, b) combines the result so far with the next element. */
#define LOOP(NAME, T) LOOP_OF(NAME, T, T, )
/** LOOP on elements of another type, of which WIDENED makes values. */
#define LOOP_OF(NAME, T, INPUT, WIDENED)                                                                               \
  static void NAME##_loop(scan_kind kind, uint64_t n, const void *identity, const void *in_, void *out_) {             \
    const INPUT *restrict in = (const INPUT *)in_;                                                                     \
    T *restrict out = (T *)out_;                                                                                       \
    T a = *(const T *)identity;                                                                                        \
    if (kind == SCAN_EXCLUSIVE)                                                                                        \
      for (uint64_t i = 0; i < n; i++) {                                                                               \
        const T b = WIDENED(in[i]);                                                                                    \
        out[i] = a;                                                                                                    \
        a = NAME##_step(a, b);                                                                                         \
      }                                                                                                                \
    if (kind == SCAN_EXCLUSIVE) return;                                                                                \
    out[0] = a = WIDENED(in[0]);                                                                                       \
    for (uint64_t i = 1; i < n; i++) {                                                                                 \
      const T b = WIDENED(in[i]);                                                                                      \
      out[i] = a = NAME##_step(a, b);                                                                                  \
    }                                                                                                                  \
  }

#define AFFINE(NAME)                                                                                                   \
  static inline scan_##NAME NAME##_step(scan_##NAME a, scan_##NAME b) {                                                \
    b.b = b.a * a.b + b.b;                                                                                             \
    b.a *= a.a;                                                                                                        \
    return b;                                                                                                          \
  }                                                                                                                    \
  LOOP(NAME, scan_##NAME)
AFFINE(affine_f32)
AFFINE(affine_f64)
AFFINE(affine_u32)

#define MATRIX(NAME, D)                                                                                                \
  static inline scan_##NAME NAME##_step(scan_##NAME a, scan_##NAME b) {                                                \
    scan_##NAME c;                                                                                                     \
    for (int row = 0; row < (D); row++)                                                                                \
      for (int column = 0; column < (D); column++) {                                                                   \
        c.m[(D)*row + column] = a.m[(D)*row] * b.m[column];                                                            \
        for (int k = 1; k < (D); k++) c.m[(D)*row + column] += a.m[(D)*row + k] * b.m[(D)*k + column];                 \
      }                                                                                                                \
    return c;                                                                                                          \
  }                                                                                                                    \
  LOOP(NAME, scan_##NAME)
MATRIX(matrix2_f32, 2)
MATRIX(matrix2_f64, 2)
MATRIX(matrix3_f32, 3)

#define COMPLEX(NAME)                                                                                                  \
  static inline scan_##NAME NAME##_step(scan_##NAME a, scan_##NAME b) {                                                \
    return (scan_##NAME){ .re = a.re * b.re - a.im * b.im, .im = a.re * b.im + a.im * b.re };                          \
  }                                                                                                                    \
  LOOP(NAME, scan_##NAME)
COMPLEX(complex_f32)
COMPLEX(complex_f64)

#define COMPLEX_SUM(NAME, T)                                                                                           \
  static inline T NAME##_step(T a, T b) { return (T){ .re = a.re + b.re, .im = a.im + b.im }; }                        \
  LOOP(NAME, T)
COMPLEX_SUM(complex_sum_f32, scan_complex_f32)
COMPLEX_SUM(complex_sum_f64, scan_complex_f64)

/** Integers of two words; a carry is there if the low word is less than a summand. */
#define INTEGER_SUM(NAME, T, HIGH)                                                                                     \
  static inline T NAME##_step(T a, T b) {                                                                              \
    const uint64_t low = a.low + b.low;                                                                                \
    return (T){ low, (HIGH)((uint64_t)a.high + (uint64_t)b.high + (low < a.low)) };                                    \
  }                                                                                                                    \
  LOOP(NAME, T)
#define INTEGER_CHOICE(NAME, T, IS_BEFORE)                                                                             \
  static inline T NAME##_step(T a, T b) {                                                                              \
    return b.high IS_BEFORE a.high || (b.high == a.high && b.low IS_BEFORE a.low) ? b : a;                             \
  }                                                                                                                    \
  LOOP(NAME, T)
INTEGER_SUM(sum_i128, scan_i128, int64_t)
INTEGER_SUM(sum_u128, scan_u128, uint64_t)
#define WIDE_I64(x) ((scan_i128){ (uint64_t)(x), (x) >> 63 })
#define WIDE_U64(x) ((scan_u128){ (x), 0 })
#define wide_sum_i64_step sum_i128_step
#define wide_sum_u64_step sum_u128_step
LOOP_OF(wide_sum_i64, scan_i128, int64_t, WIDE_I64)
LOOP_OF(wide_sum_u64, scan_u128, uint64_t, WIDE_U64)
INTEGER_CHOICE(minimum_i128, scan_i128, <)
INTEGER_CHOICE(minimum_u128, scan_u128, <)
INTEGER_CHOICE(maximum_i128, scan_i128, >)
INTEGER_CHOICE(maximum_u128, scan_u128, >)

/** Uses the C library's exponential function, whose last digits may differ from the kernels'. */
#define LOGSUMEXP(NAME, EXP)                                                                                           \
  static inline scan_##NAME NAME##_step(scan_##NAME a, scan_##NAME b) {                                                \
    if (b.max > a.max) return (scan_##NAME){ .max = b.max, .sum = b.sum + a.sum * EXP(a.max - b.max) };                \
    return (scan_##NAME){ .max = a.max, .sum = a.sum + b.sum * EXP(b.max - a.max) };                                   \
  }                                                                                                                    \
  LOOP(NAME, scan_##NAME)
LOGSUMEXP(logsumexp_f32, expf)
LOGSUMEXP(logsumexp_f64, exp)

/** Relies on ascending indices and no NaN, as source_operator_fill_composite provides. */
#define ARGUMENT(NAME, T, IS_BEFORE)                                                                                   \
  static inline T NAME##_step(T a, T b) { return b.value IS_BEFORE a.value ? b : a; }                                  \
  LOOP(NAME, T)
#define ARGUMENTS(TYPE)                                                                                                \
  ARGUMENT(argmin_##TYPE, scan_arg_##TYPE, <)                                                                          \
  ARGUMENT(argmax_##TYPE, scan_arg_##TYPE, >)
ARGUMENTS(f32)
ARGUMENTS(f64)
ARGUMENTS(i32)
ARGUMENTS(i64)

/** Adds two numbers in twice the precision, by error-free sums of their halves. */
#define COMPENSATED(NAME, T)                                                                                           \
  static inline scan_##NAME NAME##_any(T a, T b) {                                                                     \
    const T high = a + b, part = high - a;                                                                             \
    return (scan_##NAME){ high, (a - (high - part)) + (b - part) };                                                    \
  }                                                                                                                    \
  static inline scan_##NAME NAME##_ordered(T a, T b) {                                                                 \
    const T high = a + b;                                                                                              \
    return (scan_##NAME){ high, b - (high - a) };                                                                      \
  }                                                                                                                    \
  static inline scan_##NAME NAME##_step(scan_##NAME a, scan_##NAME b) {                                                \
    const scan_##NAME s = NAME##_any(a.high, b.high), t = NAME##_any(a.low, b.low);                                    \
    const scan_##NAME v = NAME##_ordered(s.high, s.low + t.high);                                                      \
    return NAME##_ordered(v.high, t.low + v.low);                                                                      \
  }                                                                                                                    \
  LOOP(NAME, scan_##NAME)
COMPENSATED(compensated_f32, float)
COMPENSATED(compensated_f64, double)

typedef void composite_loop(scan_kind kind, uint64_t n, const void *identity, const void *in, void *out);

static composite_loop *const loops[] = { [SCAN_AFFINE_F32] = affine_f32_loop,
                                         [SCAN_AFFINE_F64] = affine_f64_loop,
                                         [SCAN_AFFINE_U32] = affine_u32_loop,
                                         [SCAN_MATRIX2_F32] = matrix2_f32_loop,
                                         [SCAN_MATRIX2_F64] = matrix2_f64_loop,
                                         [SCAN_MATRIX3_F32] = matrix3_f32_loop,
                                         [SCAN_COMPLEX_F32] = complex_f32_loop,
                                         [SCAN_COMPLEX_F64] = complex_f64_loop,
                                         [SCAN_LOGSUMEXP_F32] = logsumexp_f32_loop,
                                         [SCAN_LOGSUMEXP_F64] = logsumexp_f64_loop,
                                         [SCAN_ARGMIN_F32] = argmin_f32_loop,
                                         [SCAN_ARGMIN_F64] = argmin_f64_loop,
                                         [SCAN_ARGMIN_I32] = argmin_i32_loop,
                                         [SCAN_ARGMIN_I64] = argmin_i64_loop,
                                         [SCAN_ARGMAX_F32] = argmax_f32_loop,
                                         [SCAN_ARGMAX_F64] = argmax_f64_loop,
                                         [SCAN_ARGMAX_I32] = argmax_i32_loop,
                                         [SCAN_ARGMAX_I64] = argmax_i64_loop,
                                         [SCAN_COMPENSATED_F32] = compensated_f32_loop,
                                         [SCAN_COMPENSATED_F64] = compensated_f64_loop,
                                         [SCAN_COMPLEX_SUM_F32] = complex_sum_f32_loop,
                                         [SCAN_COMPLEX_SUM_F64] = complex_sum_f64_loop,
                                         [SCAN_SUM_I128] = sum_i128_loop,
                                         [SCAN_SUM_U128] = sum_u128_loop,
                                         [SCAN_MINIMUM_I128] = minimum_i128_loop,
                                         [SCAN_MINIMUM_U128] = minimum_u128_loop,
                                         [SCAN_MAXIMUM_I128] = maximum_i128_loop,
                                         [SCAN_MAXIMUM_U128] = maximum_u128_loop,
                                         [SCAN_WIDE_SUM_I64] = wide_sum_i64_loop,
                                         [SCAN_WIDE_SUM_U64] = wide_sum_u64_loop };

int plain_loop_composite(scan_composite which, scan_kind kind, uint64_t n, const void *in, void *out) {
  if ((size_t)which >= sizeof loops / sizeof loops[0] || loops[which] == NULL) return 0;
  if (out != NULL && n > 0) loops[which](kind, n, scan_composite_get(which)->identity, in, out);
  return 1;
}

void plain_loop_mapped(const source_operator *source, scan_kind kind, const uint8_t *segment_flags, uint64_t n,
                       const void *in, void *out) {
  const float *restrict x = in;
  uint32_t *restrict y = out, before = 0;
  const int emits = source->map->emit != NULL;
  for (uint64_t i = 0; i < n; i++) {
    if (segment_flags && segment_flags[i]) before = 0;
    const uint32_t keeps = x[i] > 0.0f, with = before + keeps;
    const uint32_t place = before | (keeps - 1), sum = kind == SCAN_EXCLUSIVE ? before : with;
    y[i] = emits ? place : sum;
    before = with;
  }
}
