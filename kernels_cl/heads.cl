/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments told by the offsets of their first elements (SCAN_KEY_TYPE: 32 or 64 bits), ascending, several the same
 * where segments are empty: turned into a bit an element. seed_bits is how many there are. A work-item makes a word at
 * a time; it looks for the word's first offset, and past each run of equal ones, by halves. */
#if SCAN_KEY_TYPE == 8
typedef scan_u64 offset_t;
#else
typedef scan_u32 offset_t;
#endif

/* The first of the offsets from `at` on that is not below `least`; `count` where all are. */
FUNC scan_u64 offset_search(GLOBAL const offset_t *offsets, scan_u64 at, scan_u64 count, scan_u64 least) {
  scan_u64 end = count;
  while (at < end) {
    const scan_u64 middle = at + (end - at) / 2;
    if (offsets[middle] < least)
      at = middle + 1;
    else
      end = middle;
  }
  return at;
}

KERNEL(heads_of_offsets)(SCAN_PARAMETERS) {
  GLOBAL const offset_t *offsets = (GLOBAL const offset_t *)(in_base + in_offset_bytes);
  GLOBAL scan_u32 *words = (GLOBAL scan_u32 *)(out_base + out_offset_bytes);
  const scan_u64 count = seed_bits, step = (scan_u64)GROUPS() * SCAN_GROUP_ITEMS;
  (void)workspace, (void)tile_capacity, (void)flags, (void)spin_limit;
  for (scan_u64 w = (scan_u64)GROUP() * SCAN_GROUP_ITEMS + ITEM(); w < (n + 31) / 32; w += step) {
    const scan_u64 end = w * 32 + 32 < n ? w * 32 + 32 : n;
    scan_u64 at = offset_search(offsets, 0, count, w * 32);
    scan_u32 word = 0;
    while (at < count && offsets[at] < end) {
      const scan_u64 offset = offsets[at++];
      word |= 1u << (offset % 32);
      if (at < count && offsets[at] == offset) at = offset_search(offsets, at, count, offset + 1);
    }
    words[w] = word;
  }
}
