/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by onesweep: moves a tile's keys and values from the input of a pass to registers, and from slots to its
 * output. */

/* The inputs and outputs of a pass. */
typedef struct onesweep_ends {
  const KEY_T *keys;
  KEY_T *keys_to;
  const onesweep_value *values;
  onesweep_value *values_to;
  onesweep_key filler;        /* the input key that is flipped into the largest key */
  scanrt_u32 bytes, bytes_to; /* bytes of a key in the input and the output */
  bool flips, flips_back, is_whole, is_whole_to, makes_values;
  bool widens;                /* values of 4 bytes are written with 8 */
  scanrt_u32 first, n, tiles; /* the part has keys first to first + n - 1 of all, and sources begin there */
} onesweep_ends;

typedef struct onesweep_tile {
  onesweep_key key[ONESWEEP_KEYS];
#if HAS_VALUES && !ARE_STAGED
  onesweep_value value[ONESWEEP_KEYS];
#endif
} onesweep_tile;
#if HAS_VALUES && !ARE_STAGED
#define VALUE_OF(t, u) ((t).value[u])
#else
#define VALUE_OF(t, u) 0
#endif

/* Loads pair `at`, whose key and value lie side by side. */
template <class T> FUNC void load_whole(T &t, int u, const KEY_T *keys, scanrt_u32 at) {
#if IS_WHOLE
  const onesweep_pair pair = LOAD_STREAM((const onesweep_pair *)keys + at);
  t.key[u] = pair.x;
  t.value[u] = pair.y;
#endif
}

/* Loads rows of keys of `bytes` bytes, a constant for the compiler. */
FUNC void load_keys(onesweep_tile &t, const KEY_T *keys, scanrt_u32 from, scanrt_u32 left, scanrt_u32 bytes) {
  UNROLL
  for (int u = 0; u < ONESWEEP_KEYS; u++)
    if (left > u * 32) t.key[u] = load_key(keys, from + u * 32, bytes);
}

/* Loads a tile's values, unless they lie beside its keys. */
FUNC void load_values(onesweep_tile &t, scanrt_u32 tile, scanrt_u32 in_tile, onesweep_ends ends) {
#if HAS_VALUES && !ARE_STAGED
  const scanrt_u32 from = tile * ONESWEEP_TILE + in_tile, left = from < ends.n ? ends.n - from : 0;
  if (ends.is_whole) return;
  if (ends.makes_values) {
    UNROLL
    for (int u = 0; u < ONESWEEP_KEYS; u++) t.value[u] = ends.first + from + u * 32;
  } else {
    UNROLL
    for (int u = 0; u < ONESWEEP_KEYS; u++)
      if (left > u * 32) t.value[u] = LOAD_STREAM(ends.values + from + u * 32);
  }
#endif
}

/* Begins to copy a tile's values to shared memory, `shared` or address `base`, if they are staged. */
FUNC void stage_values(unsigned char *shared, scanrt_u32 base, scanrt_u32 tile, onesweep_ends ends) {
#if ARE_STAGED
  const scanrt_u32 first = tile * ONESWEEP_TILE, left = ends.n - first;
  const onesweep_value *from = ends.values + first;
  if (ends.makes_values) return;
  if (left >= ONESWEEP_TILE && ADDRESS(from) % 16 == 0) {
    UNROLL
    for (scanrt_u32 i = 0; i < ONESWEEP_TILE * VALUE_BYTES / 16; i += ONESWEEP_ITEMS) {
      const scanrt_u32 at = (i + ITEM()) * 16;
      if (i + ONESWEEP_ITEMS <= ONESWEEP_TILE * VALUE_BYTES / 16 || at < ONESWEEP_TILE * VALUE_BYTES)
        scanrt_async_copy16(shared + AT_VALUES + at, (const unsigned char *)from + at);
    }
  } else {
    NO_UNROLL
    for (scanrt_u32 i = ITEM(); i < ONESWEEP_TILE && i < left; i += ONESWEEP_ITEMS)
      put(base + AT_VALUES + i * VALUE_BYTES, LOAD_STREAM(from + i));
  }
#endif
}

/* Returns the staged value of a place in the unsorted tile, or the index there. */
FUNC onesweep_value staged_value(scanrt_u32 base, scanrt_u32 place, scanrt_u32 tile, onesweep_ends ends) {
  onesweep_value value = ends.first + tile * ONESWEEP_TILE + place;
  if (!ends.makes_values) get(base + AT_VALUES + place * VALUE_BYTES, &value);
  return value;
}

/* Loads a tile, staged values excepted. A warp has ONESWEEP_KEYS consecutive rows of 32 keys. Past the last key are
 * pads of the largest digit, which are counted. */
FUNC void load_tile(onesweep_tile &t, scanrt_u32 tile, scanrt_u32 in_tile, onesweep_ends ends) {
  const scanrt_u32 from = tile * ONESWEEP_TILE + in_tile, left = from < ends.n ? ends.n - from : 0;
  if (tile >= ends.tiles) return;
  if (tile + 1 < ends.tiles && ends.bytes == KEY_BYTES) {
    if (ends.is_whole) {
      UNROLL
      for (int u = 0; u < ONESWEEP_KEYS; u++) load_whole(t, u, ends.keys, from + u * 32);
    } else {
      load_keys(t, ends.keys, from, ~0u, KEY_BYTES);
    }
  } else {
    UNROLL
    for (int u = 0; u < ONESWEEP_KEYS; u++) t.key[u] = ends.filler;
    if (ends.is_whole) {
      UNROLL
      for (int u = 0; u < ONESWEEP_KEYS; u++)
        if (left > u * 32) load_whole(t, u, ends.keys, from + u * 32);
    } else if (ends.bytes == KEY_BYTES) {
      load_keys(t, ends.keys, from, left, KEY_BYTES);
    } else if (ends.bytes == 1) {
      load_keys(t, ends.keys, from, left, 1);
    } else {
      load_keys(t, ends.keys, from, left, 2);
    }
  }
  load_values(t, tile, in_tile, ends);
}

