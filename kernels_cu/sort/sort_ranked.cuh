/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts few keys in one launch. Work-groups neither share memory nor wait for one another: each reads all keys and
 * writes its own, SORT_RANKED_OWN consecutive ones, to their ranks. No output may be an input.
 *
 *   order   warps vote on how many of the own keys precede each own key, and store these in order
 *   count   each other key finds its place among the own ones by halving, and is counted there
 *   write   an own key's rank is its rank among the own keys and the counts up to it
 *
 * The result depends on sums alone, not on the order of atomic additions.
 *
 * With RANKED_SEGMENTS 1 the keys of each segment are sorted by themselves (sort_ranked_segments.cuh). A work-group
 * reads the keys from the begin of its first own key's segment to the end of its last one's. It loads keys around its
 * own ones before it knows their segments. */
#include "sort/sort_move.h"
#if RANKED_SEGMENTS
#include "sort/sort_segments_table.h"
#endif

#define RANKED_WARPS (SCAN_GROUP_ITEMS / 32)
#define RANKED_EACH (SORT_RANKED_OWN / RANKED_WARPS)  /* own keys that a warp ranks */
#define RANKED_CHUNKS (SORT_RANKED_OWN / 32)          /* warps that have the own keys, a lane each */
#define RANKED_ROWS SORT_RANKED_KEYS(RANKED_SEGMENTS) /* keys of a work-item that are looked up at once */
#define RANKED_KEYS (RANKED_ROWS * SCAN_GROUP_ITEMS)
#if SORT_RANKED_OWN % RANKED_WARPS != 0 || SORT_RANKED_OWN > SCAN_GROUP_ITEMS
#error "each warp ranks as many own keys, and each own key has a work-item"
#endif
/* In shared memory, own keys in order, as integers of it, and pads behind them, which are the largest integer; then for
 * each the number of other keys that precede it and none before it, and a number that is not used. */
#define RANKED_AT_COUNTS SORT_RANKED_AT_COUNTS(KEY_BYTES, SORT_RANKED_OWN)
#define RANKED_AT_BEGINS SORT_RANKED_AT_BEGINS(KEY_BYTES, SORT_RANKED_OWN)

/* An integer of the keys' order. */
#if KEY_BYTES == 8
#define RANK_T scanrt_u64
#else
#define RANK_T scanrt_u32
#endif
#define RANK_BYTES ((scanrt_u32)sizeof(RANK_T))
#define RANK_ALL ((RANK_T) ~(RANK_T)0)

/* The keys, and how they compare. */
typedef struct scanrt_ranked_keys {
  const KEY_T *keys;
  scanrt_sort_order order;
  KEY_T bits;            /* those of a key as an integer of its order that are sorted by */
  scanrt_u32 first, own; /* the work-group's first key, and its number of own keys */
  scanrt_u32 begin, end; /* of the keys that are read */
#if RANKED_SEGMENTS
  scanrt_u32 begins[RANKED_CHUNKS]; /* a bit for each own key, behind the first one, where a segment begins or ends */
  scanrt_u32 first_end, last_begin; /* of the segments of the first and the last own key, among the own keys */
#endif
} scanrt_ranked_keys;

FUNC RANK_T scanrt_ranked_ordered(KEY_T key, const scanrt_ranked_keys &from) {
  return (KEY_T)(scanrt_sort_ordered(key, from.order) & from.bits);
}

FUNC scanrt_u32 scanrt_ranked_lane(scanrt_u32 x, scanrt_u32 lane) { return scanrt_shuffle_from_u32(x, lane); }
FUNC scanrt_u64 scanrt_ranked_lane(scanrt_u64 x, scanrt_u32 lane) {
  const scanrt_u32 low = scanrt_shuffle_from_u32((scanrt_u32)x, lane);
  return (scanrt_u64)scanrt_shuffle_from_u32((scanrt_u32)(x >> 32), lane) << 32 | low;
}
FUNC void scanrt_ranked_get(scanrt_u32 at, scanrt_u32 *x) { *x = scanrt_shared_u32(at); }
FUNC void scanrt_ranked_get(scanrt_u32 at, scanrt_u64 *x) { *x = scanrt_shared_u64(at); }
FUNC void scanrt_ranked_put(scanrt_u32 at, scanrt_u32 x) { scanrt_shared_set_u32(at, x); }
FUNC void scanrt_ranked_put(scanrt_u32 at, scanrt_u64 x) { scanrt_shared_set_u64(at, x); }

