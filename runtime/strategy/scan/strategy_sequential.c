/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy/strategy.h"
#include "device/arguments.h"
#include "kernels_cl/lib/arguments.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(WALK_ARGUMENTS);

/* A single loop walks all elements. */
static uint64_t sequential_limit(const scan_caps *caps, const scan_problem *problem) {
  (void)problem;
  return scan_loop_limited(caps, caps->loop_limit - 1);
}

static void sequential_schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  scan_schedule_tiles(caps, problem, n, s);
  s->subtiles = 8; /* no tiles here: one build serves every n */
  s->tile_items = n;
  s->tiles = 1;
  scan_schedule_launch(s, "sequential.cl", "scan_sequential", &arguments, 1, caps->tuning.group_items);
}

static scan_cost sequential_cost(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  (void)caps;
  return (scan_cost){ .work = n, .span = n - (problem->kind == SCAN_EXCLUSIVE) };
}

const scan_strategy_ops scan_strategy_sequential = { .id = SCAN_STRATEGY_SEQUENTIAL,
                                                     .refusal = scan_refuse_nothing,
                                                     .limit = sequential_limit,
                                                     .schedule = sequential_schedule,
                                                     .workspace_bytes = scan_no_workspace,
                                                     .cost = sequential_cost };
