/* SPDX-License-Identifier: BSD-2-Clause */
/** @file elements.c @brief Fills elements of composites so that scans of them stay finite and keep changing. */
#include "source.h"
#include "data.h"

/** A random generator for the elements of one array. */
typedef struct numbers {
  uint64_t seed;
  uint64_t at;
} numbers;

static uint64_t element_next(numbers *r) { return data_bits(r->seed, r->at++); }
static double unit(numbers *r) { return (double)(element_next(r) >> 11) * 0x1p-53; }
static double sign(numbers *r) { return element_next(r) >> 63 ? 1.0 : -1.0; }

#define FILL(name, ...)                                                                                                \
  static void fill_##name(numbers *r, uint64_t i, scan_##name *x) {                                                    \
    (void)i;                                                                                                           \
    __VA_ARGS__                                                                                                        \
  }

#define AFFINE(number) x->a = (number)(sign(r) * (0.5 + 0.5 * unit(r))), x->b = (number)(2 * unit(r) - 1);
FILL(affine_f32, AFFINE(float))
FILL(affine_f64, AFFINE(double))
FILL(affine_u32, x->a = (uint32_t)element_next(r) | 1, x->b = (uint32_t)element_next(r);)

/** Fills a matrix whose rows have absolute values that sum to 1. */
#define MATRIX(D, number)                                                                                              \
  const double s = sign(r);                                                                                            \
  for (int row = 0; row < (D); row++) {                                                                                \
    double rest = 1;                                                                                                   \
    for (int k = 1; k < (D); k++) {                                                                                    \
      const double part = 0.1 * unit(r);                                                                               \
      x->m[(D)*row + (row + k) % (D)] = (number)(s * part);                                                            \
      rest -= part;                                                                                                    \
    }                                                                                                                  \
    x->m[(D)*row + row] = (number)(s * rest);                                                                          \
  }
FILL(matrix2_f32, MATRIX(2, float))
FILL(matrix2_f64, MATRIX(2, double))
FILL(matrix3_f32, MATRIX(3, float))

/** A rational point near the unit circle. */
#define COMPLEX(number)                                                                                                \
  const double t = 2 * unit(r) - 1;                                                                                    \
  x->re = (number)((1 - t * t) / (1 + t * t)), x->im = (number)(2 * t / (1 + t * t));
FILL(complex_f32, COMPLEX(float))
FILL(complex_f64, COMPLEX(double))

FILL(logsumexp_f32, x->max = (float)(20 * unit(r)), x->sum = 1;)
FILL(logsumexp_f64, x->max = 20 * unit(r), x->sum = 1;)

/** Fills values whose minimum and maximum move slowly apart, with ties. */
#define ARG(number, index_type) x->value = (number)(sign(r) * (double)(i >> 4)), x->index = (index_type)i;
FILL(arg_f32, ARG(float, uint32_t))
FILL(arg_f64, ARG(double, uint64_t))
FILL(arg_i32, ARG(int32_t, uint32_t))
FILL(arg_i64, ARG(int64_t, uint64_t))

FILL(compensated_f32, x->high = (float)(sign(r) * unit(r)), x->low = 0;)
FILL(compensated_f64, x->high = sign(r) * unit(r), x->low = 0;)

/** Fills integers whose sums carry: the low words have their highest bit set half of the time. */
#define WORDS(number) x->low = element_next(r), x->high = (number)(element_next(r) >> 40);
FILL(i128, WORDS(int64_t) if (sign(r) < 0) x->high = ~x->high;)
FILL(u128, WORDS(uint64_t))

#define CASE(ID, name)                                                                                                 \
  case ID:                                                                                                             \
    for (uint64_t i = 0; i < n; i++) fill_##name(&r, i, &((scan_##name *)out)[i]);                                     \
    break;

void source_operator_fill_composite(scan_composite which, uint64_t n, uint64_t seed, void *out) {
  numbers r = { .seed = seed };
  switch (which) {
    CASE(SCAN_AFFINE_F32, affine_f32)
    CASE(SCAN_AFFINE_F64, affine_f64)
    CASE(SCAN_AFFINE_U32, affine_u32)
    CASE(SCAN_MATRIX2_F32, matrix2_f32)
    CASE(SCAN_MATRIX2_F64, matrix2_f64)
    CASE(SCAN_MATRIX3_F32, matrix3_f32)
    CASE(SCAN_COMPLEX_F32, complex_f32)
    CASE(SCAN_COMPLEX_F64, complex_f64)
    CASE(SCAN_LOGSUMEXP_F32, logsumexp_f32)
    CASE(SCAN_LOGSUMEXP_F64, logsumexp_f64)
    CASE(SCAN_ARGMIN_F32, arg_f32)
    CASE(SCAN_ARGMIN_F64, arg_f64)
    CASE(SCAN_ARGMIN_I32, arg_i32)
    CASE(SCAN_ARGMIN_I64, arg_i64)
    CASE(SCAN_ARGMAX_F32, arg_f32)
    CASE(SCAN_ARGMAX_F64, arg_f64)
    CASE(SCAN_ARGMAX_I32, arg_i32)
    CASE(SCAN_ARGMAX_I64, arg_i64)
    CASE(SCAN_COMPENSATED_F32, compensated_f32)
    CASE(SCAN_COMPENSATED_F64, compensated_f64)
    CASE(SCAN_COMPLEX_SUM_F32, complex_f32)
    CASE(SCAN_COMPLEX_SUM_F64, complex_f64)
    CASE(SCAN_SUM_I128, i128)
    CASE(SCAN_SUM_U128, u128)
    CASE(SCAN_MINIMUM_I128, i128)
    CASE(SCAN_MINIMUM_U128, u128)
    CASE(SCAN_MAXIMUM_I128, i128)
    CASE(SCAN_MAXIMUM_U128, u128)
  case SCAN_WIDE_SUM_I64:
  case SCAN_WIDE_SUM_U64:
    for (uint64_t i = 0; i < n; i++) ((uint64_t *)out)[i] = element_next(&r);
    break;
  case SCAN_COMPOSITE_NONE: break;
  }
}
