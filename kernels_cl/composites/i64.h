/* SPDX-License-Identifier: BSD-2-Clause */
#define NAME(word) word##_i64
#define NUMBER int64_t
#define INDEX uint64_t
#define PAIR
#define IS_NAN(x) 0