/* Turns the keys that the first pass has loaded into integers of their order; waits for the loads. */
FUNC void turn_tile(onesweep_tile &t, onesweep_ends ends, onesweep_order order) {
  if (!ends.flips) return;
  UNROLL
  for (int u = 0; u < ONESWEEP_KEYS; u++) t.key[u] = flip(t.key[u], order);
}

FUNC void store_value(onesweep_value *to, scanrt_u32 at, onesweep_value value, bool widens) {
  if (VALUE_BYTES == 4 && widens)
    ((scanrt_u64 *)to)[at] = value;
  else
    to[at] = value;
}

FUNC void store_one(scanrt_u32 at, onesweep_key key, onesweep_value value, onesweep_ends ends, onesweep_order order) {
  if (ends.flips_back) key = flip_back(key, order);
#if IS_WHOLE
  if (ends.is_whole_to) {
    ((onesweep_pair *)ends.keys_to)[at] = onesweep_pair{ key, value };
    return;
  }
#endif
  store_key(ends.keys_to, at, key, ends.bytes_to);
  if (HAS_VALUES) store_value(ends.values_to, at, value, ends.widens);
}

/* A batch of slots of the tile; slot i goes to at[i] + i. */
#define OUT_BATCH (ONESWEEP_KEYS % 4 == 0 ? 4 : ONESWEEP_KEYS % 5 == 0 ? 5 : 2)
typedef struct onesweep_batch {
  onesweep_key key[OUT_BATCH];
  onesweep_value value[OUT_BATCH];
  scanrt_u32 digit[OUT_BATCH], at[OUT_BATCH];
#if ARE_STAGED
  scanrt_u32 place[OUT_BATCH];
#endif
} onesweep_batch;

FUNC void store_batch(const onesweep_batch &b, scanrt_u32 slot, onesweep_ends ends, onesweep_order order) {
  onesweep_key key[OUT_BATCH];
  UNROLL
  for (int u = 0; u < OUT_BATCH; u++) key[u] = b.key[u];
  if (ends.flips_back) {
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++) key[u] = flip_back(key[u], order);
  }
#if IS_WHOLE
  if (ends.is_whole_to) {
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++)
      ((onesweep_pair *)ends.keys_to + slot + u * ONESWEEP_ITEMS)[b.at[u]] = onesweep_pair{ key[u], b.value[u] };
    return;
  }
#endif
  if (KEY_BYTES == 4 && ends.bytes_to != 4) {
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++)
      store_key(ends.keys_to, slot + u * ONESWEEP_ITEMS + b.at[u], key[u], ends.bytes_to);
  } else {
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++) (ends.keys_to + slot + u * ONESWEEP_ITEMS)[b.at[u]] = (KEY_T)key[u];
  }
  if (VALUE_BYTES == 4 && ends.widens) {
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++)
      ((scanrt_u64 *)ends.values_to + slot + u * ONESWEEP_ITEMS)[b.at[u]] = b.value[u];
    return;
  }
#if HAS_VALUES
  UNROLL
  for (int u = 0; u < OUT_BATCH; u++) (ends.values_to + slot + u * ONESWEEP_ITEMS)[b.at[u]] = b.value[u];
#endif
}

/* Writes the first `items` slots, any number of them. */
FUNC void write_some(scanrt_u32 base, scanrt_u32 tile, scanrt_u32 items, onesweep_ends ends, onesweep_order order) {
  NO_UNROLL
  for (scanrt_u32 slot = ITEM(); slot < items; slot += ONESWEEP_ALL_ITEMS) {
    onesweep_key key;
    onesweep_value value;
    lds_slot(base, slot_at(base, slot, 0), &key, &value);
    if (ARE_STAGED) value = staged_value(base, scanrt_shared_u16(place_at(base, slot_at(base, slot, 0))), tile, ends);
    store_one(scanrt_shared_u32(base + AT_STARTS + digit4(key, order)) + slot, key, value, ends, order);
  }
}

/* Copies every `step`th key from key `first` up to key `end` of the part to the same places in the output, in a pass
 * that only moves. */
FUNC void copy_keys(onesweep_ends ends, onesweep_order order, scanrt_u32 first, scanrt_u32 step, scanrt_u32 end) {
  NO_UNROLL
  for (scanrt_u32 i = first; i < end; i += COPY_KEYS * step) {
    struct {
      onesweep_key key[COPY_KEYS];
      onesweep_value value[COPY_KEYS];
    } t;
    UNROLL
    for (int u = 0; u < COPY_KEYS; u++) {
      const scanrt_u32 at = i + u * step;
      if (at >= end) break;
      if (ends.is_whole) {
        load_whole(t, u, ends.keys, at);
        continue;
      }
      t.key[u] = load_key(ends.keys, at, ends.bytes);
#if HAS_VALUES
      t.value[u] = ends.makes_values ? (onesweep_value)(ends.first + at) : LOAD_STREAM(ends.values + at);
#endif
    }
    UNROLL
    for (int u = 0; u < COPY_KEYS; u++) {
      if (i + u * step >= end) break;
      store_one(ends.first + i + u * step, ends.flips ? flip(t.key[u], order) : t.key[u], HAS_VALUES ? t.value[u] : 0,
                ends, order);
    }
  }
}
