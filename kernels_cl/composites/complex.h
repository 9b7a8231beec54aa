/* SPDX-License-Identifier: BSD-2-Clause */
/* The plain formula: infinities are not mended as C's annex G does. */
typedef struct PAIR NAME(complex) {
  NUMBER re;
  NUMBER im;
} NAME(complex);

static inline NAME(complex) NAME(complex_combine)(NAME(complex) x, NAME(complex) y) {
  NAME(complex) z;
  z.re = x.re * y.re - x.im * y.im;
  z.im = x.re * y.im + x.im * y.re;
  return z;
}
