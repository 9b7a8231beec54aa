/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/sort/host_sort_composites.h"

#include <string.h>

/* INDEX_BITS: of the index of one of HOST_SORT_COMPOSITES keys. */
enum { INDEX_BITS = 8, MOST_DEPTH = 64 };
_Static_assert(HOST_SORT_COMPOSITES == 1 << INDEX_BITS, "an index does not fit");

typedef uint64_t composites[HOST_SORT_COMPOSITES];

/* Makes integers of n keys. Those of 8-byte keys lack the keys' INDEX_BITS lowest bits. */
#define MAKE(T)                                                                                                        \
  static void make_##T(const host_sort_job *job, const void *keys, uint64_t n, uint64_t *to) {                         \
    const T mask = (T)job->order.mask;                                                                                 \
    const uint32_t shift = sizeof(T) < sizeof(uint64_t) ? INDEX_BITS : 0;                                              \
    T key[HOST_SORT_COMPOSITES];                                                                                       \
    job->loops->flip(&job->order, keys, key, n);                                                                       \
    for (uint64_t i = 0; i < n; i++)                                                                                   \
      to[i] = ((uint64_t)(T)(key[i] & mask) << shift & ~(uint64_t)(HOST_SORT_COMPOSITES - 1)) | i;                     \
  }
MAKE(uint8_t)
MAKE(uint16_t)
MAKE(uint32_t)
MAKE(uint64_t)

static void make(const host_sort_job *job, const void *keys, uint64_t n, uint64_t *to) {
  if (job->loops->key_bytes == 1) make_uint8_t(job, keys, n, to);
  if (job->loops->key_bytes == 2) make_uint16_t(job, keys, n, to);
  if (job->loops->key_bytes == 4) make_uint32_t(job, keys, n, to);
  if (job->loops->key_bytes == 8) make_uint64_t(job, keys, n, to);
}

/* Brings items to the places of their indices, by memory that may be the items'. from NULL: they are `first` and so
 * on. */
#define BRING(T)                                                                                                       \
  static void bring_##T(const uint64_t *sorted, uint64_t n, const T *from, uint64_t first, T *to) {                    \
    T items[HOST_SORT_COMPOSITES];                                                                                     \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const uint64_t index = sorted[i] % HOST_SORT_COMPOSITES;                                                         \
      items[i] = from != NULL ? from[index] : (T)(first + index);                                                      \
    }                                                                                                                  \
    memcpy(to, items, (size_t)n * sizeof *to);                                                                         \
  }
BRING(uint8_t)
BRING(uint16_t)
BRING(uint32_t)
BRING(uint64_t)

static void bring(uint32_t bytes, const uint64_t *sorted, uint64_t n, const void *from, uint64_t first, void *to) {
  if (bytes == 1) bring_uint8_t(sorted, n, from, first, to);
  if (bytes == 2) bring_uint16_t(sorted, n, from, first, to);
  if (bytes == 4) bring_uint32_t(sorted, n, from, first, to);
  if (bytes == 8) bring_uint64_t(sorted, n, from, first, to);
}

int scan_host_sort_composites(const host_sort_job *job, const host_sort_part *part) {
  const host_sort_order integers = { .mask = UINT64_MAX };
  const host_sort_loops *loops = job->loops;
  const uint64_t n = part->n;
  uint8_t *const keys_to = host_sort_keys(job, HOST_SORT_OUT, part->begin);
  uint8_t *const values_to = host_sort_values(job, HOST_SORT_OUT, part->begin);
  composites sorted, spare;
  const simd_sort_memory memory = { .from = sorted, .here = sorted, .spare = spare, .to = sorted };
  make(job, host_sort_keys(job, part->place, part->begin), n, sorted);
  if (!job->composites->sort(&integers, &memory, n, MOST_DEPTH)) return 0;
  bring(loops->key_bytes, sorted, n, host_sort_keys(job, part->place, part->begin), 0, keys_to);
  bring(loops->value_bytes, sorted, n, host_sort_values(job, part->place, part->begin), part->begin, values_to);
  if (loops->key_bytes == sizeof(uint64_t)) (void)loops->insert(&job->order, keys_to, values_to, n, UINT64_MAX);
  return 1;
}
