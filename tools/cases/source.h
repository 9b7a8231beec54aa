/* SPDX-License-Identifier: BSD-2-Clause */
/** @file source.h @brief Operators from C text, for random cases and for `scanrt bench --op-source`. */
#ifndef SCANRT_CASES_SOURCE_H
#define SCANRT_CASES_SOURCE_H

#include <scanrt/scan_composite.h>

/** An operator on structs, or one that maps and emits elements of other sizes. */
typedef struct source_structure {
  const char *name;
  scan_op_source source;
  /** Fills n elements of the input, of which the first is number `first`. */
  void (*fill)(uint64_t first, uint64_t n, uint64_t seed, void *out);
  const void *init; /**< The initial value; NULL: element -1. */
} source_structure;

/** An operator from source: a built-in one again, one on structs or one that maps its elements, or a composite of the
 * library. */
typedef struct source_operator {
  const char *name;
  scan_op_id twin;                   /**< The built-in operator that it equals or scans with; SCAN_OP_NONE: none. */
  scan_composite composite;          /**< SCAN_COMPOSITE_NONE: none. */
  const source_structure *structure; /**< NULL: none. */
  const scan_op_source *map;         /**< An operator that maps; NULL: none. */
  scan_type input_type;              /**< Input of an operator that maps; 0: none. */
  scan_type type;                    /**< Values of an operator that maps; 0: none. */
} source_operator;

/** Finds an operator by name. @return 0, or -1 where no operator has that name */
int source_operator_find(const char *name, source_operator *source);

/** Number i of the operators that map; NULL: there are no more. */
const source_operator *source_operator_mapped(size_t i);

/** Makes the operator on a device. @param type  element type of a built-in operator. @see scan_op_create */
scan_status source_operator_create(const source_operator *source, scan_type type, scan_ctx *ctx, scan_op **op);

/** Number i of the operators on structs; NULL: there are no more. */
const source_structure *source_operator_structure(size_t i);

/** Sizes and functions of an operator, for the oracle. */
typedef struct source_facts {
  size_t value_bytes; /**< 0: it is a built-in operator again, or there is none. */
  size_t input_bytes, output_bytes;
  scan_op_host *combine;
  const void *identity;         /**< NULL: none. */
  const scan_op_source *mapped; /**< With a map or an emit; NULL: the operator has neither. */
} source_facts;
source_facts source_operator_facts(const source_operator *source);

/** 1: elements are filled by source_operator_fill; 0: by their type. */
int source_operator_fills(const source_operator *source);

/** Fills n elements of such an operator. Scans of them stay finite and keep changing. */
void source_operator_fill(const source_operator *source, uint64_t n, uint64_t seed, void *out);

/** Makes an initial value. */
void source_operator_init(const source_operator *source, uint64_t seed, void *out);

/** Fills n elements of a composite. */
void source_operator_fill_composite(scan_composite which, uint64_t n, uint64_t seed, void *out);

#endif
