/* SPDX-License-Identifier: BSD-2-Clause */
/* Segmented reductions whose segments are folded one by one (segment_folds.h). Each thread folds a part of its own of
 * the tiles (host_parts.h). A segment that begins before a piece of a part and ends in it waits until the tiles before
 * the piece have been folded: the caller completes its result when all threads are done. */
#ifndef SCANRT_SEGMENT_PARTS_H
#define SCANRT_SEGMENT_PARTS_H

#include "device/host/host_kernels.h"
#include "device/host/scan/simd_rows8.h"

/* Returns 1 if the task's segments are folded. */
static inline int scan_segment_parts_is(const host_task *task) {
  return task->checks == NULL && task->block->segments != NULL;
}

/* Runs such a task on the thread alone. */
void scan_segment_parts_alone(host_task *task, host_thread *me);

/* Runs such a task on up to `threads` threads. */
void scan_segment_parts_run(host_pool *pool, unsigned threads, host_task *task);

#endif
