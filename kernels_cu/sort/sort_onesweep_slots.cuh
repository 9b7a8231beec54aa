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

/* Shared memory, by the type of what it holds. */
FUNC void put(scanrt_u32 at, scanrt_u32 x) { scanrt_shared_set_u32(at, x); }
FUNC void put(scanrt_u32 at, scanrt_u64 x) { scanrt_shared_set_u64(at, x); }
FUNC void put_pair(scanrt_u32 at, scanrt_u32 x, scanrt_u32 y) { scanrt_shared_set_pair_u32(at, x, y); }
FUNC void put_pair(scanrt_u32 at, scanrt_u64 x, scanrt_u64 y) { scanrt_shared_set_pair_u64(at, x, y); }
FUNC void get(scanrt_u32 at, scanrt_u32 *x) { *x = scanrt_shared_u32(at); }
FUNC void get(scanrt_u32 at, scanrt_u64 *x) { *x = scanrt_shared_u64(at); }
FUNC void get_pair(scanrt_u32 at, scanrt_u32 *x, scanrt_u32 *y) { scanrt_shared_pair_u32(at, x, y); }
FUNC void get_pair(scanrt_u32 at, scanrt_u64 *x, scanrt_u64 *y) { scanrt_shared_pair_u64(at, x, y); }

/* Returns the address of the value of the slot at `at`; shared memory begins at `base`. */
FUNC scanrt_u32 value_at(scanrt_u32 base, scanrt_u32 at) {
  if (IS_WHOLE) return at + KEY_BYTES;
  if (VALUE_BYTES > KEY_BYTES) return (at - base - AT_SLOTS) * (VALUE_BYTES / KEY_BYTES) + base + AT_VALUES;
  return (at - base - AT_SLOTS) / 2 + base + AT_VALUES;
}
/* Stores a slot's key and value. */
FUNC void sts_slot(scanrt_u32 base, scanrt_u32 at, onesweep_key key, onesweep_value value) {
#if IS_WHOLE
  put_pair(at, key, value);
#else
  put(at, key);
  if (HAS_VALUES) put(value_at(base, at), value);
#endif
}
/* Loads a slot's key and value. */
FUNC void lds_slot(scanrt_u32 base, scanrt_u32 at, onesweep_key *key, onesweep_value *value) {
#if IS_WHOLE
  get_pair(at, key, value);
#else
  get(at, key);
  *value = 0;
  if (HAS_VALUES) get(value_at(base, at), value);
#endif
}
