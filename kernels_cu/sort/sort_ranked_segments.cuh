/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts few keys of segments in one launch (sort_ranked.cuh): where the segments of a work-group's own keys begin, and
 * how keys of several segments compare. Own keys are in order by segments, and within these by keys. Other keys that
 * matter lie before the own ones, in the first own key's segment, or behind them, in the last one's. */
#ifndef SCANRT_CU_SORT_RANKED_SEGMENTS_CUH
#define SCANRT_CU_SORT_RANKED_SEGMENTS_CUH

/* Finds the segments of the own keys. `found`: shared memory, SORT_RANKED_AT_BEGINS. Segments in which no key lies, or
 * offsets that descend, set nothing that lies past the keys. */
FUNC void scanrt_ranked_find(scanrt_ranked_keys *from, scanrt_u32 *found, const scanrt_u8 *offsets, scanrt_u64 count,
                             scanrt_u64 all, scanrt_u32 flags) {
  scanrt_u32 *begin = found + RANKED_CHUNKS, *end = begin + 1;
  const scanrt_u32 own_end = from->first + from->own;
  if (ITEM() < RANKED_CHUNKS) found[ITEM()] = 0;
  if (ITEM() == 0) *begin = from->first, *end = own_end;
  BARRIER();
  NO_UNROLL
  for (scanrt_u32 s = ITEM(); s < count; s += SCAN_GROUP_ITEMS) {
    const scanrt_u32 low = (scanrt_u32)scanrt_segment_offset(offsets, s, all, flags);
    const scanrt_u32 high = (scanrt_u32)scanrt_segment_offset(offsets, s + 1, all, flags);
    if (low >= high) continue;
    if (low <= from->first && from->first < high) *begin = low;
    if (low < own_end && own_end <= high) *end = high;
    if (low > from->first && low < own_end)
      ATOMIC_OR_LOCAL(&found[(low - from->first) / 32], 1u << (low - from->first) % 32);
    if (high > from->first && high < own_end)
      ATOMIC_OR_LOCAL(&found[(high - from->first) / 32], 1u << (high - from->first) % 32);
  }
  BARRIER();
  from->begin = *begin;
  from->end = *end;
  from->first_end = from->own;
  from->last_begin = 0;
  UNROLL
  for (int c = 0; c < RANKED_CHUNKS; c++) {
    const scanrt_u32 bits = found[c];
    from->begins[c] = bits;
    if (bits != 0 && from->last_begin == 0) from->first_end = c * 32 + LAST_BIT(bits & (0 - bits));
    if (bits != 0) from->last_begin = c * 32 + LAST_BIT(bits);
  }
}

/* Returns the number of segments that begin behind the first own key, up to own key i. */
FUNC scanrt_u32 scanrt_ranked_number(scanrt_u32 i, const scanrt_ranked_keys &from) {
  scanrt_u32 number = 0;
  UNROLL
  for (scanrt_u32 c = 0; c < RANKED_CHUNKS; c++) {
    const scanrt_u32 mask = i < c * 32 ? 0u : i >= c * 32 + 31 ? ~0u : (2u << i % 32) - 1;
    number += BITS_SET(from.begins[c] & mask);
  }
  return number;
}

FUNC bool scanrt_ranked_precedes(RANK_T own, scanrt_u32 i, RANK_T x, scanrt_u32 j, const scanrt_ranked_keys &from) {
  const scanrt_u32 segment = scanrt_ranked_number(i, from), other = scanrt_ranked_number(j, from);
  return (segment < other) | ((segment == other) & ((own < x) | ((own == x) & (i < j))));
}

FUNC bool scanrt_ranked_is_less(RANK_T own, scanrt_u32 i, RANK_T above, bool is_after, const scanrt_ranked_keys &from) {
  return is_after ? (i < from.last_begin) | (own < above) : (i < from.first_end) & (own < above);
}

/* Keys before the own ones that follow all of the first segment count before the second segment. */
FUNC bool scanrt_ranked_is_within(RANK_T last, RANK_T above, bool is_after, const scanrt_ranked_keys &from) {
  return (above <= last) | (!is_after & (from.first_end < SORT_RANKED_OWN));
}
#endif
