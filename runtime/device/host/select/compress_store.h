/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction's inner loops: they move a tile's kept elements side by side. */
#ifndef SCANRT_COMPRESS_STORE_H
#define SCANRT_COMPRESS_STORE_H

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
enum { COMPRESS_STORE_OVER_BYTES = 64 };

/* Writes the elements whose bits are set. Returns their end. */
typedef uint8_t *compress_store(uint8_t *to, const host_marked *m);

/* Returns the number of bits that are set. */
typedef uint64_t host_count(const host_marked *m);

/* Copies past the caches, from and to any addresses. */
typedef void host_stream(uint8_t *to, const uint8_t *from, size_t bytes);

typedef struct compress_stores {
  compress_store *by_bytes[17]; /* for elements of 1, 2, 4, 8 and 16 bytes; others are NULL and use `any` */
  compress_store *any;
  compress_store *index4, *index8;
  host_count *count;
  host_stream *stream;
} compress_stores;

extern const compress_stores scan_compress_stores_baseline, scan_compress_stores_avx2, scan_compress_stores_avx512,
    scan_compress_stores_sve2;

#endif
