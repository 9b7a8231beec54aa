/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/host_copy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device/host/host_pool.h"
#include "device/host/host_processors.h"
#include "device/host/host_stream.h"

enum { MOST_THREADS = 16, PIECE_BYTES = 1 << 18, LEAST_BYTES = 1 << 20 };

struct host_copier {
  host_pool *pool;
  char *to;
  const char *from;
  size_t bytes;
};

/* Copies past the caches: a copy engine reads these bytes next, or the caller much later. */
static void copy_piece(char *to, const char *from, size_t bytes) {
  scan_host_stream_lines((uint8_t *)to, (const uint8_t *)from, bytes);
  scan_host_stream_done();
}

static void copy_pieces(void *copier, host_thread *me) {
  const host_copier *c = copier;
  const uint64_t pieces = (c->bytes + PIECE_BYTES - 1) / PIECE_BYTES;
  for (uint64_t piece; scan_host_claim(me, pieces, &piece);) {
    const size_t first = (size_t)piece * PIECE_BYTES;
    copy_piece(c->to + first, c->from + first, c->bytes - first < PIECE_BYTES ? c->bytes - first : PIECE_BYTES);
  }
}

static unsigned thread_count(void) {
  const unsigned processors = scan_host_processor_count();
  return processors < MOST_THREADS ? processors : MOST_THREADS;
}

host_copier *scan_host_copier_create(void) {
  host_copier *c = calloc(1, sizeof *c);
  if (c != NULL) c->pool = scan_host_pool_create(thread_count());
  if (c != NULL && c->pool != NULL) return c;
  free(c);
  return NULL;
}

void scan_host_copier_destroy(host_copier *c) {
  if (c == NULL) return;
  scan_host_pool_destroy(c->pool);
  free(c);
}

void scan_host_copy(host_copier *c, void *to, const void *from, size_t bytes) {
  if (bytes < LEAST_BYTES) {
    memcpy(to, from, bytes);
    return;
  }
  c->to = to;
  c->from = from;
  c->bytes = bytes;
  scan_host_pool_run(c->pool, MOST_THREADS, copy_pieces, c);
}
