/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_OP_H
#define SCANRT_OP_H

#include "core/context.h"

/* An operator from source. It lives until its owner and all plans have released it (op_users.c). */
struct scan_op {
  uint32_t magic;
  scan_ctx *ctx;
  scan_source source;
  uint32_t users; /* its owner, and plans */
  int is_owned;   /* until scan_op_destroy */
  scan_op *next;
};
/* Makes an operator as scan_op_create does. `known` is the name of an operator of the library's own, whose layout is
 * not probed; else NULL. */
scan_status scan_op_make(scan_ctx *ctx, const scan_op_source *source, const char *known, scan_op **op);

/* Adds a user to the operator with that source. Does nothing for a built-in operator's source. */
void scan_op_keep(scan_ctx *ctx, const scan_source *source);

/* Removes a user of the operator with that source; the last one releases it. Does nothing for a built-in one. */
void scan_op_drop(scan_ctx *ctx, const scan_source *source);

/* Frees the source of an operator that is in no list, and keeps the operator's memory for the next one. */
void scan_op_release(scan_op *op);

/* Frees every operator of the context. */
void scan_ops_release(scan_ctx *ctx);

/* The source of an operator of any context; NULL if `op` is not an operator. */
const scan_source *scan_op_source_of(const scan_op *op);

/* The kinds of functions that have a source. */
typedef enum scan_op_kind { SCAN_OP_OPERATOR, SCAN_OP_PREDICATE, SCAN_OP_BUCKET } scan_op_kind;

/* The source of a function of that kind that this context owns; NULL, with a message, if `op` is not one. */
const scan_source *scan_op_enter(scan_ctx *ctx, const scan_op *op, scan_op_kind kind);

#endif
