/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_BUILTIN_SOURCE_H
#define SCANRT_BUILTIN_SOURCE_H

#include "core/context.h"
#include "device/source.h"

/* The source that scans as a built-in operator does, kept by the context; NULL, worded, where memory ran out
 * (builtin_source.c).
 */
const scan_source *scan_builtin_source(scan_ctx *ctx, scan_type input_type, scan_type type, scan_op_id op,
                                       scan_kind kind);
void scan_builtin_sources_release(scan_ctx *ctx);

#endif
