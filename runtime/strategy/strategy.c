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

/* 1 if n is large enough for pipelined. Elements in segments that do not begin at a multiple of 16 bytes break even at
 * half of the bytes: f32 by u32 keys, H200, look-back and pipelined, 2^21 11.5 and 13.9 us, 2^22 28.7 and 24.7. */
static int is_large(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  const uint64_t bytes = scan_problem_bytes(problem), most = caps->tuning.pipelined_bytes;
  const uint32_t share = scan_total_is_alone(problem) && problem->input_type == problem->type ? TOTAL_SHARE : 1;
  if (!problem->placement.misaligned) return n * bytes > most / share;
  return problem->segments.kind != SCAN_SEGMENTS_NONE && bytes >= 4 ? n * bytes > most / 2
                                                                    : n > caps->tuning.shifted_items;
}

/* 1 if look-back scans segments faster for any n: elements of 1 and 2 bytes, unless they are shifted or have shifted
 * marks that are narrower. 2^27, inclusive, H200, look-back and pipelined, us: u8 by flags 162 and 192, u16 by u16 keys
 * 243 and 279, u8 by u8 keys 183 and 289, shifted ones 229 and 288. */
static int lookback_is_faster(const scan_problem *problem) {
  const scan_marks *marks = &problem->segments;
  const uint64_t bytes = scan_problem_bytes(problem);
  if (marks->kind == SCAN_SEGMENTS_NONE || problem->kind == SCAN_TOTAL || problem->placement.misaligned || bytes >= 4)
    return 0;
  return !problem->placement.marks_misaligned ||
         (scan_segments_in_kernel(marks) == SCAN_SEGMENTS_KEYS && scan_type_bytes(marks->key_type) >= bytes);
}

/* 1 if AUTO prefers pipelined. */
static int pipelined_is_faster(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  return is_large(caps, problem, n) && !lookback_is_faster(problem) && !(caps->avoids & SCAN_AVOID_PIPELINED) &&
         !problem->backward && !scan_strategy_pipelined.refusal(caps, problem);
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
