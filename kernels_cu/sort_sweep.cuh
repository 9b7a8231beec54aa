/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of radix sort in one launch (sm_80 and later): persistent work-groups take tiles by ticket, keep a tile's keys
 * in registers, and look back for where each digit of the tile goes.
 *
 *   count      each warp its own keys, in 256 counters of its own
 *   publish    the tile's count of each digit; of the counters, where each warp's keys of a digit lie in the sorted
 *              tile
 *   rank       a key's place is what its counter had before an atomic addition; keys, and values with them, move there
 *   look back  warps of their own, meanwhile: how many keys of each digit the tiles before have
 *   write      the sorted tile, a run for each digit
 *
 * What additions of one warp to one counter return is in the order of lanes on hardware that was looked at, and nobody
 * promises it. So the order of every tile is proved as it is written: each key with the one before it, by the bits that
 * are sorted by so far where those say all (keys alone, and indices, which are their own order), else by the keys'
 * places in the unsorted tile. A tile that fails is put in order by exchanges of neighbours, and written again, before
 * the work-group goes on. All else (counts, which places are taken) hangs on no order.
 *
 * SCAN_TYPE: the unsigned integer that keys are between two passes, u32 or u64: in the input and the output those of 4
 * bytes may have fewer; SORT_VALUE_BYTES: of a value, 0, 4 or 8. Keys and values of as many bytes lie side by side in
 * `keys_spare`. Included in a namespace. */
#include "sort_keys.h"
#include "tuning.h"

#if __CUDA_ARCH__ >= 900
#define SWEEP_IMAGE 90
#else
#define SWEEP_IMAGE 80
#endif
#define SWEEP_ITEMS TUNE_SWEEP_ITEMS(KEY_BYTES, SORT_VALUE_BYTES)
#define SWEEP_KEYS TUNE_SWEEP_KEYS(SWEEP_IMAGE, KEY_BYTES, SORT_VALUE_BYTES)
#define SWEEP_LOOKERS TUNE_SWEEP_LOOKERS(KEY_BYTES, SORT_VALUE_BYTES)
#define SWEEP_GROUPS TUNE_SWEEP_GROUPS(KEY_BYTES, SORT_VALUE_BYTES)
#define SWEEP_WARPS (SWEEP_ITEMS / 32)
#define SWEEP_TILE (SWEEP_ITEMS * SWEEP_KEYS)
#define SWEEP_ALL_ITEMS (SWEEP_ITEMS + SWEEP_LOOKERS * 32)
/* Digits of a work-item that looks back, and tiles that it looks at at once. */
#define LOOK_DIGITS (SWEEP_LOOKERS ? 8 / SWEEP_LOOKERS : 1)
#define COPY_KEYS 8
#define LOOK_TILES TUNE_SWEEP_LOOK_TILES(KEY_BYTES, SORT_VALUE_BYTES)

#ifndef SWEEP_PROVES
#define SWEEP_PROVES 1
#endif

#define VALUE_BYTES SORT_VALUE_BYTES
#define HAS_VALUES (VALUE_BYTES != 0)
#define IS_WHOLE (VALUE_BYTES == KEY_BYTES) /* pairs lie side by side */
#define SLOT_BYTES (IS_WHOLE ? 2 * KEY_BYTES : KEY_BYTES)
#define LANE_BEFORE(bytes, x) ((bytes) == 8 ? scanrt_shuffle_up_u64((x), 1) : scanrt_shuffle_up_u32((scanrt_u32)(x), 1))
#define WORD_BITS (KEY_BYTES == 8 ? 64 : 32)
#if KEY_BYTES == 8 /* in registers */
typedef scanrt_u64 sweep_key;
#else
typedef scanrt_u32 sweep_key;
#endif
#if VALUE_BYTES == 8
typedef scanrt_u64 sweep_value;
#else
typedef scanrt_u32 sweep_value;
#endif

/* Shared memory, by addresses (sort.h): the warps' counters, the sorted tile (keys or pairs, then values that are no
 * such part), where digits go, their counts, and some numbers; then, where order is proved by them, keys' places in the
 * tile. */
#define AT_SLOTS SORT_SWEEP_AT_SLOTS(SWEEP_ITEMS)
#define AT_VALUES (AT_SLOTS + SWEEP_TILE * SLOT_BYTES)
#define AT_STARTS SORT_SWEEP_AT_STARTS(SWEEP_ITEMS, SWEEP_TILE, KEY_BYTES, VALUE_BYTES)
#define AT_COUNTS (AT_STARTS + 1024)
#define AT_SUMS (AT_COUNTS + 1024)
#define AT_TICKET (AT_SUMS + 32)
#define AT_PLACES SORT_SWEEP_BYTES(SWEEP_ITEMS, SWEEP_TILE, KEY_BYTES, VALUE_BYTES)
#if SWEEP_TILE > 16384
#error "places have 14 bits"
#endif

/* ---- shared memory ---- */

