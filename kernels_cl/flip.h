/* SPDX-License-Identifier: BSD-2-Clause */
/* Maxima, and minima of signed integers, as the minima that a kernel is compiled for: max(x, y) is ~min(~x, ~y), signed
 * integers compare as unsigned ones with the sign turned over, and the maximum of floating-point numbers is the negated
 * minimum of the negated ones, of equal ones and of NaNs too. So a kernel serves four operators on integers and two on
 * floating-point numbers, and only it is compiled; likewise x | y is ~(~x & ~y). After vector.h, where SCAN_FLIPS is
 * defined. The seed comes turned over. Vectors are turned over where they are used: earlier, each would be waited for.
 * Elements past n are then anything; whatever comes after them is not stored. */
#ifndef SCANRT_CL_FLIP_H
#define SCANRT_CL_FLIP_H

#include "vector.h"

FUNC scanrt_raw16 scanrt_vector_flip(const scanrt_job *job, scanrt_raw16 raw) {
  scanrt_output_vector v;
  v.raw = raw;
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) v.word[k] ^= VALUE_BYTES == 8 && k % 2 == 0 ? job->flip_low : job->flip;
  return v.raw;
}
#define VECTOR_FLIP(job, raw) scanrt_vector_flip(job, raw)
#endif
