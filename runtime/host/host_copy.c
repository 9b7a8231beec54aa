/* SPDX-License-Identifier: BSD-2-Clause */
#include "host_copy.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host_processors.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { MOST_HELPERS = 15, PIECE_BYTES = 1 << 18, LEAST_BYTES = 1 << 20 };

struct host_copier {
  pthread_mutex_t lock;
  pthread_cond_t begun, ended;
  pthread_t helpers[MOST_HELPERS];
  unsigned helper_count, busy;
  int started, stops;
  uint64_t round; /* of copies */
  char *to;
  const char *from;
  size_t bytes;
  _Atomic size_t next; /* byte that is copied next */
};

/* Past the caches: the next to read it is a copy engine, or somebody much later. */
static void copy_piece(char *to, const char *from, size_t bytes) {
#if defined(__SSE2__)
  const size_t lead = (16 - (uintptr_t)to % 16) % 16;
  if (bytes < 64 + lead) {
    memcpy(to, from, bytes);
    return;
  }
  memcpy(to, from, lead);
  size_t i = lead;
  for (; i + 64 <= bytes; i += 64) {
    __m128i v[4];
    for (int k = 0; k < 4; k++) v[k] = _mm_loadu_si128((const __m128i *)(const void *)(from + i) + k);
    for (int k = 0; k < 4; k++) _mm_stream_si128((__m128i *)(void *)(to + i) + k, v[k]);
  }
  memcpy(to + i, from + i, bytes - i);
  _mm_sfence();
#else
  memcpy(to, from, bytes);
#endif
}

static void copy_pieces(host_copier *c) {
  for (;;) {
    const size_t first = atomic_fetch_add_explicit(&c->next, PIECE_BYTES, memory_order_relaxed);
    if (first >= c->bytes) return;
    copy_piece(c->to + first, c->from + first, c->bytes - first < PIECE_BYTES ? c->bytes - first : PIECE_BYTES);
  }
}

static void *help(void *state) {
  host_copier *c = state;
  uint64_t seen = 0;
  pthread_mutex_lock(&c->lock);
  for (;;) {
    while (c->round == seen && !c->stops) pthread_cond_wait(&c->begun, &c->lock);
    if (c->stops) break;
    seen = c->round;
    pthread_mutex_unlock(&c->lock);
    copy_pieces(c);
    pthread_mutex_lock(&c->lock);
    if (--c->busy == 0) pthread_cond_signal(&c->ended);
  }
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

host_copier *host_copier_create(void) {
  host_copier *c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->begun, NULL);
  pthread_cond_init(&c->ended, NULL);
  return c;
}

void host_copier_destroy(host_copier *c) {
  if (c == NULL) return;
  pthread_mutex_lock(&c->lock);
  c->stops = 1;
  pthread_cond_broadcast(&c->begun);
  pthread_mutex_unlock(&c->lock);
  for (unsigned i = 0; i < c->helper_count; i++) pthread_join(c->helpers[i], NULL);
  pthread_cond_destroy(&c->ended);
  pthread_cond_destroy(&c->begun);
  pthread_mutex_destroy(&c->lock);
  free(c);
}

static void start_helpers(host_copier *c) {
  const unsigned wanted = host_processor_count() - 1;
  c->started = 1;
  while (c->helper_count < wanted && c->helper_count < MOST_HELPERS &&
         pthread_create(&c->helpers[c->helper_count], NULL, help, c) == 0)
    c->helper_count++;
}

void host_copy(host_copier *c, void *to, const void *from, size_t bytes) {
  if (bytes < LEAST_BYTES) {
    memcpy(to, from, bytes);
    return;
  }
  pthread_mutex_lock(&c->lock);
  if (!c->started) start_helpers(c);
  c->to = to;
  c->from = from;
  c->bytes = bytes;
  atomic_store_explicit(&c->next, 0, memory_order_relaxed);
  c->busy = c->helper_count;
  c->round++;
  pthread_cond_broadcast(&c->begun);
  pthread_mutex_unlock(&c->lock);
  copy_pieces(c);
  pthread_mutex_lock(&c->lock);
  while (c->busy > 0) pthread_cond_wait(&c->ended, &c->lock);
  pthread_mutex_unlock(&c->lock);
}
