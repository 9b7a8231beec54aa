/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan.h"
#include "core/regions.h"

enum { ALIGN = 64, BY_RUNS = -1 };

/* The byte that a region is filled with when it is made and cleared; BY_RUNS: none, since a run writes the region
 * before it reads it. */
static const int fill[SCAN_REGIONS] = {
  [SCAN_REGION_STRATEGY] = 0, /* look-back's state; look-back leaves it clear, progress.c clears it after a failure */
  [SCAN_REGION_CARRY] = BY_RUNS,      /* copy of carry_in, if kernels cannot read it in place */
  [SCAN_REGION_COUNT] = BY_RUNS,      /* compaction: a count without memory of its own */
  [SCAN_REGION_SEED] = BY_RUNS,       /* seed that scans of no elements leave; written with the plan (carry.c) */
  [SCAN_REGION_FLAG_BITS] = BY_RUNS,  /* bits made of marks: beginnings of segments, or elements that are kept */
  [SCAN_REGION_CHECKS] = UINT8_MAX,   /* overflow: places that kernels noted, none at first; overflow.c clears them */
  [SCAN_REGION_N_OVERFLOW] = 0,       /* an n_from that was too large, none at first; n_from.c clears what it read */
  [SCAN_REGION_SCRATCH] = BY_RUNS,    /* compaction, sorting: copy of an array that is overwritten */
  [SCAN_REGION_PLACES] = BY_RUNS,     /* compaction in one launch: places of tiles, for later launches */
  [SCAN_REGION_RUN_STARTS] = BY_RUNS, /* reduction by key: bits of the first elements of runs */
  [SCAN_REGION_VALUES] = BY_RUNS,     /* reduction by key: the scan's values; sorting: values between two passes;
                                         scans by kernels that compile fastest: the tiles' values */
  [SCAN_REGION_LEFT] = BY_RUNS,       /* partition: number of elements not kept, which the second pass reads */
  [SCAN_REGION_DIGITS] = 0,           /* sorting: counts of all passes' digits; onesweep clears what must be clear */
  [SCAN_REGION_KEYS] = BY_RUNS,       /* sorting: sorted keys that are not wanted */
  [SCAN_REGION_KEYS_SPARE] = BY_RUNS, /* sorting: keys between two passes */
  [SCAN_REGION_INDICES] = BY_RUNS,    /* sorting: sorted indices by which arrays are gathered */
  [SCAN_REGION_BUCKETS] = BY_RUNS     /* split, histogram: each element's bucket */
};

scan_mem scan_region_of(const scan_plan *plan, scan_region_id id) {
  if (plan->regions[id].bytes == 0) return SCAN_NO_MEM;
  scan_mem mem = plan->workspace;
  mem.offset_bytes += plan->regions[id].at;
  return mem;
}

scan_mem scan_n_overflow_of(const scan_plan *plan, uint32_t clamps) {
  scan_mem n_overflow = scan_region_of(plan, SCAN_REGION_N_OVERFLOW);
  if (clamps) n_overflow.offset_bytes += sizeof(uint64_t);
  return n_overflow;
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
    plan->workspace_bytes += scan_round_up(plan->regions[id].bytes, ALIGN);
  }
  SCAN_TRY(scan_device_alloc(ctx, plan->workspace_bytes, &handle));
  plan->workspace = scan_mem_of_device(ctx, handle, plan->workspace_bytes);
  for (int id = 0; id < SCAN_REGIONS; id++) SCAN_TRY(scan_region_clear(plan, (scan_region_id)id));
  return SCAN_SUCCESS;
}
