/* SPDX-License-Identifier: BSD-2-Clause */
/** @file source.h @brief Operators from C text, for random cases and for `scanrt bench --op-source`. */
#ifndef SCANRT_CASES_SOURCE_H
#define SCANRT_CASES_SOURCE_H

#include <scanrt/scan_composite.h>

/** An operator on structs, or one that maps and emits elements of other sizes. */
typedef struct source_structure {
  const char *name;
  scan_op_source source;
  /** Fills n elements of the input, beginning with element number `first`. */
  void (*fill)(uint64_t first, uint64_t n, uint64_t seed, void *out);
  const void *init; /**< The initial value; NULL: uses element -1 instead. */
} source_structure;

/** An operator from source: a built-in one rewritten as source, one on structs, one that maps its elements, or a
 * composite of the library. */
typedef struct source_operator {
  const char *name;
  scan_op_id built_in_op;   /**< The built-in operator with the same results, or the one that combines mapped values;
                        SCAN_OP_NONE: none. */
  scan_composite composite; /**< SCAN_COMPOSITE_NONE: none. */
  const source_structure *structure; /**< NULL: none. */
  const scan_op_source *map;         /**< The operator's source if it maps; NULL: it does not. */
  scan_type input_type;              /**< Input type of an operator that maps; 0: none. */
  scan_type type;                    /**< Value type of an operator that maps; 0: none. */
} source_operator;

/** Finds an operator by name. @return 0, or -1 where no operator has that name */
int source_operator_find(const char *name, source_operator *source);

/** Returns operator i of those that map; NULL: i is past the last one. */
const source_operator *source_operator_mapped(size_t i);

/** Creates the operator on a device. @param type  element type of a built-in operator. @see scan_op_create */
scan_status source_operator_create(const source_operator *source, scan_type type, scan_ctx *ctx, scan_op **op);

/** Returns operator i of those on structs; NULL: i is past the last one. */
const source_structure *source_operator_structure(size_t i);

/** Sizes and functions of an operator, for the oracle. */
typedef struct source_facts {
  size_t value_bytes; /**< 0: a built-in operator rewritten as source, or no operator. */
  size_t input_bytes, output_bytes;
  scan_op_host *combine;
  const void *identity;         /**< NULL: none. */
  const scan_op_source *mapped; /**< The source, if it has a map or an emit; NULL: it has neither. */
} source_facts;
/** Returns the facts of an operator. */
source_facts source_operator_facts(const source_operator *source);

/** 1 if source_operator_fill makes the elements; 0: data_fill makes them by type. */
int source_operator_fills(const source_operator *source);

/** Fills n elements for an operator of source_operator_fills. Scans of them stay finite and keep changing. */
void source_operator_fill(const source_operator *source, uint64_t n, uint64_t seed, void *out);

/** Makes an initial value. */
void source_operator_init(const source_operator *source, uint64_t seed, void *out);

/** Returns the map of a composite, with sizes, for the oracle; NULL: elements are values. */
const scan_op_source *source_composite_map(scan_composite which);

/** Fills n elements of the composite `which`. */
void source_operator_fill_composite(scan_composite which, uint64_t n, uint64_t seed, void *out);

#endif
