/* SPDX-License-Identifier: BSD-2-Clause */
/* A segmented reduction that reads the values once, by single work-items. segment_item_totals folds the segments of
 * consecutive tiles and stores the results of those that begin and end in one. At most one segment ends in a tile
 * without beginning there: what precedes the vector of its last element within the tile goes to the workspace, behind
 * the tiles' aggregates, and its number to `places`. segment_item_finish walks over the tiles and stores the results of
 * these segments. */
#include "scan/segment_item.h"

/* Average length of segments from which all vectors of a sub-tile are folded at once. */
#define LONG_ITEMS 32

/* The segments, and where their results go. */
typedef struct scanrt_item_spans {
  GLOBAL const scanrt_u8 *begins, *ends;
  GLOBAL scanrt_output_t *to;
  scanrt_u64 count, n;
  scanrt_u32 flags, has_holes;
} scanrt_item_spans;
#define BEGIN_OF(s, i) scanrt_offset_read((s)->begins, (i), (s)->n, (s)->flags)
#define END_OF(s, i) scanrt_offset_read((s)->ends, (i), (s)->n, (s)->flags)

/* Returns the first segment that ends behind element `least`. */
FUNC scanrt_u64 scanrt_spans_find(const scanrt_item_spans *s, scanrt_u64 least) {
  scanrt_u64 at = 0, end = s->count;
  while (at < end) {
    const scanrt_u64 middle = at + (end - at) / 2;
    if (END_OF(s, middle) <= least)
      at = middle + 1;
    else
      end = middle;
  }
  return at;
}

/* Returns 1 if `items` offsets rise by 1, the first of which is `first`. */
#define RISES(T)                                                                                                       \
  {                                                                                                                    \
    GLOBAL const T *offset = (GLOBAL const T *)offsets + i;                                                            \
    T differs = 0;                                                                                                     \
    for (scanrt_u32 k = 0; k < items; k++) differs |= offset[k] ^ ((T)first + k);                                      \
    return differs == 0;                                                                                               \
  }
FUNC scanrt_u32 scanrt_offsets_rise(GLOBAL const scanrt_u8 *offsets, scanrt_u64 i, scanrt_u64 first, scanrt_u32 items,
                                    scanrt_u32 flags) {
  if (flags & FLAG_WIDE_OFFSETS) RISES(scanrt_u64)
  RISES(scanrt_u32)
}

/* Stores the results of a sub-tile from segment i on if each of its elements is one; returns 0 otherwise. */
FUNC scanrt_u32 scanrt_sub_elements(const scanrt_sub *sub, const scanrt_item_spans *s, scanrt_u64 i, scanrt_u64 first,
                                    scanrt_u32 items) {
  if (sub->seed.there || s->count - i < items || END_OF(s, i + items - 1) != first + items) return 0;
  if (!scanrt_offsets_rise(s->ends, i, first + 1, items, s->flags)) return 0;
  if (!scanrt_offsets_rise(s->begins, i, first, s->has_holes ? items : 1, s->flags)) return 0;
  GLOBAL scanrt_output_t *to = s->to + i;
  scanrt_values_t x = sub->x;
  for (scanrt_u32 k = 0; k < items; k++) to[k] = scanrt_result_output(x[k]);
  return 1;
}

/* Stores the results of the segments that end in a sub-tile, from segment i on. Returns the first that does not. */
FUNC scanrt_u64 scanrt_sub_results(const scanrt_sub *sub, const scanrt_item_spans *s, scanrt_u64 i, scanrt_u64 first,
                                   scanrt_u32 items, scanrt_fold_state *fold) {
  const scanrt_item_spans own = *s; /* a copy, which no store can change */
  const scanrt_u64 stop = first + items;
  scanrt_u64 begin = i < own.count ? BEGIN_OF(&own, i) : own.n;
  for (; i < own.count; i++) {
    const scanrt_u64 end = END_OF(&own, i);
    scanrt_bare_t result = own.flags & FLAG_STARTS ? sub->seed.v : sub->x[0];
    scanrt_u32 is_stored = (own.flags & FLAG_STARTS) != 0;
    if (end > stop) break;
    if (begin >= first && begin < end) {
      result = scanrt_sub_within(sub, (scanrt_u32)(begin - first), (scanrt_u32)(end - first));
      is_stored = 1;
    } else if (begin < end) {
      is_stored = end > first && scanrt_sub_finish(sub, (scanrt_u32)(end - first), fold, &result);
    }
    if (is_stored) own.to[i] = scanrt_result_output(result);
    begin = !own.has_holes ? end : i + 1 < own.count ? BEGIN_OF(&own, i + 1) : own.n;
  }
  if (stop >= own.n) return i;
  if (i < own.count && begin < stop)
    scanrt_sub_pass(sub, (scanrt_u32)(begin - first), begin >= first, fold);
  else
    fold->before = IDENTITY;
  return i;
}

