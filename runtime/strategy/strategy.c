/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy/strategy.h"

#include "base/canonical.h"
#include "kernels_cl/scan/total.h"

static const scan_strategy_ops *const strategies[] = {
  &scan_strategy_sequential,
  &scan_strategy_block,
  &scan_strategy_reduce_then_scan,
  &scan_strategy_lookback,
  &scan_strategy_threads,
  &scan_strategy_pipelined,
  /* no scans */
  &scan_strategy_difference,
  &scan_strategy_tiles,
  &scan_strategy_groups,
  &scan_strategy_segmented_reduce,
  &scan_strategy_marked_reduce,
  /* the textbook scans */
  &scan_strategy_hillis_steele,
  &scan_strategy_blelloch,
  &scan_strategy_blelloch_padded,
  &scan_strategy_subgroup,
  &scan_strategy_three_pass,
  &scan_strategy_chained,
  &scan_strategy_lookback_classic,
  &scan_strategy_sklansky,
  &scan_strategy_brent_kung,
  &scan_strategy_raking,
};

const scan_strategy_ops *scan_strategy_get(scan_strategy id) {
  for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++)
    if (strategies[i]->id == id) return strategies[i];
  return NULL;
}

const scan_strategy_ops *scan_strategy_named(scan_strategy id) {
  return scan_strategy_name(id) != NULL ? scan_strategy_get(id) : NULL;
}

int scan_strategy_is_canonical(scan_strategy strategy) {
  const scan_strategy_ops *ops = scan_strategy_named(strategy);
  return strategy == SCAN_STRATEGY_AUTO || (ops != NULL && ops->is_canonical);
}

/* 1 if AUTO prefers pipelined. Marks of segments that do not begin at a multiple of 16 bytes are read row by row there,
 * which is slow. With values of 8 bytes in segments look-back has too few registers: float64 by flags, 2^18 elements
 * 8.0 us (pipelined 6.9), 2^20 14.1 (11.2), 2^21 28.2 (18.7). With 4 bytes the two break even where they do without
 * segments: 2^21 8.4 (10.0), 2^22 17.1 (16.5). H200, from a graph. */
static int pipelined_is_faster(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  const int is_short = problem->placement.misaligned ||
                       (problem->segments.kind != SCAN_SEGMENTS_NONE && scan_problem_bytes(problem) == 8);
  const uint32_t share = scan_total_is_alone(problem) && problem->input_type == problem->type ? TOTAL_SHARE : 1;
  const int is_large = is_short ? n > caps->tuning.shifted_items
                                : n * scan_problem_bytes(problem) > caps->tuning.pipelined_bytes / share;
  return is_large && !(caps->avoids & SCAN_AVOID_PIPELINED) && !problem->backward &&
         !problem->placement.marks_misaligned && !scan_strategy_pipelined.refusal(caps, problem);
}

const scan_strategy_ops *scan_strategy_choose(const scan_caps *caps, const scan_problem *problem, uint64_t n,
                                              const char **reason) {
  if (caps->info.backend == SCAN_BACKEND_HOST) {
    *reason = "the host scans with threads";
    return &scan_strategy_threads;
  }
  if (caps->avoids & SCAN_AVOID_LOOKBACK) {
    *reason = "the kernels of other strategies are still being compiled";
    return &scan_strategy_reduce_then_scan;
  }
  const int is_one_tile = n <= canon_small_items(scan_problem_bytes(problem));
  const int is_small = (is_one_tile || n <= caps->tuning.one_group_items) && !(caps->avoids & SCAN_AVOID_BLOCK);
  if (is_small && n <= scan_strategy_block.limit(caps, problem)) {
    *reason = is_one_tile ? "n fits in one tile: one work-group, no global state"
                          : "n is small for a processor: one work-group, and no other is woken";
    return &scan_strategy_block;
  }
  if (caps->has_stalled) {
    *reason = "a look-back of this context gave up waiting: no work-group waits for another any more";
    return &scan_strategy_reduce_then_scan;
  }
  if (!caps->info.has_fair_progress) {
    *reason = "nothing is known of this device's forward progress: no work-group waits for another";
    return &scan_strategy_reduce_then_scan;
  }
  if (pipelined_is_faster(caps, problem, n)) {
    *reason = "one pass over the data, loads and look-back in warps of their own";
    return &scan_strategy_pipelined;
  }
  *reason = "one pass over the data, on a device that schedules started work-groups fairly";
  return &scan_strategy_lookback;
}
