/* SPDX-License-Identifier: BSD-2-Clause */
/* The dialect of kernels_cl/lib/dialect.h for C11: the host backend compiles the one-work-item tile with it. C has no
 * namespaces, so every name of the kernels (instance_names.h, made at build time) ends with HOST_SUFFIX, which differs
 * for each type, operator and tile size. */
#ifndef SCANRT_HOST_DIALECT_H
#define SCANRT_HOST_DIALECT_H
#define SCANRT_DIALECT_H /* in place of kernels_cl/lib/dialect.h */

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef int8_t scanrt_i8;
typedef uint8_t scanrt_u8;
typedef int16_t scanrt_i16;
typedef uint16_t scanrt_u16;
typedef int32_t scanrt_i32;
typedef uint32_t scanrt_u32;
typedef int64_t scanrt_i64;
typedef uint64_t scanrt_u64;
typedef float scanrt_f32;
typedef double scanrt_f64;

#define GLOBAL
#define LOCAL
#define HOST_PASTE(a, b) a##b
#define HOST_NAME(name, suffix) HOST_PASTE(name, suffix)
/* Vectors stay in registers only if everything is inlined: gcc did not inline the float rows, at half the speed. */
#define FUNC static inline __attribute__((always_inline))
#define FUNC_CALLED FUNC
#define KERNEL(name) static void HOST_NAME(name, HOST_SUFFIX)
/* The number of the call's work-group, and the number of work-groups. */
#define GROUP_PARAMETERS                                                                                               \
  scanrt_u32 scanrt_group __attribute__((unused)), scanrt_u32 scanrt_groups __attribute__((unused))
#define GROUP() scanrt_group
#define GROUPS() scanrt_groups
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("nounroll")
#else
#define UNROLL _Pragma("GCC unroll 32")
#define NO_UNROLL _Pragma("GCC unroll 1")
#endif
#define ITEM() 0u
#define BARRIER()
/* Prefetches into the second-level cache, from which a chunk is read twice. */
#define READ_AHEAD(pointer) __builtin_prefetch((const void *)(pointer), 0, 2)
/* Reductions of floating point prefetch, too. */
#define REDUCES_AHEAD
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

/* Vectors by the extension that gcc and clang share; REG_BYTES is the width that host_table.c is compiled for. */
#define REG_T HOST_NAME(reg, HOST_SUFFIX)
#define REG_LOAD(pointer) HOST_NAME(reg_load, HOST_SUFFIX)(pointer)
#define REG_FILL(x) HOST_NAME(reg_fill, HOST_SUFFIX)(x)
#define REG_LAST(v) ((v)[REG_BYTES / VALUE_BYTES - 1])
#define REG_STORE(pointer, v) memcpy((pointer), &(v), REG_BYTES)
#define REG_STORE_PRIVATE(pointer, v)                                                                                  \
  do {                                                                                                                 \
    const scanrt_reg_t v_ = (v);                                                                                       \
    memcpy((pointer), &v_, REG_BYTES);                                                                                 \
  } while (0)
#define REG_SELECT(mask, b, a) ((REG_T)(((__typeof__((b) < (a)))(b) & (mask)) | ((__typeof__((b) < (a)))(a) & ~(mask))))
/* 1 if a comparison holds for any element. */
#if REG_BYTES == 32
#define REG_ANY(mask) (_mm256_movemask_epi8((__m256i)(mask)) != 0)
#elif defined(__SSE2__)
#define REG_ANY(mask) (_mm_movemask_epi8((__m128i)(mask)) != 0)
#else
typedef uint64_t host_words __attribute__((vector_size(16)));
static inline int host_any(host_words mask) { return (mask[0] | mask[1]) != 0; }
#define REG_ANY(mask) host_any((host_words)(mask))
#endif
#define REG_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define HALF_T HOST_NAME(half, HOST_SUFFIX)
#define HALF_LOAD(pointer) HOST_NAME(half_load, HOST_SUFFIX)(pointer)
#define HALF_STORE(pointer, v) memcpy((pointer), &(v), 16)
#if REG_BYTES == 16
#define HALF_LOW(v) (v)
#else
/* Written such that gcc makes one instruction of each. */
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
/* gcc would insert the elements of a loop one by one. */
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
  typedef scanrt_value_t REG_T __attribute__((vector_size(REG_BYTES)));                                                \
  typedef scanrt_value_t HALF_T __attribute__((vector_size(16)));                                                      \
  static inline REG_T HOST_NAME(reg_load, HOST_SUFFIX)(const scanrt_value_t *p) {                                      \
    REG_T v;                                                                                                           \
    memcpy(&v, p, sizeof v);                                                                                           \
    return v;                                                                                                          \
  }                                                                                                                    \
  static inline HALF_T HOST_NAME(half_load, HOST_SUFFIX)(const scanrt_value_t *p) {                                    \
    HALF_T v;                                                                                                          \
    memcpy(&v, p, sizeof v);                                                                                           \
    return v;                                                                                                          \
  }                                                                                                                    \
  static inline HALF_T HOST_NAME(half_of, HOST_SUFFIX)(REG_T v, unsigned first_byte) {                                 \
    HALF_T half;                                                                                                       \
    memcpy(&half, (const char *)&v + first_byte, sizeof half);                                                         \
    return half;                                                                                                       \
  }                                                                                                                    \
  static inline REG_T HOST_NAME(reg_fill, HOST_SUFFIX)(scanrt_value_t x) {                                             \
    REG_T v;                                                                                                           \
    HOST_FILL(v, x);                                                                                                   \
    return v;                                                                                                          \
  }

#include "instance_names.h"

#endif
