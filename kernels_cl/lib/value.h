/* SPDX-License-Identifier: BSD-2-Clause */
/* Values and operators of built-in types: scanrt_output_t, scanrt_value_t (the accumulator), scanrt_input_t,
 * scanrt_combine() and IDENTITY; value_source.h has those from source. For sums, products and bitwise operators on
 * signed integers the host asks for the unsigned type of the same size, which gives the same bits and wraps by
 * definition. */
#ifndef SCANRT_CL_VALUE_H
#define SCANRT_CL_VALUE_H

#include "lib/dialect.h"
#include "lib/types.h"

#if SCAN_TYPE < 1 || SCAN_TYPE > 10
#error "SCAN_TYPE is not a number of scan.h"
#endif
#if SCAN_IN_TYPE < 1 || SCAN_IN_TYPE > 10
#error "SCAN_IN_TYPE is not a number of scan.h"
#endif

typedef TYPE_T(SCAN_TYPE) scanrt_output_t;
typedef TYPE_T(SCAN_IN_TYPE) scanrt_input_t;
#define VALUE_BYTES TYPE_BYTES(SCAN_TYPE)
#define INPUT_BYTES TYPE_BYTES(SCAN_IN_TYPE)

/* The least and the greatest value of each type. */
#define VALUE_MIN TYPE_ROW(VALUE_MIN_, SCAN_TYPE)
#define VALUE_MAX TYPE_ROW(VALUE_MAX_, SCAN_TYPE)
#define VALUE_MIN_1 (-128)
#define VALUE_MAX_1 127
#define VALUE_MIN_2 0
#define VALUE_MAX_2 255
#define VALUE_MIN_3 (-32767 - 1)
#define VALUE_MAX_3 32767
#define VALUE_MIN_4 0
#define VALUE_MAX_4 65535
#define VALUE_MIN_5 (-2147483647 - 1)
#define VALUE_MAX_5 2147483647
#define VALUE_MIN_6 0u
#define VALUE_MAX_6 4294967295u
#define VALUE_MIN_7 (-9223372036854775807L - 1)
#define VALUE_MAX_7 9223372036854775807L
#define VALUE_MIN_8 0ul
#define VALUE_MAX_8 18446744073709551615ul
#define VALUE_MIN_9 (-F32_INFINITY)
#define VALUE_MAX_9 F32_INFINITY
#define VALUE_MIN_10 (-F64_INFINITY)
#define VALUE_MAX_10 F64_INFINITY

/* A work-group keeps 1- and 2-byte values in 32-bit registers and cuts them only when they are stored. The upper bits
 * of a sum, a product or a bitwise result are undefined; those of a minimum or maximum extend its sign. */
#if VALUE_BYTES < 4 && SCAN_GROUP_ITEMS > 1
#if SCAN_TYPE == 1 || SCAN_TYPE == 3
typedef scanrt_i32 scanrt_value_t;
#else
typedef scanrt_u32 scanrt_value_t;
#endif
#else
typedef scanrt_output_t scanrt_value_t;
#endif

/* BITS_VALUE() takes an element's bits, REGISTER_VALUE() those of a scanrt_value_t. */
#if SCAN_TYPE == 9
#define VALUE_IS_FLOAT 1
#define VALUE_NAN F32_NAN
#define VALUE_BITS(x) F32_BITS(x)
#define BITS_VALUE(x) BITS_F32((scanrt_u32)(x))
#define REGISTER_VALUE(x) BITS_VALUE(x)
#elif SCAN_TYPE == 10
#define VALUE_IS_FLOAT 1
#define VALUE_NAN F64_NAN
#define VALUE_BITS(x) F64_BITS(x)
#define BITS_VALUE(x) BITS_F64(x)
#define REGISTER_VALUE(x) BITS_VALUE(x)
#else
#define VALUE_IS_FLOAT 0
#define VALUE_BITS(x) (x)
#define BITS_VALUE(x) ((scanrt_value_t)(scanrt_output_t)(x))
#define REGISTER_VALUE(x) ((scanrt_value_t)(x))
#endif

