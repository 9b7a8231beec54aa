/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_OP_H
#define SCANRT_OP_H

#include "core/context.h"

/* An operator from source, which lives as long as its owner or a plan keeps it (op_users.c). */
struct scan_op {
  uint32_t magic;
  scan_ctx *ctx;
  scan_source source;
  uint32_t users; /* its owner, and plans */
  int is_owned;   /* until scan_op_destroy */
  scan_op *next;
};
/* As scan_op_create. known: its name among the operators that the library knows, whose layout need not be asked for; or
 * NULL. */
scan_status scan_op_make(scan_ctx *ctx, const scan_op_source *source, const char *known, scan_op **op);
void scan_op_keep(scan_ctx *ctx, const scan_source *source);
void scan_op_drop(scan_ctx *ctx, const scan_source *source);

/* Gives up an operator that is in no list. */
void scan_op_release(scan_op *op);

/* Frees every operator that is left. */
void scan_ops_release(scan_ctx *ctx);

/* The source of an operator, of whatever context; NULL: it is none. */
const scan_source *scan_op_source_of(const scan_op *op);

/* The source of an operator, of a predicate or of a bucket function, of this context; NULL, worded, for what is none.
 */
typedef enum scan_op_kind { SCAN_OP_OPERATOR, SCAN_OP_PREDICATE, SCAN_OP_BUCKET } scan_op_kind;
const scan_source *scan_op_enter(scan_ctx *ctx, const scan_op *op, scan_op_kind kind);

#endif
