/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by onesweep: digits of at most 2 bits are counted by sums and ranked by votes, without atomic additions to
 * the few counters that all keys share. */

/* Counts the digits of a warp's keys. A work-item counts each digit in 8 bits of a word, the warp in 16. */
FUNC void count_by_votes(scanrt_u32 counters, const onesweep_tile &t, onesweep_order order) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_u32 own = 0;
  UNROLL
  for (int u = 0; u < ONESWEEP_KEYS; u++) own += 1u << digit4(t.key[u], order) * 2;
  const scanrt_u32 even = scanrt_warp_sum(own & 0xff00ff), odd = scanrt_warp_sum(own >> 8 & 0xff00ff);
  const scanrt_u32 count = (lane % 2 != 0 ? odd : even) >> lane / 2 * 16 & 0xffff;
  if (lane < 4) scanrt_shared_set_u32(counters + counter_at(lane * 4), count);
}

/* Moves the work-item's keys to their slots. Lane l holds the slot of the next key whose digit is l % 4. Pads have the
 * largest digit, so that they come last. */
FUNC void rank_by_votes(scanrt_u32 base, scanrt_u32 counters, const onesweep_tile &t, scanrt_u32 in_tile,
                        onesweep_order order, bool by_places) {
  const scanrt_u32 lane = ITEM() % 32, lower = (1u << lane) - 1;
  scanrt_u32 next = scanrt_shared_u32(counters + counter_at(lane % 4 * 4));
  UNROLL
  for (int q = 0; q < ONESWEEP_KEYS; q += ONESWEEP_BATCH) {
    scanrt_u32 at[ONESWEEP_BATCH];
    UNROLL
    for (int u = 0; u < ONESWEEP_BATCH; u++) {
      const scanrt_u32 digit = digit4(t.key[q + u], order);
      const scanrt_u32 ones = WARP_BALLOT((digit & 4) != 0), twos = WARP_BALLOT((digit & 8) != 0);
      const scanrt_u32 alike = ((digit & 4) != 0 ? ones : ~ones) & ((digit & 8) != 0 ? twos : ~twos);
      const scanrt_u32 of_lane = ((lane & 1) != 0 ? ones : ~ones) & ((lane & 2) != 0 ? twos : ~twos);
      at[u] = scanrt_shuffle_from_u32(next, digit / 4) + __popc(alike & lower) * SLOT_BYTES;
      next += __popc(of_lane) * SLOT_BYTES;
    }
    move_batch(base, t, q, at, in_tile, by_places);
  }
}
