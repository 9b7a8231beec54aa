/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of plans. The context keeps the errors of their scans that are not reported yet. */
#include "core/plan.h"
#include "core/progress.h"

void scan_plan_end(scan_plan *plan, int is_idle) {
  scan_plan **at = &plan->ctx->plans, *inner = plan->inner;
  if (is_idle) scan_plan_settle(plan);
  while (*at != NULL && *at != plan) at = &(*at)->next;
  if (*at != NULL) *at = plan->next;
  scan_plan_release(plan);
  if (inner != NULL) scan_plan_end(inner, is_idle);
}

void scan_plan_destroy(scan_plan *plan) {
  if (plan == NULL || scan_plan_enter(plan, "scan_plan_destroy") != SCAN_SUCCESS) return;
  scan_plan_end(plan, plan->ctx->ops->sync(plan->ctx->device, &plan->ctx->error) == SCAN_SUCCESS);
}

void scan_plans_forget(scan_ctx *ctx, const scan_source *source) {
  for (scan_plan *plan = ctx->plans, *next; plan != NULL; plan = next) {
    const int ends = plan->hidden && plan->problem.source == source;
    next = plan->next;
    if (!ends) continue;
    scan_plan_end(plan, 1);
    next = ctx->plans; /* the next plan may have been the inner plan, which is freed */
  }
}

void scan_plans_release(scan_ctx *ctx) {
  while (ctx->plans != NULL) {
    scan_plan *plan = ctx->plans;
    ctx->plans = plan->next;
    scan_plan_release(plan);
  }
}
