/* SPDX-License-Identifier: BSD-2-Clause */
#define NAME(word) word##_u32
#define NUMBER uint32_t
#define INDEX uint32_t
#define PAIR __attribute__((aligned(8)))
#define IS_NAN(x) 0
