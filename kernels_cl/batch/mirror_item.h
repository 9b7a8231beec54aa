/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan from the last element to the first by one work-item: element i of the job lies i elements before its begin.
 * tile_item.h, which follows, reads and writes elements by these names. */
#ifndef SCANRT_CL_MIRROR_ITEM_H
#define SCANRT_CL_MIRROR_ITEM_H

#include "scan_element.h"

#undef ELEMENT_IN
#undef ELEMENT_OUT
#define ELEMENT_IN(job, i) (*((job)->in - (i)))
#define ELEMENT_OUT(job, i) (*((job)->out - (i)))

/* The job as it begins with the last element in memory. */
FUNC scanrt_job scanrt_job_turned(scanrt_job job) {
  job.in += job.n - 1;
  job.out += job.n - 1;
  return job;
}
#undef JOB
#define JOB() scanrt_job_turned(JOB_MADE())
#endif
