/* SPDX-License-Identifier: BSD-2-Clause */
/* A reduction by key, flags or bits, in work-groups, which read the values once; part of segment_marked.cl. A
 * work-group reduces a tile and stores the results of the segments that begin and end in it. At most one segment ends
 * in a tile without beginning there (scanrt_open_result): a second launch stores its result. The values of tiles are
 * those of segment_totals.cl. No work-group waits for another. */
#ifndef SCANRT_CL_SEGMENT_MARKED_GROUP_H
#define SCANRT_CL_SEGMENT_MARKED_GROUP_H

#include "lib/group_sums.h"
#include "scan/segment_groups.h"
#include "scan/segment_marks.h"
#include "scan/segment_state.h"
#include "select/select.h"

#define MARK_BITS_WORDS ((scanrt_u32)TILE_ITEMS / 32)
#define ITEM_WORDS ((MARK_BITS_WORDS + SCAN_GROUP_ITEMS - 1) / SCAN_GROUP_ITEMS) /* of each work-item */
#define NO_RESULT 0xffffffffu
/* 1: a tile's results pass through local memory, from which work-items store them side by side. */
#define STAGES_RESULTS (REDUCES_BY_WARPS && VALUE_BYTES <= 16)

/* The segments of a tile, as bits of words: which elements are the first and the last one of a segment. */
typedef struct scanrt_tile_marks {
  scanrt_u32 starts[MARK_BITS_WORDS], ends[MARK_BITS_WORDS];
  scanrt_u32 before[MARK_BITS_WORDS]; /* segments that end before the word, in the tile */
  scanrt_u32 sums[GROUP_SUMS_WORDS];
} scanrt_tile_marks;

/* The output of a tile: `to` is the place of its first result; `room` results have room. */
typedef struct scanrt_tile_results {
  LOCAL const scanrt_tile_marks *marks;
#if STAGES_RESULTS
  LOCAL scanrt_bare_t *staged;
#endif
  GLOBAL scanrt_output_t *to;
  scanrt_u32 count, room;
} scanrt_tile_results;

/* The segment that ends in a tile and begins before it: its place, and its last element; or NO_RESULT. That of the
 * first of 128 tiles also says in which of them the segment ends that begins before all of them: 1 + the tile, or 0. */
typedef struct scanrt_open_result {
  scanrt_u64 at;
  scanrt_u32 last, crossing;
} scanrt_open_result;

/* Returns the number of elements. */
FUNC scanrt_u64 scanrt_marked_items(GLOBAL const scanrt_u64 *n_from, scanrt_u64 n, scanrt_u32 flags) {
  return flags & FLAG_COUNTED && *n_from < n ? *n_from : n;
}

/* Declares the job, its tiles' values, and the segments that are open at tiles' beginnings. */
#define OPEN_MARKED()                                                                                                  \
  scanrt_job job = JOB();                                                                                              \
  job.n = scanrt_marked_items((GLOBAL const scanrt_u64 *)MEMORY(n_from), n, flags);                                    \
  job.tiles = (scanrt_u32)((job.n + TILE_ITEMS - 1) / TILE_ITEMS);                                                     \
  job.segment_flags = MEMORY(marks);                                                                                   \
  GLOBAL scanrt_open_result *opens = (GLOBAL scanrt_open_result *)(MEMORY(workspace) + 4 * SHARED_WORD);               \
  GLOBAL scanrt_kept_t *tiles = (GLOBAL scanrt_kept_t *)(opens + job.tiles)

/* ---- marks ---- */

/* Returns word w of a tile's bits of last elements, without those of elements from `items` on. */
FUNC scanrt_u32 scanrt_ends_word(GLOBAL const scanrt_u32 *ends, scanrt_u32 w, scanrt_u32 items) {
  if (w * 32 >= items) return 0;
  return items - w * 32 < 32 ? ends[w] & ((1u << (items - w * 32)) - 1) : ends[w];
}

/* A work-item's words of a tile's marks, and the last bit before them. */
typedef struct scanrt_own_marks {
  scanrt_u32 word[ITEM_WORDS], last;
} scanrt_own_marks;