/* Loads the own keys, a warp's worth at a time. */
FUNC void scanrt_ranked_load_own(KEY_T *own, const scanrt_ranked_keys &from) {
  UNROLL
  for (int c = 0; c < RANKED_CHUNKS; c++) {
    const scanrt_u32 i = c * 32 + ITEM() % 32;
    own[c] = i < from.own ? from.keys[from.first + i] : 0;
  }
}
/* Loads rows of keys, which begin with key `row`. */
FUNC void scanrt_ranked_load_rows(KEY_T *keys, scanrt_u32 row, const scanrt_ranked_keys &from) {
  UNROLL
  for (int u = 0; u < RANKED_ROWS; u++) {
    const scanrt_u32 i = row + u * SCAN_GROUP_ITEMS + ITEM();
    keys[u] = i < from.end ? from.keys[i] : 0;
  }
}

#if RANKED_SEGMENTS
#include "sort/sort_ranked_segments.cuh"
#else
/* Returns 1 if own key i precedes own key j, of value x. */
FUNC bool scanrt_ranked_precedes(RANK_T own, scanrt_u32 i, RANK_T x, scanrt_u32 j, const scanrt_ranked_keys &from) {
  return (own < x) | ((own == x) & (i < j));
}
/* Returns 1 if own key i of the order precedes a key that is looked up. is_after: 1 if that key lies behind the own
 * ones. */
FUNC bool scanrt_ranked_is_less(RANK_T own, scanrt_u32 i, RANK_T above, bool is_after, const scanrt_ranked_keys &from) {
  return own < above;
}
/* Returns 1 if a key that is looked up does not follow all own ones, of which `last` is the last. */
FUNC bool scanrt_ranked_is_within(RANK_T last, RANK_T above, bool is_after, const scanrt_ranked_keys &from) {
  return above <= last;
}
#endif

#if KEY_BYTES == 1 && !RANKED_SEGMENTS
#include "sort/sort_counted.cuh"
#endif

/* Returns how many own keys precede the lane's, which is own key `first` + lane; lanes below RANKED_EACH have keys. */
FUNC scanrt_u32 scanrt_ranked_vote(RANK_T key, const RANK_T *own, scanrt_u32 first, const scanrt_ranked_keys &from) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_u32 rank = 0;
  UNROLL
  for (int s = 0; s < RANKED_EACH; s++) {
    const RANK_T x = scanrt_ranked_lane(key, s);
    scanrt_u32 before = 0;
    UNROLL
    for (int c = 0; c < RANKED_CHUNKS; c++) {
      const scanrt_u32 i = c * 32 + lane;
      before += BITS_SET(WARP_BALLOT((i < from.own) & scanrt_ranked_precedes(own[c], i, x, first + s, from)));
    }
    if (lane == s) rank = before;
  }
  return rank;
}

/* Counts rows of keys, which begin with key `row`, among the own ones. A last count takes the keys that follow all own
 * ones, and those that are own ones themselves. */
