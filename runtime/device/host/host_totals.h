/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals of integers, which do not depend on the order of operations: each thread folds a part of its own, so that a
 * thread finds its part in its cache when the same memory is summed again. */
#ifndef SCANRT_HOST_TOTALS_H
#define SCANRT_HOST_TOTALS_H

#include "device/host/host_kernels.h"
#include "device/host/host_pool.h"

/* Returns 1 if the task is such a total, of elements of one type. */
int scan_host_total_is(const host_task *task);

/* Runs the task on up to `threads` threads. alone: the kernel's worker for one thread. */
void scan_host_total_run(host_pool *pool, unsigned threads, host_worker *alone, host_task *task);

#endif
