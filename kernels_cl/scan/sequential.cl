/* SPDX-License-Identifier: BSD-2-Clause */
/* One work-item, left to right from the seed: the loop that every other strategy is compared with. */
#include "lib/tile.h"

KERNEL(scan_sequential)(PARAMETERS(WALK_ARGUMENTS)) {
  const scanrt_job job = JOB();
  if (ITEM() != 0) return;
  scanrt_value_t acc = SEED();
  for (scanrt_u64 i = 0; i < job.n; i++) {
    const scanrt_input_t x = ELEMENT_IN(&job, i);
    const scanrt_value_t element = ELEMENT(&job, x, i), next = scanrt_combine(acc, element);
    const scanrt_output_t result = RESULT(&job, job.inclusive, element, next, scanrt_prefix_shown(&job, acc), x, i);
    if (!IS_TOTAL(&job)) ELEMENT_PUT(&job, i, result);
    if (i + 1 == job.n) LAST_VALUE(&job, VALUE_SHOWN(&job, next), result);
    acc = next;
  }
  FINISH_EMPTY(&job, SEED());
}
