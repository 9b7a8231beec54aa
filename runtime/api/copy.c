/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies between host and device, and on the device. */
#include "core/plan.h"
#include "core/progress.h"

scan_status scan_write(scan_ctx *ctx, scan_mem dst, const void *src, uint64_t bytes) {
  scan_mem resolved;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_write"));
  SCAN_TRY(scan_mem_resolve(ctx, dst, bytes, "dst", &resolved));
  if (bytes == 0) return SCAN_SUCCESS;
  if (src == NULL) FAIL_INVALID("scan_write: src is NULL");
  return ctx->ops->write(ctx->device, resolved, src, bytes, &ctx->error);
}

scan_status scan_read(scan_ctx *ctx, scan_mem src, void *dst, uint64_t bytes) {
  scan_mem resolved;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_read"));
  SCAN_TRY(scan_mem_resolve(ctx, src, bytes, "src", &resolved));
  if (bytes == 0) return SCAN_SUCCESS;
  if (dst == NULL) FAIL_INVALID("scan_read: dst is NULL");
  SCAN_TRY(ctx->ops->read(ctx->device, resolved, dst, bytes, &ctx->error));
  return scan_plans_report(ctx);
}

scan_status scan_copy(scan_ctx *ctx, scan_mem dst, scan_mem src, uint64_t bytes) {
  scan_mem to, from;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_copy"));
  SCAN_TRY(scan_mem_resolve(ctx, dst, bytes, "dst", &to));
  SCAN_TRY(scan_mem_resolve(ctx, src, bytes, "src", &from));
  if (bytes == 0) return SCAN_SUCCESS;
  if (scan_mem_shared(ctx, to, bytes, from, bytes)) FAIL_INVALID("scan_copy: dst and src overlap");
  return ctx->ops->copy(ctx->device, to, from, bytes, &ctx->error);
}
