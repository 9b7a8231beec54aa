/* SPDX-License-Identifier: BSD-2-Clause */
/* The dialect of kernels_cl/dialect.h for C11: the host backend compiles the one-work-item tile with it. C has no
 * namespaces, so every name that depends on the type or operator gets HOST_SUFFIX, which host_kernels.c sets anew
 * before each inclusion. */
#ifndef SCANRT_HOST_DIALECT_H
#define SCANRT_HOST_DIALECT_H
#define SCANRT_DIALECT_H /* in place of kernels_cl/dialect.h */

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef int8_t scan_i8;
typedef uint8_t scan_u8;
typedef int16_t scan_i16;
typedef uint16_t scan_u16;
typedef int32_t scan_i32;
typedef uint32_t scan_u32;
typedef int64_t scan_i64;
typedef uint64_t scan_u64;
typedef float scan_f32;
typedef double scan_f64;

#define GLOBAL
#define LOCAL
#define HOST_PASTE(a, b) a##b
#define HOST_NAME(name, suffix) HOST_PASTE(name, suffix)
/* Vectors stay in registers only where everything is inlined: gcc left the float rows out, at half the speed. */
#define FUNC static inline __attribute__((always_inline))
#define KERNEL(name) static void HOST_NAME(name, HOST_SUFFIX)
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("nounroll")
#else
#define UNROLL _Pragma("GCC unroll 32")
#define NO_UNROLL _Pragma("GCC unroll 1")
#endif
#define ITEM() 0u
/* Into the second level of the cache, from where a chunk is read twice. */
#define READ_AHEAD(pointer) __builtin_prefetch((const void *)(pointer), 0, 2)
#define ADDRESS(pointer) ((uintptr_t)(pointer))

