/* SPDX-License-Identifier: BSD-2-Clause */
/* Segmented reductions in one launch: how many segments end before a tile, and the last work-group, which completes the
 * segments that lie in several tiles. */
#ifndef SCANRT_CL_SEGMENT_ALONE_H
#define SCANRT_CL_SEGMENT_ALONE_H

#include "scan/segment_groups.h"
#include "scan/segment_marks.h"
#include "scan/segment_state.h"

/* Local memory: the results of a work-group's tile, and then, in the last work-group, the tree of a group of tiles. */
typedef union scanrt_alone_room {
  scanrt_stage stage;
  scanrt_value_t tree[2 * GROUP_TILES];
#if VECTORS_ARE_FILLED
  scanrt_direct_room direct;
#endif
} scanrt_alone_room;

typedef struct scanrt_alone_edges {
  scanrt_u64 edge[2];
  scanrt_u32 below[2], is_last;
} scanrt_alone_edges;

/* Finds how many segments end before the tile, and before the one behind it. One part of the work-group looks for each,
 * by PROBES ends at a time. */
#define PROBES (SCAN_GROUP_ITEMS / 2)
FUNC void scanrt_edges_find(GLOBAL const scanrt_u8 *ends, scanrt_u64 count, scanrt_u64 tile_begin, scanrt_u64 n,
                            scanrt_u32 flags, LOCAL scanrt_alone_edges *found) {
  const scanrt_u32 part = ITEM() / PROBES;
  const scanrt_u64 least = tile_begin + part * TILE_ITEMS + 1;
  scanrt_u64 at = 0, end = count;
  if (part == 0 && tile_begin == 0) end = 0;
  if (part == 1 && tile_begin + TILE_ITEMS >= n) at = count;
  for (scanrt_u64 left = count; left > 0; left /= PROBES + 1) {
    const scanrt_u64 step = (end - at) / (PROBES + 1) + 1, probe = at + (ITEM() % PROBES + 1) * step - 1;
    if (ITEM() < 2) found->below[ITEM()] = 0;
    BARRIER();
    if (probe < end && scanrt_offset_read(ends, probe, n, flags) < least) ATOMIC_INC_LOCAL(found->below + part);
    BARRIER();
    at += found->below[part] * step;
    if (end - at >= step) end = at + (step - 1);
    BARRIER();
  }
  if (ITEM() % PROBES == 0) found->edge[part] = at;
  BARRIER();
}

/* In OpenCL a fence orders the accesses of its work-item only; in CUDA also those that a barrier puts before it. */
#ifdef __OPENCL_VERSION__
#define FENCE_OF_EACH() FENCE()
#else
#define FENCE_OF_EACH()
#endif

/* Counts `own` of `all` parts as finished. Returns 1 in the work-group that finishes the last one, if any part has
 * values for others: this work-group sees what all have written. The counter has the parts with values in its upper 16
 * bits, and is cleared. */
FUNC scanrt_u32 scanrt_is_last(GLOBAL scanrt_u32 *finished, scanrt_u32 own, scanrt_u32 all, scanrt_u32 has_values,
                               LOCAL scanrt_u32 *is_last) {
  if (has_values) FENCE_OF_EACH();
  BARRIER();
  if (ITEM() == 0) {
    if (has_values) FENCE();
    const scanrt_u32 more = has_values ? own * 0x10001u : own, sum = ATOMIC_ADD(finished, more) + more,
                     ends = (sum & 0xffffu) == all;
    *is_last = ends && sum > 0xffffu;
    if (ends) {
      ATOMIC_STORE(finished, 0u);
      FENCE();
    }
  }
  BARRIER();
  FENCE_OF_EACH();
  return *is_last;
}

/* The segment that ends in a tile and begins before it, as a word: its index, and above it how many of the tile's
 * elements it has; 0 if there is none. No array has 2^48 segments, and no tile 2^16 elements. */
#define OPEN_SHIFT 48
#define OPEN_SEGMENT(word) ((word) & (((scanrt_u64)1 << OPEN_SHIFT) - 1))
#define OPEN_ITEMS(word) ((scanrt_u32)((word) >> OPEN_SHIFT))

