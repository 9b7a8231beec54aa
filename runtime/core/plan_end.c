/* SPDX-License-Identifier: BSD-2-Clause */
/* How plans end: what their scans have to tell is kept by the context. */
#include "core/plan.h"

static void unlink_plan(scan_plan *plan) {
  scan_plan **at = &plan->ctx->plans;
  while (*at != NULL && *at != plan) at = &(*at)->next;
  if (*at != NULL) *at = plan->next;
}

/* The plan that one of arrays scans its lines with; NULL: none. */
static scan_plan *each_of(const scan_plan *plan) { return plan->array ? plan->array_ops->each(plan) : NULL; }

void scan_plan_destroy(scan_plan *plan) {
  if (plan == NULL || scan_plan_enter(plan, "scan_plan_destroy") != SCAN_SUCCESS) return;
  if (plan->ctx->ops->sync(plan->ctx->device, &plan->ctx->error) == SCAN_SUCCESS) scan_plan_settle(plan);
  scan_plan *each = each_of(plan);
  unlink_plan(plan);
  scan_plan_release(plan);
  scan_plan_destroy(each);
}

void scan_plans_forget(scan_ctx *ctx, const scan_source *source) {
  for (scan_plan *plan = ctx->plans; plan != NULL;) {
    if (!plan->hidden || plan->problem.source != source) {
      plan = plan->next;
      continue;
    }
    scan_plan *each = each_of(plan);
    scan_plan_settle(plan);
    unlink_plan(plan);
    scan_plan_release(plan);
    if (each != NULL) {
      scan_plan_settle(each);
      unlink_plan(each);
      scan_plan_release(each);
    }
    plan = ctx->plans;
  }
}

void scan_plans_release(scan_ctx *ctx) {
  while (ctx->plans != NULL) {
    scan_plan *plan = ctx->plans;
    ctx->plans = plan->next;
    scan_plan_release(plan);
  }
}
