/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of a tile that are kept, brought side by side: compaction's inner loops. */
#ifndef SCANRT_HOST_FRONT_H
#define SCANRT_HOST_FRONT_H

#include <stddef.h>
#include <stdint.h>

/* Elements and a bit for each. What lies past `items` in the last word is not looked at. */
typedef struct host_marked {
  const uint8_t *from;   /* elements of so many bytes; none of indices, */
  uint64_t index;        /* which begin with this one */
  const uint32_t *words; /* bit i % 32 of word i / 32 is element i's, */
  uint32_t flip;         /* or its opposite, where this is ~0 */
  uint32_t items, bytes;
} host_marked;

/* What is written behind those that are kept, at most. */
enum { HOST_FRONT_OVER_BYTES = 64 };

/* Writes the elements whose bits are set, and returns where they end. */
typedef uint8_t *host_front(uint8_t *to, const host_marked *m);

/* How many bits are set. */
typedef uint64_t host_count(const host_marked *m);

/* Writes past the caches, any addresses. */
typedef void host_stream(uint8_t *to, const uint8_t *from, size_t bytes);

typedef struct host_fronts {
  host_front *by_bytes[17]; /* of elements of 1, 2, 4, 8 and 16 bytes; others are NULL: */
  host_front *any;
  host_front *index4, *index8;
  host_count *count;
  host_stream *stream;
} host_fronts;

/* For registers of 16, 32 and 64 bytes. */
extern const host_fronts scan_host_fronts_narrow, scan_host_fronts_wide, scan_host_fronts_widest;

#endif
