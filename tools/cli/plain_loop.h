/* SPDX-License-Identifier: BSD-2-Clause */
/** @file plain_loop.h @brief The loop that a program would write instead: what the host's scans are compared with. */
#ifndef SCANRT_CLI_PLAIN_LOOP_H
#define SCANRT_CLI_PLAIN_LOOP_H

#include <stdint.h>

#include <scanrt/scan.h>
#include <scanrt/scan_composite.h>

#include "bench_segments.h"
#include "source.h"

/** Scans n elements on one thread, left to right. @param seed where it starts, the member of `type`.
 *  @param in, out  n elements of `type`; they must not overlap. */
void plain_loop(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed, const void *in,
                void *out);

/** The same of sums in segments. @return 0 where there is no such loop: of other operators, of types of less than 4
 *  bytes. @param out NULL: only tells that. */
int plain_loop_segmented(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed,
                         const bench_marks *marks, const void *in, void *out);

/** The same of 16-bit floats, by a running value of 32 bits. @return 0 where there is no such loop: of binary16 where
 *  the compiler does not know it. @param out NULL: only tells that. */
int plain_loop_half(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed, const void *in,
                    void *out);

/** The same of sums and products of integers. @return the first element whose step overflows; UINT64_MAX: none does */
uint64_t plain_loop_checked(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed,
                            const void *in, void *out);

/** The same of a composite's elements, from its identity. @return 0 where there is no such loop. @param out NULL: only
 *  tells that. */
int plain_loop_composite(scan_composite which, scan_kind kind, uint64_t n, const void *in, void *out);

/** Scans by an operator from source that maps, in a plain loop. @param heads  not 0 where a segment begins; NULL:
 * nowhere */
void plain_loop_mapped(const source_operator *source, scan_kind kind, const uint8_t *heads, uint64_t n, const void *in,
                       void *out);

/** The differences of n elements, at least one. @see scan_adjacent_difference */
void plain_loop_difference(const scan_spec *spec, uint64_t n, const void *in, void *out);

#endif
