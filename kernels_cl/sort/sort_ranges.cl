/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort by work-groups of one work-item each, in four launches (sort_ranges.h). No work-group waits for another.
 *
 * sort_look looks at a few keys. If they are in an order, or have few values, each work-item looks whether its tile is
 * like that. The first work-item also divides the values of the keys into ranges.
 * sort_count counts the keys of each range, unless all tiles are of the kind.
 * sort_divide copies, reverses or writes keys of a kind. Other keys go to their ranges.
 * sort_finish sorts the ranges, which work-items claim one after the other. */
#include "sort/sort_ranges_part.h"

/* Spots of GLANCE_ITEMS keys tell most keys that are in no order. VALUED_SAMPLE keys tell most keys of many values. */
#define GLANCES 8
#define GLANCE_ITEMS 16
#define VALUED_SAMPLE 32

#define RANGES_TILE()                                                                                                  \
  const scanrt_u32 all = (scanrt_u32)SORT_N();                                                                         \
  const scanrt_u64 begin = (scanrt_u64)GROUP() * tile_items;                                                           \
  const scanrt_u32 items = scanrt_sort_items(begin, all, tile_items);                                                  \
  const scanrt_u32 first = items != 0 ? (scanrt_u32)begin : all;                                                       \
  const scanrt_ranges_order order = RANGES_ORDER();                                                                    \
  GLOBAL scanrt_u64 *words = (GLOBAL scanrt_u64 *)MEMORY(digits);                                                      \
  GLOBAL const KEY_T *keys = (GLOBAL const KEY_T *)MEMORY(in)

/* ---- what the keys look like ---- */

/* Returns 1 if the keys are in order at some spots. */
FUNC scanrt_u32 scanrt_ranges_glance(GLOBAL const KEY_T *keys, scanrt_u32 n, scanrt_u32 falls,
                                     scanrt_ranges_order order) {
  const scanrt_u32 items = n < GLANCE_ITEMS ? n : GLANCE_ITEMS;
  for (scanrt_u32 i = 0; i <= GLANCES; i++)
    if (!scanrt_ranges_are_ordered(keys + (n - items) / GLANCES * i, items, falls, order)) return 0;
  return 1;
}

/* Stores the values of a few keys in order. Returns their number, or 0 if there are more than RANGES_VALUES. */
FUNC scanrt_u32 scanrt_ranges_find_values(GLOBAL const KEY_T *keys, scanrt_u32 n, KEY_T *values,
                                          scanrt_ranges_order order) {
  scanrt_u32 count = 0;
  for (scanrt_u32 i = 0; i < VALUED_SAMPLE; i++) {
    const KEY_T key = keys[(scanrt_u64)n * i / VALUED_SAMPLE], bits = scanrt_ranges_bits(key, order);
    scanrt_u32 v = count;
    while (v > 0 && scanrt_ranges_bits(values[v - 1], order) > bits) v--;
    if (v > 0 && values[v - 1] == key) continue;
    if (count == RANGES_VALUES) return 0;
    for (scanrt_u32 w = count++; w > v; w--) values[w] = values[w - 1];
    values[v] = key;
  }
  return count;
}

FUNC scanrt_u32 scanrt_ranges_kind(GLOBAL const KEY_T *keys, scanrt_u32 n, KEY_T *values, scanrt_u32 *value_count,
                                   scanrt_ranges_order order) {
  *value_count = 0;
  if (n == 0 || scanrt_ranges_glance(keys, n, 0, order)) return RANGES_RISE;
  if (scanrt_ranges_glance(keys, n, 1, order)) return RANGES_FALL;
  if (HAS_VALUES || !order.is_exact) return RANGES_NO_ORDER;
  if (KEY_BYTES == 1) return RANGES_BYTES;
  *value_count = scanrt_ranges_find_values(keys, n, values, order);
  return *value_count != 0 ? RANGES_VALUED : RANGES_NO_ORDER;
}

/* ---- ranges ---- */

