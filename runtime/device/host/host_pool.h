/* SPDX-License-Identifier: BSD-2-Clause */
/* A few threads that wait for work. */
#ifndef SCANRT_HOST_POOL_H
#define SCANRT_HOST_POOL_H

typedef struct host_pool host_pool;

/* Threads are started by the first task that wants more than one. NULL when memory runs out. */
host_pool *scan_host_pool_create(unsigned threads);
void scan_host_pool_destroy(host_pool *pool);

typedef void host_pool_work(void *task);

/* Runs work(task) on up to `threads` threads, the caller's among them, and returns when all have returned. Where a
 * thread cannot be started, the others do the work. */
void scan_host_pool_run(host_pool *pool, unsigned threads, host_pool_work *work, void *task);

#endif
