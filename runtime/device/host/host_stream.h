/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores that bypass the caches. */
#ifndef SCANRT_HOST_STREAM_H
#define SCANRT_HOST_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Copies past the caches, which the output would fill; `from` must be aligned to 16 bytes. */
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

/* Copies past the caches from and to any addresses: by whole lines except at both ends. */
static inline void scan_host_stream_lines(uint8_t *to, const uint8_t *from, size_t bytes) {
#if defined(__SSE2__)
  enum { LINE = 64 };
  const size_t lead = (LINE - (uintptr_t)to % LINE) % LINE;
  if (bytes < LINE + lead) {
    memcpy(to, from, bytes);
    return;
  }
  memcpy(to, from, lead);
  size_t i = lead;
  for (; i + LINE <= bytes; i += LINE) {
    __m128i v[4];
    for (int k = 0; k < 4; k++) v[k] = _mm_loadu_si128((const __m128i *)(const void *)(from + i) + k);
    for (int k = 0; k < 4; k++) _mm_stream_si128((__m128i *)(void *)(to + i) + k, v[k]);
  }
  memcpy(to + i, from + i, bytes - i);
#else
  memcpy(to, from, bytes);
#endif
}

/* Orders streaming stores before the thread's later actions. */
static inline void scan_host_stream_done(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

#endif
