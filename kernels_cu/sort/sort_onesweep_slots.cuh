/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by onesweep: the sorted tile in shared memory, with a slot for each key and its value. */

/* Addresses in shared memory (sort.h): the warps' counters, the sorted tile (keys or pairs, then values that are not in
 * pairs), where digits go, their counts, sums and the ticket. If the order is proved by them, the keys' places in the
 * tile follow. */
#define COUNTER_BYTES SORT_ONESWEEP_COUNTER_BYTES(ONESWEEP_DIGITS, KEY_BYTES, VALUE_BYTES)
#define AT_SLOTS SORT_ONESWEEP_AT_SLOTS(ONESWEEP_ITEMS, ONESWEEP_DIGITS, KEY_BYTES, VALUE_BYTES)
#define AT_VALUES (AT_SLOTS + ONESWEEP_TILE * SLOT_BYTES)
#define AT_STARTS SORT_ONESWEEP_AT_STARTS(ONESWEEP_ITEMS, ONESWEEP_DIGITS, ONESWEEP_TILE, KEY_BYTES, VALUE_BYTES)
#define AT_COUNTS (AT_STARTS + 4 * ONESWEEP_DIGITS)
#define AT_SUMS (AT_COUNTS + 4 * ONESWEEP_DIGITS)
#define AT_TICKET (AT_SUMS + 32)
#define AT_PLACES SORT_ONESWEEP_BYTES(ONESWEEP_ITEMS, ONESWEEP_DIGITS, ONESWEEP_TILE, KEY_BYTES, VALUE_BYTES)
/* The number of a launch's first pass among those that its kernels make. */
#define FIRST_PASS (ONESWEEP_KIND == TUNE_ONESWEEP_WIDE ? SORT_WIDE_PASS : 0)
#define PART_STARTS(pass, part)                                                                                        \
  ((part) == 0 ? SORT_WORD_STARTS + ((pass)-FIRST_PASS) * ONESWEEP_DIGITS                                              \
               : SORT_WORD_PARTS + ((part)-1) * ONESWEEP_DIGITS)
#if ONESWEEP_TILE > 16384
#error "places have 14 bits"
#endif

/* Numbers of a work-item's digits when it publishes. */
typedef struct own_digits {
  scanrt_u32 of[OWN_DIGITS];
} own_digits;

/* Returns the offset of a digit's counter in a warp's. */
FUNC scanrt_u32 counter_at(scanrt_u32 digit4) {
  const scanrt_u32 pad = SORT_ONESWEEP_PAD_BYTES(KEY_BYTES, VALUE_BYTES);
  return pad != 0 ? digit4 + (digit4 >> 7) * pad : digit4;
}

/* Shared memory, by the type of what it holds. */
FUNC void put(scanrt_u32 at, scanrt_u32 x) { scanrt_shared_set_u32(at, x); }
FUNC void put(scanrt_u32 at, scanrt_u64 x) { scanrt_shared_set_u64(at, x); }
FUNC void put_pair(scanrt_u32 at, scanrt_u32 x, scanrt_u32 y) { scanrt_shared_set_pair_u32(at, x, y); }
FUNC void put_pair(scanrt_u32 at, scanrt_u64 x, scanrt_u64 y) { scanrt_shared_set_pair_u64(at, x, y); }
FUNC void get(scanrt_u32 at, scanrt_u32 *x) { *x = scanrt_shared_u32(at); }
FUNC void get(scanrt_u32 at, scanrt_u64 *x) { *x = scanrt_shared_u64(at); }
FUNC void get_pair(scanrt_u32 at, scanrt_u32 *x, scanrt_u32 *y) { scanrt_shared_pair_u32(at, x, y); }
FUNC void get_pair(scanrt_u32 at, scanrt_u64 *x, scanrt_u64 *y) { scanrt_shared_pair_u64(at, x, y); }

/* Returns where a slot's key lies whose address would be `at` if slots lay in their order: in the same 128 bytes, but
 * in another bank than the slots some power of two before and after. In a tile whose digits are all as frequent, as in
 * reversed keys, a row's slots would otherwise lie in few banks. Keys of 8 bytes with values lie in their order, since
 * this made them slower. */
FUNC scanrt_u32 swizzled(scanrt_u32 at) {
  return (KEY_BYTES == 4 && VALUE_BYTES <= 4) || !HAS_VALUES ? at ^ (at >> 5 & (128 - SLOT_BYTES)) : at;
}
/* Returns the address of slot first + more. */
FUNC scanrt_u32 slot_at(scanrt_u32 base, scanrt_u32 first, scanrt_u32 more) {
  return swizzled(base + AT_SLOTS + (first + more) * SLOT_BYTES);
}
/* Returns the address of the place of the slot at `at`. */
FUNC scanrt_u32 place_at(scanrt_u32 base, scanrt_u32 at) {
  return base + AT_PLACES + (at - base - AT_SLOTS) / SLOT_BYTES * 2;
}

/* Returns the address of the value of the slot at `at`, if values are not staged; shared memory begins at `base`. */
FUNC scanrt_u32 value_at(scanrt_u32 base, scanrt_u32 at) {
  return IS_WHOLE ? at + KEY_BYTES : (at - base - AT_SLOTS) * (VALUE_BYTES / KEY_BYTES) + base + AT_VALUES;
}
/* Stores a slot's key and value. */
FUNC void sts_slot(scanrt_u32 base, scanrt_u32 at, onesweep_key key, onesweep_value value) {
#if IS_WHOLE
  put_pair(at, key, value);
#else
  put(at, key);
  if (HAS_VALUES && !ARE_STAGED) put(value_at(base, at), value);
#endif
}
/* Loads a slot's key and value. */
FUNC void lds_slot(scanrt_u32 base, scanrt_u32 at, onesweep_key *key, onesweep_value *value) {
#if IS_WHOLE
  get_pair(at, key, value);
#else
  get(at, key);
  *value = 0;
  if (HAS_VALUES && !ARE_STAGED) get(value_at(base, at), value);
#endif
}
