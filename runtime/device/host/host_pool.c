/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/host_pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "device/host/host_float.h"

struct host_pool {
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  pthread_t *threads;
  unsigned wanted, started; /* helpers besides the caller */
  unsigned seats, busy;     /* helpers that may still join the task; helpers at work */
  int closing;
  host_pool_work *work;
  void *task;
};

static void *helper(void *argument) {
  host_pool *pool = argument;
  host_float creators; /* which the thread inherits, and is rid of */
  host_float_enter(&creators);
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    while (pool->seats == 0 && !pool->closing) pthread_cond_wait(&pool->wake, &pool->lock);
    if (pool->closing) break;
    pool->seats--;
    pool->busy++;
    pthread_mutex_unlock(&pool->lock);
    pool->work(pool->task);
    pthread_mutex_lock(&pool->lock);
    pool->busy--;
    if (pool->busy == 0) pthread_cond_signal(&pool->done);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

host_pool *scan_host_pool_create(unsigned threads) {
  host_pool *pool = calloc(1, sizeof *pool);
  if (pool == NULL) return NULL;
  pool->wanted = threads > 1 ? threads - 1 : 0;
  pool->threads = calloc(pool->wanted + 1, sizeof *pool->threads);
  if (pool->threads == NULL) {
    free(pool);
    return NULL;
  }
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  pthread_cond_init(&pool->done, NULL);
  return pool;
}

void scan_host_pool_destroy(host_pool *pool) {
  if (pool == NULL) return;
  pthread_mutex_lock(&pool->lock);
  pool->closing = 1;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  for (unsigned i = 0; i < pool->started; i++) pthread_join(pool->threads[i], NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->lock);
  free(pool->threads);
  free(pool);
}

static void start_helpers(host_pool *pool) {
  while (pool->started < pool->wanted) {
    if (pthread_create(&pool->threads[pool->started], NULL, helper, pool) != 0) break;
    pool->started++;
  }
  pool->wanted = pool->started;
}

void scan_host_pool_run(host_pool *pool, unsigned threads, host_pool_work *work, void *task) {
  if (threads <= 1 || pool->wanted == 0) {
    work(task);
    return;
  }
  pthread_mutex_lock(&pool->lock);
  pool->work = work;
  pool->task = task;
  pool->seats = threads - 1 < pool->wanted ? threads - 1 : pool->wanted;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  start_helpers(pool);
  work(task);
  pthread_mutex_lock(&pool->lock);
  pool->seats = 0; /* a helper that has not joined by now would find nothing left to do */
  while (pool->busy != 0) pthread_cond_wait(&pool->done, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}
