/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_source.h @brief Operators as C text, as a user writes them, that `scanrt bench --op-source` measures. */
#ifndef SCANRT_CLI_BENCH_SOURCE_H
#define SCANRT_CLI_BENCH_SOURCE_H

#include <scanrt/scan_composite.h>

/** One operator: either a user's own, which equals a built-in one, or a composite of the library's. */
typedef struct bench_source {
  const char *name;
  scan_op_id twin;          /**< The built-in operator, on the types of --type; SCAN_OP_NONE: none. */
  scan_composite composite; /**< SCAN_COMPOSITE_NONE: none. */
} bench_source;

/** Finds an operator by name; on a fault prints the names. @return CLI_OK or CLI_USAGE */
int bench_source_parse(const char *command, const char *name, bench_source *source);

/** The names, separated by blanks. */
const char *bench_source_names(void);

/** Makes the operator on a device. @param type  element type of a user's own. @see scan_op_create */
scan_status bench_source_create(const bench_source *source, scan_type type, scan_ctx *ctx, scan_op **op);

/** Fills n elements of a composite, finite and such that results stay so, but in place. */
void bench_elements_fill(scan_composite which, uint64_t n, uint64_t seed, void *out);

#endif
