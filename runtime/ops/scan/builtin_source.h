/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_BUILTIN_SOURCE_H
#define SCANRT_BUILTIN_SOURCE_H

#include "core/context.h"
#include "device/source.h"

/* The source of a built-in operator, made at its first use and kept by the context (builtin_source.c). NULL, with a
 * message, on failure. */
const scan_source *scan_builtin_source(scan_ctx *ctx, scan_type input_type, scan_type type, scan_op_id op,
                                       scan_kind kind);

/* Frees the sources of built-in operators. */
void scan_builtin_sources_release(scan_ctx *ctx);

#endif
