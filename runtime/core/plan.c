/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans of any operation: how they are made, found, described and freed. */
#include "core/plan.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/structs.h"
#include "core/op.h"

void scan_plan_release(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  for (int i = 0; i < plan->kernel_count; i++) ctx->ops->kernel_destroy(ctx->device, plan->kernels[i].kernel);
  if (!plan->borrows) (void)scan_device_free(ctx, plan->workspace.handle, plan->workspace_bytes, &ctx->error);
  plan->magic = 0;
  if (plan->fallback) scan_plan_release(plan->fallback);
  if (plan->problem.source) scan_op_drop(ctx, plan->problem.source);
  free(plan->launches);
  free(plan->quick);
  free(plan->own);
  free(plan);
}

/* Allocates the parts of a plan. Returns 0 if host memory runs out. */
static int allocate_parts(scan_plan *plan, size_t own_bytes) {
  if (own_bytes > 0) plan->own = calloc(1, own_bytes);
  plan->launches = calloc(1, sizeof *plan->launches);
  return (own_bytes == 0 || plan->own != NULL) && plan->launches != NULL;
}

scan_status scan_plan_start(scan_ctx *ctx, const scan_plan_ops *ops, size_t own_bytes, const scan_problem *problem,
                            uint64_t max_n, scan_plan **started) {
  scan_plan *plan = calloc(1, sizeof *plan);
  if (plan == NULL) return scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for a plan");
  plan->ctx = ctx;
  plan->ops = ops;
  if (!allocate_parts(plan, own_bytes)) {
    scan_plan_release(plan);
    return scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for a plan");
  }
  plan->caps = ctx->caps;
  plan->problem = *problem;
  plan->max_n = max_n;
  if (problem->source) scan_op_keep(ctx, problem->source);
  *started = plan;
  return SCAN_SUCCESS;
}

scan_status scan_plan_finish(scan_plan *plan, scan_status status, scan_plan **result) {
  if (status != SCAN_SUCCESS) {
    scan_plan_release(plan);
    return status;
  }
  plan->magic = SCAN_PLAN_MAGIC;
  plan->next = plan->ctx->plans;
  plan->ctx->plans = plan;
  *result = plan;
  return SCAN_SUCCESS;
}

scan_plan *scan_plan_find(const scan_ctx *ctx, const scan_key *key, uint64_t n) {
  scan_plan *plan = ctx->plans;
  while (plan != NULL && !(plan->hidden && n <= plan->max_n && scan_key_same(&plan->key, key))) plan = plan->next;
  return plan;
}

scan_status scan_plan_enter(const scan_plan *plan, const char *call) {
  if (plan == NULL) return scan_fail(scan_thread_error(), SCAN_INVALID_ARGUMENT, "%s: plan is NULL", call);
  if (plan->magic != SCAN_PLAN_MAGIC)
    return scan_fail(scan_thread_error(), SCAN_INVALID_ARGUMENT, "%s: plan is not a plan", call);
  return scan_ctx_enter(plan->ctx, call);
}

scan_status scan_plan_info(const scan_plan *plan, scan_plan_facts *info) {
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_info"));
  scan_error *error = &plan->ctx->error;
  if (info == NULL) return scan_fail(error, SCAN_INVALID_ARGUMENT, "scan_plan_info: info is NULL");
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  plan->ops->describe(plan, &facts);
  return scan_struct_give(SCAN_STRUCT_scan_plan_facts, &facts, info, "info", error);
}
