/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_source.h @brief Operators as C text, as a user writes them, that `scanrt bench --op-source` measures. */
#ifndef SCANRT_CLI_BENCH_SOURCE_H
#define SCANRT_CLI_BENCH_SOURCE_H

#include <scanrt/scan_composite.h>

/** One operator: a user's own, which equals a built-in one or maps what a built-in one scans, or a composite of the
 *  library's. */
typedef struct bench_source {
  const char *name;
  scan_op_id twin;           /**< The built-in operator, on the types of --type; SCAN_OP_NONE: none. */
  scan_composite composite;  /**< SCAN_COMPOSITE_NONE: none. */
  const scan_op_source *map; /**< One that maps; NULL: none. */
  scan_type input_type;      /**< Its types; 0 of others. */
  scan_type type;
} bench_source;

/** Finds an operator by name; on a fault prints the names. @return CLI_OK or CLI_USAGE */
int bench_source_parse(const char *command, const char *name, bench_source *source);

/** Whether operators go with the types and kinds that are wanted. @return CLI_OK or CLI_USAGE */
int bench_source_check(const char *command, const bench_source *source, const scan_type *types, size_t type_count,
                       int is_exclusive);

/** Number i of the operators that map; NULL: there are no more. */
const bench_source *bench_mapped_get(size_t i);

/** The result of one of them, by a loop. @param heads not 0 where a segment begins; NULL: nowhere */
void bench_mapped_expect(const bench_source *source, scan_kind kind, const uint8_t *heads, uint64_t n, const void *in,
                         void *out);

/** The names, separated by blanks. */
const char *bench_source_names(void);

/** Makes the operator on a device. @param type  element type of a user's own. @see scan_op_create */
scan_status bench_source_create(const bench_source *source, scan_type type, scan_ctx *ctx, scan_op **op);

/** Fills n elements of a composite, finite and such that results stay so, but in place. */
void bench_elements_fill(scan_composite which, uint64_t n, uint64_t seed, void *out);

#endif
