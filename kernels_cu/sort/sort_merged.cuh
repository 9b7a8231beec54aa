/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts up to SORT_MERGED_MOST keys by one work-group, in one launch: warps sort runs of 256 keys in registers, and
 * pairs of runs are merged until one is left (kernels_cl/sort/sort_runs.h). Its outputs may be its inputs; if none is,
 * sort_ranked.cuh is faster. */
#define ITEM_KEYS ((scanrt_u32)SORT_MERGED_KEYS)
#include "sort/sort_runs.h"

extern "C" __global__ void __launch_bounds__(SCAN_GROUP_ITEMS, 1)
    KERNEL_NAME(SORT_NAME(merged), SCAN_SUFFIX)(PARAMETERS(SORT_ALONE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_run_tile, tile, 1);
  const scanrt_u32 all = (scanrt_u32)SORT_N(), warp = ITEM() / 32, lane = ITEM() % 32;
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, 0);
  const scanrt_sort_route whole = { 1, 1, 1, PLACE_IN, PLACE_OUT };
  const scanrt_sort_ends ends = SORT_ENDS(whole, 0);
  const KEY_T bits = KEY_BITS(first_bit, end_bit);
  NOTE_N_OVERFLOW();
  (void)MEMORY(keys_spare), (void)MEMORY(digits), (void)MEMORY(workspace), (void)MEMORY(values_spare);
  (void)tile_items, (void)pass;
  scanrt_runs_load(tile, (const KEY_T *)MEMORY(in), all, order, 1);
  BARRIER();
  if (warp * RUN_MOST < all) {
    const scanrt_u32 left = all - warp * RUN_MOST, keys = left < RUN_MOST ? left : RUN_MOST;
    const scanrt_run run = { warp * RUN_MOST, keys, lane, 5, RUN_ITEM_KEYS };
    scanrt_run_sort_numbers(tile, run, bits, 1, 0);
  }
  BARRIER();
  NO_UNROLL
  for (scanrt_u32 width = RUN_MOST; width < all; width *= 2) {
    const scanrt_u32 at = ITEM() * ITEM_KEYS, first = at & ~(2 * width - 1), left = first < all ? all - first : 0;
    const scanrt_u32 first_keys = left < width ? left : width, more = left - first_keys;
    const scanrt_two_runs pair = { first, first_keys, first + first_keys, more < width ? more : width };
    scanrt_run_merge(tile, pair, at - first, ITEM_KEYS, bits, 1);
  }
  scanrt_runs_write(tile, (const KEY_T *)MEMORY(in), 0, all, ends, order, 0);
}
