/* SPDX-License-Identifier: BSD-2-Clause */
#include "composites.h"

#include <math.h>
#include <string.h>

/* Unit roundoff u of f32 and f64; MORE covers the terms of second order that the bounds leave out. */
#define U_f32 0x1p-24L
#define U_f64 0x1p-53L
#define MORE 1.01L

__extension__ typedef __int128 exact_sum;
__extension__ typedef unsigned __int128 exact_bits;

static double unit(struct rng *rng) { return (double)(rng_next(rng) >> 11) * 0x1p-53; } /* in [0, 1) */
static double signed_unit(struct rng *rng) { return 2.0 * unit(rng) - 1.0; }            /* in [-1, 1) */

/* 1 if |a - b| <= bound; 0 if any of them is NaN. */
static int within(long double a, long double b, long double bound) { return fabsl(a - b) <= bound; }

/* ---- affine: the recurrence's loop ---- */

/* Some factors exceed 1, most are smaller. A result is the sum over j of b[j] a[j+1] ... a[i]. In any order a term is
 * rounded once for each factor `a` and twice for each addition on its path; the multiplication of that addition counts
 * as a factor, which gives i - j + depth roundings. `sum` is the sum of the terms' magnitudes, `aged` that of (i - j)
 * times the magnitudes. */
