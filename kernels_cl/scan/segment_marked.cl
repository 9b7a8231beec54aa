/* SPDX-License-Identifier: BSD-2-Clause */
/* A reduction by key, flags or bits, which reads the values once: by work-groups (segment_marked_group.h), or by single
 * work-items, whose workspace and two launches are those of segment_item.cl. Each segment begins behind the end of the
 * one before. */
#define SEGMENT_BITS_END
#include "scan/segment_marked.h"
#include "scan/scan_tile.h"
#if SCAN_GROUP_ITEMS > 1
#include "scan/segment_marked_group.h"
#else
#include "scan/segment_item.h"
#include "scan/segment_floats.h"
#include "select/select.h"

/* A sub-tile with at most one end in so many elements is folded segment by segment, others are scanned: lengths of
 * short segments cannot be predicted. */
#define LONG_ITEMS 32
#define LOWEST_BIT(word) ((scanrt_u32)LAST_BIT((word) & (0u - (word))))

/* The ends of segments, and where results go. */
typedef struct scanrt_item_marks {
  GLOBAL const scanrt_u32 *words;
  GLOBAL const scanrt_u64 *counts;
  GLOBAL scanrt_output_t *to;
  scanrt_u64 n, capacity;
} scanrt_item_marks;

/* Declares the marks, and the number of elements. */
#define OPEN_MARKS()                                                                                                   \
  scanrt_item_marks m;                                                                                                 \
  m.words = (GLOBAL const scanrt_u32 *)MEMORY(marks);                                                                  \
  m.counts = (GLOBAL const scanrt_u64 *)MEMORY(places);                                                                \
  m.to = (GLOBAL scanrt_output_t *)MEMORY(totals);                                                                     \
  m.n = n;                                                                                                             \
  m.capacity = capacity;                                                                                               \
  if (flags & FLAG_COUNTED && *(GLOBAL const scanrt_u64 *)MEMORY(n_from) < n)                                          \
  m.n = *(GLOBAL const scanrt_u64 *)MEMORY(n_from)

/* Returns the bits of 32 elements, without those of elements past the last one. */
FUNC scanrt_u32 scanrt_marks_word(const scanrt_item_marks *m, scanrt_u64 first) {
  const scanrt_u32 word = m->words[first / 32];
  return m->n - first < 32 ? word & ((1u << (m->n - first)) - 1) : word;
}

/* Returns the number of segments that end before element `first`, a multiple of 32. */
FUNC scanrt_u64 scanrt_marks_before(const scanrt_item_marks *m, scanrt_u64 first) {
  const scanrt_u64 counted = first / SELECT_TILE_ITEMS;
  scanrt_u64 count = m->counts[counted];
  for (scanrt_u64 w = counted * (SELECT_TILE_ITEMS / 32); w < first / 32; w++) count += BITS_SET(m->words[w]);
  return count;
}

/* Returns the number of segments that end in a sub-tile. */
FUNC scanrt_u32 scanrt_marks_within(const scanrt_item_marks *m, scanrt_u64 first, scanrt_u32 items) {
  scanrt_u32 count = 0;
  for (scanrt_u32 w = 0; w < items / 32; w++) count += BITS_SET(m->words[first / 32 + w]);
  return items % 32 == 0 ? count : count + BITS_SET(scanrt_marks_word(m, first + items / 32 * 32));
}

/* Returns 1 if a segment begins with element `first`, a multiple of 32. */
FUNC scanrt_u32 scanrt_marks_begin(const scanrt_item_marks *m, scanrt_u64 first) {
  return first == 0 || m->words[first / 32 - 1] >> 31;
}

