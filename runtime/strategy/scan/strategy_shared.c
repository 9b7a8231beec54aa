/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers that several strategies share. */
#include <assert.h>

#include "base/canonical.h"
#include "strategy/strategy.h"

const char *scan_refuse_host(const scan_caps *caps, const scan_problem *problem) {
  (void)problem;
  return caps->info.backend == SCAN_BACKEND_HOST ? "the host has no work-groups; use threads or sequential" : NULL;
}

const char *scan_refuse_nothing(const scan_caps *caps, const scan_problem *problem) {
  (void)caps, (void)problem;
  return NULL;
}

uint64_t scan_no_limit(const scan_caps *caps, const scan_problem *problem) {
  (void)caps, (void)problem;
  return UINT64_MAX;
}

uint64_t scan_no_workspace(const scan_problem *problem, uint64_t max_n) {
  (void)problem, (void)max_n;
  return 0;
}

uint64_t scan_loop_limited(const scan_caps *caps, uint64_t items) { return caps->loop_limit ? items : UINT64_MAX; }

/* `turns` counts a vector's loop iterations in tile_item.h: its fold, twice; its elements again; five doubling steps of
 * two loops each; and the rest. */
uint64_t scan_source_walk_items(const scan_caps *caps, const scan_problem *problem) {
  const uint64_t vector_items = canon_vector_items(scan_problem_bytes(problem)), turns = 3 * vector_items + 20;
  return caps->loop_limit / turns * vector_items;
}

uint32_t scan_groups_for(const scan_caps *caps, uint64_t tiles, uint64_t resident) {
  const uint64_t most = caps->tuning.most_groups;
  if (most != 0 && most < resident) resident = most;
  return (uint32_t)(tiles < resident ? tiles : resident);
}

/* 1 if one build serves every n: a program costs an OpenCL processor's compiler a second. llvmpipe, which ends loops,
 * compiles all kernels of a program when it is built, which takes twice as long there. */
static int builds_for_every_n(const scan_caps *caps) {
  return caps->info.backend == SCAN_BACKEND_OPENCL && caps->tuning.group_items == 1 && caps->loop_limit == 0;
}

void scan_schedule_tiles(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *schedule) {
  const uint64_t bytes = scan_problem_bytes(problem);
  const uint32_t subtiles = builds_for_every_n(caps) ? 0 : canon_subtiles(n, bytes);
  scan_schedule_start(schedule, subtiles, canon_tile_items(n, bytes), canon_tiles(n, bytes));
}

const char *scan_schedule_file(const scan_schedule *schedule, const char *file) {
  return schedule->subtiles == 0 ? "item.cl" : file;
}

void scan_schedule_start(scan_schedule *schedule, uint32_t subtiles, uint64_t tile_items, uint64_t tiles) {
  schedule->step_count = 0;
  schedule->subtiles = subtiles;
  schedule->tile_items = tile_items;
  schedule->tiles = tiles;
  schedule->spin_limit = schedule->spin_limit_in_place = 0;
  schedule->group_items = 0;
  schedule->copies_carry = 0;
}

void scan_schedule_add(scan_schedule *schedule, const scan_step *step) {
  assert(schedule->step_count < SCAN_MOST_STEPS);
  schedule->steps[schedule->step_count++] = *step;
}

void scan_schedule_prepend(scan_schedule *schedule, const scan_step *step) {
  scan_schedule_add(schedule, step);
  for (int i = schedule->step_count - 1; i > 0; i--) schedule->steps[i] = schedule->steps[i - 1];
  schedule->steps[0] = *step;
}

scan_step *scan_schedule_launch(scan_schedule *schedule, const char *file, const char *kernel,
                                const struct scan_argument_list *arguments, uint64_t groups, uint32_t items) {
  scan_schedule_add(schedule, &(scan_step){ .file = file,
                                            .kernel = kernel,
                                            .arguments = arguments,
                                            .groups = (uint32_t)groups,
                                            .items_per_group = items });
  return &schedule->steps[schedule->step_count - 1];
}