/* Returns the word of a tile whose first segment has `begin` and `end` from the tile's begin (scanrt_offset_within). */
FUNC scanrt_u64 scanrt_open_word(const scanrt_job *job, const scanrt_tile_spans *s, scanrt_u32 begin, scanrt_u32 end) {
  const scanrt_u64 left = job->n - s->tile_begin;
  const scanrt_u32 items = left < TILE_ITEMS ? (scanrt_u32)left : (scanrt_u32)TILE_ITEMS;
  if (s->first >= s->end || begin <= (scanrt_u32)TILE_ITEMS) return 0;
  return (scanrt_u64)(end < items ? end : items) << OPEN_SHIFT | s->first;
}

/* Memory of a reduction in one launch. */
typedef struct scanrt_alone_end {
  GLOBAL scanrt_u32 *state;
  GLOBAL scanrt_u64 *opens; /* scanrt_open_word of each tile */
  GLOBAL scanrt_kept_t *tiles;
  GLOBAL scanrt_output_t *to;
} scanrt_alone_end;

/* Variants of scanrt_group_finish. SEEDED: `before` precedes the group. SHARED: the state says which tiles have values,
 * and `before` precedes the group. CROSSING: the group's prefix is not known yet. */
#define GROUP_SEEDED 0
#define GROUP_SHARED 1
#define GROUP_CROSSING 2

/* Completes the segments that begin before the tile in which they end, in the tiles of one group. With GROUP_CROSSING
 * the segment that begins before the group is left: the group's first tile gets the values and the word of the tile in
 * which it ends, and the state gets how many of the group's elements it has. Returns the group's total. */
FUNC scanrt_value_t scanrt_group_finish(const scanrt_job *job, const scanrt_alone_end *e, scanrt_u32 first_tile,
                                        scanrt_value_t before, scanrt_u32 variant, LOCAL scanrt_value_t *tree) {
  const scanrt_u32 tile = first_tile + ITEM(), is_there = ITEM() < GROUP_TILES && tile < job->tiles;
  scanrt_kept_t last_before = KEPT_OF(IDENTITY);
  scanrt_u64 word = 0;
  if (ITEM() < GROUP_TILES) tree[ITEM()] = is_there ? VALUE_KEPT(e->tiles[tile]) : IDENTITY;
  if (is_there) {
    last_before = e->tiles[job->tiles + tile];
    word = e->opens[tile];
  }
  if (variant == GROUP_SHARED && is_there) {
    GLOBAL scanrt_u32 *is_shared = e->state + SHARED_WORD + tile;
    if (!*is_shared) word = 0;
    *is_shared = 0;
  }
  const scanrt_u32 items = OPEN_ITEMS(word);
  const scanrt_u64 last = items ? tile * TILE_ITEMS + items - 1 : 0;
  const scanrt_raw_t raw = scanrt_vector_load_guarded(job, last / VEC_ITEMS * VEC_ITEMS);
  scanrt_tree_grow(tree);
  if (items) {
    const scanrt_value_t own = scanrt_combine(before, scanrt_tree_before(tree));
    if (variant == GROUP_CROSSING && !(own.there & STARTS_WITHIN)) {
      e->tiles[first_tile] = KEPT_OF(own);
      e->tiles[job->tiles + first_tile] = last_before;
      e->opens[first_tile] = word;
      e->state[CROSSING_WORD + first_tile / GROUP_TILES] = ITEM() * (scanrt_u32)TILE_ITEMS + items;
    } else {
      const scanrt_value_t start = scanrt_combine(own, VALUE_KEPT(last_before));
      e->to[OPEN_SEGMENT(word)] = scanrt_segment_result(job, raw, start, last);
    }
  }
  return tree[LEVEL_FIRST(GROUP_LEVELS)];
}

/* Completes the segments of all groups, one group after another; `before` precedes the first. */
FUNC void scanrt_alone_finish(const scanrt_job *job, const scanrt_alone_end *e, scanrt_value_t before,
                              scanrt_u32 variant, LOCAL scanrt_value_t *tree) {
  for (scanrt_u32 first_tile = 0; first_tile < job->tiles; first_tile += GROUP_TILES) {
    before = scanrt_combine(before, scanrt_group_finish(job, e, first_tile, before, variant, tree));
    BARRIER();
  }
}
#endif
