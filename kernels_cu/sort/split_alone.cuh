/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits few keys in one launch. Work-groups neither share memory nor wait for one another: each counts the digits of
 * all keys, and of those before its own, and moves its own `tile_items` keys. Only a single work-group may write over
 * its input.
 *
 *   rank    a key's rank is the number of own keys of its digit before it: warps count theirs by votes
 *   count   each key adds to one of the counters of its digit, which lanes share by twos
 *   starts  sums over the counters give where a digit begins, and where its first own key goes
 *   move    each own key, and its value, goes to its digit's place and its rank
 *
 * The result depends on sums alone, not on the order of atomic additions. */
#include "sort/sort_ranks.h"

#define SPLIT_COPIES 16                      /* counters of a digit */
#define SPLIT_KEYS (KEY_BYTES == 8 ? 8 : 16) /* keys of a work-item that are loaded at once */
#define SPLIT_FEW 4                          /* and if a work-item has no more */
#define SPLIT_WARPS (SCAN_GROUP_ITEMS / 32)
#define SPLIT_STRIDE (SORT_DIGITS + 8) /* counts of a warp: those of one digit lie in different banks */
/* A counter's low half counts all keys, and its high half those before the work-group's own. */
#define SPLIT_BEFORE 0x10001u
#if SPLIT_ALONE_MOST / SPLIT_COPIES > 0xffff
#error "half a counter has 16 bits"
#endif
#if SCAN_GROUP_ITEMS != 4 * SORT_DIGITS || SPLIT_COPIES != 16
#error "four work-items have a digit, and 16 bytes of counters each"
#endif

typedef struct scanrt_split_counts {
  uint4 all[SORT_DIGITS * SPLIT_COPIES / 4]; /* counters, the copies of a digit side by side */
  uint4 own[SPLIT_WARPS * SPLIT_STRIDE / 8]; /* for each warp and digit the own keys, 2 bytes; then those before */
  scanrt_u32 sums[SPLIT_WARPS], starts[SORT_DIGITS];
} scanrt_split_counts;

/* Clears the counters, of own keys those of 4 * `fours` warps. */
FUNC void scanrt_split_clear(scanrt_split_counts *counts, scanrt_u32 fours) {
  const uint4 none = make_uint4(0, 0, 0, 0);
  counts->all[ITEM()] = none;
  for (scanrt_u32 i = ITEM(); i < fours * (4 * SPLIT_STRIDE / 8); i += SCAN_GROUP_ITEMS) counts->own[i] = none;
}

/* Returns the number of the warp's own keys of the digit before the lane's; stores the warp's counts. */
FUNC scanrt_u32 scanrt_split_rank(scanrt_u16 *warp_counts, scanrt_u32 digit, bool has_key) {
  const scanrt_u32 lane = ITEM() % 32, alike = WARP_BALLOT(has_key) & scanrt_sort_alike(digit);
  const scanrt_u32 rank = BITS_SET(alike & ((1u << lane) - 1));
  if (has_key && rank == 0) warp_counts[digit] = (scanrt_u16)BITS_SET(alike);
  return rank;
}

/* Loads KEYS keys from `row` on, one in SCAN_GROUP_ITEMS. */
template <int KEYS> FUNC void scanrt_split_load(KEY_T *next, const KEY_T *keys, scanrt_u32 row, scanrt_u32 all) {
  UNROLL
  for (int u = 0; u < KEYS; u++) {
    const scanrt_u32 i = row + u * SCAN_GROUP_ITEMS + ITEM();
    next[u] = i < all ? keys[i] : 0;
  }
}

/* Counts all keys, KEYS of a work-item at once; `next` has the first ones. */
template <int KEYS> FUNC void scanrt_split_count(scanrt_u32 *counters, KEY_T *next, const KEY_T *keys, scanrt_u32 first,
                                                 scanrt_u32 all, scanrt_sort_order order) {
  const scanrt_u32 step = KEYS * SCAN_GROUP_ITEMS;
  NO_UNROLL
  for (scanrt_u32 row = 0; row < all; row += step) {
    KEY_T key[KEYS];
    UNROLL
    for (int u = 0; u < KEYS; u++) key[u] = next[u];
    if (KEYS > SPLIT_FEW && row + step < all) scanrt_split_load<KEYS>(next, keys, row + step, all);
    UNROLL
    for (int u = 0; u < KEYS; u++) {
      const scanrt_u32 i = row + u * SCAN_GROUP_ITEMS + ITEM();
      if (i < all)
        ATOMIC_ADD_LOCAL(counters + scanrt_sort_digit(key[u], order) * SPLIT_COPIES + ITEM() % SPLIT_COPIES,
                         i < first ? SPLIT_BEFORE : 1u);
    }
  }
}

