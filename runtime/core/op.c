/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators from source: they are checked, compiled once to compare the layout of their types with the application's,
 * and kept while their owner or a plan needs them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/structs.h"
#include "device/caps.h"
#include "core/plan.h"
#include "device/arguments.h"
#include "device/predicate.h"
#include "kernels_cl/lib/arguments.h"
#include "core/op.h"

/* ---- layout ---- */

static const scan_argument_list arguments = SCAN_ARGUMENTS(LAYOUT_ARGUMENTS);

enum { LAYOUT_WORDS = 6 };

/* Launches the layout kernel and reads its output. After a failure, waits for the device so that `out` can be freed. */
static scan_status run_layout(scan_ctx *ctx, scan_kernel *kernel, scan_mem out, uint32_t layout[LAYOUT_WORDS]) {
  const scan_kernel_args args = { .out = out, .n = 1 };
  scan_status status = ctx->ops->launch(ctx->device, kernel, 1, ctx->caps.tuning.group_items, &args, &ctx->error);
  if (status == SCAN_SUCCESS)
    status = ctx->ops->read(ctx->device, out, layout, LAYOUT_WORDS * sizeof(uint32_t), &ctx->error);
  if (status != SCAN_SUCCESS) (void)ctx->ops->sync(ctx->device, &(scan_error){ "" });
  return status;
}

/* Asks the device's compiler for the size and the alignment of the source's types. */
static scan_status op_probe(scan_ctx *ctx, const scan_source *source, uint32_t layout[LAYOUT_WORDS]) {
  const scan_kernel_key key = {
    .file = "layout.cl", .kernel = "source_layout", .arguments = &arguments, .source = source, .subtiles = 1
  };
  const uint64_t bytes = LAYOUT_WORDS * sizeof(uint32_t);
  scan_kernel *kernel = NULL;
  void *handle = NULL;
  scan_error later = { "" };
  SCAN_TRY(ctx->ops->kernel_create(ctx->device, &key, &kernel, &ctx->error));
  scan_status status = scan_device_alloc(ctx, bytes, &handle);
  if (status == SCAN_SUCCESS) {
    status = run_layout(ctx, kernel, scan_mem_of_device(ctx, handle, bytes), layout);
    scan_error *words = status == SCAN_SUCCESS ? &ctx->error : &later; /* keep the message of the first failure */
    const scan_status freed = scan_device_free(ctx, handle, bytes, words);
    if (status == SCAN_SUCCESS) status = freed;
  }
  ctx->ops->kernel_destroy(ctx->device, kernel);
  return status;
}

static scan_status check_type(scan_ctx *ctx, const char *what, const char *type, uint32_t bytes, uint32_t align,
                              const uint32_t layout[2]) {
  if (layout[0] != bytes)
    FAIL_INVALID(
        "source->%s_bytes is %u, but %s's compiler makes %u bytes of type %s: use types of fixed size in the same "
        "order on both sides",
        what, bytes, ctx->caps.info.selector, layout[0], type);
  if (layout[1] != align)
    FAIL_INVALID(
        "source->%s_align is %u, but %s's compiler aligns type %s to %u bytes: use types of fixed size in the same "
        "order on both sides",
        what, align, ctx->caps.info.selector, type, layout[1]);
  return SCAN_SUCCESS;
}

static scan_status check_layout(scan_ctx *ctx, const scan_source *s) {
  uint32_t layout[LAYOUT_WORDS] = { 0 };
  SCAN_TRY(op_probe(ctx, s, layout));
  if (!s->is_predicate) SCAN_TRY(check_type(ctx, "value", s->type, s->bytes, s->align, layout));
  if (s->input_type != NULL)
    SCAN_TRY(check_type(ctx, s->is_predicate ? "element" : "input", s->input_type, s->input_bytes, s->input_align,
                        layout + 2));
  if (s->output_type != NULL)
    return check_type(ctx, s->is_predicate ? "params" : "output", s->output_type, s->output_bytes, s->output_align,
                      layout + 4);
  return SCAN_SUCCESS;
}

