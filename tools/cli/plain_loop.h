/* SPDX-License-Identifier: BSD-2-Clause */
/** @file plain_loop.h @brief Plain loops that a program would write instead, with which the host's scans are
 * compared. */
#ifndef SCANRT_CLI_PLAIN_LOOP_H
#define SCANRT_CLI_PLAIN_LOOP_H

#include <stdint.h>

#include <scanrt/scan.h>
#include <scanrt/scan_composite.h>

#include "bench_segments.h"
#include "source.h"

/** Scans n elements on one thread, left to right. @param seed  initial value, in the member of `type`
 * @param in, out  n elements of `type`; they must not overlap */
void plain_loop(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed, const void *in,
                void *out);

/** Sums segments left to right. @return 0 if there is no such loop: for other operators, and types below 4 bytes
 * @param out  NULL: only checks if there is a loop */
int plain_loop_segmented(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed,
                         const bench_marks *marks, const void *in, void *out);

/** Scans 16-bit floats with a running value of 32 bits. @return 0 if there is no such loop: for binary16 if the
 * compiler does not support it
 * @param out  NULL: only checks if there is a loop */
int plain_loop_half(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed, const void *in,
                    void *out);

/** Sums or multiplies integers with overflow checks. @return the first element whose step overflows; UINT64_MAX:
 * none */
uint64_t plain_loop_checked(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed,
                            const void *in, void *out);

/** Scans the elements of a composite from its identity. @return 0 if there is no such loop
 * @param out  NULL: only checks if there is a loop */
int plain_loop_composite(scan_composite which, scan_kind kind, uint64_t n, const void *in, void *out);

/** Scans with an operator from source that maps. @param heads  not 0 where a segment begins; NULL: no segments */
void plain_loop_mapped(const source_operator *source, scan_kind kind, const uint8_t *segment_flags, uint64_t n,
                       const void *in, void *out);

/** Computes the differences of n elements, n at least 1. @see scan_adjacent_difference */
void plain_loop_difference(const scan_spec *spec, uint64_t n, const void *in, void *out);

#endif
