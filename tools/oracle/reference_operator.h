/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file reference_operator.h
 * @brief Expected results of scans with an operator from source: the canonical order of kernels_cl/README.md, step by
 * step through a C function, or the plain loop.
 */
#ifndef SCANRT_ORACLE_REFERENCE_OPERATOR_H
#define SCANRT_ORACLE_REFERENCE_OPERATOR_H

#include <scanrt/scan.h>

/** An element type and its operator. */
struct reference_operator {
  size_t bytes;
  scan_op_host *combine;
  size_t order_bytes; /**< Size of elements that determines the geometry; 0: `bytes`. */
  void *user;         /**< Passed to combine. */
};

/**
 * Computes a scan.
 * @param sequential  1: left to right; 0: the canonical order.
 * @param seed        the value before the first element, of `bytes` bytes; NULL: none.
 * @param n           number of elements.
 * @param in          n elements.
 * @param[out] out    n elements; must not overlap `in`. Exclusive without a seed: out[0] is left as it is.
 */
void reference_operator_scan(const struct reference_operator *op, int sequential, scan_kind kind, const void *seed,
                             uint64_t n, const void *in, void *out);

/** Computes a segmented scan. @param heads  n bytes, not 0 where a segment begins, each with the seed; NULL: one
 * segment. @see reference_operator_scan */
void reference_operator_segmented(const struct reference_operator *op, int sequential, scan_kind kind, const void *seed,
                                  const uint8_t *segment_flags, uint64_t n, const void *in, void *out);

/** Computes reference_operator_segmented from a carry.
 * @param before  the running value of the segment that element 0 continues, unless it is a head; NULL: the seed */
void reference_operator_carried(const struct reference_operator *op, int sequential, scan_kind kind, const void *seed,
                                const void *before, const uint8_t *segment_flags, uint64_t n, const void *in,
                                void *out);

/** A line of elements. Element i lies i steps behind the begin; steps are in bytes. */
struct reference_line {
  const unsigned char *in;
  unsigned char *out;
  int64_t in_step, out_step;
  uint64_t n;
};

/** Computes the scan of a line by a spec with `source`: maps, scans (sequential and backward as the spec says) and
 * emits. Maps and emits get the element's index. */
void reference_operator_line(const scan_op_source *source, const scan_spec *spec, const struct reference_line *line);

/** Returns the size that determines the geometry: the largest of value, input element and output element. */
size_t reference_order_bytes(const scan_op_source *source);

/** Returns the elements of a sub-tile, for elements of `bytes` bytes: the table of kernels_cl/README.md. */
uint64_t reference_subtile_items(size_t bytes);
/** Returns the sub-tiles of a large tile, for elements of `bytes` bytes. */
unsigned reference_most_subtiles(size_t bytes);

#endif
