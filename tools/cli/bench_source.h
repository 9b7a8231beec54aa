/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_source.h @brief Operators from source as `scanrt bench --op-source` names and checks them. */
#ifndef SCANRT_CLI_BENCH_SOURCE_H
#define SCANRT_CLI_BENCH_SOURCE_H

#include "source.h"

/** Finds an operator by name; on a fault prints the names. @return CLI_OK or CLI_USAGE */
int bench_source_parse(const char *command, const char *name, source_operator *source);

/** Whether operators go with the types and kinds that are wanted. @return CLI_OK or CLI_USAGE */
int bench_source_check(const char *command, const source_operator *source, const scan_type *types, size_t type_count,
                       int is_exclusive);

/** The result of an operator that maps, by a loop. @param heads  not 0 where a segment begins; NULL: nowhere */
void bench_mapped_expect(const source_operator *source, scan_kind kind, const uint8_t *heads, uint64_t n,
                         const void *in, void *out);

/** The names, separated by blanks. */
const char *bench_source_names(void);

#endif