FUNC void sts_key(scanrt_u32 at, sweep_key x) {
#if KEY_BYTES == 8
  scanrt_shared_set_u64(at, x);
#elif KEY_BYTES == 4
  scanrt_shared_set_u32(at, x);
#elif KEY_BYTES == 2
  scanrt_shared_set_u16(at, x);
#else
  scanrt_shared_set_u8(at, x);
#endif
}
FUNC sweep_key lds_key(scanrt_u32 at) {
#if KEY_BYTES == 8
  return scanrt_shared_u64(at);
#elif KEY_BYTES == 4
  return scanrt_shared_u32(at);
#elif KEY_BYTES == 2
  return scanrt_shared_u16(at);
#else
  return scanrt_shared_u8(at);
#endif
}
/* Where the value of the slot at `at` is; `base` is where shared memory begins. */
FUNC scanrt_u32 value_at(scanrt_u32 base, scanrt_u32 at) {
#if IS_WHOLE
  return at + KEY_BYTES;
#elif VALUE_BYTES > KEY_BYTES
  return (at - base - AT_SLOTS) * (VALUE_BYTES / KEY_BYTES) + base + AT_VALUES;
#else
  return (at - base - AT_SLOTS) / 2 + base + AT_VALUES;
#endif
}
FUNC void sts_value(scanrt_u32 at, sweep_value x) {
#if VALUE_BYTES == 8
  scanrt_shared_set_u64(at, x);
#else
  scanrt_shared_set_u32(at, x);
#endif
}
FUNC sweep_value lds_value(scanrt_u32 at) {
#if VALUE_BYTES == 8
  return scanrt_shared_u64(at);
#else
  return scanrt_shared_u32(at);
#endif
}
/* A slot's key and value. */
FUNC void sts_slot(scanrt_u32 base, scanrt_u32 at, sweep_key key, sweep_value value) {
#if IS_WHOLE && KEY_BYTES == 4
  scanrt_shared_set_pair_u32(at, key, value);
#elif IS_WHOLE
  scanrt_shared_set_pair_u64(at, key, value);
#else
  sts_key(at, key);
  if (HAS_VALUES) sts_value(value_at(base, at), value);
#endif
}
FUNC void lds_slot(scanrt_u32 base, scanrt_u32 at, sweep_key *key, sweep_value *value) {
#if IS_WHOLE && KEY_BYTES == 4
  scanrt_shared_pair_u32(at, key, value);
#elif IS_WHOLE
  scanrt_shared_pair_u64(at, key, value);
#else
  *key = lds_key(at);
  *value = HAS_VALUES ? lds_value(value_at(base, at)) : 0;
#endif
}

/* ---- keys ---- */

/* A pass's digit, in what a kernel needs of it. */
typedef struct sweep_order {
  sweep_key turned, negative; /* as scanrt_sort_order's */
  scanrt_u32 sign;            /* the number of a key's highest bit */
  scanrt_u32 rotated, mask4;  /* 4 times the digit: the key's bits from there on, and which */
  scanrt_u32 unproved;        /* bits above the digit */
} sweep_order;

FUNC sweep_order sweep_order_of(scanrt_u32 flags, scanrt_u32 first_bit, scanrt_u32 end_bit, scanrt_u32 pass) {
  sweep_order order;
  const scanrt_u32 shift = first_bit + pass * SORT_DIGIT_BITS;
  const scanrt_u32 bits = shift >= end_bit ? 0 : end_bit - shift < SORT_DIGIT_BITS ? end_bit - shift : SORT_DIGIT_BITS;
  order.sign = (flags & SORT_BYTES) != 0 ? 7 : (flags & SORT_HALVES) != 0 ? 15 : 8 * KEY_BYTES - 1;
  const sweep_key sign = (sweep_key)1 << order.sign, rest = sign - 1;
  order.turned = (flags & (SORT_SIGNED | SORT_FLOAT)) != 0 ? sign : 0;
  order.negative = (flags & SORT_FLOAT) != 0 ? rest : 0;
  if ((flags & SORT_DESCENDING) != 0) order.turned ^= sign | rest;
  order.rotated = (shift + WORD_BITS - 2) % WORD_BITS;
  order.mask4 = ((1u << bits) - 1) * 4;
  order.unproved = WORD_BITS - (shift + bits);
  return order;
}

/* Keys as unsigned integers of their order, and back. */
FUNC sweep_key turn(sweep_key key, sweep_order order) {
  const sweep_key is_negative = (sweep_key)0 - (key >> order.sign);
  return key ^ order.turned ^ (is_negative & order.negative);
}
FUNC sweep_key turn_back(sweep_key key, sweep_order order) {
  const sweep_key turned = key ^ order.turned, is_negative = (sweep_key)0 - (turned >> order.sign);
  return turned ^ (is_negative & order.negative);
}

/* A key's bits from bit `rotated` on, and then its lowest. */
FUNC scanrt_u32 rotate(sweep_key key, scanrt_u32 rotated) {
#if KEY_BYTES == 8
  const scanrt_u32 low = (scanrt_u32)key, high = (scanrt_u32)(key >> 32);
  const bool swaps = rotated >= 32;
  return __funnelshift_r(swaps ? high : low, swaps ? low : high, rotated);
#else
  return __funnelshift_r(key, key, rotated);
#endif
}
FUNC scanrt_u32 digit4(sweep_key key, sweep_order order) { return rotate(key, order.rotated) & order.mask4; }

/* ---- look-back ---- */

