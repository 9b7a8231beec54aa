/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/select/host_predicate.h"

#include <string.h>

#include "device/host/prefetch.h"
#include "device/host/output_buffer.h"
#include "device/source.h"
#include "kernels_cl/select/select.h"

/* Number of elements of the run, at most args->n. */
static uint64_t items_of(const scan_kernel_args *args) {
  const uint64_t given =
      args->flags & SELECT_N_FROM ? *(const uint64_t *)(const void *)host_bytes_of(args->n_from) : args->n;
  return given < args->n ? given : args->n;
}

/* Returns the bits of `items` elements from i on. */
static uint32_t keep_word(const scan_source *keep, const uint8_t *from, uint64_t i, uint32_t items,
                          const uint64_t *params) {
  return keep->keep_host(from + i * keep->input_bytes, i, items, params, keep->user);
}

/* Returns the bits of `items` elements of n, by a predicate of two elements. shift: 0 for the first elements of runs, 1
 * for the last ones. The first or last of all elements has no neighbour, and its bit is set. */
static uint32_t pair_word(const scan_source *same, const uint8_t *from, uint64_t i, uint32_t items, uint64_t n,
                          uint32_t shift, const uint64_t *params) {
  if (items == 0) return 0;
  const uint32_t is_first = i + shift == 0, ends = i + items + shift > n, compared = items - is_first - ends;
  const uint64_t before = i + is_first + shift - 1;
  const uint32_t word = compared > 0 ? keep_word(same, from, before, compared, params) : 0;
  return word << is_first | is_first | ends << (items - 1);
}

void scan_host_predicate(const scan_kernel_args *args, uint32_t group, uint32_t groups) {
  const scan_source *keep = args->predicate;
  const uint64_t n = items_of(args), first = (uint64_t)group * SELECT_TILE_ITEMS;
  const uint64_t end = n - first < SELECT_TILE_ITEMS ? n : first + SELECT_TILE_ITEMS;
  const uint8_t *from = host_bytes_of(args->marks);
  const uint32_t shift = (args->flags & SELECT_LAST) != 0;
  uint32_t *words = (void *)host_bytes_of(args->segment_flags);
  uint64_t params[1 + SCAN_SEED_MORE_WORDS] = { args->seed_bits };
  (void)groups;
  memcpy(params + 1, args->seed_more, SCAN_SEED_MORE_WORDS * sizeof params[0]);
  for (uint64_t i = first; i < end && first < n; i += 32) {
    scan_host_prefetch(from + i * keep->input_bytes, 32 * keep->input_bytes);
    const uint32_t items = end - i < 32 ? (uint32_t)(end - i) : 32;
    words[i / 32] =
        keep->is_pair ? pair_word(keep, from, i, items, n, shift, params) : keep_word(keep, from, i, items, params);
  }
}

void scan_host_buckets(const scan_kernel_args *args, uint32_t group, uint32_t groups) {
  enum { BLOCK = 256 };
  const scan_source *source = args->predicate;
  const uint64_t n = items_of(args), first = (uint64_t)group * SELECT_TILE_ITEMS;
  const uint8_t *from = host_bytes_of(args->in);
  uint8_t *to = host_bytes_of(args->out);
  uint64_t params[1 + SCAN_SEED_MORE_WORDS] = { args->seed_bits };
  uint32_t buckets[BLOCK];
  (void)groups;
  memcpy(params + 1, args->seed_more, SCAN_SEED_MORE_WORDS * sizeof params[0]);
  for (uint64_t i = first; i < n && i - first < SELECT_TILE_ITEMS; i += BLOCK) {
    const uint32_t items = n - i < BLOCK ? (uint32_t)(n - i) : BLOCK;
    source->bucket_host(from + i * source->input_bytes, i, items, buckets, params, source->user);
    for (uint32_t k = 0; k < items; k++)
      to[i + k] = (uint8_t)(buckets[k] < args->buckets ? buckets[k] : args->buckets - 1);
  }
}

void scan_host_left(const scan_kernel_args *args, uint32_t group, uint32_t groups) {
  (void)group, (void)groups;
  *(uint64_t *)(void *)host_bytes_of(args->places) =
      items_of(args) - *(const uint64_t *)(const void *)host_bytes_of(args->kept);
}
