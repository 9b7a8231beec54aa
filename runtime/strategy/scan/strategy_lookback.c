/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy/strategy.h"

#include "base/canonical.h"
#include "device/arguments.h"
#include "kernels_cl/lib/arguments.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(LOOKBACK_ARGUMENTS);

/* Polls of a descriptor before a work-group reduces the missing tile itself; a poll takes 0.5 to 1 us on a GPU. In
 * place the tile may be gone, so a longer wait ends in SCAN_NO_PROGRESS instead. */
enum { SPIN_LIMIT = 1 << 14, SPIN_LIMIT_IN_PLACE = 1 << 26 };

/* On devices that count loop iterations, a wait may take one part in SPIN_SHARE of them. */
enum { SPIN_SHARE = 128 };

/* The largest n on a device that ends loops. A persistent work-item may walk any number of tiles twice and wait for
 * each: by vectors of 16 bytes, or by elements if they are widened. (llvmpipe: u8, i32, f32 and i64 are right at this n
 * with 1, 2 and 16 work-groups; with one, i64 and f32 were cut short at 1 MB and 0.5 MB.) */
static uint64_t lookback_limit(const scan_caps *caps, const scan_problem *problem) {
  if (problem->source != NULL) return scan_loop_limited(caps, scan_source_walk_items(caps, problem) / 2);
  const uint64_t items = problem->input_type == problem->type
                             ? caps->loop_limit * UINT64_C(2) / scan_type_bytes(problem->type)
                             : caps->loop_limit / 4;
  return scan_loop_limited(caps, items);
}

static void lookback_schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  scan_schedule_tiles(caps, problem, n, s);
  const uint64_t resident = (uint64_t)caps->info.compute_units * caps->tuning.groups_per_unit;
  uint32_t groups = scan_groups_for(caps, s->tiles, resident);
  /* Waits in place cannot end by fallback, and on devices that count loop iterations they cannot last: a single
   * work-group never waits. */
  if (caps->loop_limit && problem->placement.in_place) groups = 1;
  scan_schedule_launch(s, scan_schedule_file(s, "lookback.cl"), "scan_lookback", &arguments, groups,
                       caps->tuning.group_items);
  /* CUDA's segmented kernels are built for each set of flags: 312 bytes a work-item beside the registers instead of
   * 520. OpenCL's programs serve all flags. */
  if (caps->info.backend == SCAN_BACKEND_CUDA && problem->segments.kind != SCAN_SEGMENTS_NONE)
    s->steps[0].flags_known = SCAN_KERNEL_INCLUSIVE | SCAN_KERNEL_SEED;
  s->spin_limit = caps->loop_limit ? caps->loop_limit / SPIN_SHARE : SPIN_LIMIT;
  s->spin_limit_in_place = SPIN_LIMIT_IN_PLACE;
}

/* Bytes of the control block, a descriptor a tile and one a group of tiles: a 64-bit word for each 4 bytes of the
 * value. Split descriptors take no more. A total has 8 bytes for each tile of whole groups besides (total.cuh). */
uint64_t scan_lookback_workspace_bytes(const scan_problem *problem, uint64_t max_n) {
  const uint64_t capacity = canon_tile_capacity(max_n, scan_problem_bytes(problem));
  const uint64_t marks = problem->segments.kind != SCAN_SEGMENTS_NONE; /* one more word says where segments begin */
  const uint64_t words = (scan_problem_value_bytes(problem) + 3) / 4 + marks;
  const uint64_t groups = capacity / CANON_GROUP_TILES + 1;
  const uint64_t totals = problem->kind == SCAN_TOTAL ? groups * CANON_GROUP_TILES * 8 : 0;
  return SCAN_CONTROL_BYTES + (capacity + groups) * words * 8 + totals;
}

/* A single work-item keeps the running prefix; a work-group looks back for each tile. */
scan_cost scan_lookback_cost(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  return scan_cost_canonical(problem, n, 1, caps->tuning.group_items == 1);
}

const scan_strategy_ops scan_strategy_lookback = { .id = SCAN_STRATEGY_LOOKBACK,
                                                   .refusal = scan_refuse_host,
                                                   .limit = lookback_limit,
                                                   .schedule = lookback_schedule,
                                                   .workspace_bytes = scan_lookback_workspace_bytes,
                                                   .cost = scan_lookback_cost,
                                                   .scans_backward = 1,
                                                   .is_canonical = 1,
                                                   .has_control_block = 1,
                                                   .finishes_launch = 1 };
