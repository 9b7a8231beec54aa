/* SPDX-License-Identifier: BSD-2-Clause */
/* An output buffer: a thread gathers elements side by side in memory of its own and writes them from there to their
 * places. */
#ifndef SCANRT_OUTPUT_BUFFER_H
#define SCANRT_OUTPUT_BUFFER_H

#include <string.h>

#include "device/backend.h"
#include "device/host/select/compress_store.h"

/* Returns the memory's address. Offsets may be negative (wrapped), and NULL + offset is undefined: the sum is one of
 * integers. */
static inline uint8_t *host_bytes_of(scan_mem mem) {
  return (uint8_t *)((uintptr_t)mem.handle + (uintptr_t)mem.offset_bytes);
}

/* An output buffer with its destination from `to` on and the room there. */
typedef struct output_buffer {
  uint8_t *area, *end; /* bytes that are not written yet */
  uint8_t *to;
  uint64_t room_bytes;
} output_buffer;

/* Sets the destination to place number `at` of an array of `capacity` elements. */
static inline void output_buffer_open(output_buffer *buffer, scan_mem to, uint32_t bytes, uint64_t at,
                                      uint64_t capacity) {
  const uint64_t there = at < capacity ? at : capacity;
  buffer->to = host_bytes_of(to) + there * bytes;
  buffer->room_bytes = (capacity - there) * bytes;
}

/* Writes whole lines, and the rest if is_all is 1. Uses `stream` to bypass the caches, or memcpy if it is NULL. */
static inline void output_buffer_write(output_buffer *buffer, host_stream *stream, int is_all) {
  const size_t there = (size_t)(buffer->end - buffer->area);
  const size_t size = there < buffer->room_bytes ? there : (size_t)buffer->room_bytes;
  const size_t over = is_all ? 0 : ((uintptr_t)buffer->to + size) % 64;
  const size_t written = size > over ? size - over : 0;
  if (stream != NULL)
    stream(buffer->to, buffer->area, written);
  else
    memcpy(buffer->to, buffer->area, written);
  memmove(buffer->area, buffer->area + written, size - written);
  buffer->end = buffer->area + (size - written);
  buffer->to += written;
  buffer->room_bytes -= written;
}

#endif