#define AFFINE(R, number)                                                                                              \
  static void fill_affine_##R(struct rng *rng, uint64_t n, void *out) {                                                \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const double a = signed_unit(rng) * (rng_below(rng, 10) == 0 ? 1.5 : 1.0);                                       \
      ((scan_affine_##R *)out)[i] = (scan_affine_##R){ (number)a, (number)signed_unit(rng) };                          \
    }                                                                                                                  \
  }                                                                                                                    \
  static uint64_t check_affine_##R(uint64_t n, const void *in, const void *out, double depth) {                        \
    const scan_affine_##R *x = in, *y = out;                                                                           \
    long double a = 1, b = 0, sum = 0, aged = 0;                                                                       \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const long double step = fabsl((long double)x[i].a);                                                             \
      a *= (long double)x[i].a;                                                                                        \
      b = b * (long double)x[i].a + (long double)x[i].b;                                                               \
      aged = step * (aged + sum);                                                                                      \
      sum = step * sum + fabsl((long double)x[i].b);                                                                   \
      const long double tiny = U_##R * 0x1p-60L;                                                                       \
      if (!within((long double)y[i].a, a, MORE * U_##R * (long double)i * fabsl(a) + tiny)) return i;                  \
      if (!within((long double)y[i].b, b, MORE * U_##R * (aged + (long double)depth * sum) + tiny)) return i;          \
    }                                                                                                                  \
    return n;                                                                                                          \
  }                                                                                                                    \
  static int close_affine_##R(const void *three, const void *left, const void *right) {                                \
    const scan_affine_##R *x = three, *p = left, *q = right;                                                           \
    const long double a = fabsl((long double)x[0].a * (long double)x[1].a * (long double)x[2].a);                      \
    const long double b = fabsl((long double)x[0].b * (long double)x[1].a * (long double)x[2].a) +                     \
                          fabsl((long double)x[1].b * (long double)x[2].a) + fabsl((long double)x[2].b);               \
    return within((long double)p->a, (long double)q->a, MORE * 4 * U_##R * a) &&                                       \
           within((long double)p->b, (long double)q->b, MORE * 8 * U_##R * b);                                         \
  }
AFFINE(f32, float)
AFFINE(f64, double)

/* The factors are odd, so that products never become 0. */
static void fill_affine_u32(struct rng *rng, uint64_t n, void *out) {
  for (uint64_t i = 0; i < n; i++)
    ((scan_affine_u32 *)out)[i] = (scan_affine_u32){ (uint32_t)rng_next(rng) | 1, (uint32_t)rng_next(rng) };
}

/* Checks that the composed step (a, b) maps 0 and another number to what the steps give one by one. */
static uint64_t check_affine_u32(uint64_t n, const void *in, const void *out, double depth) {
  const scan_affine_u32 *x = in, *y = out;
  uint32_t v = 0x9e3779b9u, zero = 0;
  (void)depth;
  for (uint64_t i = 0; i < n; i++) {
    v = x[i].a * v + x[i].b;
    zero = x[i].a * zero + x[i].b;
    if (y[i].b != zero || y[i].a * 0x9e3779b9u + y[i].b != v) return i;
  }
  return n;
}

/* ---- matrices: products of long doubles ---- */

/* The magnitudes of a row add up to 1, so a product's rows add up to at most 1. All elements of a matrix have one sign,
 * so no product cancels. The componentwise error of i products of D x D matrices is at most D i u times the result, in
 * any order (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, 3.5). */
#define MATRIX(D, R, number)                                                                                           \
  static void fill_matrix##D##_##R(struct rng *rng, uint64_t n, void *out) {                                           \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const double sign = rng_below(rng, 2) ? 1.0 : -1.0;                                                              \
      for (int r = 0; r < D; r++) {                                                                                    \
        double part[D], all = 0;                                                                                       \
        for (int c = 0; c < D; c++) all += part[c] = unit(rng) + (r == c ? 4 : 0);                                     \
        for (int c = 0; c < D; c++) ((scan_matrix##D##_##R *)out)[i].m[D * r + c] = (number)(sign * part[c] / all);    \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static void times_matrix##D##_##R(long double *p, const number *m) {                                                 \
    long double product[D * D] = { 0 };                                                                                \
    for (int r = 0; r < D; r++)                                                                                        \
      for (int c = 0; c < D; c++)                                                                                      \
        for (int k = 0; k < D; k++) product[D * r + c] += p[D * r + k] * (long double)m[D * k + c];                    \
    memcpy(p, product, sizeof product);                                                                                \
  }                                                                                                                    \
  static uint64_t check_matrix##D##_##R(uint64_t n, const void *in, const void *out, double depth) {                   \
    const scan_matrix##D##_##R *x = in, *y = out;                                                                      \
    long double p[D * D] = { 0 };                                                                                      \
    (void)depth;                                                                                                       \
    for (int r = 0; r < D; r++) p[D * r + r] = 1;                                                                      \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      times_matrix##D##_##R(p, x[i].m);                                                                                \
      for (int k = 0; k < D * D; k++)                                                                                  \
        if (!within((long double)y[i].m[k], p[k], MORE * D * U_##R * (long double)i * fabsl(p[k]))) return i;          \
    }                                                                                                                  \
    return n;                                                                                                          \
  }                                                                                                                    \
  static int close_matrix##D##_##R(const void *three, const void *left, const void *right) {                           \
    const scan_matrix##D##_##R *p = left, *q = right;                                                                  \
    (void)three;                                                                                                       \
    for (int k = 0; k < D * D; k++)                                                                                    \
      if (!within((long double)p->m[k], (long double)q->m[k], MORE * 4 * D * U_##R * fabsl((long double)p->m[k])))     \
        return 0;                                                                                                      \
    return 1;                                                                                                          \
  }
MATRIX(2, f32, float)
MATRIX(2, f64, double)
MATRIX(3, f32, float)

/* ---- complex: the product of long doubles ---- */

#define SQRT_5 2.2360679774997896964L
#define COMPLEX(R, number)                                                                                             \
  static void fill_complex_##R(struct rng *rng, uint64_t n, void *out) {                                               \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const double angle = 6.283185307179586 * unit(rng), size = i % 2 ? 1.25 : 0.8;                                   \
      ((scan_complex_##R *)out)[i] = (scan_complex_##R){ (number)(size * cos(angle)), (number)(size * sin(angle)) };   \
    }                                                                                                                  \
  }                                                                                                                    \
  static uint64_t check_complex_##R(uint64_t n, const void *in, const void *out, double depth) {                       \
    const scan_complex_##R *x = in, *y = out;                                                                          \
    long double re = 1, im = 0;                                                                                        \
    (void)depth;                                                                                                       \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const long double a = (long double)x[i].re, b = (long double)x[i].im, was = re;                                  \
      re = re * a - im * b;                                                                                            \
      im = was * b + im * a;                                                                                           \
      const long double off = hypotl((long double)y[i].re - re, (long double)y[i].im - im);                            \
      if (!(off <= MORE * SQRT_5 * U_##R * (long double)i * hypotl(re, im))) return i;                                 \
    }                                                                                                                  \
    return n;                                                                                                          \
  }                                                                                                                    \
  static int close_complex_##R(const void *three, const void *left, const void *right) {                               \
    const scan_complex_##R *p = left, *q = right;                                                                      \
    (void)three;                                                                                                       \
    return hypotl((long double)p->re - (long double)q->re, (long double)p->im - (long double)q->im) <=                 \
           MORE * 4 * SQRT_5 * U_##R * hypotl((long double)p->re, (long double)p->im);                                 \
  }
COMPLEX(f32, float)
COMPLEX(f64, double)

/* ---- sums of complex numbers: a sum of long doubles ---- */

#define COMPLEX_SUM(R)                                                                                                 \
  static uint64_t check_complex_sum_##R(uint64_t n, const void *in, const void *out, double depth) {                   \
    const scan_complex_##R *x = in, *y = out;                                                                          \
    long double re = 0, im = 0, all = 0;                                                                               \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      re += (long double)x[i].re;                                                                                      \
      im += (long double)x[i].im;                                                                                      \
      all += hypotl((long double)x[i].re, (long double)x[i].im);                                                       \
      const long double off = hypotl((long double)y[i].re - re, (long double)y[i].im - im);                            \
      if (!(off <= MORE * (long double)depth * U_##R * all)) return i;                                                 \
    }                                                                                                                  \
    return n;                                                                                                          \
  }                                                                                                                    \
  static int close_complex_sum_##R(const void *three, const void *left, const void *right) {                           \
    const scan_complex_##R *x = three, *p = left, *q = right;                                                          \
    long double all = 0;                                                                                               \
    for (int i = 0; i < 3; i++) all += hypotl((long double)x[i].re, (long double)x[i].im);                             \
    return hypotl((long double)p->re - (long double)q->re, (long double)p->im - (long double)q->im) <=                 \
           MORE * 4 * U_##R * all;                                                                                     \
  }
COMPLEX_SUM(f32)
COMPLEX_SUM(f64)

/* ---- log-sum-exp: sums of long doubles ---- */

/* The values rise slowly, with peaks and dips; some are logarithms of 0, the first two among them. A term that entered
 * d below the maximum passes `depth` operators. Each rounds its product and its sum, and its exponential has an error
 * of 2.5 u. The differences of maxima, each rounded, add up to d. `sum` is the sum of the terms relative to `max`,
 * `down` the sum of d times the term. */
#define LOGSUMEXP(R, number)                                                                                           \
  static void fill_logsumexp_##R(struct rng *rng, uint64_t n, void *out) {                                             \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const double hill = rng_below(rng, 50) == 0 ? 12.0 : rng_below(rng, 50) == 0 ? -120.0 : 0.0;                     \
      const number v = (number)(200.0 * signed_unit(rng) * unit(rng) * unit(rng) + hill + 1e-4 * (double)i);           \
      ((scan_logsumexp_##R *)out)[i] = (scan_logsumexp_##R){ i % 97 < 2 && n > 3 ? (number)-INFINITY : v, 1 };         \
    }                                                                                                                  \
  }                                                                                                                    \
  static uint64_t check_logsumexp_##R(uint64_t n, const void *in, const void *out, double depth) {                     \
    const scan_logsumexp_##R *x = in, *y = out;                                                                        \
    long double max = -INFINITY, sum = 0, down = 0;                                                                    \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const long double v = (long double)x[i].max, was = max;                                                          \
      max = v > max ? v : max;                                                                                         \
      if (max > was && was != -INFINITY) {                                                                             \
        down = (down + (max - was) * sum) * expl(was - max);                                                           \
        sum *= expl(was - max);                                                                                        \
      } else if (max > was) {                                                                                          \
        sum = down = 0; /* all earlier values are logarithms of 0 */                                                   \
      }                                                                                                                \
      const long double part = v == max ? 1 : v == -INFINITY ? 0 : expl(v - max);                                      \
      sum += part * (long double)x[i].sum;                                                                             \
      if (part > 0) down += part * (max == v ? 0 : max - v);                                                           \
      const long double cut = (long double)(i + 1) * expl(U_##R > 0x1p-30L ? -87 : -708);                              \
      if ((long double)y[i].max != max) return i;                                                                      \
      if (!within((long double)y[i].sum, sum, MORE * U_##R * (4.5L * (long double)depth * sum + down) + cut))          \
        return i;                                                                                                      \
    }                                                                                                                  \
    return n;                                                                                                          \
  }                                                                                                                    \
  static int close_logsumexp_##R(const void *three, const void *left, const void *right) {                             \
    const scan_logsumexp_##R *p = left, *q = right;                                                                    \
    (void)three; /* two operators and three terms; d e^-d < 0.37 for each */                                           \
    return p->max == q->max &&                                                                                         \
           within((long double)p->sum, (long double)q->sum, MORE * 2 * (9 + 1.2L) * U_##R * (long double)p->sum);      \
  }
LOGSUMEXP(f32, float)
LOGSUMEXP(f64, double)

/* ---- first minimum and maximum: by their definition ---- */

/* Many ties and both zeros; the floating-point types have a few NaNs in the second half. Some indices decrease. */
#define ARG_ELEMENT(VALUE, R, INDEX)                                                                                   \
  static void fill_arg_##R(struct rng *rng, uint64_t n, void *out) {                                                   \
    for (uint64_t i = 0; i < n; i++) ((scan_arg_##R *)out)[i] = (scan_arg_##R){ VALUE, (INDEX)(i % 3 ? i : i ^ 1) };   \
  }
#define FEW (((int)(i * 90 / n) / 10 + 1) * ((int)rng_below(rng, 11) - 5))
ARG_ELEMENT((i % 5 == 0 ? -0.0f : i > n / 2 && i % 211 == 0 ? NAN : (float)FEW), f32, uint32_t)
ARG_ELEMENT((i % 5 == 0 ? -0.0 : i > n / 2 && i % 211 == 0 ? (double)NAN : (double)FEW), f64, uint64_t)
ARG_ELEMENT(FEW, i32, uint32_t)
ARG_ELEMENT((int64_t)FEW *INT64_C(0x100000001), i64, uint64_t)

#define IS_NAN_f32(v) ((v) != (v))
#define IS_NAN_f64(v) ((v) != (v))
#define IS_NAN_i32(v) 0
#define IS_NAN_i64(v) 0
/* Walks the elements and keeps the best index: a NaN beats every number; among equals and among NaNs the smaller index
 * wins. */
#define ARG(name, BETTER, R)                                                                                           \
  static uint64_t check_##name##_##R(uint64_t n, const void *in, const void *out, double depth) {                      \
    const scan_arg_##R *x = in, *y = out;                                                                              \
    uint64_t best = 0;                                                                                                 \
    (void)depth;                                                                                                       \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const int new_nan = IS_NAN_##R(x[i].value), old_nan = IS_NAN_##R(x[best].value);                                 \
      const int takes = new_nan || old_nan            ? new_nan && (!old_nan || x[i].index < x[best].index)            \
                        : x[i].value == x[best].value ? x[i].index < x[best].index                                     \
                                                      : x[i].value BETTER x[best].value;                               \
      if (takes) best = i;                                                                                             \
      if (memcmp(&y[i], &x[best], sizeof y[i]) != 0) return i;                                                         \
    }                                                                                                                  \
    return n;                                                                                                          \
  }
ARG(argmin, <, f32)
ARG(argmin, <, f64)
ARG(argmin, <, i32)
ARG(argmin, <, i64)
ARG(argmax, >, f32)
ARG(argmax, >, f64)
ARG(argmax, >, i32)
ARG(argmax, >, i64)

/* ---- integers of 128 bits: the compiler's own ---- */

/* Half of the words are near 0 or near 2^64, so that carries run through all bits. */
#define WORDS(R)                                                                                                       \
  static void fill_##R(struct rng *rng, uint64_t n, void *out) {                                                       \
    scan_##R *x = out;                                                                                                 \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const uint64_t near = rng_below(rng, 3) - 1, far = rng_next(rng);                                                \
      memcpy(&x[i].high, rng_below(rng, 2) ? &near : &far, sizeof near);                                               \
      x[i].low = rng_below(rng, 2) ? rng_below(rng, 3) - 1 : rng_next(rng);                                            \
    }                                                                                                                  \
  }
WORDS(i128)
WORDS(u128)

/* Walks the elements: `step` makes the result `all` of itself and the element x. */
#define INTEGER(name, R, number, step)                                                                                 \
  static uint64_t check_##name(uint64_t n, const void *in, const void *out, double depth) {                            \
    number all, x;                                                                                                     \
    (void)depth;                                                                                                       \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      memcpy(&x, (const scan_##R *)in + i, sizeof x);                                                                  \
      if (i == 0)                                                                                                      \
        all = x;                                                                                                       \
      else                                                                                                             \
        all = (number)(step);                                                                                          \
      if (memcmp((const scan_##R *)out + i, &all, sizeof all) != 0) return i;                                          \
    }                                                                                                                  \
    return n;                                                                                                          \
  }
INTEGER(sum_i128, i128, exact_sum, (exact_bits)all + (exact_bits)x)
INTEGER(sum_u128, u128, exact_bits, all + x)
INTEGER(minimum_i128, i128, exact_sum, x < all ? x : all)
INTEGER(minimum_u128, u128, exact_bits, x < all ? x : all)
INTEGER(maximum_i128, i128, exact_sum, x > all ? x : all)
INTEGER(maximum_u128, u128, exact_bits, x > all ? x : all)

/* ---- compensated sums: exactly, in integers ---- */

/* Integers with all digits of the type, of both signs, shifted by 0, 28 or 56 bits. Every fourth element cancels the
 * second one before it, so that plain sums lose nearly all digits. Rounded sums of integers are integers, so exact_sum
 * holds them. */
#define COMPENSATED(R, number, digits)                                                                                 \
  static void fill_compensated_##R(struct rng *rng, uint64_t n, void *out) {                                           \
    scan_compensated_##R *x = out;                                                                                     \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const int64_t whole = (int64_t)(rng_next(rng) >> (64 - (digits))) * (rng_below(rng, 2) ? 1 : -1);                \
      x[i] = (scan_compensated_##R){ (number)ldexp((double)whole, 28 * (int)rng_below(rng, 3)), 0 };                   \
      if (i % 4 == 3) x[i].high = -x[i - 2].high;                                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  static uint64_t check_compensated_##R(uint64_t n, const void *in, const void *out, double depth) {                   \
    const scan_compensated_##R *x = in, *y = out;                                                                      \
    exact_sum sum = 0;                                                                                                 \
    long double magnitudes = 0;                                                                                        \
    number plain = 0;                                                                                                  \
    int loses = 0;                                                                                                     \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      sum += (exact_sum)x[i].high;                                                                                     \
      plain += x[i].high;                                                                                              \
      magnitudes += fabsl((long double)x[i].high);                                                                     \
      const long double bound = MORE * 3 * (long double)depth * U_##R * U_##R * magnitudes;                            \
      const long double off = (long double)((exact_sum)y[i].high + (exact_sum)y[i].low - sum);                         \
      if (!(fabsl(off) <= bound) || !(fabsl((long double)y[i].low) <= U_##R * fabsl((long double)y[i].high)))          \
        return i;                                                                                                      \
      loses |= fabsl((long double)((exact_sum)plain - sum)) > bound;                                                   \
    }                                                                                                                  \
    return n < 1000 || loses ? n : n - 1; /* fails if a plain sum would pass too */                                    \
  }                                                                                                                    \
  static int close_compensated_##R(const void *three, const void *left, const void *right) {                           \
    const scan_compensated_##R *x = three, *p = left, *q = right;                                                      \
    long double magnitudes = 0;                                                                                        \
    for (int i = 0; i < 3; i++) magnitudes += fabsl((long double)x[i].high);                                           \
    const exact_sum apart = (exact_sum)p->high + (exact_sum)p->low - (exact_sum)q->high - (exact_sum)q->low;           \
    return fabsl((long double)apart) <= MORE * 2 * 2 * 3 * U_##R * U_##R * magnitudes;                                 \
  }
COMPENSATED(f32, float, 24)
COMPENSATED(f64, double, 53)

/* ---- the list ---- */

#define EXACT(ID, fill, check)                                                                                         \
  { (ID), 1, fill_##fill, check_##check, NULL }
#define ROUNDS(ID, name)                                                                                               \
  { (ID), 0, fill_##name, check_##name, close_##name }

const struct composite_case composite_cases[COMPOSITE_CASES] = {
  ROUNDS(SCAN_AFFINE_F32, affine_f32),
  ROUNDS(SCAN_AFFINE_F64, affine_f64),
  EXACT(SCAN_AFFINE_U32, affine_u32, affine_u32),
  ROUNDS(SCAN_MATRIX2_F32, matrix2_f32),
  ROUNDS(SCAN_MATRIX2_F64, matrix2_f64),
  ROUNDS(SCAN_MATRIX3_F32, matrix3_f32),
  ROUNDS(SCAN_COMPLEX_F32, complex_f32),
  ROUNDS(SCAN_COMPLEX_F64, complex_f64),
  ROUNDS(SCAN_LOGSUMEXP_F32, logsumexp_f32),
  ROUNDS(SCAN_LOGSUMEXP_F64, logsumexp_f64),
  EXACT(SCAN_ARGMIN_F32, arg_f32, argmin_f32),
  EXACT(SCAN_ARGMIN_F64, arg_f64, argmin_f64),
  EXACT(SCAN_ARGMIN_I32, arg_i32, argmin_i32),
  EXACT(SCAN_ARGMIN_I64, arg_i64, argmin_i64),
  EXACT(SCAN_ARGMAX_F32, arg_f32, argmax_f32),
  EXACT(SCAN_ARGMAX_F64, arg_f64, argmax_f64),
  EXACT(SCAN_ARGMAX_I32, arg_i32, argmax_i32),
  EXACT(SCAN_ARGMAX_I64, arg_i64, argmax_i64),
  ROUNDS(SCAN_COMPENSATED_F32, compensated_f32),
  ROUNDS(SCAN_COMPENSATED_F64, compensated_f64),
  { SCAN_COMPLEX_SUM_F32, 0, fill_complex_f32, check_complex_sum_f32, close_complex_sum_f32 },
  { SCAN_COMPLEX_SUM_F64, 0, fill_complex_f64, check_complex_sum_f64, close_complex_sum_f64 },
  EXACT(SCAN_SUM_I128, i128, sum_i128),
  EXACT(SCAN_SUM_U128, u128, sum_u128),
  EXACT(SCAN_MINIMUM_I128, i128, minimum_i128),
  EXACT(SCAN_MINIMUM_U128, u128, minimum_u128),
  EXACT(SCAN_MAXIMUM_I128, i128, maximum_i128),
  EXACT(SCAN_MAXIMUM_U128, u128, maximum_u128),
  EXACT(SCAN_WIDE_SUM_I64, i128, sum_i128),
  EXACT(SCAN_WIDE_SUM_U64, u128, sum_u128),
};
