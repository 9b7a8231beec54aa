/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/scan/builtin_source_host.h"

#include "base/types.h"

/* X(name, type's number, C type, type that sums and products are computed in: for integers unsigned, which wraps) */
#define UNSIGNED(X)                                                                                                    \
  X(u8, SCAN_U8, uint8_t, uint32_t)                                                                                    \
  X(u16, SCAN_U16, uint16_t, uint32_t)                                                                                 \
  X(u32, SCAN_U32, uint32_t, uint32_t)                                                                                 \
  X(u64, SCAN_U64, uint64_t, uint64_t)
#define SIGNED(X)                                                                                                      \
  X(i8, SCAN_I8, int8_t, uint32_t)                                                                                     \
  X(i16, SCAN_I16, int16_t, uint32_t)                                                                                  \
  X(i32, SCAN_I32, int32_t, uint32_t)                                                                                  \
  X(i64, SCAN_I64, int64_t, uint64_t)
#define FLOATS(X)                                                                                                      \
  X(f32, SCAN_F32, float, float)                                                                                       \
  X(f64, SCAN_F64, double, double)

#define OPERATOR(NAME, OP, T, EXPRESSION)                                                                              \
  static inline T NAME##_##OP##_of(T a, T b) { return (T)(EXPRESSION); }                                               \
  SCAN_OP_HOST_ROWS(NAME##_##OP, T, NAME##_##OP##_of);
#define ARITHMETIC(NAME, ID, T, WIDE)                                                                                  \
  OPERATOR(NAME, add, T, (WIDE)a + (WIDE)b)                                                                            \
  OPERATOR(NAME, mul, T, (WIDE)a *(WIDE)b)
#define ORDER(NAME, ID, T, WIDE)                                                                                       \
  OPERATOR(NAME, min, T, (b < a || b != b) ? b : a)                                                                    \
  OPERATOR(NAME, max, T, (b > a || b != b) ? b : a)
#define BITS(NAME, ID, T, WIDE)                                                                                        \
  OPERATOR(NAME, and, T, a &b)                                                                                         \
  OPERATOR(NAME, or, T, a | b)                                                                                         \
  OPERATOR(NAME, xor, T, a ^ b)
UNSIGNED(ARITHMETIC)
UNSIGNED(ORDER)
UNSIGNED(BITS)
SIGNED(ORDER)
FLOATS(ARITHMETIC)
FLOATS(ORDER)

/* Defines NAME_OP_overflows by the compiler's builtin, and NAME_OP_overflows_any, which tests n pairs by ANY. */
#define OVERFLOWS(NAME, OP, T, ANY)                                                                                    \
  static int NAME##_##OP##_overflows(const void *a, const void *b) {                                                   \
    T result;                                                                                                          \
    return __builtin_##OP##_overflow(*(const T *)a, *(const T *)b, &result);                                           \
  }                                                                                                                    \
  static inline int NAME##_##OP##_overflows_of(T a, T b) { return ANY; }                                               \
  static int NAME##_##OP##_overflows_any(const void *before, const void *x, uint32_t n) {                              \
    const T *const a = before, *const b = x;                                                                           \
    int any = 0;                                                                                                       \
    for (uint32_t i = 0; i < n; i++) any |= NAME##_##OP##_overflows_of(a[i], b[i]);                                    \
    return any;                                                                                                        \
  }
/* 1 if a sum's sign differs from the signs of both operands. */
#define SIGN_DIFFERS(T, WIDE) ((a ^ (T)((WIDE)a + (WIDE)b)) & (b ^ (T)((WIDE)a + (WIDE)b))) < 0
#define SUM_UNSIGNED(NAME, ID, T, WIDE) OVERFLOWS(NAME, add, T, (T)((WIDE)a + (WIDE)b) < a)
#define SUM_SIGNED(NAME, ID, T, WIDE) OVERFLOWS(NAME, add, T, SIGN_DIFFERS(T, WIDE))
UNSIGNED(SUM_UNSIGNED)
SIGNED(SUM_SIGNED)
/* Products of operands of up to 32 bits are computed in at most 64 bits. */
OVERFLOWS(u8, mul, uint8_t, (uint32_t)a *b > UINT8_MAX)
OVERFLOWS(u16, mul, uint16_t, (uint32_t)a *b > UINT16_MAX)
OVERFLOWS(u32, mul, uint32_t, (uint64_t)a *b > UINT32_MAX)
OVERFLOWS(u64, mul, uint64_t, __builtin_mul_overflow(a, b, &(uint64_t){ 0 }))
OVERFLOWS(i8, mul, int8_t, (int32_t)a *b != (int8_t)((int32_t)a * b))
OVERFLOWS(i16, mul, int16_t, (int32_t)a *b != (int16_t)((int32_t)a * b))
OVERFLOWS(i32, mul, int32_t, (int64_t)a *b != (int32_t)((int64_t)a * b))
OVERFLOWS(i64, mul, int64_t, __builtin_mul_overflow(a, b, &(int64_t){ 0 }))

