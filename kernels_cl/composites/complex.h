/* SPDX-License-Identifier: BSD-2-Clause */
/* A product by the plain formula, without the treatment of infinities of C's annex G. */
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