#define LOOK_PARTIAL (1u << 30)
#define LOOK_INCLUSIVE (2u << 30)
#define LOOK_VALUE ((1u << 30) - 1)

typedef struct look_digits {
  scanrt_u32 of[LOOK_DIGITS];
} look_digits;

/* How many keys of some digits the tiles before `tile` have; `board` has a tile's descriptors side by side, from the
 * first of those digits on. */
FUNC look_digits look_back(const scanrt_u32 *board, scanrt_u32 tile) {
  look_digits sum;
  scanrt_u32 done = 0;
  scanrt_u32 left = tile; /* tiles that are yet to be looked at */
  UNROLL
  for (int c = 0; c < LOOK_DIGITS; c++) sum.of[c] = 0;
  while (left > 0 && done != (1u << LOOK_DIGITS) - 1) {
    look_digits seen[LOOK_TILES];
    UNROLL
    for (int i = 0; i < LOOK_TILES; i++) {
      if (left > i)
        scanrt_halves_load<LOOK_DIGITS>(board + (size_t)(left - 1 - i) * SORT_DIGITS, seen[i].of);
      else
        UNROLL
      for (int c = 0; c < LOOK_DIGITS; c++) seen[i].of[c] = LOOK_INCLUSIVE;
    }
    bool goes_on = true;
    UNROLL
    for (int i = 0; i < LOOK_TILES; i++) {
      UNROLL
      for (int c = 0; c < LOOK_DIGITS; c++) goes_on = goes_on && ((done >> c & 1) != 0 || seen[i].of[c] != 0);
      if (!goes_on) continue;
      UNROLL
      for (int c = 0; c < LOOK_DIGITS; c++) {
        if ((done >> c & 1) == 0) sum.of[c] += seen[i].of[c] & LOOK_VALUE;
        done |= (seen[i].of[c] >> 31) << c;
      }
      if (left > 0) left--;
    }
  }
  return sum;
}

/* ---- a pass ---- */

/* What a pass goes by. */
typedef struct sweep_ends {
  const KEY_T *keys;
  KEY_T *keys_to;
  const sweep_value *values;
  sweep_value *values_to;
  sweep_key filler;           /* as the input has what is turned to the largest key */
  scanrt_u32 bytes, bytes_to; /* of a key that is read, and written */
  bool turns, turns_back, is_whole, is_whole_to, makes_values;
  scanrt_u32 n, tiles;
} sweep_ends;

typedef struct sweep_tile {
  sweep_key key[SWEEP_KEYS];
#if HAS_VALUES
  sweep_value value[SWEEP_KEYS];
#endif
} sweep_tile;
#if HAS_VALUES
#define VALUE_OF(t, u) ((t).value[u])
#else
#define VALUE_OF(t, u) 0
#endif

/* Key and value number `at` of whole pairs. */
FUNC void load_whole(sweep_tile &t, int u, const KEY_T *keys, scanrt_u32 at) {
#if IS_WHOLE && KEY_BYTES == 4
  const uint2 pair = LOAD_STREAM((const uint2 *)keys + at);
  t.key[u] = pair.x;
  t.value[u] = pair.y;
#elif IS_WHOLE
  const ulonglong2 pair = LOAD_STREAM((const ulonglong2 *)keys + at);
  t.key[u] = pair.x;
  t.value[u] = pair.y;
#endif
}

FUNC sweep_key load_key(const KEY_T *keys, scanrt_u32 at, scanrt_u32 bytes) {
#if KEY_BYTES == 4
  if (bytes == 1) return LOAD_STREAM((const scanrt_u8 *)keys + at);
  if (bytes == 2) return LOAD_STREAM((const scanrt_u16 *)keys + at);
#endif
  return LOAD_STREAM(keys + at);
}
FUNC void store_key(KEY_T *keys, scanrt_u32 at, sweep_key key, scanrt_u32 bytes) {
#if KEY_BYTES == 4
  if (bytes == 1) {
    ((scanrt_u8 *)keys)[at] = (scanrt_u8)key;
    return;
  }
  if (bytes == 2) {
    ((scanrt_u16 *)keys)[at] = (scanrt_u16)key;
    return;
  }
#endif
  keys[at] = (KEY_T)key;
}
/* Rows of keys, whose bytes a compiler knows. */
FUNC void load_keys(sweep_tile &t, const KEY_T *keys, scanrt_u32 from, scanrt_u32 left, scanrt_u32 bytes) {
  UNROLL
  for (int u = 0; u < SWEEP_KEYS; u++)
    if (left > u * 32) t.key[u] = load_key(keys, from + u * 32, bytes);
}
/* A warp has SWEEP_KEYS rows of 32 keys that follow one another; `from` is the first key of the lane. Past the last one
 * are pads of the largest digit, which are counted. */
