/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops of composites over blocks (host_simd.h). The composites' texts are compiled with a register of numbers in
 * place of one number; those that compare have versions without branches. */
#include "device/host/scan/simd_rows8_open.inc"

#define NAME(word) BLOCK_JOIN_OF(word, BLOCK_TYPE)
#define NUMBER BLOCK_JOIN_OF(block, BLOCK_TYPE)
#define INDEX BLOCK_SIZED(block_word)
#define MASK BLOCK_SIZED(block_mask)
#define CHOOSE BLOCK_SIZED(block_choose)
#define PAIR
#define CARRY(is_there) (-(INDEX)(is_there)) /* a lane is -1 where it is there */

/* ---- f32 ---- */

#define BLOCK_PART_BYTES 4
#define BLOCK_T float
#define BLOCK_TYPE f32
#define LITERAL(x) (x##f - (NUMBER){ 0 })
#define DIGITS 24
#define EXPONENT_OF_1 127
#define SMALL block_mask4
#include "device/host/scan/composite_simd_float.inc"
#include "kernels_cl/composites/matrix2.h"
#define BLOCK_OPERATION matrix2
#define BLOCK_FUNCTION combine
#define BLOCK_EXACT 0
#include "device/host/scan/composite_simd_one.inc"
#undef BLOCK_PART_BYTES
#undef BLOCK_T
#undef BLOCK_TYPE
#undef LITERAL
#undef DIGITS
#undef EXPONENT_OF_1
#undef SMALL

/* ---- f64 ---- */

#define BLOCK_PART_BYTES 8
#define BLOCK_T double
#define BLOCK_TYPE f64
#define LITERAL(x) (x - (NUMBER){ 0 })
#define DIGITS 53
#define EXPONENT_OF_1 1023
#define SMALL block_half4 /* processors convert doubles to integers of 32 bits */
#include "device/host/scan/composite_simd_float.inc"
#undef BLOCK_PART_BYTES
#undef BLOCK_T
#undef BLOCK_TYPE

/* ---- u32 ---- */

#define BLOCK_PART_BYTES 4
#define BLOCK_T uint32_t
#define BLOCK_TYPE u32
#include "kernels_cl/composites/affine.h"
#define BLOCK_OPERATION affine
#define BLOCK_FUNCTION combine
#define BLOCK_EXACT 1
#include "device/host/scan/composite_simd_one.inc"
#undef BLOCK_PART_BYTES
#undef BLOCK_T
#undef BLOCK_TYPE

/* ---- i32 ---- */

#define BLOCK_PART_BYTES 4
#define BLOCK_T int32_t
#define BLOCK_TYPE i32
#include "device/host/scan/composite_simd_order.inc"
#undef BLOCK_PART_BYTES
#undef BLOCK_T
#undef BLOCK_TYPE

/* ---- i64 ---- */

#define BLOCK_PART_BYTES 8
#define BLOCK_T int64_t
#define BLOCK_TYPE i64
#include "device/host/scan/composite_simd_order.inc"
#undef BLOCK_PART_BYTES
#undef BLOCK_T
#undef BLOCK_TYPE

/* ---- i128, u128: the numbers are high words ---- */

#define BLOCK_PART_BYTES 8
#define BLOCK_T int64_t
#define BLOCK_TYPE i128
#define block_i128 block_i64
#include "device/host/scan/composite_simd_words.inc"
#undef BLOCK_T
#undef BLOCK_TYPE
#define BLOCK_T uint64_t
#define BLOCK_TYPE u128
#define block_u128 block_u64
#include "device/host/scan/composite_simd_words.inc"
#undef BLOCK_PART_BYTES
#undef BLOCK_T
#undef BLOCK_TYPE

#define PAIR_ROW(operation, numbers, part_bytes) BLOCK_ROW(operation##_##numbers, 2 * (part_bytes), part_bytes)
#define FLOAT_ROWS(numbers, part_bytes)                                                                                \
  PAIR_ROW(affine, numbers, part_bytes)                                                                                \
  PAIR_ROW(complex, numbers, part_bytes)                                                                               \
  PAIR_ROW(complex_sum, numbers, part_bytes)                                                                           \
  PAIR_ROW(compensated, numbers, part_bytes)                                                                           \
  PAIR_ROW(logsumexp, numbers, part_bytes) ORDER_ROWS(numbers, part_bytes)
#define ORDER_ROWS(numbers, part_bytes) PAIR_ROW(argmin, numbers, part_bytes) PAIR_ROW(argmax, numbers, part_bytes)
#define WORD_ROWS(numbers) PAIR_ROW(sum, numbers, 8) PAIR_ROW(minimum, numbers, 8) PAIR_ROW(maximum, numbers, 8)
static const simd_rows8_ops operators[] = {
  /* clang-format off */
  FLOAT_ROWS(f32, 4) FLOAT_ROWS(f64, 8) PAIR_ROW(affine, u32, 4) ORDER_ROWS(i32, 4) ORDER_ROWS(i64, 8)
  BLOCK_ROW(matrix2_f32, 16, 4) WORD_ROWS(i128) WORD_ROWS(u128)
  /* clang-format on */
};
const simd_rows8_table HOST_SIMD_NAME(scan_composite_simd) = { operators, sizeof operators / sizeof operators[0] };