/* Returns the step of a value. The choice follows the shift, since Oclgrind has no saturating subtraction. */
FUNC scanrt_u32 scanrt_ranges_step(KEY_T bits, KEY_T low, scanrt_u32 shift) {
  const KEY_T step = (KEY_T)((KEY_T)(bits - low) >> shift);
#if KEY_BYTES == 1
  return bits < low ? 0 : step;
#else
  const scanrt_u32 most = step < RANGES_STEPS - 1 ? (scanrt_u32)step : RANGES_STEPS - 1;
  return bits < low ? 0 : most;
#endif
}

/* Stores the steps of keys, up to STEPS_BLOCK. */
#define STEPS_BLOCK 256
FUNC void scanrt_ranges_steps(GLOBAL const KEY_T *keys, scanrt_u32 n, KEY_T low, scanrt_u32 shift,
                              scanrt_ranges_order order, scanrt_u32 *step) {
  for (scanrt_u32 i = 0; i < n; i++) step[i] = scanrt_ranges_step(scanrt_ranges_bits(keys[i], order), low, shift);
}

/* Divides the values of keys into ranges, and writes the words that later launches read. Up to RANGES_MOST values have
 * a range each. */
FUNC void scanrt_ranges_plan(GLOBAL const KEY_T *keys, scanrt_u32 n, GLOBAL scanrt_u64 *words,
                             scanrt_ranges_order order) {
  GLOBAL scanrt_u8 *map = (GLOBAL scanrt_u8 *)(words + RANGES_WORD_MAP);
  KEY_T sample[RANGES_SAMPLE], low = KEY_ALL, high = 0;
  scanrt_u32 count[RANGES_STEPS], before = 0, shift = 0;
  const scanrt_u32 wanted = n / RANGES_LEAST_ITEMS + 1, ranges = wanted < RANGES_MOST ? wanted : RANGES_MOST;
  words[RANGES_WORD_TICKET] = 0;
  words[RANGES_WORD_LOW] = words[RANGES_WORD_SHIFT] = 0;
  if ((scanrt_u64)order.bits < RANGES_MOST) {
    for (scanrt_u32 s = 0; s < RANGES_STEPS; s++) map[s] = (scanrt_u8)s;
    return;
  }
  for (scanrt_u32 i = 0; i < RANGES_SAMPLE; i++) {
    sample[i] = scanrt_ranges_bits(keys[(scanrt_u64)n * i / RANGES_SAMPLE], order);
    if (sample[i] < low) low = sample[i];
    if (sample[i] > high) high = sample[i];
  }
  while ((KEY_T)(high - low) >> shift >= RANGES_STEPS) shift++;
  for (scanrt_u32 s = 0; s < RANGES_STEPS; s++) count[s] = 0;
  for (scanrt_u32 i = 0; i < RANGES_SAMPLE; i++) count[scanrt_ranges_step(sample[i], low, shift)]++;
  for (scanrt_u32 s = 0; s < RANGES_STEPS; s++) {
    map[s] = (scanrt_u8)(before * ranges / (RANGES_SAMPLE + 1));
    before += count[s];
  }
  words[RANGES_WORD_LOW] = low;
  words[RANGES_WORD_SHIFT] = shift;
}

/* Declares what ranges are found by. */
#define RANGES_FIND()                                                                                                  \
  const KEY_T low = (KEY_T)words[RANGES_WORD_LOW];                                                                     \
  const scanrt_u32 shift = (scanrt_u32)words[RANGES_WORD_SHIFT];                                                       \
  GLOBAL const scanrt_u8 *map = (GLOBAL const scanrt_u8 *)(words + RANGES_WORD_MAP)

/* Returns 1 if the keys of all tiles are of the kind. */
FUNC scanrt_u32 scanrt_ranges_hold(GLOBAL const scanrt_u64 *words, scanrt_u32 tiles) {
  scanrt_u64 holds = 1;
  for (scanrt_u32 t = 0; t < tiles; t++) holds &= words[RANGES_WORD_HOLDS + t];
  return (scanrt_u32)holds;
}

