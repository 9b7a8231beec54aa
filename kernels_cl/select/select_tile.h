/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared parts of the compaction kernels: n, bits and counts of a tile. */
#ifndef SCANRT_CL_SELECT_TILE_H
#define SCANRT_CL_SELECT_TILE_H

#include "lib/arguments.h"
#include "lib/dialect.h"
#include "select/select.h"

#define TILE_ITEMS ((scanrt_u32)SELECT_TILE_ITEMS)
#define TILE_WORDS (TILE_ITEMS / 32)

/* BIT_COUNT is the number of set bits. LOW_BIT and HIGH_BIT are the indices of the lowest and the highest set bit of a
 * word other than 0. */
#if defined(__OPENCL_VERSION__)
#define BIT_COUNT(word) popcount(word)
#define LOW_BIT(word) (31u - clz((word) & (0u - (word))))
#define HIGH_BIT(word) (31u - clz(word))
#elif defined(__NVCC__) || defined(__CUDACC_RTC__)
#define BIT_COUNT(word) ((scanrt_u32)__popc(word))
#define HIGH_BIT(word) (31u - (scanrt_u32)__clz((int)(word)))
#else
#define BIT_COUNT(word) ((scanrt_u32)__builtin_popcount(word))
#define LOW_BIT(word) ((scanrt_u32)__builtin_ctz(word))
#define HIGH_BIT(word) (31u - (scanrt_u32)__builtin_clz(word))
#endif

/* Returns the number of elements: n, or the number in n_from if that is less. */
FUNC scanrt_u64 scanrt_select_n(scanrt_u64 n, GLOBAL const scanrt_u64 *from, scanrt_u32 flags) {
  if (!(flags & SELECT_N_FROM)) return n;
  return *from < n ? *from : n;
}
#define SELECT_N() scanrt_select_n(n, (GLOBAL const scanrt_u64 *)MEMORY(n_from), flags)

/* Returns the number of elements of the tile that begins with element `first`. A work-group without elements runs like
 * the others: PoCL 3.1 miscompiles barriers after a return. */
FUNC scanrt_u32 scanrt_select_items(scanrt_u64 first, scanrt_u64 n) {
  if (first >= n) return 0;
  return n - first < TILE_ITEMS ? (scanrt_u32)(n - first) : TILE_ITEMS;
}

/* Returns word w of a tile's bits, without bits past its elements. Words past its last one are not read. */
FUNC scanrt_u32 scanrt_select_word(GLOBAL const scanrt_u32 *words, scanrt_u32 w, scanrt_u32 items) {
  if (w * 32 >= items) return 0;
  return items - w * 32 >= 32 ? words[w] : words[w] & ((1u << items % 32) - 1);
}

#if SCAN_GROUP_ITEMS > 1
/* Returns the sum over the work-group; `sums` may be used again at once. */
FUNC scanrt_u32 scanrt_select_sum(scanrt_u32 own, LOCAL scanrt_u32 *sums) {
  sums[ITEM()] = own;
  BARRIER();
  for (scanrt_u32 apart = SCAN_GROUP_ITEMS / 2; apart > 0; apart /= 2) {
    if (ITEM() < apart) sums[ITEM()] += sums[ITEM() + apart];
    BARRIER();
  }
  const scanrt_u32 sum = sums[0];
  BARRIER();
  return sum;
}
#endif
#endif