#define F32_INFINITY INFINITY
#define F64_INFINITY ((double)INFINITY)
static inline uint32_t host_f32_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float host_bits_f32(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static inline uint64_t host_f64_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline double host_bits_f64(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
#define F32_BITS(x) host_f32_bits(x)
#define BITS_F32(x) host_bits_f32(x)
#define F64_BITS(x) host_f64_bits(x)
#define BITS_F64(x) host_bits_f64(x)

/* Vectors by the extension that gcc and clang share; REG_BYTES is the width that host_kernels.inc is compiled for. */
#define REG_T HOST_NAME(reg, HOST_SUFFIX)
#define REG_LOAD(pointer) HOST_NAME(reg_load, HOST_SUFFIX)(pointer)
#define REG_FILL(x) HOST_NAME(reg_fill, HOST_SUFFIX)(x)
#define REG_LAST(v) ((v)[REG_BYTES / VALUE_BYTES - 1])
#define REG_STORE(pointer, v) memcpy((pointer), &(v), REG_BYTES)
#define REG_STORE_PRIVATE(pointer, v)                                                                                  \
  do {                                                                                                                 \
    const reg_t v_ = (v);                                                                                              \
    memcpy((pointer), &v_, REG_BYTES);                                                                                 \
  } while (0)
#define REG_SELECT(mask, b, a) ((reg_t)(((__typeof__((b) < (a)))(b) & (mask)) | ((__typeof__((b) < (a)))(a) & ~(mask))))
#define REG_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define HALF_T HOST_NAME(half, HOST_SUFFIX)
#define HALF_LOAD(pointer) HOST_NAME(half_load, HOST_SUFFIX)(pointer)
#define HALF_STORE(pointer, v) memcpy((pointer), &(v), 16)
#if REG_BYTES == 16
#define HALF_LOW(v) (v)
#else
/* Written so that gcc makes one instruction of each. */
#define HALF_JOIN(a, b) HOST_NAME(HOST_JOIN_, VALUE_BYTES)(a, b)
#define HOST_JOIN_4(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define HOST_JOIN_8(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3)
#define HALF_LOW(v) HOST_NAME(half_of, HOST_SUFFIX)(v, 0)
#define HALF_HIGH(v) HOST_NAME(half_of, HOST_SUFFIX)(v, 16)
#endif
#if defined(__SSE2__)
#define HALF_STREAM(pointer, v) _mm_stream_si128((__m128i *)(void *)(pointer), (__m128i)(v))
#else
#define HALF_STREAM(pointer, v)                                                                                        \
  do {                                                                                                                 \
    const HALF_T v_ = (v);                                                                                             \
    memcpy((pointer), &v_, 16);                                                                                        \
  } while (0)
#endif
/* gcc inserts the elements of a loop one by one. */
#if defined(__clang__)
#define HOST_FILL(v, x)                                                                                                \
  for (unsigned k = 0; k < REG_BYTES / VALUE_BYTES; k++) (v)[k] = (x)
#else
typedef int8_t host_lane_1;
typedef int16_t host_lane_2;
typedef int32_t host_lane_4;
typedef int64_t host_lane_8;
#define HOST_FILL(v, x)                                                                                                \
  typedef HOST_NAME(host_lane_, VALUE_BYTES) lanes __attribute__((vector_size(REG_BYTES)));                            \
  v = __builtin_shuffle((REG_T){ x }, (lanes){ 0 })
#endif
#define VECTOR_TYPES                                                                                                   \
  typedef value_t REG_T __attribute__((vector_size(REG_BYTES)));                                                       \
  typedef value_t HALF_T __attribute__((vector_size(16)));                                                             \
  static inline REG_T HOST_NAME(reg_load, HOST_SUFFIX)(const value_t *p) {                                             \
    REG_T v;                                                                                                           \
    memcpy(&v, p, sizeof v);                                                                                           \
    return v;                                                                                                          \
  }                                                                                                                    \
  static inline HALF_T HOST_NAME(half_load, HOST_SUFFIX)(const value_t *p) {                                           \
    HALF_T v;                                                                                                          \
    memcpy(&v, p, sizeof v);                                                                                           \
    return v;                                                                                                          \
  }                                                                                                                    \
  static inline HALF_T HOST_NAME(half_of, HOST_SUFFIX)(REG_T v, unsigned first_byte) {                                 \
    HALF_T half;                                                                                                       \
    memcpy(&half, (const char *)&v + first_byte, sizeof half);                                                         \
    return half;                                                                                                       \
  }                                                                                                                    \
  static inline REG_T HOST_NAME(reg_fill, HOST_SUFFIX)(value_t x) {                                                    \
    REG_T v;                                                                                                           \
    HOST_FILL(v, x);                                                                                                   \
    return v;                                                                                                          \
  }

#define output_t HOST_NAME(output_t, HOST_SUFFIX)
#define value_t HOST_NAME(value_t, HOST_SUFFIX)
#define value_seed HOST_NAME(value_seed, HOST_SUFFIX)
#define kept_t HOST_NAME(kept_t, HOST_SUFFIX)
#define input_t HOST_NAME(input_t, HOST_SUFFIX)
#define arithmetic_t HOST_NAME(arithmetic_t, HOST_SUFFIX)
#define combine HOST_NAME(combine, HOST_SUFFIX)
#define scan_job HOST_NAME(scan_job, HOST_SUFFIX)
#define job_make HOST_NAME(job_make, HOST_SUFFIX)
#define scan_prefix HOST_NAME(scan_prefix, HOST_SUFFIX)
#define prefix_start HOST_NAME(prefix_start, HOST_SUFFIX)
#define prefix_value HOST_NAME(prefix_value, HOST_SUFFIX)
#define prefix_group_total HOST_NAME(prefix_group_total, HOST_SUFFIX)
#define prefix_push HOST_NAME(prefix_push, HOST_SUFFIX)
#define tile_state HOST_NAME(tile_state, HOST_SUFFIX)
#define tile_scratch HOST_NAME(tile_scratch, HOST_SUFFIX)
#define tile_count HOST_NAME(tile_count, HOST_SUFFIX)
#define tile_reduce HOST_NAME(tile_reduce, HOST_SUFFIX)
#define tile_write HOST_NAME(tile_write, HOST_SUFFIX)
#define tile_load HOST_NAME(tile_load, HOST_SUFFIX)
#define tile_fold HOST_NAME(tile_fold, HOST_SUFFIX)
#define tile_scan HOST_NAME(tile_scan, HOST_SUFFIX)
#define tile_store HOST_NAME(tile_store, HOST_SUFFIX)
#define row_vectors_part HOST_NAME(row_vectors_part, HOST_SUFFIX)
#define row_total HOST_NAME(row_total, HOST_SUFFIX)
#define row_starts HOST_NAME(row_starts, HOST_SUFFIX)
#define row_reduce HOST_NAME(row_reduce, HOST_SUFFIX)
#define row_write HOST_NAME(row_write, HOST_SUFFIX)
#define row_reduce_part HOST_NAME(row_reduce_part, HOST_SUFFIX)
#define row_write_part HOST_NAME(row_write_part, HOST_SUFFIX)
#define span_reduce HOST_NAME(span_reduce, HOST_SUFFIX)
#define span_write HOST_NAME(span_write, HOST_SUFFIX)
#define reg_t HOST_NAME(reg_t, HOST_SUFFIX)
#define reg_store HOST_NAME(reg_store, HOST_SUFFIX)
#define read_ahead HOST_NAME(read_ahead, HOST_SUFFIX)
#define reg_write HOST_NAME(reg_write, HOST_SUFFIX)
#define reg_scan HOST_NAME(reg_scan, HOST_SUFFIX)
#define half_store HOST_NAME(half_store, HOST_SUFFIX)
#define reg_combine HOST_NAME(reg_combine, HOST_SUFFIX)
#define block_transpose HOST_NAME(block_transpose, HOST_SUFFIX)
#define block_load HOST_NAME(block_load, HOST_SUFFIX)
#define block_store HOST_NAME(block_store, HOST_SUFFIX)
#define block_fold HOST_NAME(block_fold, HOST_SUFFIX)
#define lanes_scan HOST_NAME(lanes_scan, HOST_SUFFIX)
#define scan_lines HOST_NAME(scan_lines, HOST_SUFFIX)
#define lines_make HOST_NAME(lines_make, HOST_SUFFIX)
#define lines_divide HOST_NAME(lines_divide, HOST_SUFFIX)
#define line_place HOST_NAME(line_place, HOST_SUFFIX)
#define line_prefix HOST_NAME(line_prefix, HOST_SUFFIX)
#define line_start HOST_NAME(line_start, HOST_SUFFIX)
#define line_before HOST_NAME(line_before, HOST_SUFFIX)
#define line_push HOST_NAME(line_push, HOST_SUFFIX)
#define line_close HOST_NAME(line_close, HOST_SUFFIX)
#define line_job HOST_NAME(line_job, HOST_SUFFIX)
#define line_scan HOST_NAME(line_scan, HOST_SUFFIX)
#define line_block HOST_NAME(line_block, HOST_SUFFIX)
#define block_make HOST_NAME(block_make, HOST_SUFFIX)
#define row_gather HOST_NAME(row_gather, HOST_SUFFIX)
#define row_scatter HOST_NAME(row_scatter, HOST_SUFFIX)
#define rows_double HOST_NAME(rows_double, HOST_SUFFIX)
#define rows_finish HOST_NAME(rows_finish, HOST_SUFFIX)
#define block_scan HOST_NAME(block_scan, HOST_SUFFIX)
#define tile_sink HOST_NAME(tile_sink, HOST_SUFFIX)
#define tile_keep HOST_NAME(tile_keep, HOST_SUFFIX)
#define row_keep HOST_NAME(row_keep, HOST_SUFFIX)
#define prefix_shown HOST_NAME(prefix_shown, HOST_SUFFIX)
#define job_sink HOST_NAME(job_sink, HOST_SUFFIX)
#define seed_flipped HOST_NAME(seed_flipped, HOST_SUFFIX)

#endif
