/* SPDX-License-Identifier: BSD-2-Clause */
/* The dialect of kernels_cl/dialect.h for C11: the host backend compiles the one-work-item tile with it. C has no
 * namespaces, so every name that depends on the type or operator gets HOST_SUFFIX, which host_kernels.c sets anew
 * before each inclusion. */
#ifndef SCANRT_HOST_DIALECT_H
#define SCANRT_HOST_DIALECT_H

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
#define FUNC static inline
#define KERNEL(name) static void HOST_NAME(name, HOST_SUFFIX)
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif
#define ITEM() 0u
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

/* Vectors by the extension that gcc and clang share. */
#define VEC_T HOST_NAME(vec, HOST_SUFFIX)
#define VEC_LOAD(pointer) HOST_NAME(vec_load, HOST_SUFFIX)(pointer)
#define VEC_FILL(x) HOST_NAME(vec_fill, HOST_SUFFIX)(x)
#define VEC_LAST(v) ((v)[VEC_ITEMS - 1])
#define VEC_STORE(pointer, v) memcpy((pointer), &(v), 16)
#define VEC_STORE_PRIVATE(pointer, v)                                                                                  \
  do {                                                                                                                 \
    const vec_t v_ = (v);                                                                                              \
    memcpy((pointer), &v_, 16);                                                                                        \
  } while (0)
#define VEC_SELECT(mask, b, a) ((vec_t)(((__typeof__((b) < (a)))(b) & (mask)) | ((__typeof__((b) < (a)))(a) & ~(mask))))
#define VEC_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#if defined(__SSE2__)
#define VEC_STREAM(pointer, v) _mm_stream_si128((__m128i *)(void *)(pointer), (__m128i)(v))
#else
#define VEC_STREAM(pointer, v) VEC_STORE(pointer, v)
#endif
#define HOST_VECTORS                                                                                                   \
  typedef value_t HOST_NAME(vec, HOST_SUFFIX) __attribute__((vector_size(16)));                                        \
  static inline HOST_NAME(vec, HOST_SUFFIX) HOST_NAME(vec_load, HOST_SUFFIX)(const value_t *p) {                       \
    HOST_NAME(vec, HOST_SUFFIX) v;                                                                                     \
    memcpy(&v, p, sizeof v);                                                                                           \
    return v;                                                                                                          \
  }                                                                                                                    \
  static inline HOST_NAME(vec, HOST_SUFFIX) HOST_NAME(vec_fill, HOST_SUFFIX)(value_t x) {                              \
    HOST_NAME(vec, HOST_SUFFIX) v;                                                                                     \
    for (unsigned k = 0; k < VEC_ITEMS; k++) v[k] = x;                                                                 \
    return v;                                                                                                          \
  }

#define output_t HOST_NAME(output_t, HOST_SUFFIX)
#define value_t HOST_NAME(value_t, HOST_SUFFIX)
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
#define row_copy HOST_NAME(row_copy, HOST_SUFFIX)
#define row_total HOST_NAME(row_total, HOST_SUFFIX)
#define row_starts HOST_NAME(row_starts, HOST_SUFFIX)
#define row_reduce HOST_NAME(row_reduce, HOST_SUFFIX)
#define row_write HOST_NAME(row_write, HOST_SUFFIX)
#define row_reduce_part HOST_NAME(row_reduce_part, HOST_SUFFIX)
#define row_write_part HOST_NAME(row_write_part, HOST_SUFFIX)
#define span_reduce HOST_NAME(span_reduce, HOST_SUFFIX)
#define span_write HOST_NAME(span_write, HOST_SUFFIX)
#define vec_t HOST_NAME(vec_t, HOST_SUFFIX)
#define vec_store HOST_NAME(vec_store, HOST_SUFFIX)
#define vec_combine HOST_NAME(vec_combine, HOST_SUFFIX)
#define block_transpose HOST_NAME(block_transpose, HOST_SUFFIX)
#define block_load HOST_NAME(block_load, HOST_SUFFIX)
#define block_store HOST_NAME(block_store, HOST_SUFFIX)
#define block_fold HOST_NAME(block_fold, HOST_SUFFIX)
#define lanes_scan HOST_NAME(lanes_scan, HOST_SUFFIX)

#endif
