/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_source.h @brief Operators as C text, as a user writes them, that `scanrt bench --op-source` measures. */
#ifndef SCANRT_CLI_BENCH_SOURCE_H
#define SCANRT_CLI_BENCH_SOURCE_H

#include <scanrt/scan.h>

/** One operator. */
typedef struct bench_source {
  const char *name;
  scan_op_id twin; /**< The built-in operator that it equals, on the types of --type. */
} bench_source;

/** Finds an operator by name; on a fault prints the names. @return CLI_OK or CLI_USAGE */
int bench_source_parse(const char *command, const char *name, const bench_source **source);

/** The names, separated by blanks. */
const char *bench_source_names(void);

/** Makes the operator on a device. @param type  element type. @see scan_op_create */
scan_status bench_source_create(const bench_source *source, scan_type type, scan_ctx *ctx, scan_op **op);

#endif
