/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-backs that gave up: the host finds them when it waits anyway, reports them, clears their workspace and makes
 * AUTO choose other strategies. */
#include "core/plan.h"
#include "core/regions.h"
#include "core/progress.h"
#include "core/n_from.h"
#include "core/overflow.h"

/* Reads the control block. Sets *failed to 1 if a look-back gave up, did not write all its tiles, or ended before it
 * had closed its control block. The last test is not made on CUDA, where a graph may be running right now. */
static scan_status check_one(scan_plan *plan, int *failed) {
  scan_ctx *ctx = plan->ctx;
  uint32_t words[SCAN_CONTROL_ERROR_BYTES / 4 + 1];
  SCAN_TRY(ctx->ops->read(ctx->device, plan->workspace, words, sizeof words, &ctx->error));
  const scan_strategy_ops *forced = scan_strategy_get(plan->forced); /* strategies that AUTO chooses close it */
  const int closes = ctx->ops->id != SCAN_BACKEND_CUDA && (forced == NULL || forced->finishes_launch);
  const int is_open = closes && words[0] != 0;
  if (!is_open && words[SCAN_CONTROL_ERROR_BYTES / 4] == 0) return SCAN_SUCCESS;
  *failed = 1;
  return scan_region_clear(plan, SCAN_REGION_STRATEGY);
}

/* Makes AUTO choose only strategies that do not wait. Hidden plans of AUTO are not found again, so scan_run makes new
 * ones. A caller's plan of AUTO gets a fallback plan, if there is memory for it. The old plans are not freed: a graph
 * may have recorded their launches. */
static void retire_plans(scan_ctx *ctx) {
  if (ctx->caps.has_stalled) return;
  ctx->caps.has_stalled = 1;
  ctx->caps.info.has_fair_progress = 0;
  for (scan_plan *plan = ctx->plans, *fallback = NULL; plan != NULL; plan = plan->next) {
    if (plan->forced != SCAN_STRATEGY_AUTO || !plan->has_control_block || plan->fallback != NULL) continue;
    if (plan->hidden) {
      plan->hidden = 0;
    } else if (plan->ops->make_fallback != NULL && plan->ops->make_fallback(plan, &fallback) == SCAN_SUCCESS) {
      ctx->plans = fallback->next; /* the fallback belongs to its plan alone */
      plan->fallback = fallback;
    }
  }
}

void scan_plan_settle(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  int failed = 0;
  if (plan->unchecked) (void)check_one(plan, &failed);
  plan->unchecked = 0;
  if (!failed) {
    scan_overflow_keep(plan);
    scan_n_from_keep(plan);
    return;
  }
  ctx->pending_no_progress = 1;
  if (plan->ran_in_place) ctx->pending_in_place = 1;
}

scan_status scan_plans_check(scan_ctx *ctx) {
  int failed = ctx->pending_no_progress, in_place = ctx->pending_in_place;
  for (scan_plan *plan = ctx->plans; plan != NULL; plan = plan->next) {
    int this_one = 0;
    if (!plan->unchecked) continue;
    plan->unchecked = plan->recorded;
    SCAN_TRY(check_one(plan, &this_one));
    if (this_one) failed = 1;
    if (this_one && plan->ran_in_place) in_place = 1;
    plan->ran_in_place = 0;
  }
  if (!failed) return scan_overflow_check(ctx);
  ctx->pending_no_progress = 0;
  ctx->pending_in_place = 0;
  scan_overflow_forget(ctx); /* noted from invalid prefixes */
  retire_plans(ctx);
  return scan_fail(
      &ctx->error, SCAN_NO_PROGRESS,
      "a look-back on %s gave up waiting for another work-group, or was cut short; the output is unspecified: %sscan "
      "again with strategy reduce_then_scan, which this context's AUTO takes from now on",
      ctx->caps.info.selector, in_place ? "restore what was scanned in place and " : "");
}

scan_status scan_plans_wait(scan_ctx *ctx) {
  SCAN_TRY(ctx->ops->sync(ctx->device, &ctx->error));
  return scan_plans_check(ctx);
}

scan_status scan_plans_report(scan_ctx *ctx) {
  SCAN_TRY(scan_plans_check(ctx));
  return scan_n_from_check(ctx);
}

int scan_plans_are_checked(const scan_ctx *ctx) {
  for (const scan_plan *plan = ctx->plans; plan != NULL; plan = plan->next)
    if (plan->unchecked) return 0;
  return !ctx->pending_no_progress;
}