#if SCAN_SPLIT
/* A value as 32-bit words, the lowest first. */
#define VALUE_WORDS ((VALUE_BYTES + 3) / 4)
#define DESCRIPTOR_MARKS 0
typedef struct scanrt_value_words {
  scanrt_u32 word[VALUE_WORDS];
} scanrt_value_words;
FUNC scanrt_value_words scanrt_words_of(scanrt_u64 bits) {
  scanrt_value_words w;
  w.word[VALUE_WORDS - 1] = (scanrt_u32)(bits >> (32 * (VALUE_WORDS - 1)));
  w.word[0] = (scanrt_u32)bits;
  return w;
}
#define VALUE_WORDS_OF(x) scanrt_words_of((scanrt_u64)VALUE_BITS(x))
#define WORDS_NONE() scanrt_words_of(0)
#define WORDS_VALUE(w, there)                                                                                          \
  BITS_VALUE((scanrt_u64)(w).word[VALUE_WORDS - 1] << (32 * (VALUE_WORDS - 1)) | (w).word[0])
#endif

/* The unsigned type that arithmetic is done in: at least 32 bits wide, so that a product of two 16-bit values does not
 * overflow a promoted int. */
#if VALUE_IS_FLOAT
typedef scanrt_value_t scanrt_arithmetic_t;
#elif VALUE_BYTES == 8
typedef scanrt_u64 scanrt_arithmetic_t;
#else
typedef scanrt_u32 scanrt_arithmetic_t;
#endif

#if SCAN_OP < 1 || SCAN_OP > 7
#error "SCAN_OP is not a number of scan.h"
#endif
/* Each operator, by its number: sum, product, minimum, maximum, and, or, xor. */
#define OP_PASTE(row, op) row##op
#define OP_ROW(row, op) OP_PASTE(row, op)
#define IDENTITY OP_ROW(IDENTITY_, SCAN_OP)
#define COMBINE(a, b) OP_ROW(COMBINE_, SCAN_OP)(a, b)
#if VALUE_IS_FLOAT
#define IDENTITY_1 ((scanrt_value_t)(-0.0f)) /* -0.0 + x is x for every x; +0.0 + -0.0 is not */
#else
#define IDENTITY_1 ((scanrt_value_t)0)
#endif
#define COMBINE_1(a, b) ((scanrt_arithmetic_t)(a) + (scanrt_arithmetic_t)(b))
#define IDENTITY_2 ((scanrt_value_t)1)
#define COMBINE_2(a, b) ((scanrt_arithmetic_t)(a) * (scanrt_arithmetic_t)(b))
#define IDENTITY_3 ((scanrt_value_t)VALUE_MAX)
#define COMBINE_3(a, b) (((b) < (a) || (b) != (b)) ? (b) : (a))
#define IDENTITY_4 ((scanrt_value_t)VALUE_MIN)
#define COMBINE_4(a, b) (((b) > (a) || (b) != (b)) ? (b) : (a))
#define IDENTITY_5 ((scanrt_value_t) ~(scanrt_arithmetic_t)0)
#define COMBINE_5(a, b) ((a) & (b))
#define IDENTITY_6 ((scanrt_value_t)0)
#define COMBINE_6(a, b) ((a) | (b))
#define IDENTITY_7 ((scanrt_value_t)0)
#define COMBINE_7(a, b) ((a) ^ (b))

#ifdef SCAN_TEST_DEPTH /* a value is the length of the longest chain of applications up to it */
#undef IDENTITY
#undef COMBINE
#define IDENTITY ((scanrt_value_t)0)
#define COMBINE(a, b) (((a) > (b) ? (a) : (b)) + 1)
#endif

