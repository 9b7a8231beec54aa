/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_copy.c @brief memcpy by several threads. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The chunk size of the host backend. */
enum { CHUNK_BYTES = 64 << 10 };

struct bench_copier {
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  pthread_t *threads;
  unsigned started; /* helpers */
  unsigned round;   /* number of the current copy */
  unsigned busy;    /* helpers that have not finished this round */
  int closing;
  char *dst;
  const char *src;
  size_t bytes;
  atomic_size_t next; /* first byte that no thread has claimed */
};

static void copy_chunks(bench_copier *c) {
  for (;;) {
    size_t at = atomic_fetch_add_explicit(&c->next, CHUNK_BYTES, memory_order_relaxed);
    if (at >= c->bytes) return;
    memcpy(c->dst + at, c->src + at, c->bytes - at < CHUNK_BYTES ? c->bytes - at : CHUNK_BYTES);
  }
}

static void *copy_helper(void *argument) {
  bench_copier *c = (bench_copier *)argument;
  unsigned seen = 0;
  pthread_mutex_lock(&c->lock);
  for (;;) {
    while (c->round == seen && !c->closing) pthread_cond_wait(&c->wake, &c->lock);
    if (c->closing) break;
    seen = c->round;
    pthread_mutex_unlock(&c->lock);
    copy_chunks(c);
    pthread_mutex_lock(&c->lock);
    if (--c->busy == 0) pthread_cond_signal(&c->done);
  }
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

bench_copier *bench_copier_open(unsigned threads) {
  bench_copier *c = (bench_copier *)calloc(1, sizeof *c);
  if (!c) return NULL;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->wake, NULL);
  pthread_cond_init(&c->done, NULL);
  c->threads = (pthread_t *)calloc(threads, sizeof *c->threads);
  while (c->threads && c->started + 1 < threads && pthread_create(&c->threads[c->started], NULL, copy_helper, c) == 0)
    c->started++;
  if (c->threads && c->started + 1 == threads) return c;
  bench_copier_close(c);
  return NULL;
}

void bench_copier_run(bench_copier *c, void *dst, const void *src, size_t bytes) {
  pthread_mutex_lock(&c->lock);
  c->dst = (char *)dst;
  c->src = (const char *)src;
  c->bytes = bytes;
  c->busy = c->started;
  c->round++;
  atomic_store_explicit(&c->next, 0, memory_order_relaxed);
  pthread_cond_broadcast(&c->wake);
  pthread_mutex_unlock(&c->lock);
  copy_chunks(c);
  pthread_mutex_lock(&c->lock);
  while (c->busy != 0) pthread_cond_wait(&c->done, &c->lock);
  pthread_mutex_unlock(&c->lock);
}

void bench_copier_close(bench_copier *c) {
  if (!c) return;
  pthread_mutex_lock(&c->lock);
  c->closing = 1;
  pthread_cond_broadcast(&c->wake);
  pthread_mutex_unlock(&c->lock);
  for (unsigned i = 0; i < c->started; i++) pthread_join(c->threads[i], NULL);
  pthread_cond_destroy(&c->done);
  pthread_cond_destroy(&c->wake);
  pthread_mutex_destroy(&c->lock);
  free(c->threads);
  free(c);
}
