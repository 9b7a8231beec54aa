/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file reference.h
 * @brief Expected results of scans, computed plainly and without the library: the oracle of the tests and of `scanrt
 * verify` and `scanrt bench`.
 *
 * Integers use a loop with wrap-around. Floating point follows the canonical order of kernels_cl/README.md step by
 * step, or a plain loop if the spec asks for SCAN_STRATEGY_SEQUENTIAL.
 */
#ifndef SCANRT_ORACLE_REFERENCE_H
#define SCANRT_ORACLE_REFERENCE_H

#include <scanrt/scan.h>

/** X(name, enumerator, C type, smallest value, largest value) for every integer type. */
#define REFERENCE_INTEGERS(X)                                                                                          \
  X(i8, SCAN_I8, int8_t, INT8_MIN, INT8_MAX)                                                                           \
  X(u8, SCAN_U8, uint8_t, 0, UINT8_MAX)                                                                                \
  X(i16, SCAN_I16, int16_t, INT16_MIN, INT16_MAX)                                                                      \
  X(u16, SCAN_U16, uint16_t, 0, UINT16_MAX)                                                                            \
  X(i32, SCAN_I32, int32_t, INT32_MIN, INT32_MAX)                                                                      \
  X(u32, SCAN_U32, uint32_t, 0, UINT32_MAX)                                                                            \
  X(i64, SCAN_I64, int64_t, INT64_MIN, INT64_MAX)                                                                      \
  X(u64, SCAN_U64, uint64_t, 0, UINT64_MAX)

/** X(name, enumerator, C type) for every floating-point type. */
#define REFERENCE_FLOATS(X)                                                                                            \
  X(f32, SCAN_F32, float)                                                                                              \
  X(f64, SCAN_F64, double)

/** Returns the bytes of an element; 0 if `type` is not a type. */
size_t reference_bytes(scan_type type);

/** 1 for SCAN_F32, SCAN_F64, SCAN_F16 and SCAN_BF16. */
int reference_is_float(scan_type type);

/** 1 if `op` is defined on `input_type` (SCAN_TYPE_DEFAULT: `type`) widened to `type`. */
int reference_defined(scan_type type, scan_type input_type, scan_op_id op);

/** Returns the identity: identity + x is x, bit for bit. */
scan_value reference_identity(scan_type type, scan_op_id op);

/** Returns the seed of a scan: `init`, or the identity (+0.0 for an exclusive floating-point sum). */
scan_value reference_seed(const scan_spec *spec);

/** Returns element i of a floating-point array; a double holds it exactly. */
double reference_load(scan_type type, const void *from, uint64_t i);

/** Stores the element nearest to `value`. */
void reference_store(scan_type type, void *to, uint64_t i, double value);

/**
 * Computes a scan.
 * @param spec  uses type, input_type, op, kind, has_init, init, and strategy only to tell SCAN_STRATEGY_SEQUENTIAL
 * @param n     number of elements.
 * @param in    n elements of the input type.
 * @param[out] out  n elements of the type; may be `in` if both types are equal.
 */
void reference_scan(const scan_spec *spec, uint64_t n, const void *in, void *out);

/** Computes a segmented scan. @param heads  n bytes, not 0 where a segment begins; NULL: one segment. @see
 * reference_scan */
void reference_segmented(const scan_spec *spec, const uint8_t *segment_flags, uint64_t n, const void *in, void *out);

/** The carry that a scan begins from and the carry that it leaves: a value of the type, or an f32 for f16 and bf16. */
typedef struct reference_carry {
  const void *before; /**< The value of the segment that element 0 continues unless it is a head; NULL: none. */
  void *left; /**< Set to the value of an inclusive scan with the last of at least one element; may be `before`. */
} reference_carry;

/** reference_segmented with carries. @param carry NULL: none */
void reference_carried(const scan_spec *spec, const uint8_t *segment_flags, const reference_carry *carry, uint64_t n,
                       const void *in, void *out);

/** Computes reference_carried for floating point. */
void reference_scan_float(const scan_spec *spec, const uint8_t *segment_flags, const reference_carry *carry, uint64_t n,
                          const void *in, void *out);

/** Returns the index of the first element that differs, or n. Elements with equal bits are equal, and any two NaNs. */
uint64_t reference_mismatch(scan_type type, uint64_t n, const void *a, const void *b);

/** 1 if the results are determined bit for bit; 0 for floating-point sums and products of a strategy with an order
 * of its own. */
int reference_is_exact(const scan_spec *spec);

/**
 * Computes a floating-point sum or product exactly, and the largest error of an order of operations.
 * @param chain  the most roundings between an element and a result: scan_plan_facts.span.
 * @param[out] out    n elements of the type: the exact result, rounded once.
 * @param[out] slack  n absolute bounds.
 */
void reference_scan_close(const scan_spec *spec, uint64_t n, uint64_t chain, const void *in, void *out, double *slack);

/** Computes the exact total of at least one element. @param[out] slack  the bound. @return the exact result, rounded
 * to double. @see reference_scan_close */
double reference_total_close(const scan_spec *spec, uint64_t n, uint64_t chain, const void *in, double *slack);

/** Allocates like malloc, but ends the program if memory runs out. */
void *reference_alloc(size_t bytes);

#endif
