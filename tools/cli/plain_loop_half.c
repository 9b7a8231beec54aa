/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file plain_loop_half.c
 * @brief The plain loops of 16-bit floats, and of integers with overflow checks. Compiled as plain_loop.c is.
 */
#include "plain_loop.h"

#include <string.h>

#if defined(__F16C__)
#include <immintrin.h>
#define HAS_F16 1
static inline float f16_widen(uint16_t x) { return _cvtsh_ss(x); }
static inline uint16_t f16_narrow(float x) { return (uint16_t)_cvtss_sh(x, 0); }
#elif defined(__FLT16_MAX__)
#define HAS_F16 1
__extension__ typedef _Float16 binary16;
static inline float f16_widen(uint16_t x) {
  binary16 half;
  memcpy(&half, &x, sizeof half);
  return (float)half;
}
static inline uint16_t f16_narrow(float x) {
  const binary16 half = (binary16)x;
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return bits;
}
#endif

static inline float bf16_widen(uint16_t x) {
  const uint32_t bits = (uint32_t)x << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}
static inline uint16_t bf16_narrow(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (x != x) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* ---- 16-bit floats ---- */

/** Keeps the running value as a float and rounds each output. */
#define HALF_LOOP(HALF, NAME, EXPRESSION)                                                                              \
  static void HALF##_##NAME(scan_kind kind, uint64_t n, uint16_t seed, const uint16_t *restrict in,                    \
                            uint16_t *restrict out) {                                                                  \
    float a = HALF##_widen(seed);                                                                                      \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const float b = HALF##_widen(in[i]), before = a;                                                                 \
      a = (EXPRESSION);                                                                                                \
      out[i] = HALF##_narrow(kind == SCAN_EXCLUSIVE ? before : a);                                                     \
    }                                                                                                                  \
  }
#define HALF_LOOPS(HALF)                                                                                               \
  HALF_LOOP(HALF, add, a + b)                                                                                          \
  HALF_LOOP(HALF, mul, (a) * (b))                                                                                      \
  HALF_LOOP(HALF, minimum, b < a || b != b ? b : a)                                                                    \
  HALF_LOOP(HALF, maximum, b > a || b != b ? b : a)
#define HALF_ROW(HALF)                                                                                                 \
  { [SCAN_ADD] = HALF##_add, [SCAN_MUL] = HALF##_mul, [SCAN_MIN] = HALF##_minimum, [SCAN_MAX] = HALF##_maximum }

typedef void half_loop(scan_kind kind, uint64_t n, uint16_t seed, const uint16_t *in, uint16_t *out);
enum { TYPES = SCAN_BF16 + 1, OPS = SCAN_XOR + 1 };

HALF_LOOPS(bf16)
#ifdef HAS_F16
HALF_LOOPS(f16)
#endif

static half_loop *const half_loops[TYPES][OPS] = {
#ifdef HAS_F16
  [SCAN_F16] = HALF_ROW(f16),
#endif
  [SCAN_BF16] = HALF_ROW(bf16),
};

int plain_loop_half(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed, const void *in,
                    void *out) {
  uint16_t first;
  if ((size_t)type >= TYPES || (size_t)op >= OPS || half_loops[type][op] == NULL) return 0;
  if (out == NULL) return 1;
  memcpy(&first, seed, sizeof first);
  half_loops[type][op](kind, n, first, in, out);
  return 1;
}

/* ---- overflow ---- */

/** Continues with wrapped results, and returns the index of the first overflow. */
#define CHECKED_LOOP(T, NAME)                                                                                          \
  static uint64_t NAME##_##T(scan_kind kind, uint64_t n, const scan_value *seed, const void *in_, void *out_) {        \
    const T *restrict in = (const T *)in_;                                                                             \
    T *restrict out = (T *)out_;                                                                                       \
    uint64_t first = UINT64_MAX;                                                                                       \
    T a;                                                                                                               \
    memcpy(&a, seed, sizeof a);                                                                                        \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const T before = a;                                                                                              \
      if (__builtin_##NAME##_overflow(before, in[i], &a) && first == UINT64_MAX) first = i;                            \
      out[i] = kind == SCAN_EXCLUSIVE ? before : a;                                                                    \
    }                                                                                                                  \
    return first;                                                                                                      \
  }
#define CHECKED_LOOPS(T)                                                                                               \
  CHECKED_LOOP(T, add)                                                                                                 \
  CHECKED_LOOP(T, mul)
#define CHECKED_ROW(T)                                                                                                 \
  { [SCAN_ADD] = add_##T, [SCAN_MUL] = mul_##T }

typedef uint64_t checked_loop(scan_kind kind, uint64_t n, const scan_value *seed, const void *in, void *out);
CHECKED_LOOPS(int8_t)
CHECKED_LOOPS(uint8_t)
CHECKED_LOOPS(int16_t)
CHECKED_LOOPS(uint16_t)
CHECKED_LOOPS(int32_t)
CHECKED_LOOPS(uint32_t)
CHECKED_LOOPS(int64_t)
CHECKED_LOOPS(uint64_t)

static checked_loop *const checked_loops[TYPES][OPS] = {
  [SCAN_I8] = CHECKED_ROW(int8_t),    [SCAN_U8] = CHECKED_ROW(uint8_t),   [SCAN_I16] = CHECKED_ROW(int16_t),
  [SCAN_U16] = CHECKED_ROW(uint16_t), [SCAN_I32] = CHECKED_ROW(int32_t),  [SCAN_U32] = CHECKED_ROW(uint32_t),
  [SCAN_I64] = CHECKED_ROW(int64_t),  [SCAN_U64] = CHECKED_ROW(uint64_t),
};

uint64_t plain_loop_checked(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed,
                            const void *in, void *out) {
  return checked_loops[type][op](kind, n, seed, in, out);
}
