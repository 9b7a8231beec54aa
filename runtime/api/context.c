/* SPDX-License-Identifier: BSD-2-Clause */
#include "api/shared.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/process.h"
#include "base/structs.h"
#include "core/op.h"
#include "ops/scan/builtin_source.h"

/* Checks the caller's options and completes them from the environment. */
static scan_status check_options(const scan_ctx_options *options, scan_ctx_options *checked, scan_error *error) {
  const char *name = secure_getenv("SCANRT_STRATEGY");
  *checked = (scan_ctx_options)SCAN_CTX_OPTIONS_INIT;
  if (options != NULL) SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_ctx_options, checked, options, "options", error));
  if (checked->strategy != SCAN_STRATEGY_AUTO && scan_strategy_named(checked->strategy) == NULL)
    return scan_fail(error, SCAN_INVALID_ARGUMENT, "options->strategy is %d, which is no strategy",
                     (int)checked->strategy);
  if (checked->strategy == SCAN_STRATEGY_AUTO && name != NULL && name[0] != '\0' &&
      scan_strategy_parse(name, &checked->strategy) != SCAN_SUCCESS)
    return scan_fail(error, SCAN_INVALID_ARGUMENT, "SCANRT_STRATEGY is '%s', which is no strategy", name);
  if ((checked->allocate == NULL) != (checked->release == NULL))
    return scan_fail(error, SCAN_INVALID_ARGUMENT,
                     "options->allocate is %sNULL, and options->release %sNULL: give both, or neither",
                     checked->allocate != NULL ? "not " : "", checked->release != NULL ? "not " : "");
  if (checked->device == NULL) checked->device = secure_getenv("SCANRT_DEVICE");
  return scan_tuning_check(error);
}

static scan_status open_ctx(const scan_ctx_options *options, const scan_caps *caps, const scan_adoption *adoption,
                            scan_ctx **result) {
  static const scan_adoption none = { NULL, NULL, 0 };
  scan_error *error = scan_thread_error();
  scan_ctx *ctx = calloc(1, sizeof *ctx);
  if (ctx == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a context");
  ctx->ops = scan_backend_get(caps->info.backend);
  ctx->caps = *caps;
  ctx->strategy = options->strategy;
  ctx->allocate = options->allocate;
  ctx->release = options->release;
  ctx->user = options->user;
  if (caps->info.backend == SCAN_BACKEND_HOST && options->threads != 0) ctx->caps.info.compute_units = options->threads;
  const scan_status status = scan_backend_open(ctx->ops, &ctx->caps, adoption ? adoption : &none, &ctx->device, error);
  if (status != SCAN_SUCCESS) {
    free(ctx);
    return status;
  }
  ctx->pid = scan_process_id();
  ctx->magic = SCAN_CTX_MAGIC;
  scan_log(SCAN_LOG_INFO, "opened %s: %s", ctx->caps.info.selector, ctx->caps.info.name);
  *result = ctx;
  return SCAN_SUCCESS;
}

scan_status scan_ctx_make(const char *call, const scan_ctx_options *options, scan_backend backend,
                          const scan_adoption *adoption, scan_ctx **ctx) {
  scan_error *error = scan_thread_error();
  scan_ctx_options checked;
  scan_caps caps = { .info = { .backend = backend } };
  if (ctx == NULL) return scan_fail(error, SCAN_INVALID_ARGUMENT, "%s: ctx is NULL", call);
  SCAN_TRY(check_options(options, &checked, error));
  if (adoption == NULL) SCAN_TRY(scan_device_find(checked.device, &caps, error));
  return open_ctx(&checked, &caps, adoption, ctx);
}

scan_status scan_ctx_create(const scan_ctx_options *options, scan_ctx **ctx) {
  return scan_ctx_make("scan_ctx_create", options, SCAN_BACKEND_HOST, NULL, ctx);
}

void scan_ctx_destroy(scan_ctx *ctx) {
  if (ctx == NULL || ctx->magic != SCAN_CTX_MAGIC) return;
  ctx->magic = 0;
  if (ctx->pid != scan_process_id()) return; /* a child of fork must not touch its parent's driver state */
  (void)ctx->ops->sync(ctx->device, &ctx->error);
  scan_plans_release(ctx);
  scan_ops_release(ctx);
  scan_builtin_sources_release(ctx);
  scan_memories_release(ctx);
  ctx->ops->close(ctx->device);
  free(ctx);
}

scan_status scan_ctx_device(scan_ctx *ctx, scan_device_info *info) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_ctx_device"));
  return scan_device_describe(&ctx->caps, info, &ctx->error);
}

const char *scan_last_error(const scan_ctx *ctx) {
  if (ctx == NULL || ctx->magic != SCAN_CTX_MAGIC) return scan_thread_error()->text;
  return ctx->error.text;
}
