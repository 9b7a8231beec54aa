/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction's inner loops: they move a tile's kept elements side by side. */
#ifndef SCANRT_HOST_FRONT_H
#define SCANRT_HOST_FRONT_H

#include <stddef.h>
#include <stdint.h>

/* Elements and a bit for each. Bits past `items` in the last word are ignored. */
typedef struct host_marked {
  const uint8_t *from;   /* elements of `bytes` bytes; unused for indices */
  uint64_t index;        /* first index, for indices */
  const uint32_t *words; /* bit i % 32 of word i / 32 belongs to element i */
  uint32_t flip;         /* ~0: elements whose bits are 0 are kept; else 0 */
  uint32_t items, bytes;
} host_marked;

/* Largest number of bytes that are overwritten behind the kept elements. */
enum { HOST_FRONT_OVER_BYTES = 64 };

/* Writes the elements whose bits are set. Returns their end. */
typedef uint8_t *host_front(uint8_t *to, const host_marked *m);

/* Returns the number of bits that are set. */
typedef uint64_t host_count(const host_marked *m);

/* Copies past the caches, from and to any addresses. */
typedef void host_stream(uint8_t *to, const uint8_t *from, size_t bytes);

typedef struct host_fronts {
  host_front *by_bytes[17]; /* for elements of 1, 2, 4, 8 and 16 bytes; others are NULL and use `any` */
  host_front *any;
  host_front *index4, *index8;
  host_count *count;
  host_stream *stream;
} host_fronts;

/* Loops for registers of 16, 32 and 64 bytes. */
extern const host_fronts scan_host_fronts_narrow, scan_host_fronts_wide, scan_host_fronts_widest;

#endif
