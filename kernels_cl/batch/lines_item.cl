/* SPDX-License-Identifier: BSD-2-Clause */
/* Each work-item goes through its share of the lines, which lie together. */
#include "batch/lines_item.h"

KERNEL(scan_rows)(SCAN_PARAMETERS) {
  const scan_lines lines = LINES();
  const scan_u64 share = lines.count / GROUPS() + (lines.count % GROUPS() != 0), first = GROUP() * share;
  (void)tile_capacity, (void)spin_limit;
  for (scan_u64 i = 0; i < share && first + i < lines.count; i++) {
    const scan_job job = line_job(&lines, first + i, flags);
    line_scan(&job, LINE_SEED());
  }
}

#if SCAN_TYPE != 0
KERNEL(scan_lines_apart)(SCAN_PARAMETERS) {
  const scan_lines lines = LINES();
  const scan_u64 blocks = (lines.count + LINE_BLOCK - 1) / LINE_BLOCK;
  const scan_u64 share = blocks / GROUPS() + (blocks % GROUPS() != 0), first = GROUP() * share;
  (void)tile_capacity, (void)spin_limit;
  for (scan_u64 i = 0; i < share && first + i < blocks; i++) {
    const line_block block = block_make(&lines, (first + i) * LINE_BLOCK);
    block_scan(&lines, &block, BITS_VALUE(seed_bits), flags & FLAG_INCLUSIVE);
  }
}
#endif
