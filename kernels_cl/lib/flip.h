/* SPDX-License-Identifier: BSD-2-Clause */
/* Maxima, and minima of signed integers, by the minimum that a kernel is compiled for: max(x, y) is ~min(~x, ~y),
 * signed integers compare as unsigned ones with flipped sign bits, and the maximum of floating-point numbers is the
 * negated minimum of the negated numbers, for equal numbers and NaNs too. x | y is ~(~x & ~y). So one compiled kernel
 * serves four operators on integers and two on floating-point numbers. Included after vector.h where SCAN_FLIPS is
 * defined. The host passes a flipped seed. Vectors are flipped where they are used: earlier, the flip would wait for
 * each load. Elements past n are then undefined; nothing that follows them is stored. */
#ifndef SCANRT_CL_FLIP_H
#define SCANRT_CL_FLIP_H

#include "lib/vector.h"

FUNC scanrt_raw16 scanrt_vector_flip(const scanrt_job *job, scanrt_raw16 raw) {
  scanrt_output_vector v;
  v.raw = raw;
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) v.word[k] ^= VALUE_BYTES == 8 && k % 2 == 0 ? job->flip_low : job->flip;
  return v.raw;
}
#define VECTOR_FLIP(job, raw) scanrt_vector_flip(job, raw)
#endif
