/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops of built-in operators over blocks, for vector registers of REG_BYTES (host_simd.h). Sums, products and
 * bitwise operators of signed integers are the unsigned type's (scan_type_for_kernel). */
#include "device/host/scan/simd_rows8_open.inc"
#include "device/host/host_stream.h"
#include "device/host/scan/simd_transpose.inc"

#include "device/host/host_halves.inc"

#define BLOCK_FLOAT 1
#define BLOCK_INTEGER 2
#define BLOCK_INTEGER_SIGNED 3

#define BLOCK_T float
#define BLOCK_TYPE f32
#define BLOCK_IS BLOCK_FLOAT
#define BLOCK_PART_BYTES 4
#include "device/host/scan/simd_rows8_type.inc"
#define BLOCK_T uint32_t
#define BLOCK_TYPE u32
#define BLOCK_IS BLOCK_INTEGER
#define BLOCK_PART_BYTES 4
#include "device/host/scan/simd_rows8_type.inc"
#define BLOCK_T int32_t
#define BLOCK_TYPE i32
#define BLOCK_IS BLOCK_INTEGER_SIGNED
#define BLOCK_PART_BYTES 4
#include "device/host/scan/simd_rows8_type.inc"
#define BLOCK_T double
#define BLOCK_TYPE f64
#define BLOCK_IS BLOCK_FLOAT
#define BLOCK_PART_BYTES 8
#include "device/host/scan/simd_rows8_type.inc"
#define BLOCK_T uint64_t
#define BLOCK_TYPE u64
#define BLOCK_IS BLOCK_INTEGER
#define BLOCK_PART_BYTES 8
#include "device/host/scan/simd_rows8_type.inc"
#define BLOCK_T int64_t
#define BLOCK_TYPE i64
#define BLOCK_IS BLOCK_INTEGER_SIGNED
#define BLOCK_PART_BYTES 8
#include "device/host/scan/simd_rows8_type.inc"

#define ORDER(type, bytes) BLOCK_ROW(min_##type, bytes, bytes) BLOCK_ROW(max_##type, bytes, bytes)
#define ARITHMETIC(type, bytes) BLOCK_ROW_SUM(add_##type, bytes, NULL) BLOCK_ROW(mul_##type, bytes, bytes)
#define CHECKED(type, bytes) BLOCK_ROW_SUM(add_##type, bytes, add_##type##_checked) BLOCK_ROW(mul_##type, bytes, bytes)
#define BITS(type, bytes)                                                                                              \
  BLOCK_ROW(and_##type, bytes, bytes) BLOCK_ROW(or_##type, bytes, bytes) BLOCK_ROW(xor_##type, bytes, bytes)
static const simd_rows8_ops operators[] = {
  /* clang-format off */
  ARITHMETIC(f32, 4) ORDER(f32, 4) ARITHMETIC(f64, 8) ORDER(f64, 8)
  CHECKED(u32, 4) ORDER(u32, 4) BITS(u32, 4) CHECKED(u64, 8) ORDER(u64, 8) BITS(u64, 8)
  ORDER(i32, 4) ORDER(i64, 8)
  /* clang-format on */
};
const simd_rows8_table HOST_SIMD_NAME(scan_simd_rows8_builtin) = { operators, sizeof operators / sizeof operators[0] };