FUNC void load_tile(sweep_tile &t, scanrt_u32 tile, scanrt_u32 in_tile, sweep_ends ends, sweep_order order) {
  const scanrt_u32 from = tile * SWEEP_TILE + in_tile, left = from < ends.n ? ends.n - from : 0;
  if (tile >= ends.tiles) return;
  if (tile + 1 < ends.tiles && ends.bytes == KEY_BYTES) {
    if (ends.is_whole) {
      UNROLL
      for (int u = 0; u < SWEEP_KEYS; u++) load_whole(t, u, ends.keys, from + u * 32);
    } else {
      load_keys(t, ends.keys, from, ~0u, KEY_BYTES);
    }
  } else {
    UNROLL
    for (int u = 0; u < SWEEP_KEYS; u++) t.key[u] = ends.filler;
    if (ends.is_whole) {
      UNROLL
      for (int u = 0; u < SWEEP_KEYS; u++)
        if (left > u * 32) load_whole(t, u, ends.keys, from + u * 32);
    } else if (ends.bytes == KEY_BYTES) {
      load_keys(t, ends.keys, from, left, KEY_BYTES);
    } else if (ends.bytes == 1) {
      load_keys(t, ends.keys, from, left, 1);
    } else {
      load_keys(t, ends.keys, from, left, 2);
    }
  }
#if HAS_VALUES
  if (ends.is_whole) return;
  if (ends.makes_values) {
    UNROLL
    for (int u = 0; u < SWEEP_KEYS; u++) t.value[u] = from + u * 32;
  } else {
    UNROLL
    for (int u = 0; u < SWEEP_KEYS; u++)
      if (left > u * 32) t.value[u] = LOAD_STREAM(ends.values + from + u * 32);
  }
#endif
}

/* Where the first pass reads keys whose bits are in another order; waits for them. */
FUNC void turn_tile(sweep_tile &t, sweep_ends ends, sweep_order order) {
  if (!ends.turns) return;
  UNROLL
  for (int u = 0; u < SWEEP_KEYS; u++) t.key[u] = turn(t.key[u], order);
}

FUNC void store_one(scanrt_u32 at, sweep_key key, sweep_value value, sweep_ends ends, sweep_order order) {
  if (ends.turns_back) key = turn_back(key, order);
#if IS_WHOLE && KEY_BYTES == 4
  if (ends.is_whole_to) {
    ((uint2 *)ends.keys_to)[at] = make_uint2(key, value);
    return;
  }
#elif IS_WHOLE
  if (ends.is_whole_to) {
    ((ulonglong2 *)ends.keys_to)[at] = make_ulonglong2(key, value);
    return;
  }
#endif
  store_key(ends.keys_to, at, key, ends.bytes_to);
  if (HAS_VALUES) ends.values_to[at] = value;
}

/* Slot i of the tile, in batches: to at[i] + slot. */
#define OUT_BATCH (SWEEP_KEYS % 4 == 0 ? 4 : SWEEP_KEYS % 5 == 0 ? 5 : 2)
typedef struct sweep_batch {
  sweep_key key[OUT_BATCH];
  sweep_value value[OUT_BATCH];
  scanrt_u32 digit[OUT_BATCH], at[OUT_BATCH];
} sweep_batch;

FUNC void store_batch(const sweep_batch &b, scanrt_u32 slot, sweep_ends ends, sweep_order order) {
  sweep_key key[OUT_BATCH];
  UNROLL
  for (int u = 0; u < OUT_BATCH; u++) key[u] = b.key[u];
  if (ends.turns_back) {
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++) key[u] = turn_back(key[u], order);
  }
#if IS_WHOLE
  if (ends.is_whole_to) {
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++)
#if KEY_BYTES == 4
      ((uint2 *)ends.keys_to + slot + u * SWEEP_ITEMS)[b.at[u]] = make_uint2(key[u], b.value[u]);
#else
      ((ulonglong2 *)ends.keys_to + slot + u * SWEEP_ITEMS)[b.at[u]] = make_ulonglong2(key[u], b.value[u]);
#endif
    return;
  }
#endif
#if KEY_BYTES == 4
  if (ends.bytes_to != 4) {
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++)
      store_key(ends.keys_to, slot + u * SWEEP_ITEMS + b.at[u], key[u], ends.bytes_to);
  } else
#endif
    UNROLL
  for (int u = 0; u < OUT_BATCH; u++) (ends.keys_to + slot + u * SWEEP_ITEMS)[b.at[u]] = (KEY_T)key[u];
#if HAS_VALUES
  UNROLL
  for (int u = 0; u < OUT_BATCH; u++) (ends.values_to + slot + u * SWEEP_ITEMS)[b.at[u]] = b.value[u];
#endif
}

/* What tells whether two keys of the sorted tile, one behind the other, are in order. */
typedef struct sweep_proof {
  sweep_key key;
  sweep_value value;
} sweep_proof;

