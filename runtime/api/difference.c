/* SPDX-License-Identifier: BSD-2-Clause */
#include <scanrt/scan_difference.h>

#include "api/shared.h"
#include "base/structs.h"
#include "ops/scan/validate.h"
#include "ops/scan/scan_plan.h"

/* Checks the spec of a sum whose inverse is wanted, and makes the problem of the differences. */
static scan_status difference_check(scan_ctx *ctx, const scan_spec *given, scan_problem *problem) {
  scan_spec spec = { 0 };
  scan_strategy strategy;
  SCAN_TRY(scan_spec_check(ctx, given, problem, &strategy));
  (void)scan_struct_copy_in(SCAN_STRUCT_scan_spec, &spec, given, "spec", &ctx->error);
  const int widens = spec.input_type != SCAN_TYPE_DEFAULT && spec.input_type != spec.type;
  if (spec.custom_op != NULL || spec.op != SCAN_ADD || spec.kind != SCAN_INCLUSIVE || widens || spec.has_init ||
      spec.segments != SCAN_SEGMENTS_NONE || (spec.flags & ~(uint32_t)SCAN_BACKWARD) != 0 ||
      spec.strategy != SCAN_STRATEGY_AUTO)
    FAIL_INVALID("differences undo an inclusive SCAN_ADD of one type alone: spec asks for another operator or kind, a "
                 "widening, an initial value, segments, a check or a strategy");
  *problem = (scan_problem){ .input_type = spec.type,
                             .type = spec.type,
                             .op = SCAN_ADD,
                             .kind = SCAN_INCLUSIVE,
                             .backward = (spec.flags & SCAN_BACKWARD) != 0 };
  return SCAN_SUCCESS;
}

scan_status scan_adjacent_difference(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem out) {
  scan_problem problem;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_adjacent_difference"));
  SCAN_TRY(difference_check(ctx, spec, &problem));
  return scan_run_problem(ctx, &problem, SCAN_STRATEGY_DIFFERENCE, n, &(scan_args)SCAN_ARGS_INIT(in, out));
}

scan_status scan_plan_create_adjacent_difference(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n,
                                                 scan_plan **plan) {
  scan_problem problem;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_adjacent_difference"));
  if (plan == NULL) FAIL_INVALID("plan is NULL");
  SCAN_TRY(difference_check(ctx, spec, &problem));
  SCAN_TRY(scan_count_check(ctx, &problem, max_n, "max_n"));
  return scan_plan_make(ctx, &problem, SCAN_STRATEGY_DIFFERENCE, max_n, plan);
}
