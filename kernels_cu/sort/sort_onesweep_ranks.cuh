/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by onesweep: finds the slots of keys, in batches, so that some keys move while others are ranked. */

#define ONESWEEP_BATCH (ONESWEEP_KEYS % 8 == 0 ? 8 : ONESWEEP_KEYS % 6 == 0 ? 6 : ONESWEEP_KEYS % 5 == 0 ? 5 : 4)

/* The slot of pads, which is not read. Pads overwrite one another, which racecheck reports, so that its tests leave
 * them out. */
#ifdef SCAN_TEST_LANES_ARRIVE
#define PAD_SLOT(base) 0
#define IS_SLOT(at) ((at) != 0)
#else
#define PAD_SLOT(base) ((base) + AT_SLOTS + (ONESWEEP_TILE - 1) * SLOT_BYTES)
#define IS_SLOT(at) 1
#endif

FUNC void move_batch(scanrt_u32 base, const onesweep_tile &t, int first, const scanrt_u32 *at, scanrt_u32 in_tile,
                     bool by_places) {
  UNROLL
  for (int u = 0; u < ONESWEEP_BATCH; u++)
    if (IS_SLOT(at[u])) sts_slot(base, swizzled(at[u]), t.key[first + u], VALUE_OF(t, first + u));
  if (!by_places) return;
  UNROLL
  for (int u = 0; u < ONESWEEP_BATCH; u++)
    if (IS_SLOT(at[u])) scanrt_shared_set_u16(place_at(base, swizzled(at[u])), in_tile + (first + u) * 32);
}

FUNC void rank_all(scanrt_u32 base, scanrt_u32 counters, const onesweep_tile &t, scanrt_u32 in_tile,
                   onesweep_order order, bool by_places) {
  UNROLL
  for (int q = 0; q < ONESWEEP_KEYS; q += ONESWEEP_BATCH) {
    scanrt_u32 at[ONESWEEP_BATCH];
    UNROLL
    for (int u = 0; u < ONESWEEP_BATCH; u++)
      at[u] = scanrt_shared_add(counters + counter_at(digit4(t.key[q + u], order)), SLOT_BYTES);
    move_batch(base, t, q, at, in_tile, by_places);
  }
}

/* Returns a key's slot. If many keys of a row have one digit, that of lane 0 or `heavy_digit`, these are ranked by a
 * vote. Pads go to the last slot, which is free in the one tile that has pads. */
FUNC scanrt_u32 rank_heavy_digit(scanrt_u32 base, scanrt_u32 counters, scanrt_u32 digit, scanrt_u32 heavy_digit,
                                 bool is_key) {
  const scanrt_u32 lane = ITEM() % 32, of = heavy_digit != ~0u ? heavy_digit : scanrt_shuffle_from_u32(digit, 0);
  const bool is_in = is_key && digit == of;
  const scanrt_u32 all = WARP_BALLOT(is_in), first = 31 - __clz(all & (0u - all)); /* ~0: none is in */
  scanrt_u32 at = PAD_SLOT(base);
  if (is_key && (!is_in || lane == first))
    at = scanrt_shared_add(counters + counter_at(digit), is_in ? __popc(all) * SLOT_BYTES : SLOT_BYTES);
  __syncwarp();
  const scanrt_u32 start = scanrt_shuffle_from_u32(at, first & 31);
  return is_in ? start + __popc(all & ((1u << lane) - 1)) * SLOT_BYTES : at;
}

/* Finds the slots of the first `left` keys from the lane's on; the others are pads. */
FUNC void rank_heavy_digits(scanrt_u32 base, scanrt_u32 counters, const onesweep_tile &t, scanrt_u32 in_tile,
                            onesweep_order order, bool by_places, scanrt_u32 heavy_digit, scanrt_u32 left) {
  UNROLL
  for (int q = 0; q < ONESWEEP_KEYS; q += ONESWEEP_BATCH) {
    scanrt_u32 at[ONESWEEP_BATCH];
    UNROLL
    for (int u = 0; u < ONESWEEP_BATCH; u++)
      at[u] = rank_heavy_digit(base, counters, digit4(t.key[q + u], order), heavy_digit, left > (q + u) * 32);
    move_batch(base, t, q, at, in_tile, by_places);
  }
}
