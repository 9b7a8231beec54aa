/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans from the last element to the first by one work-item: element i of a job lies i elements before its start.
 * tile_item.h, which is included after this file, uses these macros for its elements. */
#ifndef SCANRT_CL_MIRROR_ITEM_H
#define SCANRT_CL_MIRROR_ITEM_H

#include "lib/tile.h"

#undef ELEMENT_IN
#undef ELEMENT_OUT
#define ELEMENT_IN(job, i) (*((job)->in - (i)))
#define ELEMENT_OUT(job, i) (*((job)->out - (i)))

/* Returns the job that begins at the last element in memory. */
FUNC scanrt_job scanrt_job_reversed(scanrt_job job) {
  job.in += job.n - 1;
  job.out += job.n - 1;
  return job;
}
#undef JOB
#define JOB() scanrt_job_reversed(JOB_MADE())
#endif
