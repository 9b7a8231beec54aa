/* SPDX-License-Identifier: BSD-2-Clause */
/* What several strategies answer alike. */
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

uint64_t scan_no_workspace(const scan_problem *problem, uint64_t max_n) {
  (void)problem, (void)max_n;
  return 0;
}

uint64_t scan_loop_limited(const scan_caps *caps, uint64_t items) { return caps->loop_limit ? items : UINT64_MAX; }

/* Of tile_item.h, a vector: its fold, twice, its elements again, five steps of the doubling in two loops each, and the
 * rest. */
uint64_t scan_source_walk_items(const scan_caps *caps, const scan_problem *problem) {
  const uint64_t vector_items = canon_vector_items(scan_problem_bytes(problem)), turns = 3 * vector_items + 20;
  return caps->loop_limit / turns * vector_items;
}

uint32_t scan_groups_for(const scan_caps *caps, uint64_t tiles, uint64_t resident) {
  const uint64_t most = caps->tuning.most_groups;
  if (most != 0 && most < resident) resident = most;
  return (uint32_t)(tiles < resident ? tiles : resident);
}

void scan_schedule_tiles(const scan_problem *problem, uint64_t n, scan_schedule *schedule) {
  const uint64_t bytes = scan_problem_bytes(problem);
  *schedule = (scan_schedule){ .subtiles = canon_subtiles(n, bytes),
                               .tile_items = canon_tile_items(n, bytes),
                               .tiles = canon_tiles(n, bytes) };
}
