/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan.h"
#include "core/regions.h"

enum { ALIGN = 64, BY_RUNS = -1 };

/* The byte that a region is filled with when it is made; BY_RUNS: a run writes what it then reads. */
static const int fill[SCAN_REGIONS] = {
  [SCAN_REGION_STRATEGY] = 0,       /* a board; the look-back leaves it clear, and progress.c after SCAN_NO_PROGRESS */
  [SCAN_REGION_CARRY] = BY_RUNS,    /* what comes in, where kernels cannot read it at its place */
  [SCAN_REGION_KEEP] = BY_RUNS,     /* what is left, for the host */
  [SCAN_REGION_SEED] = BY_RUNS,     /* what scans of no elements leave: written with the plan (carry.c) */
  [SCAN_REGION_HEADS] = BY_RUNS,    /* bits of the segments' offsets */
  [SCAN_REGION_CHECKS] = UINT8_MAX, /* overflow: no index yet; overflow.c, once it has read one */
  [SCAN_REGION_EXCESS] = 0,         /* compaction: n was never too large; select_run.c, once it has read that it was */
  [SCAN_REGION_SCRATCH] = BY_RUNS,  /* compaction: an array that is written over */
  [SCAN_REGION_PLACES] = BY_RUNS,   /* compaction in one launch: places of tiles, for the launches that need them */
  [SCAN_REGION_BEGINS] = BY_RUNS,   /* bits of the first elements of runs, where their last ones are kept */
  [SCAN_REGION_VALUES] = BY_RUNS,   /* what is scanned, of which the ends of runs are then kept */
  [SCAN_REGION_LEFT] = BY_RUNS,     /* compaction: how many are not kept, which the next one reads */
  [SCAN_REGION_DIGITS] = 0,         /* sorting: all passes' digits, which sweeps leave clear where they must be, */
  [SCAN_REGION_KEYS] = BY_RUNS,     /* sorted keys that are not wanted, */
  [SCAN_REGION_KEYS_SPARE] = BY_RUNS, /* and keys between two passes; SCAN_REGION_VALUES has what goes with them, */
  [SCAN_REGION_INDICES] = BY_RUNS,    /* this indices that are not wanted, */
  [SCAN_REGION_BUCKETS] = BY_RUNS     /* and this what a bucket function says */
};

scan_mem scan_region_of(const scan_plan *plan, scan_region_id id) {
  if (plan->regions[id].bytes == 0) return SCAN_NO_MEM;
  scan_mem mem = plan->workspace;
  mem.offset_bytes += plan->regions[id].at;
  return mem;
}

scan_mem scan_excess_of(const scan_plan *plan, uint32_t clamps) {
  scan_mem excess = scan_region_of(plan, SCAN_REGION_EXCESS);
  if (clamps) excess.offset_bytes += sizeof(uint64_t);
  return excess;
}

scan_status scan_region_clear(scan_plan *plan, scan_region_id id) {
  scan_ctx *ctx = plan->ctx;
  const uint64_t bytes = plan->regions[id].bytes;
  if (bytes == 0 || fill[id] == BY_RUNS) return SCAN_SUCCESS;
  return ctx->ops->fill(ctx->device, scan_region_of(plan, id), (uint8_t)fill[id], bytes, &ctx->error);
}

scan_status scan_regions_make(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  void *handle = NULL;
  plan->workspace_bytes = 0;
  for (int id = 0; id < SCAN_REGIONS; id++) {
    plan->regions[id].at = plan->workspace_bytes;
    plan->workspace_bytes += (plan->regions[id].bytes + ALIGN - 1) / ALIGN * ALIGN;
  }
  SCAN_TRY(scan_device_alloc(ctx, plan->workspace_bytes, &handle));
  plan->workspace = scan_mem_of_device(ctx, handle, plan->workspace_bytes);
  for (int id = 0; id < SCAN_REGIONS; id++) SCAN_TRY(scan_region_clear(plan, (scan_region_id)id));
  return SCAN_SUCCESS;
}
