/* SPDX-License-Identifier: BSD-2-Clause */
/* Work in parts, one for each thread, so that a thread finds its part in its cache when the same memory is read again.
 * A part consists of up to HOST_PART_PIECES pieces. A thread that is done with its own part takes pieces of the others.
 */
#ifndef SCANRT_HOST_PARTS_H
#define SCANRT_HOST_PARTS_H

#include <stdatomic.h>

#include "device/host/host_pool.h"

/* HOST_PARTS_LINE: no two threads' counters share a line of the cache. */
enum { HOST_MOST_PARTS = 64, HOST_PART_PIECES = 8, HOST_PARTS_LINE = 64 };

typedef struct host_part {
  _Alignas(HOST_PARTS_LINE) _Atomic uint32_t next; /* the next piece */
} host_part;

typedef struct host_parts {
  uint32_t count, part_pieces;
  host_part part[HOST_MOST_PARTS];
} host_parts;

/* Makes as many parts as there are threads, or HOST_MOST_PARTS. */
static inline void scan_host_parts_open(host_parts *parts, unsigned threads, uint32_t part_pieces) {
  parts->part_pieces = part_pieces;
  parts->count = threads == 0 ? 1 : threads < HOST_MOST_PARTS ? threads : HOST_MOST_PARTS;
  for (uint32_t p = 0; p < parts->count; p++) atomic_init(&parts->part[p].next, 0);
}

static inline uint32_t scan_host_parts_pieces(const host_parts *parts) { return parts->count * parts->part_pieces; }

/* Prefetches the thread's own counter, which the caller has just written. */
static inline void scan_host_parts_prefetch(host_parts *parts, const host_thread *me) {
  __builtin_prefetch(&parts->part[me->thread_index % HOST_MOST_PARTS], 1);
}

/* Claims a piece of the thread's own part, then of the others. *passed: the number of parts that have none left, 0 at
 * first. Returns 0 if there is no piece. */
static inline int scan_host_parts_claim(host_parts *parts, host_thread *me, uint32_t *passed, uint32_t *number) {
  for (; *passed < parts->count; ++*passed) {
    const uint32_t part = (me->thread_index + *passed) % parts->count;
    const uint32_t piece = atomic_fetch_add_explicit(&parts->part[part].next, 1, memory_order_relaxed);
    *number = part * parts->part_pieces + piece;
    if (piece >= parts->part_pieces) continue;
    me->claims++;
    return 1;
  }
  if (me->thread_index == 0) scan_host_pool_note_pieces(me, scan_host_parts_pieces(parts));
  return 0;
}

#endif
