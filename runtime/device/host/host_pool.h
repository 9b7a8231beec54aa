/* SPDX-License-Identifier: BSD-2-Clause */
/* A few threads that wait for work. A task consists of numbered pieces; a thread claims one after the other. The number
 * of threads that take part depends on whether they get to run (host_pace.h). */
#ifndef SCANRT_HOST_POOL_H
#define SCANRT_HOST_POOL_H

#include <stdint.h>

typedef struct host_pool host_pool;

/* Returns NULL without memory. The first task that wants more than one thread starts them. */
host_pool *scan_host_pool_create(unsigned threads);
void scan_host_pool_destroy(host_pool *pool);

/* A thread at work on a task. */
typedef struct host_thread {
  host_pool *pool;
  unsigned thread_index; /* number of the thread, below the pool's number of threads; the caller's is 0 */
  uint64_t claims;       /* pieces that it has claimed */
} host_thread;

typedef void host_pool_work(void *task, host_thread *me);

/* Runs work(task, thread) on up to `threads` threads, the caller's among them, and returns when all have returned. If a
 * thread cannot be started or does not get to run, the others do the work. */
void scan_host_pool_run(host_pool *pool, unsigned threads, host_pool_work *work, void *task);

/* Returns the number of threads that a run for `threads` would begin with. */
unsigned scan_host_pool_threads(host_pool *pool, unsigned threads);

/* Claims the next of `count` pieces, in rising order over all threads. Returns 0, without changing *number, if there is
 * nothing more to do for this thread, which then returns from its work. */
int scan_host_claim(host_thread *me, uint64_t count, uint64_t *number);

/* Notes that the threads have claimed `count` pieces by other means than scan_host_claim. Each thread counts its own in
 * me->claims. */
void scan_host_pool_note_pieces(const host_thread *caller, uint64_t count);

#endif
