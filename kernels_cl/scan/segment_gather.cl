/* SPDX-License-Identifier: BSD-2-Clause */
/* The last launch of a segmented reduction on devices that scan all elements first: copies the last value of each
 * segment from the scan's output. */
#include "scan/segment_results.h"

KERNEL(segment_gather)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  const scanrt_job job = JOB();
  GLOBAL scanrt_output_t *to = (GLOBAL scanrt_output_t *)MEMORY(totals);
  const scanrt_u64 step = (scanrt_u64)GROUPS() * SCAN_GROUP_ITEMS;
  for (scanrt_u64 i = (scanrt_u64)GROUP() * SCAN_GROUP_ITEMS + ITEM(); i < count; i += step) {
    const scanrt_span span = SPAN_READ(i);
    if (span.begin < span.end)
      to[i] = job.out[span.end - 1];
    else if (flags & FLAG_STARTS)
      to[i] = scanrt_result_output(job.seed.v);
  }
}