/* Refuses an operator that the device cannot run, before anything is compiled. */
static scan_status check_device(scan_ctx *ctx, const scan_op_source *source) {
  const scan_device_info *info = &ctx->caps.info;
  if (info->refusal[0] != '\0') FAIL_UNSUPPORTED("%s (%s) %s", info->selector, info->name, info->refusal);
  if (info->backend == SCAN_BACKEND_HOST) {
    if (source->host == NULL)
      FAIL_UNSUPPORTED("the host compiles no source: set source->host to a function that combines two elements");
    if (source->map != NULL && source->map_host == NULL)
      FAIL_UNSUPPORTED("the host compiles no source: set source->map_host to a function that does what map does");
    if (source->emit != NULL && source->emit_host == NULL)
      FAIL_UNSUPPORTED("the host compiles no source: set source->emit_host to a function that does what emit does");
    return SCAN_SUCCESS;
  }
  if (source->text == NULL) FAIL_INVALID("source->text is NULL");
  const uint32_t needed = scan_caps_source_local_bytes((scan_exchange)ctx->caps.tuning.exchange, source->value_bytes);
  if (ctx->caps.tuning.group_items > 1 && info->local_memory_bytes < needed)
    FAIL_UNSUPPORTED("%s (%s) has %llu bytes of local memory, not the %u that elements of %zu bytes take",
                     info->selector, info->name, (unsigned long long)info->local_memory_bytes, needed,
                     source->value_bytes);
  return SCAN_SUCCESS;
}

/* ---- the API ---- */

/* Makes an operator that is in no list yet. NULL, with a message, if host memory runs out. */
static scan_op *op_start(scan_ctx *ctx) {
  scan_op *op = ctx->spare_operators;
  if (op != NULL)
    ctx->spare_operators = op->next;
  else
    op = malloc(sizeof *op);
  if (op == NULL) (void)scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for an operator");
  if (op != NULL) *op = (scan_op){ .magic = SCAN_OP_MAGIC, .ctx = ctx, .users = 1, .is_owned = 1 };
  return op;
}

/* Finishes an operator whose source was copied with `status`: probes its layout unless that is known, and adds the
 * operator to its context. Releases it on failure. */
static scan_status op_finish(scan_op *made, scan_status status, int is_known, scan_op **op) {
  scan_ctx *ctx = made->ctx;
  if (status == SCAN_SUCCESS && !is_known && ctx->ops->id != SCAN_BACKEND_HOST)
    status = check_layout(ctx, &made->source);
  if (status != SCAN_SUCCESS) {
    scan_op_release(made);
    return status;
  }
  made->next = ctx->operators;
  ctx->operators = made;
  *op = made;
  return SCAN_SUCCESS;
}

scan_status scan_op_make(scan_ctx *ctx, const scan_op_source *source, const char *known, scan_op **op) {
  SCAN_TRY(scan_source_check(source, &ctx->error));
  SCAN_TRY(check_device(ctx, source));
  scan_op *made = op_start(ctx);
  if (made == NULL) return SCAN_OUT_OF_MEMORY;
  const scan_status status = scan_source_copy(source, &made->source, &ctx->error);
  if (known != NULL) snprintf(made->source.block, sizeof made->source.block, "%s", known);
  return op_finish(made, status, known != NULL, op);
}

