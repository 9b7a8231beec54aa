/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of elements in device memory (n_from): numbers above their call's n are reported when the host waits. */
#include <inttypes.h>

#include "core/plan.h"
#include "core/regions.h"
#include "core/n_from.h"

void scan_n_from_note(scan_plan *plan, uint64_t found) {
  plan->ctx->pending_n_overflow = found;
  plan->ctx->pending_n_overflow_most = plan->max_n;
}

/* Reads and clears the n overflow that a plan noted. On CUDA each wait reads it, because a graph may replay the plan's
 * launches at any time. */
static scan_status read_n_overflow(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  uint64_t found = 0;
  if (!plan->names_n) return SCAN_SUCCESS;
  plan->names_n = ctx->ops->id == SCAN_BACKEND_CUDA;
  SCAN_TRY(
      ctx->ops->read(ctx->device, scan_region_of(plan, SCAN_REGION_N_OVERFLOW), &found, sizeof found, &ctx->error));
  if (found == 0) return SCAN_SUCCESS;
  scan_n_from_note(plan, found);
  return scan_region_clear(plan, SCAN_REGION_N_OVERFLOW);
}

void scan_n_from_keep(scan_plan *plan) {
  (void)read_n_overflow(plan);
  if (plan->fallback != NULL) (void)read_n_overflow(plan->fallback);
}

scan_status scan_n_from_check(scan_ctx *ctx) {
  for (scan_plan *plan = ctx->plans; plan != NULL; plan = plan->next) {
    SCAN_TRY(read_n_overflow(plan));
    if (plan->fallback != NULL) SCAN_TRY(read_n_overflow(plan->fallback));
  }
  const uint64_t n_overflow = ctx->pending_n_overflow;
  ctx->pending_n_overflow = 0;
  if (n_overflow == 0) return SCAN_SUCCESS;
  FAIL_INVALID("args->n_from had %" PRIu64
               " elements, more than the n that the call was given (its plan is for %" PRIu64
               "): what is past n was left out; give room for as many",
               n_overflow, ctx->pending_n_overflow_most);
}
