/* SPDX-License-Identifier: BSD-2-Clause */
#include <scanrt/scan_tiles.h>

#include "api/shared.h"
#include "base/canonical.h"

/* The spec of a scan, without what it begins from and what it leaves. */
static scan_status check(scan_ctx *ctx, const scan_spec *given, scan_problem *problem) {
  scan_strategy strategy;
  SCAN_TRY(scan_spec_check(ctx, given, problem, &strategy));
  if (ctx->ops->id == SCAN_BACKEND_HOST)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED,
                     "scan_tile_values: the host reduces no tiles by themselves; scan its elements");
  if (problem->segments.kind != SCAN_SEGMENTS_NONE)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED, "scan_tile_values: spec->segments must be 0");
  if (!scan_strategy_is_canonical(strategy))
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED,
                     "scan_tile_values: strategy %s has an order of its own, and no tiles of the canonical one",
                     scan_strategy_name(strategy));
  if (problem->checks)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED,
                     "scan_tile_values: SCAN_CHECK_OVERFLOW needs what comes before an element");
  problem->kind = SCAN_INCLUSIVE;
  problem->has_init = 0;
  return SCAN_SUCCESS;
}

scan_status scan_tile_values(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem values,
                             uint64_t *tile_items) {
  scan_problem problem;
  scan_plan *plan;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_tile_values"));
  SCAN_TRY(check(ctx, spec, &problem));
  SCAN_TRY(scan_count_check(ctx, &problem, n, "n"));
  const uint64_t items = canon_tile_items(n, scan_problem_bytes(&problem));
  const uint64_t bytes = n / items * scan_problem_value_bytes(&problem);
  if (tile_items != NULL) *tile_items = items;
  if (bytes == 0) return SCAN_SUCCESS;
  if (scan_mem_is_staged(ctx, in))
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED,
                     "scan_tile_values: in is host memory, which %s does not reach: copy it there (scan_write)",
                     ctx->caps.info.selector);
  SCAN_TRY(scan_mem_take(ctx, &in, n * scan_problem_input_bytes(&problem), 0, "in"));
  if (!scan_mem_aligned(in, scan_problem_input_align(&problem))) REFUSE("in is not aligned to its elements");
  SCAN_TRY(scan_mem_take(ctx, &values, bytes, 1, "values"));
  SCAN_TRY(scan_plan_lookup(ctx, &problem, SCAN_STRATEGY_TILES, n, &plan));
  SCAN_TRY(scan_plan_launch(plan, &problem, n, in, plan->workspace, 0));
  return scan_plan_copy(plan, values, scan_region_of(plan, SCAN_REGION_STRATEGY), bytes);
}
