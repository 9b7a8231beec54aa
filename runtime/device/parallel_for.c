/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/parallel_for.h"

#include <stddef.h>

#include "device/host/host_pool.h"
#include "device/host/host_processors.h"

typedef struct task_list {
  scan_task_work *work;
  void *tasks;
  int count;
} task_list;

/* The loop of one thread. */
static void work_some(void *argument, host_thread *me) {
  const task_list *list = argument;
  for (uint64_t i; scan_host_claim(me, (uint64_t)list->count, &i);) list->work(list->tasks, (int)i);
}

static unsigned threads_least(unsigned a, unsigned b) { return a < b ? a : b; }

void scan_parallel_for(int count, unsigned most_threads, scan_task_work *work, void *tasks) {
  if (count < 2 || most_threads < 2) return;
  const unsigned threads = threads_least(threads_least(scan_host_processor_count(), (unsigned)count), most_threads);
  host_pool *pool = threads > 1 ? scan_host_pool_create(threads) : NULL;
  if (pool == NULL) return;
  task_list list = { .work = work, .tasks = tasks, .count = count };
  scan_host_pool_run(pool, threads, work_some, &list);
  scan_host_pool_destroy(pool);
}