/* Loads the work-item's marks. Those of a whole tile are loaded at once. */
FUNC scanrt_own_marks scanrt_own_marks_load(const scanrt_job *job, scanrt_u32 tile) {
  GLOBAL const scanrt_u32 *ends = (GLOBAL const scanrt_u32 *)job->segment_flags + (scanrt_u64)tile * MARK_BITS_WORDS;
  const scanrt_u64 left = job->n - tile * TILE_ITEMS;
  const scanrt_u32 items = left < TILE_ITEMS ? (scanrt_u32)left : (scanrt_u32)TILE_ITEMS, own = ITEM() * ITEM_WORDS;
  const scanrt_u32 is_first = tile == 0 && own == 0;
  scanrt_own_marks m;
  if (items == TILE_ITEMS && own < MARK_BITS_WORDS) {
    GLOBAL const scanrt_u32 *at = ends + own;
    m.last = at[is_first ? 0 : -1];
    UNROLL
    for (scanrt_u32 k = 0; k < ITEM_WORDS; k++) m.word[k] = at[k];
  } else {
    m.last = own > 0 ? scanrt_ends_word(ends, own - 1, items) : is_first ? 0 : ends[-1];
    UNROLL
    for (scanrt_u32 k = 0; k < ITEM_WORDS; k++)
      m.word[k] = own + k < MARK_BITS_WORDS ? scanrt_ends_word(ends, own + k, items) : 0;
  }
  m.last = m.last >> 31 | is_first; /* the word before the first one ends a segment, too */
  return m;
}

/* Puts the marks to local memory; returns the number of segments that end in the tile. Other work-items' marks are
 * there behind the next barrier. */
FUNC scanrt_u32 scanrt_tile_marks_put(const scanrt_own_marks *m, LOCAL scanrt_tile_marks *s) {
  const scanrt_u32 own = ITEM() * ITEM_WORDS;
  scanrt_u32 last = m->last, count = 0, all;
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_WORDS; k++) count += BITS_SET(m->word[k]);
  scanrt_u32 before = scanrt_group_count(count, s->sums, &all);
  UNROLL
  for (scanrt_u32 k = 0; k < ITEM_WORDS; k++)
    if (own + k < MARK_BITS_WORDS) {
      s->starts[own + k] = m->word[k] << 1 | last;
      s->ends[own + k] = m->word[k];
      s->before[own + k] = before;
      last = m->word[k] >> 31;
      before += BITS_SET(m->word[k]);
    }
  return all;
}

/* Returns the number of segments that end before a tile; `places` has it for every SELECT_TILE_ITEMS elements. */
FUNC scanrt_u64 scanrt_ends_before(const scanrt_job *job, scanrt_u32 tile, GLOBAL const scanrt_u64 *places,
                                   LOCAL scanrt_tile_marks *s) {
  const scanrt_u64 first = tile * TILE_ITEMS;
  scanrt_u64 count = places[first / SELECT_TILE_ITEMS];
  (void)job, (void)s;
#if SCAN_SUBTILES * SUBTILE_ROWS * ROW_VECS * VEC_ITEMS % SELECT_TILE_ITEMS != 0
  const scanrt_u64 w = first / SELECT_TILE_ITEMS * (SELECT_TILE_ITEMS / 32) + ITEM();
  scanrt_u32 all;
  (void)scanrt_group_count(w < first / 32 ? BITS_SET(((GLOBAL const scanrt_u32 *)job->segment_flags)[w]) : 0, s->sums,
                           &all);
  count += all;
  BARRIER();
#endif
  return count;
}

/* ---- results ---- */

FUNC void scanrt_marked_put(const scanrt_tile_results *r, scanrt_u32 rank, scanrt_bare_t x) {
#if STAGES_RESULTS
  r->staged[rank] = x;
#else
  if (rank < r->room) r->to[rank] = scanrt_result_output(x);
#endif
}

#if STAGES_RESULTS
#define STORED_AT_ONCE 8
/* Stores the results that all work-items have put. That of a segment that begins before the tile is undefined until
 * segment_marked_finish stores it. */
FUNC void scanrt_results_store(const scanrt_tile_results *r) {
  BARRIER();
  for (scanrt_u32 q = ITEM(); q < r->room; q += SCAN_GROUP_ITEMS * STORED_AT_ONCE) {
    scanrt_bare_t x[STORED_AT_ONCE];
    UNROLL
    for (scanrt_u32 u = 0; u < STORED_AT_ONCE; u++)
      if (q + u * SCAN_GROUP_ITEMS < r->room) x[u] = scanrt_scratch_bare(r->staged + q + u * SCAN_GROUP_ITEMS);
    UNROLL
    for (scanrt_u32 u = 0; u < STORED_AT_ONCE; u++)
      if (q + u * SCAN_GROUP_ITEMS < r->room) (r->to + q)[u * SCAN_GROUP_ITEMS] = scanrt_result_output(x[u]);
  }
}
#endif

