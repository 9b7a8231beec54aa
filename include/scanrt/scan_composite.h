/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_composite.h
 * @brief Operators on small structs that come with the library: recurrences, matrix and complex products, complex sums,
 * log-sum-exp, first minima and maxima with their places, compensated sums, integers of 128 bits.
 *
 * A composite is an operator from source (scan_op.h) whose text the library holds. Make it once a context, name it in
 * scan_spec.custom_op, scan arrays of its element struct:
 *
 *     scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
 *     const scan_affine_f32 start = { 0.0f, y0 };                  // y[-1]
 *     scan_composite_create(ctx, SCAN_AFFINE_F32, &spec.custom_op);
 *     spec.has_init = 1;
 *     spec.init_bytes = &start;
 *     scan_run(ctx, &spec, n, scan_host(steps), scan_host(y));     // y[i].b = steps[i].a y[i-1].b + steps[i].b
 *     scan_op_destroy(spec.custom_op);
 *
 * All are made of +, -, *, comparisons and integer operations, log-sum-exp too, whose exponential is its own. So the
 * bits of a result are the same on every device and strategy, but SCAN_STRATEGY_SEQUENTIAL; payloads of NaNs apart,
 * and results that are denormal where a device flushes those. Below, u is 2^-24 for f32 and 2^-53 for f64, and
 * (x, y) are two elements, x the earlier one.
 *
 * Exclusive scans without `init` start from the identity, which each comment names. Where it says "exact", combining it
 * with any element gives that element. Else (0 x is no 0 for infinities and NaNs) with any finite element, up to the
 * sign of zeros.
 *
 * Elements of two 4-byte numbers are aligned to 8 bytes (SCAN_PAIR): GPUs move them as one.
 */
#ifndef SCANRT_SCAN_COMPOSITE_H
#define SCANRT_SCAN_COMPOSITE_H

#include <scanrt/scan.h>

