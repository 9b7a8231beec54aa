/* SPDX-License-Identifier: BSD-2-Clause */
/* The users of operators from source: an operator lives while its owner or a plan needs it. */
#include <stdlib.h>

#include "core/plan.h"
#include "core/op.h"

static scan_op *op_find(const scan_ctx *ctx, const scan_source *source) {
  scan_op *op = ctx->operators;
  while (op != NULL && &op->source != source) op = op->next;
  return op;
}

/* The operator's memory stays with the context, so that a stale handle of its owner is recognized by its magic. */
void scan_op_release(scan_op *op) {
  scan_ctx *ctx = op->ctx;
  ctx->ops->source_release(ctx->device, &op->source);
  scan_source_free(&op->source);
  op->magic = 0;
  op->next = ctx->spare_operators;
  ctx->spare_operators = op;
}

void scan_op_keep(scan_ctx *ctx, const scan_source *source) {
  scan_op *op = op_find(ctx, source);
  if (op != NULL) op->users++;
}

void scan_op_drop(scan_ctx *ctx, const scan_source *source) {
  scan_op *op = op_find(ctx, source);
  if (op == NULL || --op->users > 0) return;
  scan_op **at = &ctx->operators;
  while (*at != op) at = &(*at)->next;
  *at = op->next;
  scan_op_release(op);
}

void scan_ops_release(scan_ctx *ctx) {
  while (ctx->operators != NULL) {
    scan_op *op = ctx->operators;
    ctx->operators = op->next;
    scan_op_release(op);
  }
  while (ctx->spare_operators != NULL) {
    scan_op *op = ctx->spare_operators;
    ctx->spare_operators = op->next;
    free(op);
  }
}

const scan_source *scan_op_source_of(const scan_op *op) {
  return op->magic == SCAN_OP_MAGIC && op->is_owned ? &op->source : NULL;
}

static scan_op_kind kind_of(const scan_source *source) {
  if (source->is_bucket) return SCAN_OP_BUCKET;
  return source->is_predicate ? SCAN_OP_PREDICATE : SCAN_OP_OPERATOR;
}

/* Searches the context's list for the handle, because the handle may be dangling and must not be dereferenced. */
const scan_source *scan_op_enter(scan_ctx *ctx, const scan_op *op, scan_op_kind kind) {
  static const struct {
    const char *what, *call;
  } words[] = { [SCAN_OP_OPERATOR] = { "custom_op is no operator", "scan_op_create" },
                [SCAN_OP_PREDICATE] = { "predicate is no predicate", "scan_predicate_create" },
                [SCAN_OP_BUCKET] = { "bucket is no bucket function", "scan_bucket_create" } };
  const scan_op *known = ctx->operators;
  while (known != NULL && known != op) known = known->next;
  if (known != NULL && known->is_owned && kind_of(&known->source) == kind) return &known->source;
  (void)scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT, "spec->%s of this context: make it with %s on the same one",
                  words[kind].what, words[kind].call);
  return NULL;
}
