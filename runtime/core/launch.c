/* SPDX-License-Identifier: BSD-2-Clause */
/* The execution of a step, and the kernels of operations that list launches. */
#include <string.h>

#include "core/plan.h"
#include "core/launch.h"

scan_status scan_plan_copy(scan_plan *plan, scan_mem to, scan_mem from, uint64_t bytes) {
  scan_ctx *ctx = plan->ctx;
  if (scan_mem_is_staged(ctx, from)) return ctx->ops->write(ctx->device, to, scan_mem_bytes(from), bytes, &ctx->error);
  if (scan_mem_is_staged(ctx, to)) return ctx->ops->read(ctx->device, from, scan_mem_bytes(to), bytes, &ctx->error);
  return ctx->ops->copy(ctx->device, to, from, bytes, &ctx->error);
}

static scan_mem memory_at(const scan_kernel_args *args, uint16_t place) {
  return *(const scan_mem *)(const void *)((const char *)args + place);
}

scan_status scan_plan_step(scan_plan *plan, const scan_step *step, scan_kernel *kernel, const scan_kernel_args *args) {
  scan_ctx *ctx = plan->ctx;
  if (step->kind == SCAN_STEP_LAUNCH)
    return ctx->ops->launch(ctx->device, kernel, step->groups, step->items_per_group, args, &ctx->error);
  scan_mem to = memory_at(args, step->to);
  if (step->kind == SCAN_STEP_COPY) return scan_plan_copy(plan, to, memory_at(args, step->from), step->bytes);
  to.offset_bytes += step->at;
  return ctx->ops->fill(ctx->device, to, 0, step->bytes, &ctx->error);
}

/* ---- launches that a plan's operation lists ---- */

scan_kernel_key scan_plan_launch_key(const scan_plan *plan, const scan_launch *l) {
  const char *portable = l->source != NULL ? NULL : plan->ops->primitive;
  return (scan_kernel_key){ .file = l->launch.file,
                            .kernel = l->launch.kernel,
                            .arguments = l->launch.arguments,
                            .input_type = l->input_type != 0 ? l->input_type : l->type,
                            .type = l->type,
                            .op = l->source != NULL ? SCAN_OP_NONE : SCAN_ADD,
                            .source = l->source,
                            .subtiles = 1,
                            .group_items = l->group_items,
                            .local_bytes = l->launch.local_bytes,
                            .local_most = l->local_most,
                            .is_cluster = l->is_cluster,
                            .primitive = l->primitive != NULL ? l->primitive : portable };
}

/* Finds a launch's kernel by its name and type; create_kernels stores the type in `subtiles`. */
static scan_kernel *kernel_of(const scan_plan *plan, const scan_launch *l) {
  for (int i = 0; i < plan->kernel_count; i++)
    if (plan->kernels[i].subtiles == (uint32_t)l->type && strcmp(plan->kernels[i].name, l->launch.kernel) == 0)
      return plan->kernels[i].kernel;
  return NULL;
}

static int is_listed(const scan_kernel_key *keys, int count, const scan_kernel_key *key) {
  for (int i = 0; i < count; i++)
    if (keys[i].type == key->type && strcmp(keys[i].kernel, key->kernel) == 0) return 1;
  return 0;
}

/* Lists the keys of the kernels that the plan does not have yet, and returns how many they are; -1 if too many. */
static int list_missing(const scan_plan *plan, const scan_launch *launches, int count,
                        scan_kernel_key keys[SCAN_PLAN_KERNELS]) {
  int missing = 0;
  for (int i = 0; i < count; i++) {
    const scan_kernel_key key = scan_plan_launch_key(plan, &launches[i]);
    if (kernel_of(plan, &launches[i]) != NULL || is_listed(keys, missing, &key)) continue;
    if (plan->kernel_count + missing == SCAN_PLAN_KERNELS) return -1;
    keys[missing++] = key;
  }
  return missing;
}

static scan_status create_kernels(scan_plan *plan, const scan_launch *launches, int count) {
  scan_ctx *ctx = plan->ctx;
  scan_kernel_key keys[SCAN_PLAN_KERNELS];
  const int missing = list_missing(plan, launches, count, keys);
  if (missing < 0)
    return scan_fail(&ctx->error, SCAN_BUILD_FAILED, "internal: more than %d kernels in a plan", SCAN_PLAN_KERNELS);
  if (missing > 0 && ctx->ops->kernels_prepare != NULL) ctx->ops->kernels_prepare(ctx->device, keys, missing);
  for (int i = 0; i < missing; i++) {
    scan_plan_kernel *own = &plan->kernels[plan->kernel_count];
    SCAN_TRY(ctx->ops->kernel_create(ctx->device, &keys[i], &own->kernel, &ctx->error));
    own->name = keys[i].kernel;
    own->subtiles = (uint32_t)keys[i].type;
    plan->kernel_count++;
  }
  return SCAN_SUCCESS;
}

scan_status scan_plan_launches_create(scan_plan *plan, uint64_t n, uint32_t variant) {
  scan_launches *l = plan->launches; /* not on the stack, which the library takes little of */
  l->n = 0;
  l->count = plan->ops->list(plan, n, variant, l->of);
  return create_kernels(plan, l->of, l->count);
}

scan_status scan_plan_launches_find(scan_plan *plan, uint64_t n, uint32_t variant) {
  scan_launches *l = plan->launches;
  if (l->n == n && l->variant == variant) return SCAN_SUCCESS;
  l->n = 0;
  l->count = plan->ops->list(plan, n, variant, l->of);
  for (int i = 0; i < l->count; i++) {
    l->kernels[i] = kernel_of(plan, &l->of[i]);
    if (l->kernels[i] == NULL)
      return scan_fail(&plan->ctx->error, SCAN_BUILD_FAILED, "internal: the plan has no %s", l->of[i].launch.kernel);
  }
  l->n = n;
  l->variant = variant;
  return SCAN_SUCCESS;
}

scan_status scan_plan_launch_once(scan_plan *plan, const scan_launch *l, const scan_kernel_args *args) {
  scan_ctx *ctx = plan->ctx;
  SCAN_TRY(create_kernels(plan, l, 1));
  return ctx->ops->launch(ctx->device, kernel_of(plan, l), l->launch.groups, l->launch.items_per_group, args,
                          &ctx->error);
}
