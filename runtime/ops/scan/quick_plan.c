/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/scan/quick_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "strategy/strategy.h"

enum { ALONE = 2 }; /* scan_tuning.background: no stage follows */

int scan_quick_pays(const scan_plan *plan, const scan_wanted *wanted) {
  const scan_ctx *ctx = plan->ctx;
  return ctx->ops->kernels_begin != NULL && plan->caps.tuning.background && plan->problem.source != NULL &&
         plan->forced == SCAN_STRATEGY_AUTO && !ctx->ops->kernels_are_kept(ctx->device, wanted->keys, wanted->count);
}

/* Leaves the stages from number i on to the kernels before them. */
static void drop_stages(scan_plan *plan, int i) {
  plan->quick->count = i;
  if (i > 0) return;
  free(plan->quick);
  plan->quick = NULL;
}

/* Takes the kernels of stage i if they are compiled. Returns 1 if it did. */
static int stage_take(scan_plan *plan, int i) {
  scan_ctx *ctx = plan->ctx;
  const scan_quick_stage *stage = &plan->quick->stages[i];
  scan_kernel *kernels[SCAN_PLAN_KERNELS];
  const scan_compile_state state =
      ctx->ops->kernels_take(ctx->device, stage->wanted.keys, stage->wanted.count, kernels);
  if (state == SCAN_COMPILE_FAILED) drop_stages(plan, i);
  if (state != SCAN_COMPILE_DONE) return 0;
  scan_plan_replace_kernels(plan, &stage->wanted, kernels);
  plan->caps.avoids = stage->avoids;
  plan->is_quick = 0;
  scan_log(SCAN_LOG_DEBUG, "%d kernels that were compiled in the background take over", stage->wanted.count);
  return 1;
}

/* Creates the kernels of a launch that the plan does not have. */
static scan_status want_launch(scan_plan *plan, uint64_t n, uint32_t variant) {
  scan_wanted wanted = { .count = 0 };
  if (plan->launches->n == n && plan->launches->variant == variant) return SCAN_SUCCESS;
  SCAN_TRY(scan_plan_want(plan, n, variant, &wanted));
  return scan_plan_create_kernels(plan, &wanted);
}

scan_status scan_quick_advance(scan_plan *plan, uint64_t n, uint32_t variant) {
  for (int i = plan->quick != NULL ? plan->quick->count - 1 : -1; i >= 0; i--) {
    if (!stage_take(plan, i)) continue;
    const int later = plan->quick->count - 1 - i;
    for (int k = 0; k < later; k++) plan->quick->stages[k] = plan->quick->stages[i + 1 + k];
    drop_stages(plan, later);
    break;
  }
  return plan->is_quick ? want_launch(plan, n, variant) : SCAN_SUCCESS;
}

int scan_quick_is_same(const scan_wanted *a, const scan_wanted *b) {
  int is_same = a->count == b->count;
  for (int i = 0; i < a->count && is_same; i++)
    is_same = strcmp(a->keys[i].kernel, b->keys[i].kernel) == 0 && a->keys[i].subtiles == b->keys[i].subtiles;
  return is_same;
}

scan_status scan_quick_begin(scan_plan *plan, scan_quick *quick, uint64_t n) {
  scan_ctx *ctx = plan->ctx;
  const scan_quick_stage *last = &quick->stages[quick->count - 1];
  plan->regions[SCAN_REGION_VALUES].bytes = scan_strategy_reduce_then_scan.workspace_bytes(&plan->problem, plan->max_n);
  plan->quick = quick;
  plan->is_quick = 1;
  plan->caps.avoids |= SCAN_AVOID_PIPELINED | SCAN_AVOID_LOOKBACK;
  SCAN_TRY(want_launch(plan, n, 0));
  if (plan->caps.tuning.background == ALONE) {
    drop_stages(plan, 0);
    return SCAN_SUCCESS;
  }
  int begun = 1;
  for (int i = 0; i < quick->count && begun; i++)
    begun = ctx->ops->kernels_begin(ctx->device, quick->stages[i].wanted.keys, quick->stages[i].wanted.count);
  if (begun) return SCAN_SUCCESS;
  const scan_wanted none = { .count = 0 };
  scan_plan_replace_kernels(plan, &none, NULL);
  plan->caps.avoids = last->avoids;
  plan->is_quick = 0;
  const scan_status status = scan_plan_create_kernels(plan, &last->wanted);
  drop_stages(plan, 0);
  return status;
}
