/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans and totals of built-in operators in parts. Each thread reduces the tiles of a part of its own (host_parts.h);
 * the caller folds the tiles' aggregates in the canonical order; then each thread writes the tiles of its part. So a
 * thread finds its part in its cache, where chunks in order (host_chain.h) would go to either thread's. */
#ifndef SCANRT_SCAN_PARTS_H
#define SCANRT_SCAN_PARTS_H

#include "device/host/host_kernels.h"
#include "device/host/host_pool.h"

/* Runs the task on up to `threads` threads; loops->tiles_reduce is not NULL. */
void scan_parts_run(host_pool *pool, unsigned threads, const host_kernel *loops, host_task *task);

#endif
