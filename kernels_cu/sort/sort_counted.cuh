/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts few keys of one byte that have no values (sort_ranked.cuh). Sorted bytes are their counts: each work-group
 * counts all keys, and its warps write the runs of equal keys that lie in its part of the output. */
#ifndef SCANRT_CU_SORT_COUNTED_CUH
#define SCANRT_CU_SORT_COUNTED_CUH

#define COUNTED_WORDS (SORT_RANKED_MOST / 4 / SCAN_GROUP_ITEMS) /* words of four keys of a work-item */
#define COUNTED_WARPS (SORT_DIGITS / 32)                        /* those that have a counter a lane */

/* Loads a word of keys, byte by byte where it would not be aligned or the keys end in it. */
FUNC scanrt_u32 scanrt_counted_word(const KEY_T *keys, scanrt_u32 first, scanrt_u32 end) {
  scanrt_u32 word = 0;
  if (first + 4 <= end && ((size_t)keys & 3) == 0) return *(const scanrt_u32 *)(keys + first);
  for (scanrt_u32 i = first; i < end && i < first + 4; i++) word |= (scanrt_u32)keys[i] << (i - first) * 8;
  return word;
}

/* Writes keys `from.first` to from.first + from.own of the sorted ones. `base`: shared memory of SORT_COUNTED_BYTES. */
FUNC void scanrt_counted_sort(scanrt_u32 base, KEY_T *to, const scanrt_ranked_keys &from) {
  const scanrt_u32 sums = base + SORT_COUNTED_COPIES * SORT_DIGITS * 4, lane = ITEM() % 32;
  const scanrt_u32 own_end = from.first + from.own;
  const scanrt_u32 copy = base + ITEM() / 32 % SORT_COUNTED_COPIES * SORT_DIGITS * 4;
  scanrt_u32 words[COUNTED_WORDS];
  UNROLL
  for (int w = 0; w < COUNTED_WORDS; w++)
    words[w] = scanrt_counted_word(from.keys, (w * SCAN_GROUP_ITEMS + ITEM()) * 4, from.end);
  for (scanrt_u32 i = ITEM(); i < SORT_COUNTED_COPIES * SORT_DIGITS; i += SCAN_GROUP_ITEMS)
    scanrt_shared_set_u32(base + i * 4, 0);
  BARRIER();
  UNROLL
  for (int w = 0; w < COUNTED_WORDS; w++) {
    UNROLL
    for (scanrt_u32 b = 0; b < 4; b++) {
      const KEY_T key = (KEY_T)(words[w] >> b * 8);
      if ((w * SCAN_GROUP_ITEMS + ITEM()) * 4 + b < from.end)
        scanrt_shared_count(copy + scanrt_sort_ordered(key, from.order) * 4u);
    }
  }
  BARRIER();
  scanrt_u32 count = 0, sum;
  if (ITEM() < SORT_DIGITS) {
    UNROLL
    for (int c = 0; c < SORT_COUNTED_COPIES; c++) count += scanrt_shared_u32(base + (c * SORT_DIGITS + ITEM()) * 4);
    sum = count;
    UNROLL
    for (int d = 1; d < 32; d *= 2) {
      const scanrt_u32 other = scanrt_shuffle_up_u32(sum, d);
      if (lane >= d) sum += other;
    }
    if (lane == 31) scanrt_shared_set_u32(sums + ITEM() / 32 * 4, sum);
  }
  BARRIER();
  if (ITEM() >= SORT_DIGITS) return; /* for all lanes of a warp, or for none */
  UNROLL
  for (scanrt_u32 w = 0; w < COUNTED_WARPS; w++) {
    const scanrt_u32 before = scanrt_shared_u32(sums + w * 4);
    if (w < ITEM() / 32) sum += before;
  }
  const scanrt_u32 begin = sum - count < from.first ? from.first : sum - count, end = sum < own_end ? sum : own_end;
  const scanrt_u32 key = scanrt_sort_unordered((KEY_T)ITEM(), from.order);
  for (scanrt_u32 runs = WARP_BALLOT(begin < end); runs != 0; runs &= runs - 1) {
    const scanrt_u32 run = LAST_BIT(runs & (0 - runs)), last = scanrt_shuffle_from_u32(end, run);
    const KEY_T value = (KEY_T)scanrt_shuffle_from_u32(key, run);
    for (scanrt_u32 i = scanrt_shuffle_from_u32(begin, run) + lane; i < last; i += 32) to[i] = value;
  }
}
#endif
