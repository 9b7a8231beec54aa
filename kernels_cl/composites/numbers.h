/* SPDX-License-Identifier: BSD-2-Clause */
/* The type of a composite's numbers. NUMBERS, which is f32, f64, u32, i32, i64, i128 or u128,
 * chooses one of the rows below. An integer of 128 bits has two words, and its number is the high one. */
#define NUMBERS_PASTE(word, numbers) word##_##numbers
#define NUMBERS_JOIN(word, numbers) NUMBERS_PASTE(word, numbers)

#define NAME(word) NUMBERS_JOIN(word, NUMBERS)
#define NUMBER NUMBERS_JOIN(NUMBER_OF, NUMBERS)
/* An unsigned integer as large as a number. */
#define INDEX NUMBERS_JOIN(INDEX_OF, NUMBERS)
/* Attributes of a struct of two numbers. */
#define PAIR NUMBERS_JOIN(PAIR_OF, NUMBERS)
/* The high word of an integer of one word. */
#define SIGN(x) NUMBERS_JOIN(SIGN_OF, NUMBERS)(x)
/* 1 if a carry is there. */
#define CARRY(is_there) ((INDEX)(is_there))
#define IS_NAN(x) NUMBERS_JOIN(IS_NAN_OF, NUMBERS)(x)
/* Floating point alone: a literal, and the bits of a significand. */
#define LITERAL(x) NUMBERS_JOIN(LITERAL_OF, NUMBERS)(x)
#define DIGITS NUMBERS_JOIN(DIGITS_OF, NUMBERS)

#define NUMBER_OF_f32 float
#define INDEX_OF_f32 uint32_t
#define PAIR_OF_f32 __attribute__((aligned(8)))
#define IS_NAN_OF_f32(x) ((x) != (x))
#define LITERAL_OF_f32(x) x##f
#define DIGITS_OF_f32 24

#define NUMBER_OF_f64 double
#define INDEX_OF_f64 uint64_t
#define PAIR_OF_f64
#define IS_NAN_OF_f64(x) ((x) != (x))
#define LITERAL_OF_f64(x) x
#define DIGITS_OF_f64 53

#define NUMBER_OF_u32 uint32_t
#define INDEX_OF_u32 uint32_t
#define PAIR_OF_u32 __attribute__((aligned(8)))
#define IS_NAN_OF_u32(x) 0

#define NUMBER_OF_i32 int32_t
#define INDEX_OF_i32 uint32_t
#define PAIR_OF_i32 __attribute__((aligned(8)))
#define IS_NAN_OF_i32(x) 0

#define NUMBER_OF_i64 int64_t
#define INDEX_OF_i64 uint64_t
#define PAIR_OF_i64
#define IS_NAN_OF_i64(x) 0

#define NUMBER_OF_i128 int64_t
#define INDEX_OF_i128 uint64_t
#define PAIR_OF_i128
#define SIGN_OF_i128(x) ((x) < 0 ? -1 : 0)

#define NUMBER_OF_u128 uint64_t
#define INDEX_OF_u128 uint64_t
#define PAIR_OF_u128
#define SIGN_OF_u128(x) 0