/* by_places: digit and place in the unsorted tile. */
FUNC sweep_proof proof_by_place(scanrt_u32 base, scanrt_u32 slot, scanrt_u32 digit) {
  sweep_proof proof;
  proof.key = digit << 14 | scanrt_shared_u16(base + AT_PLACES + slot * 2);
  proof.value = 0;
  return proof;
}
FUNC sweep_proof proof_by_value(sweep_key key, sweep_value value, sweep_order order) {
  sweep_proof proof;
  proof.key = key << order.unproved;
  proof.value = value;
  return proof;
}
FUNC bool proves(sweep_proof before, sweep_proof here, bool by_values) {
  if (by_values) return before.key < here.key || (before.key == here.key && before.value <= here.value);
  return before.key <= here.key;
}
FUNC sweep_proof proof_at(scanrt_u32 base, scanrt_u32 slot, sweep_order order, bool by_places) {
  sweep_key key;
  sweep_value value;
  lds_slot(base, base + AT_SLOTS + slot * SLOT_BYTES, &key, &value);
  return by_places ? proof_by_place(base, slot, digit4(key, order)) : proof_by_value(key, value, order);
}
/* Whether each of a batch is behind the key of the lane before, at least. */
FUNC bool is_batch_wrong(scanrt_u32 base, const sweep_batch &b, scanrt_u32 slot, sweep_order order, bool by_places) {
  bool is_wrong = false;
  UNROLL
  for (int u = 0; u < OUT_BATCH; u++) {
    sweep_proof here, last;
    if (by_places) {
      const scanrt_u32 key = b.digit[u] << 14 | scanrt_shared_u16(base + AT_PLACES + (slot + u * SWEEP_ITEMS) * 2);
      is_wrong |= scanrt_shuffle_up_u32(key, 1) > key;
      continue;
    }
    here = proof_by_value(b.key[u], b.value[u], order);
    last.key = (sweep_key)LANE_BEFORE(KEY_BYTES, here.key);
    last.value = HAS_VALUES ? (sweep_value)LANE_BEFORE(VALUE_BYTES, here.value) : 0;
    is_wrong |= !proves(last, here, HAS_VALUES);
  }
  return is_wrong;
}

/* The sorted tile, which has not been found in order, is: rounds of exchanges of neighbours. Written again. */
FUNC void repair(scanrt_u32 base, scanrt_u32 tile, sweep_ends ends, sweep_order order, bool by_places) {
  const scanrt_u32 left = ends.n - tile * SWEEP_TILE, items = left < SWEEP_TILE ? left : SWEEP_TILE;
  bool has_moved = true;
  NO_UNROLL
  while (BARRIER_ANY(has_moved)) {
    has_moved = false;
    NO_UNROLL
    for (scanrt_u32 half = 0; half < 2; half++) {
      NO_UNROLL
      for (scanrt_u32 slot = 2 * ITEM() + half; slot + 1 < items; slot += 2 * SWEEP_ALL_ITEMS) {
        const sweep_proof a = proof_at(base, slot, order, by_places);
        const sweep_proof b = proof_at(base, slot + 1, order, by_places);
        if (proves(a, b, HAS_VALUES)) continue;
        const scanrt_u32 at = base + AT_SLOTS + slot * SLOT_BYTES;
        sweep_key keys[2];
        sweep_value values[2];
        lds_slot(base, at, &keys[0], &values[0]);
        lds_slot(base, at + SLOT_BYTES, &keys[1], &values[1]);
        sts_slot(base, at, keys[1], values[1]);
        sts_slot(base, at + SLOT_BYTES, keys[0], values[0]);
        if (by_places) {
          const scanrt_u32 place = base + AT_PLACES + slot * 2, first = scanrt_shared_u16(place);
          scanrt_shared_set_u16(place, scanrt_shared_u16(place + 2));
          scanrt_shared_set_u16(place + 2, first);
        }
        has_moved = true;
      }
      BARRIER();
    }
  }
  NO_UNROLL
  for (scanrt_u32 slot = ITEM(); slot < items; slot += SWEEP_ALL_ITEMS) {
    sweep_key key;
    sweep_value value;
    lds_slot(base, base + AT_SLOTS + slot * SLOT_BYTES, &key, &value);
    store_one(scanrt_shared_u32(base + AT_STARTS + digit4(key, order)) + slot, key, value, ends, order);
  }
  BARRIER();
}

/* A pass that only moves. */
FUNC void copy_all(sweep_ends ends, sweep_order order) {
  const scanrt_u32 step = GROUPS() * SWEEP_ALL_ITEMS;
  NO_UNROLL
  for (scanrt_u32 i = GROUP() * SWEEP_ALL_ITEMS + ITEM(); i < ends.n; i += COPY_KEYS * step) {
    sweep_tile t;
    UNROLL
    for (int u = 0; u < COPY_KEYS; u++) {
      const scanrt_u32 at = i + u * step;
      if (at >= ends.n) break;
      if (ends.is_whole) {
        load_whole(t, u, ends.keys, at);
        continue;
      }
      t.key[u] = load_key(ends.keys, at, ends.bytes);
#if HAS_VALUES
      t.value[u] = ends.makes_values ? (sweep_value)at : LOAD_STREAM(ends.values + at);
#endif
    }
    UNROLL
    for (int u = 0; u < COPY_KEYS; u++) {
      if (i + u * step >= ends.n) break;
      store_one(i + u * step, ends.turns ? turn(t.key[u], order) : t.key[u], VALUE_OF(t, u), ends, order);
    }
  }
}

/* ---- ranks: in batches, so that keys move while others are ranked ---- */

#define SWEEP_BATCH (SWEEP_KEYS % 8 == 0 ? 8 : SWEEP_KEYS % 6 == 0 ? 6 : SWEEP_KEYS % 5 == 0 ? 5 : 4)

