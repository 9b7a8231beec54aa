/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts keys of one byte where only their counts are wanted (SORT_COUNTS_ONLY). While the 16 keys of each work-item
 * have at most two values, a warp compares words and adds twice, not 16 times. Part of sort_histogram.cuh. */

/* Returns bit 7 of each byte that is not 0. */
FUNC scanrt_u32 bytes_set(scanrt_u32 word) { return ((word & 0x7f7f7f7fu) + 0x7f7f7f7fu | word) & 0x80808080u; }

/* Adds to the count of keys of a value. */
FUNC void count_byte(scanrt_u32 key, scanrt_u32 count, onesweep_order order, const histogram_digits &d) {
  (void)scanrt_shared_add(d.at + (rotate(order_of(key, order), d.rotated[0]) & d.mask[0]), count);
}

/* Counts the work-items' 16 keys and returns true, if all of the warp have at most two values each. */
FUNC bool count_few(const uint4 &bits, onesweep_order order, const histogram_digits &d) {
  const scanrt_u32 words[4] = { bits.x, bits.y, bits.z, bits.w }, some = bits.x & 0xff;
  scanrt_u32 differ[4], other = some, others = 0, more = 0;
  UNROLL
  for (int w = 0; w < 4; w++) {
    differ[w] = bytes_set(words[w] ^ some * 0x01010101u);
    others += BITS_SET(differ[w]);
    if (differ[w] != 0) other = words[w] >> LAST_BIT(differ[w]) - 7 & 0xff;
  }
  UNROLL
  for (int w = 0; w < 4; w++) more |= bytes_set(words[w] ^ other * 0x01010101u) & differ[w];
  if (WARP_BALLOT(more != 0) != 0) return false;
  count_byte(some, 16 - others, order, d);
  if (others != 0) count_byte(other, others, order, d);
  return true;
}

/* Counts 16 keys. */
FUNC void count_each(const uint4 &bits, onesweep_order order, const histogram_digits &d) {
  const scanrt_u32 words[4] = { bits.x, bits.y, bits.z, bits.w };
  UNROLL
  for (int k = 0; k < 16; k++) count_digits(order_of(words[k / 4] >> k % 4 * 8 & 0xff, order), 1, d);
}

FUNC void count_bytes(const scanrt_u8 *keys, scanrt_u32 n, onesweep_order order, const histogram_digits &d) {
  const scanrt_u32 unaligned = (scanrt_u32)(0 - ADDRESS(keys)) % 16, head = unaligned < n ? unaligned : n;
  const scanrt_u32 vectors = (n - head) / 16, behind = head + vectors * 16, step = GROUPS() * HISTOGRAM_ITEMS;
  const uint4 *v = (const uint4 *)(keys + head);
  scanrt_u32 i = GROUP() * HISTOGRAM_ITEMS + ITEM();
  bool are_few = true;
  NO_UNROLL
  for (; (i | 31) + 3 * step < vectors; i += 4 * step) { /* for all lanes of a warp, or for none */
    uint4 x[4];
    UNROLL
    for (int u = 0; u < 4; u++) x[u] = v[i + u * step];
    UNROLL
    for (int u = 0; u < 4; u++) {
      are_few = are_few && count_few(x[u], order, d);
      if (!are_few) count_each(x[u], order, d);
    }
  }
  NO_UNROLL
  for (; i < vectors; i += step) count_each(v[i], order, d);
  if (GROUP() != 0) return;
  if (ITEM() < head) count_digits(order_of(keys[ITEM()], order), 1, d);
  if (ITEM() < n - behind) count_digits(order_of(keys[behind + ITEM()], order), 1, d);
}
