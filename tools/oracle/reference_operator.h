/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file reference_operator.h
 * @brief What a scan with an operator from source must give: the canonical order of kernels_cl/README.md, step by step,
 * through a C function, or the plain loop.
 */
#ifndef SCANRT_ORACLE_REFERENCE_OPERATOR_H
#define SCANRT_ORACLE_REFERENCE_OPERATOR_H

#include <scanrt/scan.h>

/** An element type and its operator. */
struct reference_operator {
  size_t bytes;
  scan_op_host *combine;
  size_t order_bytes; /**< What the geometry goes by; 0: `bytes`. */
  void *user;         /**< Handed to combine. */
};

/**
 * Computes a scan.
 * @param sequential  1: left to right; 0: the canonical order.
 * @param seed        `bytes` bytes that come before the first element; NULL: nothing does.
 * @param n           number of elements.
 * @param in          n elements.
 * @param[out] out    n elements; must not overlap `in`. Exclusive without a seed: out[0] is left as it is.
 */
void reference_operator_scan(const struct reference_operator *op, int sequential, scan_kind kind, const void *seed,
                             uint64_t n, const void *in, void *out);

/** The same in segments. @param heads n bytes, not 0 where a segment begins; each begins with the seed. NULL: one scan
 * over all elements. */
void reference_operator_segmented(const struct reference_operator *op, int sequential, scan_kind kind, const void *seed,
                                  const uint8_t *heads, uint64_t n, const void *in, void *out);

/** reference_operator_segmented from a carry.
 * @param before  the value of the segment that element 0 continues, unless it is a head; NULL: the seed */
void reference_operator_carried(const struct reference_operator *op, int sequential, scan_kind kind, const void *seed,
                                const void *before, const uint8_t *heads, uint64_t n, const void *in, void *out);

/** Elements whose place is i lie i steps from the begin; steps are in bytes. */
struct reference_line {
  const unsigned char *in;
  unsigned char *out;
  int64_t in_step, out_step;
  uint64_t n;
};

/** Computes what a spec with `source` makes of a line: elements mapped, scanned (sequential and backward as the spec
 * says) and emitted, maps and emits being told the place. */
void reference_operator_line(const scan_op_source *source, const scan_spec *spec, const struct reference_line *line);

/** The largest of value, element of the input and element of the output, which the geometry goes by. */
size_t reference_order_bytes(const scan_op_source *source);

/** Elements of a sub-tile, and sub-tiles of a large tile, for elements of so many bytes: the table of the README. */
uint64_t reference_subtile_items(size_t bytes);
unsigned reference_most_subtiles(size_t bytes);

#endif