enum { TYPES = SCAN_F64 + 1, OPS = SCAN_XOR + 1 };

/* Rows of `hosts`. Signed integers share sums, products and bit operations with the unsigned type of their size. */
#define ROW(NAME)                                                                                                      \
  { NAME, &NAME##_loops, NULL, NULL }
#define ROW_CHECKED(NAME, CHECKED)                                                                                     \
  { NAME, &NAME##_loops, CHECKED##_overflows, CHECKED##_overflows_any }
#define ROWS_INTEGER(OWN, SHARED)                                                                                      \
  [SCAN_ADD] = ROW_CHECKED(SHARED##_add, OWN##_add), [SCAN_MUL] = ROW_CHECKED(SHARED##_mul, OWN##_mul),                \
  [SCAN_MIN] = ROW(OWN##_min), [SCAN_MAX] = ROW(OWN##_max), [SCAN_AND] = ROW(SHARED##_and),                            \
  [SCAN_OR] = ROW(SHARED##_or), [SCAN_XOR] = ROW(SHARED##_xor)
#define ROWS_FLOAT(OWN)                                                                                                \
  [SCAN_ADD] = ROW(OWN##_add), [SCAN_MUL] = ROW(OWN##_mul), [SCAN_MIN] = ROW(OWN##_min), [SCAN_MAX] = ROW(OWN##_max)
static const builtin_source_host hosts[TYPES][OPS] = {
  [SCAN_I8] = { ROWS_INTEGER(i8, u8) },    [SCAN_U8] = { ROWS_INTEGER(u8, u8) },
  [SCAN_I16] = { ROWS_INTEGER(i16, u16) }, [SCAN_U16] = { ROWS_INTEGER(u16, u16) },
  [SCAN_I32] = { ROWS_INTEGER(i32, u32) }, [SCAN_U32] = { ROWS_INTEGER(u32, u32) },
  [SCAN_I64] = { ROWS_INTEGER(i64, u64) }, [SCAN_U64] = { ROWS_INTEGER(u64, u64) },
  [SCAN_F32] = { ROWS_FLOAT(f32) },        [SCAN_F64] = { ROWS_FLOAT(f64) },
};

const builtin_source_host *scan_builtin_source_host(scan_type type, scan_op_id op) {
  const int is_there = (unsigned)type < TYPES && (unsigned)op < OPS && hosts[type][op].combine != NULL;
  return is_there ? &hosts[type][op] : NULL;
}

#define WIDEN(FROM, TO, T_FROM, T_TO)                                                                                  \
  static inline T_TO FROM##_to_##TO##_of(T_FROM x, uint64_t index) {                                                   \
    (void)index;                                                                                                       \
    return (T_TO)x;                                                                                                    \
  }                                                                                                                    \
  SCAN_MAP_HOST(FROM##_to_##TO, T_FROM, T_TO, FROM##_to_##TO##_of);
WIDEN(i8, i32, int8_t, int32_t)
WIDEN(i8, i64, int8_t, int64_t)
WIDEN(u8, u32, uint8_t, uint32_t)
WIDEN(u8, u64, uint8_t, uint64_t)
WIDEN(i16, i32, int16_t, int32_t)
WIDEN(i16, i64, int16_t, int64_t)
WIDEN(u16, u32, uint16_t, uint32_t)
WIDEN(u16, u64, uint16_t, uint64_t)
WIDEN(i32, i64, int32_t, int64_t)
WIDEN(u32, u64, uint32_t, uint64_t)
WIDEN(f32, f64, float, double)

static const builtin_widening widenings[] = {
  { SCAN_I8, SCAN_I32, i8_to_i32, i8_to_i32_loop },    { SCAN_I8, SCAN_I64, i8_to_i64, i8_to_i64_loop },
  { SCAN_U8, SCAN_U32, u8_to_u32, u8_to_u32_loop },    { SCAN_U8, SCAN_U64, u8_to_u64, u8_to_u64_loop },
  { SCAN_I16, SCAN_I32, i16_to_i32, i16_to_i32_loop }, { SCAN_I16, SCAN_I64, i16_to_i64, i16_to_i64_loop },
  { SCAN_U16, SCAN_U32, u16_to_u32, u16_to_u32_loop }, { SCAN_U16, SCAN_U64, u16_to_u64, u16_to_u64_loop },
  { SCAN_I32, SCAN_I64, i32_to_i64, i32_to_i64_loop }, { SCAN_U32, SCAN_U64, u32_to_u64, u32_to_u64_loop },
  { SCAN_F32, SCAN_F64, f32_to_f64, f32_to_f64_loop },
};

const builtin_widening *scan_builtin_widening(scan_type from, scan_type to) {
  for (size_t i = 0; i < sizeof widenings / sizeof widenings[0]; i++)
    if (widenings[i].from == from && widenings[i].to == to) return &widenings[i];
  return NULL;
}