/* Stores the results of the segments that end in a sub-tile, from segment `at` on. */
FUNC void scanrt_sub_marked(const scanrt_sub *sub, const scanrt_item_marks *m, scanrt_u64 at, scanrt_u64 first,
                            scanrt_u32 items, scanrt_fold_state *fold) {
  const scanrt_item_marks own = *m; /* a copy, which no store can change */
  scanrt_u32 begin = 0, is_new = scanrt_marks_begin(&own, first);
  for (scanrt_u32 w = 0; w * 32 < items; w++) {
    for (scanrt_u32 word = scanrt_marks_word(&own, first + w * 32); word != 0; word &= word - 1, at++) {
      const scanrt_u32 end = w * 32 + LOWEST_BIT(word) + 1;
      scanrt_bare_t result = sub->x[0];
      scanrt_u32 is_known = 1;
      if (is_new)
        result = scanrt_sub_within(sub, begin, end);
      else
        is_known = scanrt_sub_finish(sub, end, fold, &result);
      if (is_known && at < own.capacity) own.to[at] = scanrt_result_output(result);
      begin = end;
      is_new = 1;
    }
  }
  if (first + items >= own.n) return;
  if (begin < items)
    scanrt_sub_pass(sub, begin, is_new, fold);
  else
    fold->before = IDENTITY;
}

/* Stores the results of a sub-tile of which each element is a segment. */
FUNC void scanrt_sub_singles(const scanrt_sub *sub, const scanrt_item_marks *m, scanrt_u64 at, scanrt_u32 items) {
  GLOBAL scanrt_output_t *to = m->to + at;
  scanrt_values_t x = sub->x;
  for (scanrt_u32 k = 0; k < items; k++) to[k] = scanrt_result_output(x[k]);
}

/* Scans a sub-tile to the scratch memory at job->out; returns its fold. The values of segments that begin before the
 * tile lack what precedes it. */
FUNC_CALLED scanrt_value_t scanrt_sub_scan(const scanrt_job *job, scanrt_u64 first, scanrt_value_t before) {
  const scanrt_u32 rows = scanrt_rows_whole(job, first);
  const scanrt_u64 rest = first + (scanrt_u64)rows * ROW_ITEMS;
  const scanrt_value_t sub = scanrt_rows_write(job, first, rows, IDENTITY, before);
  if (rows == SUBTILE_ROWS || rest >= job->n) return sub;
  return scanrt_combine(sub, scanrt_row_write_part(job, rest, IDENTITY, before, sub));
}

/* Stores the results of a sub-tile with many segments, from segment `at` on. */
FUNC void scanrt_sub_dense(const scanrt_sub *sub, const scanrt_job *job, const scanrt_item_marks *m, scanrt_u64 at,
                           scanrt_u64 first, scanrt_u32 items, scanrt_fold_state *fold) {
  const scanrt_item_marks own = *m; /* a copy, which no store can change */
  GLOBAL const scanrt_output_t *from = (GLOBAL const scanrt_output_t *)job->out + first;
  scanrt_u32 is_open = !scanrt_marks_begin(&own, first) && !(fold->before.there & STARTS_WITHIN);
  const scanrt_value_t total = scanrt_sub_scan(job, first, fold->before);
  for (scanrt_u32 w = 0; w * 32 < items; w++) {
    for (scanrt_u32 word = scanrt_marks_word(&own, first + w * 32); word != 0; word &= word - 1, at++) {
      const scanrt_u32 last = w * 32 + LOWEST_BIT(word);
      scanrt_bare_t result;
      if (is_open)
        (void)scanrt_sub_finish(sub, last + 1, fold, &result);
      else if (at < own.capacity)
        own.to[at] = from[last];
      is_open = 0;
    }
  }
  fold->before = scanrt_combine(fold->before, total);
}

