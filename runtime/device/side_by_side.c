/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/side_by_side.h"

#include <stdatomic.h>
#include <stddef.h>

#include "device/host/host_pool.h"
#include "device/host/host_processors.h"

typedef struct task_list {
  scan_task_work *work;
  void *tasks;
  int count;
  atomic_int next;
} task_list;

/* One of several threads. */
static void work_some(void *argument) {
  task_list *list = argument;
  for (int i = atomic_fetch_add(&list->next, 1); i < list->count; i = atomic_fetch_add(&list->next, 1))
    list->work(list->tasks, i);
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

void scan_side_by_side(int count, unsigned most_threads, scan_task_work *work, void *tasks) {
  if (count < 2 || most_threads < 2) return;
  const unsigned threads = least(least(scan_host_processor_count(), (unsigned)count), most_threads);
  host_pool *pool = threads > 1 ? scan_host_pool_create(threads) : NULL;
  if (pool == NULL) return;
  task_list list = { .work = work, .tasks = tasks, .count = count };
  atomic_init(&list.next, 0);
  scan_host_pool_run(pool, threads, work_some, &list);
  scan_host_pool_destroy(pool);
}
