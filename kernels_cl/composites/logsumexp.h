/* SPDX-License-Identifier: BSD-2-Clause */
/* The value sum * e^max, the running form of Milakov and Gimelshein, "Online Normalizer Calculation for Softmax",
 * 2018. */
typedef struct PAIR NAME(logsumexp) {
  NUMBER max;
  NUMBER sum;
} NAME(logsumexp);

#if DIGITS == 24
#define LEAST LITERAL(-87.0)          /* e^LEAST is a normal number */
#define LN2_HIGH LITERAL(0x1.62e4p-1) /* 17 bits: the product with 126 is exact */
#define LN2_LOW LITERAL(0x1.7f7d1cp-20)
#define LOG2_E LITERAL(0x1.715476p+0)
#else
#define LEAST LITERAL(-708.0)
#define LN2_HIGH LITERAL(0x1.62e42fefa38p-1) /* 42 bits */
#define LN2_LOW LITERAL(0x1.ef35793c7673p-45)
#define LOG2_E LITERAL(0x1.71547652b82fep+0)
#endif

/* Returns (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, by a Taylor series whose truncation error is below an eighth of u of
 * e^r. */
static inline NUMBER NAME(exp_series)(NUMBER r) {
#if DIGITS == 24
  NUMBER q = LITERAL(0x1.a01a02p-13);
  q = q * r + LITERAL(0x1.6c16c2p-10);
  q = q * r + LITERAL(0x1.111112p-7);
  q = q * r + LITERAL(0x1.555556p-5);
  q = q * r + LITERAL(0x1.555556p-3);
#else
  NUMBER q = LITERAL(0x1.6124613a86d09p-33);
  q = q * r + LITERAL(0x1.1eed8eff8d898p-29);
  q = q * r + LITERAL(0x1.ae64567f544e4p-26);
  q = q * r + LITERAL(0x1.27e4fb7789f5cp-22);
  q = q * r + LITERAL(0x1.71de3a556c734p-19);
  q = q * r + LITERAL(0x1.a01a01a01a01ap-16);
  q = q * r + LITERAL(0x1.a01a01a01a01ap-13);
  q = q * r + LITERAL(0x1.6c16c16c16c17p-10);
  q = q * r + LITERAL(0x1.1111111111111p-7);
  q = q * r + LITERAL(0x1.5555555555555p-5);
  q = q * r + LITERAL(0x1.5555555555555p-3);
#endif
  return q * r + LITERAL(0.5);
}

#ifndef COMBINES_LANES /* the host computes the rest in SIMD registers (composite_simd_exp.inc) */
/* Returns p 2^-halvings, exactly. */
static inline NUMBER NAME(exp_scaled)(NUMBER p, int halvings) {
  if (halvings & 1) p *= LITERAL(0x1p-1);
  if (halvings & 2) p *= LITERAL(0x1p-2);
  if (halvings & 4) p *= LITERAL(0x1p-4);
  if (halvings & 8) p *= LITERAL(0x1p-8);
  if (halvings & 16) p *= LITERAL(0x1p-16);
  if (halvings & 32) p *= LITERAL(0x1p-32);
  if (halvings & 64) p *= LITERAL(0x1p-64);
#if DIGITS == 53
  if (halvings & 128) p *= LITERAL(0x1p-128);
  if (halvings & 256) p *= LITERAL(0x1p-256);
  if (halvings & 512) p *= LITERAL(0x1p-512);
#endif
  return p;
}

/* Returns e^x for x <= 0, by +, - and * alone, so that every device computes the same bits. Returns 0 below LEAST and
 * for a NaN. */
static inline NUMBER NAME(exp_falling)(NUMBER x) {
  if (!(x >= LEAST)) return LITERAL(0.0);
  const int halvings = (int)(LITERAL(0.5) - x * LOG2_E);
  const NUMBER k = (NUMBER)halvings;
  const NUMBER r = (x + k * LN2_HIGH) + k * LN2_LOW;
  return NAME(exp_scaled)(LITERAL(1.0) + (r + r * r * NAME(exp_series)(r)), halvings);
}

static inline NAME(logsumexp) NAME(logsumexp_combine)(NAME(logsumexp) a, NAME(logsumexp) b) {
  NAME(logsumexp) high = a;
  NAME(logsumexp) low = b;
  if (b.max > a.max || IS_NAN(b.max)) {
    high = b;
    low = a;
  }
  /* The difference of equal infinities would be a NaN. */
  const NUMBER e = low.max == high.max ? LITERAL(1.0) : NAME(exp_falling)(low.max - high.max);
  high.sum = high.sum + low.sum * e;
  return high;
}

#undef LEAST
#undef LN2_HIGH
#undef LN2_LOW
#undef LOG2_E
#endif
