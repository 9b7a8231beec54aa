/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a bit an element, and a count a tile, like select_marks.cl, by a predicate from source:
 * SCAN_SOURCE_KEEP(element, index, parameters), or with SCAN_SOURCE_PAIRS SCAN_SOURCE_KEEP(element before, element,
 * parameters), which says where runs begin. Each launch passes the parameters as words. With SCAN_SOURCE_BUCKETS the
 * function returns an element's bucket in a split. */
#include "select/select_bits.h"
#include "select/select_params.h"

#ifdef SCAN_SOURCE_BUCKETS
/* Writes each element's bucket. Buckets past the last one count as the last. */
KERNEL(split_buckets)(PARAMETERS(SPLIT_BUCKETS_ARGUMENTS)) {
  const scanrt_u64 all = SELECT_N(), first = (scanrt_u64)GROUP() * TILE_ITEMS;
  const scanrt_u32 items = scanrt_select_items(first, all);
  GLOBAL const scanrt_keep_element_t *from = (GLOBAL const scanrt_keep_element_t *)MEMORY(in);
  PARAMS();
  for (scanrt_u32 e = ITEM(); e < items; e += SCAN_GROUP_ITEMS) {
    const scanrt_u32 bucket = SCAN_SOURCE_KEEP(from[first + e], first + e, params.p);
    MEMORY(out)[first + e] = (scanrt_u8)(bucket < buckets ? bucket : buckets - 1);
  }
}
#else

#ifdef SCAN_SOURCE_PAIRS
FUNC scanrt_u32 scanrt_keep_one(GLOBAL const scanrt_keep_element_t *from, scanrt_u64 i, scanrt_u64 n,
                                scanrt_keep_params params, scanrt_u32 flags) {
  const scanrt_u64 next = i + ((flags & SELECT_LAST) != 0);
  if (i >= n) return 0;
  return next == 0 || next == n || SCAN_SOURCE_KEEP(from[next - 1], from[next], params.p);
}
#else
FUNC scanrt_u32 scanrt_keep_one(GLOBAL const scanrt_keep_element_t *from, scanrt_u64 i, scanrt_u64 n,
                                scanrt_keep_params params, scanrt_u32 flags) {
  (void)flags;
  return i < n && SCAN_SOURCE_KEEP(from[i], i, params.p);
}
#endif

#if SCAN_GROUP_ITEMS == 1
/* Returns the bits of the elements from i on. A full word has no test for each element, so that compilers make vector
 * instructions. */
FUNC scanrt_u32 scanrt_keep_word(GLOBAL const scanrt_keep_element_t *from, scanrt_u64 i, scanrt_u64 n,
                                 scanrt_keep_params params, scanrt_u32 flags) {
  scanrt_u32 word = 0;
#ifdef SCAN_SOURCE_PAIRS
  GLOBAL const scanrt_keep_element_t *next = from + i + ((flags & SELECT_LAST) != 0);
  if (i > 0 && i + 32 < n) {
    for (scanrt_u32 k = 0; k < 32; k++)
      word |= (SCAN_SOURCE_KEEP(next[(scanrt_i32)k - 1], next[k], params.p) ? 1u : 0u) << k;
    return word;
  }
#else
  if (i + 32 <= n) {
    for (scanrt_u32 k = 0; k < 32; k++) word |= (SCAN_SOURCE_KEEP(from[i + k], i + k, params.p) ? 1u : 0u) << k;
    return word;
  }
#endif
  for (scanrt_u32 k = 0; k < 32; k++) word |= scanrt_keep_one(from, i + k, n, params, flags) << k;
  return word;
}

KERNEL(select_predicate)(PARAMETERS(SELECT_PREDICATE_ARGUMENTS)) {
  OPEN(scanrt_keep_element_t);
  PARAMS();
  MARK_TILE(scanrt_keep_word(marks, i, items, params, flags));
}
#else
KERNEL(select_predicate)(PARAMETERS(SELECT_PREDICATE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_select_bytes, tile, 1);
  LOCAL_ARRAY(scanrt_u32, sums, SCAN_GROUP_ITEMS);
  OPEN(scanrt_keep_element_t);
  PARAMS();
  MARK_TILE(scanrt_keep_one(marks, i, items, params, flags));
}
#endif

/* Writes the number of elements that are not kept; launched after all others. */
KERNEL(select_left)(PARAMETERS(SELECT_LEFT_ARGUMENTS)) {
  const scanrt_u64 items = SELECT_N();
  if (GROUP() == 0 && ITEM() == 0)
    *(GLOBAL scanrt_u64 *)MEMORY(places) = items - *(GLOBAL const scanrt_u64 *)MEMORY(kept);
}
#endif
