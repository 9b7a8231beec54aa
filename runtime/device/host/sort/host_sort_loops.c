/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/sort/host_sort_loops.h"

#include <string.h>

#include "device/host/host_stream.h"

/* Writes a whole line, past the caches if `streams` is 1, or what is shorter or misaligned. */
static inline void write_piece(void *to, const void *from, size_t bytes, int streams) {
  if (streams && bytes == HOST_SORT_LINE && (uintptr_t)to % HOST_SORT_LINE == 0)
    scan_host_stream(to, from, bytes);
  else
    memcpy(to, from, bytes);
}

enum { SORT_STREAMED = 16 }; /* as in host_stream.h */
enum { SORT_GLANCE = 256 /* keys compared before each check: most arrays are not sorted */ };

enum { SORT_BLOCK = 8 /* ranks that are compared at once */ };

#define JOIN_OF(a, b) a##_##b
#define JOIN(a, b) JOIN_OF(a, b)

#define SORT_KEY uint8_t
#define SORT_RANK int8_t
#define KEY_NAME(name) JOIN(name, 1)
#include "device/host/sort/host_sort_values.inc"
#define SORT_KEY uint16_t
#define SORT_RANK int16_t
#define KEY_NAME(name) JOIN(name, 2)
#include "device/host/sort/host_sort_values.inc"
#define SORT_KEY uint32_t
#define SORT_RANK int32_t
#define KEY_NAME(name) JOIN(name, 4)
#include "device/host/sort/host_sort_values.inc"
#define SORT_KEY uint64_t
#define SORT_RANK int64_t
#define KEY_NAME(name) JOIN(name, 8)
#include "device/host/sort/host_sort_values.inc"

#define SORT_NUMERIC_KEYS
#define SORT_KEY uint16_t
#define SORT_RANK int16_t
#define KEY_NAME(name) JOIN(name, numeric_2)
#include "device/host/sort/host_sort_values.inc"
#define SORT_KEY uint32_t
#define SORT_RANK int32_t
#define KEY_NAME(name) JOIN(name, numeric_4)
#include "device/host/sort/host_sort_values.inc"
#define SORT_KEY uint64_t
#define SORT_RANK int64_t
#define KEY_NAME(name) JOIN(name, numeric_8)
#include "device/host/sort/host_sort_values.inc"
#undef SORT_NUMERIC_KEYS

/* Two words, aligned as one word. */
typedef host_sort_bits two_words __attribute__((aligned(8)));
#define SORT_KEY two_words
#define KEY_NAME(name) JOIN(name, 16)
#include "device/host/sort/host_sort_values.inc"
#define SORT_SWAPPED 8
#define SORT_KEY uint64_t
#define KEY_NAME(name) JOIN(name, swapped_8)
#include "device/host/sort/host_sort_values.inc"
#undef SORT_SWAPPED
#define SORT_SWAPPED 16
#define SORT_KEY two_words
#define KEY_NAME(name) JOIN(name, swapped_16)
#include "device/host/sort/host_sort_values.inc"
#undef SORT_SWAPPED

#define WITH_ALL_VALUES(key) &loops_##key##_0, &loops_##key##_4, &loops_##key##_8
static const host_sort_loops *const all[] = { WITH_ALL_VALUES(1),         WITH_ALL_VALUES(2),
                                              WITH_ALL_VALUES(4),         WITH_ALL_VALUES(8),
                                              WITH_ALL_VALUES(numeric_2), WITH_ALL_VALUES(numeric_4),
                                              WITH_ALL_VALUES(numeric_8), WITH_ALL_VALUES(16),
                                              WITH_ALL_VALUES(swapped_8), WITH_ALL_VALUES(swapped_16) };

const host_sort_loops *scan_host_sort_loops_for(uint32_t key_bytes, uint32_t value_bytes, int swaps, int is_numeric) {
  const uint32_t swap = swaps ? key_bytes / 2 : 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i]->key_bytes == key_bytes && all[i]->value_bytes == value_bytes && all[i]->swap == swap &&
        all[i]->is_numeric == is_numeric)
      return all[i];
  return NULL;
}
