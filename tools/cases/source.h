/* SPDX-License-Identifier: BSD-2-Clause */
/** @file source.h @brief Operators from C text, for random cases and for `scanrt bench --op-source`. */
#ifndef SCANRT_CASES_SOURCE_H
#define SCANRT_CASES_SOURCE_H

#include <scanrt/scan_composite.h>

/** An operator from source: a sum, an operator that maps its elements, or a composite of the library. */
typedef struct source_operator {
  const char *name;
  scan_op_id twin;           /**< The built-in operator that it equals or scans with; SCAN_OP_NONE: none. */
  scan_composite composite;  /**< SCAN_COMPOSITE_NONE: none. */
  const scan_op_source *map; /**< An operator that maps; NULL: none. */
  scan_type input_type;      /**< Input of an operator that maps; 0: none. */
  scan_type type;            /**< Values of an operator that maps; 0: none. */
} source_operator;

/** Finds an operator by name. @return 0, or -1 where no operator has that name */
int source_operator_find(const char *name, source_operator *source);

/** Number i of the operators that map; NULL: there are no more. */
const source_operator *source_operator_mapped(size_t i);

/** Makes the operator on a device. @param type  element type of a sum. @see scan_op_create */
scan_status source_operator_create(const source_operator *source, scan_type type, scan_ctx *ctx, scan_op **op);

/** Fills n elements of a composite. Scans of them stay finite and keep changing. */
void source_operator_fill(scan_composite which, uint64_t n, uint64_t seed, void *out);

#endif