FUNC void move_batch(scanrt_u32 base, const sweep_tile &t, int first, const scanrt_u32 *at, scanrt_u32 in_tile,
                     bool by_places) {
  UNROLL
  for (int u = 0; u < SWEEP_BATCH; u++) sts_slot(base, at[u], t.key[first + u], VALUE_OF(t, first + u));
  if (!by_places) return;
  UNROLL
  for (int u = 0; u < SWEEP_BATCH; u++)
    scanrt_shared_set_u16(base + AT_PLACES + (at[u] - base - AT_SLOTS) / SLOT_BYTES * 2, in_tile + (first + u) * 32);
}

FUNC void rank_all(scanrt_u32 base, scanrt_u32 counters, const sweep_tile &t, scanrt_u32 in_tile, sweep_order order,
                   bool by_places) {
  UNROLL
  for (int q = 0; q < SWEEP_KEYS; q += SWEEP_BATCH) {
    scanrt_u32 at[SWEEP_BATCH];
    UNROLL
    for (int u = 0; u < SWEEP_BATCH; u++) at[u] = scanrt_shared_add(counters | digit4(t.key[q + u], order), SLOT_BYTES);
    move_batch(base, t, q, at, in_tile, by_places);
  }
}

/* Where many keys of a row have one digit, that of lane 0 or a given one, they are ranked by a vote. Pads, which only a
 * tile has whose last slot is free, go there. */
FUNC scanrt_u32 rank_crowd(scanrt_u32 base, scanrt_u32 counters, scanrt_u32 digit, scanrt_u32 crowd, bool is_key) {
  const scanrt_u32 lane = ITEM() % 32, of = crowd != ~0u ? crowd : scanrt_shuffle_from_u32(digit, 0);
  const bool is_in = is_key && digit == of;
  const scanrt_u32 all = WARP_BALLOT(is_in), first = 31 - __clz(all & (0u - all)); /* all ones: none is */
  scanrt_u32 at = base + AT_SLOTS + (SWEEP_TILE - 1) * SLOT_BYTES;
  if (is_key && (!is_in || lane == first))
    at = scanrt_shared_add(counters | digit, is_in ? __popc(all) * SLOT_BYTES : SLOT_BYTES);
  __syncwarp();
  const scanrt_u32 start = scanrt_shuffle_from_u32(at, first & 31);
  return is_in ? start + __popc(all & ((1u << lane) - 1)) * SLOT_BYTES : at;
}

/* Of the first `left` keys from the lane's on. */
FUNC void rank_crowds(scanrt_u32 base, scanrt_u32 counters, const sweep_tile &t, scanrt_u32 in_tile, sweep_order order,
                      bool by_places, scanrt_u32 crowd, scanrt_u32 left) {
  UNROLL
  for (int q = 0; q < SWEEP_KEYS; q += SWEEP_BATCH) {
    scanrt_u32 at[SWEEP_BATCH];
    UNROLL
    for (int u = 0; u < SWEEP_BATCH; u++)
      at[u] = rank_crowd(base, counters, digit4(t.key[q + u], order), crowd, left > (q + u) * 32);
    move_batch(base, t, q, at, in_tile, by_places);
  }
}

/* ---- a tile ---- */

/* Returns the tile's count of the work-item's digit, which it publishes; of the warps' counters are made the slots
 * where each one's keys of the digit begin. Of 256 work-items. */
