/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts keys of 4 and 8 bytes by one digit, where only counts are wanted (SORT_COUNTS_ONLY). While a work-item's keys
 * have at most two digits, it counts them in registers and adds twice, at the end. Part of sort_histogram.cuh. */

/* The two counters that a work-item keeps in registers, by their places, and the keys of each. */
typedef struct histogram_two {
  scanrt_u32 some, other, somes, others;
} histogram_two;

/* Returns the place of a key's counter. */
FUNC scanrt_u32 counter_of(onesweep_key key, onesweep_order order, const histogram_digits &d) {
  return rotate(order_of(key, order), d.rotated[0]) & d.mask[0];
}

/* Finds the counters of 16 bytes of keys. */
FUNC void find_counters(const uint4 &bits, onesweep_order order, const histogram_digits &d, scanrt_u32 *at) {
  const scanrt_u32 words[4] = { bits.x, bits.y, bits.z, bits.w };
  UNROLL
  for (int k = 0; k < 16 / KEY_BYTES; k++) {
#if KEY_BYTES == 8
    at[k] = counter_of((onesweep_key)words[2 * k + 1] << 32 | words[2 * k], order, d);
#else
    at[k] = counter_of(words[k], order, d);
#endif
  }
}

FUNC void count_words(const KEY_T *keys, scanrt_u32 n, onesweep_order order, const histogram_digits &d) {
  const scanrt_u32 each = 16 / KEY_BYTES, unaligned = (scanrt_u32)(0 - ADDRESS(keys)) % 16 / KEY_BYTES;
  const scanrt_u32 head = unaligned < n ? unaligned : n, vectors = (n - head) / each, behind = head + vectors * each;
  const scanrt_u32 step = GROUPS() * HISTOGRAM_ITEMS;
  const uint4 *v = (const uint4 *)(keys + head);
  scanrt_u32 i = GROUP() * HISTOGRAM_ITEMS + ITEM();
  histogram_two two = { ~0u, ~0u, 0, 0 };
  bool are_few = true;
  NO_UNROLL
  for (; (i | 31) + 3 * step < vectors; i += 4 * step) { /* for all lanes of a warp, or for none */
    uint4 x[4];
    scanrt_u32 at[4 * 16 / KEY_BYTES];
    UNROLL
    for (int u = 0; u < 4; u++) x[u] = v[i + u * step];
    UNROLL
    for (int u = 0; u < 4; u++) find_counters(x[u], order, d, at + u * each);
    if (are_few) {
      scanrt_u32 somes = 0, others = 0;
      if (two.some == ~0u) two.some = at[0];
      if (two.other == ~0u) {
        UNROLL
        for (int k = 1; k < 4 * 16 / KEY_BYTES; k++)
          if (at[k] != two.some) two.other = at[k];
      }
      UNROLL
      for (int k = 0; k < 4 * 16 / KEY_BYTES; k++) somes += at[k] == two.some, others += at[k] == two.other;
      are_few = WARP_BALLOT(somes + others != 4 * 16 / KEY_BYTES) == 0;
      if (are_few) two.somes += somes, two.others += others;
    }
    if (!are_few) {
      UNROLL
      for (int k = 0; k < 4 * 16 / KEY_BYTES; k++) scanrt_shared_count(d.at + at[k]);
    }
  }
  if (two.somes != 0) (void)scanrt_shared_add(d.at + two.some, two.somes);
  if (two.others != 0) (void)scanrt_shared_add(d.at + two.other, two.others);
  NO_UNROLL
  for (; i < vectors; i += step) {
    scanrt_u32 at[16 / KEY_BYTES];
    find_counters(v[i], order, d, at);
    UNROLL
    for (int k = 0; k < 16 / KEY_BYTES; k++) scanrt_shared_count(d.at + at[k]);
  }
  if (GROUP() != 0) return;
  if (ITEM() < head) scanrt_shared_count(d.at + counter_of(keys[ITEM()], order, d));
  if (ITEM() < n - behind) scanrt_shared_count(d.at + counter_of(keys[behind + ITEM()], order, d));
}
