/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by onesweep: the sorted tile in shared memory, with a slot for each key and its value. */

/* Addresses in shared memory (sort.h): the warps' counters, the sorted tile (keys or pairs, then values that are not in
 * pairs), where digits go, their counts, sums and the ticket. If the order is proved by them, the keys' places in the
 * tile follow. */
#define AT_SLOTS SORT_ONESWEEP_AT_SLOTS(ONESWEEP_ITEMS)
#define AT_VALUES (AT_SLOTS + ONESWEEP_TILE * SLOT_BYTES)
#define AT_STARTS SORT_ONESWEEP_AT_STARTS(ONESWEEP_ITEMS, ONESWEEP_TILE, KEY_BYTES, VALUE_BYTES)
#define AT_COUNTS (AT_STARTS + 1024)
#define AT_SUMS (AT_COUNTS + 1024)
#define AT_TICKET (AT_SUMS + 32)
#define AT_PLACES SORT_ONESWEEP_BYTES(ONESWEEP_ITEMS, ONESWEEP_TILE, KEY_BYTES, VALUE_BYTES)
#if ONESWEEP_TILE > 16384
#error "places have 14 bits"
#endif

FUNC void sts_key(scanrt_u32 at, onesweep_key x) {
#if KEY_BYTES == 8
  scanrt_shared_set_u64(at, x);
#else
  scanrt_shared_set_u32(at, x);
#endif
}
FUNC onesweep_key lds_key(scanrt_u32 at) {
#if KEY_BYTES == 8
  return scanrt_shared_u64(at);
#else
  return scanrt_shared_u32(at);
#endif
}
/* Returns the address of the value of the slot at `at`; shared memory begins at `base`. */
FUNC scanrt_u32 value_at(scanrt_u32 base, scanrt_u32 at) {
#if IS_WHOLE
  return at + KEY_BYTES;
#elif VALUE_BYTES > KEY_BYTES
  return (at - base - AT_SLOTS) * (VALUE_BYTES / KEY_BYTES) + base + AT_VALUES;
#else
  return (at - base - AT_SLOTS) / 2 + base + AT_VALUES;
#endif
}
FUNC void sts_value(scanrt_u32 at, onesweep_value x) {
#if VALUE_BYTES == 8
  scanrt_shared_set_u64(at, x);
#else
  scanrt_shared_set_u32(at, x);
#endif
}
FUNC onesweep_value lds_value(scanrt_u32 at) {
#if VALUE_BYTES == 8
  return scanrt_shared_u64(at);
#else
  return scanrt_shared_u32(at);
#endif
}
/* Stores a slot's key and value. */
FUNC void sts_slot(scanrt_u32 base, scanrt_u32 at, onesweep_key key, onesweep_value value) {
#if IS_WHOLE && KEY_BYTES == 4
  scanrt_shared_set_pair_u32(at, key, value);
#elif IS_WHOLE
  scanrt_shared_set_pair_u64(at, key, value);
#else
  sts_key(at, key);
  if (HAS_VALUES) sts_value(value_at(base, at), value);
#endif
}
/* Loads a slot's key and value. */
FUNC void lds_slot(scanrt_u32 base, scanrt_u32 at, onesweep_key *key, onesweep_value *value) {
#if IS_WHOLE && KEY_BYTES == 4
  scanrt_shared_pair_u32(at, key, value);
#elif IS_WHOLE
  scanrt_shared_pair_u64(at, key, value);
#else
  *key = lds_key(at);
  *value = HAS_VALUES ? lds_value(value_at(base, at)) : 0;
#endif
}