#define MARKED_BITS(words, e) ((words)[(e) / 32] >> (e) % 32 & ((1u << VEC_ITEMS) - 1))
/* The rank of the first segment that ends from element e of the tile on. */
#define RANK_AT(s, e) ((s)->before[(e) / 32] + BITS_SET((s)->ends[(e) / 32] & ((1u << (e) % 32) - 1)))

#if REDUCES_BY_WARPS
typedef const scanrt_tile_results *scanrt_results;

FUNC void scanrt_vector_put(scanrt_results results, scanrt_u32 i, const scanrt_stage_vector *x, scanrt_u32 open) {
  const scanrt_u32 first = ITEM() / 32 * SUB_ITEMS + ITEM() % 32 * VEC_ITEMS, w = i * ROW_ITEMS / 32, bit = first % 32;
  const scanrt_u32 word = (results->marks->ends + first / 32)[w], ends = word >> bit & ((1u << VEC_ITEMS) - 1);
  (void)open; /* what is put for element `open` is replaced when its result is known */
  if (ends == 0) return;
  scanrt_u32 rank = (results->marks->before + first / 32)[w] + BITS_SET(word & ((1u << bit) - 1));
#if STAGES_RESULTS
  LOCAL scanrt_bare_t *to = results->staged + rank;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (ends >> k & 1u) *to++ = x->x[k];
#else
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (ends >> k & 1u) scanrt_marked_put(results, rank++, x->x[k]);
#endif
}

FUNC void scanrt_result_put(scanrt_results results, scanrt_u32 at, scanrt_bare_t x) {
  scanrt_marked_put(results, RANK_AT(results->marks, ITEM() / 32 * SUB_ITEMS + at), x);
}
#include "scan/segment_warp.h"

/* Returns the lane's marks. */
FUNC scanrt_lane_marks scanrt_lane_marks_find(LOCAL const scanrt_tile_marks *s) {
  const scanrt_u32 sub = ITEM() / 32 * SUB_ITEMS, first = sub + ITEM() % 32 * VEC_ITEMS;
  scanrt_lane_marks m = scanrt_lane_marks_none();
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_u32 bits = (s->starts + first / 32)[i * ROW_ITEMS / 32] >> first % 32;
    UNROLL
    for (scanrt_u32 g = 0; g < MARK_GROUPS; g++)
      m.bits[g] |= ((bits >> 4 * g & (VEC_ITEMS < 4 ? (1u << VEC_ITEMS) - 1 : 15u)) * 0x00204081u & EVERY_MARK) << i;
  }
  m.next = s->ends[(sub + SUB_ITEMS) / 32 - 1] >> 31;
  return m;
}

/* Reduces a tile; writes its aggregate and what precedes the vector of an open segment's last element. */
FUNC void scanrt_marked_reduce(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t,
                               const scanrt_tile_results *r, GLOBAL scanrt_kept_t *tiles,
                               GLOBAL scanrt_open_result *open_result, LOCAL scanrt_tile_scratch *scratch,
                               LOCAL scanrt_open_end *open) {
  const scanrt_lane_marks m = scanrt_lane_marks_find(r->marks);
  scanrt_u32 last;
  const scanrt_value_t sub = scanrt_subtile_reduce(job, tile, t, &m, &last, open + ITEM() / 32, r);
  if (ITEM() % 32 == 0) scratch->subs[ITEM() / 32] = sub;
  BARRIER();
  const scanrt_u32 closes = last != NO_END && last / VEC_ITEMS % 32 == ITEM() % 32;
  if (ITEM() == 0 || closes) {
    scanrt_value_t sub_before;
    const scanrt_value_t aggregate = scanrt_subtiles_fold(&sub_before, scratch);
    if (ITEM() == 0) tiles[tile] = KEPT_OF(aggregate);
    if (closes) {
      scanrt_open_end_close(open + ITEM() / 32, last, sub_before, r, tiles + job->tiles + tile);
      if (!(sub_before.there & STARTS_WITHIN)) open_result->last = ITEM() / 32 * SUB_ITEMS + last;
    }
  }
#if STAGES_RESULTS
  scanrt_results_store(r);
#endif
}
#else
FUNC void scanrt_marked_reduce(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t,
                               const scanrt_tile_results *r, GLOBAL scanrt_kept_t *tiles,
                               GLOBAL scanrt_open_result *open_result, LOCAL scanrt_tile_scratch *scratch) {
  scanrt_tile_fold(job, tile, t, scratch);
  scanrt_tile_scan(job, tile, t);
  if (ITEM() == 0) tiles[tile] = KEPT_OF(t->aggregate);
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_u32 e = ((ITEM() / 32 * ROWS + i) * ROW_VECS + ITEM() % 32) * VEC_ITEMS;
    const scanrt_u32 ends = MARKED_BITS(r->marks->ends, e), starts = MARKED_BITS(r->marks->starts, e);
    const scanrt_value_t start = TILE_BEFORE(t, i);
    const scanrt_raw_t raw = TILE_VECTOR(job, tile, t, i);
    scanrt_u32 rank = RANK_AT(r->marks, e);
    scanrt_bare_t sum = start.v;
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      if (k < raw.count) {
        const scanrt_bare_t x = scanrt_vector_bare(raw, k);
        sum = k > 0 || start.there ? NEXT(raw, sum, x, k) : scanrt_element_first(x, starts & 1u, job->seed);
      }
      if (ends >> k & 1u) {
        if (start.there & STARTS_WITHIN || starts & ((2u << k) - 1)) {
          scanrt_marked_put(r, rank, sum);
        } else {
          tiles[job->tiles + tile] = KEPT_OF(start);
          open_result->last = e + k;
        }
        rank++;
      }
    }
  }
}
#endif