FUNC scanrt_u32 publish(scanrt_u32 base, scanrt_u32 *board, scanrt_u32 tile, scanrt_u32 begin) {
  const scanrt_u32 item = ITEM(), lane = item % 32, warp = item / 32;
  scanrt_u32 total = 0;
  UNROLL
  for (int w = 0; w < SWEEP_WARPS; w++) total += scanrt_shared_u32(base + w * 1024 + item * 4);
  const scanrt_u32 state = (tile ? LOOK_PARTIAL : LOOK_INCLUSIVE) | total;
  scanrt_halves_store<1>(board + (size_t)tile * SORT_DIGITS + item, &state);
  scanrt_u32 sum = total;
  UNROLL
  for (int d = 1; d < 32; d *= 2) {
    const scanrt_u32 other = scanrt_shuffle_up_u32(sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31) scanrt_shared_set_u32(base + AT_SUMS + warp * 4, sum);
  NAMED_BARRIER(1, 256);
  sum -= total;
  UNROLL
  for (int w = 0; w < 7; w++) {
    const scanrt_u32 other = scanrt_shared_u32(base + AT_SUMS + w * 4);
    if (w < warp) sum += other;
  }
  scanrt_shared_set_u32(base + AT_STARTS + item * 4, begin - sum);
  if (SWEEP_LOOKERS) scanrt_shared_set_u32(base + AT_COUNTS + item * 4, total);
  scanrt_u32 at = base + AT_SLOTS + sum * SLOT_BYTES;
  UNROLL
  for (int w = 0; w < SWEEP_WARPS; w += 4) {
    scanrt_u32 counts[4];
    UNROLL
    for (int i = 0; i < 4; i++) counts[i] = scanrt_shared_u32(base + (w + i) * 1024 + item * 4);
    UNROLL
    for (int i = 0; i < 4; i++) {
      scanrt_shared_set_u32(base + (w + i) * 1024 + item * 4, at);
      at += counts[i] * SLOT_BYTES;
    }
  }
  return total;
}

/* Digits from `first` on: where they go, and what later tiles find; the next pass's board is cleared. */
FUNC void find_starts(scanrt_u32 base, scanrt_u32 *board, scanrt_u32 *next_board, scanrt_u32 tile, scanrt_u32 first,
                      scanrt_u32 total) {
  const look_digits sum = look_back(board + first, tile);
  look_digits all, none;
  UNROLL
  for (int c = 0; c < LOOK_DIGITS; c++) {
    const scanrt_u32 at = base + AT_STARTS + (first + c) * 4;
    all.of[c] =
        LOOK_INCLUSIVE | (sum.of[c] + (SWEEP_LOOKERS ? scanrt_shared_u32(base + AT_COUNTS + (first + c) * 4) : total));
    none.of[c] = 0;
    scanrt_shared_set_u32(at, scanrt_shared_u32(at) + sum.of[c]);
  }
  if (tile > 0) scanrt_halves_store<LOOK_DIGITS>(board + (size_t)tile * SORT_DIGITS + first, all.of);
  scanrt_halves_store<LOOK_DIGITS>(next_board + (size_t)tile * SORT_DIGITS + first, none.of);
}

/* Slot i goes to where its digit goes, and i. Returns whether keys of a row of 32 are out of order. */
FUNC bool write_full(scanrt_u32 base, sweep_ends ends, sweep_order order, bool by_places) {
  const scanrt_u32 mine = base + AT_SLOTS + ITEM() * SLOT_BYTES;
  bool is_wrong = false;
  UNROLL
  for (int q = 0; q < SWEEP_KEYS; q += OUT_BATCH) {
    const scanrt_u32 slot = ITEM() + q * SWEEP_ITEMS;
    sweep_batch b;
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++)
      lds_slot(base, mine + (q + u) * SWEEP_ITEMS * SLOT_BYTES, &b.key[u], &b.value[u]);
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++) {
      b.digit[u] = digit4(b.key[u], order);
      b.at[u] = scanrt_shared_u32(base + AT_STARTS + b.digit[u]);
    }
    store_batch(b, slot, ends, order);
    if (SWEEP_PROVES) is_wrong |= is_batch_wrong(base, b, slot, order, by_places);
  }
  return is_wrong;
}

/* The first `items` slots, as few as may be. */
FUNC void write_some(scanrt_u32 base, scanrt_u32 items, sweep_ends ends, sweep_order order) {
  NO_UNROLL
  for (scanrt_u32 slot = ITEM(); slot < items; slot += SWEEP_ALL_ITEMS) {
    sweep_key key;
    sweep_value value;
    lds_slot(base, base + AT_SLOTS + slot * SLOT_BYTES, &key, &value);
    store_one(scanrt_shared_u32(base + AT_STARTS + digit4(key, order)) + slot, key, value, ends, order);
  }
}

/* Whether a slot is out of order with the one before it, of every `step`th. */
FUNC bool is_some_wrong(scanrt_u32 base, scanrt_u32 items, scanrt_u32 step, sweep_order order, bool by_places) {
  bool is_wrong = false;
  NO_UNROLL
  for (scanrt_u32 slot = (ITEM() + 1) * step; slot < items; slot += SWEEP_ALL_ITEMS * step)
    is_wrong |= !proves(proof_at(base, slot - 1, order, by_places), proof_at(base, slot, order, by_places), HAS_VALUES);
  return is_wrong;
}

