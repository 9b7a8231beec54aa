/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans lines whose elements lie apart, in strips of 32 neighbouring lines, so that these are read and written
 * together. A work-group has one strip, or two if there are enough lines, since memory is faster the more bytes lie
 * side by side. */
#include "batch/lines_strip.h"

KERNEL(scan_lines_apart)(PARAMETERS(TILE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_lines_scratch, scratch, 1);
  const scanrt_lines lines = LINES();
  const scanrt_job job = JOB();
  for (scanrt_u64 first = GROUP() * (scanrt_u64)32; first < lines.count; first += GROUPS() * (scanrt_u64)32)
    scanrt_strip_scan(&lines, &job, first, LINE_SEED(), scratch, flags, WARPS);
}

#if MOST_STRIPS == 2
/* Scans two strips a work-group. */
KERNEL(scan_lines_apart_wide)(PARAMETERS(TILE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_lines_scratch, scratch, 2);
  const scanrt_lines lines = LINES();
  const scanrt_job job = JOB();
  const scanrt_u32 strip = ITEM() / (SCAN_GROUP_ITEMS / 2);
  for (scanrt_u64 first = GROUP() * (scanrt_u64)64; first < lines.count; first += GROUPS() * (scanrt_u64)64)
    scanrt_strip_scan(&lines, &job, first + strip * 32, LINE_SEED(), scratch + strip, flags, WARPS / 2);
}
#endif
