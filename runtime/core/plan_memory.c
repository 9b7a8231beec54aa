/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans in memory of the caller's. */
#include <inttypes.h>

#include "core/plan.h"
#include "core/progress.h"
#include "core/regions.h"

enum { ALIGN = 256 };

/* Bytes of the plan and of its inner plans, which lie one behind the other. */
static uint64_t memory_bytes(const scan_plan *plan) {
  uint64_t bytes = 0;
  for (; plan != NULL; plan = plan->inner) bytes += scan_round_up(plan->workspace_bytes, ALIGN);
  return bytes;
}

scan_status scan_plan_memory_bytes(const scan_plan *plan, uint64_t *bytes) {
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_memory_bytes"));
  scan_ctx *ctx = plan->ctx;
  if (bytes == NULL) FAIL_INVALID("scan_plan_memory_bytes: bytes is NULL");
  *bytes = memory_bytes(plan);
  return SCAN_SUCCESS;
}

static int is_part_of(const scan_plan *part, const scan_plan *plan) {
  while (plan != NULL && plan != part) plan = plan->inner;
  return plan != NULL;
}

static scan_status check_memory(const scan_plan *plan, scan_mem *memory) {
  scan_ctx *ctx = plan->ctx;
  const uint64_t bytes = memory_bytes(plan);
  for (const scan_plan *part = plan; part != NULL; part = part->inner)
    if (part->recorded) FAIL_INVALID("the plan's launches are in a CUDA graph, which has the addresses of its memory");
  SCAN_TRY(scan_mem_resolve_argument(ctx, memory, bytes, 0, "memory"));
  if (!scan_mem_aligned(*memory, ALIGN)) FAIL_INVALID("memory is not aligned to %d bytes", ALIGN);
  for (const scan_plan *other = ctx->plans; other != NULL; other = other->next)
    if (other->borrows && !is_part_of(other, plan) &&
        scan_mem_shared(ctx, *memory, bytes, other->workspace, other->workspace_bytes))
      FAIL_INVALID("memory overlaps that of another plan: plans keep state between runs, and share no memory");
  return SCAN_SUCCESS;
}

/* Moves one plan, without its inner plans. The device is idle. */
static scan_status move_plan(scan_plan *plan, scan_mem memory) {
  scan_ctx *ctx = plan->ctx;
  if (!plan->borrows) SCAN_TRY(scan_device_free(ctx, plan->workspace.handle, plan->workspace_bytes, &ctx->error));
  plan->workspace = memory;
  plan->borrows = 1;
  for (int id = 0; id < SCAN_REGIONS; id++) SCAN_TRY(scan_region_clear(plan, (scan_region_id)id));
  return plan->ops->write_constants != NULL ? plan->ops->write_constants(plan) : SCAN_SUCCESS;
}

scan_status scan_plan_use_memory(scan_plan *plan, scan_mem memory) {
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_use_memory"));
  scan_ctx *ctx = plan->ctx;
  if (memory_bytes(plan) == 0) return SCAN_SUCCESS;
  SCAN_TRY(check_memory(plan, &memory));
  SCAN_TRY(ctx->ops->sync(ctx->device, &ctx->error));
  for (scan_plan *part = plan; part != NULL; part = part->inner) {
    scan_plan_settle(part);
    if (part->workspace_bytes > 0) SCAN_TRY(move_plan(part, memory));
    memory.offset_bytes += scan_round_up(part->workspace_bytes, ALIGN);
  }
  return SCAN_SUCCESS;
}