scan_status scan_op_create(scan_ctx *ctx, const scan_op_source *source, scan_op **op) {
  scan_op_source own = { 0 };
  SCAN_TRY(scan_ctx_enter(ctx, "scan_op_create"));
  if (op == NULL) FAIL_INVALID("scan_op_create: op is NULL");
  if (source == NULL) FAIL_INVALID("scan_op_create: source is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_op_source, &own, source, "source", &ctx->error));
  return scan_op_make(ctx, &own, NULL, op);
}

/* Checks that the device can use a predicate or a bucket function; `macro` defines its function for the host. */
static scan_status check_function(scan_ctx *ctx, int has_host, const char *text, const char *macro) {
  const scan_device_info *info = &ctx->caps.info;
  if (info->refusal[0] != '\0') FAIL_UNSUPPORTED("%s (%s) %s", info->selector, info->name, info->refusal);
  if (info->backend != SCAN_BACKEND_HOST && text == NULL) FAIL_INVALID("source->text is NULL");
  if (info->backend == SCAN_BACKEND_HOST && !has_host)
    FAIL_UNSUPPORTED("the host compiles no source: set source->host to what %s defines", macro);
  return SCAN_SUCCESS;
}

scan_status scan_predicate_create(scan_ctx *ctx, const scan_predicate_source *source, scan_op **predicate) {
  scan_predicate_source own = { 0 };
  SCAN_TRY(scan_ctx_enter(ctx, "scan_predicate_create"));
  if (predicate == NULL) FAIL_INVALID("scan_predicate_create: predicate is NULL");
  if (source == NULL) FAIL_INVALID("scan_predicate_create: source is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_predicate_source, &own, source, "source", &ctx->error));
  SCAN_TRY(scan_predicate_check(&own, &ctx->error));
  SCAN_TRY(check_function(ctx, own.host != NULL, own.text, own.is_pair ? "SCAN_SAME_HOST" : "SCAN_KEEP_HOST"));
  scan_op *made = op_start(ctx);
  if (made == NULL) return SCAN_OUT_OF_MEMORY;
  return op_finish(made, scan_predicate_copy(&own, &made->source, &ctx->error), 0, predicate);
}

scan_status scan_bucket_create(scan_ctx *ctx, const scan_bucket_source *source, scan_op **bucket) {
  scan_bucket_source own = { 0 };
  SCAN_TRY(scan_ctx_enter(ctx, "scan_bucket_create"));
  if (bucket == NULL) FAIL_INVALID("scan_bucket_create: bucket is NULL");
  if (source == NULL) FAIL_INVALID("scan_bucket_create: source is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_bucket_source, &own, source, "source", &ctx->error));
  SCAN_TRY(scan_bucket_check(&own, &ctx->error));
  SCAN_TRY(check_function(ctx, own.host != NULL, own.text, "SCAN_BUCKET_HOST"));
  scan_op *made = op_start(ctx);
  if (made == NULL) return SCAN_OUT_OF_MEMORY;
  return op_finish(made, scan_bucket_copy(&own, &made->source, &ctx->error), 0, bucket);
}

scan_status scan_op_info(const scan_op *op, scan_op_facts *facts) {
  const scan_source *s = op != NULL ? scan_op_source_of(op) : NULL;
  scan_error *error = scan_thread_error();
  if (s == NULL) return scan_fail(error, SCAN_INVALID_ARGUMENT, "scan_op_info: op is not an operator");
  if (facts == NULL) return scan_fail(error, SCAN_INVALID_ARGUMENT, "scan_op_info: facts is NULL");
  scan_op_facts own = { .value_bytes = s->bytes,
                        .value_align = s->align,
                        .input_bytes = s->input_bytes,
                        .output_bytes = s->output_bytes,
                        .maps = s->map != NULL || s->map_host != NULL,
                        .emits = s->emit != NULL || s->emit_host != NULL,
                        .has_identity = (uint32_t)(s->has_identity != 0),
                        .is_predicate = (uint32_t)(s->is_predicate != 0),
                        .input_members = s->input_members.count,
                        .output_members = s->output_members.count };
  memcpy(own.identity, s->identity, sizeof own.identity);
  return scan_struct_give(SCAN_STRUCT_scan_op_facts, &own, facts, "facts", error);
}

void scan_op_destroy(scan_op *op) {
  if (op == NULL || op->magic != SCAN_OP_MAGIC || scan_ctx_enter(op->ctx, "scan_op_destroy") != SCAN_SUCCESS) return;
  scan_ctx *ctx = op->ctx;
  if (!op->is_owned) return;
  (void)ctx->ops->sync(ctx->device, &ctx->error);
  op->is_owned = 0;
  scan_plans_forget(ctx, &op->source);
  scan_op_drop(ctx, &op->source);
}
