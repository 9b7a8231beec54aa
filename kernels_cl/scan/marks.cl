/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns marks of other kinds (marks.h) into a bit an element, for scans of which only the kernels that read bits were
 * compiled. With keys the first element's bit is 0: no key precedes it, and the scan's flags say whether it begins a
 * segment. 32 work-items make 32 words at a time. */
#include "lib/arguments.h"
#include "lib/marks.h"

#define MARK_READS 8 /* marks that a work-item loads at once */

FUNC scanrt_u32 scanrt_mark_is_start(GLOBAL const scanrt_mark_t *marks, scanrt_u64 index, scanrt_u64 n) {
#if SCAN_SEGMENTS == 1
  return index < n && IS_START(0, marks[index]);
#else
  return index > 0 && index < n && IS_START(marks[index - 1], marks[index]);
#endif
}

#if SCAN_SEGMENTS == 1
KERNEL(bits_of_flags)(PARAMETERS(SEGMENT_BITS_ARGUMENTS)) {
#else
KERNEL(bits_of_keys)(PARAMETERS(SEGMENT_BITS_ARGUMENTS)) {
#endif
  GLOBAL const scanrt_mark_t *from = (GLOBAL const scanrt_mark_t *)MEMORY(marks);
  GLOBAL scanrt_u32 *words = (GLOBAL scanrt_u32 *)MEMORY(segment_flags);
  const scanrt_u64 all = (n + 31) / 32, step = (scanrt_u64)GROUPS() * SCAN_GROUP_ITEMS;
  const scanrt_u32 lane = ITEM() % 32;
  (void)count;
  for (scanrt_u64 first = (scanrt_u64)GROUP() * SCAN_GROUP_ITEMS + ITEM() / 32 * 32; first < all; first += step) {
    scanrt_u32 word = 0;
    for (scanrt_u32 k = 0; k < 32; k += MARK_READS) {
      scanrt_u32 is_start[MARK_READS];
      UNROLL
      for (scanrt_u32 q = 0; q < MARK_READS; q++)
        is_start[q] = scanrt_mark_is_start(from, (first + k + q) * 32 + lane, n);
      UNROLL
      for (scanrt_u32 q = 0; q < MARK_READS; q++) {
        const scanrt_u32 bits = WARP_BALLOT(is_start[q]);
        if (lane == k + q) word = bits;
      }
    }
    if (first + lane < all) words[first + lane] = word;
  }
}
