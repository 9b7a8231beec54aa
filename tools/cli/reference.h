/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file reference.h
 * @brief The plain reference that `verify` and `bench` compare with: written for clearness, independent of the library.
 *
 * Integers: the plain loop. Floating point: the canonical order of kernels_cl/README.md, or, for the strategy
 * `sequential`, the plain loop.
 */
#ifndef SCANRT_CLI_REFERENCE_H
#define SCANRT_CLI_REFERENCE_H

#include <stdint.h>

#include <scanrt/scan.h>

/** The value that changes nothing: identity + x is x, bit for bit. Also the value of the elements past the end. */
scan_value reference_identity(scan_type type, scan_op_id op);

/** Where a scan starts: `init`, or the identity (+0.0 for an exclusive floating-point sum). */
scan_value reference_seed(const scan_spec *spec);

/**
 * Scans n elements as scan_run should.
 * @param sequential  1: the plain loop for floating point too.
 * @param in    n elements of the spec's input type.  @param out  n elements of the spec's type; may be `in`.
 * @return 0, or -1 when memory ran out
 */
int reference_scan(const scan_spec *spec, int sequential, uint64_t n, const void *in, void *out);

/** The same in segments. @param heads  a byte an element, not 0 where a segment begins, at the first element, too;
 * NULL: one scan over all elements. */
int reference_segmented(const scan_spec *spec, int sequential, const uint8_t *heads, uint64_t n, const void *in,
                        void *out);

/** Index of the first element that differs, or n. Same bits are equal, and any two NaNs. */
uint64_t reference_mismatch(scan_type type, uint64_t n, const void *a, const void *b);

/** 1 for f32, f64 and the halves. */
int reference_is_float(scan_type type);

#endif
