/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by onesweep: proves that the sorted tile is in order, and repairs one that is not. */

#define LANE_BEFORE(bytes, x) ((bytes) == 8 ? scanrt_shuffle_up_u64((x), 1) : scanrt_shuffle_up_u32((scanrt_u32)(x), 1))

/* The numbers that show whether two consecutive keys of the sorted tile are in order. */
typedef struct onesweep_proof {
  onesweep_key key;
  onesweep_value value;
} onesweep_proof;

/* Returns the proof by the digit and the place in the unsorted tile. */
FUNC onesweep_proof proof_by_place(scanrt_u32 base, scanrt_u32 slot, scanrt_u32 digit) {
  onesweep_proof proof;
  proof.key = digit << 14 | scanrt_shared_u16(place_at(base, slot_at(base, slot, 0)));
  proof.value = 0;
  return proof;
}
/* Returns the proof by the bits that are sorted by so far, and the value. */
FUNC onesweep_proof proof_by_value(onesweep_key key, onesweep_value value, onesweep_order order) {
  onesweep_proof proof;
  proof.key = key << order.unproved;
  proof.value = value;
  return proof;
}
/* True if the second key may follow the first. */
FUNC bool proves(onesweep_proof before, onesweep_proof here) {
  if (HAS_VALUES) return before.key < here.key || (before.key == here.key && before.value <= here.value);
  return before.key <= here.key;
}
FUNC onesweep_proof proof_at(scanrt_u32 base, scanrt_u32 slot, onesweep_order order, bool by_places) {
  onesweep_key key;
  onesweep_value value;
  lds_slot(base, slot_at(base, slot, 0), &key, &value);
  return by_places ? proof_by_place(base, slot, digit4(key, order)) : proof_by_value(key, value, order);
}
/* True if a key of a batch is out of order with that of the lane before. */
FUNC bool is_batch_wrong(scanrt_u32 base, const onesweep_batch &b, scanrt_u32 slot, onesweep_order order,
                         bool by_places) {
  bool is_wrong = false;
  UNROLL
  for (int u = 0; u < OUT_BATCH; u++) {
    onesweep_proof here, last;
    if (by_places) {
#if ARE_STAGED
      const scanrt_u32 key = b.digit[u] << 14 | b.place[u];
#else
      const scanrt_u32 key =
          b.digit[u] << 14 | scanrt_shared_u16(place_at(base, slot_at(base, slot, u * ONESWEEP_ITEMS)));
#endif
      is_wrong |= scanrt_shuffle_up_u32(key, 1) > key;
      continue;
    }
    here = proof_by_value(b.key[u], b.value[u], order);
    last.key = (onesweep_key)LANE_BEFORE(KEY_BYTES, here.key);
    last.value = HAS_VALUES ? (onesweep_value)LANE_BEFORE(VALUE_BYTES, here.value) : 0;
    is_wrong |= !proves(last, here);
  }
  return is_wrong;
}

/* True if a slot is out of order with the one before it; tests every `step`th slot. */
FUNC bool is_some_wrong(scanrt_u32 base, scanrt_u32 items, scanrt_u32 step, onesweep_order order, bool by_places) {
  bool is_wrong = false;
  NO_UNROLL
  for (scanrt_u32 slot = (ITEM() + 1) * step; slot < items; slot += ONESWEEP_ALL_ITEMS * step)
    is_wrong |= !proves(proof_at(base, slot - 1, order, by_places), proof_at(base, slot, order, by_places));
  return is_wrong;
}

/* Brings a sorted tile that failed its proof into order, by rounds of exchanges of neighbours, and writes it again. */
FUNC void repair(scanrt_u32 base, scanrt_u32 tile, onesweep_ends ends, onesweep_order order, bool by_places) {
  const scanrt_u32 left = ends.n - tile * ONESWEEP_TILE, items = left < ONESWEEP_TILE ? left : ONESWEEP_TILE;
  bool has_moved = true;
  NO_UNROLL
  while (BARRIER_ANY(has_moved)) {
    has_moved = false;
    NO_UNROLL
    for (scanrt_u32 half = 0; half < 2; half++) {
      NO_UNROLL
      for (scanrt_u32 slot = 2 * ITEM() + half; slot + 1 < items; slot += 2 * ONESWEEP_ALL_ITEMS) {
        const onesweep_proof a = proof_at(base, slot, order, by_places);
        const onesweep_proof b = proof_at(base, slot + 1, order, by_places);
        if (proves(a, b)) continue;
        const scanrt_u32 at = slot_at(base, slot, 0), to = slot_at(base, slot + 1, 0);
        onesweep_key keys[2];
        onesweep_value values[2];
        lds_slot(base, at, &keys[0], &values[0]);
        lds_slot(base, to, &keys[1], &values[1]);
        sts_slot(base, at, keys[1], values[1]);
        sts_slot(base, to, keys[0], values[0]);
        if (by_places) {
          const scanrt_u32 place = place_at(base, at), place_to = place_at(base, to), first = scanrt_shared_u16(place);
          scanrt_shared_set_u16(place, scanrt_shared_u16(place_to));
          scanrt_shared_set_u16(place_to, first);
        }
        has_moved = true;
      }
      BARRIER();
    }
  }
  write_some(base, tile, items, ends, order);
  BARRIER();
}