/* Conversions between elements and values, the seed, and a tile's aggregate and prefix as strategies store them. They
 * are casts here, and functions for types from source (value_source.h, element_source.h). */
#define VALUE_IS_ORDERED VALUE_IS_FLOAT
#define ORDER_SHOWS (VALUE_IS_FLOAT && SCAN_OP <= 2) /* 1 if results' bits show the order: sums and products */
#define VALUE_OF(x) ((scanrt_value_t)(x))
#if ORDER_SHOWS
/* Returns x; the canonical NaN for any NaN, whose bits depend on the device. */
FUNC scanrt_output_t scanrt_output_of(scanrt_value_t x) { return x != x ? VALUE_NAN : x; }
#define OUTPUT_OF(x) scanrt_output_of(x)
#else
#define OUTPUT_OF(x) ((scanrt_output_t)(x))
#endif
#define ELEMENT(job, x, index) VALUE_SHOWN((job), VALUE_OF(x))
#define RESULT(job, inclusive, element, next, start, x, index)                                                         \
  OUTPUT_OF(VALUE_SHOWN((job), (inclusive) ? (next) : (start)))
#if ORDER_SHOWS
#define RESULT_PLAIN(job, inclusive, element, next, start, x, index) ((inclusive) ? (next) : (start)) /* any NaN */
#endif
#define VALUE_SELECT(first, a, b) ((first) ? (a) : (b))
#define VALUE_THERE(x) (x)
#define SEED_SHOWN(seed) (flags & FLAG_CARRY ? (seed) : scanrt_prefix_shown(&job, (seed)))
#define SEED_PARAMETERS
#define SEED() scanrt_seed_flipped(scanrt_value_seed(seed_bits, flags &FLAG_CARRY, MEMORY(carry)), flags)
#define VALUE_PUT(pointer, value) (*(GLOBAL scanrt_output_t *)(pointer) = OUTPUT_OF(value))
typedef scanrt_output_t scanrt_kept_t;
#define KEPT_OF(x) ((scanrt_output_t)(x))
#define VALUE_KEPT(x) VALUE_OF(x)
#define PREFIX_OF(x, tile) ((scanrt_value_t)(x))
#define VECTOR_ALIGNED(pointer, bytes) (ADDRESS(pointer) % (bytes) == 0)
#define OUTPUT_BYTES VALUE_BYTES
#define ORDER_BYTES VALUE_BYTES /* the size that the geometry depends on */
#define STORED_BYTES 16         /* a vector of the output */
/* Values in local memory. */
#define SCRATCH_ARRAY(name, count) scanrt_value_t name[count]
#define SCRATCH_GET(s, name, i) ((s)->name[i])
#define SCRATCH_PUT(s, name, i, x) ((s)->name[i] = (x))

/* Returns the seed. Arguments are read before the branch: llvmpipe (Mesa 22.3) takes those that are read in one for
 * uniform. */
FUNC scanrt_value_t scanrt_value_seed(scanrt_u64 seed_bits, scanrt_u32 is_carry, GLOBAL const scanrt_u8 *carry) {
  scanrt_value_t seed = BITS_VALUE(seed_bits);
  if (is_carry) seed = VALUE_OF(*(GLOBAL const scanrt_output_t *)carry);
  return seed;
}

/* Combines a and b; a precedes b, which matters for minimum and maximum of signed zeros, and for operators from
 * source. */
#ifdef SCAN_TEST_COUNTER /* the address of a count of applications, on a device that shares the host's memory */
FUNC scanrt_value_t scanrt_combine(scanrt_value_t a, scanrt_value_t b) {
  (void)atomic_inc((volatile GLOBAL scanrt_u32 *)(SCAN_TEST_COUNTER));
  return (scanrt_value_t)COMBINE(a, b);
}
#else
FUNC scanrt_value_t scanrt_combine(scanrt_value_t a, scanrt_value_t b) { return (scanrt_value_t)COMBINE(a, b); }
#endif
#endif
