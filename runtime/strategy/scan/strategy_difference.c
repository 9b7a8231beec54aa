/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences of neighbours (scan_difference.h): one launch; two if in place with more than one run. */
#include "device/arguments.h"
#include "kernels_cl/difference/difference.h"
#include "strategy/strategy.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(DIFFERENCE_ARGUMENTS);

static const char *difference_refusal(const scan_caps *caps, const scan_problem *problem) {
  (void)caps;
  return scan_problem_carries(problem) ? "differences neither take nor leave a carry" : NULL;
}

static uint64_t runs_of(uint64_t items, const scan_problem *problem, uint64_t n) {
  const uint64_t tiles = DIFFERENCE_TILES(n, scan_problem_bytes(problem), items);
  return (tiles - 1) / DIFFERENCE_RUN_TILES(tiles, items) + 1;
}

static void difference_schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  const uint32_t items = caps->tuning.group_items;
  const uint64_t runs = runs_of(items, problem, n);
  scan_schedule_start(s, 1, DIFFERENCE_TILE_BYTES(items) / scan_problem_bytes(problem),
                      DIFFERENCE_TILES(n, scan_problem_bytes(problem), items));
  if (problem->placement.in_place && runs > 1)
    scan_schedule_launch(s, "difference.cl", "difference_edges", &arguments, (runs - 1) / items + 1, items);
  scan_schedule_launch(s, "difference.cl", "adjacent_difference", &arguments, runs, items);
}

/* Bytes of one element a run, for the work-group size with the most runs. */
static uint64_t difference_workspace_bytes(const scan_problem *problem, uint64_t max_n) {
  enum { FEWEST = 32 };
  const uint64_t alone = runs_of(1, problem, max_n), grouped = runs_of(FEWEST, problem, max_n);
  return (alone > grouped ? alone : grouped) * scan_problem_bytes(problem);
}

static scan_cost difference_cost(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  (void)caps, (void)problem;
  return (scan_cost){ .work = n - 1, .span = n > 1 };
}

const scan_strategy_ops scan_strategy_difference = { .id = SCAN_STRATEGY_DIFFERENCE,
                                                     .refusal = difference_refusal,
                                                     .limit = scan_no_limit,
                                                     .schedule = difference_schedule,
                                                     .workspace_bytes = difference_workspace_bytes,
                                                     .cost = difference_cost,
                                                     .primitive = "difference" };
