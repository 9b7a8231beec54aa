/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels of compaction have in common: n, bits and counts of a tile. */
#ifndef SCANRT_CL_SELECT_TILE_H
#define SCANRT_CL_SELECT_TILE_H

#include "arguments.h"
#include "dialect.h"
#include "select.h"

#define TILE_ITEMS ((scanrt_u32)SELECT_TILE_ITEMS)
#define TILE_WORDS (TILE_ITEMS / 32)

/* How many bits are set; the numbers of the lowest and of the highest, of a word that is not 0. */
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

/* The elements that there are. */
FUNC scanrt_u64 scanrt_select_n(scanrt_u64 n, GLOBAL const scanrt_u64 *from, scanrt_u32 flags) {
  if (!(flags & SELECT_N_FROM)) return n;
  return *from < n ? *from : n;
}
#define SELECT_N() scanrt_select_n(n, (GLOBAL const scanrt_u64 *)MEMORY(n_from), flags)

/* Elements of the tile that begins with element `first`. Work-groups without any do what the others do: PoCL 3.1 makes
 * nonsense of barriers behind a return. */
FUNC scanrt_u32 scanrt_select_items(scanrt_u64 first, scanrt_u64 n) {
  if (first >= n) return 0;
  return n - first < TILE_ITEMS ? (scanrt_u32)(n - first) : TILE_ITEMS;
}

/* Word w of a tile's bits, without bits past its elements; what lies past its last word is not looked at. */
FUNC scanrt_u32 scanrt_select_word(GLOBAL const scanrt_u32 *words, scanrt_u32 w, scanrt_u32 items) {
  if (w * 32 >= items) return 0;
  return items - w * 32 >= 32 ? words[w] : words[w] & ((1u << items % 32) - 1);
}

#if SCAN_GROUP_ITEMS > 1
/* A sum over the work-group; `sums` is free behind it. */
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