#if IS_INTEGER_SUM
/* Stores the results of a whole sub-tile in which `count` segments end, as differences of prefix sums. */
FUNC_CALLED void scanrt_sub_sums(const scanrt_sub *sub, const scanrt_item_marks *m, scanrt_u64 at, scanrt_u64 first,
                                 scanrt_u32 count, scanrt_fold_state *fold) {
  SUM_T ends[SUBTILE_ITEMS + 1 + 32];
  scanrt_u32 open = 0; /* the end of the first segment, if it begins before the sub-tile */
  scanrt_bare_t result;
  const SUM_T all = scanrt_sums_at_ends((SUMS_T)sub->x, m->words + first / 32, ends);
  GLOBAL SUM_T *to = (GLOBAL SUM_T *)m->to + at;
  scanrt_u32 j = 0, end = at >= m->capacity ? 0 : m->capacity - at < count ? (scanrt_u32)(m->capacity - at) : count;
  if (!scanrt_marks_begin(m, first)) {
    while (m->words[first / 32 + open / 32] == 0) open += 32;
    open += LOWEST_BIT(m->words[first / 32 + open / 32]) + 1;
    j = 1;
    if (scanrt_sub_finish(sub, open, fold, &result) && end > 0) *to = (SUM_T)result;
  }
  for (; j < end; j++) to[j] = ends[j + 1] - ends[j];
  fold->before = IDENTITY;
  if (m->words[first / 32 + SUBTILE_ITEMS / 32 - 1] >> 31 == 0)
    fold->before = scanrt_value_from((scanrt_bare_t)(all - ends[count]), 1 | STARTS_WITHIN);
}
#endif

#if IS_FLOAT_SUM
/* Stores the results of a whole sub-tile in which `count` segments end, more than one. */
FUNC_CALLED void scanrt_sub_sums(const scanrt_sub *sub, const scanrt_item_marks *m, scanrt_u64 at, scanrt_u64 first,
                                 scanrt_u32 count, scanrt_fold_state *fold) {
  SUM_T ends[SUBTILE_ITEMS + 32];
  GLOBAL const scanrt_u32 *words = m->words + first / 32;
  GLOBAL scanrt_output_t *to = m->to + at;
  const scanrt_u32 begins = scanrt_marks_begin(m, first), is_open = !begins && !(fold->before.there & STARTS_WITHIN);
  const scanrt_u32 end = at >= m->capacity ? 0 : m->capacity - at < count ? (scanrt_u32)(m->capacity - at) : count;
  const scanrt_value_t total = scanrt_floats_at_ends((SUMS_T)sub->x, words, begins, fold->before, ends);
  if (is_open) {
    scanrt_u32 open = 0;
    scanrt_bare_t result;
    while (words[open / 32] == 0) open += 32;
    (void)scanrt_sub_finish(sub, open + LOWEST_BIT(words[open / 32]) + 1, fold, &result);
  }
  for (scanrt_u32 j = is_open; j < end; j++) to[j] = scanrt_result_output((scanrt_bare_t)ends[j]);
  fold->before = scanrt_combine(fold->before, total);
}
#endif

