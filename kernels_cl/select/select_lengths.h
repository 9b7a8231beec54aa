/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths of runs whose first elements are kept, from bits and places alone; part of select.cl. A tile writes the
 * length of each run that ends where one of its elements begins the next run. The tile with the last set bit also
 * writes that of the last run. So lengths are complete for any capacity, and no work-group reads what another one
 * writes. */
#ifndef SCANRT_CL_SELECT_LENGTHS_H
#define SCANRT_CL_SELECT_LENGTHS_H

/* Returns the tile with the kept element of rank `rank`, which is the last one before `tile`. */
FUNC scanrt_u32 scanrt_select_tile_of(GLOBAL const scanrt_u64 *places, scanrt_u32 tile, scanrt_u64 rank) {
  scanrt_u32 low = 0, high = tile; /* places[low] <= rank < places[high] */
  if (tile > 0 && places[tile - 1] <= rank) low = tile - 1;
  while (high - low > 1) {
    const scanrt_u32 middle = low + (high - low) / 2;
    if (places[middle] <= rank)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Declares a tile, the place of its first kept element and the number of its kept elements. `runs` is the number of all
 * runs, the last of which ends at n. */
#define OPEN_LENGTHS()                                                                                                 \
  const scanrt_u64 all = SELECT_N(), first = (scanrt_u64)GROUP() * TILE_ITEMS;                                         \
  GLOBAL ELEMENT_T *lengths = (GLOBAL ELEMENT_T *)MEMORY(out);                                                         \
  GLOBAL const scanrt_u32 *bits = (GLOBAL const scanrt_u32 *)MEMORY(segment_flags);                                    \
  GLOBAL const scanrt_u64 *places = (GLOBAL const scanrt_u64 *)MEMORY(workspace);                                      \
  const scanrt_u32 items = scanrt_select_items(first, all);                                                            \
  const scanrt_u64 place = items == 0 ? 0 : places[GROUP()];                                                           \
  const scanrt_u64 runs = places[SELECT_TILES(all)];                                                                   \
  const scanrt_u32 count = items == 0 ? 0 : (scanrt_u32)(places[GROUP() + 1] - place);                                 \
  const scanrt_u32 before = place == 0 ? 0 : scanrt_select_tile_of(places, GROUP(), place - 1);                        \
  GLOBAL const scanrt_u32 *before_words = bits + (scanrt_u64)before * TILE_WORDS;                                      \
  const scanrt_u64 before_first = (scanrt_u64)before * TILE_ITEMS;                                                     \
  GLOBAL const scanrt_u32 *words = bits + first / 32;                                                                  \
  const int has_last = count > 0 && place + count == runs && runs - 1 < capacity

#if SCAN_GROUP_ITEMS == 1
/* Writes the lengths of the runs that end at the set bits of a word, which begins with element i. *start is the first
 * element of the run before the next set bit, *at that bit's place. */
FUNC void scanrt_select_lengths_of(GLOBAL ELEMENT_T *lengths, scanrt_u64 i, scanrt_u32 word, scanrt_u64 capacity,
                                   scanrt_u64 *start, scanrt_u64 *at) {
  scanrt_u64 from = *start, to = *at;
  for (; word != 0 && to <= capacity; word &= word - 1, to++) {
    const scanrt_u64 next = i + LOW_BIT(word);
    lengths[to - 1] = (ELEMENT_T)(next - from);
    from = next;
  }
  *start = from;
  *at = to;
}

/* Writes the lengths for a word whose bits are all set: all runs but the first have one element. */
FUNC void scanrt_select_lengths_of_1(GLOBAL ELEMENT_T *lengths, scanrt_u64 i, scanrt_u64 *start, scanrt_u64 *at) {
  GLOBAL ELEMENT_T *to = lengths + (*at - 1);
  to[0] = (ELEMENT_T)(i - *start);
  UNROLL
  for (scanrt_u32 k = 1; k < 32; k++) to[k] = 1;
  *start = i + 31;
  *at += 32;
}

KERNEL(select_lengths)(PARAMETERS(SELECT_LENGTHS_ARGUMENTS)) {
  OPEN_LENGTHS();
  scanrt_u64 start = 0, at = place;
  scanrt_u32 w = 0;
  if (place > 0 && count > 0) {
    scanrt_u32 last = TILE_WORDS - 1;
    while (before_words[last] == 0) last--;
    start = before_first + last * 32 + HIGH_BIT(before_words[last]);
  } else if (count > 0) { /* the first run of all begins with element 0, and ends none */
    at = 1;
    scanrt_select_lengths_of(lengths, first, scanrt_select_word(words, w++, items) & ~1u, capacity, &start, &at);
  }
  for (; count > 0 && w * 32 < items; w++) {
    const scanrt_u32 word = scanrt_select_word(words, w, items);
    if (word == ~0u && at + 31 <= capacity)
      scanrt_select_lengths_of_1(lengths, first + w * 32, &start, &at);
    else
      scanrt_select_lengths_of(lengths, first + w * 32, word, capacity, &start, &at);
  }
  if (has_last) lengths[runs - 1] = (ELEMENT_T)(all - start);
}
#else
/* Returns the largest of the work-items' numbers; `most` may be used again afterwards. */
FUNC scanrt_u32 scanrt_select_most(scanrt_u32 own, LOCAL scanrt_u32 *most) {
  most[ITEM()] = own;
  BARRIER();
  for (scanrt_u32 apart = SCAN_GROUP_ITEMS / 2; apart > 0; apart /= 2) {
    if (ITEM() < apart && most[ITEM() + apart] > most[ITEM()]) most[ITEM()] = most[ITEM() + apart];
    BARRIER();
  }
  const scanrt_u32 found = most[0];
  BARRIER();
  return found;
}

/* Returns the index of the last set bit of a tile; 0 if none is set. */
FUNC scanrt_u32 scanrt_select_last_bit(GLOBAL const scanrt_u32 *words, scanrt_u32 items, LOCAL scanrt_u32 *most) {
  scanrt_u32 own = 0;
  for (scanrt_u32 w = ITEM(); w < TILE_WORDS; w += SCAN_GROUP_ITEMS) {
    const scanrt_u32 word = scanrt_select_word(words, w, items);
    if (word != 0) own = w * 32 + HIGH_BIT(word);
  }
  return scanrt_select_most(own, most);
}

KERNEL(select_lengths)(PARAMETERS(SELECT_LENGTHS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_select_list, list, 1);
  LOCAL_ARRAY(scanrt_u32, most, SCAN_GROUP_ITEMS);
  OPEN_LENGTHS();
  const scanrt_u64 start = before_first + scanrt_select_last_bit(before_words, place == 0 ? 0 : TILE_ITEMS, most);
  scanrt_select_order(words, items, list);
  LOCAL const scanrt_u16 *element = list->element;
  for (scanrt_u32 r = ITEM(); r < count; r += SCAN_GROUP_ITEMS) {
    const scanrt_u64 to = place + r, from = r > 0 ? first + element[r - 1] : start;
    if (to > 0 && to - 1 < capacity) lengths[to - 1] = (ELEMENT_T)(first + element[r] - from);
  }
  if (ITEM() == 0 && has_last) lengths[runs - 1] = (ELEMENT_T)(all - (first + element[count - 1]));
}
#endif
#endif
