/* SPDX-License-Identifier: BSD-2-Clause */
/* A sum of complex numbers, part by part. */
typedef struct PAIR NAME(complex_sum) {
  NUMBER re;
  NUMBER im;
} NAME(complex_sum);

static inline NAME(complex_sum) NAME(complex_sum_combine)(NAME(complex_sum) x, NAME(complex_sum) y) {
  NAME(complex_sum) z;
  z.re = x.re + y.re;
  z.im = x.im + y.im;
  return z;
}
