/* SPDX-License-Identifier: BSD-2-Clause */
/* An output buffer: a thread gathers elements side by side in memory of its own and writes them from there to their
 * places. */
#ifndef SCANRT_HOST_SIDE_H
#define SCANRT_HOST_SIDE_H

#include <string.h>

#include "device/backend.h"
#include "device/host/select/host_front.h"

/* Returns the memory's address. Offsets may be negative (wrapped), and NULL + offset is undefined: the sum is one of
 * integers. */
static inline uint8_t *host_bytes_of(scan_mem mem) {
  return (uint8_t *)((uintptr_t)mem.handle + (uintptr_t)mem.offset_bytes);
}

/* An output buffer with its destination from `to` on and the room there. */
typedef struct host_side {
  uint8_t *area, *end; /* bytes that are not written yet */
  uint8_t *to;
  uint64_t room_bytes;
} host_side;

/* Sets the destination to place number `at` of an array of `capacity` elements. */
static inline void host_side_open(host_side *side, scan_mem to, uint32_t bytes, uint64_t at, uint64_t capacity) {
  const uint64_t there = at < capacity ? at : capacity;
  side->to = host_bytes_of(to) + there * bytes;
  side->room_bytes = (capacity - there) * bytes;
}

/* Writes whole lines, and the rest if is_all is 1. Uses `stream` to bypass the caches, or memcpy if it is NULL. */
static inline void host_side_write(host_side *side, host_stream *stream, int is_all) {
  const size_t there = (size_t)(side->end - side->area);
  const size_t size = there < side->room_bytes ? there : (size_t)side->room_bytes;
  const size_t over = is_all ? 0 : ((uintptr_t)side->to + size) % 64;
  const size_t written = size > over ? size - over : 0;
  if (stream != NULL)
    stream(side->to, side->area, written);
  else
    memcpy(side->to, side->area, written);
  memmove(side->area, side->area + written, size - written);
  side->end = side->area + (size - written);
  side->to += written;
  side->room_bytes -= written;
}

#endif
