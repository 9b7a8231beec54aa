/* SPDX-License-Identifier: BSD-2-Clause */
/* Several compilations at the same time, for backends' kernels_prepare. */
#ifndef SCANRT_SIDE_BY_SIDE_H
#define SCANRT_SIDE_BY_SIDE_H

typedef void scan_task_work(void *tasks, int index);

/* Calls work(tasks, i) for all i from 0 to count - 1, in that order, on as many threads as there are processors and
 * tasks, most_threads at most; the caller's is one of them. Calls nothing where there would be one thread only: what is
 * to be done is then done as well when it is needed. */
void scan_side_by_side(int count, unsigned most_threads, scan_task_work *work, void *tasks);

#endif
