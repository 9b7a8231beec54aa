/* SPDX-License-Identifier: BSD-2-Clause */
#include <scanrt/scan_tiles.h>

#include "api/shared.h"
#include "base/canonical.h"
#include "base/types.h"
#include "core/regions.h"
#include "core/launch.h"
#include "ops/scan/validate.h"
#include "ops/scan/scan_plan.h"

/* One of the two calls: values of tiles, or of groups of tiles. */
typedef struct tiles_call {
  const char *name;
  scan_strategy strategy;
  uint64_t tiles; /* tiles that each value reduces */
} tiles_call;

static const tiles_call of_tiles = { "scan_tile_values", SCAN_STRATEGY_TILES, 1 };
static const tiles_call of_groups = { "scan_group_values", SCAN_STRATEGY_GROUPS, CANON_GROUP_TILES };

/* 1 if the order of operations may change the result. Operators from source count as such. */
static int order_shows(const scan_problem *problem) {
  if (problem->source != NULL) return 1;
  return scan_type_is_float(problem->type) && (problem->op == SCAN_ADD || problem->op == SCAN_MUL);
}

/* Checks the spec of a call and makes the problem of it, without an initial value. */
static scan_status tiles_check(scan_ctx *ctx, const tiles_call *call, const scan_spec *given, scan_problem *problem) {
  scan_strategy strategy;
  SCAN_TRY(scan_spec_check(ctx, given, problem, &strategy));
  SCAN_TRY(scan_reads_n_refuse(ctx, problem, "the caller allocates a value for each tile, and so knows n"));
  SCAN_TRY(scan_members_refuse(ctx, problem, "tiles are reduced from one array"));
  if (ctx->ops->id == SCAN_BACKEND_HOST)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED, "%s: the host reduces no tiles by themselves; scan its elements",
                     call->name);
  if (problem->segments.kind != SCAN_SEGMENTS_NONE)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED, "%s: spec->segments must be 0", call->name);
  if (!scan_strategy_is_canonical(strategy))
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED,
                     "%s: strategy %s has an order of its own, and no tiles of the canonical one", call->name,
                     scan_strategy_name(strategy));
  if (problem->checks)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED, "%s: SCAN_CHECK_OVERFLOW needs what comes before an element",
                     call->name);
  if (call->tiles > 1 && !order_shows(problem))
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED,
                     "%s: of integers, minima and maxima no order of operations shows; a scan of kind SCAN_TOTAL has "
                     "what any elements come to",
                     call->name);
  problem->kind = SCAN_INCLUSIVE;
  problem->has_init = 0;
  return SCAN_SUCCESS;
}

static scan_status find_values(scan_ctx *ctx, const tiles_call *call, const scan_spec *spec, uint64_t n, scan_mem in,
                               scan_mem values, uint64_t *value_items) {
  scan_problem problem;
  scan_plan *plan;
  SCAN_TRY(scan_ctx_enter(ctx, call->name));
  SCAN_TRY(tiles_check(ctx, call, spec, &problem));
  SCAN_TRY(scan_count_check(ctx, &problem, n, "n"));
  const uint64_t tile_items = canon_tile_items(n, scan_problem_bytes(&problem)), items = call->tiles * tile_items;
  const uint64_t value_bytes = scan_problem_value_bytes(&problem), bytes = n / items * value_bytes;
  if (value_items != NULL) *value_items = items;
  if (bytes == 0) return SCAN_SUCCESS;
  if (in.kind == SCAN_MEM_NONE) return scan_plan_lookup(ctx, &problem, call->strategy, n, &plan);
  if (scan_mem_is_staged(ctx, in))
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED,
                     "%s: in is host memory, which %s does not reach: copy it there (scan_write)", call->name,
                     ctx->caps.info.selector);
  SCAN_TRY(scan_mem_resolve_argument(ctx, &in, n * scan_problem_input_bytes(&problem), 0, "in"));
  if (!scan_mem_aligned(in, scan_problem_input_align(&problem))) FAIL_INVALID("in is not aligned to its elements");
  SCAN_TRY(scan_mem_resolve_argument(ctx, &values, bytes, 1, "values"));
  SCAN_TRY(scan_plan_lookup(ctx, &problem, call->strategy, n, &plan));
  SCAN_TRY(
      scan_plan_launch(plan, &(scan_operands){ .problem = &problem, .in = in, .out = plan->workspace, .n = n }, 0));
  const uint64_t tiles =
      call->tiles > 1 ? canon_tiles(n, scan_problem_bytes(&problem)) : 0; /* stored before the groups */
  const scan_mem found = scan_offset(scan_region_of(plan, SCAN_REGION_STRATEGY), tiles * value_bytes);
  return scan_plan_copy(plan, values, found, bytes);
}

scan_status scan_tile_values(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem values,
                             uint64_t *tile_items) {
  return find_values(ctx, &of_tiles, spec, n, in, values, tile_items);
}

scan_status scan_group_values(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem values,
                              uint64_t *group_items) {
  return find_values(ctx, &of_groups, spec, n, in, values, group_items);
}
