/* SPDX-License-Identifier: BSD-2-Clause */
/** @file reference_source.h @brief The plain reference for operators from source. */
#ifndef SCANRT_CLI_REFERENCE_SOURCE_H
#define SCANRT_CLI_REFERENCE_SOURCE_H

#include <stdint.h>

#include <scanrt/scan.h>

/** Elements and their operator. */
typedef struct reference_source {
  size_t bytes;
  scan_op_host *combine;
} reference_source;

/** Scans n elements as scan_run should. @param sequential 1: the plain loop. @param seed what comes first; NULL:
 * nothing. @param heads not 0 where a segment begins, at the first element, too; NULL: one scan over all elements.
 *  @param[out] out must not overlap `in`. */
void reference_source_scan(const reference_source *op, int sequential, scan_kind kind, const void *seed,
                           const uint8_t *heads, uint64_t n, const void *in, void *out);

#endif
