/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs several compilations in parallel, for backends' kernels_prepare. */
#ifndef SCANRT_SIDE_BY_SIDE_H
#define SCANRT_SIDE_BY_SIDE_H

typedef void scan_task_work(void *tasks, int index);

/* Calls work(tasks, i) for all i from 0 to count - 1, claimed in that order, on as many threads as there are processors
 * and tasks, at most most_threads; the caller's thread is one of them. Calls nothing if there would be one thread only:
 * compiling on demand is then as fast. */
void scan_parallel_for(int count, unsigned most_threads, scan_task_work *work, void *tasks);

#endif
