/* SPDX-License-Identifier: BSD-2-Clause */
/** @file draw.h @brief The numbers that a case is drawn from. */
#ifndef SCANRT_CASES_DRAW_H
#define SCANRT_CASES_DRAW_H

#include <stddef.h>
#include <stdint.h>

/** A stream of numbers: those of a seed, or the bytes of an input, behind which zeros follow. */
typedef struct case_draw {
  uint64_t seed;
  uint64_t drawn;       /**< Numbers drawn so far. */
  const uint8_t *bytes; /**< NULL: numbers are those of the seed. */
  size_t left;          /**< Bytes that are left. */
} case_draw;

/** The next number below n. @param n  at least 1 */
uint64_t draw_below(case_draw *d, uint64_t n);

/** 1 in one of n draws. Never where the bytes have ended. */
int draw_one_in(case_draw *d, uint64_t n);

#endif