FUNC void scanrt_ranked_count(scanrt_u32 base, const KEY_T *keys, scanrt_u32 row, const scanrt_ranked_keys &from) {
  RANK_T above[RANKED_ROWS], last; /* own keys less than `above` precede the key */
  scanrt_u32 at[RANKED_ROWS];
  bool is_after[RANKED_ROWS], is_counted[RANKED_ROWS];
  scanrt_ranked_get(base + (SORT_RANKED_OWN - 1) * RANK_BYTES, &last);
  UNROLL
  for (int u = 0; u < RANKED_ROWS; u++) {
    const scanrt_u32 i = row + u * SCAN_GROUP_ITEMS + ITEM();
    is_after[u] = i >= from.first;
    above[u] = scanrt_ranked_ordered(keys[u], from) + is_after[u]; /* 0 if that would be too large */
    is_counted[u] = (i >= from.begin) & (i < from.end) & (i - from.first >= SORT_RANKED_OWN) &
                    (above[u] >= is_after[u]) & scanrt_ranked_is_within(last, above[u], is_after[u], from);
    at[u] = base;
  }
  UNROLL
  for (int half = SORT_RANKED_OWN / 2; half > 0; half /= 2) {
    RANK_T own[RANKED_ROWS];
    UNROLL
    for (int u = 0; u < RANKED_ROWS; u++) scanrt_ranked_get(at[u] + (half - 1) * RANK_BYTES, &own[u]);
    UNROLL
    for (int u = 0; u < RANKED_ROWS; u++)
      if (scanrt_ranked_is_less(own[u], (at[u] - base) / RANK_BYTES + half - 1, above[u], is_after[u], from))
        at[u] += half * RANK_BYTES;
  }
  UNROLL
  for (int u = 0; u < RANKED_ROWS; u++) {
    const scanrt_u32 count = base + RANKED_AT_COUNTS + (at[u] - base) / (RANK_BYTES / 4);
    scanrt_shared_count(is_counted[u] ? count : base + RANKED_AT_COUNTS + SORT_RANKED_OWN * 4);
  }
}

/* Replaces counts by their running sums, which begin anew after 32. */
FUNC void scanrt_ranked_sum(scanrt_u32 counts) {
  const scanrt_u32 lane = ITEM() % 32, at = counts + ITEM() * 4;
  if (ITEM() >= SORT_RANKED_OWN) return; /* for all lanes of a warp, or for none */
  scanrt_u32 sum = scanrt_shared_u32(at);
  UNROLL
  for (int d = 1; d < 32; d *= 2) {
    const scanrt_u32 other = scanrt_shuffle_up_u32(sum, d);
    if (lane >= d) sum += other;
  }
  scanrt_shared_set_u32(at, sum);
}

/* RANKED_GROUPS: work-groups a multiprocessor. RANKED_AROUND: keys before the own ones that are loaded with them. */
#if RANKED_SEGMENTS
#define RANKED_ARGUMENTS SORT_SEGMENTS_ARGUMENTS
#define RANKED_GROUPS 2
#define RANKED_AROUND ((RANKED_KEYS - SORT_RANKED_OWN) / 2)
#else
#define RANKED_ARGUMENTS SORT_ALONE_ARGUMENTS
#define RANKED_GROUPS 1
#endif