extern "C" __global__ void __launch_bounds__(SWEEP_ALL_ITEMS, SWEEP_GROUPS)
    KERNEL_NAME(sort_sweep, SCAN_SUFFIX)(PARAMETERS(SORT_SWEEP_ARGUMENTS)) {
  DYNAMIC_SHARED(shared);
  const scanrt_u32 base = scanrt_shared_address(shared);
  const scanrt_u64 *words = (const scanrt_u64 *)MEMORY(digits);
  const scanrt_u32 route = (scanrt_u32)words[SORT_WORD_ROUTES + pass];
  if (!(route & SORT_ROUTE_TAKEN)) return;
  const sweep_order order = sweep_order_of(flags, first_bit, end_bit, pass);
  const bool by_places = (flags & SORT_BY_PLACES) != 0;
  const scanrt_u32 item = ITEM(), warp = item / 32, lane = item % 32;
  const bool works = SWEEP_LOOKERS == 0 || warp < SWEEP_WARPS;
  sweep_ends ends;
  {
    const scanrt_u32 from = route >> SORT_ROUTE_FROM & 3, to = route >> SORT_ROUTE_TO & 3;
    const scanrt_u32 bytes = (order.sign + 1) / 8;
    ends.bytes = from == PLACE_SPARE ? KEY_BYTES : bytes;
    ends.bytes_to = to == PLACE_SPARE ? KEY_BYTES : bytes;
    const bool is_turned = (order.turned | order.negative) != 0;
    ends.turns = is_turned && (route & SORT_ROUTE_FIRST) != 0;
    ends.turns_back = is_turned && (route & SORT_ROUTE_LAST) != 0;
    const sweep_key largest = ((sweep_key)1 << order.sign) | (((sweep_key)1 << order.sign) - 1);
    ends.filler = ends.turns ? turn_back(largest, order) : largest;
    ends.is_whole = IS_WHOLE && from == PLACE_SPARE;
    ends.is_whole_to = IS_WHOLE && to == PLACE_SPARE;
    ends.makes_values = (route & SORT_ROUTE_FIRST) != 0 && (flags & SORT_INDICES) != 0;
    ends.keys = (const KEY_T *)SORT_PLACE(from, MEMORY(in), MEMORY(out), MEMORY(keys_spare));
    ends.keys_to = (KEY_T *)SORT_PLACE(to, MEMORY(in), MEMORY(out), MEMORY(keys_spare));
    ends.values = (const sweep_value *)SORT_PLACE(from, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare));
    ends.values_to = (sweep_value *)SORT_PLACE(to, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare));
    ends.n = (scanrt_u32)words[SORT_WORD_N];
    ends.tiles = ends.n / SWEEP_TILE + (ends.n % SWEEP_TILE != 0);
  }
  if (route & SORT_ROUTE_MOVES) {
    copy_all(ends, order);
    return;
  }
  scanrt_u32 *ticket = (scanrt_u32 *)MEMORY(workspace) + pass;
  scanrt_u32 *board = (scanrt_u32 *)MEMORY(workspace) + SORT_TICKETS, *next_board = board;
  {
    const size_t board_words = (size_t)tile_capacity * SORT_DIGITS;
    if (route & SORT_ROUTE_ODD)
      board += board_words;
    else
      next_board += board_words;
  }
  const scanrt_u32 crowd = (scanrt_u32)words[SORT_WORD_CROWDS + pass]; /* 4 times a digit that many keys have, or ~0 */
  const scanrt_u32 begin = item < SORT_DIGITS ? (scanrt_u32)words[SORT_WORD_BEGINS + pass * SORT_DIGITS + item] : 0;
  const scanrt_u32 counters = base + warp * 1024;
  /* Where the lane's keys lie in the tile; a test's hook turns them round, so that lanes are in another order. */
  const scanrt_u32 in_tile = warp * (32 * SWEEP_KEYS) + ((flags & SORT_TEST_LANES) != 0 ? lane ^ 31 : lane);

  sweep_tile t;
  scanrt_u32 before = 0, tile = 0, next, total = 0;
  bool is_wrong = false, has_tile = false;
  if (item == 0) scanrt_shared_set_u32(base + AT_TICKET, ATOMIC_ADD(ticket, 1u));
  BARRIER();
  next = scanrt_shared_u32(base + AT_TICKET);
  NO_UNROLL
  for (;;) { /* a tile's keys are loaded while the one before it is looked back from and written */
    const bool is_full = tile + 1 < ends.tiles || ends.n % SWEEP_TILE == 0;
    if (has_tile) {
      if (works) {
        scanrt_shared_clear(counters + lane * 16);
        scanrt_shared_clear(counters + 512 + lane * 16);
        turn_tile(t, ends, order);
        __syncwarp();
        UNROLL
        for (int u = 0; u < SWEEP_KEYS; u++) scanrt_shared_count(counters | digit4(t.key[u], order));
      }
      if (BARRIER_ANY(is_wrong)) {
        if (item == 0) ATOMIC_ADD64((scanrt_u64 *)MEMORY(digits) + SORT_WORD_REPAIRS, 1ull);
        repair(base, before, ends, order, by_places);
        is_wrong = false;
      }
      if (tile >= ends.tiles) return;
      if (item < SORT_DIGITS) total = publish(base, board, tile, begin);
      /* Claimed late, so that tickets and publications keep the same order. */
      if (item == SWEEP_ALL_ITEMS - 1) scanrt_shared_set_u32(base + AT_TICKET, ATOMIC_ADD(ticket, 1u));
      BARRIER();
      next = scanrt_shared_u32(base + AT_TICKET);
      if (works) {
        const scanrt_u32 sample = digit4(t.key[0], order);
        const scanrt_u32 alike = WARP_BALLOT(sample == (crowd != ~0u ? crowd : scanrt_shuffle_from_u32(sample, 0)));
        const scanrt_u32 from = tile * SWEEP_TILE + in_tile;
        if (!is_full || __popc(alike) >= TUNE_SWEEP_CROWD)
          rank_crowds(base, counters, t, in_tile, order, by_places, crowd, from < ends.n ? ends.n - from : 0);
        else
          rank_all(base, counters, t, in_tile, order, by_places);
      }
    }
    if (works) load_tile(t, next, in_tile, ends, order);
    if (has_tile) {
      const scanrt_u32 items = is_full ? SWEEP_TILE : ends.n - tile * SWEEP_TILE;
      if (SWEEP_LOOKERS ? !works : item < SORT_DIGITS)
        find_starts(base, board, next_board, tile, SWEEP_LOOKERS ? (item - SWEEP_ITEMS) * LOOK_DIGITS : item, total);
      BARRIER();
      if (!is_full)
        write_some(base, items, ends, order);
      else if (works)
        is_wrong = write_full(base, ends, order, by_places);
      if (SWEEP_PROVES) is_wrong |= is_some_wrong(base, items, is_full ? 32 : 1, order, by_places);
    }
    before = tile;
    tile = next;
    has_tile = true;
  }
}
