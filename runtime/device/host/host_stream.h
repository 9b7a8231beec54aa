/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores that go past the cache. */
#ifndef SCANRT_HOST_STREAM_H
#define SCANRT_HOST_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Writes past the caches, which what is written would fill; `from` is aligned to 16 bytes. */
static inline void scan_host_stream(uint8_t *to, const uint8_t *from, size_t bytes) {
#if defined(__SSE2__)
  if ((uintptr_t)to % 16 == 0 && bytes % 16 == 0) {
    for (size_t i = 0; i < bytes; i += 16)
      _mm_stream_si128((__m128i *)(void *)(to + i), _mm_load_si128((const __m128i *)(const void *)(from + i)));
    return;
  }
#endif
  memcpy(to, from, bytes);
}

#endif