KERNEL(segment_marked_totals)(PARAMETERS(SEGMENT_MARKED_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);
  LOCAL_ARRAY(scanrt_tile_marks, marks_of, 1);
#if REDUCES_BY_WARPS
  LOCAL_ARRAY(scanrt_open_end, open, WARPS);
#endif
#if STAGES_RESULTS
  LOCAL_ARRAY(scanrt_bare_t, staged, TILE_ITEMS);
#endif
  OPEN_MARKED();
  const scanrt_u32 tile = GROUP();
  if (tile >= job.tiles) return;
  scanrt_tile_state state;
  scanrt_tile_results results;
  const scanrt_own_marks marks = scanrt_own_marks_load(&job, tile);
  scanrt_tile_load(&job, tile, &state);
#if defined(SCAN_RESIDENT_GROUPS)
  scanrt_tile_prefetch(&job, tile + (scanrt_u64)SCAN_RESIDENT_GROUPS); /* for the next work-group of the unit */
#endif
  const scanrt_u64 at = scanrt_ends_before(&job, tile, (GLOBAL const scanrt_u64 *)MEMORY(places), marks_of);
  results.count = scanrt_tile_marks_put(&marks, marks_of);
  results.marks = marks_of;
#if STAGES_RESULTS
  results.staged = staged;
#endif
  results.to = (GLOBAL scanrt_output_t *)MEMORY(totals) + at;
  results.room = at >= capacity ? 0 : capacity - at < results.count ? (scanrt_u32)(capacity - at) : results.count;
  BARRIER();
  if (ITEM() == 0) opens[tile].at = at;
  if (ITEM() == 0 && (results.count == 0 || marks_of->starts[0] & 1u)) opens[tile].last = NO_RESULT;
#if REDUCES_BY_WARPS
  scanrt_marked_reduce(&job, tile, &state, &results, tiles, opens + tile, scratch, open);
#else
  scanrt_marked_reduce(&job, tile, &state, &results, tiles, opens + tile, scratch);
#endif
  KERNEL_END();
}

/* Counts a work-group as finished. Returns 1 in the last one of `all`, which then sees what all have written. Their
 * number may exceed the 16 bits of scanrt_is_last. */
FUNC scanrt_u32 scanrt_is_last_group(GLOBAL scanrt_u32 *finished, scanrt_u32 all, LOCAL scanrt_u32 *is_last) {
  FENCE();
  BARRIER();
  if (ITEM() == 0) {
    *is_last = ATOMIC_ADD(finished, 1u) + 1 == all;
    if (*is_last) ATOMIC_STORE(finished, 0u);
  }
  BARRIER();
  FENCE();
  return *is_last;
}

/* The segment that is open at the beginning of a tile and ends there, if `is_open`: the vector of its last element, and
 * what precedes the vector in the tile. */
typedef struct scanrt_open_segment {
  scanrt_raw_t raw;
  scanrt_value_t last_before;
  scanrt_u64 at, last;
  scanrt_u32 is_open;
} scanrt_open_segment;

