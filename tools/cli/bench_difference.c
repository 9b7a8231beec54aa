/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_difference.c @brief Differences of neighbours, by a loop: what they must be, and what to compare with.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench_scan.h"
#include "half.h"

/** Each element less the one before it in memory or, backward, the one behind it. */
#define DIFFERENCE(T, NAME, EXPRESSION)                                                                                \
  static void difference_##NAME(scan_type type, int backward, uint64_t n, const T *restrict in, T *restrict out) {     \
    (void)type;                                                                                                        \
    for (uint64_t i = 1; i < n; i++) {                                                                                 \
      const T a = in[backward ? i - 1 : i], b = in[backward ? i : i - 1];                                              \
      out[backward ? i - 1 : i] = (T)(EXPRESSION);                                                                     \
    }                                                                                                                  \
    out[backward ? n - 1 : 0] = in[backward ? n - 1 : 0];                                                              \
  }
DIFFERENCE(uint8_t, u8, a - b)
DIFFERENCE(uint16_t, u16, a - b)
DIFFERENCE(uint32_t, u32, a - b)
DIFFERENCE(uint64_t, u64, a - b)
DIFFERENCE(float, f32, a - b)
DIFFERENCE(double, f64, a - b)
DIFFERENCE(uint16_t, half, half_nearest(type, (double)(float)(half_value(type, a) - half_value(type, b))))

void bench_difference(const scan_spec *spec, uint64_t n, const void *in, void *out) {
  const scan_type type = spec->type;
  const int backward = (spec->flags & SCAN_BACKWARD) != 0;
  if (half_is(type))
    difference_half(type, backward, n, in, out);
  else if (type == SCAN_F32)
    difference_f32(type, backward, n, in, out);
  else if (type == SCAN_F64)
    difference_f64(type, backward, n, in, out);
  else if (scan_type_bytes(type) == 1)
    difference_u8(type, backward, n, in, out);
  else if (scan_type_bytes(type) == 2)
    difference_u16(type, backward, n, in, out);
  else if (scan_type_bytes(type) == 4)
    difference_u32(type, backward, n, in, out);
  else
    difference_u64(type, backward, n, in, out);
}
