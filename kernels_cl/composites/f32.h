/* SPDX-License-Identifier: BSD-2-Clause */
#define NAME(word) word##_f32
#define NUMBER float
#define INDEX uint32_t
#define PAIR __attribute__((aligned(8)))
#define LITERAL(x) x##f
#define DIGITS 24
#define IS_NAN(x) ((x) != (x))
