/* SPDX-License-Identifier: BSD-2-Clause */
/** @file reference_private.h @brief What the two files of the reference share. */
#ifndef SCANRT_CLI_REFERENCE_PRIVATE_H
#define SCANRT_CLI_REFERENCE_PRIVATE_H

#include <math.h>
#include <stdint.h>

#include <scanrt/scan.h>

/** Element i of a floating-point array, as f64 (exact). */
double reference_load(scan_type type, const void *p, uint64_t i);

/** Stores a value that is representable in `type`, or in halves the nearest to one of binary32. */
void reference_store(scan_type type, void *p, uint64_t i, double value);

/** a + b for any operator, with the rounding of `type` (halves: of f32); a is the earlier operand. For f32 the
 * operation is done in f64 and rounded once more. The bits are those of the f32 operation: f64 has more than twice the
 * digits plus two (Figueroa, "When is double rounding innocuous?", 1995). */
static inline double reference_combine(scan_type type, scan_op_id op, double a, double b) {
  double result = a;
  switch (op) {
  case SCAN_ADD: result = a + b; break;
  case SCAN_MUL: result = a * b; break;
  case SCAN_MIN: result = b < a || isnan(b) ? b : a; break;
  case SCAN_MAX: result = b > a || isnan(b) ? b : a; break;
  default: break;
  }
  return type == SCAN_F64 ? result : (double)(float)result;
}

/** Floating-point scan in the canonical order. @param heads as reference_segmented. @return 0, or -1 when memory ran
 * out
 */
int reference_canonical(const scan_spec *spec, scan_type input_type, const uint8_t *heads, uint64_t n, const void *in,
                        void *out);

#endif