/* The key of a range of one byte. */
#if KEY_BYTES == 1
#define RANGES_KEY(r, order) scanrt_sort_unordered((KEY_T)(r), (order).of)
#else
#define RANGES_KEY(r, order) 0
#endif

/* ---- launches ---- */

SORT_KERNEL(look)(PARAMETERS(SORT_ALONE_ARGUMENTS)) {
  RANGES_TILE();
  KEY_T values[RANGES_VALUES];
  scanrt_u32 value_count, holds = 0;
  const scanrt_u32 kind = scanrt_ranges_kind(keys, all, values, &value_count, order);
  (void)MEMORY(out), (void)MEMORY(keys_spare), (void)MEMORY(values_in), (void)MEMORY(values_out);
  (void)MEMORY(values_spare), (void)pass;
  NOTE_N_OVERFLOW();
  if (kind == RANGES_RISE || kind == RANGES_FALL)
    holds = scanrt_ranges_are_ordered(keys + first, items + (first + items < all), kind == RANGES_FALL, order);
  if (kind == RANGES_VALUED) {
    scanrt_u32 count[RANGES_VALUES];
    GLOBAL scanrt_u32 *row = (GLOBAL scanrt_u32 *)MEMORY(workspace) + GROUP() * RANGES_MOST;
    holds = scanrt_ranges_count_values(keys + first, items, values, value_count, count);
    for (scanrt_u32 v = 0; v < value_count; v++) row[v] = count[v];
  }
  words[RANGES_WORD_HOLDS + GROUP()] = holds;
  if (GROUP() != 0) return;
  words[RANGES_WORD_KIND] = kind;
  words[RANGES_WORD_VALUE_COUNT] = value_count;
  for (scanrt_u32 v = 0; v < value_count; v++) words[RANGES_WORD_VALUES + v] = values[v];
  if (all != 0) scanrt_ranges_plan(keys, all, words, order);
}

/* Counters of each range: keys that follow one another use different ones. */
#define COUNT_COPIES 4

SORT_KERNEL(count_ranges)(PARAMETERS(SORT_ALONE_ARGUMENTS)) {
  RANGES_TILE();
  RANGES_FIND();
  scanrt_u32 count[COUNT_COPIES * RANGES_MOST];
  GLOBAL scanrt_u32 *row = (GLOBAL scanrt_u32 *)MEMORY(workspace) + GROUP() * RANGES_MOST;
  (void)MEMORY(out), (void)MEMORY(keys_spare), (void)MEMORY(values_in), (void)MEMORY(values_out);
  (void)MEMORY(values_spare), (void)MEMORY(n_overflow), (void)pass;
  if (scanrt_ranges_hold(words, GROUPS())) return;
  for (scanrt_u32 i = 0; i < COUNT_COPIES * RANGES_MOST; i++) count[i] = 0;
  for (scanrt_u32 i = first; i < first + items; i += STEPS_BLOCK) {
    scanrt_u32 step[STEPS_BLOCK];
    const scanrt_u32 block = first + items - i < STEPS_BLOCK ? first + items - i : STEPS_BLOCK;
    scanrt_ranges_steps(keys + i, block, low, shift, order, step);
    _Pragma("unroll 4") for (scanrt_u32 j = 0; j < block; j++) count[j % COUNT_COPIES * RANGES_MOST + map[step[j]]]++;
  }
  for (scanrt_u32 r = 0; r < RANGES_MOST; r++) {
    scanrt_u32 sum = 0;
    UNROLL
    for (scanrt_u32 c = 0; c < COUNT_COPIES; c++) sum += count[c * RANGES_MOST + r];
    row[r] = sum;
  }
}

/* Stores where the keys of each range, or of each value, begin: those of all tiles, and those of a tile. Without counts
 * of `ranges` and more. */