extern "C" __global__ void __launch_bounds__(SCAN_GROUP_ITEMS, RANKED_GROUPS)
    KERNEL_NAME(SORT_NAME(ranked), SCAN_SUFFIX)(PARAMETERS(RANKED_ARGUMENTS)) {
  DYNAMIC_SHARED(shared);
  const scanrt_u32 base = scanrt_shared_address(shared), counts = base + RANKED_AT_COUNTS;
  const scanrt_u32 lane = ITEM() % 32, mine = ITEM() / 32 * RANKED_EACH + lane;
  const scanrt_sort_route whole = { 1, 1, 1, PLACE_IN, PLACE_OUT };
  const scanrt_sort_ends ends = SORT_ENDS(whole, 0);
  const scanrt_u64 all = SORT_N();
  scanrt_ranked_keys from;
  RANK_T ordered_own[RANKED_CHUNKS];
  KEY_T own[RANKED_CHUNKS], rows[RANKED_ROWS], next[RANKED_ROWS];
  NOTE_N_OVERFLOW();
  (void)MEMORY(keys_spare), (void)MEMORY(digits), (void)MEMORY(workspace), (void)MEMORY(values_spare);
  (void)tile_items, (void)pass;
  from.keys = (const KEY_T *)MEMORY(in);
  from.order = scanrt_sort_order_of(flags, first_bit, end_bit, 0);
  from.bits = KEY_BITS(first_bit, end_bit);
  from.first = GROUP() * SORT_RANKED_OWN;
  from.own = scanrt_sort_items(from.first, all, SORT_RANKED_OWN);
  from.begin = 0;
  from.end = (scanrt_u32)all;
  if (from.own == 0) return;
#if KEY_BYTES == 1 && !RANKED_SEGMENTS
  if (ends.value_bytes == 0 && from.bits == KEY_ALL && from.end >= SORT_COUNTED_LEAST) {
    scanrt_counted_sort(base, ends.to, from);
    return;
  }
#endif

  const bool has_key = lane < RANKED_EACH && mine < from.own;
  const KEY_T key = has_key ? from.keys[from.first + mine] : 0;
  scanrt_u64 value = from.first + mine;
  scanrt_u32 first_row = 0;
  scanrt_ranked_load_own(own, from);
#if RANKED_SEGMENTS
  (void)step_items, (void)tiles, (void)part_tiles, (void)part;
  if (from.first > RANKED_AROUND) first_row = from.first - RANKED_AROUND;
#endif
  scanrt_ranked_load_rows(next, first_row, from);
  if (has_key && ends.value_bytes != 0 && !ends.makes_indices)
    value = ends.value_bytes == 8 ? ((const scanrt_u64 *)ends.values)[from.first + mine]
                                  : ((const scanrt_u32 *)ends.values)[from.first + mine];
#if RANKED_SEGMENTS
  scanrt_ranked_find(&from, (scanrt_u32 *)(shared + RANKED_AT_BEGINS), MEMORY(marks), count, all, flags);
  if (from.begin < first_row) {
    first_row = from.begin;
    scanrt_ranked_load_rows(next, first_row, from);
  }
#endif
  UNROLL
  for (int c = 0; c < RANKED_CHUNKS; c++) ordered_own[c] = scanrt_ranked_ordered(own[c], from);
  const RANK_T ordered = scanrt_ranked_ordered(key, from);
  const scanrt_u32 rank = scanrt_ranked_vote(ordered, ordered_own, mine - lane, from);
  if (has_key) scanrt_ranked_put(base + rank * RANK_BYTES, ordered);
  if (ITEM() < SORT_RANKED_OWN) {
    scanrt_shared_set_u32(counts + ITEM() * 4, 0);
    if (ITEM() >= from.own) scanrt_ranked_put(base + ITEM() * RANK_BYTES, RANK_ALL);
  }
  BARRIER();

  NO_UNROLL
  for (scanrt_u32 row = first_row; row < from.end; row += RANKED_KEYS) {
    UNROLL
    for (int u = 0; u < RANKED_ROWS; u++) rows[u] = next[u];
    if (row + RANKED_KEYS < from.end) scanrt_ranked_load_rows(next, row + RANKED_KEYS, from);
    scanrt_ranked_count(base, rows, row, from);
  }
  BARRIER();
  scanrt_ranked_sum(counts);
  BARRIER();

  if (!has_key) return;
#if RANKED_SEGMENTS
  if (from.first + mine < OFFSET(0) || from.first + mine >= OFFSET(count)) return;
#endif
  scanrt_u32 to = from.begin + rank + scanrt_shared_u32(counts + rank * 4);
  UNROLL
  for (int c = 1; c < RANKED_CHUNKS; c++)
    if (rank >= c * 32) to += scanrt_shared_u32(counts + (c * 32 - 1) * 4);
  ends.to[to] = key;
  if (ends.value_bytes == 8)
    ((scanrt_u64 *)ends.values_to)[to] = value;
  else if (ends.value_bytes == 4)
    ((scanrt_u32 *)ends.values_to)[to] = (scanrt_u32)value;
}
