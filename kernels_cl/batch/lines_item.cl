/* SPDX-License-Identifier: BSD-2-Clause */
/* Each work-item scans a contiguous share of the lines. */
#include "batch/totals_item.h"

KERNEL(scan_rows)(PARAMETERS(TILE_ARGUMENTS)) {
  const scanrt_lines lines = LINES();
  const scanrt_u64 share = lines.count / GROUPS() + (lines.count % GROUPS() != 0), first = GROUP() * share;
  for (scanrt_u64 i = 0; i < share && first + i < lines.count; i++) {
    const scanrt_job job = scanrt_line_job(&lines, first + i, flags);
    scanrt_line_scan(&job, LINE_SEED());
  }
}

#if SCAN_TYPE != 0
KERNEL(scan_lines_apart)(PARAMETERS(TILE_ARGUMENTS)) {
  const scanrt_lines lines = LINES();
  const scanrt_u64 blocks = (lines.count + LINE_BLOCK - 1) / LINE_BLOCK;
  const scanrt_u64 share = blocks / GROUPS() + (blocks % GROUPS() != 0), first = GROUP() * share;
  if (flags & FLAG_TOTAL) {
    const scanrt_u64 line = first * LINE_BLOCK, most = share * LINE_BLOCK;
    if (first >= blocks) return;
    scanrt_lines_total(&lines, line, lines.count - line < most ? lines.count - line : most, BITS_VALUE(seed_bits));
    return;
  }
  for (scanrt_u64 i = 0; i < share && first + i < blocks; i++) {
    const scanrt_line_block block = scanrt_block_make(&lines, (first + i) * LINE_BLOCK);
    scanrt_block_scan(&lines, &block, BITS_VALUE(seed_bits), flags & FLAG_INCLUSIVE);
  }
}
#endif