FUNC void scanrt_ranges_places(GLOBAL const scanrt_u32 *counts, scanrt_u32 tile, scanrt_u32 tiles, scanrt_u32 ranges,
                               scanrt_u32 *starts, scanrt_u32 *place) {
  scanrt_u32 before = 0;
  for (scanrt_u32 r = 0; r < ranges; r++) starts[r] = place[r] = 0;
  for (scanrt_u32 t = 0; t < tiles; t++)
    for (scanrt_u32 r = 0; r < ranges; r++) {
      const scanrt_u32 count = counts[t * RANGES_MOST + r];
      starts[r] += count;
      place[r] += t < tile ? count : 0;
    }
  for (scanrt_u32 r = 0; r < ranges; r++) {
    const scanrt_u32 count = starts[r];
    starts[r] = before;
    place[r] += before;
    before += count;
  }
  starts[ranges] = before;
}

SORT_KERNEL(divide)(PARAMETERS(SORT_ALONE_ARGUMENTS)) {
  RANGES_TILE();
  RANGES_FIND();
  scanrt_u32 starts[RANGES_MOST + 1], place[RANGES_MOST];
  const scanrt_u32 kind = (scanrt_u32)words[RANGES_WORD_KIND], holds = scanrt_ranges_hold(words, GROUPS());
  const scanrt_u32 end = first + items, is_spare = (flags & SORT_IN_PLACE) != 0;
  const scanrt_u32 is_done = holds || kind == RANGES_BYTES || ((scanrt_u64)order.bits < RANGES_MOST && !is_spare);
  GLOBAL KEY_T *out_keys = (GLOBAL KEY_T *)MEMORY(out), *spare_keys = (GLOBAL KEY_T *)MEMORY(keys_spare);
  GLOBAL KEY_T *keys_to = is_spare ? spare_keys : out_keys;
  (void)MEMORY(values_in), (void)MEMORY(values_out), (void)MEMORY(values_spare), (void)MEMORY(n_overflow), (void)pass;
#if HAS_VALUES
  const scanrt_u32 makes_indices = (flags & SORT_INDICES) != 0;
  GLOBAL const scanrt_sort_value *values = (GLOBAL const scanrt_sort_value *)MEMORY(values_in);
  GLOBAL scanrt_sort_value *out_values = (GLOBAL scanrt_sort_value *)MEMORY(values_out);
  GLOBAL scanrt_sort_value *values_to = is_spare ? (GLOBAL scanrt_sort_value *)MEMORY(values_spare) : out_values;
#endif
  if (GROUP() == 0) words[RANGES_WORD_LEFT] = is_done ? 0 : RANGES_MOST;
  if (holds && kind == RANGES_RISE) {
    RANGES_COPY(KEY_T, out_keys + first, keys + first, items)
#if HAS_VALUES
    if (makes_indices) {
      for (scanrt_u32 i = first; i < end; i++) out_values[i] = i;
    } else {
      RANGES_COPY(scanrt_sort_value, out_values + first, values + first, items)
    }
#endif
    return;
  }
  if (holds && kind == RANGES_FALL) {
    RANGES_REVERSE(KEY_T, out_keys, keys, all, first, end)
#if HAS_VALUES
    if (makes_indices) {
      for (scanrt_u32 i = first; i < end; i++) out_values[i] = all - 1 - i;
    } else {
      RANGES_REVERSE(scanrt_sort_value, out_values, values, all, first, end)
    }
#endif
    return;
  }
  if (!HAS_VALUES && (holds || kind == RANGES_BYTES)) {
    const scanrt_u32 ranges = holds ? (scanrt_u32)words[RANGES_WORD_VALUE_COUNT] : RANGES_MOST;
    scanrt_ranges_places((GLOBAL const scanrt_u32 *)MEMORY(workspace), 0, GROUPS(), ranges, starts, place);
    for (scanrt_u32 r = 0; r < ranges; r++) {
      const scanrt_u32 from = starts[r] > first ? starts[r] : first, stop = starts[r + 1] < end ? starts[r + 1] : end;
      const KEY_T key = holds ? (KEY_T)words[RANGES_WORD_VALUES + r] : RANGES_KEY(r, order);
      for (scanrt_u32 i = from; i < stop; i++) out_keys[i] = key;
    }
    return;
  }
  scanrt_ranges_places((GLOBAL const scanrt_u32 *)MEMORY(workspace), GROUP(), GROUPS(), RANGES_MOST, starts, place);
  if (GROUP() == 0)
    for (scanrt_u32 r = 0; r <= RANGES_MOST; r++) words[RANGES_WORD_STARTS + r] = starts[r];
  for (scanrt_u32 i = first; i < end; i += STEPS_BLOCK) {
    scanrt_u32 step[STEPS_BLOCK];
    KEY_T flipped[STEPS_BLOCK];
    const scanrt_u32 block = end - i < STEPS_BLOCK ? end - i : STEPS_BLOCK;
    scanrt_ranges_steps(keys + i, block, low, shift, order, step);
    for (scanrt_u32 j = 0; j < block; j++) flipped[j] = is_done ? keys[i + j] : RANGES_FLIP(keys[i + j], order);
    _Pragma("unroll 4") for (scanrt_u32 j = 0; j < block; j++) {
      const scanrt_u32 at = place[map[step[j]]]++;
      keys_to[at] = flipped[j];
#if HAS_VALUES
      values_to[at] = makes_indices ? i + j : values[i + j];
#endif
    }
  }
}

