/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches of compaction by OpenCL's work-groups, one an array (kernels_cl/select/select_lookback.h). */
#include "base/types.h"
#include "device/arguments.h"
#include "kernels_cl/select/select.h"
#include "strategy/select/select.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(SELECT_PIPELINED_ARGUMENTS);

enum { WARP = 32, PART_BYTES = 4096, SMALLEST_PART = SELECT_PART_ITEMS(16) };

/* Local memory of a work-group of `warps` warps: their parts of the tile and their counts. Where registers are
 * exchanged through local memory, each work-item has two 16-bit numbers more for each of 8 vectors. */
static uint64_t local_bytes(const scan_caps *caps, uint32_t warps) {
  enum { ITEM_BYTES = 4, WARP_BYTES = 4, VECTORS = 8 * 2 * 2, OTHERS = 64 };
  const uint32_t item = ITEM_BYTES + (caps->tuning.exchange == SCAN_EXCHANGE_LOCAL ? VECTORS : 0);
  return (uint64_t)warps * (PART_BYTES + WARP * item + WARP_BYTES) + OTHERS;
}

uint32_t scan_select_lookback_warps(const scan_caps *caps) {
  uint32_t warps = caps->tuning.select_warps;
  if (caps->info.backend != SCAN_BACKEND_OPENCL || !caps->info.has_fair_progress || caps->has_stalled) return 0;
  if (caps->descriptors != SCAN_DESCRIPTORS_PACKED || caps->loop_limit != 0) return 0;
  while (warps > 0 &&
         (warps * WARP > caps->info.max_group_items || local_bytes(caps, warps) > caps->info.local_memory_bytes))
    warps--;
  return warps;
}

/* Warps of a work-group. Flags take registers, so their work-groups are smaller. */
static uint32_t warps_of(const scan_caps *caps, uint32_t by) {
  const uint32_t warps = scan_select_lookback_warps(caps);
  return by == SCAN_SELECT_FLAGS && warps > TUNE_SELECT_FLAGS_WARPS ? TUNE_SELECT_FLAGS_WARPS : warps;
}

/* Work-groups a compute unit: as many warps whatever their number in a work-group. */
static uint32_t groups_of(const scan_caps *caps, uint32_t warps) {
  const uint32_t most = scan_select_lookback_warps(caps);
  return caps->tuning.select_groups * (most > warps ? most : warps) / warps;
}

uint32_t scan_select_lookback_smallest_tile(const scan_caps *caps) {
  return warps_of(caps, SCAN_SELECT_FLAGS) * SMALLEST_PART;
}

/* Sets the kernel for a scan_select_by and the file that holds it. */
static void name_kernel(uint32_t by, uint32_t bytes, scan_step *launch) {
  const int is_wide = bytes == 16;
#define NAMED(name) (launch->file = "select_lookback_" name ".cl", launch->kernel = "select_lookback_" name)
  switch (by) {
  case SCAN_SELECT_FLAGS: is_wide ? NAMED("flags_wide") : NAMED("flags"); return;
  case SCAN_SELECT_BITS: is_wide ? NAMED("bits_wide") : NAMED("bits"); return;
  case SCAN_SELECT_PREDICATE: NAMED("predicate"); return;
  default: NAMED("runs");
  }
#undef NAMED
}

scan_launch scan_select_lookback_step(const scan_caps *caps, uint32_t by, uint32_t bytes, uint64_t n, int array) {
  const uint32_t found = warps_of(caps, by), warps = found > 0 ? found : 1; /* a launch of 1 warp is never started */
  const uint64_t items = (uint64_t)warps * SELECT_PART_ITEMS(bytes), tiles = n / items + (n % items != 0);
  const uint64_t resident = (uint64_t)caps->info.compute_units * groups_of(caps, warps);
  scan_launch step = { .launch = { .arguments = &arguments,
                                   .groups = (uint32_t)(tiles < resident ? tiles : resident),
                                   .items_per_group = warps * WARP },
                       .type = scan_select_moved_type(bytes),
                       .tile_parts = warps,
                       .group_items = warps * WARP,
                       .array = array };
  name_kernel(by, bytes, &step.launch);
  return step;
}
