/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of segments (sort_segments.h) by work-groups of one work-item, on devices that end no loops. SCAN_TYPE is
 * the unsigned integer that keys are read as, SCAN_IN_TYPE that of values (sort_ranges_keys.h). */
#include "sort/sort_segments_alike.h"
#include "sort/sort_segments_batch.h"

/* Sorts the segments that begin in step_items keys, and enters those of more keys in the table. Short segments are
 * sorted several at once, others one by one. */
SORT_KERNEL(segments_item)(PARAMETERS(SORT_SEGMENTS_ARGUMENTS)) {
  const scanrt_u64 all = SORT_N(), first = (scanrt_u64)GROUP() * step_items;
  const scanrt_u64 limit = first >= all || all - first < step_items ? all : first + step_items;
  const scanrt_ranges_order order = RANGES_ORDER();
  const scanrt_u32 most = HAS_VALUES || order.is_exact ? BATCH_MOST : 0;
  scanrt_segment_batch batch;
  scanrt_segment_ends ends;
  scanrt_u64 s = first < all ? scanrt_segment_search(MEMORY(marks), 0, count + 1, first, all, flags) : count;
  scanrt_u64 before = first; /* where the segments up to s end */
  (void)MEMORY(workspace), (void)pass, (void)part_tiles, (void)part;
  ends.in = (GLOBAL const KEY_T *)MEMORY(in);
  ends.out = (GLOBAL KEY_T *)MEMORY(out);
  ends.spare = (GLOBAL KEY_T *)MEMORY(keys_spare);
#if HAS_VALUES
  ends.values_in = (GLOBAL const scanrt_sort_value *)MEMORY(values_in);
  ends.values_out = (GLOBAL scanrt_sort_value *)MEMORY(values_out);
  ends.values_spare = (GLOBAL scanrt_sort_value *)MEMORY(values_spare);
  ends.makes_indices = (flags & SORT_INDICES) != 0;
#else
  (void)MEMORY(values_in), (void)MEMORY(values_out), (void)MEMORY(values_spare);
#endif
  NOTE_N_OVERFLOW();
  scanrt_batch_clear(&batch);
  while (s < count) {
    const scanrt_u64 begin = OFFSET(s), end = OFFSET(s + 1), items = end - begin;
    if (begin >= limit) break;
    if (end <= begin) {
      s = scanrt_segment_last_alike(MEMORY(marks), s + 1, count, begin, all, flags);
      continue;
    }
    s++;
    /* If offsets descend, segments overlap. Only the first one is sorted, since work-items must not share keys. */
    if (begin < before) continue;
    before = end;
    if (items > step_items) {
      scanrt_segment_enter(SEGMENT_TABLE(), begin, items, tile_items, tiles);
      continue;
    }
    if (end > limit && scanrt_segment_search(MEMORY(marks), 0, count + 1, limit, all, flags) != s) continue;
    if (items <= most)
      scanrt_batch_add(&batch, begin, (scanrt_u32)items, ends, order);
    else
      scanrt_segment_by_digits(ends, begin, (scanrt_u32)items, order);
  }
  scanrt_batch_sort(&batch, ends, order);
}
