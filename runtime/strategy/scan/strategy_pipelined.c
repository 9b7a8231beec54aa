/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/canonical.h"
#include "kernels_cl/scan/total.h"
#include "strategy/strategy.h"

/* The geometry of kernels_cu/scan/pipelined.cuh. A stage holds a tile of 8 sub-tiles: the tile's input plus 128 bytes,
 * and in segmented scans its marks plus 16 bytes. */
enum { SUBTILES = 8, TILE_VECTORS = 2048, SPARE_BYTES = 128, BEFORE_BYTES = 16 };

static uint64_t marks_bytes(const scan_problem *problem, uint64_t items) {
  const uint32_t segments = scan_segments_in_kernel(&problem->segments);
  if (segments == SCAN_SEGMENTS_NONE) return 0;
  if (segments == SCAN_SEGMENTS_BITS) return items / 8 + BEFORE_BYTES;
  return items * (segments == SCAN_SEGMENTS_KEYS ? scan_type_bytes(problem->segments.key_type) : 1) + BEFORE_BYTES;
}

static uint32_t stage_bytes(const scan_problem *problem) {
  const uint64_t items = TILE_VECTORS * canon_vector_items(scan_problem_bytes(problem));
  return (uint32_t)(items * scan_problem_input_bytes(problem) + SPARE_BYTES + marks_bytes(problem, items));
}

/* Bytes of the ring of stages. Values from source carry a flag that says whether they are set: one word more, or
 * two. */
static uint32_t ring_bytes(const scan_caps *caps, const scan_problem *problem) {
  if (problem->source == NULL) return caps->dynamic_local_bytes;
  const uint32_t more = problem->source->align > 4 ? 8 : 4, needed = TUNE_PIPE_OWN_BYTES(problem->source->bytes + more);
  const uint32_t there = caps->dynamic_local_bytes + TUNE_PIPE_OWN_BYTES(8);
  return caps->dynamic_local_bytes == 0 || needed > there ? 0 : there - needed;
}

static int is_narrow(uint32_t image, const scan_problem *problem) {
  return problem->source != NULL &&
         TUNE_PIPE_SOURCE_NARROW(image, scan_problem_input_bytes(problem), scan_problem_output_bytes(problem),
                                 scan_problem_value_bytes(problem), problem->segments.kind);
}

static uint32_t ring_stages(const scan_caps *caps, const scan_problem *problem) {
  const int narrow = is_narrow(TUNE_LARGE_IMAGE(caps->tuning.image), problem);
  const int widens = scan_problem_input_bytes(problem) < scan_problem_bytes(problem);
  const uint32_t more = narrow ? TUNE_PIPE_STAGES_NARROW : widens ? TUNE_PIPE_STAGES_WIDENING : 0;
  const uint32_t most[] = { caps->tuning.stages + more, TUNE_PIPE_MOST_STAGES(narrow) };
  uint32_t fit = ring_bytes(caps, problem) / stage_bytes(problem);
  for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) fit = most[i] < fit ? most[i] : fit;
  return fit;
}

/* Fewest stages worth using. A tile with its marks takes so long to move that three keep the device busy. */
static uint32_t fewest_stages(const scan_caps *caps, const scan_problem *problem) {
  const int keeps = problem->source == NULL && TUNE_PIPE_KEEPS(caps->tuning.image);
  return TUNE_PIPE_FEWEST_STAGES(keeps || problem->segments.kind != SCAN_SEGMENTS_NONE);
}

static const char *pipelined_refusal(const scan_caps *caps, const scan_problem *problem) {
  if (caps->info.backend != SCAN_BACKEND_CUDA) return "it is CUDA's; use lookback on this device";
  if (problem->reads_n) return "it does not read n from memory; use lookback";
  if (scan_source_has_members(problem->source))
    return "it copies elements that lie whole, and the operator has members in arrays of their own; use lookback";
  if (problem->steps) return "it copies elements that lie side by side, forward; use lookback";
  if (canon_most_subtiles(scan_problem_bytes(problem)) != SUBTILES || 16 % scan_problem_value_bytes(problem) != 0 ||
      16 % scan_problem_input_bytes(problem) != 0 || 16 % scan_problem_output_bytes(problem) != 0)
    return "it takes elements of 1, 2, 4 or 8 bytes; use lookback";
  if (ring_stages(caps, problem) < fewest_stages(caps, problem)) {
    if (problem->segments.kind != SCAN_SEGMENTS_NONE)
      return "the elements and keys of three tiles do not fit its shared memory; use lookback";
    return problem->source == NULL
               ? "it needs compute capability 8.0 and 99 KiB of shared memory; use lookback on this device"
               : "with an operator from source it needs compute capability 8.0 and 130 KiB of shared memory; use "
                 "lookback on this device";
  }
  return NULL;
}

static uint32_t pipelined_items(uint32_t image, const scan_problem *problem) {
  const uint64_t bytes = scan_problem_value_bytes(problem);
  const uint32_t large = TUNE_LARGE_IMAGE(image);
  if (problem->source != NULL)
    return (uint32_t)TUNE_PIPE_SOURCE_ITEMS(large, is_narrow(large, problem), bytes, problem->segments.kind);
  return (uint32_t)TUNE_PIPE_ITEMS(image, scan_problem_input_bytes(problem), bytes);
}

uint64_t scan_total_most(const scan_problem *problem) {
  return (uint64_t)TOTAL_GROUPS * CANON_GROUP_TILES * canon_small_items(scan_problem_bytes(problem));
}

/* Replaces the first step by a total in one launch without look-back (total.cuh). Returns 0, and changes nothing, if
 * the total is not made so. Elements that are not aligned would be loaded one by one. */
static int schedule_total(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  if (problem->kind != SCAN_TOTAL || problem->source != NULL || problem->checks || problem->backward ||
      problem->placement.misaligned || n > scan_total_most(problem))
    return 0;
  scan_step *launch = &s->steps[0];
  launch->file = "total.cuh";
  launch->kernel = "scan_total";
  launch->groups = scan_groups_for(caps, s->tiles - 1, (uint64_t)caps->info.compute_units * TOTAL_UNIT_GROUPS);
  return 1;
}

static void pipelined_schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {
  scan_strategy_lookback.schedule(caps, problem, n, s);
  const uint64_t bytes = scan_problem_bytes(problem);
  if (n <= canon_large_items(bytes)) return; /* too few tiles to fill a pipeline */
  if (schedule_total(caps, problem, n, s)) return;
  const uint32_t groups = scan_groups_for(caps, s->tiles, caps->info.compute_units);
  scan_step *launch = &s->steps[0];
  launch->file = "pipelined.cuh";
  launch->kernel = "scan_pipelined";
  launch->groups = groups;
  launch->items_per_group = pipelined_items(caps->tuning.image, problem);
  launch->local_bytes = ring_stages(caps, problem) * stage_bytes(problem);
}

const scan_strategy_ops scan_strategy_pipelined = { .id = SCAN_STRATEGY_PIPELINED,
                                                    .refusal = pipelined_refusal,
                                                    .limit = scan_no_limit,
                                                    .schedule = pipelined_schedule,
                                                    .workspace_bytes = scan_lookback_workspace_bytes,
                                                    .cost = scan_lookback_cost,
                                                    .is_canonical = 1,
                                                    .has_control_block = 1,
                                                    .finishes_launch = 1 };