/* Loads the open segment of a tile; without a tile none is open. */
FUNC scanrt_open_segment scanrt_open_segment_load(const scanrt_job *job, GLOBAL const scanrt_kept_t *tiles,
                                                  GLOBAL const scanrt_open_result *opens, scanrt_u64 tile,
                                                  scanrt_u32 is_there, scanrt_u64 capacity) {
  scanrt_open_segment open;
  scanrt_u32 last = NO_RESULT;
  open.at = 0;
  if (is_there) {
    open.at = opens[tile].at;
    last = opens[tile].last;
  }
  open.is_open = last != NO_RESULT && open.at < capacity;
  open.last = open.is_open ? tile * TILE_ITEMS + last : 0;
  open.last_before = IDENTITY;
  if (open.is_open) open.last_before = VALUE_KEPT(tiles[job->tiles + tile]);
  open.raw = scanrt_vector_load_guarded(job, open.last / VEC_ITEMS * VEC_ITEMS);
  return open;
}

/* Stores the result of an open segment; `before` precedes its tile. */
FUNC void scanrt_open_segment_store(const scanrt_job *job, const scanrt_open_segment *open, scanrt_value_t before,
                                    GLOBAL scanrt_output_t *to) {
  to[open->at] = scanrt_segment_result(job, open->raw, scanrt_combine(before, open->last_before), open->last);
}

/* Stores the results of segments that begin before the group of tiles in which they end. */
FUNC void scanrt_crossing_store(const scanrt_job *job, GLOBAL const scanrt_kept_t *tiles,
                                GLOBAL const scanrt_open_result *opens, scanrt_u32 groups, scanrt_u64 capacity,
                                GLOBAL scanrt_output_t *to, LOCAL scanrt_value_t *part) {
  scanrt_value_t before = IDENTITY;
  for (scanrt_u32 first = 0; first < groups; first += GROUP_TILES) {
    const scanrt_u32 count = groups - first < GROUP_TILES ? groups - first : GROUP_TILES;
    const scanrt_u32 is_there = ITEM() < count;
    const scanrt_u32 crossing = is_there ? opens[(scanrt_u64)(first + ITEM()) * GROUP_TILES].crossing : 0;
    const scanrt_u64 tile = crossing ? crossing - 1 : 0;
    BARRIER();
    if (is_there) part[ITEM()] = VALUE_KEPT(tiles[2 * (scanrt_u64)job->tiles + first + ITEM()]);
    const scanrt_open_segment open = scanrt_open_segment_load(job, tiles, opens, tile, crossing != 0, capacity);
    BARRIER();
    if (open.is_open) {
      const scanrt_value_t groups_before = scanrt_part_fold(before, part, ITEM());
      scanrt_open_segment_store(job, &open, scanrt_combine(groups_before, VALUE_KEPT(tiles[tile])), to);
    }
    if (first + count < groups) before = scanrt_part_fold(before, part, count);
  }
}

/* Stores the results of segments that begin before the tile in which they end. A work-group has 128 tiles; the last one
 * completes the segments that begin before their group. */
KERNEL(segment_marked_finish)(PARAMETERS(SEGMENT_MARKED_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_value_t, tree, 2 * GROUP_TILES);
  LOCAL_ARRAY(scanrt_u32, found, 1);
  OPEN_MARKED();
  GLOBAL scanrt_output_t *to = (GLOBAL scanrt_output_t *)MEMORY(totals);
  const scanrt_u32 groups = (job.tiles + GROUP_TILES - 1) / GROUP_TILES;
  const scanrt_u64 begin = (scanrt_u64)GROUP() * GROUP_TILES, tile = begin + ITEM();
  const scanrt_u32 is_there = ITEM() < GROUP_TILES && tile < job.tiles;
  if (GROUP() >= groups) return;
  if (ITEM() < GROUP_TILES) tree[ITEM()] = is_there ? VALUE_KEPT(tiles[tile]) : IDENTITY;
  const scanrt_open_segment open = scanrt_open_segment_load(&job, tiles, opens, tile, is_there, capacity);
  if (ITEM() == 0) *found = 0;
  scanrt_tree_grow(tree);
  if (open.is_open) {
    const scanrt_value_t own = scanrt_tree_before(tree);
    if (GROUP() == 0 || own.there & STARTS_WITHIN) {
      scanrt_open_segment_store(&job, &open, own, to);
    } else {
      tiles[tile] = KEPT_OF(own);
      *found = (scanrt_u32)tile + 1;
    }
  }
  if (groups == 1) return;
  BARRIER();
  if (ITEM() == 0) {
    opens[begin].crossing = *found;
    tiles[2 * (scanrt_u64)job.tiles + GROUP()] = KEPT_OF(tree[LEVEL_FIRST(GROUP_LEVELS)]);
  }
  if (scanrt_is_last_group((GLOBAL scanrt_u32 *)MEMORY(workspace), groups, found))
    scanrt_crossing_store(&job, tiles, opens, groups, capacity, to, tree);
  KERNEL_END();
}
#endif