#ifdef __cplusplus
extern "C" {
#define SCAN_PAIR alignas(8)
#else
#define SCAN_PAIR _Alignas(8)
#endif

/* ---- elements ------------------------------------------------------------------------------------------------ */

/**
 * A step v -> a v + b. (x, y) is x first, then y: { y.a x.a, y.a x.b + y.b }. Identity: 1, -0.0.
 *
 * An inclusive scan of steps (a[i], b[i]) that starts from { 0, v } has y[i] = a[i] y[i-1] + b[i], y[-1] = v, in `b`
 * (Blelloch, "Prefix Sums and Their Applications", 1990), and 0 in `a`. Without a start it has the composed steps, to
 * be applied to any v. Rounding: a term that entered m steps before is off by at most (m + D) u of itself, where D
 * counts the operators on its way: 40 + n / 2^17 at most. The loop's bound is 2 m u: a recurrence that forgets is about
 * as accurate. Products of `a` may overflow where the recurrence does not: keep |a| below 1, or scale.
 */
typedef struct scan_affine_f32 {
  SCAN_PAIR float a; /**< The factor. */
  float b;           /**< The summand. */
} scan_affine_f32;

/** scan_affine_f32 of f64. */
typedef struct scan_affine_f64 {
  double a; /**< The factor. */
  double b; /**< The summand. */
} scan_affine_f64;

/** scan_affine_f32 in integers modulo 2^32: exact, and not commutative, so that it shows every mistake of order.
 * Identity: 1, 0; exact. */
typedef struct scan_affine_u32 {
  SCAN_PAIR uint32_t a; /**< The factor. */
  uint32_t b;           /**< The summand. */
} scan_affine_u32;

/**
 * A matrix, row by row; (x, y) is the product x y, so that out[i] = in[0] in[1] ... in[i]. Terms are added left to
 * right. Identity: the unit matrix. For products that grow to the left, as of states s[i] = M[i] s[i-1], scan the
 * transposes: the results are transposed. Each element of out[i] is off by at most 2 i u (3 x 3: 3 i u) times the
 * product of the matrices of magnitudes, for i u far below 1. 3 x 3 of f64 would be 72 bytes, more than an element may
 * have.
 */
typedef struct scan_matrix2_f32 {
  float m[4]; /**< Row by row. */
} scan_matrix2_f32;

/** scan_matrix2_f32 of f64. */
typedef struct scan_matrix2_f64 {
  double m[4]; /**< Row by row. */
} scan_matrix2_f64;

/** scan_matrix2_f32 of 3 x 3. */
typedef struct scan_matrix3_f32 {
  float m[9]; /**< Row by row. */
} scan_matrix3_f32;

/**
 * A complex number, laid out as C's `float complex` and std::complex<float>. (x, y) is the product by the plain
 * formulas, re = x.re y.re - x.im y.im and im = x.re y.im + x.im y.re: an infinite factor gives NaNs. Identity: 1, 0.
 * A product of i + 1 factors is off by at most sqrt(5) i u of its magnitude (Brent, Percival and Zimmermann, 2007),
 * barring overflow and underflow.
 */
typedef struct scan_complex_f32 {
  SCAN_PAIR float re; /**< The real part. */
  float im;           /**< The imaginary part. */
} scan_complex_f32;

/** scan_complex_f32 of f64. */
typedef struct scan_complex_f64 {
  double re; /**< The real part. */
  double im; /**< The imaginary part. */
} scan_complex_f64;

/**
 * sum e^max: { v, 1 } for one value v; log(e^v0 + ... + e^vi) is max + log(sum), which neither overflows nor loses
 * small terms' sums (Milakov and Gimelshein, "Online Normalizer Calculation for Softmax", 2018). (x, y) has the larger
 * max; with x.max >= y.max its sum is x.sum + y.sum e^(y.max - x.max), and the other way round. Weights w > 0 are
 * { v, w }. Identity: -infinity, 0; exact.
 *
 * e^t, t <= 0, is made of + - * (reduction by ln 2 in two parts, Taylor's series), within 2.5 u of e^t, and 0 for
 * t < -87 (f64: -708), which sums between 2^-50 and 2^50 do not feel. -infinity is the logarithm of 0 and adds nothing
 * beside other values; after a +infinity max is +infinity; a NaN stays. max is exact; a term of `sum` that entered d
 * below the maximum is off by at most (4.5 D + d) u of itself, D the operators on its way, as above.
 */
typedef struct scan_logsumexp_f32 {
  SCAN_PAIR float max; /**< The greatest value. */
  float sum;           /**< Sum of the weights, each times e^(its value - max). */
} scan_logsumexp_f32;

/** scan_logsumexp_f32 of f64. */
typedef struct scan_logsumexp_f64 {
  double max; /**< The greatest value. */
  double sum; /**< Sum of the weights, each times e^(its value - max). */
} scan_logsumexp_f64;

/**
 * A value and its place: { v[i], i }. SCAN_ARGMIN_*: the least value so far, SCAN_ARGMAX_*: the greatest. Of equal ones
 * (-0.0 and +0.0 too) that with the smaller index; a NaN comes before all numbers, of several that with the smaller
 * index. So the result is the first one, as in numpy's argmin. Exact and associative. Identity, exact: +infinity or the
 * greatest integer (argmax: -infinity or the least), and the greatest index. Indices are the application's, and need
 * not rise.
 */
typedef struct scan_arg_f32 {
  SCAN_PAIR float value; /**< The value. */
  uint32_t index;        /**< Its place. */
} scan_arg_f32;

/** scan_arg_f32 of f64. */
typedef struct scan_arg_f64 {
  double value;   /**< The value. */
  uint64_t index; /**< Its place. */
} scan_arg_f64;

/** scan_arg_f32 of i32. */
typedef struct scan_arg_i32 {
  SCAN_PAIR int32_t value; /**< The value. */
  uint32_t index;          /**< Its place. */
} scan_arg_i32;

/** scan_arg_f32 of i64. */
typedef struct scan_arg_i64 {
  int64_t value;  /**< The value. */
  uint64_t index; /**< Its place. */
} scan_arg_i64;

/**
 * high + low, a sum in twice the digits: { v, 0 } for one value; `high` is the rounded result, `low` the rest. (x, y)
 * is the sum by AccurateDWPlusDW (Joldes, Muller and Popescu, 2017, from Moeller's and Knuth's error-free TwoSum), off
 * by at most 3 u^2 + 13 u^3 of itself, so that out[i] is off by at most about 3 D u^2 (|v0| + ... + |vi|), D as above.
 * Elements must have |low| <= u |high|, as results have. Identity: 0, 0. Finite sums only: infinities and overflow
 * give NaNs. It is associative within that bound, not bit for bit.
 */
typedef struct scan_compensated_f32 {
  SCAN_PAIR float high; /**< The rounded sum. */
  float low;            /**< The rest. */
} scan_compensated_f32;

/** scan_compensated_f32 of f64. */
typedef struct scan_compensated_f64 {
  double high; /**< The rounded sum. */
  double low;  /**< The rest. */
} scan_compensated_f64;

/**
 * A signed integer of 128 bits, high * 2^64 + low, laid out as `__int128` on little-endian machines. SCAN_SUM_I128 adds
 * modulo 2^128, SCAN_MINIMUM_I128 and SCAN_MAXIMUM_I128 compare. Exact and associative. Identity, exact: 0; the
 * greatest value; the least value.
 */
typedef struct scan_i128 {
  uint64_t low; /**< Bits 0 to 63. */
  int64_t high; /**< Bits 64 to 127, with the sign. */
} scan_i128;

/** scan_i128 without a sign, as `unsigned __int128`: SCAN_SUM_U128, SCAN_MINIMUM_U128, SCAN_MAXIMUM_U128. */
typedef struct scan_u128 {
  uint64_t low;  /**< Bits 0 to 63. */
  uint64_t high; /**< Bits 64 to 127. */
} scan_u128;

/* ---- composites ---------------------------------------------------------------------------------------------- */

/** The composites. Names are those of the element, but SCAN_ARGMIN_F32 ... SCAN_ARGMAX_I64, of scan_arg_f32 ..., and
 * those of 128 bits. */
typedef enum scan_composite {
  SCAN_COMPOSITE_NONE = 0, /**< Not a composite. */
  SCAN_AFFINE_F32 = 1,
  SCAN_AFFINE_F64 = 2,
  SCAN_AFFINE_U32 = 3,
  SCAN_MATRIX2_F32 = 4,
  SCAN_MATRIX2_F64 = 5,
  SCAN_MATRIX3_F32 = 6,
  SCAN_COMPLEX_F32 = 7,
  SCAN_COMPLEX_F64 = 8,
  SCAN_LOGSUMEXP_F32 = 9,
  SCAN_LOGSUMEXP_F64 = 10,
  SCAN_ARGMIN_F32 = 11,
  SCAN_ARGMIN_F64 = 12,
  SCAN_ARGMIN_I32 = 13,
  SCAN_ARGMIN_I64 = 14,
  SCAN_ARGMAX_F32 = 15,
  SCAN_ARGMAX_F64 = 16,
  SCAN_ARGMAX_I32 = 17,
  SCAN_ARGMAX_I64 = 18,
  SCAN_COMPENSATED_F32 = 19,
  SCAN_COMPENSATED_F64 = 20,
  SCAN_COMPLEX_SUM_F32 = 21, /**< (x, y) is the sum of two scan_complex_f32. Identity: 0, 0. */
  SCAN_COMPLEX_SUM_F64 = 22,
  SCAN_SUM_I128 = 23,     /**< (x, y) is the sum of two scan_i128. */
  SCAN_SUM_U128 = 24,     /**< (x, y) is the sum of two scan_u128. */
  SCAN_MINIMUM_I128 = 25, /**< (x, y) is the lesser of two scan_i128. */
  SCAN_MINIMUM_U128 = 26, /**< (x, y) is the lesser of two scan_u128. */
  SCAN_MAXIMUM_I128 = 27, /**< (x, y) is the greater of two scan_i128. */
  SCAN_MAXIMUM_U128 = 28, /**< (x, y) is the greater of two scan_u128. */
  SCAN_WIDE_SUM_I64 = 29, /**< Elements are int64_t, results scan_i128: a sum that cannot overflow. Values (init,
                             carries) are scan_i128. Not in place. */
  SCAN_WIDE_SUM_U64 = 30  /**< Elements are uint64_t, results and values scan_u128, as SCAN_WIDE_SUM_I64. */
} scan_composite;

/** Facts of a composite. */
typedef struct scan_composite_facts {
  const char *name;           /**< "affine_f32". */
  size_t value_bytes;         /**< Bytes of a value: an element, but of SCAN_WIDE_SUM_I64 and _U64 a result. */
  size_t value_align;         /**< Its alignment. */
  const void *identity;       /**< A value. */
  scan_op_host *host;         /**< The operator, on the host; its user is NULL. */
  const scan_op_loops *loops; /**< The operator in loops, on the host; NULL: it has none. */
  int needs_fp64;             /**< 1 where the device must have double precision (scan_device_info.has_fp64). */
} scan_composite_facts;

/** Describes a composite; NULL for other numbers. Numbers from 1 on without a gap. */
SCAN_API const scan_composite_facts *scan_composite_get(scan_composite which);

/** "affine_f32" ...; NULL for other numbers. */
SCAN_API const char *scan_composite_name(scan_composite which);

/** The composite of that name; SCAN_COMPOSITE_NONE with SCAN_INVALID_ARGUMENT if none. */
SCAN_API scan_status scan_composite_parse(const char *name, scan_composite *which);

/**
 * Makes an operator of a composite, as scan_op_create does.
 * @param[out] op  for scan_spec.custom_op of the same context; destroy with scan_op_destroy.
 * @return SCAN_INVALID_ARGUMENT for a number that is no composite. SCAN_UNSUPPORTED for doubles on a device without
 *         double precision. Nothing is compiled yet: on CUDA a scan of what was not compiled in advance needs NVRTC.
 */
SCAN_API scan_status scan_composite_create(scan_ctx *ctx, scan_composite which, scan_op **op);

#ifdef __cplusplus
}
#endif

#endif