KERNEL(segment_item_totals)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  scanrt_bare_t vec[ROW_VECS + SUB_VECS];
#if SCAN_SOURCE_MAPS
  scanrt_bare_t values[SUBTILE_ITEMS];
#else
  scanrt_bare_t *values = vec;
#endif
  const scanrt_job job = JOB();
  GLOBAL scanrt_kept_t *tiles = (GLOBAL scanrt_kept_t *)MEMORY(workspace);
  GLOBAL scanrt_u64 *firsts = (GLOBAL scanrt_u64 *)MEMORY(places);
  const scanrt_u32 share = (job.tiles + GROUPS() - 1) / GROUPS(), from = GROUP() * share;
  const scanrt_u32 to = from + share < job.tiles ? from + share : job.tiles;
  scanrt_item_spans s;
  s.begins = MEMORY(marks);
  s.ends = MEMORY(ends);
  s.to = (GLOBAL scanrt_output_t *)MEMORY(totals);
  s.count = count;
  s.n = n;
  s.flags = flags;
  s.has_holes = s.ends != s.begins + (flags & FLAG_WIDE_OFFSETS ? 8 : 4);
  if (from >= to) return;
  scanrt_u64 i = from == 0 ? 0 : scanrt_spans_find(&s, from * JOB_TILE_ITEMS(&job));
  scanrt_sub sub;
  sub.vec = vec;
  sub.seed = job.seed;
  scanrt_sub_open(&job, from * JOB_TILE_ITEMS(&job), 1, values, &sub);
  scanrt_sub_clear(&sub, vec);
  for (scanrt_u32 tile = from; tile < to; tile++) {
    scanrt_fold_state fold;
    fold.before = fold.open = IDENTITY;
    firsts[tile] = i;
    for (scanrt_u32 q = 0; q < SUBTILES(&job); q++) {
      const scanrt_u64 first = tile * JOB_TILE_ITEMS(&job) + (scanrt_u64)q * SUBTILE_ITEMS, left = n - first;
      if (first >= n) break;
      const scanrt_u32 items = left < SUBTILE_ITEMS ? (scanrt_u32)left : SUBTILE_ITEMS;
      const scanrt_u64 many = i + items / LONG_ITEMS;
      scanrt_sub_open(&job, first, items, values, &sub);
      if (scanrt_sub_elements(&sub, &s, i, first, items)) {
        i += items;
        fold.before = IDENTITY;
        continue;
      }
      sub.are_folded = many >= count || END_OF(&s, many) > first + items;
      if (sub.are_folded && left > 2 * SUBTILE_ITEMS)
        scanrt_sub_ahead((GLOBAL const scanrt_input_t *)job.in + first + SUBTILE_ITEMS, SUBTILE_ITEMS * INPUT_BYTES);
      if (sub.are_folded) scanrt_sub_vectors(&sub, 0, sub.whole);
      i = scanrt_sub_results(&sub, &s, i, first, items, &fold);
    }
    tiles[tile] = KEPT_OF(fold.before);
    tiles[job.tiles + tile] = KEPT_OF(fold.open);
  }
}

/* Stores the results of segments that begin before the tile in which they end. */
KERNEL(segment_item_finish)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  const scanrt_job job = JOB();
  GLOBAL const scanrt_kept_t *tiles = (GLOBAL const scanrt_kept_t *)MEMORY(workspace);
  GLOBAL const scanrt_u64 *firsts = (GLOBAL const scanrt_u64 *)MEMORY(places);
  GLOBAL scanrt_output_t *to = (GLOBAL scanrt_output_t *)MEMORY(totals);
  scanrt_prefix prefix = scanrt_prefix_start(IDENTITY);
  for (scanrt_u32 tile = 0; tile < job.tiles; tile++) {
    const scanrt_u64 tile_begin = tile * JOB_TILE_ITEMS(&job), i = firsts[tile];
    scanrt_span span;
    span.begin = span.end = n;
    if (i < count) span = SPAN_READ(i);
    if (span.begin < tile_begin && span.end > tile_begin && span.end - tile_begin <= JOB_TILE_ITEMS(&job)) {
      const scanrt_value_t sum = scanrt_combine(scanrt_prefix_value(&prefix), VALUE_KEPT(tiles[job.tiles + tile]));
      to[i] = scanrt_result_output(scanrt_tail_fold(&job, sum, span.end - 1).v);
    }
    scanrt_prefix_push(&prefix, VALUE_KEPT(tiles[tile]));
  }
}