/* Folds the tiles of work-item `group` of `groups`. */
FUNC_CALLED void scanrt_marked_totals(const scanrt_job *given, const scanrt_item_marks *marks,
                                      GLOBAL scanrt_kept_t *tiles, scanrt_u32 group, scanrt_u32 groups) {
  scanrt_bare_t vec[ROW_VECS + SUB_VECS];
#if SCAN_SOURCE_MAPS
  scanrt_bare_t values[SUBTILE_ITEMS];
#else
  scanrt_bare_t *values = vec;
#endif
  const scanrt_item_marks m = *marks; /* copies, which no store can change */
  scanrt_job job = *given;
  GLOBAL JOB_OUT_T *scratch = job.out + (scanrt_u64)group * SUBTILE_ITEMS;
  const scanrt_u32 share = (job.tiles + groups - 1) / groups, from = group * share;
  const scanrt_u32 to = from + share < job.tiles ? from + share : job.tiles;
  const scanrt_u64 begin = from * JOB_TILE_ITEMS(&job);
  if (begin >= m.n) return;
  job.n = m.n;
  job.streaming = 0;
  job.segment_flags = (GLOBAL const scanrt_u8 *)m.words;
  scanrt_u64 at = scanrt_marks_before(&m, begin);
  scanrt_sub sub;
  sub.vec = vec;
  sub.seed = job.seed;
  scanrt_sub_open(&job, begin, 1, values, &sub);
  scanrt_sub_clear(&sub, vec);
  for (scanrt_u32 tile = from; tile < to; tile++) {
    scanrt_fold_state fold;
    fold.before = fold.open = IDENTITY;
    for (scanrt_u32 q = 0; q < SUBTILES(&job); q++) {
      const scanrt_u64 first = tile * JOB_TILE_ITEMS(&job) + (scanrt_u64)q * SUBTILE_ITEMS, left = m.n - first;
      if (first >= m.n) break;
      const scanrt_u32 items = left < SUBTILE_ITEMS ? (scanrt_u32)left : SUBTILE_ITEMS;
      const scanrt_u32 count = scanrt_marks_within(&m, first, items);
      scanrt_sub_open(&job, first, items, values, &sub);
      sub.are_folded = count <= items / LONG_ITEMS;
      if (sub.are_folded && left > 2 * SUBTILE_ITEMS)
        scanrt_sub_ahead((GLOBAL const scanrt_input_t *)job.in + first + SUBTILE_ITEMS, SUBTILE_ITEMS * INPUT_BYTES);
      if (sub.are_folded) scanrt_sub_vectors(&sub, 0, sub.whole);
      if (count == items && scanrt_marks_begin(&m, first) && !sub.seed.there && at + items <= m.capacity) {
        scanrt_sub_singles(&sub, &m, at, items);
        fold.before = IDENTITY;
#if IS_INTEGER_SUM || IS_FLOAT_SUM
      } else if (!sub.are_folded && items == SUBTILE_ITEMS && !sub.seed.there) {
        scanrt_sub_sums(&sub, &m, at, first, count, &fold);
#endif
      } else if (!sub.are_folded) {
        job.out = scratch - first;
        scanrt_sub_dense(&sub, &job, &m, at, first, items, &fold);
      } else {
        scanrt_sub_marked(&sub, &m, at, first, items, &fold);
      }
      at += count;
    }
    tiles[tile] = KEPT_OF(fold.before);
    tiles[job.tiles + tile] = KEPT_OF(fold.open);
  }
}

/* Stores the results of segments that begin before the tile in which they end. */
FUNC_CALLED void scanrt_marked_finish(const scanrt_job *given, const scanrt_item_marks *marks,
                                      GLOBAL const scanrt_kept_t *tiles) {
  const scanrt_item_marks m = *marks;
  const scanrt_job job = *given;
  scanrt_prefix prefix = scanrt_prefix_start(IDENTITY);
  for (scanrt_u32 tile = 0; tile < job.tiles; tile++) {
    const scanrt_u64 begin = tile * JOB_TILE_ITEMS(&job), left = m.n - begin;
    if (begin >= m.n) break;
    const scanrt_u64 end = left < JOB_TILE_ITEMS(&job) ? m.n : begin + JOB_TILE_ITEMS(&job);
    scanrt_u64 first = scanrt_marks_begin(&m, begin) ? end : begin;
    while (first < end && scanrt_marks_word(&m, first) == 0) first += 32;
    if (first < end) {
      const scanrt_u64 last = first + LOWEST_BIT(scanrt_marks_word(&m, first)), at = scanrt_marks_before(&m, begin);
      const scanrt_value_t sum = scanrt_combine(scanrt_prefix_value(&prefix), VALUE_KEPT(tiles[job.tiles + tile]));
      if (at < m.capacity) m.to[at] = scanrt_result_output(scanrt_tail_fold(&job, sum, last).v);
    }
    scanrt_prefix_push(&prefix, VALUE_KEPT(tiles[tile]));
  }
}

KERNEL(segment_marked_totals)(PARAMETERS(SEGMENT_MARKED_ARGUMENTS)) {
  const scanrt_job job = JOB();
  OPEN_MARKS();
  scanrt_marked_totals(&job, &m, (GLOBAL scanrt_kept_t *)MEMORY(workspace), GROUP(), GROUPS());
}

KERNEL(segment_marked_finish)(PARAMETERS(SEGMENT_MARKED_ARGUMENTS)) {
  const scanrt_job job = JOB();
  OPEN_MARKS();
  scanrt_marked_finish(&job, &m, (GLOBAL const scanrt_kept_t *)MEMORY(workspace));
}

#include "scan/segment_marked_alone.h"
#endif
