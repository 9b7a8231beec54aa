/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy/strategy.h"
#include "device/arguments.h"
#include "kernels_cl/lib/arguments.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(WALK_ARGUMENTS);

static const char *threads_refusal(const scan_caps *caps, const scan_problem *problem) {
  (void)problem;
  return caps->info.backend == SCAN_BACKEND_HOST ? NULL : "it is the host's; use another strategy on this device";
}

static uint64_t threads_limit(const scan_caps *caps, const scan_problem *problem) {
  (void)problem;
  return scan_loop_limited(caps, caps->loop_limit);
}

static void threads_schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  scan_schedule_tiles(caps, problem, n, s);
  scan_schedule_launch(s, "threads", "scan_threads", &arguments, caps->info.compute_units, 1);
}

const scan_strategy_ops scan_strategy_threads = { .id = SCAN_STRATEGY_THREADS,
                                                  .refusal = threads_refusal,
                                                  .limit = threads_limit,
                                                  .schedule = threads_schedule,
                                                  .workspace_bytes = scan_no_workspace,
                                                  .cost = scan_cost_reduced,
                                                  .scans_backward = 1,
                                                  .is_canonical = 1 };
