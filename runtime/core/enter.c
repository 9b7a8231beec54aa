/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/process.h"
#include "core/context.h"

scan_status scan_ctx_enter(scan_ctx *ctx, const char *call) {
  if (ctx == NULL) return scan_fail(scan_thread_error(), SCAN_INVALID_ARGUMENT, "%s: ctx is NULL", call);
  if (ctx->magic != SCAN_CTX_MAGIC)
    return scan_fail(scan_thread_error(), SCAN_INVALID_ARGUMENT, "%s: ctx is not a context", call);
  if (ctx->pid == scan_process_id()) return SCAN_SUCCESS;
  FAIL_INVALID(
      "%s: the context was created before fork, by process %ld; drivers do not survive fork: here use a new context "
      "of \"host\", or exec",
      call, (long)ctx->pid);
}
