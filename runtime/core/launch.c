/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan's kernels: which one, with which arguments. */
#include <inttypes.h>
#include <string.h>

#include "core/plan.h"

scan_kernel *scan_plan_kernel_find(const scan_plan *plan, const char *name, uint32_t subtiles) {
  for (int i = 0; i < plan->kernel_count; i++)
    if (plan->kernels[i].subtiles == subtiles &&
        (plan->kernels[i].name == name || strcmp(plan->kernels[i].name, name) == 0))
      return plan->kernels[i].kernel;
  return NULL;
}

/* Field by field: as one value they are cleared first, in a quarter of the time that a short scan takes on the host. */
void scan_plan_args(const scan_plan *plan, const scan_problem *problem, uint64_t n, scan_mem in, scan_mem out,
                    uint32_t flags, scan_kernel_args *args) {
  const scan_mem none = { .kind = SCAN_MEM_NONE };
  args->in = in;
  args->out = out;
  args->workspace = plan->workspace;
  args->n = n;
  args->seed_bits = problem->seed_bits;
  args->tile_capacity = plan->tile_capacity;
  args->flags =
      flags | (problem->has_seed ? SCAN_KERNEL_SEED : 0u) | (plan->problem.backward ? SCAN_KERNEL_TURNED : 0u);
  args->spin_limit = 1;
  args->carry = none;
  args->keep = none;
  args->seed_more = problem->source != NULL ? problem->seed_more : NULL;
  args->heads = none;
  args->checks = none;
  args->steps = NULL;
}

scan_status scan_plan_step(scan_plan *plan, const scan_schedule *schedule, int step, const scan_kernel_args *args) {
  scan_ctx *ctx = plan->ctx;
  const scan_step *s = &schedule->steps[step];
  scan_kernel *kernel = scan_plan_kernel_find(plan, s->kernel, schedule->subtiles);
  if (kernel == NULL)
    return scan_fail(&ctx->error, SCAN_BUILD_FAILED, "internal: the plan has no %s for n = %" PRIu64, s->kernel,
                     args->n);
  return ctx->ops->launch(ctx->device, kernel, s->groups, s->items_per_group, args, &ctx->error);
}
