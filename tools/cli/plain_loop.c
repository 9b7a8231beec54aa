/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file plain_loop.c
 * @brief The plain loop of each type and operator. A file of its own, compiled with -O3 -march=native.
 *
 * Sums and products of signed integers are computed in the unsigned type of the same size, so that they wrap around.
 */
#include "half.h"
#include "plain_loop.h"

#include <string.h>

typedef void loop_function(scan_kind kind, uint64_t n, const scan_value *seed, const void *in, void *out);

#define LOOP(T, NAME, EXPRESSION)                                                                                      \
  static void NAME##_##T(scan_kind kind, uint64_t n, const scan_value *seed, const void *in_, void *out_) {            \
    const T *restrict in = (const T *)in_;                                                                             \
    T *restrict out = (T *)out_;                                                                                       \
    T a;                                                                                                               \
    memcpy(&a, seed, sizeof a);                                                                                        \
    if (kind == SCAN_EXCLUSIVE)                                                                                        \
      for (uint64_t i = 0; i < n; i++) {                                                                               \
        T b = in[i];                                                                                                   \
        out[i] = a;                                                                                                    \
        a = (T)(EXPRESSION);                                                                                           \
      }                                                                                                                \
    else                                                                                                               \
      for (uint64_t i = 0; i < n; i++) {                                                                               \
        T b = in[i];                                                                                                   \
        a = (T)(EXPRESSION);                                                                                           \
        out[i] = a;                                                                                                    \
      }                                                                                                                \
  }

#define ORDER_LOOPS(T)                                                                                                 \
  LOOP(T, minimum, b < a ? b : a)                                                                                      \
  LOOP(T, maximum, b > a ? b : a)

#define UNSIGNED_LOOPS(T)                                                                                              \
  LOOP(T, add, a + b)                                                                                                  \
  LOOP(T, mul, 1u * a * b)                                                                                             \
  LOOP(T, and, (a) & (b))                                                                                              \
  LOOP(T, or, a | b)                                                                                                   \
  LOOP(T, xor, a ^ b)                                                                                                  \
  ORDER_LOOPS(T)

#define FLOAT_LOOPS(T)                                                                                                 \
  LOOP(T, add, a + b)                                                                                                  \
  LOOP(T, mul, (a) * (b))                                                                                              \
  LOOP(T, minimum, b < a || b != b ? b : a)                                                                            \
  LOOP(T, maximum, b > a || b != b ? b : a)

UNSIGNED_LOOPS(uint8_t)
UNSIGNED_LOOPS(uint16_t)
UNSIGNED_LOOPS(uint32_t)
UNSIGNED_LOOPS(uint64_t)
ORDER_LOOPS(int8_t)
ORDER_LOOPS(int16_t)
ORDER_LOOPS(int32_t)
ORDER_LOOPS(int64_t)
FLOAT_LOOPS(float)
FLOAT_LOOPS(double)

/** A table row: U for arithmetic, T for comparisons. */
#define INTEGER_ROW(U, T)                                                                                              \
  {                                                                                                                    \
    [SCAN_ADD] = add_##U, [SCAN_MUL] = mul_##U, [SCAN_MIN] = minimum_##T, [SCAN_MAX] = maximum_##T,                    \
    [SCAN_AND] = and_##U, [SCAN_OR] = or_##U, [SCAN_XOR] = xor_##U                                                     \
  }
#define FLOAT_ROW(T)                                                                                                   \
  { [SCAN_ADD] = add_##T, [SCAN_MUL] = mul_##T, [SCAN_MIN] = minimum_##T, [SCAN_MAX] = maximum_##T }

static loop_function *const loops[SCAN_F64 + 1][SCAN_XOR + 1] = {
  [SCAN_I8] = INTEGER_ROW(uint8_t, int8_t),
  [SCAN_U8] = INTEGER_ROW(uint8_t, uint8_t),
  [SCAN_I16] = INTEGER_ROW(uint16_t, int16_t),
  [SCAN_U16] = INTEGER_ROW(uint16_t, uint16_t),
  [SCAN_I32] = INTEGER_ROW(uint32_t, int32_t),
  [SCAN_U32] = INTEGER_ROW(uint32_t, uint32_t),
  [SCAN_I64] = INTEGER_ROW(uint64_t, int64_t),
  [SCAN_U64] = INTEGER_ROW(uint64_t, uint64_t),
  [SCAN_F32] = FLOAT_ROW(float),
  [SCAN_F64] = FLOAT_ROW(double),
};

void plain_loop(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed, const void *in,
                void *out) {
  loops[type][op](kind, n, seed, in, out);
}

/* ---- differences of neighbours ---- */

/** Subtracts from each element the one before it in memory; backward, the one behind it. */
#define DIFFERENCE(T, NAME, EXPRESSION)                                                                                \
  static void difference_##NAME(scan_type type, int backward, uint64_t n, const T *restrict in, T *restrict out) {     \
    (void)type;                                                                                                        \
    for (uint64_t i = 1; i < n; i++) {                                                                                 \
      const T a = in[backward ? i - 1 : i], b = in[backward ? i : i - 1];                                              \
      out[backward ? i - 1 : i] = (T)(EXPRESSION);                                                                     \
    }                                                                                                                  \
    out[backward ? n - 1 : 0] = in[backward ? n - 1 : 0];                                                              \
  }
DIFFERENCE(uint8_t, u8, a - b)
DIFFERENCE(uint16_t, u16, a - b)
DIFFERENCE(uint32_t, u32, a - b)
DIFFERENCE(uint64_t, u64, a - b)
DIFFERENCE(float, f32, a - b)
DIFFERENCE(double, f64, a - b)
DIFFERENCE(uint16_t, half, half_nearest(type, (double)(float)(half_value(type, a) - half_value(type, b))))

void plain_loop_difference(const scan_spec *spec, uint64_t n, const void *in, void *out) {
  const scan_type type = spec->type;
  const int backward = (spec->flags & SCAN_BACKWARD) != 0;
  if (half_is(type))
    difference_half(type, backward, n, in, out);
  else if (type == SCAN_F32)
    difference_f32(type, backward, n, in, out);
  else if (type == SCAN_F64)
    difference_f64(type, backward, n, in, out);
  else if (scan_type_bytes(type) == 1)
    difference_u8(type, backward, n, in, out);
  else if (scan_type_bytes(type) == 2)
    difference_u16(type, backward, n, in, out);
  else if (scan_type_bytes(type) == 4)
    difference_u32(type, backward, n, in, out);
  else
    difference_u64(type, backward, n, in, out);
}
