/* SPDX-License-Identifier: BSD-2-Clause */
#define NAME(word) word##_f64
#define NUMBER double
#define INDEX uint64_t
#define PAIR
#define LITERAL(x) x
#define DIGITS 53
#define IS_NAN(x) ((x) != (x))
