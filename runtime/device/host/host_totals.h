/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals of built-in operators by several threads. Each thread folds a part of its own (host_parts.h). The totals of
 * integers do not depend on the order of operations. Of floating point the threads leave the tiles' aggregates, which
 * the caller folds in the canonical order. */
#ifndef SCANRT_HOST_TOTALS_H
#define SCANRT_HOST_TOTALS_H

#include "device/host/host_kernels.h"
#include "device/host/host_pool.h"

/* Returns 1 if the task is such a total, by a kernel that has loops for it. */
int scan_host_total_is(const host_task *task, const host_kernel *loops);

/* Runs the task on up to `threads` threads. */
void scan_host_total_run(host_pool *pool, unsigned threads, const host_kernel *loops, host_task *task);

#endif
