/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of plans, and the execution of a step. */
#include "core/launch.h"

#include <inttypes.h>
#include <string.h>

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

/* ---- kernels ---- */

scan_kernel_key scan_launch_key(const scan_launch *l, const char *primitive) {
  const char *portable = l->source != NULL ? NULL : primitive;
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
                            .is_cluster = l->is_cluster,
                            .primitive = l->primitive != NULL ? l->primitive : portable };
}

scan_plan_facts scan_launch_facts(const scan_plan *plan, const scan_launch *launches, int count, uint64_t tile_items) {
  return (scan_plan_facts){ .struct_bytes = sizeof(scan_plan_facts),
                            .strategy = SCAN_STRATEGY_AUTO,
                            .max_n = plan->max_n,
                            .tile_items = tile_items,
                            .tiles = plan->max_n / tile_items + (plan->max_n % tile_items != 0),
                            .workspace_bytes = plan->workspace_bytes,
                            .launches = (uint32_t)count,
                            .groups = launches[0].launch.groups,
                            .items_per_group = launches[0].launch.items_per_group,
                            .work = plan->max_n };
}

/* Finds the plan's kernel with the name, type and tile size of the key; NULL if it has none. */
static scan_kernel *find_kernel(const scan_plan *plan, const scan_kernel_key *key) {
  for (int i = 0; i < plan->kernel_count; i++) {
    const scan_plan_kernel *k = &plan->kernels[i];
    if (k->type == key->type && k->subtiles == key->subtiles && strcmp(k->name, key->kernel) == 0) return k->kernel;
  }
  return NULL;
}

static int is_wanted(const scan_wanted *wanted, const scan_kernel_key *key) {
  for (int i = 0; i < wanted->count; i++) {
    const scan_kernel_key *w = &wanted->keys[i];
    if (w->type == key->type && w->subtiles == key->subtiles && strcmp(w->kernel, key->kernel) == 0) return 1;
  }
  return 0;
}

static scan_status want_kernel(scan_plan *plan, const scan_launch *launch, scan_wanted *wanted) {
  const scan_kernel_key key = plan->ops->key(plan, launch);
  if (launch->launch.kind != SCAN_STEP_LAUNCH || find_kernel(plan, &key) != NULL || is_wanted(wanted, &key))
    return SCAN_SUCCESS;
  if (plan->kernel_count + wanted->count == SCAN_PLAN_KERNELS)
    return scan_fail(&plan->ctx->error, SCAN_BUILD_FAILED, "internal: more than %d kernels in a plan",
                     SCAN_PLAN_KERNELS);
  wanted->keys[wanted->count++] = key;
  return SCAN_SUCCESS;
}

scan_status scan_plan_want(scan_plan *plan, uint64_t n, uint32_t variant, scan_wanted *wanted) {
  scan_launches *l = plan->launches; /* not on the stack, which the library takes little of */
  l->n = 0;
  l->count = plan->ops->list(plan, n, variant, l->of);
  for (int i = 0; i < l->count; i++) SCAN_TRY(want_kernel(plan, &l->of[i], wanted));
  return SCAN_SUCCESS;
}

/* Adds a kernel that was made for the key. */
static void plan_add_kernel(scan_plan *plan, const scan_kernel_key *key, scan_kernel *kernel) {
  plan->kernels[plan->kernel_count++] =
      (scan_plan_kernel){ .name = key->kernel, .type = key->type, .subtiles = key->subtiles, .kernel = kernel };
}

scan_status scan_plan_create_kernels(scan_plan *plan, const scan_wanted *wanted) {
  scan_ctx *ctx = plan->ctx;
  scan_kernel *kernel;
  if (wanted->count > 0 && ctx->ops->kernels_prepare != NULL)
    ctx->ops->kernels_prepare(ctx->device, wanted->keys, wanted->count);
  for (int i = 0; i < wanted->count; i++) {
    SCAN_TRY(ctx->ops->kernel_create(ctx->device, &wanted->keys[i], &kernel, &ctx->error));
    plan_add_kernel(plan, &wanted->keys[i], kernel);
  }
  return SCAN_SUCCESS;
}

void scan_plan_replace_kernels(scan_plan *plan, const scan_wanted *wanted, scan_kernel *const *kernels) {
  scan_ctx *ctx = plan->ctx;
  while (plan->kernel_count > 0) ctx->ops->kernel_destroy(ctx->device, plan->kernels[--plan->kernel_count].kernel);
  for (int i = 0; i < wanted->count; i++) plan_add_kernel(plan, &wanted->keys[i], kernels[i]);
  plan->launches->n = 0;
}

/* ---- launches ---- */

scan_status scan_plan_list_launches(scan_plan *plan, uint64_t n, uint32_t variant) {
  scan_launches *l = plan->launches;
  l->n = 0;
  l->count = plan->ops->list(plan, n, variant, l->of);
  for (int i = 0; i < l->count; i++) {
    if (l->of[i].launch.kind != SCAN_STEP_LAUNCH) continue;
    const scan_kernel_key key = plan->ops->key(plan, &l->of[i]);
    l->kernels[i] = find_kernel(plan, &key);
    if (l->kernels[i] == NULL)
      return scan_fail(&plan->ctx->error, SCAN_BUILD_FAILED, "internal: the plan has no %s for n = %" PRIu64,
                       key.kernel, n);
  }
  l->n = n;
  l->variant = variant;
  return SCAN_SUCCESS;
}

scan_status scan_plan_launch_once(scan_plan *plan, const scan_launch *l, const scan_kernel_args *args) {
  scan_ctx *ctx = plan->ctx;
  scan_wanted wanted = { .count = 0 };
  const scan_kernel_key key = plan->ops->key(plan, l);
  SCAN_TRY(want_kernel(plan, l, &wanted));
  SCAN_TRY(scan_plan_create_kernels(plan, &wanted));
  return ctx->ops->launch(ctx->device, find_kernel(plan, &key), l->launch.groups, l->launch.items_per_group, args,
                          &ctx->error);
}
