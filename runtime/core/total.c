/* SPDX-License-Identifier: BSD-2-Clause */
/* The total alone: what happens between the launches of strategy_total.c. */
#include "core/carry.h"

#include "base/canonical.h"

/* Tiles are reduced, and the last one's prefix goes where `block` finds its seed: by way of another place, since the
 * two may touch. */
static scan_status reduce_tiles(scan_plan *plan, const scan_schedule *schedule, const scan_kernel_args *args,
                                uint64_t bytes) {
  scan_ctx *ctx = plan->ctx;
  const scan_mem way = scan_carry_way(plan);
  scan_mem prefix = args->workspace, slot = args->workspace;
  prefix.offset_bytes = (schedule->tiles - 1) * bytes;
  slot.offset_bytes = SCAN_CARRY_BYTES;
  scan_status status = scan_plan_step(plan, schedule, 0, args);
  if (status == SCAN_SUCCESS) status = scan_plan_step(plan, schedule, 1, args);
  if (status == SCAN_SUCCESS) status = ctx->ops->copy(ctx->device, way, prefix, bytes, &ctx->error);
  return status == SCAN_SUCCESS ? ctx->ops->copy(ctx->device, slot, way, bytes, &ctx->error) : status;
}

/* By the kernels of a device: `last` becomes where the total is. */
static scan_status launch_tiles(scan_plan *plan, const scan_schedule *schedule, scan_kernel_args *args,
                                const scan_problem *problem, scan_mem *last) {
  const uint64_t bytes = scan_problem_output_bytes(problem), first = (schedule->tiles - 1) * schedule->tile_items;
  *last = args->out = scan_carry_tile(plan);
  last->offset_bytes += (args->n - first - 1) * bytes;
  if (schedule->tiles == 1) return scan_plan_step(plan, schedule, 0, args);
  const scan_status status = reduce_tiles(plan, schedule, args, bytes);
  if (status != SCAN_SUCCESS) return status;
  args->in.offset_bytes += first * scan_problem_input_bytes(problem);
  args->n -= first;
  args->flags |= SCAN_KERNEL_CARRY | SCAN_KERNEL_SEED;
  return scan_plan_step(plan, schedule, 2, args);
}

scan_status scan_total_launch(scan_plan *plan, const scan_problem *problem, const scan_schedule *schedule, uint64_t n,
                              scan_mem in, scan_mem out) {
  scan_ctx *ctx = plan->ctx;
  const uint64_t bytes = scan_problem_output_bytes(problem);
  uint32_t flags = SCAN_KERNEL_INCLUSIVE;
  scan_mem last = out;
  scan_status status = scan_carry_begin(plan, problem, schedule, n, in, &flags);
  if (status != SCAN_SUCCESS) return status;
  scan_kernel_args args;
  scan_plan_args(plan, problem, n, in, out, flags, &args);
  if (ctx->ops->id == SCAN_BACKEND_HOST) {
    status = scan_plan_step(plan, schedule, 0, &args);
  } else {
    status = launch_tiles(plan, schedule, &args, problem, &last);
    if (status == SCAN_SUCCESS) status = ctx->ops->copy(ctx->device, out, last, bytes, &ctx->error);
  }
  if (status != SCAN_SUCCESS || problem->carry_out.kind == SCAN_MEM_NONE) return status;
  return scan_carry_deliver(ctx, last, bytes, problem->carry_out);
}