/* Sets the work-item's own memory; returns the most keys of a range that it has room for. */
FUNC scanrt_u32 scanrt_ranges_own(scanrt_ranges_part *part, GLOBAL scanrt_u8 *memory, scanrt_u64 n) {
  const scanrt_u32 each = KEY_BYTES + HAS_VALUES * sizeof(scanrt_sort_value);
  const scanrt_u32 most = (scanrt_u32)RANGES_OWN_ITEMS(n, each);
  memory += GROUP() * RANGES_OWN_BYTES(n, each);
#if HAS_VALUES
  part->values[2] = (GLOBAL scanrt_sort_value *)memory;
  part->values[3] = part->values[2] + most;
  memory += (scanrt_u64)most * 2 * sizeof(scanrt_sort_value);
#endif
  part->keys[2] = (GLOBAL KEY_T *)memory;
  part->keys[3] = part->keys[2] + most;
  return most;
}

SORT_KERNEL(finish)(PARAMETERS(SORT_ALONE_ARGUMENTS)) {
  GLOBAL scanrt_u64 *words = (GLOBAL scanrt_u64 *)MEMORY(digits);
  const scanrt_ranges_order order = RANGES_ORDER();
  const scanrt_u32 left = (scanrt_u32)words[RANGES_WORD_LEFT];
  scanrt_ranges_part part;
  (void)MEMORY(in), (void)MEMORY(n_from), (void)MEMORY(n_overflow), (void)MEMORY(values_in);
  (void)MEMORY(values_out), (void)MEMORY(values_spare), (void)tile_items, (void)pass;
  if (left == 0) return;
  const scanrt_u32 own_items = scanrt_ranges_own(&part, MEMORY(workspace), n);
  for (;;) {
    const scanrt_u32 r = ATOMIC_ADD((GLOBAL scanrt_u32 *)(words + RANGES_WORD_TICKET), 1u);
    if (r >= left) return;
    const scanrt_u64 begin = words[RANGES_WORD_STARTS + r];
    part.n = (scanrt_u32)(words[RANGES_WORD_STARTS + r + 1] - begin);
    if (part.n == 0) continue;
    part.at = (flags & SORT_IN_PLACE) != 0;
    part.next = part.n <= own_items ? 2 : 1 - part.at;
    part.keys[0] = (GLOBAL KEY_T *)MEMORY(out) + begin;
    part.keys[1] = (GLOBAL KEY_T *)MEMORY(keys_spare) + begin;
#if HAS_VALUES
    part.values[0] = (GLOBAL scanrt_sort_value *)MEMORY(values_out) + begin;
    part.values[1] = (GLOBAL scanrt_sort_value *)MEMORY(values_spare) + begin;
#endif
    scanrt_ranges_sort(&part, order);
  }
}