/* Returns the sum over the lanes before this one, in runs of four lanes. */
FUNC scanrt_u32 scanrt_split_four_before(scanrt_u32 own) {
  scanrt_u32 sum = own, other = scanrt_shuffle_up_u32(sum, 1);
  if (ITEM() % 4 >= 1) sum += other;
  other = scanrt_shuffle_up_u32(sum, 2);
  if (ITEM() % 4 >= 2) sum += other;
  return sum - own;
}
/* Returns the sum over four lanes side by side. */
FUNC scanrt_u32 scanrt_split_four(scanrt_u32 own) {
  own += scanrt_shuffle_xor_u32(own, 1);
  return own + scanrt_shuffle_xor_u32(own, 2);
}

/* Turns 4 * `fours` warps' counts of the work-item's digit into those of the warps before, with four work-items a
 * digit. */
FUNC void scanrt_split_sum_warps(scanrt_u16 *own, scanrt_u32 fours) {
  const scanrt_u32 from = ITEM() % 4 * fours;
  scanrt_u16 *counts = own + ITEM() / 4;
  scanrt_u32 sum = 0;
  NO_UNROLL
  for (scanrt_u32 w = from; w < from + fours; w++) sum += counts[w * SPLIT_STRIDE];
  sum = scanrt_split_four_before(sum);
  NO_UNROLL
  for (scanrt_u32 w = from; w < from + fours; w++) {
    const scanrt_u32 count = counts[w * SPLIT_STRIDE];
    counts[w * SPLIT_STRIDE] = (scanrt_u16)sum;
    sum += count;
  }
}

extern "C" __global__ void __launch_bounds__(SCAN_GROUP_ITEMS, 1)
    KERNEL_NAME(split_alone, SCAN_SUFFIX)(PARAMETERS(SPLIT_ALONE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_split_counts, counts, 1);
  scanrt_u16 *own_counts = (scanrt_u16 *)counts->own, *warp_counts = own_counts + ITEM() / 32 * SPLIT_STRIDE;
  const KEY_T *keys = (const KEY_T *)MEMORY(in);
  const scanrt_u32 all = (scanrt_u32)SORT_N(), first = GROUP() * tile_items;
  const scanrt_u32 own = scanrt_sort_items(first, all, tile_items), fours = (own + 127) / 128;
  const scanrt_sort_order order = scanrt_sort_order_of(flags, first_bit, end_bit, 0);
  const bool has_key = ITEM() < own, has_values = (flags & SORT_VALUES) != 0;
  const bool is_wide = (flags & SORT_WIDE_VALUES) != 0;
  const bool has_few = all <= SPLIT_FEW * SCAN_GROUP_ITEMS;
  NOTE_N_OVERFLOW();
  if (own == 0 && GROUP() != 0) return;

  KEY_T next[SPLIT_KEYS];
  const KEY_T key = has_key ? keys[first + ITEM()] : 0;
  scanrt_u64 value = first + ITEM();
  if (has_few)
    scanrt_split_load<SPLIT_FEW>(next, keys, 0, all);
  else
    scanrt_split_load<SPLIT_KEYS>(next, keys, 0, all);
  if (has_key && has_values && (flags & SORT_INDICES) == 0)
    value = is_wide ? ((const scanrt_u64 *)MEMORY(values_in))[value] : ((const scanrt_u32 *)MEMORY(values_in))[value];
  scanrt_split_clear(counts, fours);
  BARRIER();

  const scanrt_u32 digit = scanrt_sort_digit(key, order), rank = scanrt_split_rank(warp_counts, digit, has_key);
  if (has_few)
    scanrt_split_count<SPLIT_FEW>((scanrt_u32 *)counts->all, next, keys, first, all, order);
  else
    scanrt_split_count<SPLIT_KEYS>((scanrt_u32 *)counts->all, next, keys, first, all, order);
  BARRIER();

  const uint4 both = counts->all[ITEM()];
  const scanrt_u32 of_digit =
      scanrt_split_four((both.x & 0xffff) + (both.y & 0xffff) + (both.z & 0xffff) + (both.w & 0xffff));
  const scanrt_u32 before = scanrt_split_four((both.x >> 16) + (both.y >> 16) + (both.z >> 16) + (both.w >> 16));
  scanrt_split_sum_warps(own_counts, fours);
  const scanrt_u32 begin = scanrt_sort_sum_before(counts->sums, ITEM() % 4 == 0 ? of_digit : 0);
  if (ITEM() % 4 == 0) {
    counts->starts[ITEM() / 4] = begin + before;
    if (GROUP() == 0) scanrt_sort_set_bin((scanrt_u64 *)MEMORY(bins), ITEM() / 4, begin, of_digit, all, buckets, flags);
  }
  BARRIER();

  if (!has_key) return;
  const scanrt_u32 to = counts->starts[digit] + warp_counts[digit] + rank;
  ((KEY_T *)MEMORY(out))[to] = key;
  if (!has_values) return;
  if (is_wide)
    ((scanrt_u64 *)MEMORY(values_out))[to] = value;
  else
    ((scanrt_u32 *)MEMORY(values_out))[to] = (scanrt_u32)value;
}
