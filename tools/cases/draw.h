/* SPDX-License-Identifier: BSD-2-Clause */
/** @file draw.h @brief The source of numbers from which a case is drawn. */
#ifndef SCANRT_CASES_DRAW_H
#define SCANRT_CASES_DRAW_H

#include <stddef.h>
#include <stdint.h>

/** A stream of numbers, from a seed or from the bytes of an input. After the last byte it gives zeros. */
typedef struct case_draw {
  uint64_t seed;
  uint64_t drawn;       /**< Numbers drawn so far. */
  const uint8_t *bytes; /**< NULL: numbers come from the seed. */
  size_t left;          /**< Bytes not yet used. */
} case_draw;

/** Returns the next number, which is below n. @param n  at least 1 */
uint64_t draw_below(case_draw *d, uint64_t n);

/** 1 in one of n draws. Always 0 after the last byte, for n above 1. */
int draw_one_in(case_draw *d, uint64_t n);

#endif
